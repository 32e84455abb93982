/*
 * decimal.c: floating-point numbers as decimal text, with the fewest digits that read back as the
 * same number of its dtype (what NumPy gets by the Dragon4 algorithm).
 *
 * The C library prints and reads doubles exactly, so the fewest digits are found by trying: up to
 * DIG decimal digits survive a round trip through the dtype, so the DIG-digit decimal, its trailing
 * zeros dropped, is the answer if it reads back; else a few more digits are tried in turn.
 */
#include "io/decimal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

double gndi_round_to_dtype(double value, gnd_dtype dtype) {
    gndi_scalar element; /* rounds once, also to 16 bits */
    switch (dtype) {
    case GND_FLOAT16:
        gndi_scalar_from_arg("gnd_print", gnd_arg_real(value), dtype, &element);
        return gnd_float16_to_float(element.u16);
    case GND_BFLOAT16:
        gndi_scalar_from_arg("gnd_print", gnd_arg_real(value), dtype, &element);
        return gnd_bfloat16_to_float(element.u16);
    case GND_FLOAT32: return (float)value;
    default: return value;
    }
}

/* ---- digits --------------------------------------------------------------------------------- */

/* d.ddd times 10^exponent. */
typedef struct decimal {
    int count, exponent;
    char digits[20];
} decimal;

/* What each dtype needs: decimals of `sure` digits survive a round trip, `enough` always tell two
   numbers apart, and from `normal` up numbers have all their bits. */
typedef struct digit_need {
    int sure, enough;
    double normal;
} digit_need;

static digit_need need_of(gnd_dtype dtype) {
    switch (dtype) {
    case GND_FLOAT16: return (digit_need){3, 5, 0x1p-14};
    case GND_BFLOAT16: return (digit_need){2, 4, 0x1p-126};
    case GND_FLOAT32: return (digit_need){6, 9, 0x1p-126};
    default: return (digit_need){15, 17, 0x1p-1022};
    }
}

/* `value` correctly rounded to `count` digits. The decimal point depends on the locale, so
   everything that is no digit is skipped. */
static void round_to_digits(double value, int count, decimal *d) {
    char text[40];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    char *e = strchr(text, 'e');
    d->exponent = atoi(e + 1);
    d->count = 0;
    for (char *p = text; p < e; p++)
        if (*p >= '0' && *p <= '9') d->digits[d->count++] = *p;
}

/* Whether the decimal is nearer to `value` than to any other number of the dtype. */
static bool reads_back(const decimal *d, double value, gnd_dtype dtype) {
    char text[40];
    snprintf(text, sizeof text, "%.*se%d", d->count, d->digits, d->exponent - (d->count - 1));
    if (dtype == GND_FLOAT32) return strtof(text, NULL) == (float)value;
    return gndi_round_to_dtype(strtod(text, NULL), dtype) == value;
}

/* The next larger decimal of as many digits; false if that needs a further one. */
static bool next_decimal(decimal *d) {
    for (int k = d->count - 1; k >= 0; k--) {
        if (d->digits[k] != '9') {
            d->digits[k]++;
            return true;
        }
        d->digits[k] = '0';
    }
    return false;
}

/* Above a power of two numbers lie twice as far apart as below. So there a decimal that is not the
   nearest of its length may still read back: the next larger one. */
static bool next_reads_back(decimal *d, double value, gnd_dtype dtype) {
    int exponent;
    if (frexp(value, &exponent) != 0.5) return false;
    decimal larger = *d;
    if (!next_decimal(&larger) || !reads_back(&larger, value, dtype)) return false;
    *d = larger;
    return true;
}

/* The fewest digits of a positive number. */
static void shortest(double value, gnd_dtype dtype, decimal *d) {
    digit_need need = need_of(dtype);
    int count = value >= need.normal ? need.sure : 1;
    for (;; count++) {
        round_to_digits(value, count, d);
        if (count >= need.enough || reads_back(d, value, dtype)) break;
        if (next_reads_back(d, value, dtype)) break;
    }
    while (d->count > 1 && d->digits[d->count - 1] == '0') d->count--;
}

/* ---- text ----------------------------------------------------------------------------------- */

static int put_sign(char *text, double value, bool plus) {
    if (signbit(value))
        text[0] = '-';
    else if (plus)
        text[0] = '+';
    else
        return 0;
    return 1;
}

/* Replaces the locale's decimal point, which may be several bytes, by a point; adds one if there is
   none. `text` holds digits, the point, digits. Returns the length. */
static int plain_point(char *text, int length, int fraction) {
    int whole = 0;
    while (whole < length && text[whole] >= '0' && text[whole] <= '9') whole++;
    memmove(text + whole + 1, text + length - fraction, (size_t)fraction);
    text[whole] = '.';
    return whole + 1 + fraction;
}

/* Treats the zeros at the end of a fraction as `style` says. The text begins with digits and has a
   point. Returns the new length. */
static int trim_zeros(char *text, int length, char trim) {
    if (trim == 'k') return length;
    while (text[length - 1] == '0') length--;
    if (text[length - 1] != '.') return length;
    if (trim == '0') text[length++] = '0';
    if (trim == '-') length--;
    return length;
}

/* How many fractional digits to print, if the shortest decimal has `natural`; sets `exact` where
   they are not those of the shortest decimal, but of the number itself. */
static int fraction_digits(const gndi_decimal_style *style, int natural, bool *exact) {
    *exact = true;
    if (style->precision >= 0 && natural > style->precision) return style->precision;
    if (natural < style->minimum) return style->minimum;
    *exact = false;
    return natural;
}

/* The shortest digits with the point where it belongs, zeros filled in on either side. */
static int place_digits(char *text, const decimal *d, int fraction) {
    int length = 0, whole = d->exponent + 1;
    if (whole <= 0) text[length++] = '0';
    for (int k = 0; k < whole; k++) text[length++] = k < d->count ? d->digits[k] : '0';
    text[length++] = '.';
    for (int k = whole; k < whole + fraction; k++) text[length++] = k >= 0 && k < d->count ? d->digits[k] : '0';
    return length;
}

int gndi_decimal_positional(char *text, double value, const gndi_decimal_style *style) {
    int start = put_sign(text, value, style->plus), fraction = style->precision, length;
    decimal d = {.count = 1, .digits = "0"};
    bool exact = true;
    value = fabs(value);
    text += start;
    if (style->unique) {
        if (value != 0) shortest(value, style->dtype, &d);
        int natural = d.count - 1 - d.exponent;
        fraction = fraction_digits(style, natural > 0 ? natural : 0, &exact);
    }
    if (exact)
        length = plain_point(text, snprintf(text, GNDI_NUMBER_BYTES - 2, "%.*f", fraction, value), fraction);
    else
        length = place_digits(text, &d, fraction);
    length = trim_zeros(text, length, style->trim);
    text[length] = 0;
    return start + length;
}

int gndi_decimal_scientific(char *text, double value, const gndi_decimal_style *style) {
    int start = put_sign(text, value, style->plus), fraction = style->precision, length;
    decimal d = {.count = 1, .digits = "0"};
    bool exact = true;
    value = fabs(value);
    text += start;
    if (style->unique) {
        if (value != 0) shortest(value, style->dtype, &d);
        fraction = fraction_digits(style, d.count - 1, &exact);
    }
    int exponent = d.exponent;
    if (exact) {
        length = snprintf(text, GNDI_NUMBER_BYTES - 2, "%.*e", fraction, value);
        char *e = strchr(text, 'e');
        exponent = atoi(e + 1);
        length = plain_point(text, (int)(e - text), fraction);
    } else {
        text[0] = d.digits[0], text[1] = '.';
        memcpy(text + 2, d.digits + 1, (size_t)fraction);
        length = 2 + fraction;
    }
    length = trim_zeros(text, length, style->trim);
    int width = style->exponent_width > 2 ? 3 : 2; /* no exponent has more than three digits */
    length += snprintf(text + length, 16, "e%c%0*d", exponent < 0 ? '-' : '+', width, abs(exponent));
    return start + length;
}
