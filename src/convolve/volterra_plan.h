/*
 * volterra_plan.h: filters of the second and the third order, as the front (volterra.c) hands them to a backend:
 *
 *     out[i] = sum over a, b    of x[i + a] x[i + b] taps[a][b]
 *     out[i] = sum over a, b, c of x[i + a] x[i + b] x[i + c] taps[a][b][c]
 *
 * The innermost sums are made first, and multiplied by their element.
 */
#ifndef GNDI_VOLTERRA_PLAN_H
#define GNDI_VOLTERRA_PLAN_H

#include "core/core.h"

/* x, taps and out are of one dtype; out is dense. Every size is at least 1. Integers wrap around, bool is an or of
   ands, 16-bit floats add up in float32. */
struct gndi_volterra_plan {
    uint8_t dtype;
    int order; /* 2 or 3: axes of the taps */
    const char *x, *taps;
    char *out;
    int64_t x_step, count; /* bytes; outputs */
    int64_t taps_shape[3], taps_stride[3];
};

#endif
