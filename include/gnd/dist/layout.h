/*
 * gnd/dist/layout.h: how an array is distributed over a mesh: for each of the mesh's two axes, the axis of the array
 * that is split along it, or none: then the array is replicated, and all ranks along that axis have copies.
 *
 * A split axis is cut into as many blocks as there are ranks along the mesh's axis: block k goes from cut k to cut
 * k + 1. Without a list, cuts are those of numpy.array_split: the first blocks are longer by one. Slices, masks and
 * sorts make others. A mesh that is no grid has one rank along its axis 1.
 *
 * Functions that take a layout refuse, alike on all ranks, an axis that the array lacks or that is named twice
 * (GND_ERROR_AXIS), and lists of cuts that do not fit the mesh or the axis (GND_ERROR_INVALID).
 */
#ifndef GND_DIST_LAYOUT_H
#define GND_DIST_LAYOUT_H

#include <gnd/base.h>

GND_BEGIN

/** No axis of the array is split along this axis of the mesh: copies. */
#define GND_WHOLE (-1000)

/** A layout: a plain struct that needs no release. Lists are borrowed, and read by the call alone. */
typedef struct gnd_layout {
    int axis[2];  /**< for each axis of the mesh: an axis of the array (negative: from the end) or GND_WHOLE */
    int count[2]; /**< of each list: ranks along the axis of the mesh, plus 1; 0: array_split's cuts */
    const int64_t *cuts[2]; /**< 0, ..., the axis' length; never decreasing */
    void *reserved[2];
} gnd_layout;

/** `axis` split along axis 0 of the mesh at the given cuts. */
static inline gnd_layout gnd_layout_cuts(int axis, int count, const int64_t *cuts) {
    gnd_layout layout = {{axis, GND_WHOLE}, {count, 0}, {cuts, NULL}, {NULL, NULL}};
    return layout;
}
/** One axis of the array for each axis of the mesh. */
static inline gnd_layout gnd_layout_split(int axis0, int axis1) {
    gnd_layout layout = {{axis0, axis1}, {0, 0}, {NULL, NULL}, {NULL, NULL}};
    return layout;
}

GND_END

/** Every rank has a copy. */
#define GND_COPIES gnd_layout_split(GND_WHOLE, GND_WHOLE)
/** The array's axis `axis` is split along axis 0 of the mesh. */
#define GND_SPLIT(axis) gnd_layout_split((axis), GND_WHOLE)
/** Axis `rows` of the array is split along axis 0 of a grid, axis `columns` along axis 1. Either may be GND_WHOLE. */
#define GND_SPLIT2(rows, columns) gnd_layout_split((rows), (columns))

#endif
