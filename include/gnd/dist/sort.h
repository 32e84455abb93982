/*
 * gnd/dist/sort.h: sorting and selection of split arrays.
 *
 * The order is that of gnd/sort.h: NaN last, stable in both directions, so that results are the same for any number of
 * ranks and any layout, and the same as gnd's. Along an axis that is not split, ranks sort their blocks and nothing
 * moves. Along a split axis the result has array_split's cuts there, and x's cuts along the others.
 *
 * All functions here are collective. Where lines are cut into parts and there are fewer lines than ranks, each rank
 * sorts its part, the ranks find exactly where the sorted parts have to be cut, and send each element once: this waits,
 * and takes memory for three blocks (with indices: of elements and indices). An error of one rank is then all ranks'.
 * Of more lines than ranks each rank gets some, sorts them and sends them back.
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

GND_END

#endif
