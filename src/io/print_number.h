/*
 * print_number.h: how the elements of an array are written so that their columns line up.
 */
#ifndef GNDI_IO_PRINT_NUMBER_H
#define GNDI_IO_PRINT_NUMBER_H

#include "io/decimal.h"

/* The longest text of an element: two numbers, their padding, and a 'j'. */
#define GNDI_ELEMENT_BYTES (4 * GNDI_NUMBER_BYTES)

/* Floating-point numbers, or the real or the imaginary parts of complex ones. */
typedef struct gndi_float_format {
    gndi_decimal_style style;
    char sign;       /* as gnd_print_options.sign */
    bool scientific; /* all elements, if one of them needs it */
    int pad_left;    /* characters before the point, the sign counted */
    int pad_right;   /* after the point */
    const char *nan_text, *inf_text;
} gndi_float_format;

/* What all shown elements together need; computed before the first is written. */
typedef struct gndi_element_format {
    gnd_dtype dtype;
    bool is_scalar; /* a 0-d array: bools are not padded */
    char sign;      /* integers */
    int width;      /* integers */
    gndi_float_format real, imaginary;
} gndi_element_format;

/* Looks at `count` elements and decides. The options must outlive the format. */
void gndi_element_format_init(gndi_element_format *f, gnd_dtype dtype, const void *elements, int64_t count,
                              bool is_scalar, const gnd_print_options *options);
/* Writes one element, padded; returns the length. `text` has GNDI_ELEMENT_BYTES. */
int gndi_element_write(const gndi_element_format *f, const void *element, char *text);
/* Writes an element as Python's str() of a NumPy scalar does: all its digits, no options. */
int gndi_scalar_write(gnd_dtype dtype, const void *element, char *text);

#endif
