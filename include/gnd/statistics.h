/*
 * gnd/statistics.h: weighted averages, covariances and order statistics. Plain means, variances and extremes
 * are in gnd/reduce.h.
 *
 *     gnd_average(x, GND_AXES(0), weights)
 *     gnd_cov(x, GND_NONE, NULL)                                   the rows are variables
 *     gnd_corrcoef(x, y, &(gnd_cov_options){.columns = true})
 *     gnd_quantile(x, 0.9, GND_AXES(0), GND_QUANTILE_LINEAR)
 *
 * Functions do not wait for the device unless their comment says so.
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
GND_API gnd_status gnd_average_two(gnd_array **average, gnd_array **weight_sum, const gnd_array *x, gnd_axes axes,
                                   gnd_arg weights);

/* ---- Covariances ---------------------------------------------------------------------------- */

/** Options of gnd_cov(). Zero is always the default. */
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

/**
 * How a quantile that lies between two elements is chosen: NumPy's thirteen methods. The first nine
 * after `linear` in this list are described by Hyndman and Fan, "Sample Quantiles in Statistical
 * Packages" (1996), the others are NumPy's variations of `linear`. DISCRETE methods give one of the
 * elements, in x's dtype: inverted_cdf, closest_observation, lower, higher and nearest.
 */
typedef enum gnd_quantile_method {
    GND_QUANTILE_LINEAR = 0, /**< NumPy's default: at (n - 1) q, on the line between neighbours */
    GND_QUANTILE_INVERTED_CDF,
    GND_QUANTILE_AVERAGED_INVERTED_CDF,
    GND_QUANTILE_CLOSEST_OBSERVATION,
    GND_QUANTILE_INTERPOLATED_INVERTED_CDF,
    GND_QUANTILE_HAZEN,
    GND_QUANTILE_WEIBULL,
    GND_QUANTILE_MEDIAN_UNBIASED,
    GND_QUANTILE_NORMAL_UNBIASED,
    GND_QUANTILE_LOWER,
    GND_QUANTILE_HIGHER,
    GND_QUANTILE_MIDPOINT,
    GND_QUANTILE_NEAREST,
} gnd_quantile_method;

/*
 * These hold for all the order statistics:
 *
 * - They select instead of sorting. x is read in place, once or twice, if the reduced axes are dense in
 *   memory; otherwise it is copied first. (Complex x is copied and sorted.)
 * - Of gnd_axes they take the axes, `keepdims` and `out`. `dtype`, `where` and `initial` are refused: NumPy
 *   has none here either.
 * - A NaN among the elements makes the result NaN. The nan- functions ignore NaN, and give NaN only if
 *   nothing else is left.
 * - If both 0.0 and -0.0 are among the elements, it is unspecified which one is returned.
 * - They do not wait for the device.
 */

/**
 * The middle element, or the mean of the two middle ones, over any axes. Integers and bool give
 * float64, other dtypes keep theirs; float16 and bfloat16 are averaged in float32. Of nothing: NaN.
 * Complex numbers are ordered by their real, then their imaginary part; if there is a NaN, the last
 * one in the order of gnd_sort is the median. `out` may have any real dtype, of complex x a complex one
 * (GND_ERROR_DTYPE). Errors: bad axes, `out` of another shape.
 */
GND_API gnd_array *gnd_median(const gnd_array *x, gnd_axes axes);

/** The median of the elements that are not NaN; NaN where all are. Otherwise as gnd_median. */
GND_API gnd_array *gnd_nanmedian(const gnd_array *x, gnd_axes axes);

/**
 * The values below which the fractions `q` of the elements lie, over any axes. q is a number or an array of
 * any shape with values in [0, 1]; the result has q's shape followed by the kept axes.
 *
 * The result's dtype is NumPy 2's: x and q promoted together, a C number q being weak, so that float16,
 * float32 and bfloat16 stay what they are; integers with a number, or with q in float64, give float64.
 * Discrete methods, and `linear` with a whole number or integers for q, give x's own dtype. The position
 * between the elements is computed in q's dtype (float64 for numbers and integers), as in NumPy: with q in
 * float16 or float32 it is only as fine as that.
 *
 * Between neighbours a and b the value is a + (b - a) t, or b - (b - a) (1 - t) from t = 1/2 on, as in NumPy;
 * so an infinity among the two gives NaN or an infinity even where t is 0. Unlike NumPy's, the difference of
 * two integers never wraps around.
 *
 * Errors: q outside [0, 1] or NaN: GND_ERROR_VALUE, at once for a number, at the next wait for an array;
 * nothing to take a quantile of (GND_ERROR_VALUE); complex x or q, and bool x with a method that interpolates
 * (GND_ERROR_DTYPE); a dtype of `out` that the result cannot be cast to within its kind (GND_ERROR_DTYPE).
 */
GND_API gnd_array *gnd_quantile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method);

/**
 * gnd_quantile of the elements that are not NaN; NaN where all are, or where there are none (then
 * in float64 for integers and bool). `out` may have any real dtype.
 */
GND_API gnd_array *gnd_nanquantile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method);

/**
 * gnd_quantile with q in [0, 100]. q is divided by 100 in its floating dtype (float64 for numbers and
 * integers), so integers for q count as float64.
 */
GND_API gnd_array *gnd_percentile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method);

/** gnd_percentile of the elements that are not NaN, as gnd_nanquantile. */
GND_API gnd_array *gnd_nanpercentile(const gnd_array *x, gnd_arg q, gnd_axes axes, gnd_quantile_method method);

GND_END

/* ---- the macros: arrays and C numbers as arguments ------------------------------------------ */

#define gnd_average(x, axes, ...) (gnd_average)(x, axes, GND_ARG(__VA_ARGS__))
#define gnd_average_two(average, weight_sum, x, axes, ...)                                                             \
    (gnd_average_two)(average, weight_sum, x, axes, GND_ARG(__VA_ARGS__))
#define gnd_cov(m, y, ...) (gnd_cov)(m, GND_ARG(y), __VA_ARGS__)
#define gnd_corrcoef(x, y, ...) (gnd_corrcoef)(x, GND_ARG(y), __VA_ARGS__)
#define gnd_quantile(x, q, axes, ...) (gnd_quantile)(x, GND_ARG(q), axes, __VA_ARGS__)
#define gnd_nanquantile(x, q, axes, ...) (gnd_nanquantile)(x, GND_ARG(q), axes, __VA_ARGS__)
#define gnd_percentile(x, q, axes, ...) (gnd_percentile)(x, GND_ARG(q), axes, __VA_ARGS__)
#define gnd_nanpercentile(x, q, axes, ...) (gnd_nanpercentile)(x, GND_ARG(q), axes, __VA_ARGS__)

#endif
