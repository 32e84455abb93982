/*
 * gnd/dist/array.h: arrays that are split over the ranks of a mesh, and how they move.
 *
 * A gnd_dist has a global shape, a dtype, a layout (gnd/dist/layout.h) and on each rank a local gnd_array: its block.
 * All ranks make, use and release it in the same order. Scopes own it as they own a gnd_array (gnd/scope.h).
 *
 * Wrong arguments are refused on all ranks alike: NULL and an error. Where only this rank fails (out of memory), the
 * result is an array that has failed: it has a shape, but no elements here. The error is pending on this rank; further
 * calls accept the array and go on; the other ranks learn of the error when they wait: gnd_mesh_agree, gnd_dist_gather,
 * gnd_dist_item_double, gnd_dist_print, gnd_dist_save.
 *
 * Work is queued; calls wait where their comments say so. "Collective" functions move bytes: all ranks must call them.
 */
#ifndef GND_DIST_ARRAY_H
#define GND_DIST_ARRAY_H

#include <gnd/arg.h>
#include <gnd/array.h>
#include <gnd/dist/layout.h>
#include <gnd/dist/mesh.h>
#include <gnd/shape.h>

GND_BEGIN

/** An array split over a mesh: opaque. */
typedef struct gnd_dist gnd_dist;

/* ---- new arrays ------------------------------------------------------------------------------------------ */

/** A new array whose elements are undefined. GND_DTYPE_NONE: float64. Moves nothing. */
GND_API gnd_dist *gnd_dist_empty(gnd_mesh *mesh, gnd_shape shape, gnd_dtype dtype, gnd_layout layout);
/** A new array filled with a number, or with a 0-d array that is the same on all ranks, as by gnd_full(). Moves
    nothing. */
GND_API gnd_dist *gnd_dist_full(gnd_mesh *mesh, gnd_shape shape, gnd_arg value, gnd_dtype dtype, gnd_layout layout);
#define gnd_dist_full(mesh, shape, value, ...) (gnd_dist_full)((mesh), (shape), GND_ARG(value), __VA_ARGS__)
/**
 * start, start + step, ... below stop, as gnd_arange() with the same elements: real numbers, start and step may be
 * GND_NONE. Moves nothing. GND_ERROR_VALUE if step is 0, GND_ERROR_INVALID for an array or a complex number.
 */
GND_API gnd_dist *gnd_dist_arange(gnd_mesh *mesh, gnd_arg start, gnd_arg stop, gnd_arg step, gnd_dtype dtype,
                                  gnd_layout layout);
#define gnd_dist_arange(mesh, start, stop, step, ...)                                                                  \
    (gnd_dist_arange)((mesh), GND_ARG(start), GND_ARG(stop), GND_ARG(step), __VA_ARGS__)
/**
 * The array made of blocks that the ranks already have: of any length along split axes, of equal lengths along the
 * others, of one dtype. Shares the memory of `local`. The layout must have no list of cuts: these are the blocks'.
 * Collective; waits. GND_ERROR_SHAPE or GND_ERROR_DTYPE if the blocks do not fit each other.
 */
GND_API gnd_dist *gnd_dist_from_local(gnd_mesh *mesh, gnd_array *local, gnd_layout layout);
/** An array of x's shape and layout, and of this dtype, whose block is `local`: what functions of gnd computed from
    gnd_dist_local(x). If `local` is NULL or has another shape or dtype, the array has failed. Moves nothing. */
GND_API gnd_dist *gnd_dist_like(const gnd_dist *x, gnd_array *local, gnd_dtype dtype);

/* ---- what an array is ------------------------------------------------------------------------------------ */

/** The block of this rank, as a view, for any function of gnd. NULL, and the error, if the array has failed here. */
GND_API gnd_array *gnd_dist_local(const gnd_dist *x);
/** The global shape. */
GND_API gnd_shape gnd_dist_shape_of(const gnd_dist *x);
/** The number of elements of all ranks' blocks together, copies counted once. */
GND_API int64_t gnd_dist_size(const gnd_dist *x);
/** The element type. */
GND_API gnd_dtype gnd_dist_dtype_of(const gnd_dist *x);
/** The mesh (borrowed). */
GND_API gnd_mesh *gnd_dist_mesh_of(const gnd_dist *x);
/** The layout, with its cuts, which live as long as x. */
GND_API gnd_layout gnd_dist_layout_of(const gnd_dist *x);
/** Where the block of a rank begins along each axis, and how long it is: lists of one number for each axis. */
GND_API gnd_status gnd_dist_part(const gnd_dist *x, int rank, int64_t *start, int64_t *count);
/** Whether two arrays have the same shape and the same layout, cut for cut. */
GND_API bool gnd_dist_same_layout(const gnd_dist *a, const gnd_dist *b);

/** gnd_keep() for these arrays. */
GND_API gnd_dist *gnd_dist_keep(gnd_dist *x);
/** Replaces *slot, which outlives the innermost scope, by `value`, and releases the old one: for loops with a scope. */
GND_API gnd_dist *gnd_dist_assign(gnd_dist **slot, gnd_dist *value);
/** Gives an array back, also one that a scope owns. NULL is ignored. Does not wait. */
GND_API void gnd_dist_release(gnd_dist *x);

/* ---- moving ---------------------------------------------------------------------------------------------- */

/** An array of rank `root`, split over the mesh; the others' `a` may be NULL. Collective; waits. */
GND_API gnd_dist *gnd_dist_scatter(gnd_mesh *mesh, const gnd_array *a, int root, gnd_layout layout);
/** The whole array on rank `root`, or on all ranks if root is -1. NULL, which is no error, elsewhere. Collective;
    waits. */
GND_API gnd_array *gnd_dist_gather(const gnd_dist *x, int root);
/**
 * The same elements in another layout. Each element is sent to a rank at most once. Where every rank has its new block
 * already (copies that become split), the result is a view, and nothing moves. Collective.
 */
GND_API gnd_dist *gnd_dist_redistribute(const gnd_dist *x, gnd_layout layout);

/* ---- views: nothing moves ---------------------------------------------------------------------------------- */

/**
 * A part of x, in NumPy's syntax as gnd_slice() takes it: "1:-1, ::2". Blocks become shorter. An integer or a negative
 * step along a split axis would move elements, and is GND_ERROR_INVALID.
 */
GND_API gnd_dist *gnd_dist_slice(const gnd_dist *x, const char *items, ...) GND_PRINTF(2, 3);
/** The axes in another order, as gnd_permute(); GND_ALL: reversed. */
GND_API gnd_dist *gnd_dist_permute(const gnd_dist *x, gnd_axes axes);
/** Another shape in C order; one size may be -1. Every split axis must keep its length and the number of elements
    before it: else GND_ERROR_SHAPE. A view, or a copy where gnd_reshape() makes one. */
GND_API gnd_dist *gnd_dist_reshape(const gnd_dist *x, gnd_shape shape);

/** Prints the array on rank 0's stdout as gnd_print() does; of a large array only the edges are sent. Collective;
    waits. */
GND_API gnd_status gnd_dist_print(const gnd_dist *x);

GND_END

#endif
