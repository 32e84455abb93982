/*
 * select_loops.h: the order statistics' loops as their driver (select_cpu.c) sees them; compiled
 * once for each instruction set, like the other loops of cpu_kernels.h.
 */
#ifndef GNDI_CPU_SELECT_LOOPS_H
#define GNDI_CPU_SELECT_LOOPS_H

#include "quantile/select_plan.h"

/* A plan that is being carried out. */
typedef struct gndi_cpu_select_job {
    const gndi_select_plan *plan;
    void (*parallel_for)(int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context);
    int fault;     /* a quantile was outside [0, 1]; set atomically, as the next */
    int no_memory; /* some rows were left out */
} gndi_cpu_select_job;

/* All quantiles of rows begin .. end - 1. Within a long row, the elements are shared out. */
typedef void (*gndi_cpu_selection)(gndi_cpu_select_job *job, int64_t begin, int64_t end);

/* By the logarithm of the element's bytes. */
typedef struct gndi_cpu_selections {
    gndi_cpu_selection of_size[4];
} gndi_cpu_selections;

#endif
