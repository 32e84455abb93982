/*
 * wiener_plan.h: the Wiener filter of a line or a matrix with a small window, as the front (wiener.c) hands it to a
 * backend that has kernels for it:
 *
 *     m = mean of the window, v = mean of the squares there - m^2, elements beyond x zeros
 *     out = m where v < noise, else m + (x - m) (1 - noise / v)
 */
#ifndef GNDI_WIENER_PLAN_H
#define GNDI_WIENER_PLAN_H

#include "core/core.h"

enum { GNDI_WIENER_WIDEST = 32 }; /* window, along an axis */

/* x: float32 or float64; a square is one of this dtype. Sums and out are float64, out dense. A line has one row. */
struct gndi_wiener_plan {
    uint8_t dtype;
    bool noise_is_mean; /* the mean of v is the noise */
    double noise;
    const char *x;
    double *out;
    int64_t shape[2], window[2]; /* at least 1 */
    int64_t x_stride[2];         /* bytes */
};

#endif
