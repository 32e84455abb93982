/*
 * gnd/dist/sort.h: sorting, selection and distinct values of split arrays.
 *
 * The order is that of gnd/sort.h: NaN last, stable in both directions, so that results are the same for any number of
 * ranks and any layout, and the same as gnd's. Along an axis that is not split, ranks sort their blocks and nothing
 * moves. Along a split axis the result has the cuts of numpy.array_split, along the others x's cuts.
 *
 * Functions here are collective where the axis is split. If there are fewer lines than ranks, each rank sorts its part
 * of a line; then the ranks find exactly where the sorted parts have to be cut, and send each element once: this waits,
 * and takes memory for three blocks (of elements, and of indices where these are wanted); an error of one rank is the
 * error of all. If there are at least as many lines as ranks, each rank receives some lines, sorts them and sends them
 * back.
 */
#ifndef GND_DIST_SORT_H
#define GND_DIST_SORT_H

#include <gnd/dist/array.h>
#include <gnd/sort.h>

GND_BEGIN

/** The elements sorted along an axis, as gnd_sort(). GND_ERROR_AXIS for an axis that does not exist; a 0-d array has
    none. */
GND_API gnd_dist *gnd_dist_sort(const gnd_dist *x, int axis, gnd_direction direction);
/** The indices along the axis that sort x, as gnd_argsort(): int64, counted along the whole axis. */
GND_API gnd_dist *gnd_dist_argsort(const gnd_dist *x, int axis, gnd_direction direction);
/** Both at once, as gnd_sort_with_indices(); both are NULL after an error. */
GND_API gnd_status gnd_dist_sort_with_indices(gnd_dist **values, gnd_dist **indices, const gnd_dist *x, int axis,
                                              gnd_direction direction);

/**
 * The first k elements along an axis of the sorted array, and their indices in x, as gnd_topk(); either pointer may be
 * NULL. If the axis is split, each rank sends its own first k to all ranks along that axis of the mesh; the results are
 * in copies there, and have x's layout along other axes. Does not wait on a GPU. GND_ERROR_VALUE if k is negative or
 * larger than the axis.
 */
GND_API gnd_status gnd_dist_topk(gnd_dist **values, gnd_dist **indices, const gnd_dist *x, int64_t k, int axis,
                                 gnd_direction direction);

/** Options of gnd_dist_unique(): further results, and which elements are equal. All zero is the default. */
typedef struct gnd_dist_unique_options {
    gnd_dist **index;   /**< receives the index in x, in C order, of the first of the elements that are equal */
    gnd_dist **inverse; /**< receives the index of each element's value in the result: of x's shape and layout */
    gnd_dist **counts;  /**< receives the number of elements that have each value */
    bool distinct_nan;  /**< every NaN is a value of its own; false: all NaN are equal */
    void *reserved[4];
} gnd_dist_unique_options;

/**
 * The distinct values of x, ascending, in one dimension, as gnd_unique() of all elements; `options` may be NULL.
 * Values, index and counts are split along the axis of the mesh along which x is split (axis 0 if it is split along
 * both), in blocks of about equal length; they are in copies if x is. Each rank sends only its own distinct values,
 * each once (along axis 1 of a grid, to all). Waits; an error of one rank is the error of all, and the pointers receive
 * NULL.
 */
GND_API gnd_dist *gnd_dist_unique(const gnd_dist *x, const gnd_dist_unique_options *options);

GND_END

#endif
