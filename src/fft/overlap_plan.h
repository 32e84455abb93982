/*
 * overlap_plan.h: a convolution along one axis or two by Fourier transforms of tiles (overlap-save), as the front
 * (overlap.c) hands it to a backend whose blocks transform a tile in their own memory:
 *
 *     out[i] = sum over j of x[first + i - j] kernel[j]    for i < count, along each axis
 *
 * Elements beyond x are zeros.
 */
#ifndef GNDI_OVERLAP_PLAN_H
#define GNDI_OVERLAP_PLAN_H

#include "core/core.h"
#include "fft/overlap_tiles.h"

/* x, kernel and out are of one dtype, aligned to their elements, and nothing is empty. The last axis is contiguous in
   all of them, and the kernel along both. Of one axis index 0 is not used. Strides are bytes. */
struct gndi_overlap_plan {
    uint8_t dtype; /* float32 or complex64; along one axis also float64 or complex128 */
    int axes;
    const char *x, *kernel;
    char *out;
    int64_t n[2], m[2], first[2], count[2]; /* m is less than a tile has elements */
    int64_t x_row, out_row;                 /* strides along axis 0 */
    int64_t lines;                          /* convolutions, and the strides from one to the next */
    int64_t x_line, kernel_line, out_line;  /* of two axes kernel_line is 0: all have one kernel */
};

#endif
