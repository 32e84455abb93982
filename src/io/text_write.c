/*
 * text_write.c: gnd_savetxt. A format is taken apart into the text between conversions and the conversions
 * themselves, which are checked: nothing else of printf is reached.
 */
#define _POSIX_C_SOURCE 200809L
#include "io/file.h"
#include "io/print_number.h"
#include "io/text_number.h"
#include <math.h>

/* A conversion: the text before it, and "%-12." up to where the length and the letter go. */
typedef struct conversion {
    const char *before;
    int before_length;
    char letter; /* d, e, E, f, F, g, G or s */
    char spec[32];
} conversion;

typedef struct text_writer {
    const char *fn;
    gndi_output *out;
    gnd_savetxt_options options;
    gnd_dtype dtype;
    int64_t width;     /* numbers in a row */
    conversion *parts; /* one, or as many as a row has numbers */
    int64_t count;
    const char *after; /* of a whole row's format: the text behind the last conversion */
    bool whole_row;
} text_writer;

enum { MOST_DIGITS = 999, NUMBER_ROOM = 3 * MOST_DIGITS };

/* ---- formats -------------------------------------------------------------------------------- */

/* Digits of a width or a precision; false if there are too many. */
static bool take_digits(const char **at) {
    int count = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) count++;
    return count <= 3;
}

/* The conversion that begins at the % here. */
static gnd_status parse_conversion(const char *fn, const char **text, conversion *c) {
    const char *from = *text, *at = from + 1;
    at += strspn(at, "-+ #0");
    bool good = at - from <= 8 && take_digits(&at);
    if (good && *at == '.') at++, good = take_digits(&at);
    size_t length = (size_t)(at - from);
    if (!good || length >= sizeof c->spec - 4 || !*at || !strchr("diueEfFgGs", *at))
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "\"%.40s\" is no conversion that numbers have: those are %%d, %%i, %%u, "
                          "%%e, %%f, %%g, %%E, %%F, %%G and %%s, with flags, width and precision",
                          from);
    memcpy(c->spec, from, length);
    c->spec[length] = 0;
    c->letter = *at == 'i' || *at == 'u' ? 'd' : *at;
    *text = at + 1;
    return GND_OK;
}

/* All conversions of the format; "%%" stays in the text between them until that is written. */
static gnd_status parse_format(text_writer *w, const char *format) {
    int64_t most = 0;
    for (const char *at = format; *at; at++) most += *at == '%';
    w->parts = gndi_calloc(w->fn, (size_t)(most + 1) * sizeof *w->parts);
    if (!w->parts) return gndi_ew_pending();
    const char *from = format;
    for (const char *at = format; *at;) {
        if (*at != '%') {
            at++;
        } else if (at[1] == '%') {
            at += 2;
        } else {
            conversion *c = &w->parts[w->count];
            c->before = from, c->before_length = (int)(at - from);
            gnd_status status = parse_conversion(w->fn, &at, c);
            if (status != GND_OK) return status;
            w->count++;
            from = at;
        }
    }
    w->after = from;
    const bool is_complex = gndi_dtype_is_complex((int)w->dtype);
    const int64_t needed = w->width * (is_complex ? 2 : 1);
    w->whole_row = w->count > 1 || needed == 1;
    if (w->count == 1 || (w->count == needed && w->count > 0)) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, w->fn,
                      "the format \"%.100s\" has %lld conversions, and a row %lld numbers%s; one "
                      "conversion is for every number",
                      format, (long long)w->count, (long long)w->width, is_complex ? ", of two parts each" : "");
}

/* ---- numbers -------------------------------------------------------------------------------- */

/* Text of the format: "%%" becomes "%". */
static gnd_status write_literal(text_writer *w, const char *from, int length) {
    gnd_status status = GND_OK;
    for (const char *end = from + length; from < end && status == GND_OK;) {
        const char *stop = memchr(from, '%', (size_t)(end - from));
        stop = stop ? stop + 1 : end;
        status = gndi_output_write(w->out, from, (size_t)(stop - from));
        from = stop < end && *stop == '%' && stop[-1] == '%' ? stop + 1 : stop;
    }
    return status;
}

/* An integer by %d. An unsigned one beyond int64 goes as a long double, which keeps signs that were asked
   for, unlike %u, and all 64 bits. */
static int print_integer(char *text, const conversion *c, bool is_unsigned, uint64_t value) {
    char spec[40];
    if (is_unsigned && value > INT64_MAX) {
        snprintf(spec, sizeof spec, "%.*s.0Lf", (int)strcspn(c->spec, "."), c->spec);
        return snprintf(text, NUMBER_ROOM, spec, (long double)value);
    }
    snprintf(spec, sizeof spec, "%slld", c->spec);
    return snprintf(text, NUMBER_ROOM, spec, (long long)value);
}

/* A double by %d (its fraction cut off), %e, %f or %g. */
static int print_real(char *text, const conversion *c, double value) {
    char spec[40];
    if (c->letter == 'd' && fabs(value) < 0x1p63) return print_integer(text, c, false, (uint64_t)(int64_t)value);
    if (c->letter == 'd')
        snprintf(spec, sizeof spec, "%.*s.0f", (int)strcspn(c->spec, "."), c->spec);
    else
        snprintf(spec, sizeof spec, "%s%c", c->spec, c->letter);
    return snprintf(text, NUMBER_ROOM, spec, c->letter == 'd' ? trunc(value) : value);
}

static int print_text(char *text, const conversion *c, gnd_dtype dtype, const void *element) {
    char spec[40], number[GNDI_ELEMENT_BYTES];
    gndi_scalar_write(dtype, element, number);
    snprintf(spec, sizeof spec, "%ss", c->spec);
    return snprintf(text, NUMBER_ROOM, spec, number);
}

/* An element's value: a double, or an integer, whose sign the dtype knows. */
static double value_of(gnd_dtype dtype, const void *element, uint64_t *integer) {
    *integer = 0;
    switch (dtype) {
    case GND_BOOL:
    case GND_UINT8: *integer = *(const uint8_t *)element; break;
    case GND_INT8: *integer = (uint64_t)(int64_t) * (const int8_t *)element; break;
    case GND_INT16: *integer = (uint64_t)(int64_t) * (const int16_t *)element; break;
    case GND_UINT16: *integer = *(const uint16_t *)element; break;
    case GND_INT32: *integer = (uint64_t)(int64_t) * (const int32_t *)element; break;
    case GND_UINT32: *integer = *(const uint32_t *)element; break;
    case GND_INT64:
    case GND_UINT64: *integer = *(const uint64_t *)element; break;
    case GND_FLOAT16: return gnd_float16_to_float(*(const uint16_t *)element);
    case GND_BFLOAT16: return gnd_bfloat16_to_float(*(const uint16_t *)element);
    case GND_FLOAT32: return *(const float *)element;
    default: return *(const double *)element;
    }
    return gnd_dtype_kind(dtype) == 'u' ? (double)*integer : (double)(int64_t)*integer;
}

/* An element, or a part of a complex one, by a conversion, into NUMBER_ROOM characters; its length, or -1
   and an error. NaN has no sign, as in Python. */
static int print_number(const text_writer *w, const conversion *c, gnd_dtype dtype, const char *element, char *text) {
    uint64_t integer;
    double value = value_of(dtype, element, &integer);
    if (c->letter == 's') return print_text(text, c, dtype, element);
    if (c->letter == 'd' && dtype <= GND_UINT64) return print_integer(text, c, gnd_dtype_kind(dtype) == 'u', integer);
    if (c->letter != 'd' || isfinite(value)) return print_real(text, c, isnan(value) ? NAN : value);
    gndi_raise(GND_ERROR_VALUE, w->fn, "%%d cannot write %s", isnan(value) ? "NaN" : "infinity");
    return -1;
}

static gnd_status write_number(text_writer *w, const conversion *c, gnd_dtype dtype, const char *element) {
    char text[NUMBER_ROOM];
    int length = print_number(w, c, dtype, element, text);
    return length < 0 ? GND_ERROR_VALUE : gndi_output_write(w->out, text, (size_t)length);
}

static gnd_status write_text(text_writer *w, const char *text) {
    return gndi_output_write(w->out, text, strlen(text));
}

/* A complex number with one conversion for both parts. No plus stands before a minus. */
static gnd_status write_complex(text_writer *w, const conversion *c, const char *element) {
    const gnd_dtype part = w->dtype == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    char re[NUMBER_ROOM], im[NUMBER_ROOM], text[2 * NUMBER_ROOM + 8];
    if (print_number(w, c, part, element, re) < 0 || print_number(w, c, part, element + gndi_dtype_sizes[part], im) < 0)
        return GND_ERROR_VALUE;
    int length = snprintf(text, sizeof text, " (%s%s%sj)", re, im[0] == '-' ? "" : "+", im);
    return gndi_output_write(w->out, text, (size_t)length);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Number `column` of a row. */
static gnd_status write_element(text_writer *w, int64_t column, const char *element) {
    gnd_status status = GND_OK;
    const bool is_complex = gndi_dtype_is_complex((int)w->dtype);
    if (w->count > 1) { /* a row's format: conversions one after the other */
        const gnd_dtype part = !is_complex ? w->dtype : w->dtype == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
        const int parts = is_complex ? 2 : 1;
        for (int k = 0; k < parts && status == GND_OK; k++) {
            const conversion *c = &w->parts[column * parts + k];
            status = write_literal(w, c->before, c->before_length);
            if (status == GND_OK) status = write_number(w, c, part, element + k * (int)gndi_dtype_sizes[part]);
        }
        if (status == GND_OK && column == w->width - 1) status = write_literal(w, w->after, (int)strlen(w->after));
        return status;
    }
    if (column > 0) status = write_text(w, w->options.delimiter);
    if (status == GND_OK && is_complex) return write_complex(w, w->parts, element);
    if (status == GND_OK) status = write_literal(w, w->parts->before, w->parts->before_length);
    if (status == GND_OK) status = write_number(w, w->parts, w->dtype, element);
    return status != GND_OK ? status : write_literal(w, w->after, (int)strlen(w->after));
}

static gnd_status write_rows(text_writer *w, const gnd_array *a) {
    gndi_pieces p;
    const char *bytes;
    size_t count, itemsize = gndi_dtype_sizes[w->dtype];
    int64_t column = 0;
    gnd_status status = gndi_pieces_begin(&p, w->fn, a);
    while (status == GND_OK && (status = gndi_pieces_next(&p, &bytes, &count)) == GND_OK && count)
        for (const char *end = bytes + count; bytes < end && status == GND_OK; bytes += itemsize) {
            status = write_element(w, column, bytes);
            if (++column < w->width) continue;
            column = 0;
            if (status == GND_OK) status = write_text(w, w->options.newline);
        }
    gndi_pieces_end(&p);
    return status;
}

/* Lines of a header or a footer, as comments. */
static gnd_status write_comment(text_writer *w, const char *text) {
    if (!text || !*text) return GND_OK;
    gnd_status status = write_text(w, w->options.comments);
    for (const char *at = text; *at && status == GND_OK;) {
        size_t length = strcspn(at, "\n");
        status = gndi_output_write(w->out, at, length);
        at += length;
        if (*at == '\n' && status == GND_OK) {
            at++;
            status = write_text(w, "\n");
            if (status == GND_OK) status = write_text(w, w->options.comments);
        }
    }
    return status != GND_OK ? status : write_text(w, w->options.newline);
}

static gnd_status write_all(text_writer *w, const gnd_array *a) {
    gnd_status status = write_comment(w, w->options.header);
    /* Rows without numbers are lines all the same. */
    for (int64_t i = 0; w->width == 0 && i < a->shape[0] && status == GND_OK; i++)
        status = write_text(w, w->options.newline);
    if (status == GND_OK) status = write_rows(w, a);
    return status != GND_OK ? status : write_comment(w, w->options.footer);
}

gnd_status gnd_savetxt(const char *path, const gnd_array *a, const gnd_savetxt_options *options) {
    static const char fn[] = "gnd_savetxt";
    GNDI_PARTS_OF(fn);
    if (!path || gndi_missing(a)) return gndi_raise_null(fn, path ? "a" : "path");
    gndi_output out;
    text_writer w = {.fn = fn, .out = &out, .dtype = (gnd_dtype)a->dtype};
    if (options) w.options = *options;
    if (!w.options.delimiter) w.options.delimiter = " ";
    if (!w.options.newline) w.options.newline = "\n";
    if (!w.options.comments) w.options.comments = "# ";
    if (a->ndim != 1 && a->ndim != 2)
        return gndi_raise(GND_ERROR_SHAPE, fn, "an array of shape %s has no rows and columns; one or two dimensions do",
                          gndi_text_shape(a->ndim, a->shape));
    w.width = a->ndim == 2 ? a->shape[1] : 1;
    gnd_status status = parse_format(&w, w.options.format ? w.options.format : "%.18e");
    if (status == GND_OK && (status = gndi_output_open(&out, fn, path)) == GND_OK) {
        void *locale = gndi_text_locale_begin();
        status = write_all(&w, a);
        gndi_text_locale_end(locale);
        status = gndi_output_close(&out, status);
    }
    gndi_free(w.parts);
    return status;
}
