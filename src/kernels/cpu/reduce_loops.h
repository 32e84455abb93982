/*
 * reduce_loops.h: the inner loops of the CPU's reductions as their driver (reduce_cpu.c) sees them;
 * compiled once for each instruction set, like the other loops of cpu_kernels.h.
 */
#ifndef GNDI_CPU_REDUCE_LOOPS_H
#define GNDI_CPU_REDUCE_LOOPS_H

#include <gnd/dtype.h>
#include <stddef.h>
#include <stdint.h>

/* Which loops: ANY, ALL and COUNT share one. */
enum {
    GNDI_CPU_SUM,
    GNDI_CPU_PRODUCT,
    GNDI_CPU_MINIMUM,
    GNDI_CPU_MAXIMUM,
    GNDI_CPU_COUNT,
    GNDI_CPU_REDUCTIONS
};

/* One reduction over elements of one dtype. Accumulators are arrays of `size` bytes each. */
typedef struct gndi_cpu_reduction {
    /* acc[i] joins the n contiguous elements at x + i * step, for i < count. */
    void (*runs)(const char *x, int64_t step, int64_t n, int64_t count, void *acc);
    /* acc[j] joins column j of `rows` rows of n contiguous elements, `step` bytes apart. */
    void (*rows)(const char *x, int64_t step, int64_t rows, int64_t n, void *acc);
    void (*clear)(void *acc, int64_t n);                  /* to the identity */
    void (*join)(void *acc, const void *with, int64_t n); /* acc[j] joins with[j] */
    int size;
    char neutral[16]; /* an element that changes nothing, for masks */
} gndi_cpu_reduction;

typedef gndi_cpu_reduction gndi_cpu_reductions[GNDI_CPU_REDUCTIONS][GND_DTYPE_COUNT];

#endif
