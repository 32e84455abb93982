/*
 * print_number.c: elements as text. A first pass over all that will be shown finds whether they
 * need scientific notation, how many digits, and how wide each side of the point is; then each
 * element is written to that measure. The rules are NumPy 2's, those on when to turn scientific
 * included.
 */
#include "io/print_number.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* ---- reading elements ----------------------------------------------------------------------- */

/* The real or imaginary part of element i, which a double holds exactly. */
static double part_of(gnd_dtype dtype, const void *elements, int64_t i, int part) {
    switch (dtype) {
    case GND_FLOAT16: return gnd_float16_to_float(((const uint16_t *)elements)[i]);
    case GND_BFLOAT16: return gnd_bfloat16_to_float(((const uint16_t *)elements)[i]);
    case GND_FLOAT32: return ((const float *)elements)[i];
    case GND_FLOAT64: return ((const double *)elements)[i];
    case GND_COMPLEX64: return ((const float *)elements)[2 * i + part];
    case GND_COMPLEX128: return ((const double *)elements)[2 * i + part];
    default: return 0;
    }
}

/* Element i of an integer dtype; unsigned ones above INT64_MAX are told by `is_unsigned`. */
static int64_t integer_of(gnd_dtype dtype, const void *elements, int64_t i) {
    switch (dtype) {
    case GND_INT8: return ((const int8_t *)elements)[i];
    case GND_UINT8: return ((const uint8_t *)elements)[i];
    case GND_INT16: return ((const int16_t *)elements)[i];
    case GND_UINT16: return ((const uint16_t *)elements)[i];
    case GND_INT32: return ((const int32_t *)elements)[i];
    case GND_UINT32: return ((const uint32_t *)elements)[i];
    case GND_INT64: return ((const int64_t *)elements)[i];
    default: return (int64_t)((const uint64_t *)elements)[i];
    }
}

/* ---- integers ------------------------------------------------------------------------------- */

/* The number with its sign, as Python's format(x, "+d") and the like. */
static int write_integer(char *text, gnd_dtype dtype, int64_t value, char sign) {
    bool negative = dtype != GND_UINT64 && value < 0;
    const char *mark = negative ? "-" : sign == '+' ? "+" : sign == ' ' ? " " : "";
    return sprintf(text, "%s%" PRIu64, mark, negative ? -(uint64_t)value : (uint64_t)value);
}

static void measure_integers(gndi_element_format *f, const void *elements, int64_t count) {
    bool any_negative = false;
    char text[32];
    for (int64_t i = 0; i < count && f->dtype != GND_UINT64; i++) any_negative |= integer_of(f->dtype, elements, i) < 0;
    if (f->sign == ' ' && any_negative) f->sign = '-';
    for (int64_t i = 0; i < count; i++) {
        int width = write_integer(text, f->dtype, integer_of(f->dtype, elements, i), f->sign);
        if (width > f->width) f->width = width;
    }
}

/* ---- floating point: what all need ---------------------------------------------------------- */

/* From this on numbers are written 1.e+08: where the dtype's digits end, or at 10^8. */
static double scientific_from(gnd_dtype dtype) {
    return dtype == GND_FLOAT64 ? 1e8 : dtype == GND_FLOAT32 ? 1e6 : 1e3;
}

typedef struct float_survey {
    int64_t finite, count;
    double largest, smallest; /* of the magnitudes that are not 0 */
    bool any_negative, any_minus_inf;
} float_survey;

static float_survey survey(gnd_dtype dtype, const void *elements, int64_t count, int part) {
    float_survey s = {.count = count, .smallest = INFINITY};
    for (int64_t i = 0; i < count; i++) {
        double value = part_of(dtype, elements, i, part);
        if (!isfinite(value)) {
            s.any_minus_inf |= isinf(value) && value < 0;
            continue;
        }
        s.finite++;
        s.any_negative |= signbit(value) != 0;
        if (value == 0) continue;
        value = fabs(value);
        if (value > s.largest) s.largest = value;
        if (value < s.smallest) s.smallest = value;
    }
    return s;
}

static bool needs_scientific(const float_survey *s, gnd_dtype dtype, bool suppress) {
    if (s->largest == 0) return false;
    if (s->largest >= scientific_from(dtype)) return true;
    if (suppress) return false;
    /* NumPy compares in the dtype: its 0.0001 and its quotient are what counts. */
    return s->smallest < gndi_round_to_dtype(1e-4, dtype) ||
           gndi_round_to_dtype(s->largest / s->smallest, dtype) > 1000;
}

static int max_int(int a, int b) {
    return a > b ? a : b;
}

/* How the finite numbers come out at their shortest, and from that the width of both sides. */
static void measure_digits(gndi_float_format *f, gnd_dtype dtype, const void *elements, int64_t count, int part,
                           gnd_floatmode mode) {
    char text[GNDI_NUMBER_BYTES];
    int fraction = 0, exponent = 0;
    f->style.unique = mode != GND_FLOATMODE_FIXED;
    f->style.trim = f->style.unique ? '.' : 'k';
    for (int64_t i = 0; i < count; i++) {
        double value = part_of(dtype, elements, i, part);
        if (!isfinite(value)) continue;
        int length = (f->scientific ? gndi_decimal_scientific : gndi_decimal_positional)(text, value, &f->style);
        const char *point = strchr(text, '.'), *e = f->scientific ? strchr(text, 'e') : text + length;
        f->pad_left = max_int(f->pad_left, (int)(point - text));
        fraction = max_int(fraction, (int)(e - point) - 1);
        exponent = max_int(exponent, (int)(text + length - e) - 2); /* less the e and its sign */
    }
    f->pad_right = f->scientific ? fraction + exponent + 2 : fraction;
    f->style.exponent_width = exponent;
    if (f->scientific || mode == GND_FLOATMODE_FIXED || mode == GND_FLOATMODE_MAXPREC_EQUAL) {
        f->style.precision = f->style.minimum = fraction;
        f->style.trim = 'k';
    }
}

static void measure_floats(gndi_float_format *f, gnd_dtype dtype, const void *elements, int64_t count, int part,
                           char sign, const gnd_print_options *options) {
    float_survey s = survey(dtype, elements, count, part);
    gnd_floatmode mode = options->floatmode;
    memset(f, 0, sizeof *f);
    f->sign = sign;
    f->nan_text = options->nanstr, f->inf_text = options->infstr;
    f->style.dtype = gndi_dtype_is_complex((int)dtype) ? (dtype == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64) : dtype;
    f->style.plus = sign == '+';
    f->style.precision = mode == GND_FLOATMODE_UNIQUE ? -1 : options->precision;
    f->style.unique = true, f->style.trim = '.';
    if (s.finite > 0) {
        f->scientific = needs_scientific(&s, f->style.dtype, options->suppress);
        measure_digits(f, dtype, elements, count, part, mode);
    }
    if (sign == ' ' && !s.any_negative) f->pad_left++;
    if (s.finite < s.count) {
        int after = f->pad_right + 1; /* the point */
        bool signed_inf = sign != '-' || s.any_minus_inf;
        f->pad_left = max_int(f->pad_left, (int)strlen(f->nan_text) - after);
        f->pad_left = max_int(f->pad_left, (int)strlen(f->inf_text) + signed_inf - after);
    }
}

void gndi_element_format_init(gndi_element_format *f, gnd_dtype dtype, const void *elements, int64_t count,
                              bool is_scalar, const gnd_print_options *options) {
    memset(f, 0, sizeof *f);
    f->dtype = dtype, f->is_scalar = is_scalar, f->sign = options->sign;
    if (gndi_dtype_is_int((int)dtype)) measure_integers(f, elements, count);
    if (gndi_dtype_is_float((int)dtype) || gndi_dtype_is_complex((int)dtype))
        measure_floats(&f->real, dtype, elements, count, 0, options->sign, options);
    if (gndi_dtype_is_complex((int)dtype)) measure_floats(&f->imaginary, dtype, elements, count, 1, '+', options);
}

/* ---- writing one element -------------------------------------------------------------------- */

/* Moves a text of `length` to the right, spaces before it; returns the new length. */
static int pad_before(char *text, int length, int spaces) {
    if (spaces <= 0) return length;
    memmove(text + spaces, text, (size_t)length);
    memset(text, ' ', (size_t)spaces);
    return length + spaces;
}

static int write_special(const gndi_float_format *f, double value, char *text) {
    bool minus = isinf(value) && value < 0;
    int length = sprintf(text, "%s%s",
                         minus            ? "-"
                         : f->sign == '+' ? "+"
                                          : "",
                         isnan(value) ? f->nan_text : f->inf_text);
    return pad_before(text, length, f->pad_left + f->pad_right + 1 - length);
}

static int write_float(const gndi_float_format *f, double value, char *text) {
    if (!isfinite(value)) return write_special(f, value, text);
    int length = (f->scientific ? gndi_decimal_scientific : gndi_decimal_positional)(text, value, &f->style);
    int before = (int)(strchr(text, '.') - text), after = length - before - 1;
    if (!f->scientific)
        for (; after < f->pad_right; after++) text[length++] = ' ';
    return pad_before(text, length, f->pad_left - before);
}

/* The 'j' goes right behind the digits, before the padding. */
static int write_imaginary(const gndi_float_format *f, double value, char *text) {
    int length = write_float(f, value, text), end = length;
    while (end > 0 && text[end - 1] == ' ') end--;
    memmove(text + end + 1, text + end, (size_t)(length - end));
    text[end] = 'j';
    return length + 1;
}

int gndi_element_write(const gndi_element_format *f, const void *element, char *text) {
    if (f->dtype == GND_BOOL)
        return sprintf(text, "%s", *(const uint8_t *)element ? (f->is_scalar ? "True" : " True") : "False");
    if (gndi_dtype_is_int((int)f->dtype)) {
        int length = write_integer(text, f->dtype, integer_of(f->dtype, element, 0), f->sign);
        return pad_before(text, length, f->width - length);
    }
    int length = write_float(&f->real, part_of(f->dtype, element, 0, 0), text);
    if (gndi_dtype_is_complex((int)f->dtype))
        length += write_imaginary(&f->imaginary, part_of(f->dtype, element, 0, 1), text + length);
    return length;
}

/* ---- scalars -------------------------------------------------------------------------------- */

/* A part of a scalar. `limit`: from there on scientific; `trim` as in gndi_decimal_style. */
static int write_scalar_part(gnd_dtype dtype, double value, double limit, char trim, bool plus, char *text) {
    if (!isfinite(value))
        return sprintf(text, "%s%s", isinf(value) && value < 0 ? "-" : plus ? "+" : "", isnan(value) ? "nan" : "inf");
    gndi_decimal_style style = {.dtype = dtype, .unique = true, .precision = -1, .plus = plus, .trim = trim};
    double magnitude = fabs(value);
    if (magnitude == 0 || (magnitude >= 1e-4 && magnitude < limit)) return gndi_decimal_positional(text, value, &style);
    style.trim = '-';
    return gndi_decimal_scientific(text, value, &style);
}

int gndi_scalar_write(gnd_dtype dtype, const void *element, char *text) {
    if (dtype == GND_BOOL) return sprintf(text, "%s", *(const uint8_t *)element ? "True" : "False");
    if (gndi_dtype_is_int((int)dtype)) return write_integer(text, dtype, integer_of(dtype, element, 0), '-');
    double re = part_of(dtype, element, 0, 0), im = part_of(dtype, element, 0, 1);
    gnd_dtype part = dtype == GND_COMPLEX64 ? GND_FLOAT32 : dtype == GND_COMPLEX128 ? GND_FLOAT64 : dtype;
    double limit = part == GND_FLOAT64 ? 1e16 : scientific_from(part);
    if (!gndi_dtype_is_complex((int)dtype)) return write_scalar_part(part, re, limit, '0', false, text);
    bool only_imaginary = re == 0 && !signbit(re);
    int length = 0;
    if (!only_imaginary) {
        text[length++] = '(';
        length += write_scalar_part(part, re, limit, '-', false, text + length);
    }
    length += write_scalar_part(part, im, limit, '-', !only_imaginary, text + length);
    return length + sprintf(text + length, only_imaginary ? "j" : "j)");
}
