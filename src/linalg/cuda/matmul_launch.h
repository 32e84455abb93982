/*
 * matmul_launch.h: what the launchers of products share: matmul_cuda.c chooses, and launches gnd's own
 * kernels; matmul_blas_cuda.c calls cuBLAS.
 */
#ifndef GNDI_MATMUL_LAUNCH_H
#define GNDI_MATMUL_LAUNCH_H

#include "linalg/matmul_plan.h"

/* Floating-point and complex matrices; none is empty, k is not 0. */
gnd_status gndi_cuda_matmul_blas(gnd_stream *s, const gndi_matmul_plan *plan, const char *fn);

/* Fills three consecutive tables in device memory: the addresses of each matrix of the batch of a, of b and of c. */
gnd_status gndi_cuda_matmul_pointers(gnd_stream *s, const gndi_matmul_plan *plan, void **tables, const char *fn);

static inline int64_t gndi_matmul_batch(const gndi_matmul_plan *plan) {
    int64_t count = 1;
    for (int axis = 0; axis < plan->ndim; axis++) count *= plan->shape[axis];
    return count;
}

#endif
