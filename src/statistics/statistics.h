/*
 * statistics.h: what the statistics share.
 *
 *     statistics.c       weighted averages
 *     statistics_cov.c   covariances and correlations
 *     quantile*.c        order statistics, on their own
 */
#ifndef GNDI_STATISTICS_H
#define GNDI_STATISTICS_H

#include "elementwise/elementwise.h"
#include "reduce/reduce.h"

/* The sum of a (times b, conjugated first if `conjugate`; b may be NULL) over axes, in `dtype`. b has
   a's shape. */
gnd_array *gndi_sum_of(const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate, const gnd_axes *axes,
                       gnd_dtype dtype);
/* op(a, b) in a new array, or in *out if that is not NULL; false and an error on failure. */
bool gndi_apply(const char *fn, gndi_op op, gnd_arg a, gnd_arg b, gnd_array **out);
/* An argument that must be an array: itself, a new reference, or a number as a 0-d array on the
   device of `like`. */
gnd_array *gndi_array_of(const char *fn, const char *name, gnd_arg arg, const gnd_array *like);

#endif
