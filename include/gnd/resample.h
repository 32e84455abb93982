/*
 * gnd/resample.h: changes of the sampling rate, channels, analytic signals, trends.
 *
 * All work along one axis, which may be any, and on any number of channels: the other axes. float32 and complex64
 * stay what they are; integers and bool become float64 where SciPy's do. A result whose axis is not the last has
 * that axis densest in memory.
 */
#ifndef GND_RESAMPLE_H
#define GND_RESAMPLE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/signal.h>

GND_BEGIN

/* ---- polyphase filters ---------------------------------------------------------------------- */

/** What a signal is taken to be beyond its ends, by the example of a b c d. */
typedef enum gnd_upfirdn_mode {
    GND_UPFIRDN_CONSTANT = 0,  /**< k k k | a b c d | k k k, the number `cval` */
    GND_UPFIRDN_WRAP,          /**< b c d | a b c d | a b c */
    GND_UPFIRDN_EDGE,          /**< a a a | a b c d | d d d */
    GND_UPFIRDN_SMOOTH,        /**< on by the difference of the last two elements */
    GND_UPFIRDN_SYMMETRIC,     /**< c b a | a b c d | d c b */
    GND_UPFIRDN_REFLECT,       /**< d c b | a b c d | c b a */
    GND_UPFIRDN_ANTISYMMETRIC, /**< -c -b -a | a b c d | -d -c -b */
    GND_UPFIRDN_ANTIREFLECT,   /**< 2a-c 2a-b | a b c d | 2d-c 2d-b */
    GND_UPFIRDN_LINE,          /**< on by the straight line through the first and the last element */
    GND_UPFIRDN_MEAN,          /**< gnd_resample_poly only: the mean of the line */
    GND_UPFIRDN_MEDIAN,        /**< the same with its median */
    GND_UPFIRDN_MINIMUM,       /**< the same with its smallest element */
    GND_UPFIRDN_MAXIMUM,       /**< the same with its largest element */
} gnd_upfirdn_mode;

/** Options of gnd_upfirdn; NULL or all zero: SciPy's defaults. */
typedef struct gnd_upfirdn_options {
    gnd_upfirdn_mode mode; /**< the signal beyond its ends */
    gnd_arg cval;          /**< the value of GND_UPFIRDN_CONSTANT, a number; GND_NONE: 0 */
} gnd_upfirdn_options;

/**
 * Upsampling by `up` (zeros between elements), the FIR filter h, and downsampling by `down`, along an axis
 * (scipy.signal.upfirdn): y[i] = sum over j of h[j] x[(i down - j) / up], where up divides. For n elements and m
 * taps there are ((n - 1) up + m - 1) / down + 1 results, rounded down. The dtype is that of h, x and float32
 * together; sums are added up in it. Only products with elements are computed, and nothing is padded in memory: an
 * axis that is not dense in memory is copied first.
 *
 * One element is continued as numpy.pad does, where SciPy fails. An axis without elements gives zeros for the
 * constant 0, and is GND_ERROR_VALUE otherwise. Further errors: h is not 1-d or empty (GND_ERROR_SHAPE), up or
 * down is not between 1 and 2^31 - 1 (GND_ERROR_VALUE), a complex cval of a real result (GND_ERROR_DTYPE). The
 * same bits on every run. Does not wait.
 */
GND_API gnd_array *gnd_upfirdn(const gnd_array *h, const gnd_array *x, int64_t up, int64_t down, int axis,
                               const gnd_upfirdn_options *options);

/** Options of gnd_resample_poly; NULL or all zero: SciPy's defaults. */
typedef struct gnd_resample_poly_options {
    const gnd_array *taps;    /**< the filter itself, 1-d, of an odd number of taps; NULL: it is designed */
    gnd_arg beta;             /**< of the Kaiser window of the design; GND_NONE: 5 */
    gnd_upfirdn_mode padtype; /**< the signal beyond its ends */
    gnd_arg cval;             /**< the value of GND_UPFIRDN_CONSTANT, a number; GND_NONE: 0 */
} gnd_resample_poly_options;

/**
 * x at a sampling rate of up / down times its own along an axis (scipy.signal.resample_poly, whose default axis is
 * 0): gnd_upfirdn with up and down divided by their greatest common divisor, with a low-pass filter times `up`, and
 * with the filter's delay taken off. Of n elements there are n up / down results, rounded up. The filter has
 * 20 max(up, down) + 1 taps: a sinc that is cut off at the lower of the two rates, under a Kaiser window. It is
 * designed by the host, in float64, and kept for later calls; it is rounded to x's precision.
 *
 * With GND_UPFIRDN_MEAN and the like that value of each line is subtracted before and added afterwards. The other
 * modes pad nothing in memory. The dtype is that of x and float32 together, float64 for integers and bool, and with
 * `taps` that of both; x itself is copied where up equals down. Errors are those of gnd_upfirdn, a cval beside
 * another mode than GND_UPFIRDN_CONSTANT (GND_ERROR_INVALID), and a beta below 0 or above 700 (GND_ERROR_VALUE). The
 * same bits on every run. Does not wait.
 */
GND_API gnd_array *gnd_resample_poly(const gnd_array *x, int64_t up, int64_t down, int axis,
                                     const gnd_resample_poly_options *options);

/* ---- trends --------------------------------------------------------------------------------- */

/** What gnd_detrend removes. */
typedef enum gnd_detrend_type {
    GND_DETREND_LINEAR = 0, /**< the straight line of least squares */
    GND_DETREND_CONSTANT,   /**< the mean */
} gnd_detrend_type;

/** Options of gnd_detrend; NULL or all zero: SciPy's defaults. */
typedef struct gnd_detrend_options {
    gnd_detrend_type type;
    const int64_t *breakpoints; /**< GND_DETREND_LINEAR: indices at which another line begins, in any order */
    int64_t count;              /**< how many there are */
} gnd_detrend_options;

/**
 * x without its trend along an axis (scipy.signal.detrend, whose default axis is -1). Sums are float64 in every
 * dtype. float32, float64, complex64 and complex128 stay; integers and bool become float64, and so do 16-bit
 * floating numbers without a straight line; without a mean they stay. Two passes over x, for each breakpoint anew.
 * Errors: a breakpoint below 0 or beyond the end (GND_ERROR_VALUE), an unknown type (GND_ERROR_INVALID). The same
 * bits on every run. Does not wait.
 */
GND_API gnd_array *gnd_detrend(const gnd_array *x, int axis, const gnd_detrend_options *options);

GND_END

#endif
