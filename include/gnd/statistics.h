/*
 * gnd/statistics.h: weighted averages, covariances and order statistics. Plain means, variances and
 * extremes are in gnd/reduce.h.
 *
 *     gnd_average(x, GND_AXES(0), weights)
 *     gnd_cov(x, GND_NONE, NULL)                                   the rows are variables
 *     gnd_corrcoef(x, y, &(gnd_cov_options){.columns = true})
 *
 * None of the functions waits for the device, but where a comment says so.
 */
#ifndef GND_STATISTICS_H
#define GND_STATISTICS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- Averages ------------------------------------------------------------------------------- */

/**
 * The weighted average over any axes: the sum of x times weights over the sum of the weights. The
 * weights have x's shape, or, if axes are named, the sizes of those axes in the order in which they
 * are named (a 1-d array for one axis). GND_NONE: gnd_mean. The dtype is that of x and the weights
 * promoted together, and with float64 if x is of integers or bool.
 *
 * Weights that add up to zero are an error (GND_ERROR_VALUE) reported at the next wait. Takes
 * `keepdims` and `out`, no other option. Three launches.
 */
GND_API gnd_array *gnd_average(const gnd_array *x, gnd_axes axes, gnd_arg weights);

/** The same, and the sum of the weights for each average (without weights, the number of elements),
    of the same shape and dtype. Takes no `out`. */
GND_API gnd_status gnd_average_two(gnd_array **average, gnd_array **weight_sum, const gnd_array *x,
                                   gnd_axes axes, gnd_arg weights);

/* ---- Covariances ---------------------------------------------------------------------------- */

/** How gnd_cov() counts. Zero is always the default. */
typedef struct gnd_cov_options {
    bool columns;     /**< each column is a variable, each row an observation (rowvar=False) */
    bool bias;        /**< divide by the number of observations, not by that less 1 */
    gnd_arg ddof;     /**< a whole number: divide by the number of observations less this */
    gnd_arg fweights; /**< how often each observation occurs: a 1-d array of whole numbers */
    gnd_arg aweights; /**< how much each observation counts: a 1-d array */
    gnd_dtype dtype;  /**< compute in this dtype; 0: at least float64 */
    void *reserved[4];
} gnd_cov_options;

/**
 * The covariance matrix of the variables in m, a 1-d array (one variable) or a 2-d one (a variable a
 * row), and in y, if that is not GND_NONE, as further variables: the mean of (m[i] - mean(m[i]))
 * conj(m[j] - mean(m[j])). 0-d for one variable. The dtype is that of m, y and float64 promoted
 * together, or options->dtype, which must be floating-point or complex. `options` may be NULL.
 *
 * The divisor is the sum of the weights less ddof (numpy.cov has the formula with aweights); if it is
 * not positive the result is inf and NaN. Errors: more than two dimensions, numbers of observations
 * that differ, a ddof that is not whole; at the next wait: negative weights, frequencies that are
 * not whole, weights that add up to zero.
 */
GND_API gnd_array *gnd_cov(const gnd_array *m, gnd_arg y, const gnd_cov_options *options);

/**
 * Pearson's correlation coefficients of the variables of gnd_cov: the covariances over the square
 * roots of both variances, real and imaginary parts clipped to [-1, 1]. Of options, takes `columns`
 * and `dtype`; others are an error.
 */
GND_API gnd_array *gnd_corrcoef(const gnd_array *x, gnd_arg y, const gnd_cov_options *options);

/* ---- Order statistics ----------------------------------------------------------------------- */

GND_END

/* ---- the macros: arrays and C numbers as arguments ------------------------------------------ */

#define gnd_average(x, axes, ...) (gnd_average)(x, axes, GND_ARG(__VA_ARGS__))
#define gnd_average_two(average, weight_sum, x, axes, ...)                                         \
    (gnd_average_two)(average, weight_sum, x, axes, GND_ARG(__VA_ARGS__))
#define gnd_cov(m, y, ...) (gnd_cov)(m, GND_ARG(y), __VA_ARGS__)
#define gnd_corrcoef(x, y, ...) (gnd_corrcoef)(x, GND_ARG(y), __VA_ARGS__)

#endif
