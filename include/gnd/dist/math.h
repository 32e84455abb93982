/*
 * gnd/dist/math.h: operators, the program's own functions, and reductions of split arrays.
 *
 * Operands are broadcast as by gnd. What is split must be split along the same axis of the result, along the same axis
 * of the mesh; operands in copies, arrays that all ranks have alike, and numbers go with all. Other pairs are refused
 * with GND_ERROR_INVALID: gnd_dist_redistribute() moves. Where only the cuts differ, the edges of the other operands
 * move to the cuts of the first split one, which is a collective exchange between neighbours.
 */
#ifndef GND_DIST_MATH_H
#define GND_DIST_MATH_H

#include <gnd/dist/arg.h>
#include <gnd/dist/array.h>
#include <gnd/elementwise.h>

GND_BEGIN

/* ---- element by element ---------------------------------------------------------------------------------- */

/** Options of gnd_dist_apply(). Zero is always the default. */
typedef struct gnd_dist_apply_options {
    const gnd_dist
        *where;          /**< bool: compute only where true; new arrays are 0 elsewhere. Broadcast with the operands */
    gnd_dtype dtype;     /**< of the (first) result, and of the computation */
    gnd_casting casting; /**< how arguments and results may be cast */
    void *reserved[4];
} gnd_dist_apply_options;

/**
 * Applies an operator of gnd/elementwise.h by name, as gnd_apply(): gnd_dist_apply("add", GND_DIST_ARGS(x, 2), NULL).
 * The macros of gnd/dist/elementwise.h write it shorter: gnd_dist_add(x, 2). At least one argument is a split array.
 */
GND_API gnd_dist *gnd_dist_apply(const char *name, int count, const gnd_dist_arg *arguments,
                                 const gnd_dist_apply_options *options);
/** The same of operators with two results: divmod, frexp, modf. */
GND_API gnd_status gnd_dist_apply_two(gnd_dist **first, gnd_dist **second, const char *name, int count,
                                      const gnd_dist_arg *arguments, const gnd_dist_apply_options *options);
/** The same into the blocks of `out`, whose shape is the result's and whose cuts the operands are moved to. */
GND_API gnd_status gnd_dist_apply_into(gnd_dist *out, const char *name, int count, const gnd_dist_arg *arguments,
                                       const gnd_dist_apply_options *options);
/** A copy in another dtype, as gnd_astype(). Moves nothing. */
GND_API gnd_dist *gnd_dist_astype(const gnd_dist *x, gnd_dtype dtype);

/** A function of the program's own: makes a block of the result of the blocks of `count` arrays, which have one shape
    by broadcasting. NULL and an error if it fails. */
typedef gnd_array *gnd_dist_function(void *context, int count, const gnd_array *const *blocks);
/**
 * The array that `f` makes of aligned blocks, on each rank: any functions of gnd, fused or not, and kernels of the
 * user's own. `dtype` is the result's, whose shape is that of the arrays broadcast together.
 */
GND_API gnd_dist *gnd_dist_map(gnd_dist_function *f, void *context, gnd_dtype dtype, int count,
                               const gnd_dist *const *arrays);

/* ---- reductions -------------------------------------------------------------------------------------------- */

/** Options of gnd_dist_reduce(). Zero is always the default. */
typedef struct gnd_dist_reduce_options {
    const gnd_dist *where; /**< bool, of x's shape after broadcasting: take part only where true */
    double ddof;           /**< of var and std */
    double order;          /**< of norm; 0 is that order, so say 2 */
    void *reserved[4];
} gnd_dist_reduce_options;

/**
 * A reduction by name: sum prod min max mean var std any all count_nonzero argmin argmax norm, as gnd's function of
 * that name (norm: gnd_vector_norm) over the same axes, with keepdims, dtype and initial of `axes`. Takes no gnd_array
 * in `where` and `out`. The result has the given layout. Collective where a reduced axis is split, or where the layout
 * is another than that of what remains.
 *
 * Ranks reduce their blocks, and these partial results are combined in the order of the blocks, in the dtype of the
 * computation. So for one layout the bits are the same on every run; integers, min, max, any, all, argmin and argmax
 * are the same for any number of ranks, floating sums differ in their rounding.
 */
GND_API gnd_dist *gnd_dist_reduce(const char *name, const gnd_dist *x, gnd_axes axes, gnd_layout result,
                                  const gnd_dist_reduce_options *options);

/** The one element of an array of one, as a double, on all ranks. Collective; waits. 0 and an error if it has another
    number of elements, is complex, or has failed on a rank. */
GND_API double gnd_dist_item_double(const gnd_dist *x);
/** The same of integers. */
GND_API int64_t gnd_dist_item_int(const gnd_dist *x);

GND_END

#define gnd_dist_sum(x, axes, layout) gnd_dist_reduce("sum", x, axes, layout, NULL)
#define gnd_dist_prod(x, axes, layout) gnd_dist_reduce("prod", x, axes, layout, NULL)
#define gnd_dist_min(x, axes, layout) gnd_dist_reduce("min", x, axes, layout, NULL)
#define gnd_dist_max(x, axes, layout) gnd_dist_reduce("max", x, axes, layout, NULL)
#define gnd_dist_mean(x, axes, layout) gnd_dist_reduce("mean", x, axes, layout, NULL)
#define gnd_dist_var(x, axes, layout) gnd_dist_reduce("var", x, axes, layout, NULL)
#define gnd_dist_std(x, axes, layout) gnd_dist_reduce("std", x, axes, layout, NULL)
#define gnd_dist_any(x, axes, layout) gnd_dist_reduce("any", x, axes, layout, NULL)
#define gnd_dist_all(x, axes, layout) gnd_dist_reduce("all", x, axes, layout, NULL)
#define gnd_dist_count_nonzero(x, axes, layout) gnd_dist_reduce("count_nonzero", x, axes, layout, NULL)
#define gnd_dist_argmin(x, axes, layout) gnd_dist_reduce("argmin", x, axes, layout, NULL)
#define gnd_dist_argmax(x, axes, layout) gnd_dist_reduce("argmax", x, axes, layout, NULL)

#endif
