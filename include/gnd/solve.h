/*
 * gnd/solve.h: systems of linear equations, inverses, determinants, and LU and Cholesky factors.
 *
 *     gnd_array *x = gnd_solve(a, b);                 // a x = b
 *     gnd_array *lu, *pivots;
 *     gnd_lu_factor(&lu, &pivots, a);                 // once, for many right sides
 *     gnd_array *y = gnd_lu_solve(lu, pivots, b, GND_TRANS_NONE);
 *
 * Matrices are the last two axes of an array; the axes before them are a batch. gnd/linalg.h has the rules
 * for all of linear algebra. Arrays may have any strides. Dtypes are float32, float64, complex64 and
 * complex128; integers and bool are computed in float64; float16 and bfloat16 are GND_ERROR_DTYPE. Nothing
 * here waits, unless gnd_linalg_strict() is set. NaN in the input is not an error; it propagates to the
 * result.
 *
 * Right sides: b with one dimension is a vector; any other is a matrix of columns, or a batch of them (as
 * NumPy 2 has it). The batches of a and b broadcast, and x has the shape of b with that batch, of the dtype
 * that both promote to. A matrix that serves many right sides is factored once.
 *
 * In memory, x is column-major; its batch may lie in another order where a was broadcast.
 */
#ifndef GND_SOLVE_H
#define GND_SOLVE_H

#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- systems -------------------------------------------------------------------------------- */

/**
 * x with a x = b, a square (numpy.linalg.solve). A singular matrix is an error (gnd/linalg.h).
 *
 * CPU: getrf and getrs. GPU: kernels of gnd's own and products of cuBLAS's (gnd/linalg.h), for larger ones
 * cuSOLVER's getrf and cuBLAS's trsm. A row-major matrix is factored in place, as its transpose.
 */
GND_API gnd_array *gnd_solve(const gnd_array *a, const gnd_array *b);

/** Which matrix a system is solved with: SciPy's `trans` 0, 1 and 2. */
typedef enum gnd_trans {
    GND_TRANS_NONE = 0, /**< a */
    GND_TRANS_T,        /**< a transposed */
    GND_TRANS_H,        /**< a transposed and conjugated */
} gnd_trans;

/** Options of gnd_solve_triangular; all zero: SciPy's defaults. */
typedef struct gnd_triangular_options {
    bool lower;         /**< a is the lower triangle, not the upper one; the other is not read */
    bool unit_diagonal; /**< its diagonal is taken to be ones, and not read */
    gnd_trans trans;
    void *reserved[2];
} gnd_triangular_options;

/**
 * x with op(a) x = b, a triangular (scipy.linalg.solve_triangular). `a` is not copied if its matrices are
 * dense rows or columns of b's dtype. A zero on the diagonal is an error: the matrix is singular
 * (gnd/linalg.h).
 *
 * CPU: trtrs. GPU: cuBLAS's trsm.
 */
GND_API gnd_array *gnd_solve_triangular(const gnd_array *a, const gnd_array *b, gnd_triangular_options options);

/**
 * The inverse (numpy.linalg.inv), row-major if `a` is closer to row-major than to column-major. A singular
 * matrix is an error (gnd/linalg.h).
 *
 * CPU: getrf and getri. GPU: kernels of gnd's own and products of cuBLAS's (gnd/linalg.h), for larger ones
 * cuSOLVER's getrf and cuBLAS's trsm.
 */
GND_API gnd_array *gnd_inv(const gnd_array *a);

/**
 * x with a x = b, summed over all axes of x (numpy.linalg.tensorsolve): tensordot(a, x, x.ndim) is b.
 * `axes` of a are moved to its end first, in their order; GND_ALL or GND_NO_AXES: none. The shape of x is
 * that of a's axes behind the first b.ndim ones; both parts of a must have as many elements as b, else
 * GND_ERROR_SHAPE. Computed by gnd_solve().
 */
GND_API gnd_array *gnd_tensorsolve(const gnd_array *a, const gnd_array *b, gnd_axes axes);

/**
 * The inverse of a for products over its first `ind` axes (numpy.linalg.tensorinv, whose default is 2):
 * its shape is that of a's other axes, then of these, and both must have as many elements.
 * GND_ERROR_VALUE if ind is not positive. Computed by gnd_inv().
 */
GND_API gnd_array *gnd_tensorinv(const gnd_array *a, int ind);

/* ---- LU ------------------------------------------------------------------------------------- */

/**
 * The factors of a = p l u, m x n (scipy.linalg.lu): with k = min(m, n), p (m x m) is a permutation as a
 * matrix of the real dtype, l (m x k) has ones on its diagonal and zeros above, u (k x n) zeros below.
 * Singular matrices are allowed. l and u are column-major. Pass NULL for a result that is not wanted (all
 * NULL: GND_ERROR_INVALID). All are NULL after a failure.
 *
 * CPU: getrf. GPU: kernels of gnd's own (gnd/linalg.h), for larger ones cuSOLVER's getrf.
 */
GND_API gnd_status gnd_lu(gnd_array **p, gnd_array **l, gnd_array **u, const gnd_array *a);

/** The same with the permutation as indices, int64 of shape (..., m): row i of a is row p[i] of l u
    (scipy.linalg.lu with p_indices). */
GND_API gnd_status gnd_lu_indices(gnd_array **p, gnd_array **l, gnd_array **u, const gnd_array *a);

/** The same with the rows of l permuted, so that a = l u (scipy.linalg.lu with permute_l). */
GND_API gnd_status gnd_lu_permuted(gnd_array **l, gnd_array **u, const gnd_array *a);

/**
 * Both factors of a, m x n, in one array, as gnd_lu_solve() takes them (scipy.linalg.lu_factor): u in the
 * upper triangle, l without its diagonal below. pivots is int32 of shape (..., min(m, n)): row i was
 * exchanged with row pivots[i], counted from 0. A singular matrix is not an error here. lu is column-major.
 *
 * Pass NULL for a result that is not wanted (both NULL: GND_ERROR_INVALID). Routines: as gnd_lu().
 */
GND_API gnd_status gnd_lu_factor(gnd_array **lu, gnd_array **pivots, const gnd_array *a);

/**
 * x with op(a) x = b from what gnd_lu_factor() made of a (scipy.linalg.lu_solve). `lu` is not copied if its
 * matrices are dense columns of b's dtype, as they are when they come from there. pivots must be integers and
 * have lu's batch; out-of-range values are clipped. If a was singular, x has infinities and NaN.
 *
 * CPU: getrs. GPU: kernels of gnd's own and products of cuBLAS's (gnd/linalg.h), for larger ones cuBLAS's
 * trsm.
 */
GND_API gnd_array *gnd_lu_solve(const gnd_array *lu, const gnd_array *pivots, const gnd_array *b, gnd_trans trans);

/* ---- Cholesky ------------------------------------------------------------------------------- */

/**
 * The factor of a symmetric or Hermitian matrix a that is positive definite (numpy.linalg.cholesky): the
 * lower triangular l with l l^H = a, or with `upper` u with u^H u = a. Only that triangle of a is read, and
 * only the real parts of a complex diagonal. The result is column-major, with `upper` row-major; up to 32 x
 * 32 it is row-major if `a` is closer to row-major than to column-major. A matrix that is not positive
 * definite is an error (gnd/linalg.h).
 *
 * CPU: potrf. GPU: cuSOLVER's potrf; for batches of small matrices see gnd/linalg.h.
 */
GND_API gnd_array *gnd_cholesky(const gnd_array *a, bool upper);

/**
 * The same factor, lower or upper, for gnd_cho_solve(); the other triangle keeps a's elements
 * (scipy.linalg.cho_factor).
 */
GND_API gnd_array *gnd_cho_factor(const gnd_array *a, bool lower);

/**
 * x with a x = b from a Cholesky factor of a, in the triangle of `c` that `lower` says; the other one is not
 * read (scipy.linalg.cho_solve). `c` is not copied if its matrices are dense columns, or real dense rows, of
 * b's dtype.
 *
 * CPU: potrs. GPU: cuSOLVER's potrs, for batches two of cuBLAS's trsm.
 */
GND_API gnd_array *gnd_cho_solve(const gnd_array *c, const gnd_array *b, bool lower);

/* ---- determinants --------------------------------------------------------------------------- */

/**
 * The determinant of each matrix (numpy.linalg.det): computed as gnd_slogdet() does, then
 * sign * exp(logabsdet). 1 of an empty matrix, 0 of a singular one.
 *
 * CPU: getrf. GPU: kernels of gnd's own (gnd/linalg.h), for larger ones cuSOLVER's getrf.
 */
GND_API gnd_array *gnd_det(const gnd_array *a);

/**
 * The sign of each determinant and the logarithm of its absolute value (numpy.linalg.slogdet), neither of
 * which overflows. The sign is 1, -1, or 0 of a singular matrix, whose logarithm is -inf; of complex matrices
 * a complex number on the unit circle. logabsdet is real. Pass NULL for a result that is not wanted (both
 * NULL: GND_ERROR_INVALID). Routines: as gnd_det().
 */
GND_API gnd_status gnd_slogdet(gnd_array **sign, gnd_array **logabsdet, const gnd_array *a);

GND_END

#endif
