/*
 * gnd/dist/index.h: reading and assigning elements of split arrays by indices and masks.
 *
 *     gnd_dist_take(x, indices, 0, GND_RAISE)           x[indices], from the ranks that have them
 *     gnd_dist_at("add", x, indices, 0, values)         x[indices] += values, once for each index, equal ones too
 *     gnd_dist_compress(gnd_dist_greater(x, 0), x, 0)   x[x > 0], which stay on their ranks
 *
 * Indices are integers of any dtype and shape: a split array, an array that is the same on all ranks, or a number. They
 * count in the whole array, negative ones from its end, and replace one axis of x, as in gnd_take(). If that axis is
 * split, each index goes to the rank that has its elements, and the elements come back, or the values go along: two
 * exchanges, or four, where gnd_dist_take() sends many elements in two parts. Indices in copies do not move; each rank
 * then handles those that fall into its block. If the axis is whole, nothing moves.
 *
 * Indices must not be split along an axis of the mesh along which another axis of x is split: GND_ERROR_INVALID;
 * gnd_dist_redistribute() them first. Functions here are collective, and wait where indices or masks are counted by
 * ranks; an error of one rank before elements move is then the error of all. There an index out of range is
 * GND_ERROR_INDEX, and nothing is written; along an axis that is not split it is reported as gnd/index.h says.
 */
#ifndef GND_DIST_INDEX_H
#define GND_DIST_INDEX_H

#include <gnd/dist/arg.h>
#include <gnd/dist/array.h>
#include <gnd/index.h>

GND_BEGIN

/**
 * Elements of x by their indices along one axis, which the axes of `indices` replace (numpy.take); x's dtype. The
 * result is split as the indices are, and along the other axes as x is. GND_ERROR_DTYPE for indices that are not
 * integers, GND_ERROR_INDEX for indices into an axis without elements, GND_ERROR_AXIS for an axis that does not exist.
 */
GND_API gnd_dist *gnd_dist_take(const gnd_dist *x, gnd_dist_arg indices, int axis, gnd_index_mode mode);
/**
 * x[..., indices, ...] = values along one axis. Values are a split array, an array that is the same on all ranks, or a
 * number; they broadcast to the shape of gnd_dist_take()'s result and are cast to x's dtype as by gnd_set(). Split
 * values have that result's layout, up to the cuts, which are adjusted. Of equal indices the last one in C order wins.
 * Indices must not be split where x is in copies (GND_ERROR_INVALID).
 */
GND_API gnd_status gnd_dist_put(gnd_dist *x, gnd_dist_arg indices, int axis, gnd_dist_arg values, gnd_index_mode mode);
/**
 * x[..., indices, ...] = operator(x[..., indices, ...], values), once for each index, in their C order, as gnd_at()
 * with the operator of that name: the same bits for any number of ranks. Values are as in gnd_dist_put(), or GND_NONE
 * for an operator of one argument.
 */
GND_API gnd_status gnd_dist_at(const char *name, gnd_dist *x, gnd_dist_arg indices, int axis, gnd_dist_arg values);

/**
 * The slices of x along one axis for which `condition`, a vector as long as the axis, is true, as gnd_compress(). They
 * stay on their ranks, so blocks may have any lengths. The condition may have any dtype; it is an array that is the
 * same on all ranks, or split along the same axis of the mesh as x's axis (other cuts are adjusted).
 */
GND_API gnd_dist *gnd_dist_compress(gnd_dist_arg condition, const gnd_dist *x, int axis);
/**
 * The elements of x for which `mask`, of x's shape, is true, as a vector in C order, as gnd_extract(). They stay on
 * their ranks, so x must be split along its first axis (axes of length 1 before it do not count), or not at all; else
 * GND_ERROR_INVALID. GND_ERROR_SHAPE for a mask of another shape.
 */
GND_API gnd_dist *gnd_dist_extract(gnd_dist_arg mask, const gnd_dist *x);

GND_END

#define gnd_dist_take(x, indices, axis, mode) (gnd_dist_take)(x, GND_DIST_ARG(indices), axis, mode)
#define gnd_dist_put(x, indices, axis, values, mode)                                                                   \
    (gnd_dist_put)(x, GND_DIST_ARG(indices), axis, GND_DIST_ARG(values), mode)
#define gnd_dist_at(name, x, indices, axis, values)                                                                    \
    (gnd_dist_at)(name, x, GND_DIST_ARG(indices), axis, GND_DIST_ARG(values))
#define gnd_dist_compress(condition, x, axis) (gnd_dist_compress)(GND_DIST_ARG(condition), x, axis)
#define gnd_dist_extract(mask, x) (gnd_dist_extract)(GND_DIST_ARG(mask), x)

#endif
