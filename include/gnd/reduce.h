/*
 * gnd/reduce.h: sums and other reductions over any axes of an array.
 *
 *     gnd_sum(x, GND_ALL)             everything, to a 0-d array
 *     gnd_mean(x, GND_AXES(0, -1))    over the first and the last axis
 *     gnd_max(x, GND_AXES_KEEP(1))    the reduced axis stays, with size 1
 *     gnd_axes axes = GND_AXES(0);    with options
 *     axes.where = valid, axes.dtype = GND_FLOAT64;
 *     gnd_sum(x, axes)
 *
 * All take the axes and options of gnd_axes (gnd/shape.h). Unless a function's comment says otherwise:
 *
 * - `dtype`: elements are cast to it, and the result has it. As in NumPy, this cast may lose anything.
 *   Without it, each function's comment gives the dtype; if `out` is given, that of x and that of `out`
 *   promoted together is computed in.
 * - `keepdims`: reduced axes stay with size 1.
 * - `where`: a bool array that broadcasts to x; only elements where it is true take part.
 * - `initial`: a 0-d array, cast to the dtype; the reduction starts from it.
 * - `out`: receives the result, cast as C does, and is returned (a new reference). It must have the result's
 *   shape; it may overlap x, as if x had been copied.
 *
 * None of them waits for the device: the result is an array on x's device, 0-d if every axis is reduced
 * (gnd_item reads it, and waits). Each is one launch, if `out` has the result's dtype. The order of the
 * additions depends only on shape and strides, so the same input gives the same bits each time; float32 sums
 * are as accurate as NumPy's pairwise ones, and float16 and bfloat16 are computed in float32 and rounded
 * once, at the end.
 *
 * Errors, in NumPy's terms: an axis out of range or named twice, a `where` that is not bool or does not
 * broadcast to x, an `out` of another shape or read-only, an `initial` that is not 0-d, arrays on different
 * devices, a dtype that is none, an option that the function does not take.
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

/**
 * The product of the elements, in the dtypes of gnd_sum. Of nothing: 1.
 *
 * Complex numbers are multiplied as (ac - bd) + (ad + bc) i, from 1 + 0i (or `initial`) on, as in NumPy: the
 * product of inf + 0i alone is inf + nan i. Which parts of a product are infinite or NaN depends on the
 * order. Up to 1024 elements are multiplied in order (over several axes, in memory order) if the product is
 * not finite; with more elements it is then nan + nan i, as in NumPy unless the first infinity occurs in the
 * last four. Finite products may be multiplied in any order, the same one on every run. In a GND_FUSE block
 * they take a launch of their own.
 */
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
 * The range: the largest element less the smallest; x's dtype, in which integers wrap around
 * (NumPy's ptp). NaN if there is one; complex numbers in the order of gnd_min. Of nothing, or of
 * bool: an error. Takes no `dtype`, `where` or `initial`.
 */
GND_API gnd_array *gnd_ptp(const gnd_array *x, gnd_axes axes);

/**
 * The arithmetic mean: the sum divided by the number of elements. Integers and bool give float64 (those of up
 * to 32 bits are added up exactly first), other dtypes keep theirs. Of nothing: NaN. With an integer `dtype`
 * elements and the result are cut off to whole numbers, but the sum does not wrap around as NumPy's may.
 * Takes no `initial`; `out` does not affect the dtype of the computation.
 */
GND_API gnd_array *gnd_mean(const gnd_array *x, gnd_axes axes);

/**
 * The variance: the mean of |x - mean|^2, with the number of elements less `ddof` as the divisor (0 if that
 * is negative). Computed in one pass with Welford's and Chan's updates (Chan, Golub, LeVeque 1979), so that
 * no digits are lost to a large mean. Integers and bool give float64, complex numbers their real dtype,
 * others keep theirs. Of nothing: NaN. `dtype` must be floating-point or complex: of complex x, a real one
 * names the precision (NumPy would drop some imaginary parts). Takes no `initial`; `out` does not affect the
 * dtype of the computation.
 */
GND_API gnd_array *gnd_var(const gnd_array *x, gnd_axes axes, double ddof);

/** The standard deviation: the square root of gnd_var. */
GND_API gnd_array *gnd_std(const gnd_array *x, gnd_axes axes, double ddof);

/**
 * The count, mean and sum of squared deviations from which variances are computed, in one pass over x. The result is
 * float64, of the shape of gnd_var's with one more axis, of length 3, at the end: the number of elements, their mean
 * and the sum of |x - mean|^2. For complex x (or a complex `dtype`) the length is 4: the number, the mean's real and
 * imaginary part, and the sum. The moments of parts combine to those of the whole by the formula of Chan, Golub and
 * LeVeque ("Updating formulae and a pairwise algorithm for computing sample variances", 1979). Of no elements: zeros.
 * Takes keepdims, `where` and `dtype`; GND_ERROR_INVALID for `out`. Does not wait.
 */
GND_API gnd_array *gnd_moments(const gnd_array *x, gnd_axes axes);

/**
 * The index of the smallest element: the first one, or the first NaN; int64. With one axis, the index along
 * it; with GND_ALL the index in C order of all of x; with several axes (which NumPy does not take) the index
 * in C order among the elements of those axes, whatever order they are named in. Complex numbers in the order
 * of gnd_min. Of nothing: an error. Takes no `dtype`, `where` or `initial`.
 */
GND_API gnd_array *gnd_argmin(const gnd_array *x, gnd_axes axes);

/** The index of the largest element, as gnd_argmin. */
GND_API gnd_array *gnd_argmax(const gnd_array *x, gnd_axes axes);

/**
 * Whether any element is true, that is not zero (NaN is true); bool. Of nothing: false. `dtype` may
 * only be bool.
 */
GND_API gnd_array *gnd_any(const gnd_array *x, gnd_axes axes);

/** Whether all elements are true, as gnd_any. Of nothing: true. */
GND_API gnd_array *gnd_all(const gnd_array *x, gnd_axes axes);

/** How many elements are not zero; int64. `dtype` may only be int64; takes no `initial`. */
GND_API gnd_array *gnd_count_nonzero(const gnd_array *x, gnd_axes axes);

/* ---- without NaN ---------------------------------------------------------------------------- */

/* For bool and integers these are the functions above. A complex number is NaN if one of its parts is. */

/** gnd_sum of the elements that are not NaN; 0 if there are none. */
GND_API gnd_array *gnd_nansum(const gnd_array *x, gnd_axes axes);

/**
 * gnd_prod of the elements that are not NaN; 1 if there are none. A complex NaN counts as 1 + 0i, and is
 * multiplied like one.
 */
GND_API gnd_array *gnd_nanprod(const gnd_array *x, gnd_axes axes);

/** The smallest element that is not NaN (NumPy's fmin.reduce); NaN if there is none. Of nothing, or
    with `where`: an error, unless `initial` is given. Takes no `dtype`. */
GND_API gnd_array *gnd_nanmin(const gnd_array *x, gnd_axes axes);

/** The largest element that is not NaN, as gnd_nanmin. */
GND_API gnd_array *gnd_nanmax(const gnd_array *x, gnd_axes axes);

/**
 * gnd_mean of the elements that are not NaN; NaN if there are none. Of floating-point and complex x, `dtype`
 * and the dtype of `out` must be floating-point or complex, as in NumPy.
 */
GND_API gnd_array *gnd_nanmean(const gnd_array *x, gnd_axes axes);

/** gnd_var of the elements that are not NaN; NaN if no more than `ddof` are left. `out` as for gnd_nanmean. */
GND_API gnd_array *gnd_nanvar(const gnd_array *x, gnd_axes axes, double ddof);

/** The square root of gnd_nanvar. */
GND_API gnd_array *gnd_nanstd(const gnd_array *x, gnd_axes axes, double ddof);

/**
 * gnd_argmin of the elements that are not NaN. If all are NaN, that is GND_ERROR_VALUE at the next wait, and
 * the result is unspecified.
 */
GND_API gnd_array *gnd_nanargmin(const gnd_array *x, gnd_axes axes);

/** gnd_argmax of the elements that are not NaN, as gnd_nanargmin. */
GND_API gnd_array *gnd_nanargmax(const gnd_array *x, gnd_axes axes);

/* ---- norms and products --------------------------------------------------------------------- */

/**
 * The norm of x over any axes as one vector (NumPy's linalg.vector_norm): for `order` 2 the square
 * root of the sum of |x|^2, for 1 the sum of |x|, for INFINITY the largest |x|, for -INFINITY the
 * smallest (of nothing: an error), for 0 the number of elements that are not zero, for any other p
 * the sum of |x|^p to the power of 1/p (so a NaN gives NaN). Integers and bool give float64, complex
 * numbers their real dtype, others keep theirs. Takes `keepdims` and `out`, no other option. Order 0
 * takes a second, small launch.
 */
GND_API gnd_array *gnd_vector_norm(const gnd_array *x, double order, gnd_axes axes);

/**
 * The sum of conj(a) b over all elements, taken in C order; 0-d (NumPy's vdot). The two must have as
 * many elements, of any shape. The dtype is that of both promoted together: integers wrap around,
 * bool is whether any pair is true. If shapes differ, what is not contiguous is copied first.
 */
GND_API gnd_array *gnd_vdot(const gnd_array *a, const gnd_array *b);

/**
 * The sum of conj(a) b along an axis of each, which counts in each array by itself; the other axes
 * broadcast (NumPy's vecdot). That axis must have the same size in both: it does not broadcast.
 * Dtypes as gnd_vdot.
 */
GND_API gnd_array *gnd_vecdot(const gnd_array *a, const gnd_array *b, int axis);

GND_END

#endif
