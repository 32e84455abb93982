/*
 * gnd/dist/math.h: operators, the program's own functions, and reductions of split arrays.
 *
 * Operands are broadcast as by gnd. Split operands must be split along the same axis of the result, along the same axis
 * of the mesh; operands in copies, arrays that are the same on all ranks, and numbers fit any layout. Other pairs are
 * refused with GND_ERROR_INVALID: gnd_dist_redistribute() moves. Where only the cuts differ, the edges of the other
 * operands move to the cuts of the first split one, which is a collective exchange. Functions here do not wait on a
 * GPU, but for gnd_dist_item_double and gnd_dist_item_int.
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
/** The same for operators with two results: divmod, frexp, modf. Both are NULL after an error. */
GND_API gnd_status gnd_dist_apply_two(gnd_dist **first, gnd_dist **second, const char *name, int count,
                                      const gnd_dist_arg *arguments, const gnd_dist_apply_options *options);
/** The same, written into the blocks of `out`: of the result's shape; operands move to its cuts. */
GND_API gnd_status gnd_dist_apply_into(gnd_dist *out, const char *name, int count, const gnd_dist_arg *arguments,
                                       const gnd_dist_apply_options *options);
/** A copy in another dtype, as gnd_astype(). Moves nothing. */
GND_API gnd_dist *gnd_dist_astype(const gnd_dist *x, gnd_dtype dtype);

/** A function of the program's own: computes a block of the result from the blocks of `count` arrays, which broadcast
    together. Returns NULL and raises an error if it fails. */
typedef gnd_array *gnd_dist_function(void *context, int count, const gnd_array *const *blocks);
/**
 * The array whose blocks `f` computes from the aligned blocks of the arrays, on each rank: by any functions of gnd,
 * fused or not, and by kernels of the user's own. The result has the dtype `dtype` and the shape to which the arrays
 * broadcast.
 */
GND_API gnd_dist *gnd_dist_map(gnd_dist_function *f, void *context, gnd_dtype dtype, int count,
                               const gnd_dist *const *arrays);

/* ---- reductions -------------------------------------------------------------------------------------------- */

/** Options of gnd_dist_reduce(). Zero is always the default. */
typedef struct gnd_dist_reduce_options {
    const gnd_dist *where; /**< bool, of x's shape after broadcasting: take part only where true */
    double ddof;           /**< of var and std */
    double order;          /**< of norm; zero means order 0, so set 2 for the Euclidean norm */
    void *reserved[4];
} gnd_dist_reduce_options;

/**
 * A reduction by name: sum prod min max mean var std any all count_nonzero argmin argmax norm logsumexp, as gnd's
 * function of that name (norm: gnd_vector_norm; logsumexp: gnd_logsumexp without factors, -inf of nothing) over the
 * same axes, with keepdims, dtype and initial of `axes`, but not its `where` and `out`. The result has the given
 * layout. Collective where a reduced axis is split, or where the axes that remain have another layout than the result.
 * GND_ERROR_DTYPE for a dtype, an initial value or a `where` that the reduction does not take.
 *
 * Ranks reduce their blocks, and these partial results are combined in the dtype of the computation: in the order of
 * the blocks, or by the transport where the bits cannot depend on the order. So for one layout the bits are the same on
 * every run; integers, min, max, any, all, argmin and argmax are the same for any number of ranks; floating-point sums
 * differ in rounding.
 */
GND_API gnd_dist *gnd_dist_reduce(const char *name, const gnd_dist *x, gnd_axes axes, gnd_layout result,
                                  const gnd_dist_reduce_options *options);

/**
 * exp(x) over its sum along the axes, and its logarithm, with the dtypes and errors of gnd_softmax() and
 * gnd_log_softmax(); x's layout. Long rows are read once for the largest element and the sum of each, which all ranks
 * along a split axis exchange, and once for the result. float16 and bfloat16 are computed in float32. For one layout
 * the bits are the same on every run. Collective where one of the axes is split.
 */
GND_API gnd_dist *gnd_dist_softmax(const gnd_dist *x, gnd_axes axes);
GND_API gnd_dist *gnd_dist_log_softmax(const gnd_dist *x, gnd_axes axes);

/** The element of an array of one element, as a double, on all ranks. Collective; waits. 0 and an error if x has
    another number of elements, is complex, or has failed on a rank. */
GND_API double gnd_dist_item_double(const gnd_dist *x);
/** The same as an int64_t. */
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
#define gnd_dist_logsumexp(x, axes, layout) gnd_dist_reduce("logsumexp", x, axes, layout, NULL)
#define gnd_dist_argmin(x, axes, layout) gnd_dist_reduce("argmin", x, axes, layout, NULL)
#define gnd_dist_argmax(x, axes, layout) gnd_dist_reduce("argmax", x, axes, layout, NULL)

#endif
