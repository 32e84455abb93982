/*
 * gnd/callback.h: a C function applied along an axis, over axes or to indices. The function runs on the host
 * and calls gnd's functions; nothing here waits for the device unless the function does. Each call costs its
 * launches, so a gnd function that takes an axis itself (gnd_sum, gnd_cumsum, gnd_sort ...) is far faster.
 *
 * The function's argument lives until the function returns. It is a view of x, writable if x is. Arrays made
 * during the call are released afterwards, as at the end of a GND_SCOPE. The function may return an array
 * that it made, its argument, a view of it, or an array that somebody else owns. If it returns NULL, or
 * leaves an error pending, the call stops there and returns NULL. It must return: no longjmp and no C++
 * exception may pass through the library (catch it, and return NULL).
 */
#ifndef GND_CALLBACK_H
#define GND_CALLBACK_H

#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/** A function of a 1-d array; `context` is passed through. */
typedef gnd_array *gnd_line_function(const gnd_array *line, void *context);

/**
 * Applies a function to each 1-d slice of x along an axis (numpy.apply_along_axis):
 *
 *     gnd_array *middle(const gnd_array *line, void *context) { return gnd_slice(line, "1:-1"); }
 *     gnd_apply_along_axis(middle, NULL, x, 1)
 *
 * Slices are visited in C order of the other axes. The function may return an array of any shape; its axes
 * replace the axis. For x of shape (3, 4, 5) and axis 1, a 0-d result gives (3, 5), and one of shape (2, 2)
 * gives (3, 2, 2, 5). The first result decides shape and dtype; later ones must broadcast to the shape, and
 * are cast to the dtype as C does.
 *
 * Errors: a 0-d x, an axis out of range, no slices at all (another axis has size 0, so the shape of the
 * result is unknown), a result of another shape or on another device, more than GND_MAX_DIMS dimensions.
 */
GND_API gnd_array *gnd_apply_along_axis(gnd_line_function *function, void *context, const gnd_array *x, int axis);

/** A function of an array and one of its axes. */
typedef gnd_array *gnd_axis_function(const gnd_array *x, int axis, void *context);

/**
 * Applies a function over several axes in the given order (numpy.apply_over_axes): x = function(x, axis) for
 * each. The function must return as many dimensions as it was given, or one fewer; the axis is then
 * reinserted with size 1, so that axes keep their numbers. GND_ALL is every axis, from the first to the last;
 * an axis may be named twice. Takes no option of gnd_axes.
 *
 * Without an axis (GND_NO_AXES) the result is another reference to x. Errors: an axis out of range, a result
 * with another number of dimensions.
 */
GND_API gnd_array *gnd_apply_over_axes(gnd_axis_function *function, void *context, const gnd_array *x, gnd_axes axes);

/** A function of the indices along each of `count` axes, which are arrays of one shape. */
typedef gnd_array *gnd_indices_function(int count, const gnd_array *const *indices, void *context);

/**
 * Calls a function with the indices of an array of this shape (numpy.fromfunction):
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
