/*
 * kalman_params.h: the parameter block of the kernels of Kalman filters (kalman_kernels.cu).
 */
#ifndef GNDI_KALMAN_PARAMS_H
#define GNDI_KALMAN_PARAMS_H

#include "kalman/kalman_plan.h"

enum { GNDI_KALMAN_THREADS = 128 };

typedef struct gndi_kalman_params {
    struct gndi_kalman_plan plan;
    void *work; /* of sizes that no shared memory holds: that of the blocks; else NULL */
} gndi_kalman_params;

/* Numbers that a block needs for the filter of any size of one track. */
static inline int64_t gndi_kalman_numbers(const struct gndi_kalman_plan *p) {
    const int64_t x = p->nx, z = p->nz;
    return x * (3 * x + 3 * z + 2) + z * z + 2 * z;
}

#endif
