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

/** Which sums of two lines of n and m elements are wanted. */
typedef enum gnd_correlate_mode {
    GND_FULL = 0, /**< wherever they meet: n + m - 1 */
    GND_SAME,     /**< as many as the longer one has, about the middle: max(n, m) */
    GND_VALID,    /**< where the shorter one lies within the longer: max(n, m) - min(n, m) + 1 */
} gnd_correlate_mode;

/**
 * The convolution of two lines, sum over j of a[i - j] v[j] (numpy.convolve, whose default mode is
 * GND_FULL). Lines are 1-dimensional (or 0-d, of one element) and not empty; the dtype is that of
 * both promoted together. Computed directly, n m products: integers wrap around and are exact, bool
 * is an or of ands, float16 and bfloat16 add up in float32. The same bits on every run.
 * GND_ERROR_SHAPE for more dimensions, GND_ERROR_VALUE for an empty line. Does not wait.
 */
GND_API gnd_array *gnd_convolve(const gnd_array *a, const gnd_array *v, gnd_correlate_mode mode);

/**
 * The cross-correlation of two lines, sum over j of a[i + j] conj(v[j]) (numpy.correlate, whose
 * default mode is GND_VALID). 0-d arrays are GND_ERROR_SHAPE, as in NumPy. Otherwise as gnd_convolve.
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

/* ---- curves --------------------------------------------------------------------------------- */

/** Options of gnd_interp; NULL or all zero: NumPy's defaults. */
typedef struct gnd_interp_options {
    gnd_arg left;  /**< the value left of the curve, a number; GND_NONE: that of its first point */
    gnd_arg right; /**< the value right of it; GND_NONE: that of its last point */
    double period; /**< the curve repeats itself after so much; 0: it does not */
} gnd_interp_options;

/**
 * The value at each x of the curve that goes straight from point (xp[k], fp[k]) to the next
 * (numpy.interp): float64, or complex128 if fp is complex, of x's shape and in C order. x is an array or
 * a number; xp and fp have one dimension and one length, at least 1. xp must increase, which is not
 * looked at (the result means nothing then), but not with a period: there x and xp are taken modulo
 * |period|, and the points are sorted first; equal xp stay in their order. `left` and `right` then have
 * no meaning.
 *
 * Between points it is NumPy's formula, to the bit: slope (x - xp[k]) + fp[k], or from the other end
 * where that is NaN. At a point it is fp[k] itself, even beside an infinity; at x = NaN it is NaN. All
 * is computed in float64, whatever the dtypes are; xp and fp of other ones are converted first, x as it
 * is read.
 *
 * Errors: complex x or xp, a complex `left` or `right` of a real curve (GND_ERROR_DTYPE), no points,
 * several dimensions or different lengths (GND_ERROR_SHAPE), a period that is not finite
 * (GND_ERROR_VALUE). Does not wait.
 */
GND_API gnd_array *gnd_interp(gnd_arg x, const gnd_array *xp, const gnd_array *fp, const gnd_interp_options *options);

GND_END

#define gnd_unwrap(p, discontinuity, axis, period) (gnd_unwrap)(p, GND_ARG(discontinuity), axis, GND_ARG(period))
#define gnd_interp(x, xp, fp, ...) (gnd_interp)(GND_ARG(x), xp, fp, __VA_ARGS__)

#endif
