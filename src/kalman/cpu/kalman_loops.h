/*
 * kalman_loops.h: Kalman filters of some tracks, as the driver (kalman_cpu.c) sees them.
 */
#ifndef GNDI_CPU_KALMAN_LOOPS_H
#define GNDI_CPU_KALMAN_LOOPS_H

#include "kalman/kalman_plan.h"

enum { GNDI_KALMAN_VECTOR = 64 /* bytes: the numbers of several tracks */ };

/* Vectors that the loops need for themselves. */
static inline int64_t gndi_kalman_vectors(const struct gndi_kalman_plan *p) {
    const int64_t x = p->nx, z = p->nz, u = p->nu;
    return x * (5 * x + 3 * z + u + 2) + 2 * z * z + 3 * z + u;
}

/* All steps of groups begin .. end - 1 of as many tracks as a vector has. `memory`: as many vectors, aligned. */
typedef void (*gndi_cpu_kalman_loop)(const struct gndi_kalman_plan *p, int64_t begin, int64_t end, void *memory);

typedef struct gndi_cpu_kalman_loops {
    gndi_cpu_kalman_loop run[2]; /* float32, float64 */
} gndi_cpu_kalman_loops;

#endif
