/*
 * gnd/view.h: parts, rearrangements and reinterpretations of an array, and changes of its shape.
 *
 * All but the few functions that say otherwise return views: new headers over the same memory, so
 * that writing through the view writes the array. They cost no launch, move no data, never wait,
 * and work the same on every device. A view keeps the memory alive after the array is released.
 *
 * A NULL array gives NULL and keeps the pending error. Bad axes, indices and shapes are errors
 * (GND_ERROR_INDEX, GND_ERROR_INVALID, GND_ERROR_SHAPE) that say what would be right.
 */
#ifndef GND_VIEW_H
#define GND_VIEW_H

#include <gnd/base.h>
#include <gnd/dtype.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- slices --------------------------------------------------------------------------------- */

/**
 * The part of `a` that NumPy's a[...] would give, written in NumPy's basic index syntax:
 *
 *     gnd_slice(a, "2:-1, ::2")      gnd_slice(a, "%d, ..., None, ::-1", row)
 *
 * Items are separated by commas: an integer drops its axis, start:stop:step keeps part of it (any
 * of the three may be left out or be None), `...` (or Ellipsis) stands for the axes that are not
 * mentioned, None (or newaxis) inserts an axis of size 1. Any number may be a printf conversion of
 * an integer, %d %i %u with the length modifiers hh h l ll j z t (so PRId64 works), with a sign in
 * front if you like. An empty string gives all of `a`.
 *
 * A view of `a`. Bounds are clipped as in Python; an integer out of range is GND_ERROR_INDEX, and a
 * string that cannot be read GND_ERROR_INVALID with the position where reading stopped.
 */
GND_API gnd_array *gnd_slice(const gnd_array *a, const char *items, ...) GND_PRINTF(2, 3);

/** What one item of an index means. */
typedef enum gnd_index_kind {
    GND_INDEX_AT = 0,   /**< the element `start`; the axis goes */
    GND_INDEX_RANGE,    /**< start:stop:step */
    GND_INDEX_NEW_AXIS, /**< a new axis of size 1 */
    GND_INDEX_ELLIPSIS, /**< all axes that no other item mentions */
} gnd_index_kind;

/** A bound or a step that is left out: gnd_index_range(GND_OPEN, 5, GND_OPEN) is `:5`. */
#define GND_OPEN INT64_MIN

/** One item of an index. Build it with the functions below. */
typedef struct gnd_index {
    gnd_index_kind kind;
    int64_t start, stop, step;
} gnd_index;

/** The element `i` of its axis, from the end if negative. */
static inline gnd_index gnd_index_at(int64_t i) {
    gnd_index x = {GND_INDEX_AT, i, GND_OPEN, GND_OPEN};
    return x;
}
/** start:stop:step, any of them GND_OPEN. */
static inline gnd_index gnd_index_range(int64_t start, int64_t stop, int64_t step) {
    gnd_index x = {GND_INDEX_RANGE, start, stop, step};
    return x;
}
/** All of an axis, `:`. */
static inline gnd_index gnd_index_all(void) {
    return gnd_index_range(GND_OPEN, GND_OPEN, GND_OPEN);
}
/** A new axis of size 1, `None`. */
static inline gnd_index gnd_index_new_axis(void) {
    gnd_index x = {GND_INDEX_NEW_AXIS, 0, 0, 0};
    return x;
}
/** Every axis not mentioned otherwise, `...`. */
static inline gnd_index gnd_index_ellipsis(void) {
    gnd_index x = {GND_INDEX_ELLIPSIS, 0, 0, 0};
    return x;
}

/**
 * gnd_slice for indices that a program computes: `count` items, for instance
 * gnd_slice_ix(a, GND_INDICES(gnd_index_at(0), gnd_index_range(1, GND_OPEN, 2))).
 */
GND_API gnd_array *gnd_slice_ix(const gnd_array *a, int count, const gnd_index *items);

#ifndef __cplusplus
/* The count and the list, as gnd_slice_ix takes them. */
#    define GND_INDICES(...)                                                                       \
        (int)(sizeof((gnd_index[]){__VA_ARGS__}) / sizeof(gnd_index)), (const gnd_index[]) {       \
            __VA_ARGS__                                                                            \
        }
#endif

/* ---- shape ---------------------------------------------------------------------------------- */

/**
 * `a` in another shape of the same size, elements in row-major order (numpy.reshape). One size may
 * be -1: it is found from the others. A view wherever strides can express it, else a C-order copy.
 */
GND_API gnd_array *gnd_reshape(const gnd_array *a, gnd_shape shape);
/**
 * gnd_reshape with elements read and placed in order 'C' (last axis fastest), 'F' (first axis
 * fastest) or 'A' ('F' if `a` is Fortran contiguous and not C contiguous, else 'C').
 */
GND_API gnd_array *gnd_reshape_order(const gnd_array *a, gnd_shape shape, char order);
/** All elements in one dimension, row-major and contiguous: a view if `a` is that already, else a
    copy (numpy.ravel). */
GND_API gnd_array *gnd_ravel(const gnd_array *a);
/** gnd_ravel in order 'C', 'F', 'A' (see gnd_reshape_order), or 'K', as the elements lie
    in memory. */
GND_API gnd_array *gnd_ravel_order(const gnd_array *a, char order);
/** All elements in one dimension, row-major, always a copy (numpy.ndarray.flatten). */
GND_API gnd_array *gnd_flatten(const gnd_array *a);

/** Without the axes of size 1 named by `axes`; GND_ALL: without any (numpy.squeeze). A view. */
GND_API gnd_array *gnd_squeeze(const gnd_array *a, gnd_axes axes);
/** With new axes of size 1 at these places of the result (numpy.expand_dims). A view. */
GND_API gnd_array *gnd_expand_dims(const gnd_array *a, gnd_axes axes);

/* ---- axes ----------------------------------------------------------------------------------- */

/** The axes in reverse order (numpy.transpose without axes, a.T). A view. */
GND_API gnd_array *gnd_transpose(const gnd_array *a);
/**
 * The axes in a given order: axis k of the result is axis axes[k] of `a`. Every axis must be named
 * once; GND_ALL reverses them (numpy.transpose with axes, numpy.permute_dims). A view.
 */
GND_API gnd_array *gnd_permute(const gnd_array *a, gnd_axes axes);
/** The last two axes exchanged (numpy.matrix_transpose); at least two dimensions. A view. */
GND_API gnd_array *gnd_matrix_transpose(const gnd_array *a);
/** Two axes exchanged (numpy.swapaxes). A view. */
GND_API gnd_array *gnd_swapaxes(const gnd_array *a, int axis1, int axis2);
/**
 * The axes `source` moved to the places `destination`, the others in their order
 * (numpy.moveaxis): gnd_moveaxis(a, GND_AXES(0), GND_AXES(-1)). A view.
 */
GND_API gnd_array *gnd_moveaxis(const gnd_array *a, gnd_axes source, gnd_axes destination);
/** The elements in reverse order along these axes, GND_ALL: along each (numpy.flip). A view. */
GND_API gnd_array *gnd_flip(const gnd_array *a, gnd_axes axes);

/**
 * The diagonals of the planes of two axes, as the last axis of the result: the elements whose
 * index along axis2 is that along axis1 plus `offset` (numpy.diagonal; main diagonal of a matrix:
 * offset 0, axes 0 and 1). A view; other than NumPy's, it can be written.
 */
GND_API gnd_array *gnd_diagonal(const gnd_array *a, int64_t offset, int axis1, int axis2);

/* ---- broadcasting --------------------------------------------------------------------------- */

/** `a` as if repeated to a larger shape (numpy.broadcast_to). A view that cannot be written. */
GND_API gnd_array *gnd_broadcast_to(const gnd_array *a, gnd_shape shape);
/**
 * The arrays broadcast against each other (numpy.broadcast_arrays): out[i] becomes a view of in[i]
 * in the common shape, which can be written only if it is in[i]'s own. If the call fails, every
 * out[i] is NULL.
 */
GND_API gnd_status gnd_broadcast_arrays(int count, const gnd_array *const in[], gnd_array *out[]);

/* ---- other readings of the same memory ------------------------------------------------------ */

/** The real parts (numpy.real). A view; of a real array, a view of all of it. */
GND_API gnd_array *gnd_real(const gnd_array *a);
/** The imaginary parts (numpy.imag). A view; of a real array, new zeros of its shape and dtype. */
GND_API gnd_array *gnd_imag(const gnd_array *a);
/**
 * The same bytes read as another dtype (numpy.ndarray.view). If the item sizes differ, the last
 * axis must be contiguous and its bytes a whole number of new items; its size changes to match,
 * and 0-d arrays are refused. Elements must lie on multiples of the new item size, as everywhere
 * in gnd. Reading other bytes than 0 and 1 as bool gives undefined values.
 */
GND_API gnd_array *gnd_view(const gnd_array *a, gnd_dtype dtype);

GND_END

#endif
