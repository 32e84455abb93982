/*
 * doppler_plan.h: pulse-Doppler matrices with a window, as the front (pulses.c) hands them to a GPU: columns of 2^bits
 * elements of complex64, each times a factor of its row, and transformed.
 */
#ifndef GNDI_DOPPLER_PLAN_H
#define GNDI_DOPPLER_PLAN_H

#include <stdint.h>

enum { GNDI_DOPPLER_LEAST_BITS = 6, GNDI_DOPPLER_MOST_BITS = 12 };

/* Columns are adjacent. Strides are in bytes; the result is dense. */
struct gndi_doppler_plan {
    const char *x;
    int64_t x_row, x_matrix; /* from one row, or matrix, to the next */
    const float *window;     /* dense */
    char *out;
    int64_t columns, matrices;
    int bits;
};

#endif
