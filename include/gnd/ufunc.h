/*
 * gnd/ufunc.h: NumPy's ufunc methods, for operators by name: reduce, accumulate, reduceat, outer and at.
 *
 *     gnd_reduce("maximum", x, GND_AXES(0))
 *     gnd_accumulate("add", x, GND_AXES(1))
 *     gnd_reduceat("add", x, starts, GND_AXES(-1))
 *     gnd_outer("multiply", x, y)
 *     gnd_at("add", histogram, GND_ARGS(bins), weights)
 *
 * The first three take a binary operator with one result whose arguments have the same dtype: any of
 * gnd/elementwise.h but divmod, ldexp and isclose. Dtypes, for all three: elements are cast to `dtype` if it
 * is given, and the result has it. Else the operator's own rules hold (divide makes integers float64), but
 * add and multiply widen bool and integers to int64 or uint64. Comparisons take bool alone (or dtype bool),
 * the logical operators take everything by its truth. With `out` and no `dtype`, x and `out` are promoted
 * together and the result is cast.
 *
 * Associative operators such as add, multiply, maximum, gcd or bitwise_or may be regrouped, in an order that
 * depends only on shape and strides: the same bits on every run, with float16 and bfloat16 computed in
 * float32. Others, such as subtract, divide, power or left_shift, are applied from the first element to the
 * last, each step rounded to the dtype.
 *
 * None of them waits for the device, except gnd_at for a mask. Values that an operator does not take (an integer
 * to a negative power) and indices out of range are reported at the next wait (gnd/stream.h).
 */
#ifndef GND_UFUNC_H
#define GND_UFUNC_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * The reduction of x with a binary operator over any axes: NumPy's ufunc.reduce, except that GND_ALL is
 * every axis. "add" is gnd_sum, "multiply" gnd_prod, "minimum" gnd_min, "maximum" gnd_max,
 * "logical_or" gnd_any, "logical_and" gnd_all; the options of gnd_axes are theirs (gnd/reduce.h). No
 * elements give the operator's identity; an operator without one is an error then, unless `initial` is
 * given. An operator that is not associative takes one axis only, as in NumPy, and its elements in C order.
 */
GND_API gnd_array *gnd_reduce(const char *name, const gnd_array *x, gnd_axes axes);

/**
 * The running results along one axis (GND_ALL: axis 0): NumPy's ufunc.accumulate. The result has x's
 * shape; its first element along the axis is x's own, each further one the operator applied to the
 * result before it and the element of x. Takes `dtype` and `out` of gnd_axes, and `initial` as the scans of gnd/scan.h
 * do, if the operator is associative. An error for several axes, a 0-d array, `keepdims` or `where`.
 */
GND_API gnd_array *gnd_accumulate(const char *name, const gnd_array *x, gnd_axes axes);

/**
 * The reductions of segments along one axis (GND_ALL: axis 0): NumPy's ufunc.reduceat. `indices` is a 1-d
 * array of integers (not uint64), or bool. For each i the result holds, along that axis, the reduction of
 * x[indices[i]:indices[i + 1]] (the last one goes to the end of x), or x[indices[i]] alone if indices[i] >=
 * indices[i + 1]. Segments may overlap. The operator's identity is not used. Complex products
 * that are not finite are multiplied as by gnd_prod, but start at the segment's first element, not at 1 + 0i.
 *
 * Takes `dtype` and `out` of gnd_axes; an error for several axes, a 0-d array, `keepdims`, `where` or
 * `initial`. An index outside [0, size of the axis) is GND_ERROR_INDEX at the next wait, and its result is
 * unspecified.
 */
GND_API gnd_array *gnd_reduceat(const char *name, const gnd_array *x, const gnd_array *indices, gnd_axes axes);

/**
 * A binary operator between every element of a and every element of b: NumPy's ufunc.outer. The
 * result has the shape of a followed by that of b. Either may be a C number. Dtypes and errors are
 * those of the operator itself; more than GND_MAX_DIMS dimensions are GND_ERROR_SHAPE.
 */
GND_API gnd_array *gnd_outer(const char *name, gnd_arg a, gnd_arg b);

/** The same for operators with two results: divmod. */
GND_API gnd_status gnd_outer_two(gnd_array **first, gnd_array **second, const char *name, gnd_arg a, gnd_arg b);

/**
 * a[indices] = operator(a[indices], b), once for each index, in the order of the indices. An element that is
 * named several times is updated several times: NumPy's ufunc.at.
 *
 *     gnd_at("add", counts, GND_ARGS(bins), 1)             counts[bins] += 1, duplicates counted
 *     gnd_at("maximum", image, GND_ARGS(rows, columns), values)
 *     gnd_at("negative", x, GND_ARGS(which), GND_NONE)     a unary operator: no b
 *
 * `count` and `indices`, written GND_ARGS(...), are integer arrays or C integers, for the leading axes of a;
 * they broadcast together, negative ones count from the end. A bool mask stands for the indices of its true
 * elements, one array for each of its axes (this waits; gnd_apply() with `where` and `out` does not). Axes of
 * `a` after those stay whole, so that the indexed shape is the broadcast one followed by them; b, an array or
 * a number, broadcasts to it. (The macro needs GND_ARGS itself; with a list of your own, call the function by
 * writing its name in parentheses.) gnd_scatter_add() and its relatives (gnd/index.h) take slices among the
 * indices too.
 *
 * Every operator with one result is allowed. Each application computes in the operator's own dtype for a and
 * b, and its result is cast to a's dtype, whatever is lost (casting "unsafe"), as NumPy does; C numbers are
 * weak, as everywhere in gnd.
 *
 * The result is the same bits on every run, for floating numbers too, since no floating-point atomics are
 * used: an element's updates are applied one after the other, and are NumPy's to the last bit. Only for
 * operators that may be regrouped (see above), an element that is named more than about 128 times may get its
 * updates in groups: always the same ones, with float16 and bfloat16 computed in float32.
 *
 * `indices` and b may share memory with a, as if they had been copied. An index out of range is reported as
 * GND_ERROR_INDEX, at once if it is a C number, else at the next wait; that update is left out and the others
 * are made. Errors: no such operator, too many indices, indices that are no integers or do not broadcast
 * together, a b that does not broadcast to the indexed shape, a b too many or too few, a read-only `a`,
 * arrays on different devices.
 */
GND_API gnd_status gnd_at(const char *name, gnd_array *a, int count, const gnd_arg *indices, gnd_arg b);

GND_END

#define gnd_outer(name, a, b) (gnd_outer)(name, GND_ARG(a), GND_ARG(b))
#define gnd_outer_two(first, second, name, a, b) (gnd_outer_two)(first, second, name, GND_ARG(a), GND_ARG(b))
#define gnd_at(name, a, indices, b) (gnd_at)(name, a, indices, GND_ARG(b))

#endif
