/*
 * gnd/mask.h: indices of nonzero elements, selection and assignment by masks. For a[mask] use gnd_get() and
 * gnd_set() (gnd/index.h).
 *
 *     gnd_array *rows_columns[2];
 *     gnd_nonzero(gnd_greater(x, 0.5), rows_columns)
 *     gnd_extract(gnd_greater(x, 0.5), x)
 *     gnd_compress(keep, x, GND_AXES(1))
 *
 * A mask may have any dtype: nonzero elements are true, NaN too. Indices and elements come in C order.
 *
 * Only the device knows the number of true elements, so functions whose result has that size wait for it. On
 * a GPU the mask is read once: results are written to memory for the maximum number, and stay there if they
 * fill a third of it or more; otherwise they are copied to memory of their size. If there is no memory for
 * the maximum, the mask is read twice. The _bounded functions do not wait: the result has a given size, and
 * the count stays on the device.
 */
#ifndef GND_MASK_H
#define GND_MASK_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- indices -------------------------------------------------------------------------------- */

/**
 * The indices of the elements of x that are not zero: indices[k] becomes a new int64 vector of those along
 * axis k, for each axis of x (numpy.nonzero, and numpy.where with one argument). On failure no array is made.
 * GND_ERROR_SHAPE for a 0-d x. The vectors share their memory. Waits.
 */
GND_API gnd_status gnd_nonzero(const gnd_array *x, gnd_array *indices[]);
/** The indices of the elements that are not zero in x as a vector, in C order (numpy.flatnonzero).
    Waits. */
GND_API gnd_array *gnd_flatnonzero(const gnd_array *x);
/** The same indices as gnd_nonzero's, a row for each element: shape (count, dimensions of x)
    (numpy.argwhere). Waits. */
GND_API gnd_array *gnd_argwhere(const gnd_array *x);
/**
 * The first `capacity` of the indices of gnd_nonzero(), without waiting: indices[k] has `capacity`
 * elements, of which those past the last index are 0. *count becomes a 0-d int64 array on x's device:
 * how many elements are not zero, also where that is more than the capacity. On failure nothing is
 * made.
 */
GND_API gnd_status gnd_nonzero_bounded(const gnd_array *x, int64_t capacity, gnd_array *indices[], gnd_array **count);

/* ---- elements ------------------------------------------------------------------------------- */

/** The elements of x where `condition` is true, as a vector (numpy.extract). The two must have the same
    number of elements; if their shapes differ, they are paired in C order. Waits. */
GND_API gnd_array *gnd_extract(const gnd_array *condition, const gnd_array *x);
/**
 * The first `capacity` of the elements of gnd_extract(), without waiting: a vector of `capacity`
 * elements, of which those past the last one are 0. *count becomes a 0-d int64 array, as for
 * gnd_nonzero_bounded().
 */
GND_API gnd_array *gnd_extract_bounded(const gnd_array *condition, const gnd_array *x, int64_t capacity,
                                       gnd_array **count);
/**
 * The slices of `a` along one axis for which `condition`, a vector, is true; GND_ALL: of all elements
 * in C order (numpy.compress). A condition shorter than the axis is false after its end; one that is
 * true behind the end of the axis is GND_ERROR_SHAPE. Takes `out` of gnd_axes, which must have the
 * result's shape, and to whose dtype elements are cast as by gnd_copyto(). Waits.
 */
GND_API gnd_array *gnd_compress(const gnd_array *condition, const gnd_array *a, gnd_axes axes);

/* ---- assignment ----------------------------------------------------------------------------- */

/*
 * Values, an array or a number, are cast to a's dtype as by gnd_copyto(), which allows more casts than
 * NumPy's "safe" rule. They and the mask may share memory with `a`, as if they had been copied. Nothing
 * here waits.
 */

/**
 * The true elements of `a` in C order get the values in C order, from the first value again when there
 * are no more (numpy.place). The mask has as many elements as `a`. If there are true elements but no
 * values, that is GND_ERROR_VALUE at the next wait.
 */
GND_API gnd_status gnd_place(gnd_array *a, const gnd_array *mask, gnd_arg values);
/**
 * Element n of `a`, counted in C order, becomes element n % size of the values where the mask is true
 * (numpy.putmask). The mask has as many elements as `a`. No values: nothing is done.
 */
GND_API gnd_status gnd_putmask(gnd_array *a, const gnd_array *mask, gnd_arg values);

GND_END

#define gnd_place(a, mask, values) (gnd_place)(a, mask, GND_ARG(values))
#define gnd_putmask(a, mask, values) (gnd_putmask)(a, mask, GND_ARG(values))

#endif
