/*
 * convolve_plan.h: a sliding sum of products in several dimensions, as the fronts of src/convolve hand it to a
 * backend:
 *
 *     out[i] = sum over j of x[i + first + j] taps[j]
 *
 * i, j and first have an index for each axis. Elements beyond x are those of the border. Taps may lie backwards.
 */
#ifndef GNDI_CONVOLVE_PLAN_H
#define GNDI_CONVOLVE_PLAN_H

#include "core/core.h"
#include "kernels/border.h"

/* x, taps and out are of one dtype. Every axis of each has at least one element, and ndim is at least 1. Integers
   wrap around, bool is an or of ands, 16-bit floats add up in float32. */
struct gndi_convolve_plan {
    uint8_t dtype;
    uint8_t border; /* gndi_border: constant, or one that repeats elements */
    int ndim;
    double fill[2];        /* the constant, of floating and complex numbers */
    uint64_t fill_integer; /* of whole ones, modulo 2^64 */
    const char *x, *taps;
    char *out;
    int64_t x_shape[GND_MAX_DIMS], taps_shape[GND_MAX_DIMS], out_shape[GND_MAX_DIMS], first[GND_MAX_DIMS];
    int64_t x_stride[GND_MAX_DIMS], taps_stride[GND_MAX_DIMS], out_stride[GND_MAX_DIMS]; /* bytes */
};

#endif
