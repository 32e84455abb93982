/*
 * gnd/indices.h: arrays of indices: flat and multi-dimensional, of diagonals and triangles. All are int64,
 * for gnd_get() and gnd_set() (gnd/index.h).
 *
 * Functions with a list `indices` store one new array for each axis there; on failure, none.
 */
#ifndef GND_INDICES_H
#define GND_INDICES_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/index.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * Converts flat indices into an array of this shape to indices along each axis (numpy.unravel_index). Order
 * 'C': last axis fastest; 'F': first axis fastest. A flat index outside [0, size of the shape) is GND_ERROR_INDEX
 * at the next wait; its indices are 0. One launch for each axis; does not wait.
 */
GND_API gnd_status gnd_unravel_index(const gnd_array *numbers, gnd_shape shape, char order, gnd_array *indices[]);
/**
 * Converts indices along each axis to flat indices (numpy.ravel_multi_index): `count` integer arrays or C
 * integers, written GND_ARGS(...), one for each axis of the shape; they broadcast together.
 *
 *     gnd_ravel_multi_index(GND_ARGS(rows, columns), GND_SHAPE(7, 6), GND_RAISE, 'C')
 *
 * With GND_RAISE an index outside [0, size of its axis), negative ones too, is GND_ERROR_INDEX at the next
 * wait, and the result 0; GND_WRAP takes it modulo the size, GND_CLIP the nearest one, for all axes alike.
 * GND_ERROR_SHAPE for a shape of no elements (if there are indices), or of more than 2^63. Does not wait.
 */
GND_API gnd_array *gnd_ravel_multi_index(int count, const gnd_arg *indices, gnd_shape shape, gnd_index_mode mode,
                                         char order);

/** The same with a mode for each axis: numpy.ravel_multi_index with a tuple of modes. `modes` has
    `count` of them. */
GND_API gnd_array *gnd_ravel_multi_index_each(int count, const gnd_arg *indices, gnd_shape shape,
                                              const gnd_index_mode *modes, char order);

/** The indices of the main diagonal of an array of `ndim` axes of size n: 0, 1, ... n - 1 for each
    (numpy.diag_indices). Does not wait. */
GND_API gnd_status gnd_diag_indices(int64_t n, int ndim, gnd_array *indices[]);
/** The same for the shape of `a`, which has at least two axes, all of one size. */
GND_API gnd_status gnd_diag_indices_from(const gnd_array *a, gnd_array *indices[]);
/**
 * The indices, two vectors, of the elements on and below diagonal k of an n x m matrix (m = -1: n x n), in C
 * order (numpy.tril_indices, whose argument k comes before m as well). Does not wait: their number is known
 * in advance.
 */
GND_API gnd_status gnd_tril_indices(int64_t n, int64_t k, int64_t m, gnd_array *indices[]);
/** The same, on and above diagonal k (numpy.triu_indices). */
GND_API gnd_status gnd_triu_indices(int64_t n, int64_t k, int64_t m, gnd_array *indices[]);
/** gnd_tril_indices() for the shape of a matrix. */
GND_API gnd_status gnd_tril_indices_from(const gnd_array *a, int64_t k, gnd_array *indices[]);
/** gnd_triu_indices() for the shape of a matrix. */
GND_API gnd_status gnd_triu_indices_from(const gnd_array *a, int64_t k, gnd_array *indices[]);
/**
 * The indices of the nonzero elements that a function, for instance gnd_triu, leaves of an n x n matrix of
 * ones (numpy.mask_indices). Arrays that it makes are released; it may return any array that gnd/callback.h
 * allows. Waits.
 */
GND_API gnd_status gnd_mask_indices(int64_t n, gnd_array *(*function)(const gnd_array *ones, int64_t k), int64_t k,
                                    gnd_array *indices[]);

/**
 * Assigns to the main diagonal of `a`, in place (numpy.fill_diagonal): a number, or an array whose elements
 * are repeated in C order as needed. An empty array changes nothing. `a` has two axes, or more of one size.
 * `wrap`: the diagonal of a tall matrix starts again below, after skipping a row. Cast as by gnd_copyto().
 * Does not wait.
 */
GND_API gnd_status gnd_fill_diagonal(gnd_array *a, gnd_arg value, bool wrap);

GND_END

#define gnd_fill_diagonal(a, value, wrap) (gnd_fill_diagonal)(a, GND_ARG(value), wrap)

#endif
