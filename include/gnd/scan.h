/*
 * gnd/scan.h: cumulative sums and other scans along an axis.
 *
 *     gnd_cumsum(x, GND_ALL)          of all elements in C order, to one dimension
 *     gnd_cumsum(x, GND_AXES(1))      along axis 1; the result has x's shape
 *     gnd_axes axes = GND_AXES(-1);   with options
 *     axes.dtype = GND_FLOAT64;
 *     gnd_cumsum(x, axes)
 *
 * gnd_accumulate (gnd/ufunc.h) does the same with any binary operator. Rules for all of them:
 *
 * - One axis, or GND_ALL for the elements of x in C order, whatever its shape (NumPy's axis=None). A 0-d
 *   array counts as one element in one dimension.
 * - `dtype`: elements are cast to it, and the result has it. Without it, `out`'s dtype and x's are promoted
 *   together; without `out` either, each function's comment gives the default. As in NumPy, these casts may
 *   lose anything.
 * - `out`: receives the result and is returned (a new reference). It must have the result's shape; its dtype
 *   may be any, and it may overlap x, as if x had been copied.
 * - `initial`: an array from which the running results start: out[0] = initial + x[0] (or the operator in place of +).
 *   It has x's shape with one element along the axis, or broadcasts to that (a 0-d array: the same start for all); for
 *   GND_ALL it has one element. It is cast as x is, and takes no place in the result. gnd_cumulative_sum,
 *   gnd_cumulative_prod and operators that are not associative take none. Results are gone over again for it where they
 *   are products of complex numbers, and on a GPU where there are several lines that do not lie side by side; else it
 *   costs nothing.
 * - `keepdims` and `where` have no meaning here and are refused.
 * - A new result lies in memory as x does (NumPy's K order).
 *
 * None of them waits for the device. The order in which elements are combined depends on shape and strides
 * alone, so the same input gives the same bits each time. Long runs are combined in blocks: sums and products
 * of floats may differ from one-by-one ones in the last bits, to the better. float16 and bfloat16 carry
 * float32 from element to element.
 *
 * Errors: an axis out of range or more than one, an `out` of another shape or read-only, an `initial` that does not
 * broadcast (GND_ERROR_SHAPE) or is not taken (GND_ERROR_INVALID), arrays on different devices, a dtype that is none or
 * that the operator does not compute in.
 */
#ifndef GND_SCAN_H
#define GND_SCAN_H

#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * The running sum: out[i] = x[0] + ... + x[i] (numpy.cumsum). bool and integers add up in int64,
 * unsigned ones in uint64 (both wrap around); other dtypes keep theirs.
 */
GND_API gnd_array *gnd_cumsum(const gnd_array *x, gnd_axes axes);

/**
 * The running product (numpy.cumprod), in the dtypes of gnd_cumsum. Complex products that are not finite have
 * infinite and NaN parts where NumPy's have them: each is multiplied by the next element.
 */
GND_API gnd_array *gnd_cumprod(const gnd_array *x, gnd_axes axes);

/** gnd_cumsum with NaN taken as 0 (numpy.nancumsum). A complex number is NaN if a part of it is. */
GND_API gnd_array *gnd_nancumsum(const gnd_array *x, gnd_axes axes);

/** gnd_cumprod with NaN taken as 1 (numpy.nancumprod). */
GND_API gnd_array *gnd_nancumprod(const gnd_array *x, gnd_axes axes);

/**
 * The largest element so far (numpy.maximum.accumulate); x's dtype. From the first NaN on it is
 * NaN. Complex numbers are ordered by their real, then their imaginary part.
 */
GND_API gnd_array *gnd_cummax(const gnd_array *x, gnd_axes axes);

/** The smallest element so far (numpy.minimum.accumulate), as gnd_cummax. */
GND_API gnd_array *gnd_cummin(const gnd_array *x, gnd_axes axes);

/**
 * gnd_cumsum along one axis, which must be named if x has more than one (GND_ALL is refused then,
 * as in numpy.cumulative_sum). With `include_initial` the result begins with a 0 and is one longer
 * along the axis.
 */
GND_API gnd_array *gnd_cumulative_sum(const gnd_array *x, gnd_axes axes, bool include_initial);

/** gnd_cumprod in the same way (numpy.cumulative_prod); the initial value is 1. */
GND_API gnd_array *gnd_cumulative_prod(const gnd_array *x, gnd_axes axes, bool include_initial);

GND_END

#endif
