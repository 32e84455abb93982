/*
 * hilbert_plan.h: analytic signals of long dense lines of 2^bits float32, on GPUs.
 */
#ifndef GNDI_HILBERT_PLAN_H
#define GNDI_HILBERT_PLAN_H

#include <stdint.h>

/* Of fewer elements the steps' own transforms are as fast; of more there are no kernels. */
enum { GNDI_HILBERT_LEAST_BITS = 21, GNDI_HILBERT_MOST_BITS = 25 };

struct gndi_hilbert_plan {
    const char *x; /* at a multiple of 8 bytes */
    char *out;     /* complex64, dense */
    int64_t lines;
    int bits;
};

#endif
