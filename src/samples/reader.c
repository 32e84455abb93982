/*
 * reader.c: files of samples, read in pieces straight to the device: each piece is read by the backend's read_in,
 * through pinned buffers on a GPU, and unpacked behind it in the order of the stream.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "samples/samples.h"
#include <errno.h>
#include <fcntl.h>
#include <gnd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* A piece: of a CPU's cache; on a GPU long enough that its launch does not count. */
enum { PIECE_CPU = 3 << 18, PIECE_GPU = 3 << 23 };

/* From a sample on, so many bytes more lie before it than samples. */
typedef struct gap {
    int64_t sample, bytes;
} gap;

struct gnd_samples {
    gndi_sample_type type;
    gndi_path_text name;
    int file;
    int64_t base, bytes; /* where samples begin; how many bytes of them there may be, gaps included */
    int64_t count, at;   /* samples; the next one */
    gap *gaps;
    int64_t gap_count;
};

/* ---- opening -------------------------------------------------------------------------------- */

int gndi_samples_open_file(const char *fn, const char *path, int64_t *length) {
    gndi_path_text name;
    struct stat info;
    gndi_quote_path(path, &name);
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); /* a pipe must not make it wait */
    if (file < 0) {
        gndi_raise(GND_ERROR_IO, fn, "cannot open %s: %s", name.text, strerror(errno));
        return -1;
    }
    if (fstat(file, &info) == 0 && S_ISREG(info.st_mode)) {
        *length = info.st_size;
        return file;
    }
    gndi_raise(GND_ERROR_IO, fn, "cannot read %s: it is no regular file", name.text);
    close(file);
    return -1;
}

/* How many samples the bytes hold, gaps taken off; raises if that is no whole number. */
static bool count_samples(gnd_samples *r, const char *fn) {
    const int64_t between = r->gap_count ? r->gaps[r->gap_count - 1].bytes : 0, bits = gndi_sample_bits(&r->type);
    const int64_t bytes = r->bytes - between;
    if (bytes < 0 || bytes > INT64_MAX / 8 || 8 * bytes % bits) {
        gndi_raise(GND_ERROR_IO, fn, "%s has %lld bytes of samples, no whole number of %lld bits each", r->name.text,
                   (long long)bytes, (long long)bits);
        return false;
    }
    r->count = 8 * bytes / bits;
    return true;
}

/* Headers of captures, which lie before their samples. */
static bool note_gaps(gnd_samples *r, const char *fn, const gnd_sigmf_capture *captures, int64_t count) {
    if (count == 0) return true;
    if (!(r->gaps = gndi_malloc(fn, (size_t)count * sizeof *r->gaps))) return false;
    gap last = {0, 0};
    for (int64_t k = 0; k < count; k++) {
        const gnd_sigmf_capture *c = &captures[k];
        if (c->sample_start < last.sample || c->header_bytes > r->bytes - last.bytes) {
            gndi_raise(GND_ERROR_IO, fn,
                       "the metadata of %s has captures out of order, or headers longer than the file", r->name.text);
            return false;
        }
        last = (gap){c->sample_start, last.bytes + c->header_bytes};
        if (c->header_bytes > 0) r->gaps[r->gap_count++] = last;
    }
    return true;
}

gnd_samples *gndi_samples_over(const char *fn, const char *path, int file, int64_t base, int64_t bytes,
                               const gndi_sample_type *type, const gnd_sigmf_capture *captures, int64_t capture_count) {
    gnd_samples *r = gndi_malloc(fn, sizeof *r);
    if (!r) {
        close(file);
        return NULL;
    }
    *r = (gnd_samples){.type = *type, .file = file, .base = base, .bytes = bytes};
    gndi_quote_path(path, &r->name);
    if ((bytes < 0 || note_gaps(r, fn, captures, capture_count)) && count_samples(r, fn))
        return gndi_owned("a file of samples", r, fn);
    close(file);
    gndi_free(r->gaps);
    gndi_free(r);
    return NULL;
}

gnd_samples *gnd_samples_open(const char *path, const char *datatype, const gnd_samples_options *options) {
    static const char fn[] = "gnd_samples_open";
    gndi_sample_type type;
    int64_t length;
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (!gndi_sample_type_read(fn, datatype, options, &type)) return NULL;
    const int file = gndi_samples_open_file(fn, path, &length);
    return file < 0 ? NULL : gndi_samples_over(fn, path, file, 0, length, &type, NULL, 0);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The gap bytes before a sample, and the sample at which they change. */
static int64_t gap_before(const gnd_samples *r, int64_t sample, int64_t *until) {
    int64_t low = 0, high = r->gap_count; /* gaps[low - 1] is the last one that begins at the sample or before */
    while (low < high) {
        const int64_t middle = (low + high) / 2;
        if (r->gaps[middle].sample <= sample)
            low = middle + 1;
        else
            high = middle;
    }
    *until = low < r->gap_count ? r->gaps[low].sample : INT64_MAX;
    return low > 0 ? r->gaps[low - 1].bytes : 0;
}

/* One piece into `out`, `done` samples from its beginning. `raw`: memory for bytes; NULL: they are what out has. */
static gnd_status read_piece(gnd_samples *r, const char *fn, gnd_stream *s, gnd_array *raw, gnd_array *out,
                             int64_t done, int64_t gap_bytes, int64_t samples) {
    const int64_t before = gndi_sample_bytes(fn, &r->type, r->at + done),
                  bytes = gndi_sample_bytes(fn, &r->type, samples);
    if (before < 0 || bytes < 0) return gndi_ew_pending();
    const gndi_file_part part = {r->name.text, r->file, r->base + before + gap_bytes};
    const int64_t channels = r->type.channels > 1 ? r->type.channels : 1, item = gndi_itemsize(out) * channels;
    char *to = raw ? gndi_data(raw) : gndi_data(out) + done * item;
    gnd_status status = gndi_order_write(s, (raw ? raw : out)->buffer, fn);
    if (!status) status = s->device->backend->read_in(s, to, &part, (size_t)bytes, fn);
    if (status) return status;
    gndi_submitted(s);
    const int64_t numbers = channels * (1 + r->type.complex);
    return raw ? gndi_samples_run(fn, &r->type, raw, 0, out, done * numbers, samples * numbers, false) : GND_OK;
}

/* Whether the file's bytes are the numbers. */
static bool is_plain(const gndi_sample_type *t) {
    return (t->kind == GNDI_SAMPLE_F32 || t->kind == GNDI_SAMPLE_F64) && !t->swapped;
}

static gnd_status read_all(gnd_samples *r, const char *fn, gnd_array *out, int64_t count) {
    gnd_stream *s = gndi_stream_on(out->buffer->device, fn);
    if (!s) return gndi_ew_pending();
    const int64_t bits = gndi_sample_bits(&r->type), most = s->device->id.kind == GND_CPU ? PIECE_CPU : PIECE_GPU;
    int64_t each = is_plain(&r->type) ? count : gndi_max(8 * most / bits / 8 * 8, 8);
    gnd_array *raw = NULL;
    if (!is_plain(&r->type)) {
        const int64_t bytes = gndi_sample_bits(&r->type) * gndi_min(each, gndi_ceil_div(count, 8) * 8) / 8;
        if (!(raw = gndi_array_new_on(fn, s, 1, &bytes, GND_UINT8, GNDI_ORDER_C))) return gndi_ew_pending();
    }
    gnd_status status = GND_OK;
    for (int64_t done = 0, samples; done < count && !status; done += samples) {
        int64_t until;
        const int64_t gap_bytes = gap_before(r, r->at + done, &until);
        samples = gndi_min(gndi_min(each, count - done), until - (r->at + done));
        status = read_piece(r, fn, s, raw, out, done, gap_bytes, samples);
    }
    if (raw) gnd_release(raw);
    return status ? status : gndi_finish(s, fn);
}

gnd_array *gndi_samples_next(const char *fn, gnd_samples *r, int64_t count) {
    if (count < 0) return gndi_fail(GND_ERROR_INVALID, fn, "count is %lld; it is at least 0", (long long)count);
    if (count > r->count - r->at)
        return gndi_fail(GND_ERROR_IO, fn, "%s has %lld samples from sample %lld on, not %lld", r->name.text,
                         (long long)(r->count - r->at), (long long)r->at, (long long)count);
    gnd_stream *s = gndi_stream_current(fn);
    gnd_array *out = s ? gndi_samples_new(fn, &r->type, s, count) : NULL;
    if (!out) return NULL;
    if (out->size > 0 && read_all(r, fn, out, count)) {
        gnd_release(out);
        return NULL;
    }
    if (!(out = gndi_samples_cast(fn, &r->type, out))) return NULL;
    r->at += count;
    return out;
}

gnd_array *gnd_samples_read(gnd_samples *file, int64_t count) {
    static const char fn[] = "gnd_samples_read";
    if (!file) return gndi_raise_null(fn, "file"), NULL;
    return gndi_samples_next(fn, file, count);
}

gnd_status gnd_samples_seek(gnd_samples *file, int64_t sample) {
    static const char fn[] = "gnd_samples_seek";
    if (!file) return gndi_raise_null(fn, "file");
    if (sample < 0 || sample > file->count)
        return gndi_raise(GND_ERROR_INDEX, fn, "there is no sample %lld to go to; %s has %lld", (long long)sample,
                          file->name.text, (long long)file->count);
    if (gndi_sample_bytes(fn, &file->type, sample) < 0) return GND_ERROR_VALUE;
    file->at = sample;
    return GND_OK;
}

int64_t gnd_samples_count(const gnd_samples *file) {
    return file ? file->count : -1;
}

int64_t gnd_samples_left(const gnd_samples *file) {
    return file ? file->count - file->at : -1;
}

void gnd_samples_close(gnd_samples *file) {
    if (!file) return;
    gndi_disowned(file);
    close(file->file);
    gndi_free(file->gaps);
    gndi_free(file);
}

/* ---- whole files ---------------------------------------------------------------------------- */

gnd_array *gnd_read_bin(const char *path, const char *datatype, int64_t count, int64_t offset,
                        const gnd_samples_options *options) {
    static const char fn[] = "gnd_read_bin";
    GNDI_PARTS_OF(fn);
    if (count < -1 || offset < 0)
        return gndi_fail(GND_ERROR_INVALID, fn,
                         "count is %lld and offset %lld; a count is -1 or at least 0, an offset at least 0",
                         (long long)count, (long long)offset);
    gnd_samples *file = gnd_samples_open(path, datatype, options);
    if (!file) return NULL;
    gnd_array *samples = NULL;
    if (gnd_samples_seek(file, offset) == GND_OK)
        samples = gndi_samples_next(fn, file, count < 0 ? gnd_samples_left(file) : count);
    gnd_samples_close(file);
    return samples;
}

/* Behind what a file has. What a failure leaves is cut off again. */
static gnd_status append_to(const char *fn, const char *path, const gnd_array *bytes) {
    gndi_path_text name;
    gndi_quote_path(path, &name);
    FILE *file = fopen(path, "ab");
    if (!file) return gndi_raise(GND_ERROR_IO, fn, "cannot write %s: %s", name.text, strerror(errno));
    struct stat info;
    const bool regular = fstat(fileno(file), &info) == 0 && S_ISREG(info.st_mode);
    gndi_output out = gndi_output_of(fn, name.text, file);
    gnd_status status = gndi_write_array(&out, bytes);
    if (fflush(file) != 0 && !status)
        status = gndi_raise(GND_ERROR_IO, fn, "cannot write %s: %s", name.text, strerror(errno));
    if (status && regular && ftruncate(fileno(file), info.st_size) != 0) {
    }
    if (fclose(file) != 0 && !status)
        status = gndi_raise(GND_ERROR_IO, fn, "cannot write %s: %s", name.text, strerror(errno));
    return status;
}

gnd_status gnd_write_bin(const char *path, const gnd_array *x, const char *datatype, bool append,
                         const gnd_samples_options *options) {
    static const char fn[] = "gnd_write_bin";
    GNDI_PARTS_OF(fn);
    gndi_output out;
    if (!path) return gndi_raise_null(fn, "path");
    gnd_array *bytes = gnd_pack_bin(x, datatype, options);
    if (!bytes) return gndi_ew_pending();
    gnd_status status;
    if (append)
        status = append_to(fn, path, bytes);
    else if ((status = gndi_output_open(&out, fn, path)) == GND_OK)
        status = gndi_output_close(&out, gndi_write_array(&out, bytes));
    gnd_release(bytes);
    return status;
}
