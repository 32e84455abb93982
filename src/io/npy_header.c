/*
 * npy_header.c: reads and writes the header of a .npy file. Files come from anywhere, so the reader
 * takes exactly the literals that such a dictionary may hold, and nothing is evaluated.
 */
#include "io/npy_header.h"
#include "io/file.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- a small parser of Python literals ------------------------------------------------------ */

typedef struct header_parser {
    const char *fn, *name;
    const char *begin, *at, *end;
} header_parser;

/* A piece of the header for a message, with anything unprintable replaced. */
static const char *quoted(const char *from, const char *end) {
    char *text = gndi_text_buffer();
    size_t length = 0;
    for (; from < end && length < 40; from++) text[length++] = *from >= ' ' && *from <= '~' ? *from : '?';
    text[length] = 0;
    return text;
}

static bool fail_parse(const header_parser *p, const char *expected) {
    gndi_raise(GND_ERROR_IO, p->fn, "the header of %s is no valid .npy header: expected %s at position %d (\"%s\")",
               p->name, expected, (int)(p->at - p->begin), quoted(p->at, p->end));
    return false;
}

static void skip_spaces(header_parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r')) p->at++;
}

/* Takes this character if it is next, spaces before it skipped. */
static bool take(header_parser *p, char c) {
    skip_spaces(p);
    if (p->at == p->end || *p->at != c) return false;
    p->at++;
    return true;
}

static bool take_word(header_parser *p, const char *word) {
    size_t length = strlen(word);
    skip_spaces(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

/* A string: its characters, without the quotes. No escapes: no dtype or key needs any. */
static bool parse_string(header_parser *p, const char **text, size_t *length) {
    skip_spaces(p);
    if (p->end - p->at > 1 && (*p->at == 'u' || *p->at == 'b') && (p->at[1] == '\'' || p->at[1] == '"'))
        p->at++; /* as some writers had it under Python 2 */
    if (p->at == p->end || (*p->at != '\'' && *p->at != '"')) return fail_parse(p, "a string");
    char quote = *p->at;
    const char *from = ++p->at;
    while (p->at < p->end && *p->at != quote && *p->at != '\\' && *p->at != '\n') p->at++;
    if (p->at == p->end || *p->at != quote) return fail_parse(p, "the end of the string");
    *text = from, *length = (size_t)(p->at - from);
    p->at++;
    return true;
}

/* One size. Python 2 wrote an L behind large ones. */
static bool parse_size(header_parser *p, int64_t *out) {
    skip_spaces(p);
    const char *from = p->at;
    if (p->at < p->end && *p->at == '-') return fail_parse(p, "a size, which cannot be negative,");
    uint64_t value = 0;
    bool fits = true;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        if (value > (UINT64_MAX - 9) / 10)
            fits = false;
        else
            value = value * 10 + (uint64_t)(*p->at - '0');
    }
    if (p->at == from) return fail_parse(p, "a size");
    if (!fits || value > INT64_MAX) {
        p->at = from;
        return fail_parse(p, "a size that fits 64 bits");
    }
    if (p->at < p->end && *p->at == 'L') p->at++;
    *out = (int64_t)value;
    return true;
}

static bool parse_shape(header_parser *p, gndi_npy_header *out) {
    if (!take(p, '(')) return fail_parse(p, "a tuple of sizes");
    out->ndim = 0;
    bool comma = true;
    while (!take(p, ')')) {
        if (!comma) return fail_parse(p, "a comma or the end of the tuple");
        if (out->ndim == GND_MAX_DIMS)
            return gndi_raise(GND_ERROR_IO, p->fn, "the array in %s has more than %d dimensions", p->name,
                              GND_MAX_DIMS),
                   false;
        if (!parse_size(p, &out->shape[out->ndim++])) return false;
        comma = take(p, ',');
    }
    if (out->ndim == 1 && !comma) return p->at--, fail_parse(p, "a comma after the only size, as in (3,),");
    return true;
}

/* ---- dtypes --------------------------------------------------------------------------------- */

static gnd_dtype dtype_of(char kind, int bytes) {
    for (int d = GND_DTYPE_NONE + 1; d < GND_DTYPE_COUNT; d++)
        if (d != GND_BFLOAT16 && gnd_dtype_kind((gnd_dtype)d) == kind && gndi_dtype_sizes[d] == bytes)
            return (gnd_dtype)d;
    return kind == 'V' && bytes == 2 ? GND_BFLOAT16 : GND_DTYPE_NONE;
}

/* What a dtype that gnd does not have is, for a message. */
static const char *why_not(char kind) {
    switch (kind) {
    case 'O': return "Python objects, which are pickled; gnd reads no pickles";
    case 'U':
    case 'S':
    case 'a': return "text";
    case 'M':
    case 'm': return "dates or times";
    case 'V': return "raw bytes or a structure";
    case 'f':
    case 'c': return "a floating-point format that gnd does not have";
    default: return "no dtype that gnd knows";
    }
}

/* A descriptor: byte order, kind, size, as in '<f8'; or a dtype's name. */
static bool read_descriptor(header_parser *p, const char *text, size_t length, gndi_npy_header *out) {
    for (int d = GND_DTYPE_NONE + 1; d < GND_DTYPE_COUNT; d++) {
        const char *name = gnd_dtype_name((gnd_dtype)d);
        if (strlen(name) != length || memcmp(name, text, length) != 0) continue;
        out->dtype = (gnd_dtype)d;
        return true;
    }
    const char *at = text, *end = text + length;
    char order = '=';
    if (at < end && strchr("<>|=", *at)) order = *at++;
    char kind = at < end ? *at++ : 0;
    int bytes = 0;
    for (; at < end && *at >= '0' && *at <= '9' && bytes < 1000; at++) bytes = 10 * bytes + (*at - '0');
    out->dtype = at == end ? dtype_of(kind, bytes) : GND_DTYPE_NONE;
    out->swapped = order == (gndi_is_big_endian() ? '<' : '>');
    if (kind == '?' && bytes == 0 && at == end) out->dtype = GND_BOOL;
    if (out->dtype != GND_DTYPE_NONE) return true;
    gndi_raise(GND_ERROR_DTYPE, p->fn, "the array in %s has dtype '%s': %s", p->name, quoted(text, end), why_not(kind));
    return false;
}

static bool parse_descriptor(header_parser *p, gndi_npy_header *out) {
    const char *text;
    size_t length;
    skip_spaces(p);
    if (p->at < p->end && (*p->at == '[' || *p->at == '('))
        return gndi_raise(GND_ERROR_DTYPE, p->fn,
                          "the array in %s has a structured dtype (%s...), which gnd "
                          "does not have",
                          p->name, quoted(p->at, p->end)),
               false;
    return parse_string(p, &text, &length) && read_descriptor(p, text, length, out);
}

/* ---- the dictionary ------------------------------------------------------------------------- */

enum { HAS_DESCR = 1, HAS_ORDER = 2, HAS_SHAPE = 4, HAS_ALL = 7 };

static bool is_key(const char *key, size_t length, const char *name) {
    return strlen(name) == length && memcmp(key, name, length) == 0;
}

/* One `key: value`; notes in `seen` which it was. */
static bool parse_entry(header_parser *p, gndi_npy_header *out, unsigned *seen) {
    const char *key, *from = p->at;
    size_t length;
    if (!parse_string(p, &key, &length)) return false;
    unsigned which = is_key(key, length, "descr")           ? HAS_DESCR
                     : is_key(key, length, "fortran_order") ? HAS_ORDER
                     : is_key(key, length, "shape")         ? HAS_SHAPE
                                                            : 0;
    if (which == 0 || (*seen & which)) {
        p->at = from;
        return fail_parse(p, "each of the keys 'descr', 'fortran_order' and 'shape' once, and no other,");
    }
    *seen |= which;
    if (!take(p, ':')) return fail_parse(p, "a colon");
    if (which == HAS_DESCR) return parse_descriptor(p, out);
    if (which == HAS_SHAPE) return parse_shape(p, out);
    out->fortran_order = take_word(p, "True");
    return out->fortran_order || take_word(p, "False") || fail_parse(p, "True or False");
}

gnd_status gndi_npy_parse(const char *fn, const char *name, const char *text, size_t length, gndi_npy_header *out) {
    header_parser p = {fn, name, text, text, text + length};
    gndi_npy_header header = {0};
    unsigned seen = 0;
    bool ok = take(&p, '{') || fail_parse(&p, "a dictionary");
    for (bool comma = true; ok && !take(&p, '}');) {
        ok = comma || fail_parse(&p, "a comma or the end of the dictionary");
        ok = ok && parse_entry(&p, &header, &seen);
        comma = ok && take(&p, ',');
    }
    if (ok && seen != HAS_ALL)
        ok = fail_parse(&p, seen & HAS_DESCR ? seen & HAS_SHAPE ? "the key 'fortran_order' before the end"
                                                                : "the key 'shape' before the end"
                                             : "the key 'descr' before the end");
    skip_spaces(&p);
    if (ok && p.at != p.end) ok = fail_parse(&p, "nothing behind the dictionary");
    if (!ok) return gnd_error() ? gnd_error()->code : GND_ERROR_IO;
    *out = header;
    return GND_OK;
}

/* ---- writing -------------------------------------------------------------------------------- */

size_t gndi_npy_format(const gndi_npy_header *header, char text[GNDI_NPY_HEADER_BYTES]) {
    /* Magic, version 1.0, two bytes of length. Longer headers would need version 2.0, but the
       longest of ours, 32 sizes of 19 digits, is far below 65536. */
    static const char magic[] = "\x93NUMPY\x01";
    enum { PREFIX = 10, ALIGNMENT = 64, GROWTH = 21 };
    size_t capacity = GNDI_NPY_HEADER_BYTES, used = PREFIX;
    bool is_bfloat16 = header->dtype == GND_BFLOAT16;
    char kind = is_bfloat16 ? 'V' : gnd_dtype_kind(header->dtype);
    int bytes = gndi_dtype_sizes[header->dtype];
    char order = bytes == 1 ? '|' : gndi_is_big_endian() ? '>' : '<';
    used += (size_t)snprintf(text + used, capacity - used, "{'descr': '%c%c%d', 'fortran_order': %s, 'shape': (", order,
                             kind, bytes, header->fortran_order ? "True" : "False");
    int last_digits = 0; /* of the size that grows when data is appended to the file */
    for (int k = 0; k < header->ndim; k++) {
        int digits = snprintf(text + used, capacity - used, "%s%" PRId64, k ? ", " : "", header->shape[k]);
        if (k == (header->fortran_order ? header->ndim - 1 : 0)) last_digits = digits - (k ? 2 : 0);
        used += (size_t)digits;
    }
    used += (size_t)snprintf(text + used, capacity - used, header->ndim == 1 ? ",), }" : "), }");
    /* NumPy leaves room for that size to grow in place, and aligns the data. */
    if (header->ndim > 0)
        for (int k = last_digits; k < GROWTH; k++) text[used++] = ' ';
    size_t total = (used + 1 + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
    while (used < total - 1) text[used++] = ' ';
    text[used++] = '\n';
    memcpy(text, magic, 8);
    text[8] = (char)((used - PREFIX) & 0xff);
    text[9] = (char)((used - PREFIX) >> 8);
    return used;
}
