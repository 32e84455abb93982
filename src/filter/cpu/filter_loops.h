/*
 * filter_loops.h: the inner loops of recursive filters as the driver (filter_cpu.c) sees them.
 */
#ifndef GNDI_CPU_FILTER_LOOPS_H
#define GNDI_CPU_FILTER_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

enum { GNDI_FILTER_LANES = 8 }; /* lines that are filtered side by side */

/* Lines of real samples, and the filter; see gndi_filter_system. */
typedef struct gndi_cpu_filter_job {
    int sections, order;
    const double *b, *a;
    int64_t length, x_step, y_step; /* samples; bytes */
} gndi_cpu_filter_job;

typedef struct gndi_cpu_filter_loops {
    /* A line; `state`: order of them, before and after. */
    void (*one)(const gndi_cpu_filter_job *job, const char *x, char *y, double *state);
    /* GNDI_FILTER_LANES lines; `state`: that many for each state. */
    void (*many)(const gndi_cpu_filter_job *job, const char *const *x, char *const *y, double *state);
    /* A line of complex samples, filtered by b / a whose coefficients are pairs, as is the state. */
    void (*pairs)(const gndi_cpu_filter_job *job, const char *x, char *y, double *state);
} gndi_cpu_filter_loops;

typedef struct gndi_cpu_filters {
    gndi_cpu_filter_loops of[2]; /* float, double */
} gndi_cpu_filters;

#endif
