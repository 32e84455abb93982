/*
 * wav.c: sound in RIFF WAVE files ("Multimedia Programming Interface and Data Specifications 1.0", IBM and
 * Microsoft, 1991; the extensible form, and RF64 of EBU Tech 3306): chunks of a name, a length and data, one
 * of which says what samples are, and another one holds them.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include <errno.h>
#include <limits.h>

enum { PCM = 1, FLOAT = 3, EXTENSIBLE = 0xfffe };
static const uint32_t unknown_length = UINT32_MAX; /* of what a pipe wrote; in RF64, another chunk has it */

typedef struct wav_format {
    int kind;            /* PCM or FLOAT */
    int channels, bytes; /* of a sample in the file */
    int64_t rate;
} wav_format;

typedef struct wav_reader {
    gndi_source *source;
    bool big_endian, has_format;
    wav_format format;
    int64_t long_data; /* what RF64's own chunk says of the data's length; -1: nothing */
} wav_reader;

/* ---- reading -------------------------------------------------------------------------------- */

static uint64_t number(const wav_reader *r, const unsigned char *at, int bytes) {
    uint64_t value = 0;
    for (int k = 0; k < bytes; k++) value = value << 8 | at[r->big_endian ? k : bytes - 1 - k];
    return value;
}

static gnd_status refuse(const wav_reader *r, const char *why) {
    return gndi_raise(GND_ERROR_IO, r->source->fn, "%s %s", r->source->name, why);
}

static gnd_status skip(const wav_reader *r, int64_t bytes) {
    int64_t left = gndi_bytes_left(r->source->context);
    if (left >= 0 && bytes > left) return refuse(r, "ends in the middle of a chunk: it is truncated or no WAV file");
    char rest[4096];
    gnd_status status = GND_OK;
    if (left >= 0 && fseeko(r->source->context, (off_t)bytes, SEEK_CUR) == 0) return GND_OK;
    for (; bytes > 0 && status == GND_OK; bytes -= (int64_t)sizeof rest)
        status =
            gndi_source_read(r->source, rest, bytes < (int64_t)sizeof rest ? (size_t)bytes : sizeof rest, "chunks");
    return status;
}

static gnd_status read_start(wav_reader *r) {
    unsigned char start[12];
    gnd_status status = gndi_source_read(r->source, start, sizeof start, "first bytes");
    if (status != GND_OK) return status;
    r->big_endian = memcmp(start, "RIFX", 4) == 0;
    bool known = r->big_endian || memcmp(start, "RIFF", 4) == 0 || memcmp(start, "RF64", 4) == 0 ||
                 memcmp(start, "BW64", 4) == 0;
    if (known && memcmp(start + 8, "WAVE", 4) == 0) return GND_OK;
    return refuse(r, "is no WAV file: it does not begin with RIFF and WAVE");
}

static gnd_status read_format(wav_reader *r, uint32_t length) {
    unsigned char b[40] = {0};
    uint32_t taken = length < sizeof b ? length : (uint32_t)sizeof b;
    if (length < 16) return refuse(r, "has a format chunk of less than 16 bytes");
    gnd_status status = gndi_source_read(r->source, b, taken, "format");
    if (status == GND_OK) status = skip(r, (int64_t)(length - taken) + (length & 1));
    if (status != GND_OK) return status;
    int kind = (int)number(r, b, 2), channels = (int)number(r, b + 2, 2);
    int frame = (int)number(r, b + 12, 2), bits = (int)number(r, b + 14, 2);
    if (kind == EXTENSIBLE && taken >= 28) kind = (int)number(r, b + 24, 4);
    r->format = (wav_format){kind, channels, channels ? frame / channels : 0, (int64_t)number(r, b + 4, 4)};
    r->has_format = true;
    if (kind != PCM && kind != FLOAT)
        return gndi_raise(GND_ERROR_IO, r->source->fn,
                          "the sound in %s is compressed, or of a kind that gnd does not read (%d); "
                          "PCM (1) and floating point (3) are read",
                          r->source->name, kind);
    int bytes = r->format.bytes;
    bool good = channels > 0 && frame % channels == 0 && bits <= 8 * bytes && bits > 8 * bytes - 8 &&
                r->format.rate > 0 && r->format.rate <= INT_MAX;
    if (good && (kind == PCM ? (bytes >= 1 && bytes <= 4) || bytes == 8 : bytes == 4 || bytes == 8)) return GND_OK;
    return gndi_raise(GND_ERROR_IO, r->source->fn,
                      "%s claims %d channels of %d bits in frames of %d bytes, %lld a second, which "
                      "gnd does not read",
                      r->source->name, channels, bits, frame, (long long)r->format.rate);
}

/* RF64's lengths of 64 bits. */
static gnd_status read_long_lengths(wav_reader *r, uint32_t length) {
    unsigned char b[28];
    if (length < sizeof b) return refuse(r, "has a ds64 chunk that is too short");
    gnd_status status = gndi_source_read(r->source, b, sizeof b, "ds64 chunk");
    uint64_t data = number(r, b + 8, 8);
    r->long_data = data > INT64_MAX ? INT64_MAX : (int64_t)data;
    return status != GND_OK ? status : skip(r, (int64_t)(length - sizeof b) + (length & 1));
}

/* Goes on to the samples; gives their length in bytes. */
static gnd_status find_data(wav_reader *r, int64_t *bytes) {
    gnd_status status = read_start(r);
    while (status == GND_OK) {
        unsigned char head[8];
        if ((status = gndi_source_read(r->source, head, sizeof head, "chunks")) != GND_OK) break;
        uint32_t length = (uint32_t)number(r, head + 4, 4);
        if (memcmp(head, "data", 4) == 0) {
            *bytes = length == unknown_length && r->long_data >= 0 ? r->long_data : length;
            if (length == unknown_length && r->long_data < 0) *bytes = gndi_bytes_left(r->source->context);
            return r->has_format ? GND_OK : refuse(r, "has samples before it says what they are");
        }
        if (memcmp(head, "fmt ", 4) == 0)
            status = read_format(r, length);
        else if (memcmp(head, "ds64", 4) == 0)
            status = read_long_lengths(r, length);
        else
            status = skip(r, (int64_t)length + (length & 1));
    }
    return status;
}

static gnd_dtype dtype_of(const wav_format *f) {
    if (f->kind == FLOAT) return f->bytes == 4 ? GND_FLOAT32 : GND_FLOAT64;
    return f->bytes == 1 ? GND_UINT8 : f->bytes == 2 ? GND_INT16 : f->bytes == 8 ? GND_INT64 : GND_INT32;
}

static void tidy(const void *context, char *data, size_t bytes) {
    const wav_reader *r = context;
    if (r->big_endian != gndi_is_big_endian() && r->format.bytes > 1)
        gndi_swap_bytes(data, bytes, (size_t)r->format.bytes);
}

/* Samples of three bytes become the upper ones of four. */
static gnd_array *read_three_bytes(wav_reader *r, int ndim, const int64_t *shape, int64_t bytes) {
    const char *fn = r->source->fn;
    gndi_source_allow(r->source, (size_t)bytes);
    unsigned char *packed = gndi_malloc(fn, (size_t)bytes);
    uint32_t *wide = packed ? gndi_malloc(fn, (size_t)(bytes / 3) * sizeof *wide) : NULL;
    gnd_array *a = NULL;
    if (wide && gndi_source_read(r->source, packed, (size_t)bytes, "data") == GND_OK) {
        for (int64_t i = 0; i < bytes / 3; i++) wide[i] = (uint32_t)number(r, packed + 3 * i, 3) << 8;
        a = gndi_array_of_bytes(fn, wide, ndim, shape, GND_INT32);
    }
    gndi_free(wide);
    gndi_free(packed);
    return a;
}

static gnd_array *read_samples(wav_reader *r, int64_t bytes) {
    const wav_format *f = &r->format;
    const int64_t frame = (int64_t)f->channels * f->bytes, left = gndi_bytes_left(r->source->context);
    if (bytes < 0)
        return gndi_fail(GND_ERROR_IO, r->source->fn,
                         "%s does not say how long its samples are, as what a pipe wrote, and is no "
                         "regular file, whose length would tell",
                         r->source->name);
    if (left >= 0 && bytes > left)
        return gndi_fail(GND_ERROR_IO, r->source->fn,
                         "%s is truncated: it claims %lld bytes of samples, but only %lld follow", r->source->name,
                         (long long)bytes, (long long)left);
    if (bytes % frame)
        return gndi_fail(GND_ERROR_IO, r->source->fn,
                         "%s has %lld bytes of samples, no whole number of frames of %lld bytes", r->source->name,
                         (long long)bytes, (long long)frame);
    const int64_t shape[] = {bytes / frame, f->channels};
    const int ndim = f->channels == 1 ? 1 : 2;
    if (f->bytes == 3) return read_three_bytes(r, ndim, shape, bytes);
    gnd_array *a = gndi_array_new(r->source->fn, ndim, shape, dtype_of(f), GNDI_ORDER_C);
    if (!a || gndi_read_array(r->source, a, tidy, r) == GND_OK) return a;
    gnd_release(a);
    return NULL;
}

gnd_array *gnd_load_wav(const char *path, int *rate) {
    static const char fn[] = "gnd_load_wav";
    gndi_path_text name;
    gndi_source source;
    int64_t bytes = 0;
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (!gndi_source_open(&source, fn, path, &name)) return NULL;
    wav_reader r = {.source = &source, .long_data = -1};
    gnd_array *a = find_data(&r, &bytes) == GND_OK ? read_samples(&r, bytes) : NULL;
    if (a && rate) *rate = (int)r.format.rate;
    fclose(source.context);
    return a;
}

/* ---- writing -------------------------------------------------------------------------------- */

static void put(char **at, uint64_t value, int bytes) {
    for (int k = 0; k < bytes; k++) *(*at)++ = (char)(value >> 8 * k & 0xff);
}

static void put_name(char **at, const char *name) {
    memcpy(*at, name, 4);
    *at += 4;
}

/* All that comes before the samples; returns its length. What is no PCM says how long its format is
   beyond the usual, and how many frames there are. */
static size_t write_header(char text[64], const wav_format *f, int64_t frames, int64_t bytes) {
    const bool plain = f->kind == PCM;
    const int frame = f->channels * f->bytes;
    char *at = text;
    put_name(&at, "RIFF");
    put(&at, (uint64_t)(bytes + bytes % 2) + (plain ? 36 : 50), 4);
    put_name(&at, "WAVE");
    put_name(&at, "fmt ");
    put(&at, plain ? 16 : 18, 4);
    put(&at, (uint64_t)f->kind, 2);
    put(&at, (uint64_t)f->channels, 2);
    put(&at, (uint64_t)f->rate, 4);
    put(&at, (uint64_t)f->rate * (uint64_t)frame, 4);
    put(&at, (uint64_t)frame, 2);
    put(&at, (uint64_t)f->bytes * 8, 2);
    if (!plain) {
        put(&at, 0, 2);
        put_name(&at, "fact");
        put(&at, 4, 4);
        put(&at, (uint64_t)frames, 4);
    }
    put_name(&at, "data");
    put(&at, (uint64_t)bytes, 4);
    return (size_t)(at - text);
}

/* The upper three bytes of each sample. */
static gnd_status write_three_bytes(gndi_output *out, const char *from, size_t bytes) {
    char packed[3 * 4096];
    gnd_status status = GND_OK;
    for (size_t left = bytes / 4; left > 0 && status == GND_OK;) {
        size_t count = left < 4096 ? left : 4096;
        char *at = packed;
        for (size_t i = 0; i < count; i++, from += 4) {
            uint32_t sample;
            memcpy(&sample, from, 4);
            put(&at, sample >> 8, 3);
        }
        left -= count;
        status = gndi_output_write(out, packed, 3 * count);
    }
    return status;
}

static gnd_status write_samples(gndi_output *out, const wav_format *f, const gnd_array *a) {
    if (f->bytes == gndi_itemsize(a) && !gndi_is_big_endian()) return gndi_write_array(out, a);
    gndi_pieces p;
    const char *bytes;
    size_t count;
    gnd_status status = gndi_pieces_begin(&p, out->fn, a);
    while (status == GND_OK && (status = gndi_pieces_next(&p, &bytes, &count)) == GND_OK && count) {
        if (f->bytes == 3) {
            status = write_three_bytes(out, bytes, count);
            continue;
        }
        for (size_t i = 0; i < count && status == GND_OK; i += (size_t)f->bytes) {
            char sample[8];
            memcpy(sample, bytes + i, (size_t)f->bytes);
            gndi_swap_bytes(sample, (size_t)f->bytes, (size_t)f->bytes);
            status = gndi_output_write(out, sample, (size_t)f->bytes);
        }
    }
    gndi_pieces_end(&p);
    return status;
}

/* What the samples of `a` are in a file. */
static gnd_status describe(const char *fn, const gnd_array *a, int rate, int bits, wav_format *f) {
    const bool is_float = a->dtype == GND_FLOAT32 || a->dtype == GND_FLOAT64;
    if (a->ndim != 1 && a->ndim != 2)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "an array of shape %s is no sound; one has shape (samples,) or (samples, "
                          "channels)",
                          gndi_text_shape(a->ndim, a->shape));
    const int64_t channels = a->ndim == 2 ? a->shape[1] : 1;
    *f = (wav_format){is_float ? FLOAT : PCM, (int)channels, (int)gndi_itemsize(a), rate};
    if (channels < 1 || channels * f->bytes > UINT16_MAX)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "a sound has at least one channel, and frames of at most 65535 bytes; not "
                          "%lld channels of %d bytes",
                          (long long)channels, f->bytes);
    if (!is_float && a->dtype != GND_UINT8 && a->dtype != GND_INT16 && a->dtype != GND_INT32 && a->dtype != GND_INT64)
        return gndi_raise(GND_ERROR_DTYPE, fn,
                          "samples are uint8, int16, int32, int64, float32 or float64, not %s; "
                          "gnd_astype makes them so",
                          gnd_dtype_name((gnd_dtype)a->dtype));
    if (rate < 1) return gndi_raise(GND_ERROR_INVALID, fn, "rate is %d; it is at least 1", rate);
    if (bits == 24 && a->dtype == GND_INT32) f->bytes = 3;
    if (bits != 0 && bits != 8 * f->bytes)
        return gndi_raise(GND_ERROR_INVALID, fn, "bits is %d; for %s it is 0 or %d%s", bits,
                          gnd_dtype_name((gnd_dtype)a->dtype), 8 * (int)gndi_itemsize(a),
                          a->dtype == GND_INT32 ? ", or 24" : "");
    return GND_OK;
}

gnd_status gnd_save_wav(const char *path, const gnd_array *a, int rate, int bits) {
    static const char fn[] = "gnd_save_wav";
    GNDI_PARTS_OF(fn);
    if (!path || gndi_missing(a)) return gndi_raise_null(fn, path ? "a" : "path");
    wav_format f = {0};
    gndi_output out;
    char header[64];
    gnd_status status = describe(fn, a, rate, bits, &f);
    if (status != GND_OK) return status;
    const int64_t bytes = a->size * f.bytes;
    if (bytes > (int64_t)UINT32_MAX - 64)
        return gndi_raise(GND_ERROR_VALUE, fn,
                          "%lld bytes of samples are more than the 4 GiB that a WAV file has room for",
                          (long long)bytes);
    if ((status = gndi_output_open(&out, fn, path)) != GND_OK) return status;
    status = gndi_output_write(&out, header, write_header(header, &f, a->shape[0], bytes));
    if (status == GND_OK) status = write_samples(&out, &f, a);
    if (status == GND_OK && bytes % 2) status = gndi_output_write(&out, "", 1);
    return gndi_output_close(&out, status);
}
