/*
 * gnd/decompose.h: decompositions (QR, SVD, eigenvalues) and functions built on them: pseudo-inverses, least
 * squares, ranks, norms, condition numbers, exponentials.
 *
 *     gnd_array *q, *r;
 *     gnd_qr(&q, &r, a, GND_QR_REDUCED);
 *     gnd_array *x;                                   // least squares, the solution alone
 *     gnd_lstsq(&x, NULL, NULL, NULL, a, b, NULL);
 *
 * Matrices are the last two axes of an array; the axes before them are a batch. gnd/linalg.h has the rules
 * for all of linear algebra. Arrays may have any strides. Dtypes are float32, float64, complex64 and
 * complex128; integers and bool are computed in float64; float16 and bfloat16 are GND_ERROR_DTYPE where
 * LAPACK is used, as in NumPy. Inputs are copied once, since LAPACK overwrites them.
 *
 * Where several results come through pointers, pass NULL for one that is not wanted: it is not computed.
 * After a failure all of them are NULL. gnd itself waits only in gnd_expm. On a GPU some of cuSOLVER's
 * routines for single matrices wait because they compute or decide on the host: syevd, gesvd, gesvdj and
 * geev. Functions that need eigenvalues or singular values may therefore wait, but do not report faults then.
 * Batches of small symmetric matrices, and singular values of up to about 160 columns, use other kernels
 * (gnd/linalg.h).
 *
 * Results may be column-major in memory, as LAPACK makes them, or views of larger or transposed memory; each
 * comment says so.
 *
 * A matrix with a NaN or an infinity has no singular values or eigenvalues. It counts as one on which the
 * iteration does not converge: GND_ERROR_VALUE at the next wait, with NaN as its results (gnd/linalg.h).
 */
#ifndef GND_DECOMPOSE_H
#define GND_DECOMPOSE_H

#include <gnd/arg.h>
#include <gnd/base.h>
#include <gnd/shape.h>

GND_BEGIN

/* ---- orthogonal factors --------------------------------------------------------------------- */

/** What gnd_qr gives of an m x n matrix; k = min(m, n). */
typedef enum gnd_qr_mode {
    GND_QR_REDUCED = 0, /**< q (m x k) and r (k x n) */
    GND_QR_COMPLETE,    /**< q (m x m) and r (m x n) */
    GND_QR_R,           /**< r (k x n) alone; there is no q */
    GND_QR_RAW,         /**< LAPACK's reflectors h (n x m: the factored matrix transposed) and factors tau (k) */
} gnd_qr_mode;

/**
 * The factors of a = q r: q has orthonormal columns, r is upper triangular (numpy.linalg.qr; signs are
 * LAPACK's). Without q (NULL), only r is computed. q and r are column-major; h is row-major, n x m.
 *
 * CPU: geqrf, and orgqr or ungqr for q. GPU: kernels of gnd's own and products of cuBLAS's
 * (gnd/linalg.h); for larger ones cuSOLVER's geqrf, and orgqr or ungqr, which also make q of one large
 * matrix.
 */
GND_API gnd_status gnd_qr(gnd_array **q, gnd_array **r, const gnd_array *a, gnd_qr_mode mode);

/* ---- singular values ------------------------------------------------------------------------ */

/**
 * The singular value decomposition a = u diag(s) vh (numpy.linalg.svd): of an m x n matrix s has k = min(m,
 * n) elements, in descending order and real; u is m x k and vh k x n, with `full` u is m x m and vh n x n. If
 * neither u nor vh is wanted, only the values are computed. The vectors of one singular value are determined
 * up to a factor of modulus 1, in u and in vh.
 *
 * A wide matrix is decomposed as its transpose. LAPACK can then read a row-major matrix in place, and u and
 * vh are row-major views. For a tall matrix they are column-major.
 *
 * CPU: gesdd, and gesvd where that does not converge. GPU: QR factors and gnd's own one-sided Jacobi kernels
 * for up to 1024 columns (beyond what fits a block, after eigenvectors by syevd or syevBatched); else
 * cuSOLVER's gesvdj, and gesvd for the values of large matrices and the vectors of complex ones.
 */
GND_API gnd_status gnd_svd(gnd_array **u, gnd_array **s, gnd_array **vh, const gnd_array *a, bool full);
/** The singular values alone, as gnd_svd gives them (numpy.linalg.svdvals). */
GND_API gnd_array *gnd_svdvals(const gnd_array *a);

/** Which singular values count as zero. NULL or all zero: NumPy's defaults. */
typedef struct gnd_rank_options {
    gnd_arg rtol;   /**< those up to rtol times the largest: a number, or an array of them for each matrix.
                       GND_NONE: 1e-15 in gnd_pinv, max(m, n) times the dtype's epsilon in
                       gnd_matrix_rank */
    gnd_arg tol;    /**< those up to tol itself, in place of rtol; gnd_matrix_rank only */
    bool hermitian; /**< each matrix equals its conjugate transpose; only the lower triangle is read (faster) */
    bool standard;  /**< gnd_pinv without rtol: max(m, n) times the dtype's epsilon, the default of the
                         array API standard (numpy.linalg.pinv with rtol=None) */
} gnd_rank_options;

/**
 * The pseudo-inverse of Moore and Penrose (numpy.linalg.pinv), n x m of an m x n matrix: v diag(1 / s) u^H,
 * without the singular values that count as zero. The result of an empty matrix has its dtype. Costs gnd_svd
 * (`hermitian`: gnd_eigh) and a product.
 */
GND_API gnd_array *gnd_pinv(const gnd_array *a, const gnd_rank_options *options);

/**
 * How many singular values do not count as zero, int64, one for each matrix (numpy.linalg.matrix_rank).
 * Of arrays of less than two dimensions: 1 if any element is not zero, else 0. `tol` together with
 * `rtol` is GND_ERROR_INVALID.
 */
GND_API gnd_array *gnd_matrix_rank(const gnd_array *a, const gnd_rank_options *options);

/* ---- least squares -------------------------------------------------------------------------- */

/** The algorithm of gnd_lstsq. */
typedef enum gnd_lstsq_method {
    GND_LSTSQ_SVD = 0, /**< by singular values: any matrix, and its rank is found */
    GND_LSTSQ_QR,      /**< by QR and a triangular system: several times faster, for matrices of full rank with
                       m >= n */
} gnd_lstsq_method;

/** Options of gnd_lstsq; NULL or all zero: NumPy's defaults. */
typedef struct gnd_lstsq_options {
    gnd_lstsq_method method;
    double rcond; /**< singular values up to rcond times the largest count as zero. 0: max(m, n) times the
                       dtype's epsilon; outside of (0, 1): half the epsilon, as LAPACK has it */
} gnd_lstsq_options;

/**
 * The x that minimizes |b - a x|; if there are several, the one with the smallest |x| (numpy.linalg.lstsq). a
 * is m x n; b is m x k, or a vector of m elements if it is 1-d. Batches broadcast, unlike NumPy, which takes
 * none. Results, each computed only if its pointer is not NULL:
 *
 * - x: n elements, or n x k;
 * - residuals: |b - a x|^2 for each of the k columns (one of a vector), if m > n, else an array of no
 *   elements. NumPy also gives none if the rank is less than n. Finding that out would mean waiting, so gnd
 *   always gives them, and they are correct;
 * - rank: of each matrix, int32;
 * - s: its singular values, in descending order.
 *
 * Matrices with m > n are first reduced to n x n by QR: the routines are those of gnd_qr, then ormqr or
 * unmqr, then gnd_svd. With GND_LSTSQ_QR, trtrs (GPU: trsm) solves the system instead. It gives no `rank` and
 * no `s` (GND_ERROR_INVALID if they are asked for), m < n is GND_ERROR_SHAPE, and a rank-deficient matrix
 * counts as singular only if rounding leaves a zero on the diagonal.
 */
GND_API gnd_status gnd_lstsq(gnd_array **x, gnd_array **residuals, gnd_array **rank, gnd_array **s, const gnd_array *a,
                             const gnd_array *b, const gnd_lstsq_options *options);

/* ---- eigenvalues ---------------------------------------------------------------------------- */

/**
 * Eigenvalues w, real and in ascending order, and orthonormal eigenvectors, the columns of v, of square
 * matrices that equal their conjugate transpose: a v = v diag(w) (numpy.linalg.eigh). Only one triangle is
 * read, the lower one or the `upper` one, and of the diagonal only the real parts. v is column-major.
 * CPU: syevd or heevd. GPU: up to 64 x 64 one-sided Jacobi by a kernel of gnd's own, batches of up to 512 x 512
 * cuSOLVER's XsyevBatched (CUDA 13.0's can fail on float32 whose sizes differ by more than 10^19), else Xsyevd.
 */
GND_API gnd_status gnd_eigh(gnd_array **w, gnd_array **v, const gnd_array *a, bool upper);
/** The eigenvalues alone, as gnd_eigh gives them (numpy.linalg.eigvalsh). */
GND_API gnd_array *gnd_eigvalsh(const gnd_array *a, bool upper);

/**
 * Eigenvalues w and right eigenvectors of length 1, the columns of v, of any square matrices: a v = v diag(w)
 * (numpy.linalg.eig). Both are always complex. NumPy gives real ones if every imaginary part happens to be 0;
 * finding that out would mean waiting. v is column-major. CPU: geev. GPU: cuSOLVER's Xgeev.
 */
GND_API gnd_status gnd_eig(gnd_array **w, gnd_array **v, const gnd_array *a);
/** The eigenvalues alone, as gnd_eig gives them (numpy.linalg.eigvals). */
GND_API gnd_array *gnd_eigvals(const gnd_array *a);

/**
 * The exponential of square matrices, the sum of a^k / k! (scipy.linalg.expm): scaling and squaring of Pade's
 * approximants of degree 7 and 13 (Al-Mohy and Higham, SIAM J. Matrix Anal. Appl. 31, 2009), The degree is
 * chosen for the whole batch, the scaling for each matrix. A matrix with a NaN, an infinity, or a row whose
 * absolute sum overflows gives NaN; the other matrices of the batch are not affected. The matrices are
 * column-major.
 *
 * Waits for the norms of the matrices. If one is so large that it must be scaled, it waits again for norms of
 * powers, and a third time if such a power overflows. Does not wait for 1 x 1 matrices. The work is products
 * (gnd_matmul) and one system (gesv; GPU: getrf and trsm).
 */
GND_API gnd_array *gnd_expm(const gnd_array *a);

/* ---- numbers -------------------------------------------------------------------------------- */

/**
 * The norm of vectors or matrices (numpy.linalg.norm). `axes`: one axis says that vectors lie along it, two
 * that they are the rows and the columns of matrices; GND_ALL stands for the only ones of an array of one or
 * two dimensions. Takes `keepdims`. `order`, as text:
 *
 *     "2.5"   vectors: (sum of |x|^2.5)^(1 / 2.5), any number; "0": how many are not zero
 *     "inf"   vectors: the largest |x|; matrices: the largest sum of |x| along a row; "-inf" the smallest
 *     "1"     matrices: the largest sum of |x| along a column; "-1" the smallest
 *     "2"     matrices: the largest singular value; "-2" the smallest
 *     "nuc"   matrices: the sum of the singular values
 *     "fro"   matrices: (sum of |x|^2)^(1/2); "f" for short
 *     NULL    that of all the elements named; with GND_ALL, of any number of dimensions
 *
 * The dtype is that of gnd_vector_norm. Any other order is GND_ERROR_INVALID. Computed by reductions; "2",
 * "-2" and "nuc" of matrices use gnd_svdvals.
 */
GND_API gnd_array *gnd_norm(const gnd_array *x, const char *order, gnd_axes axes);
/** The norm of the matrices in the last two axes, by gnd_norm's orders (numpy.linalg.matrix_norm); these
    stay with size 1 if `keepdims`. */
GND_API gnd_array *gnd_matrix_norm(const gnd_array *x, const char *order, bool keepdims);

/**
 * The condition number of each matrix (numpy.linalg.cond): norm(x) norm(x^-1) in the norm that `order` names
 * as in gnd_norm; NULL, "2": the largest singular value over the smallest, of any matrix, and "-2" the other
 * way round. The other orders take square matrices only. It is infinite for a singular matrix (also in "nuc",
 * where NumPy fails); that is not an error. An empty matrix is GND_ERROR_VALUE. Uses gnd_svdvals, or gnd_inv
 * and reductions.
 */
GND_API gnd_array *gnd_cond(const gnd_array *x, const char *order);

/**
 * The sum of the diagonal in each plane of two axes (numpy.trace): the elements whose index along axis2 is
 * that along axis1 plus `offset`. The dtype is that of gnd_sum; for another one, use gnd_sum of gnd_diagonal.
 * One reduction of a view.
 */
GND_API gnd_array *gnd_trace(const gnd_array *a, int64_t offset, int axis1, int axis2);

GND_END

#endif
