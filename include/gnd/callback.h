/*
 * gnd/callback.h: a C function applied along an axis, over axes or to indices. The function is called by the host
 * and works with gnd's own functions, so nothing here waits for the device unless it does. Each call
 * costs what it launches: where a function of gnd takes an axis itself (gnd_sum, gnd_cumsum,
 * gnd_sort ...), that is faster by far.
 *
 * The array that a function is given lives until it returns; it may be written to (views of x are) if
 * x may. What the function makes is released after its call, as at the end of a GND_SCOPE; what it
 * returns may be made in the call, be its argument or a view of it, or be an array that somebody else
 * owns. If it returns NULL, or leaves an error pending, the call stops there and returns NULL. It must
 * return: no longjmp and no C++ exception may pass through the library (catch it, and return NULL).
 */
#ifndef GND_CALLBACK_H
#define GND_CALLBACK_H

#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/** A function of one line, a 1-d array, with the context that was given beside it. */
typedef gnd_array *gnd_line_function(const gnd_array *line, void *context);

/**
 * The results of a function of each line of x along an axis (numpy.apply_along_axis):
 *
 *     gnd_array *middle(const gnd_array *line, void *context) { return gnd_slice(line, "1:-1"); }
 *     gnd_apply_along_axis(middle, NULL, x, 1)
 *
 * `function` is called for the lines in C order of the other axes. It may return an array of any
 * shape, whose axes take the place of the axis: with a 0-d result x of shape (3, 4, 5) along axis 1
 * gives (3, 5), with one of shape (2, 2) it gives (3, 2, 2, 5). The first result decides shape and
 * dtype; later ones must broadcast to the shape, and are cast to the dtype as C does.
 *
 * Errors: a 0-d x, an axis out of range, no line at all (another axis has size 0: the shape of a
 * result is then unknown), a result of another shape or on another device, more than GND_MAX_DIMS
 * dimensions.
 */
GND_API gnd_array *gnd_apply_along_axis(gnd_line_function *function, void *context, const gnd_array *x, int axis);

/** A function of an array and one of its axes. */
typedef gnd_array *gnd_axis_function(const gnd_array *x, int axis, void *context);

/**
 * A function applied over several axes, one after the other in the order in which they are named
 * (numpy.apply_over_axes): x = function(x, axis) for each. `function` must give back as many
 * dimensions as it was given, or one less: the axis is then put back with size 1, so that the axes
 * keep their numbers. GND_ALL is every axis, from the first to the last; an axis may be named twice.
 * Takes no option of gnd_axes.
 *
 * Without an axis (GND_NO_AXES) the result is another reference to x. Errors: an axis out of range, a
 * result with another number of dimensions.
 */
GND_API gnd_array *gnd_apply_over_axes(gnd_axis_function *function, void *context, const gnd_array *x, gnd_axes axes);

/** A function of the indices along each of `count` axes, which are arrays of one shape. */
typedef gnd_array *gnd_indices_function(int count, const gnd_array *const *indices, void *context);

/**
 * What a function makes of the indices of an array of this shape (numpy.fromfunction):
 *
 *     gnd_array *sum(int count, const gnd_array *const *indices, void *context) {
 *         return gnd_add(indices[0], indices[1]);
 *     }
 *     gnd_fromfunction(sum, NULL, GND_SHAPE(3, 4), GND_INT64)
 *
 * It is called once, with whole arrays: indices[k], of this shape and dtype (GND_DTYPE_NONE: float64), holds
 * each element's index along axis k. The result is whatever it returns, of any shape.
 */
GND_API gnd_array *gnd_fromfunction(gnd_indices_function *function, void *context, gnd_shape shape, gnd_dtype dtype);

GND_END

#endif
