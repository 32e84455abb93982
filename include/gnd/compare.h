/*
 * gnd/compare.h: whether whole arrays are equal, whether they share memory, and whether they are real.
 *
 * The first three return their answer to the host, so they wait for the device. To stay on the device, reduce
 * the elementwise comparison to a 0-d bool array, which does not wait:
 *
 *     gnd_all(gnd_equal(a, b), GND_ALL)                                as gnd_array_equiv
 *     gnd_all(gnd_isclose(a, b, 1e-5, 1e-8, false), GND_ALL)           as gnd_allclose
 *
 * Elements are compared in the dtype that both promote to, int64 with uint64 exactly; a C number is weak, as
 * everywhere in gnd. Arrays on different devices are an error, and so is a NULL: the answer is then false,
 * and gnd_error() says why.
 */
#ifndef GND_COMPARE_H
#define GND_COMPARE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * Whether a and b have the same shape and equal elements (numpy.array_equal). NaN equals NaN only if
 * `equal_nan`; complex numbers with a NaN in either part then equal each other. Different dtypes may be
 * equal. Waits, unless the shapes differ.
 */
GND_API bool gnd_array_equal(const gnd_array *a, const gnd_array *b, bool equal_nan);

/**
 * Whether a and b broadcast together and are then equal everywhere (numpy.array_equiv); arrays or numbers.
 * Shapes that do not broadcast are not an error: the answer is false, without waiting. Otherwise waits.
 */
GND_API bool gnd_array_equiv(gnd_arg a, gnd_arg b);

/**
 * Whether |a - b| <= atol + rtol |b| everywhere (numpy.allclose, whose defaults are rtol 1e-5 and atol 1e-8),
 * by gnd_isclose: equal infinities are close, NaNs are if `equal_nan`. a and b are arrays or numbers; they
 * must broadcast together. Waits.
 */
GND_API bool gnd_allclose(gnd_arg a, gnd_arg b, double rtol, double atol, bool equal_nan);

/**
 * Whether any byte belongs to an element of a and to an element of b (numpy.shares_memory). Views may
 * interleave without meeting: x[::2] and x[1::2] share nothing, though gnd_may_share_memory
 * (gnd/array.h), which compares address ranges only, says they may.
 *
 * The question is whether a linear equation has solutions within bounds. It is answered by a search
 * that is quick for arrays met in practice, but may take time exponential in the number of axes.
 * `max_work` bounds it: negative, until the answer is found (NumPy's default); 0, address ranges only;
 * else at most so many steps, and GND_ERROR_VALUE if they were not enough. Computed on the host from
 * shapes and strides: waits for nothing.
 */
GND_API bool gnd_shares_memory(const gnd_array *a, const gnd_array *b, int64_t max_work);

/* ---- real and complex ----------------------------------------------------------------------- */

/** Where x's imaginary part is not 0 (numpy.iscomplex). bool result; false for a real x. Does not wait. */
GND_API gnd_array *gnd_iscomplex(gnd_arg x);
/** Where x's imaginary part is 0 (numpy.isreal). bool result; true for a real x. Does not wait. */
GND_API gnd_array *gnd_isreal(gnd_arg x);
/**
 * The real parts, a view, if all imaginary parts are near 0, else x itself, a new reference to it
 * (numpy.real_if_close). Near is less than `tol` times the dtype's eps if tol is above 1 (NumPy's default is
 * 100), else less than tol. Waits, unless x is real.
 */
GND_API gnd_array *gnd_real_if_close(const gnd_array *x, double tol);

GND_END

#define gnd_iscomplex(...) (gnd_iscomplex)(GND_ARG(__VA_ARGS__))
#define gnd_isreal(...) (gnd_isreal)(GND_ARG(__VA_ARGS__))
#define gnd_array_equiv(a, b) (gnd_array_equiv)(GND_ARG(a), GND_ARG(b))
#define gnd_allclose(a, b, ...) (gnd_allclose)(GND_ARG(a), GND_ARG(b), __VA_ARGS__)

#endif
