/*
 * quantile.h: the order statistics' own parts.
 *
 *     quantile.c        the public functions: which dtypes, and what is refused
 *     quantile_run.c    brings x into rows, allocates the result, submits
 *     quantile_complex.c    medians of complex numbers
 */
#ifndef GNDI_QUANTILE_H
#define GNDI_QUANTILE_H

#include "quantile/select_plan.h"
#include "runtime/runtime.h"

/* An order statistic that was checked, with its dtypes. */
typedef struct gndi_quantile_request {
    const char *fn;
    const gnd_array *x;
    const gnd_array *q; /* NULL: one number */
    double number;
    const gnd_axes *axes;
    uint64_t reduced; /* which axes of x, a bit each */
    uint8_t method;   /* gnd_quantile_method, or GNDI_SELECT_MEDIAN */
    bool skip_nan, percent, weak;
    uint8_t index_dtype, step_dtype; /* see select_plan.h */
    gnd_dtype natural;               /* the result's */
    int q_ndim, ndim;                /* of the result: q's axes, all */
    int64_t shape[GND_MAX_DIMS];
    int64_t length, outputs; /* elements a row, elements of the result */
} gndi_quantile_request;

/* Computes it, to a new array or to axes->out (a new reference to it). */
gnd_array *gndi_quantile_run(const gndi_quantile_request *r);
gnd_array *gndi_median_complex(const gndi_quantile_request *r);

#endif
