/*
 * decimal.h: numbers as decimal text.
 */
#ifndef GNDI_IO_DECIMAL_H
#define GNDI_IO_DECIMAL_H

#include "core/core.h"

/* The most fractional digits anyone may ask for: a double has at most 1074. */
#define GNDI_MAX_PRECISION 1100
/* Room for any number so printed: sign, 309 digits, point, fraction, exponent. */
#define GNDI_NUMBER_BYTES (GNDI_MAX_PRECISION + 320)

/* How a finite floating-point number is written. */
typedef struct gndi_decimal_style {
    gnd_dtype dtype;    /* whose neighbours the digits tell it from: a real floating dtype */
    bool unique;        /* as few digits as do that; else exactly `precision` fractional ones */
    int precision;      /* unique: not more fractional digits than this; -1: no limit */
    int minimum;        /* unique: not fewer, exact ones then */
    int exponent_width; /* of scientific notation: at least this many digits */
    bool plus;          /* a sign before positive numbers */
    char trim;          /* trailing zeros: 'k' keep; '.' drop all of the fraction; '0' all but one;
                           '-' all, and the point */
} gndi_decimal_style;

/* 12.5, without padding, or 1.25e+01. Return the length; `text` has GNDI_NUMBER_BYTES. */
int gndi_decimal_positional(char *text, double value, const gndi_decimal_style *style);
int gndi_decimal_scientific(char *text, double value, const gndi_decimal_style *style);

/* Rounds a number to a real floating dtype and back. */
double gndi_round_to_dtype(double value, gnd_dtype dtype);

#endif
