/*
 * gnd/splines.h: B-splines: their values, coefficients, and smoothing (scipy.signal, cuSignal).
 *
 *     gnd_array *c = gnd_cspline1d(x, 0);
 *     gnd_array *y = gnd_cspline1d_eval(c, gnd_linspace(0, 99, 1000, true, GND_FLOAT64), 1, 0);
 *
 * Results are new arrays in C order on the device of their input. Coefficients of a signal are what a filter gives that
 * runs forward and backward over it, mirrored at its ends (gnd_symiirorder1, gnd_symiirorder2): one launch for each
 * axis, which reads and writes every sample once, unless the smoothing is so strong that a sample reaches further than
 * 512 others. On a GPU an infinity or a NaN reaches only the samples around it, where SciPy's reaches all. Nothing here
 * waits.
 */
#ifndef GND_SPLINES_H
#define GND_SPLINES_H

#include <gnd/base.h>
#include <gnd/dtype.h>

GND_BEGIN

/* ---- values --------------------------------------------------------------------------------- */

/** The Gaussian that approximates the B-spline of order n >= 0: that of variance (n + 1) / 12
    (scipy.signal.gauss_spline). Any shape, real dtypes: float32 for float32 and 16-bit, else float64. One launch,
    computed in double. */
GND_API gnd_array *gnd_gauss_spline(const gnd_array *x, int n);
/** The cubic B-spline about 0, which is 0 from 2 on (cusignal.cubic). As gnd_gauss_spline. */
GND_API gnd_array *gnd_cubic(const gnd_array *x);
/** The quadratic B-spline about 0, which is 0 from 1.5 on (cusignal.quadratic). As gnd_gauss_spline. */
GND_API gnd_array *gnd_quadratic(const gnd_array *x);

/* ---- coefficients --------------------------------------------------------------------------- */

/**
 * The coefficients of the cubic spline through a signal (scipy.signal.cspline1d), mirrored at its ends: the sums of
 * three neighbours times 1/6, 4/6, 1/6 are the signal again. With `lamb` of more than 1/24 those of a smoothing spline
 * (lamb = 0: none); for 1/144 to 1/24 SciPy's filter is not stable, and for less there is none: GND_ERROR_VALUE. 1-d,
 * not empty (3 samples for smoothing), any dtype: float64, or complex128.
 */
GND_API gnd_array *gnd_cspline1d(const gnd_array *signal, double lamb);
/** The coefficients of the quadratic spline, whose sums times 1/8, 6/8, 1/8 are the signal (scipy.signal.qspline1d).
    There is none that smooths: GND_ERROR_VALUE unless `lamb` is 0. */
GND_API gnd_array *gnd_qspline1d(const gnd_array *signal, double lamb);
/**
 * Those of an image, along both axes (scipy.signal.cspline2d). A `lamb` of up to 1/144 does not smooth. `precision`:
 * how small the terms of the sums at the ends become, as in gnd_symiirorder1; below 0 or from 1 on: 1e-3 for float32,
 * else 1e-6. 2-d; float32 and 16-bit give float32, complex dtypes are kept (not with smoothing), others give float64.
 * GND_ERROR_VALUE if such a sum needs more samples than there are.
 */
GND_API gnd_array *gnd_cspline2d(const gnd_array *signal, double lamb, double precision);
/** The same with quadratic splines; `lamb` must not be above 0 (scipy.signal.qspline2d). */
GND_API gnd_array *gnd_qspline2d(const gnd_array *signal, double lamb, double precision);

/**
 * An image smoothed by a cubic spline (scipy.signal.spline_filter, where lmbda is 5): gnd_cspline2d, then gnd_sepfir2d
 * with taps of 1/6, 4/6, 1/6 in float32, as in SciPy. float32, float64, and with an `lmbda` of up to 1/144 complex ones
 * too, which are computed in complex64. GND_ERROR_DTYPE for others.
 */
GND_API gnd_array *gnd_spline_filter(const gnd_array *image, double lmbda);

/**
 * A signal smoothed after Whittaker and Henderson (scipy.signal.whittaker_henderson, new in SciPy 1.18): the x for
 * which sum(w (signal - x)^2) + lamb * sum((difference of x of the order)^2) is least. With order 2 it is the filter
 * of Hodrick and Prescott. `lamb` is 0 or above; NAN: the one of the greatest restricted likelihood (SciPy's "reml").
 * `order`: 1 to 25, in SciPy 2 unless given. `weights`: 0 fills a sample in from its neighbours, in the middle as in
 * an end, and the sample there may be NaN; of the signal's shape, or 1-d, for each line; NULL: all are 1. `used`:
 * where the lamb of each line goes, a new array of the signal's shape without its last axis; NULL: it is not wanted.
 *
 * The signal is real, of one dimension as in SciPy or of more: lines along the last axis, each of which gets its own
 * lamb. They are independent of each other, and within one all is sequential; a GPU has a thread a line, so it needs
 * many of them. Computed in float64, which the result is; with a lamb of 0 it keeps the
 * signal's dtype. A lamb that is too large to be solved for in float64 gives the polynomial of degree order - 1 of
 * least squares that is the limit; SciPy warns. A line with a number that is not finite, but for signals of weight 0,
 * is NaN; SciPy raises. Errors: GND_ERROR_VALUE for another lamb or order; GND_ERROR_SHAPE for lines of fewer than
 * order + 1 samples, for 0-d signals and for weights that do not fit; GND_ERROR_DTYPE for complex numbers.
 */
GND_API gnd_array *gnd_whittaker_henderson(const gnd_array *signal, double lamb, int order, const gnd_array *weights,
                                           gnd_array **used);

/* ---- splines at points ---------------------------------------------------------------------- */

/**
 * The cubic spline of coefficients `cj`, whose knots are x0, x0 + dx, ..., at the points `newx`, of any shape
 * (scipy.signal.cspline1d_eval, where dx is 1 and x0 is 0). Beyond the ends the spline is mirrored. cj is 1-d, not
 * empty, of a floating or complex dtype, which is the result's. NaN for points that are not finite. One launch.
 */
GND_API gnd_array *gnd_cspline1d_eval(const gnd_array *cj, const gnd_array *newx, double dx, double x0);
/** The quadratic one (scipy.signal.qspline1d_eval). cj is real; the result has the dtype of newx, or float64 if that is
    no floating one. */
GND_API gnd_array *gnd_qspline1d_eval(const gnd_array *cj, const gnd_array *newx, double dx, double x0);

GND_END

#endif
