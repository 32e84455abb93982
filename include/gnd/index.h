/*
 * gnd/index.h: reading and assigning elements by indices and masks.
 *
 *     gnd_get(a, GND_INDICES(rows, "1:3", -1))          a[rows, 1:3, -1]
 *     gnd_set(a, GND_INDICES(mask), 0)                  a[mask] = 0
 *     gnd_take(a, indices, GND_AXES(1), GND_RAISE)      numpy.take(a, indices, axis=1)
 *
 * Indices in arrays are integers of any dtype; negative ones count from the end of their axis. They are
 * checked on the device, without waiting: one that is out of range is reported at the next wait
 * (gnd/stream.h) as GND_ERROR_INDEX, with its value and axis. No memory outside the array is touched: reads
 * give zero, writes are skipped, and everything else is done. (uint64 above 2^63 - 1 counts as 2^63 - 1.) A C
 * integer out of range is an error at once, and so is any index into an axis of size 0. If there is nothing
 * to read or write, other indices are not checked.
 *
 * Where an element is assigned several times, the last value in C order of the indices holds, as in NumPy, on
 * every device and every run.
 */
#ifndef GND_INDEX_H
#define GND_INDEX_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>
#include <gnd/view.h>

GND_BEGIN

/* ---- any index ------------------------------------------------------------------------------ */

/**
 * a[items], NumPy's indexing with all its kinds of items, written GND_INDICES(...) (gnd/view.h):
 *
 *     gnd_get(a, GND_INDICES(rows, columns))            elements a[rows[i], columns[i]]
 *     gnd_get(a, GND_INDICES(rows, "1:3, ..., None"))   strings hold slices, "...", None
 *     gnd_get(a, GND_INDICES(mask, -1))                 bool arrays: where they are true
 *
 * An item is an array of integers, a bool mask (for as many axes as it has), a C integer, a string in the
 * syntax of gnd_slice() without conversions, or a gnd_index. Axes without an item stay whole.
 *
 * Without arrays the result is a view, as gnd_slice() gives. With arrays it is new, of a's dtype, in C order.
 * The arrays broadcast together; a mask of n dimensions stands for the n index arrays that gnd_nonzero()
 * gives, one without dimensions for a new axis of size 1 (true) or 0 (false); a C integer beside arrays
 * counts as an index of no dimensions. The broadcast axes replace the arrays and integers, if those are
 * adjacent, else they come first:
 *
 *     a of shape (5, 6, 7), i and j of shape (2, 3):
 *     gnd_get(a, GND_INDICES(i, j))        (2, 3, 7)
 *     gnd_get(a, GND_INDICES(":", i, j))   (5, 2, 3)
 *     gnd_get(a, GND_INDICES(i, ":", j))   (2, 3, 6)
 *
 * Waits if there is a mask: it decides the result's shape. A 0-d integer array counts as an index of no
 * dimensions, so that the result is a copy where NumPy's is too. A float array is no index.
 */
GND_API gnd_array *gnd_get(const gnd_array *a, int count, const gnd_index *items);

/**
 * a[items] = value, for items as gnd_get() takes them. The value, an array or a number, broadcasts to
 * the shape that gnd_get() would give (leading axes of size 1 that it does not have fall away), and is
 * cast to a's dtype; of numbers, those that do not fit are refused, as gnd_copyto() does. Value and
 * index arrays may share memory with a, as if they had been copied.
 *
 * One mask over the first axes, with no other array or integer, does not wait: if value is then an
 * array of another number of rows than the mask has true elements, that is reported at the next wait
 * (what had a value is assigned by then). Other masks wait, as they do in gnd_get().
 */
GND_API gnd_status gnd_set(gnd_array *a, int count, const gnd_index *items, gnd_arg value);

/* ---- indices along an axis ------------------------------------------------------------------ */

/** What happens to an index that is out of range. */
typedef enum gnd_index_mode {
    GND_RAISE = 0, /**< an error, at the next wait */
    GND_WRAP,      /**< taken modulo the size of its axis */
    GND_CLIP,      /**< the nearest one in range; negative ones become 0, and don't count from the end */
} gnd_index_mode;

/**
 * Elements of `a` by their indices along one axis, which the axes of `indices` replace; GND_ALL: of
 * all elements in C order, the result has the shape of `indices` (numpy.take). `indices` is an array
 * of integers of any shape. Takes `out` of gnd_axes: of the result's shape, and of a dtype that a's
 * casts to ("same_kind"); it may share memory with the others.
 */
GND_API gnd_array *gnd_take(const gnd_array *a, const gnd_array *indices, gnd_axes axes, gnd_index_mode mode);

/**
 * Selects, for each element of `indices`, the element of `a` with that index along the axis
 * (numpy.take_along_axis): the indices that gnd_argsort() gives, or gnd_argmax() with kept dimensions.
 * `indices` has as many dimensions as a; their other axes broadcast together. GND_ALL: all elements in C
 * order, by indices of one dimension. Takes `out` as gnd_take() does.
 */
GND_API gnd_array *gnd_take_along_axis(const gnd_array *a, const gnd_array *indices, gnd_axes axes);

/**
 * Assigns to elements of `a`, counted in C order whatever its strides (numpy.put): the k-th index gets the
 * k-th value, starting over when values run out; surplus values are ignored. `values` is an array of any
 * shape, cast to a's dtype, or a number; of no values nothing is done. Indices and values may share memory
 * with a.
 */
GND_API gnd_status gnd_put(gnd_array *a, const gnd_array *indices, gnd_arg values, gnd_index_mode mode);

/**
 * Assigns to the elements that gnd_take_along_axis() would read (numpy.put_along_axis). `values`, an
 * array or a number, broadcasts to the shape of what that would give, and is cast to a's dtype.
 */
GND_API gnd_status gnd_put_along_axis(gnd_array *a, const gnd_array *indices, gnd_arg values, gnd_axes axes);

/* ---- updates at indices --------------------------------------------------------------------- */

/**
 * a[items] += values, where an element that is named several times gets all of its values: what
 * cupyx.scatter_add, PyTorch's index_add_ and numpy.add.at do. Items and the shape that values, an
 * array or a number, broadcasts to are those of gnd_set(); dtypes, order and errors those of gnd_at(),
 * so that floating sums too are the same bits on every run.
 */
GND_API gnd_status gnd_scatter_add(gnd_array *a, int count, const gnd_index *items, gnd_arg values);
/** The same with the product: a[items] *= values. */
GND_API gnd_status gnd_scatter_multiply(gnd_array *a, int count, const gnd_index *items, gnd_arg values);
/** The same with the smaller of the two, NaN if either is. */
GND_API gnd_status gnd_scatter_minimum(gnd_array *a, int count, const gnd_index *items, gnd_arg values);
/** The same with the larger of the two, NaN if either is. */
GND_API gnd_status gnd_scatter_maximum(gnd_array *a, int count, const gnd_index *items, gnd_arg values);

GND_END

#define gnd_set(a, indices, value) (gnd_set)(a, indices, GND_ARG(value))
#define gnd_put(a, indices, values, mode) (gnd_put)(a, indices, GND_ARG(values), mode)
#define gnd_put_along_axis(a, indices, values, axes) (gnd_put_along_axis)(a, indices, GND_ARG(values), axes)
#define gnd_scatter_add(a, indices, values) (gnd_scatter_add)(a, indices, GND_ARG(values))
#define gnd_scatter_multiply(a, indices, values) (gnd_scatter_multiply)(a, indices, GND_ARG(values))
#define gnd_scatter_minimum(a, indices, values) (gnd_scatter_minimum)(a, indices, GND_ARG(values))
#define gnd_scatter_maximum(a, indices, values) (gnd_scatter_maximum)(a, indices, GND_ARG(values))

#endif
