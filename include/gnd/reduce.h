/*
 * gnd/reduce.h: sums and other values over any axes of an array.
 *
 *     gnd_sum(x, GND_ALL)             everything, to a 0-d array
 *     gnd_mean(x, GND_AXES(0, -1))    over the first and the last axis
 *     gnd_max(x, GND_AXES_KEEP(1))    the reduced axis stays, with size 1
 *     gnd_axes axes = GND_AXES(0);    with options
 *     axes.where = valid, axes.dtype = GND_FLOAT64;
 *     gnd_sum(x, axes)
 *
 * All take the axes and options of gnd_axes (gnd/shape.h). They hold for every function here:
 *
 * - `dtype`: elements are cast to it, and the result has it. Without it, `out`'s dtype is taken,
 *   else the default that each function's comment gives. As in NumPy, this cast may lose anything.
 * - `keepdims`: reduced axes stay with size 1.
 * - `where`: a bool array that broadcasts to x; only elements where it is true take part.
 * - `initial`: a 0-d array, cast to the result's dtype; the reduction starts from it.
 * - `out`: receives the result and is returned (a new reference). It must have the result's shape;
 *   it may overlap x, as if x had been copied.
 *
 * None of them waits for the device: the result is an array on x's device, 0-d if every axis is
 * reduced (gnd_item reads it, and waits). A full reduction is one launch. The order of the
 * additions depends on shape and strides alone, so the same input gives the same bits each time;
 * float32 sums are as accurate as NumPy's pairwise ones, and float16 and bfloat16 accumulate in
 * float32.
 *
 * Errors, in NumPy's terms: an axis out of range or named twice, a `where` that is not bool or does
 * not broadcast to x, an `out` of another shape or read-only, an `initial` that is not 0-d, arrays
 * on different devices, a dtype that is none.
 */
#ifndef GND_REDUCE_H
#define GND_REDUCE_H

#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * The sum of the elements. Integers and bool add up in int64, unsigned ones in uint64 (both wrap
 * around); float16 and bfloat16 in float32, rounded back at the end. Of nothing: 0. With dtype
 * bool: whether any element is true.
 */
GND_API gnd_array *gnd_sum(const gnd_array *x, gnd_axes axes);

/** The product of the elements, in the dtypes of gnd_sum. Of nothing: 1. */
GND_API gnd_array *gnd_prod(const gnd_array *x, gnd_axes axes);

/**
 * The smallest element; x's dtype. NaN if there is one. Complex numbers are ordered by their real,
 * then their imaginary part. Of nothing, or with `where`: an error, unless `initial` is given.
 */
GND_API gnd_array *gnd_min(const gnd_array *x, gnd_axes axes);

/** The largest element, as gnd_min. */
GND_API gnd_array *gnd_max(const gnd_array *x, gnd_axes axes);

/** NumPy's other name of gnd_min. */
GND_API gnd_array *gnd_amin(const gnd_array *x, gnd_axes axes);

/** NumPy's other name of gnd_max. */
GND_API gnd_array *gnd_amax(const gnd_array *x, gnd_axes axes);

/**
 * The arithmetic mean: the sum divided by the number of elements. Integers and bool give float64
 * (those of up to 32 bits are added up exactly first), other dtypes keep theirs. Of nothing: NaN.
 * With `where`, the number is counted for each output, in two more launches. Takes no `initial`;
 * `out` has no influence on the dtype that the mean is computed in.
 */
GND_API gnd_array *gnd_mean(const gnd_array *x, gnd_axes axes);

/**
 * Whether any element is true, that is not zero (NaN is true); bool. Of nothing: false. `dtype` may
 * only be bool.
 */
GND_API gnd_array *gnd_any(const gnd_array *x, gnd_axes axes);

/** Whether all elements are true, as gnd_any. Of nothing: true. */
GND_API gnd_array *gnd_all(const gnd_array *x, gnd_axes axes);

/** How many elements are not zero; int64. `dtype` may only be int64; takes no `initial`. */
GND_API gnd_array *gnd_count_nonzero(const gnd_array *x, gnd_axes axes);

/**
 * The reduction with a binary operator by its name (NumPy's ufunc.reduce, but for the default
 * axis): "add" is gnd_sum, "multiply" gnd_prod, "minimum" gnd_min, "maximum" gnd_max, "logical_or"
 * gnd_any, "logical_and" gnd_all. An error for another name.
 */
GND_API gnd_array *gnd_reduce(const char *name, const gnd_array *x, gnd_axes axes);

GND_END

#endif
