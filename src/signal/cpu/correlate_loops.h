/*
 * correlate_loops.h: the inner loops of sliding sums of products as the driver (correlate_cpu.c) sees
 * them, for 32-bit and 64-bit integers and floating numbers.
 */
#ifndef GNDI_CPU_CORRELATE_LOOPS_H
#define GNDI_CPU_CORRELATE_LOOPS_H

#include <stdint.h>

enum { GNDI_CORRELATE_BYTES = 256 }; /* of outputs that one strip computes */
enum { GNDI_WORK_INT32, GNDI_WORK_INT64, GNDI_WORK_FLOAT, GNDI_WORK_DOUBLE, GNDI_WORK_TYPES };

typedef struct gndi_cpu_correlation {
    /* sums[i] += sum over j < taps of x[i + j] * k[j], for GNDI_CORRELATE_BYTES of sums. */
    void (*strip)(const void *x, const void *k, int64_t taps, void *sums);
    /* The same for one sum. */
    void (*dot)(const void *x, const void *k, int64_t taps, void *sum);
} gndi_cpu_correlation;

typedef struct gndi_cpu_correlations {
    gndi_cpu_correlation of_work[GNDI_WORK_TYPES];
} gndi_cpu_correlations;

#endif
