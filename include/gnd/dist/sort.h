/*
 * gnd/dist/sort.h: sorting, selection and distinct values of split arrays.
 *
 * The order is that of gnd/sort.h: NaN last, stable in both directions, so that results are the same for any number of
 * ranks and any layout, and the same as gnd's. Along an axis that is not split, ranks sort their blocks and nothing
 * moves. Along a split axis the result has array_split's cuts there, and x's cuts along the others.
 *
 * Functions here are collective where the axis is split. Where there are fewer lines than ranks, each rank sorts its
 * part of a line, the ranks find exactly where the sorted parts have to be cut, and send each element once: this waits,
 * and takes memory for three blocks (with indices: of elements and indices). An error of one rank is then all ranks'.
 * Of as many lines as ranks or more each rank gets some, sorts them and sends them back.
 */
#ifndef GND_DIST_SORT_H
#define GND_DIST_SORT_H

#include <gnd/dist/array.h>
#include <gnd/sort.h>

GND_BEGIN

/** The elements in order along an axis, as gnd_sort(). Names the axis of lines of x; an array without axes has none:
    GND_ERROR_AXIS. */
GND_API gnd_dist *gnd_dist_sort(const gnd_dist *x, int axis, gnd_direction direction);
/** The indices along the axis that sort x, as gnd_argsort(): int64, counted in the whole array. */
GND_API gnd_dist *gnd_dist_argsort(const gnd_dist *x, int axis, gnd_direction direction);
/** Both at once, as gnd_sort_with_indices(); NULL pointers after an error. */
GND_API gnd_status gnd_dist_sort_with_indices(gnd_dist **values, gnd_dist **indices, const gnd_dist *x, int axis,
                                              gnd_direction direction);

/**
 * The first k elements along an axis of the sorted array, and their indices in x, as gnd_topk(); either pointer may be
 * NULL. If the axis is split, each rank sends its own first k to all ranks beside it; the results are in copies there,
 * and lie as x does along other axes. Does not wait. GND_ERROR_VALUE if k is negative or larger than the axis.
 */
GND_API gnd_status gnd_dist_topk(gnd_dist **values, gnd_dist **indices, const gnd_dist *x, int64_t k, int axis,
                                 gnd_direction direction);

/** Options of gnd_dist_unique(): further results, and which elements are equal. All zero is the default. */
typedef struct gnd_dist_unique_options {
    gnd_dist **index;   /**< receives the index in x, in C order, of the first of the elements that are equal */
    gnd_dist **inverse; /**< receives the index of each element's value in the result: of x's shape and layout */
    gnd_dist **counts;  /**< receives the number of elements that have each value */
    bool distinct_nan;  /**< no NaN equals another one */
    void *reserved[4];
} gnd_dist_unique_options;

/**
 * The distinct values of x, ascending, in one dimension, as gnd_unique() of all elements; `options` may be NULL.
 * Values, index and counts are split along the axis of the mesh that x is split along (axis 0 of two), in blocks of
 * about equal length; in copies if x is. Ranks send their own distinct values alone, each once (along axis 1 of a grid,
 * to all). Waits; an error of one rank is all ranks', and the pointers receive NULL.
 */
GND_API gnd_dist *gnd_dist_unique(const gnd_dist *x, const gnd_dist_unique_options *options);

GND_END

#endif
