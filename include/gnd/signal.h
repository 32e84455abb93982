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
 * default mode is GND_VALID). Otherwise as gnd_convolve.
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

GND_END

#define gnd_unwrap(p, discontinuity, axis, period)                                                 \
    (gnd_unwrap)(p, GND_ARG(discontinuity), axis, GND_ARG(period))

#endif
