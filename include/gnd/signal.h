/*
 * gnd/signal.h: one-dimensional convolution, interpolation and phases.
 */
#ifndef GND_SIGNAL_H
#define GND_SIGNAL_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- sliding sums --------------------------------------------------------------------------- */

/** The part of the result for inputs of n and m elements. */
typedef enum gnd_correlate_mode {
    GND_FULL = 0, /**< every overlap: n + m - 1 */
    GND_SAME,     /**< the central part, as long as the longer input: max(n, m) */
    GND_VALID,    /**< complete overlaps only: max(n, m) - min(n, m) + 1 */
} gnd_correlate_mode;

/**
 * The convolution of two 1-d arrays, sum over j of a[i - j] v[j] (numpy.convolve, whose default mode is
 * GND_FULL). A 0-d array counts as one element; empty arrays are refused. The dtype is that of both promoted
 * together. Computed directly, n m products: integers wrap around and are exact, bool is an or of ands,
 * float16 and bfloat16 add up in float32. The same bits on every run. GND_ERROR_SHAPE for more dimensions,
 * GND_ERROR_VALUE for an empty array. Does not wait.
 */
GND_API gnd_array *gnd_convolve(const gnd_array *a, const gnd_array *v, gnd_correlate_mode mode);

/**
 * The cross-correlation of two 1-d arrays, sum over j of a[i + j] conj(v[j]) (numpy.correlate, whose default
 * mode is GND_VALID). 0-d arrays are GND_ERROR_SHAPE, as in NumPy. Otherwise as gnd_convolve.
 */
GND_API gnd_array *gnd_correlate(const gnd_array *a, const gnd_array *v, gnd_correlate_mode mode);

/* ---- phases --------------------------------------------------------------------------------- */

/**
 * Phases without jumps (numpy.unwrap): where neighbours along an axis differ by more than
 * `discontinuity` (GND_NONE, or less than half a period: half a period), whole periods are added so
 * that they differ by at most half of one. `period`: GND_NONE is 2 pi. With an integer period,
 * integers stay integers; else the dtype is p's with a real number's. Complex p is GND_ERROR_DTYPE, a
 * 0-d one GND_ERROR_INVALID. Does not wait.
 */
GND_API gnd_array *gnd_unwrap(const gnd_array *p, gnd_arg discontinuity, int axis, gnd_arg period);

/* ---- interpolation -------------------------------------------------------------------------- */

/** Options of gnd_interp; NULL or all zero: NumPy's defaults. */
typedef struct gnd_interp_options {
    gnd_arg left;  /**< the value left of the curve, a number; GND_NONE: that of its first point */
    gnd_arg right; /**< the value right of it; GND_NONE: that of its last point */
    double period; /**< the period of the curve; 0: not periodic */
} gnd_interp_options;

/**
 * Linear interpolation between the points (xp[k], fp[k]) at each x (numpy.interp): float64, or complex128 if
 * fp is complex, of x's shape and in C order. x is an array or a number; xp and fp are 1-d and of one length,
 * at least 1. xp must increase; this is not checked, and the result is meaningless otherwise. With a period,
 * xp need not increase: x and xp are taken modulo |period| and the points are sorted first (stably); `left`
 * and `right` are ignored.
 *
 * Between points it is NumPy's formula, to the bit: slope (x - xp[k]) + fp[k], or from the other end where
 * that is NaN. At a point it is fp[k] itself, even beside an infinity; at x = NaN it is NaN. Everything is
 * computed in float64: xp and fp of other dtypes are converted first, x as it is read.
 *
 * Errors: complex x or xp, a complex `left` or `right` of a real curve (GND_ERROR_DTYPE), no points, several
 * dimensions or different lengths (GND_ERROR_SHAPE), a period that is not finite (GND_ERROR_VALUE). Does not
 * wait.
 */
GND_API gnd_array *gnd_interp(gnd_arg x, const gnd_array *xp, const gnd_array *fp, const gnd_interp_options *options);

GND_END

#define gnd_unwrap(p, discontinuity, axis, period) (gnd_unwrap)(p, GND_ARG(discontinuity), axis, GND_ARG(period))
#define gnd_interp(x, xp, fp, ...) (gnd_interp)(GND_ARG(x), xp, fp, __VA_ARGS__)

#endif
