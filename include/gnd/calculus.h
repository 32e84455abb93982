/*
 * gnd/calculus.h: differences, derivatives and integrals of sampled functions.
 *
 *     gnd_diff(x, 1, -1, GND_NONE, GND_NONE)      x[1:] - x[:-1] along the last axis
 *     gnd_gradient(y, 0.1, -1, 1)                 dy/dt of samples 0.1 apart
 *     gnd_gradient(y, t, -1, 2)                   of samples at t[0], t[1], ...
 *     gnd_trapezoid(y, t, -1)                     the integral of y dt
 *
 * All compute with the elementwise operators and their dtype rules: C numbers are weak, arrays are
 * promoted. None of them waits for the device. Arrays must be on one device.
 *
 * Functions that take a number or an array are also macros of the same name; write (gnd_diff) to
 * get at the function itself, whose arguments are gnd_arg.
 */
#ifndef GND_CALCULUS_H
#define GND_CALCULUS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * The n-th difference along an axis (numpy.diff): out[i] = x[i + 1] - x[i], n times over. The
 * result is shorter by n (not below 0) and has x's dtype; unsigned integers wrap around, and
 * differences of bool are gnd_not_equal. n = 0 gives x itself (a new reference).
 *
 * `prepend` and `append` (GND_NONE: none) are put before and behind x first: a number or 0-d array
 * as one element on each line of x, an array as it is. An array must have x's shape except for
 * the length along the axis; the dtypes of arrays are promoted, a number takes x's dtype or one that
 * holds its kind.
 *
 * Errors: n below 0, x of no dimension, an axis out of range, a `prepend` or `append` that does not
 * fit. One launch for each of the n differences, and two or three more to join x with others.
 */
GND_API gnd_array *gnd_diff(const gnd_array *x, int64_t n, int axis, gnd_arg prepend, gnd_arg append);

/**
 * The differences of neighbours of x in C order, as one dimension (numpy.ediff1d), in x's dtype:
 * `to_begin`, then x[1] - x[0], x[2] - x[1], ..., then `to_end`. Either may be GND_NONE, a number or
 * an array, whose elements are taken in C order and must be castable to x's dtype within a kind
 * (casting "same_kind"). bool is refused, as by gnd_subtract.
 */
GND_API gnd_array *gnd_ediff1d(const gnd_array *x, gnd_arg to_end, gnd_arg to_begin);

/**
 * The derivative along one axis by central differences (numpy.gradient with one axis). The result
 * has x's shape and dtype; integers compute in float64; bool is refused.
 *
 * `spacing` is the distance of neighbours (a number or 0-d array; GND_NONE: 1), or the coordinates
 * of the samples, a 1-d array as long as x is along the axis (not bool; integers become float64).
 * `edge_order` is the accuracy at the two ends, 1 or 2; x needs edge_order + 1 samples.
 *
 * With distances hs before and hd behind a sample it is
 * (hs^2 f(t+hd) + (hd^2 - hs^2) f(t) - hd^2 f(t-hs)) / (hs hd (hs + hd)), arranged as NumPy does;
 * with equal distances (also found in coordinates) (f(t+h) - f(t-h)) / 2h. Source: A. Quarteroni,
 * R. Sacco, F. Saleri, Numerical Mathematics, 2007; B. Fornberg, Mathematics of Computation 51,
 * 1988.
 */
GND_API gnd_array *gnd_gradient(const gnd_array *x, gnd_arg spacing, int axis, int edge_order);

/**
 * gnd_gradient along several axes, one result for each: out[k] belongs to the k-th of `axes`, or
 * to axis k for GND_ALL. `spacing` has `count` entries: none (1 everywhere), one number for all
 * axes, or one of any kind for each axis:
 *
 *     gnd_array *d[2];
 *     gnd_gradient_axes(d, image, GND_ALL, GND_ARGS(0.5, 0.25), 1);
 *     gnd_gradient_axes(d, image, GND_ALL, 0, NULL, 1);
 *
 * If the call fails, every out[k] is NULL. Options of `axes` are refused.
 */
GND_API gnd_status gnd_gradient_axes(gnd_array *out[], const gnd_array *x, gnd_axes axes, int count,
                                     const gnd_arg *spacing, int edge_order);

/**
 * The integral along an axis by the trapezoidal rule (numpy.trapezoid): the sum over i of d[i] * (y[i + 1] +
 * y[i]) / 2. `x` is the distance d of neighbours (a number or 0-d array; GND_NONE: 1), or their coordinates:
 * a 1-d array along the axis, or an array that broadcasts with y and is differenced along its own `axis`. The
 * result lacks the axis; integers and bool give float64. Of float32, float64 and complex y the samples are
 * added up first (with coordinates, their products with d), and multiplied by the distance or halved at the
 * end: unlike in NumPy, the result is infinite where that sum alone is beyond the dtype. Errors: y of no
 * dimension, an axis out of range, shapes that do not fit.
 */
GND_API gnd_array *gnd_trapezoid(const gnd_array *y, gnd_arg x, int axis);

GND_END

#define gnd_diff(x, n, axis, prepend, ...) (gnd_diff)(x, n, axis, GND_ARG(prepend), GND_ARG(__VA_ARGS__))
#define gnd_ediff1d(x, to_end, ...) (gnd_ediff1d)(x, GND_ARG(to_end), GND_ARG(__VA_ARGS__))
#define gnd_gradient(x, spacing, axis, edge_order) (gnd_gradient)(x, GND_ARG(spacing), axis, edge_order)
#define gnd_trapezoid(y, x, axis) (gnd_trapezoid)(y, GND_ARG(x), axis)

#endif
