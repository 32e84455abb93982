/*
 * ambiguity_plan.h: the magnitudes of ambiguity functions of short pulses, as the front (ambiguity.c) hands them to a
 * GPU. Of pulses x and y of nx and ny complex64 numbers, row r, column k:
 *
 *     out[r][k] = |sum over c < ny of y[c] conj(x[c + r - (ny - 1)]) exp(2 pi i f c / n)| / (norm_x norm_y),
 *     f = k - n / 2,   n = 2^bits
 */
#ifndef GNDI_AMBIGUITY_PLAN_H
#define GNDI_AMBIGUITY_PLAN_H

#include <stdint.h>

enum {
    GNDI_AMBIGUITY_LEAST_BITS = 6,
    GNDI_AMBIGUITY_MOST_BITS = 12, /* transforms that a block does in shared memory */
};

/* n is at least nx + ny - 1. x and y are dense, the norms float32. */
struct gndi_ambiguity_plan {
    const char *x, *y;
    const float *norm_x, *norm_y;
    float *out; /* dense */
    int64_t nx, ny;
    int bits;
    int same; /* y is x: rows behind the middle are the ones before it, turned about f = 0 */
};

#endif
