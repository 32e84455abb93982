/*
 * sigmf_write.c: SigMF recordings, written.
 */
#include "io/file.h"
#include "samples/sigmf.h"
#include <math.h>

typedef struct sigmf_writer {
    const char *fn;
    const gndi_cjson *lib;
    bool failed; /* and raised, or there is no memory */
} sigmf_writer;

/* ---- items ---------------------------------------------------------------------------------- */

/* object[name] = item, in place of what was there; NULL: there is no memory for it. */
static void set(sigmf_writer *w, gndi_json *object, const char *name, gndi_json *item) {
    if (!w->failed && item) {
        w->lib->cJSON_DeleteItemFromObjectCaseSensitive(object, name);
        if (w->lib->cJSON_AddItemToObject(object, name, item)) return;
    }
    if (item) w->lib->cJSON_Delete(item);
    w->failed = true;
}
static void set_text(sigmf_writer *w, gndi_json *object, const char *name, const char *text) {
    if (text) set(w, object, name, w->lib->cJSON_CreateString(text));
}
static void set_number(sigmf_writer *w, gndi_json *object, const char *name, double number) {
    if (isnan(number)) return;
    if (isinf(number) && !w->failed) {
        gndi_raise(GND_ERROR_VALUE, w->fn, "%s is infinite, which JSON cannot say", name);
        w->failed = true;
    }
    set(w, object, name, w->lib->cJSON_CreateNumber(number));
}
static void set_whole(sigmf_writer *w, gndi_json *object, const char *name, int64_t number) {
    if ((number < 0 || number > (INT64_C(1) << 53)) && !w->failed) {
        gndi_raise(GND_ERROR_VALUE, w->fn, "%s is %lld; it is from 0 to 2^53", name, (long long)number);
        w->failed = true;
    }
    set(w, object, name, w->lib->cJSON_CreateNumber((double)number));
}
/* A new object at the end of a list. */
static gndi_json *append(sigmf_writer *w, gndi_json *list) {
    gndi_json *item = w->failed ? NULL : w->lib->cJSON_CreateObject();
    if (item && w->lib->cJSON_AddItemToArray(list, item)) return item;
    if (item) w->lib->cJSON_Delete(item);
    w->failed = true;
    return NULL;
}
/* root[name], made if it is not there. */
static gndi_json *part(sigmf_writer *w, gndi_json *root, const char *name, bool list, bool anew) {
    gndi_json *item = w->failed || anew ? NULL : w->lib->cJSON_GetObjectItemCaseSensitive(root, name);
    if (!item && !w->failed) {
        set(w, root, name, list ? w->lib->cJSON_CreateArray() : w->lib->cJSON_CreateObject());
        item = w->failed ? NULL : w->lib->cJSON_GetObjectItemCaseSensitive(root, name);
    }
    if (!w->failed && item && !(list ? w->lib->cJSON_IsArray(item) : w->lib->cJSON_IsObject(item))) {
        gndi_raise(GND_ERROR_VALUE, w->fn, "\"%s\" of the metadata is no %s", name, list ? "list" : "object");
        w->failed = true;
    }
    return w->failed ? NULL : item;
}

/* ---- the metadata --------------------------------------------------------------------------- */

static void write_captures(sigmf_writer *w, gndi_json *root, const gnd_sigmf *m) {
    gndi_json *list = part(w, root, "captures", true, m->captures != NULL);
    for (int64_t k = 0; list && m->captures && k < m->capture_count && !w->failed; k++) {
        const gnd_sigmf_capture *c = &m->captures[k];
        gndi_json *item = append(w, list);
        if (!item) return;
        set_whole(w, item, "core:sample_start", c->sample_start);
        set_number(w, item, "core:frequency", c->frequency);
        set_text(w, item, "core:datetime", c->datetime);
    }
    /* Samples are written without what lay between them. */
    for (gndi_json *item = list ? list->child : NULL; item && !w->failed; item = item->next)
        w->lib->cJSON_DeleteItemFromObjectCaseSensitive(item, "core:header_bytes");
    if (list && !list->child && !w->failed) {
        gndi_json *item = append(w, list);
        if (item) set_whole(w, item, "core:sample_start", 0);
    }
}

static void write_annotations(sigmf_writer *w, gndi_json *root, const gnd_sigmf *m) {
    gndi_json *list = part(w, root, "annotations", true, m->annotations != NULL);
    for (int64_t k = 0; list && m->annotations && k < m->annotation_count && !w->failed; k++) {
        const gnd_sigmf_annotation *a = &m->annotations[k];
        gndi_json *item = append(w, list);
        if (!item) return;
        set_whole(w, item, "core:sample_start", a->sample_start);
        if (a->sample_count != -1) set_whole(w, item, "core:sample_count", a->sample_count);
        set_number(w, item, "core:freq_lower_edge", a->freq_lower_edge);
        set_number(w, item, "core:freq_upper_edge", a->freq_upper_edge);
        set_text(w, item, "core:label", a->label);
        set_text(w, item, "core:comment", a->comment);
    }
}

static void write_global(sigmf_writer *w, gndi_json *root, const gnd_sigmf *m, const char *datatype, int64_t channels) {
    /* What was true of the samples that the metadata came with. */
    static const char *const old[] = {"core:sha512", "core:dataset", "core:trailing_bytes", "core:metadata_only",
                                      "core:num_channels"};
    gndi_json *global = part(w, root, "global", false, false);
    if (!global) return;
    for (size_t k = 0; k < sizeof old / sizeof *old; k++)
        w->lib->cJSON_DeleteItemFromObjectCaseSensitive(global, old[k]);
    set_text(w, global, "core:datatype", datatype);
    if (!w->lib->cJSON_GetObjectItemCaseSensitive(global, "core:version")) set_text(w, global, "core:version", "1.2.0");
    if (channels > 1) set_whole(w, global, "core:num_channels", channels);
    if (m->sample_rate != 0) set_number(w, global, "core:sample_rate", m->sample_rate);
    set_text(w, global, "core:author", m->author);
    set_text(w, global, "core:description", m->description);
    set_text(w, global, "core:hw", m->hw);
}

/* The text, which is cJSON's; NULL and raised. */
static char *make_text(sigmf_writer *w, const gnd_sigmf *m, const char *datatype, int64_t channels) {
    const char *end = NULL;
    gndi_json *root = m->json ? w->lib->cJSON_ParseWithLengthOpts(m->json, strlen(m->json) + 1, &end, 1)
                              : w->lib->cJSON_CreateObject();
    if (!root || !w->lib->cJSON_IsObject(root)) {
        w->failed = true;
        if (m->json)
            gndi_raise(GND_ERROR_VALUE, w->fn, "the metadata's json is no JSON object, from its byte %lld on",
                       (long long)(end ? end - m->json : 0));
    }
    if (!w->failed) write_global(w, root, m, datatype, channels);
    if (!w->failed) write_captures(w, root, m);
    if (!w->failed) write_annotations(w, root, m);
    char *text = w->failed ? NULL : w->lib->cJSON_Print(root);
    if (root) w->lib->cJSON_Delete(root);
    if (!text) gndi_raise(GND_ERROR_MEMORY, w->fn, "no memory for the metadata"); /* unless another error is pending */
    return text;
}

/* ---- the function --------------------------------------------------------------------------- */

static const char *datatype_of(int dtype) {
    switch (dtype) {
    case GND_COMPLEX64: return "cf32_le";
    case GND_COMPLEX128: return "cf64_le";
    case GND_FLOAT32: return "rf32_le";
    case GND_FLOAT64: return "rf64_le";
    case GND_INT8: return "ri8";
    case GND_UINT8: return "ru8";
    case GND_INT16: return "ri16_le";
    case GND_UINT16: return "ru16_le";
    case GND_INT32: return "ri32_le";
    case GND_UINT32: return "ru32_le";
    default: return NULL;
    }
}

static gnd_status write_text(const char *fn, const char *path, const char *text) {
    gndi_output out;
    gnd_status status = gndi_output_open(&out, fn, path);
    if (status) return status;
    status = gndi_output_write(&out, text, strlen(text));
    if (!status) status = gndi_output_write(&out, "\n", 1);
    return gndi_output_close(&out, status);
}

gnd_status gnd_write_sigmf(const char *path, const gnd_array *x, const gnd_sigmf *meta) {
    static const char fn[] = "gnd_write_sigmf";
    static const gnd_sigmf none;
    GNDI_PARTS_OF(fn);
    const gnd_sigmf *m = meta ? meta : &none;
    gndi_sigmf_files files;
    if (!path || gndi_missing(x)) return gndi_raise_null(fn, path ? "x" : "path");
    if (x->ndim != 1 && x->ndim != 2)
        return gndi_raise(GND_ERROR_SHAPE, fn, "a recording has shape (samples,) or (samples, channels), not %s",
                          gndi_text_shape(x->ndim, x->shape));
    const char *datatype = m->datatype ? m->datatype : datatype_of(x->dtype);
    if (!datatype)
        return gndi_raise(GND_ERROR_DTYPE, fn, "SigMF has no datatype for %s; give one in meta->datatype",
                          gnd_dtype_name((gnd_dtype)x->dtype));
    sigmf_writer w = {.fn = fn, .lib = gndi_cjson_get(fn)};
    if (!w.lib || !gndi_sigmf_names(fn, path, &files)) return gndi_ew_pending();
    gnd_status status = GND_OK;
    if (files.archive) status = gndi_raise(GND_ERROR_INVALID, fn, "archives, \"%.300s\", are only read", path);
    char *text = status ? NULL : make_text(&w, m, datatype, x->ndim == 2 ? x->shape[1] : 1);
    if (!text) status = gndi_ew_pending();
    if (!status) status = gnd_write_bin(files.data, x, datatype, false, NULL);
    if (!status) status = write_text(fn, files.meta, text);
    if (text) w.lib->cJSON_free(text);
    gndi_sigmf_free_names(&files);
    return status;
}
