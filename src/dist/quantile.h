/*
 * quantile.h: one order statistic of a split array, between quantile.c and quantile_select.c.
 */
#ifndef GNDI_DIST_QUANTILE_H
#define GNDI_DIST_QUANTILE_H

#include "dist/align.h"

typedef struct gndi_order_statistic {
    const char *fn, *name;
    const gnd_dist *x;
    gnd_arg q;
    gnd_axes axes;
    gnd_quantile_method method;
    bool median, skip_nan, percent;
    gnd_dtype dtype; /* of the result */
} gndi_order_statistic;

/* gnd's function of that name. */
gnd_array *gndi_order_statistic_of(const gndi_order_statistic *s, const gnd_array *x, gnd_arg q, gnd_axes axes,
                                   gnd_quantile_method method);

/* That of all elements of x, real and at least one, as an array of q's shape (a median: 0-d). NULL on an error of this
   rank, or of all of them, which are agreed then. Collective; waits. */
gnd_array *gndi_select_of_all(const gndi_order_statistic *s);

#endif
