/*
 * fits.c: images in FITS files, as version 4.0 of the standard has them: units of a header and its data, both in
 * blocks of 2880 bytes. A header is cards of 80 characters, KEYWORD = value / comment; data are big-endian, and the
 * first of its axes, NAXIS1, is the one whose elements are next to each other.
 */
#define _POSIX_C_SOURCE 200809L
#include "elementwise/temporaries.h"
#include "io/file.h"
#include "io/text_number.h"
#include <math.h>
#include <stdlib.h>

enum { BLOCK = 2880, CARD = 80, NAME = 8 };

/* What a header says. */
typedef struct fits_unit {
    bool ended, is_image, groups, has_blank;
    char kind[12], packed[24]; /* of an extension: IMAGE, BINTABLE; how an image in a table is packed */
    int64_t bits, ndim, groups_count, parameters, blank;
    int64_t axes[GND_MAX_DIMS]; /* as in the file: NAXIS1 first */
    double scale, zero;
    int64_t bytes; /* of its data, without the rest of the last block */
} fits_unit;

typedef struct fits_reader {
    gndi_source *source;
    int64_t number; /* of the unit */
} fits_reader;

static gnd_status refuse(const fits_reader *r, const char *why) {
    return gndi_raise(GND_ERROR_IO, r->source->fn, "unit %lld of %s %s", (long long)r->number, r->source->name, why);
}

/* ---- cards ---------------------------------------------------------------------------------- */

/* The value of a card that has one, without blanks around it, quotes and the comment. */
static char *value_of(char card[CARD + 1], char **end) {
    char *begin = card + NAME + 2, *stop = card + CARD;
    while (begin < stop && *begin == ' ') begin++;
    if (begin < stop && *begin == '\'') {
        char *quote = memchr(begin + 1, '\'', (size_t)(stop - begin - 1));
        begin++, stop = quote ? quote : stop;
    } else {
        char *slash = memchr(begin, '/', (size_t)(stop - begin));
        if (slash) stop = slash;
    }
    while (stop > begin && stop[-1] == ' ') stop--;
    *end = stop;
    return begin;
}

static bool is_name(const char *card, const char *name) {
    const size_t length = strlen(name);
    return memcmp(card, name, length) == 0 && (length == NAME || card[length] == ' ');
}

static bool read_number(char *begin, char *end, void *number, gnd_dtype dtype) {
    for (char *c = begin; c < end && dtype == GND_FLOAT64; c++)
        if (*c == 'D') *c = 'E';
    return gndi_text_number(begin, end, dtype, number);
}

static void copy_text(char *to, size_t capacity, const char *begin, const char *end) {
    snprintf(to, capacity, "%.*s", (int)(end - begin), begin);
}

/* NAXIS and NAXISn. */
static gnd_status read_axis(const fits_reader *r, fits_unit *u, const char *card, int64_t value) {
    const int axis = card[5] == ' ' ? 0 : atoi(card + 5);
    if (axis == 0) u->ndim = value;
    if (axis == 0 && (value < 0 || value > GND_MAX_DIMS))
        return gndi_raise(GND_ERROR_IO, r->source->fn, "unit %lld of %s claims %lld axes; gnd has at most %d",
                          (long long)r->number, r->source->name, (long long)value, GND_MAX_DIMS);
    if (axis > 0 && axis <= GND_MAX_DIMS) u->axes[axis - 1] = value;
    return value < 0 ? refuse(r, "has an axis of a negative length") : GND_OK;
}

static gnd_status read_card(const fits_reader *r, fits_unit *u, char card[CARD + 1]) {
    static const struct {
        const char *name;
        size_t at;
        gnd_dtype dtype;
    } numbers[] = {
        {"BITPIX", offsetof(fits_unit, bits), GND_INT64},
        {"GCOUNT", offsetof(fits_unit, groups_count), GND_INT64},
        {"PCOUNT", offsetof(fits_unit, parameters), GND_INT64},
        {"BSCALE", offsetof(fits_unit, scale), GND_FLOAT64},
        {"BZERO", offsetof(fits_unit, zero), GND_FLOAT64},
        {"BLANK", offsetof(fits_unit, blank), GND_INT64},
    };
    if (card[NAME] != '=') return GND_OK;
    char *end, *begin = value_of(card, &end);
    int64_t length;
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        const bool blank = numbers[k].at == offsetof(fits_unit, blank);
        if (!is_name(card, numbers[k].name) || (blank && u->bits < 0)) continue; /* floats have NaN */
        if (!read_number(begin, end, (char *)u + numbers[k].at, numbers[k].dtype))
            return gndi_raise(GND_ERROR_IO, r->source->fn, "%s of unit %lld of %s is \"%.*s\", which is no number",
                              numbers[k].name, (long long)r->number, r->source->name, (int)(end - begin), begin);
        u->has_blank |= blank;
        return GND_OK;
    }
    if (memcmp(card, "NAXIS", 5) == 0 && (card[5] == ' ' || (card[5] >= '1' && card[5] <= '9')))
        return read_number(begin, end, &length, GND_INT64) ? read_axis(r, u, card, length)
                                                           : refuse(r, "has an axis whose length is no number");
    if (is_name(card, "XTENSION")) copy_text(u->kind, sizeof u->kind, begin, end);
    if (is_name(card, "ZCMPTYPE")) copy_text(u->packed, sizeof u->packed, begin, end);
    if (is_name(card, "GROUPS")) u->groups = begin < end && *begin == 'T';
    return GND_OK;
}

/* ---- units ---------------------------------------------------------------------------------- */

/* The bytes of a unit's data; groups have parameters in front of each, and no first axis. */
static gnd_status measure(const fits_reader *r, fits_unit *u) {
    const int64_t b = u->bits;
    if (b != 8 && b != 16 && b != 32 && b != 64 && b != -32 && b != -64)
        return gndi_raise(GND_ERROR_IO, r->source->fn,
                          "BITPIX of unit %lld of %s is %lld; it is 8, 16, 32, 64, -32 or -64", (long long)r->number,
                          r->source->name, (long long)b);
    const bool grouped = u->groups && u->axes[0] == 0;
    int64_t count = u->ndim > 0;
    bool good = u->parameters >= 0 && u->groups_count >= 0;
    for (int64_t k = grouped; k < u->ndim; k++) good &= !__builtin_mul_overflow(count, u->axes[k], &count);
    good &= !__builtin_add_overflow(count, u->parameters, &count);
    good &= !__builtin_mul_overflow(count, u->groups_count, &count);
    good &= !__builtin_mul_overflow(count, gndi_magnitude(b) / 8, &u->bytes);
    u->is_image = !grouped && count > 0 && (!u->kind[0] || strcmp(u->kind, "IMAGE") == 0);
    return good ? GND_OK : refuse(r, "claims more elements than 64 bits count");
}

/* The next unit's header; `ended` where there is none. */
static gnd_status read_header(const fits_reader *r, fits_unit *u) {
    char block[BLOCK], card[CARD + 2];
    *u = (fits_unit){.scale = 1, .groups_count = 1};
    for (bool first = true;; first = false) {
        const size_t got = first ? r->source->read(r->source, block, BLOCK) : 0;
        if (first && r->number > 0 && !r->source->problem && (got == 0 || memcmp(block, "XTENSION=", 9) != 0))
            return u->ended = true, GND_OK; /* the end, or records that are none of the standard's */
        gnd_status status = GND_OK;
        if (got < BLOCK) status = gndi_source_read(r->source, block + got, BLOCK - got, "header");
        if (status != GND_OK) return status;
        if (first && r->number == 0 && memcmp(block, "SIMPLE  =", 9) != 0)
            return gndi_raise(GND_ERROR_IO, r->source->fn, "%s is no FITS file: it does not begin with SIMPLE%s",
                              r->source->name, memcmp(block, "\x1f\x8b", 2) == 0 ? "; gunzip it first" : "");
        for (int at = 0; at < BLOCK && status == GND_OK; at += CARD) {
            memcpy(card, block + at, CARD);
            card[CARD] = card[CARD + 1] = 0;
            if (is_name(card, "END")) return measure(r, u);
            status = read_card(r, u, card);
        }
        if (status != GND_OK) return status;
    }
}

/* Past a unit's data. The last block of a file may be cut. */
static gnd_status skip(const fits_reader *r, const fits_unit *u) {
    const int64_t left = gndi_bytes_left(r->source->context), rest = (BLOCK - u->bytes % BLOCK) % BLOCK;
    if (left >= 0 && u->bytes > left) return refuse(r, "is truncated: the file ends in its data");
    if (left >= 0)
        return fseeko(r->source->context, (off_t)gndi_min(u->bytes + rest, left), SEEK_CUR) == 0
                   ? GND_OK
                   : refuse(r, "cannot be skipped");
    char block[BLOCK];
    gnd_status status = GND_OK;
    gndi_source_allow(r->source, (size_t)u->bytes + BLOCK);
    for (int64_t at = 0; at < u->bytes && status == GND_OK; at += BLOCK)
        status = gndi_source_read(r->source, block, BLOCK, "data");
    return status;
}

/* The unit of that number; -1: the first that has an image. */
static gnd_status find(fits_reader *r, int64_t wanted, fits_unit *u) {
    for (r->number = 0;; r->number++) {
        gnd_status status = read_header(r, u);
        if (status != GND_OK) return status;
        if (u->ended && wanted < 0) return gndi_raise(GND_ERROR_IO, r->source->fn, "%s has no image", r->source->name);
        if (u->ended)
            return gndi_raise(GND_ERROR_INDEX, r->source->fn, "%s has the units 0 to %lld, not %lld", r->source->name,
                              (long long)r->number - 1, (long long)wanted);
        if (wanted < 0 ? u->is_image || u->packed[0] : r->number == wanted) break;
        if ((status = skip(r, u)) != GND_OK) return status;
    }
    if (u->is_image) return GND_OK;
    if (u->packed[0])
        return gndi_raise(GND_ERROR_IO, r->source->fn, "unit %lld of %s is an image packed by %s; funpack it first",
                          (long long)r->number, r->source->name, u->packed);
    return gndi_raise(GND_ERROR_IO, r->source->fn, "unit %lld of %s is no image, but %s%s", (long long)r->number,
                      r->source->name,
                      u->groups    ? "random groups"
                      : u->kind[0] ? "of the kind "
                                   : "without data",
                      u->kind);
}

/* ---- data ----------------------------------------------------------------------------------- */

/* How elements are read: their dtype, and whether the top bit is turned over, since BZERO is half of the range. */
typedef struct fits_data {
    gnd_dtype dtype;
    bool flipped, scaled;
} fits_data;

static fits_data data_of(const fits_unit *u) {
    static const gnd_dtype whole[] = {GND_UINT8, GND_INT16, GND_INT32, GND_INT64};
    static const gnd_dtype other[] = {GND_INT8, GND_UINT16, GND_UINT32, GND_UINT64};
    if (u->bits < 0)
        return (fits_data){u->bits == -32 ? GND_FLOAT32 : GND_FLOAT64, false, u->scale != 1 || u->zero != 0};
    const int k = u->bits == 8 ? 0 : u->bits == 16 ? 1 : u->bits == 32 ? 2 : 3;
    const bool half = u->scale == 1 && u->zero == (k == 0 ? -128 : ldexp(1, (int)u->bits - 1)) && !u->has_blank;
    return (fits_data){half ? other[k] : whole[k], half, !half && (u->has_blank || u->scale != 1 || u->zero != 0)};
}

static void tidy(const void *context, char *data, size_t bytes) {
    const fits_data *d = context;
    const size_t word = gndi_dtype_sizes[d->dtype];
    for (size_t i = 0; d->flipped && i < bytes; i += word) data[i] = (char)(data[i] ^ '\x80');
    if (word > 1 && !gndi_is_big_endian()) gndi_swap_bytes(data, bytes, word);
}

/* zero + scale * raw, and NaN where the raw element is blank. */
static gnd_array *scaled(const char *fn, const fits_unit *u, gnd_array *raw) {
    gndi_temporaries s = {.fn = fn};
    gndi_temporaries_keep(&s, raw);
    gnd_array *out = gndi_temporaries_keep(
        &s, gndi_copy_as(fn, raw, u->bits == 8 || u->bits == 16 || u->bits == -32 ? GND_FLOAT32 : GND_FLOAT64, 'C'));
    const bool fits = u->bits == 8
                          ? u->blank >= 0 && u->blank <= 255
                          : u->bits == 64 || gndi_magnitude(u->blank) <= INT64_C(1) << (gndi_magnitude(u->bits) - 1);
    if (!s.failed && u->scale != 1) gndi_step_in_place(&s, GNDI_OP_multiply, out, gnd_arg_real(u->scale));
    if (!s.failed && u->zero != 0) gndi_step_in_place(&s, GNDI_OP_add, out, gnd_arg_real(u->zero));
    if (!s.failed && u->has_blank && fits) {
        const gnd_array *blank = gndi_step(&s, GNDI_OP_equal, gnd_arg_array(raw), gnd_arg_int(u->blank));
        if (!s.failed) gndi_step_into(&s, GNDI_OP_add, out, gnd_arg_array(out), gnd_arg_real(NAN), blank);
    }
    return gndi_temporaries_end(&s, out);
}

static gnd_array *read_data(const fits_reader *r, const fits_unit *u) {
    const fits_data d = data_of(u);
    const int64_t left = gndi_bytes_left(r->source->context);
    int64_t shape[GND_MAX_DIMS];
    for (int64_t k = 0; k < u->ndim; k++) shape[k] = u->axes[u->ndim - 1 - k];
    if (left >= 0 && left < u->bytes)
        return gndi_fail(GND_ERROR_IO, r->source->fn,
                         "%s is truncated: unit %lld has %lld bytes of data, but only %lld follow", r->source->name,
                         (long long)r->number, (long long)u->bytes, (long long)left);
    if (u->groups_count != 1 || u->parameters != 0) return refuse(r, "has GCOUNT or PCOUNT, as images do not"), NULL;
    gnd_array *raw = gndi_array_new(r->source->fn, (int)u->ndim, shape, d.dtype, GNDI_ORDER_C);
    if (!raw) return NULL;
    if (gndi_read_array(r->source, raw, tidy, &d) == GND_OK) return d.scaled ? scaled(r->source->fn, u, raw) : raw;
    gnd_release(raw);
    return NULL;
}

gnd_array *gnd_load_fits(const char *path, int64_t unit) {
    static const char fn[] = "gnd_load_fits";
    GNDI_PARTS_OF(fn);
    gndi_path_text name;
    gndi_source source;
    fits_unit u;
    if (!path) return gndi_raise_null(fn, "path"), NULL;
    if (unit < -1)
        return gndi_fail(GND_ERROR_INDEX, fn, "unit is %lld; units are counted from 0, and -1 is the first image",
                         (long long)unit);
    if (!gndi_source_open(&source, fn, path, &name)) return NULL;
    fits_reader r = {.source = &source};
    void *locale = gndi_text_locale_begin();
    const gnd_status status = find(&r, unit, &u);
    gndi_text_locale_end(locale);
    gnd_array *a = status == GND_OK ? read_data(&r, &u) : NULL;
    fclose(source.context);
    return a;
}
