/*
 * sigmf_read.c: SigMF recordings, read. Metadata may be anything: each value is checked before it is used.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "samples/sigmf.h"
#include <math.h>
#include <unistd.h>

enum { MOST_METADATA = 64 << 20 };

/* What a gnd_sigmf's members point to. */
typedef struct sigmf_memory {
    const gndi_cjson *lib;
    gndi_json *root;
    char *json;
    gnd_sigmf_capture *captures;
    gnd_sigmf_annotation *annotations;
} sigmf_memory;

typedef struct sigmf_reader {
    const char *fn;
    gndi_path_text name; /* of the metadata's file */
    const gndi_cjson *lib;
    const gndi_json *global;
    gnd_sigmf *meta;
    sigmf_memory *memory;
    int64_t trailing_bytes;
    bool failed;
} sigmf_reader;

/* ---- values --------------------------------------------------------------------------------- */

static void refuse(sigmf_reader *r, const char *name, const char *why) {
    if (!r->failed) gndi_raise(GND_ERROR_IO, r->fn, "the metadata %s has a %s that %s", r->name.text, name, why);
    r->failed = true;
}

static const gndi_json *find(const sigmf_reader *r, const gndi_json *object, const char *name) {
    return r->lib->cJSON_GetObjectItemCaseSensitive(object, name);
}

/* NULL: there is none. */
static const char *text_of(sigmf_reader *r, const gndi_json *object, const char *name) {
    const gndi_json *item = find(r, object, name);
    const char *text = item ? r->lib->cJSON_GetStringValue(item) : NULL;
    if (item && !text) refuse(r, name, "is no text");
    return text;
}

/* NaN: there is none. */
static double number_of(sigmf_reader *r, const gndi_json *object, const char *name) {
    const gndi_json *item = find(r, object, name);
    const double number = item && r->lib->cJSON_IsNumber(item) ? r->lib->cJSON_GetNumberValue(item) : NAN;
    if (item && !isfinite(number)) refuse(r, name, "is no number");
    return number;
}

/* A whole number of at least `least`; `missing`: there is none. Above 2^53 doubles are not exact. */
static int64_t whole_of(sigmf_reader *r, const gndi_json *object, const char *name, int64_t least, int64_t missing) {
    const double number = number_of(r, object, name);
    if (isnan(number)) return missing;
    if (number >= (double)least && number <= 0x1p53 && number == floor(number)) return (int64_t)number;
    refuse(r, name, "is no whole number in its range");
    return missing;
}

/* The objects of an array; how many there are. */
static const gndi_json *list_of(sigmf_reader *r, const gndi_json *root, const char *name, int64_t *count) {
    const gndi_json *list = find(r, root, name);
    *count = 0;
    if (!list) return NULL;
    if (!r->lib->cJSON_IsArray(list)) refuse(r, name, "is no list");
    for (const gndi_json *item = list->child; item && !r->failed; item = item->next, ++*count)
        if (!r->lib->cJSON_IsObject(item)) refuse(r, name, "has an element that is no object");
    return r->failed ? NULL : list->child;
}

/* ---- the metadata --------------------------------------------------------------------------- */

static void read_captures(sigmf_reader *r, const gndi_json *root) {
    const gndi_json *item = list_of(r, root, "captures", &r->meta->capture_count);
    if (r->failed || !item) return;
    gnd_sigmf_capture *to = gndi_malloc(r->fn, (size_t)r->meta->capture_count * sizeof *to);
    r->meta->captures = r->memory->captures = to;
    if ((r->failed = !to)) return;
    for (; item; item = item->next, to++) {
        to->sample_start = whole_of(r, item, "core:sample_start", 0, 0);
        to->frequency = number_of(r, item, "core:frequency");
        to->datetime = text_of(r, item, "core:datetime");
        to->header_bytes = whole_of(r, item, "core:header_bytes", 0, 0);
    }
}

static void read_annotations(sigmf_reader *r, const gndi_json *root) {
    const gndi_json *item = list_of(r, root, "annotations", &r->meta->annotation_count);
    if (r->failed || !item) return;
    gnd_sigmf_annotation *to = gndi_malloc(r->fn, (size_t)r->meta->annotation_count * sizeof *to);
    r->meta->annotations = r->memory->annotations = to;
    if ((r->failed = !to)) return;
    for (; item; item = item->next, to++) {
        to->sample_start = whole_of(r, item, "core:sample_start", 0, 0);
        to->sample_count = whole_of(r, item, "core:sample_count", 0, -1);
        to->freq_lower_edge = number_of(r, item, "core:freq_lower_edge");
        to->freq_upper_edge = number_of(r, item, "core:freq_upper_edge");
        to->label = text_of(r, item, "core:label");
        to->comment = text_of(r, item, "core:comment");
    }
}

static void read_global(sigmf_reader *r, const gndi_json *root) {
    gnd_sigmf *m = r->meta;
    r->global = r->lib->cJSON_IsObject(root) ? find(r, root, "global") : NULL;
    if (!r->global || !r->lib->cJSON_IsObject(r->global)) {
        gndi_raise(GND_ERROR_IO, r->fn, "%s is no SigMF metadata: it has no object \"global\"", r->name.text);
        r->failed = true;
        return;
    }
    if (!(m->datatype = text_of(r, r->global, "core:datatype"))) refuse(r, "core:datatype", "is not there");
    m->sample_rate = number_of(r, r->global, "core:sample_rate");
    if (m->sample_rate <= 0) refuse(r, "core:sample_rate", "is not above 0");
    const int64_t channels = whole_of(r, r->global, "core:num_channels", 1, 1);
    if (channels > INT32_MAX) refuse(r, "core:num_channels", "is too large");
    m->num_channels = (int)channels;
    m->author = text_of(r, r->global, "core:author");
    m->description = text_of(r, r->global, "core:description");
    m->hw = text_of(r, r->global, "core:hw");
    r->trailing_bytes = whole_of(r, r->global, "core:trailing_bytes", 0, 0);
}

/* Parses `bytes` of text, which a 0 follows. */
static void parse(sigmf_reader *r, size_t bytes) {
    const char *end = NULL;
    gndi_json *root = r->lib->cJSON_ParseWithLengthOpts(r->memory->json, bytes + 1, &end, 1);
    if (!root) {
        gndi_raise(GND_ERROR_IO, r->fn, "%s is no JSON from its byte %lld on", r->name.text,
                   (long long)(end ? end - r->memory->json : 0));
        r->failed = true;
        return;
    }
    r->memory->root = root;
    r->meta->json = r->memory->json;
    read_global(r, root);
    if (!r->failed) read_captures(r, root);
    if (!r->failed) read_annotations(r, root);
}

/* Reads the metadata of a recording; its files' names are then known. */
static bool read_metadata(sigmf_reader *r, const char *path, gndi_sigmf_files *files) {
    int64_t length = 0;
    *r->meta = (gnd_sigmf){0};
    if (!(r->lib = gndi_cjson_get(r->fn)) || !gndi_sigmf_names(r->fn, path, files)) return false;
    gndi_quote_path(files->meta, &r->name);
    const int file = gndi_samples_open_file(r->fn, files->meta, &length);
    r->failed = file < 0 || (files->archive && !gndi_sigmf_find_parts(r->fn, files, file, length));
    const gndi_file_part part = {r->name.text, file, files->archive ? files->meta_at : 0};
    const int64_t bytes = files->archive ? files->meta_bytes : length;
    if (!r->failed && bytes > MOST_METADATA) {
        gndi_raise(GND_ERROR_IO, r->fn, "%s has %lld bytes of metadata, more than 64 MiB", r->name.text,
                   (long long)bytes);
        r->failed = true;
    }
    sigmf_memory *memory = r->failed ? NULL : gndi_malloc(r->fn, sizeof *memory);
    if (memory) {
        *memory = (sigmf_memory){.lib = r->lib, .json = gndi_malloc(r->fn, (size_t)bytes + 1)};
        r->meta->memory = r->memory = memory;
    }
    r->failed |=
        !memory || !memory->json ||
        gndi_file_part_check(&part, gndi_file_part_read(&part, 0, memory->json, (size_t)bytes), r->fn) != GND_OK;
    if (!r->failed) memory->json[bytes] = 0;
    if (!r->failed) parse(r, (size_t)bytes);
    if (file >= 0) close(file);
    if (r->failed) gndi_sigmf_free_names(files);
    if (r->failed) gnd_sigmf_release(r->meta);
    return !r->failed;
}

void gnd_sigmf_release(gnd_sigmf *meta) {
    if (!meta) return;
    sigmf_memory *m = meta->memory;
    if (m) {
        if (m->root) m->lib->cJSON_Delete(m->root);
        gndi_free(m->json);
        gndi_free(m->captures);
        gndi_free(m->annotations);
        gndi_free(m);
    }
    *meta = (gnd_sigmf){0};
}

/* ---- samples -------------------------------------------------------------------------------- */

static gnd_samples *open_samples(sigmf_reader *r, gndi_sigmf_files *files, const gnd_samples_options *options) {
    gndi_sample_type type;
    gnd_samples_options o = options ? *options : (gnd_samples_options){0};
    int64_t length;
    if (r->meta->num_channels > 1) o.channels = r->meta->num_channels;
    if (!gndi_sample_type_read(r->fn, r->meta->datatype, &o, &type)) return NULL;
    const gndi_json *only = find(r, r->global, "core:metadata_only");
    if ((only && r->lib->cJSON_IsTrue(only)) || (files->archive && files->data_at < 0))
        return gndi_raise(GND_ERROR_IO, r->fn, "%s is metadata only: there are no samples", r->name.text), NULL;
    const char *dataset = text_of(r, r->global, "core:dataset");
    if (r->failed || (dataset && !gndi_sigmf_name_dataset(r->fn, files, dataset))) return NULL;
    const int file = gndi_samples_open_file(r->fn, files->data, &length);
    if (file < 0) return NULL;
    const int64_t bytes = (files->archive ? files->data_bytes : length) - r->trailing_bytes;
    return gndi_samples_over(r->fn, files->data, file, files->archive ? files->data_at : 0, bytes, &type,
                             r->meta->captures, r->meta->capture_count);
}

static gnd_samples *samples_of(const char *fn, const char *path, const gnd_samples_options *options, gnd_sigmf *meta) {
    gnd_sigmf own;
    gndi_sigmf_files files;
    sigmf_reader r = {.fn = fn, .meta = meta ? meta : &own};
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (!read_metadata(&r, path, &files)) return NULL;
    gnd_samples *samples = open_samples(&r, &files, options);
    gndi_sigmf_free_names(&files);
    if (!samples || !meta) gnd_sigmf_release(r.meta);
    return samples;
}

gnd_samples *gnd_sigmf_open(const char *path, const gnd_samples_options *options, gnd_sigmf *meta) {
    return samples_of("gnd_sigmf_open", path, options, meta);
}

gnd_array *gnd_read_sigmf(const char *path, int64_t count, int64_t offset, const gnd_samples_options *options,
                          gnd_sigmf *meta) {
    static const char fn[] = "gnd_read_sigmf";
    GNDI_PARTS_OF(fn);
    if (meta) *meta = (gnd_sigmf){0};
    if (count < -1 || offset < 0)
        return gndi_fail(GND_ERROR_INVALID, fn,
                         "count is %lld and offset %lld; a count is -1 or at least 0, an offset at least 0",
                         (long long)count, (long long)offset);
    gnd_samples *file = samples_of(fn, path, options, meta);
    gnd_array *samples = NULL;
    if (file && gnd_samples_seek(file, offset) == GND_OK)
        samples = gndi_samples_next(fn, file, count < 0 ? gnd_samples_left(file) : count);
    gnd_samples_close(file);
    if (!samples) gnd_sigmf_release(meta);
    return samples;
}

gnd_status gnd_sigmf_load(const char *path, gnd_sigmf *meta) {
    static const char fn[] = "gnd_sigmf_load";
    gndi_sigmf_files files;
    sigmf_reader r = {.fn = fn, .meta = meta};
    if (!path || !meta) return gndi_raise_null(fn, path ? "meta" : "path");
    if (!read_metadata(&r, path, &files)) return gndi_ew_pending();
    gndi_sigmf_free_names(&files);
    return GND_OK;
}
