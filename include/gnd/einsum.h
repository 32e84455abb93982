/*
 * gnd/einsum.h: sums of products of any number of arrays, in Einstein's notation.
 *
 *     gnd_einsum("ij,jk->ik", GND_ARRAYS(a, b))               a matrix product
 *     gnd_einsum("bij,bjk->bik", GND_ARRAYS(a, b))            one for each b
 *     gnd_einsum("...ij,...jk->...ik", GND_ARRAYS(a, b))      the same for any leading axes
 *     gnd_einsum("ii->i", GND_ARRAYS(a))                      the diagonal, a view
 *     gnd_einsum("ij,jk,kl->il", GND_ARRAYS(a, b, c))         two by two, in a good order
 *
 * Subscripts are NumPy's. Each operand has a letter (A to Z, a to z) for each of its axes; operands are
 * separated by commas, and spaces mean nothing. Axes with the same letter run together, and have the same
 * size, or size 1 in some of the operands: those are broadcast. A letter twice in one operand takes a
 * diagonal (there the sizes must be the same). `...` stands, once in an operand, for all axes that have no
 * letter; those of different operands are lined up from the last one backwards and broadcast. Letters behind
 * `->` are the axes of the result, in their order, each of them once; `...` among them stands for the
 * broadcast axes, and is required if there are any. Axes that are not named there are summed over. Without
 * `->` the result has the broadcast axes, then the letters that occur just once, in the order of their codes
 * (A to Z, then a to z). An operand with no subscripts is 0-d.
 *
 * There are at most 64 different axes, those of `...` included, and GND_MAX_DIMS in an operand, in the result
 * and between steps. NumPy's other form, lists of numbers in place of letters, is gnd_einsum_lists.
 *
 * Errors: subscripts that break these rules (GND_ERROR_INVALID), another number of axes or other sizes than
 * the subscripts need (GND_ERROR_SHAPE), a NULL array, arrays on different devices.
 */
#ifndef GND_EINSUM_H
#define GND_EINSUM_H

#include <gnd/base.h>
#include <gnd/products.h>
#include <gnd/shape.h>

GND_BEGIN

/**
 * The sum of products that `subscripts` describe (numpy.einsum), in the dtype of all operands promoted
 * together: integers wrap around, bool is an or of ands, float16 and bfloat16 are computed in float32 and
 * rounded once, at the end.
 *
 * One operand of which nothing is summed gives a view: transposed axes, diagonals. It can be written if the
 * operand can. Everything else is new; in memory its axes need not be in C order.
 *
 * Algorithm: axes of size 1 are dropped, diagonals are views, and axes of only one operand are summed first
 * (as by gnd_sum). The rest of two operands is a product of matrices by gnd_matmul's routines (cuBLAS on a
 * GPU, OpenBLAS on the CPU, gnd's own kernels for integers and bool). Shared axes that stay are the batch,
 * shared axes that are summed are the inner dimension, and the others are rows and columns. Operands are read
 * in place, transposed or not; one is copied only if its axes cannot be read as rows and columns. With
 * nothing to sum it is an elementwise product; with no rows or no columns (inner products, matrices times
 * vectors) it is a reduction that multiplies as it reads (as gnd_vecdot).
 *
 * Three or more operands are multiplied pairwise, in the order that the greedy search of gnd_einsum_path
 * finds after axes of size 1 and of only one operand are gone. (For the original operands that order may
 * differ.) Steps of more than two operands are also done pairwise. Since sums are rearranged, floating-point
 * results may differ from a single sum of products in the last digits, and in where they overflow.
 *
 * Does not wait.
 */
GND_API gnd_array *gnd_einsum(const char *subscripts, int count, gnd_array_list arrays);

/**
 * The same into `out`, which has the result's shape (numpy.einsum with out=, casting="same_kind").
 * Computed in the dtype of all operands and `out` promoted together, which must be one that can be
 * cast to out's within its kind (else GND_ERROR_DTYPE). `out` may overlap operands, as if they had
 * been copied. Does not wait.
 */
GND_API gnd_status gnd_einsum_into(gnd_array *out, const char *subscripts, int count, gnd_array_list arrays);

/**
 * gnd_einsum with options (numpy.einsum with dtype, casting, out; but NumPy's casting is "safe" unless
 * another one is named, and here it is GND_SAME_KIND). The operands are cast to `dtype` before they are
 * multiplied. As in NumPy a view of one operand, which gnd_einsum would give, is not cast. With `out` and no
 * dtype it is computed in that of all operands and `out` together. Casts that the rule does not allow are
 * GND_ERROR_DTYPE; `axes` is refused (GND_ERROR_INVALID). Does not wait.
 */
GND_API gnd_array *gnd_einsum_with(const char *subscripts, int count, gnd_array_list arrays,
                                   gnd_product_options options);

/** In a list of gnd_einsum_lists: the axes that no number names, as `...` in subscripts. */
#define GND_EINSUM_ELLIPSIS (-1)

/**
 * gnd_einsum_with, with numbers from 0 to 51 for letters (numpy.einsum(a, [0, 1], b, [1, 2], [0, 2])):
 *
 *     gnd_einsum_lists(GND_ARRAYS(a, b), (gnd_axes[]){GND_AXES(0, 1), GND_AXES(1, 2)},
 *                      &GND_AXES(0, 2), (gnd_product_options){.dtype = GND_FLOAT32})
 *
 * A list for each operand; GND_NO_AXES is the empty one, of a 0-d operand. `result` may be NULL: then the result
 * has the numbers that occur just once, in ascending order. Messages have letters for the numbers: A to Z for
 * 0 to 25, a to z for 26 to 51. A number out of range, and a list with options of gnd_axes, is
 * GND_ERROR_INVALID. Does not wait.
 */
GND_API gnd_array *gnd_einsum_lists(int count, gnd_array_list arrays, const gnd_axes lists[], const gnd_axes *result,
                                    gnd_product_options options);

/* ---- paths ---------------------------------------------------------------------------------- */

/** How the order of the contractions is found. */
typedef enum gnd_einsum_method {
    /** At each step the pair whose contraction frees most memory, of those the one with the fewest
        operations; outer products last. Takes a time cubic in the number of operands. */
    GND_EINSUM_GREEDY = 0,
    /** The fewest operations of all orders. Takes a time factorial in the number of operands: up to
        eight or ten are no trouble. */
    GND_EINSUM_OPTIMAL,
    GND_EINSUM_AT_ONCE, /**< no order: one step of all operands (numpy's optimize=False) */
} gnd_einsum_method;

/** Options of gnd_einsum_path; NULL or all zero: NumPy's defaults. */
typedef struct gnd_einsum_options {
    gnd_einsum_method method;
    /**
     * Maximum number of elements of an intermediate; 0: the size of the largest operand or of the result. If
     * no pair stays below it, the rest is one step.
     */
    double memory_limit;
    void *reserved[4];
} gnd_einsum_options;

/** One step of a path: some of the remaining operands are replaced by their product, appended at the end. */
typedef struct gnd_einsum_step {
    int count;              /**< of operands that this step takes, two but where NumPy takes more */
    const int *operands;    /**< indices into the remaining operands, ascending */
    const char *subscripts; /**< the contraction, the last operand first: "kl,jk->jl" */
    const char *remaining;  /**< the contraction that remains: "ij,jl->il" */
    int scaling;            /**< over how many axes the step runs */
    double flops;           /**< its operations */
    double size;            /**< elements of what it makes */
} gnd_einsum_step;

/** A path and its cost. Numbers are exact up to 2^53. */
typedef struct gnd_einsum_plan {
    int count; /**< of steps */
    const gnd_einsum_step *steps;
    const char *subscripts; /**< all of it, with the result's axes and letters for those of `...` */
    int naive_scaling;      /**< over how many axes one sum of products runs */
    int scaling;            /**< the most that a step has */
    double naive_flops;     /**< the operations of one sum of products */
    double flops;           /**< those of the steps, and 1 (as NumPy counts) */
    double speedup;         /**< naive_flops / flops */
    double largest;         /**< elements of the largest array that a step makes */
    const char *text;       /**< NumPy's table of all this, to be printed */
} gnd_einsum_plan;

/**
 * The order in which to contract operands two by two (numpy.einsum_path), by NumPy's algorithms and
 * with its counts of operations: a step that runs over n combinations of its axes' values takes n
 * multiplications for each operand but the first, and n additions if something is summed. Only the
 * shapes of the arrays are looked at. Axes of `...` get letters that are not used, from the end of
 * the alphabet.
 *
 * Two operands or fewer, and products with no axis to sum, are one step. Errors as gnd_einsum, and
 * a method that is none or a negative limit (GND_ERROR_INVALID). To be freed with
 * gnd_einsum_plan_free. Does not wait.
 */
GND_API gnd_einsum_plan *gnd_einsum_path(const char *subscripts, int count, gnd_array_list arrays,
                                         const gnd_einsum_options *options);

/** Frees a plan and all that it points at; NULL is allowed. */
GND_API void gnd_einsum_plan_free(gnd_einsum_plan *plan);

GND_END

#define gnd_einsum(...) GND_WITH_LIST_(gnd_einsum)(__VA_ARGS__)
#define gnd_einsum_into(...) GND_WITH_LIST_(gnd_einsum_into)(__VA_ARGS__)
#define gnd_einsum_with(...) GND_WITH_LIST_(gnd_einsum_with)(__VA_ARGS__)
#define gnd_einsum_lists(...) GND_WITH_LIST_(gnd_einsum_lists)(__VA_ARGS__)
#define gnd_einsum_path(...) GND_WITH_LIST_(gnd_einsum_path)(__VA_ARGS__)

#endif
