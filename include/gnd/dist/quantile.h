/*
 * gnd/dist/quantile.h: medians, quantiles and percentiles of split arrays.
 *
 *     gnd_dist_median(x, GND_ALL, GND_COPIES)
 *     gnd_dist_quantile(x, 0.9, GND_AXES(0), GND_QUANTILE_LINEAR, GND_SPLIT(0))
 */
#ifndef GND_DIST_QUANTILE_H
#define GND_DIST_QUANTILE_H

#include <gnd/arg.h>
#include <gnd/dist/array.h>
#include <gnd/statistics.h>

GND_BEGIN

/**
 * An order statistic by name: quantile percentile nanquantile nanpercentile median nanmedian, as gnd's function of that
 * name with the same axes, q and method (medians: GND_NONE and 0), and the same result for any number of ranks. q is a
 * number or an array that is the same on all ranks. Takes the axes and keepdims. The result has the given layout.
 *
 * If no reduced axis is split, only the result moves. If one is, and axes remain, x is redistributed along the longest
 * of these. If none remains and x has more than 65536 elements, each rank sorts its block; samples of the blocks and
 * counts are gathered, and for each q the few thousandths of the elements that lie between two samples; this waits, and
 * positions for q in float16 are computed in float32. Complex arrays and smaller ones are gathered as a whole.
 * Collective, except where nothing moves. GND_ERROR_INVALID for an unknown name and for `out`; else gnd's errors.
 */
GND_API gnd_dist *gnd_dist_order_statistic(const char *name, const gnd_dist *x, gnd_arg q, gnd_axes axes,
                                           gnd_quantile_method method, gnd_layout result);

GND_END

#define gnd_dist_quantile(x, q, axes, method, result)                                                                  \
    gnd_dist_order_statistic("quantile", x, GND_ARG(q), axes, method, result)
#define gnd_dist_percentile(x, q, axes, method, result)                                                                \
    gnd_dist_order_statistic("percentile", x, GND_ARG(q), axes, method, result)
#define gnd_dist_nanquantile(x, q, axes, method, result)                                                               \
    gnd_dist_order_statistic("nanquantile", x, GND_ARG(q), axes, method, result)
#define gnd_dist_nanpercentile(x, q, axes, method, result)                                                             \
    gnd_dist_order_statistic("nanpercentile", x, GND_ARG(q), axes, method, result)
#define gnd_dist_median(x, axes, result)                                                                               \
    gnd_dist_order_statistic("median", x, gnd_arg_none(), axes, GND_QUANTILE_LINEAR, result)
#define gnd_dist_nanmedian(x, axes, result)                                                                            \
    gnd_dist_order_statistic("nanmedian", x, gnd_arg_none(), axes, GND_QUANTILE_LINEAR, result)

#endif
