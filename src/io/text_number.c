/*
 * text_number.c: numbers out of text, rounded correctly. Those of up to 19 digits whose product with a
 * power of ten is exact in double arithmetic are computed (Clinger, "How to read floating point numbers
 * accurately", 1990); the others go to the C library.
 */
#define _GNU_SOURCE /* strtod reads by the thread's locale: uselocale */
#include "io/text_number.h"
#include <locale.h>
#include <math.h>
#include "core/lock.h"
#include <stdlib.h>
#include <strings.h>

/* ---- the locale ----------------------------------------------------------------------------- */

static locale_t plain;
static gndi_once plain_once;

static void make_plain(void) {
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

void *gndi_text_locale_begin(void) {
    gndi_once_do(&plain_once, make_plain);
    return plain ? uselocale(plain) : NULL;
}

void gndi_text_locale_end(void *previous) {
    if (previous) uselocale(previous);
}

/* ---- real numbers --------------------------------------------------------------------------- */

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) == length && strncasecmp(at, word, length) == 0;
}

/* nan, inf or infinity, after the sign. */
static bool read_special(const char *at, const char *end, double *value) {
    if (is_word(at, end, "nan"))
        *value = NAN;
    else if (is_word(at, end, "inf") || is_word(at, end, "infinity"))
        *value = INFINITY;
    else
        return false;
    return true;
}

/* The decimal that a text spells: its digits as far as 64 bits hold them, and the power of ten. */
typedef struct spelled {
    uint64_t digits;
    int64_t power;
    bool whole; /* no digit was dropped */
} spelled;

/* Digits with or without a point and an exponent, and nothing else. */
static bool spell(const char *at, const char *end, spelled *s) {
    bool any = false;
    *s = (spelled){.whole = true};
    for (int after = 0; at < end && (is_digit(*at) || (*at == '.' && !after)); at++) {
        if (*at == '.') {
            after = 1;
            continue;
        }
        any = true;
        if (s->digits < UINT64_MAX / 10 - 1) {
            s->digits = 10 * s->digits + (uint64_t)(*at - '0');
            s->power -= after;
        } else {
            s->whole = s->whole && *at == '0';
            s->power += !after;
        }
    }
    if (!any) return false;
    if (at == end) return true;
    if ((*at | 32) != 'e' || ++at == end) return false;
    bool minus = *at == '-';
    int64_t exponent = 0;
    if ((*at == '-' || *at == '+') && ++at == end) return false;
    for (; at < end && is_digit(*at); at++)
        if (exponent < 100000) exponent = 10 * exponent + (*at - '0');
    s->power += minus ? -exponent : exponent;
    return at == end;
}

static bool read_real(char *begin, char *end, double *value) {
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    spelled s;
    char *at = begin;
    bool minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (spell(at, end, &s)) {
        if (s.whole && s.digits <= UINT64_C(1) << 53 && s.power >= -22 && s.power <= 22) {
            *value = s.power < 0 ? (double)s.digits / tens[-s.power] : (double)s.digits * tens[s.power];
        } else {
            const char kept = *end;
            *end = 0;
            *value = strtod(at, NULL);
            *end = kept;
        }
    } else if (!read_special(at, end, value)) {
        return false;
    }
    if (minus) *value = -*value;
    return true;
}

/* ---- the others ----------------------------------------------------------------------------- */

/* An integer with its sign; false if it does not fit 64 bits, or is none. */
static bool read_integer(const char *at, const char *end, bool *minus, uint64_t *magnitude) {
    *minus = at < end && *at == '-';
    if (at < end && (*at == '-' || *at == '+')) at++;
    if (at == end) return false;
    for (*magnitude = 0; at < end; at++)
        if (!is_digit(*at) || __builtin_mul_overflow(*magnitude, 10u, magnitude) ||
            __builtin_add_overflow(*magnitude, (uint64_t)(*at - '0'), magnitude))
            return false;
    return true;
}

static bool store_integer(const char *begin, const char *end, gnd_dtype dtype, void *element) {
    bool minus;
    uint64_t magnitude;
    const int bits = 8 * gndi_dtype_sizes[dtype];
    if (!read_integer(begin, end, &minus, &magnitude)) return false;
    if (gnd_dtype_kind(dtype) == 'u') {
        if ((minus && magnitude) || (bits < 64 && magnitude >> bits)) return false;
    } else if (magnitude > (UINT64_C(1) << (bits - 1)) - !minus) {
        return false;
    }
    uint64_t value = minus ? -magnitude : magnitude;
    switch (bits) {
    case 8: *(uint8_t *)element = (uint8_t)value; break;
    case 16: *(uint16_t *)element = (uint16_t)value; break;
    case 32: *(uint32_t *)element = (uint32_t)value; break;
    default: *(uint64_t *)element = value;
    }
    return true;
}

static bool store_bool(const char *begin, const char *end, void *element) {
    bool minus, yes = is_word(begin, end, "true");
    uint64_t magnitude = yes;
    if (!yes && !is_word(begin, end, "false") && !read_integer(begin, end, &minus, &magnitude)) return false;
    *(uint8_t *)element = magnitude != 0;
    return true;
}

/* Where the imaginary part begins: at the last sign that is no exponent's. */
static char *split_complex(char *begin, char *end) {
    for (char *at = end - 1; at > begin; at--)
        if ((*at == '+' || *at == '-') && (at[-1] | 32) != 'e') return at;
    return begin;
}

/* 1, 2j, 1+2j, 1+-2j, each with or without parentheses. */
static bool read_complex(char *begin, char *end, double *re, double *im) {
    *re = *im = 0;
    if (end - begin > 1 && *begin == '(' && end[-1] == ')') begin++, end--;
    if (begin == end) return false;
    if ((end[-1] | 32) != 'j') return read_real(begin, end, re);
    char *middle = split_complex(begin, --end);
    char *before = middle > begin && middle[-1] == '+' && *middle == '-' ? middle - 1 : middle;
    if (middle == end || !read_real(middle, end, im)) return false;
    return before == begin || read_real(begin, before, re);
}

bool gndi_text_number(char *begin, char *end, gnd_dtype dtype, void *element) {
    double re, im;
    gndi_scalar value;
    if (gndi_dtype_is_bool((int)dtype)) return store_bool(begin, end, element);
    if (gndi_dtype_is_int((int)dtype)) return store_integer(begin, end, dtype, element);
    if (gndi_dtype_is_complex((int)dtype)) {
        if (!read_complex(begin, end, &re, &im)) return false;
        if (dtype == GND_COMPLEX64)
            memcpy(element, (float[2]){(float)re, (float)im}, 2 * sizeof(float));
        else
            memcpy(element, (double[2]){re, im}, 2 * sizeof(double));
        return true;
    }
    if (!read_real(begin, end, &re)) return false;
    switch (dtype) {
    case GND_FLOAT64: *(double *)element = re; break;
    case GND_FLOAT32: *(float *)element = (float)re; break;
    default: /* rounded once, from the double */
        gndi_scalar_from_arg(NULL, gnd_arg_real(re), dtype, &value);
        *(uint16_t *)element = value.u16;
    }
    return true;
}
