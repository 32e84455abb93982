/*
 * gnd/products.h: products of vectors, matrices and stacks of matrices.
 *
 *     gnd_matmul(a, b)                     NumPy's a @ b
 *     gnd_matmul_into(c, a, b, 2, 1)       c = 2 a b + c
 *     gnd_tensordot(a, b, 2)               over the last two axes of a and the first two of b
 *
 * Rules for all of them, except kron, cross and outer, which are elementwise products:
 *
 * - The work is done by cuBLAS on a GPU and OpenBLAS on the CPU for float32, float64, complex64 and
 *   complex128, and for float16 and bfloat16, whose products add up in float32 and are rounded once, at the
 *   end. Integers (which wrap around), bool ("and" for products, "or" for sums), and small matrices where it
 *   is faster, use gnd's own kernels. gnd_allow_tf32 (gnd/linalg.h) lets float32 use TF32.
 * - Transposed, sliced, broadcast and Fortran-ordered operands are read in place. An operand is copied if its
 *   dtype is not the result's, or if BLAS cannot describe its layout: a floating or complex matrix with unit
 *   stride along neither axis, or with an axis of negative or zero stride.
 * - The result has the dtype of both arrays promoted together, and is in C order.
 * - Nothing waits for the device.
 *
 * Errors, in NumPy's terms: shapes that do not fit (GND_ERROR_SHAPE), arrays on different devices, and
 * GND_ERROR_UNAVAILABLE where the library is missing.
 */
#ifndef GND_PRODUCTS_H
#define GND_PRODUCTS_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- matrices ------------------------------------------------------------------------------- */

/**
 * The product of matrices (numpy.matmul, a @ b): (..., m, k) times (..., k, n) is (..., m, n), where the axes
 * before the last two broadcast. A 1-d `a` is a row, a 1-d `b` a column; that axis is dropped from the
 * result. 0-d arrays are GND_ERROR_SHAPE. Sums of nothing (k = 0) are 0.
 *
 * Two vectors, and a vector and one matrix of integers or bool, go through the reduction kernels.
 *
 * cuBLAS and OpenBLAS: ?gemm, for a batch its strided batched form; ?gemv where one of the two is a vector
 * (but of complex128 on a GPU a kernel of gnd's own). A batch against one matrix is one product, where
 * strides allow that.
 */
GND_API gnd_array *gnd_matmul(const gnd_array *a, const gnd_array *b);
/**
 * out = alpha a b + beta out, with the product of gnd_matmul. `out` has its shape, and any strides and any
 * dtype of the same kind or a higher one (as NumPy's out=); what is computed in is the dtype of a and b
 * promoted. It may overlap a and b, as if these had been copied. If beta is 0, `out` is not read, so NaN in
 * it is overwritten. If alpha is 0, a and b are not read: out = beta out. Into integers and bool, alpha and
 * beta must be whole numbers that fit the dtype of `out`, which integer products are scaled in; into complex
 * numbers they may be complex.
 *
 * One call of ?gemm, if `out` is floating or complex, has the computation's dtype, has contiguous rows or
 * columns, and overlaps neither a nor b. For integers, one launch if alpha is 1 and beta 0 or 1. Otherwise a
 * temporary is used.
 */
GND_API gnd_status gnd_matmul_into(gnd_array *out, const gnd_array *a, const gnd_array *b, gnd_arg alpha, gnd_arg beta);

/** Options of gnd_matmul_with, gnd_einsum_with and gnd_einsum_lists; all zero: as without them. */
typedef struct gnd_product_options {
    gnd_array *out;      /**< write here; the result is a new reference to it */
    gnd_dtype dtype;     /**< dtype of the computation and the result; GND_DTYPE_NONE: what the arrays promote to */
    gnd_casting casting; /**< how the arrays may be cast to the computation's dtype, and that to out's */
    /** gnd_matmul_with: three lists, of a, b and the result: which axes the rows and columns are, or the one
        axis of a vector. NULL: the last ones. (numpy.matmul's `axes`.) */
    const gnd_axes *axes;
    void *reserved[4];
} gnd_product_options;

/**
 * gnd_matmul with NumPy's keywords (numpy.matmul with axes, dtype, casting, out):
 *
 *     gnd_matmul_with(a, b, (gnd_product_options){.dtype = GND_FLOAT32, .casting = GND_UNSAFE})
 *     gnd_matmul_with(a, b, (gnd_product_options){
 *         .axes = (gnd_axes[3]){GND_AXES(0, 1), GND_AXES(0, 1), GND_AXES(0, 1)}})
 *
 * Each list has two axes, one where an array is a vector, and for the result as many as the arrays leave it:
 * two, one beside a vector, none (GND_NO_AXES) of two vectors. The product with other axes is a view of one
 * in C order. Casts that the rule does not allow are GND_ERROR_DTYPE, lists that do not fit
 * GND_ERROR_INVALID. `out` may overlap a and b, as if these had been copied.
 *
 * Matrices of float16 or bfloat16 with GND_FLOAT32 have float32 sums that are not rounded to 16 bits. A GPU's matrix
 * units make them from the 16-bit factors (cublasGemmEx); the CPU casts these.
 */
GND_API gnd_array *gnd_matmul_with(const gnd_array *a, const gnd_array *b, gnd_product_options options);

/**
 * numpy.dot: of two vectors their inner product (no conjugate; gnd_vdot has one), 0-d, computed by the
 * reduction kernels, with the same bits each time; of two matrices gnd_matmul; with a 0-d array an
 * elementwise product; otherwise sums over the last axis of `a` and the last but one of `b` (the only
 * one of a vector): the shape is that of `a` without the one and that of `b` without the other.
 * ?gemm, in its strided batched form for more than two dimensions, ?gemv for a vector.
 */
GND_API gnd_array *gnd_dot(const gnd_array *a, const gnd_array *b);
/** gnd_dot into an array of its shape and (as in NumPy) exactly its dtype; it may overlap a and b, and
    have any strides. */
GND_API gnd_status gnd_dot_into(gnd_array *out, const gnd_array *a, const gnd_array *b);
/** Sums over the last axis of each (numpy.inner); no conjugate. Of 0-d arrays the elementwise product.
    As gnd_dot, with the last two axes of `b` exchanged. */
GND_API gnd_array *gnd_inner(const gnd_array *a, const gnd_array *b);
/**
 * All products a[i] b[j] of the elements of two arrays, taken as vectors in C order (numpy.outer; of
 * 1-d arrays numpy.linalg.outer): a matrix of a's size by b's. Of bool it is "and". One elementwise
 * launch. (gnd_outer is the ufunc method.)
 */
GND_API gnd_array *gnd_linalg_outer(const gnd_array *a, const gnd_array *b);
/** Matrices times vectors (numpy.matvec): (..., m, k) times (..., k) is (..., m); the other axes
    broadcast. ?gemv, or ?gemm of many vectors with one matrix. */
GND_API gnd_array *gnd_matvec(const gnd_array *a, const gnd_array *x);
/** The conjugate of vectors times matrices (numpy.vecmat): (..., k) times (..., k, n) is (..., n); the
    other axes broadcast. ?gemv, or ?gemm of many vectors with one matrix. */
GND_API gnd_array *gnd_vecmat(const gnd_array *x, const gnd_array *a);

/* ---- any axes ------------------------------------------------------------------------------- */

/**
 * Sums of products over the last `count` axes of `a` and the first `count` of `b` (numpy.tensordot with
 * a number): the result has the other axes of `a`, then those of `b`. Count 0: all products.
 * One ?gemm; an operand is copied first where its axes cannot be seen as those of a matrix.
 */
GND_API gnd_array *gnd_tensordot(const gnd_array *a, const gnd_array *b, int count);
/**
 * The same over given axes: the first of `of_a` is paired with the first of `of_b`, and so on. GND_ALL is
 * every axis, in order. Options of gnd_axes are refused.
 */
GND_API gnd_array *gnd_tensordot_axes(const gnd_array *a, const gnd_array *b, gnd_axes of_a, gnd_axes of_b);
/**
 * The Kronecker product (numpy.kron): `a` with each element replaced by its product with all of `b`; the
 * array with fewer axes gets leading ones of size 1. One elementwise launch.
 */
GND_API gnd_array *gnd_kron(const gnd_array *a, const gnd_array *b);

/**
 * Cross products of vectors of 3 elements along `axis` of both and of the result (numpy.cross with
 * `axis`); the other axes broadcast. Vectors of 2 elements, which NumPy takes too though it advises
 * against them, have a third that is 0; where both have 2, only the third element of the result is
 * given, without the axis. Bool is GND_ERROR_DTYPE, as in NumPy. Six elementwise launches, no library.
 */
GND_API gnd_array *gnd_cross(const gnd_array *a, const gnd_array *b, int axis);
/** The same with an axis for each of a, b and the result (numpy.cross with axisa, axisb, axisc). */
GND_API gnd_array *gnd_cross_axes(const gnd_array *a, const gnd_array *b, int axis_a, int axis_b, int axis_c);

/* ---- several products ----------------------------------------------------------------------- */

/**
 * Square matrices to a whole power (numpy.linalg.matrix_power), by repeated squaring: at most twice
 * log2(n) products. Power 0 is the identity, 1 is a view of `a`; negative powers are those of
 * gnd_inv(a) (gnd/solve.h), whose dtypes and errors they have.
 */
GND_API gnd_array *gnd_matrix_power(const gnd_array *a, int64_t n);
/**
 * The product of `count` matrices, at least 2, in the order that takes the fewest multiplications
 * (numpy.linalg.multi_dot; Cormen et al., "Introduction to Algorithms", 15.2). The first array may be
 * 1-d, a row, and the last, a column; two arrays alone go to gnd_dot. Each product is gnd_matmul's.
 */
GND_API gnd_array *gnd_multi_dot(int count, gnd_array_list arrays);

GND_END

#define gnd_multi_dot(...) GND_WITH_LIST_(gnd_multi_dot)(__VA_ARGS__)
#define gnd_matmul_into(out, a, b, alpha, beta) (gnd_matmul_into)(out, a, b, GND_ARG(alpha), GND_ARG(beta))

#endif
