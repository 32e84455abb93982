/*
 * gnd/dist/linalg.h: products and systems of equations of split arrays.
 */
#ifndef GND_DIST_LINALG_H
#define GND_DIST_LINALG_H

#include <gnd/dist/array.h>

GND_BEGIN

/**
 * The product of matrices (gnd_matmul(), numpy.matmul): vectors, matrices, and stacks of them whose axes before the
 * last two broadcast; of any dtypes. `result` is the layout of the product. Collective where a block has to move.
 *
 * Any two layouts go together. Along each axis of the mesh:
 *
 * - one operand split, the other in copies: nothing moves. Split along the inner axis, each rank has a partial
 *   product; these are added in the order of the blocks, by the ranks that the result's parts go to. The own part is
 *   multiplied last, while the others travel. But where the mesh has one axis and the result is split, and what a rank
 *   needs of the operands for its part is no more than the partial products, the operands travel instead.
 * - both along the inner axis, or both along the same axis of a stack: likewise; the second operand moves to the first
 *   one's cuts.
 * - rows and inner axis (both are split by rows), or inner axis and columns: the operand split by rows, or by columns,
 *   stays, and the other operand's blocks travel. On a grid, with a and b split along both axes, this is SUMMA.
 * - rows and columns: the result's layout decides which operand stays; else the larger one does.
 * - an axis of a stack and another axis: the operand split along the stack stays, and the other is redistributed.
 *
 * Blocks travel in panels, and on a GPU the next panel is sent while this one is multiplied. Each rank begins with
 * its own, so that all links are busy. Products of float16 and bfloat16 are rounded once, at the end: where panels
 * would have to be added, they are panels of columns of b (of rows of a). If the product then lies in another layout
 * than `result`, it is redistributed.
 *
 * For one pair of layouts the bits are the same on every run; those of integers and bool are the same for any layouts.
 * GND_ERROR_SHAPE if sizes do not fit or an operand is 0-d, GND_ERROR_INVALID for different meshes. Does not wait on a
 * GPU.
 */
GND_API gnd_dist *gnd_dist_matmul(const gnd_dist *a, const gnd_dist *b, gnd_layout result);
/**
 * The sum of conj(a) b over all elements (gnd_vdot(), numpy.vdot), 0-d, in copies. Both have the same shape, and the
 * same layout except for the cuts. Partial sums are added in the order of the blocks. Collective; does not wait on a
 * GPU. GND_ERROR_SHAPE if shapes differ.
 */
GND_API gnd_dist *gnd_dist_vdot(const gnd_dist *a, const gnd_dist *b);

/* ---- systems with a split matrix --------------------------------------------------------------------------------- */

/*
 * Matrices of two axes in any layout, of float32, float64, complex64 and complex128; integers and bool are computed in
 * float64; float16 and bfloat16 are GND_ERROR_DTYPE. A matrix is copied to the 2-D block-cyclic distribution of the
 * solver libraries (twice its memory), solved, and the result is moved to the layout `result`. Over NCCL the library is
 * cuSOLVERMp 0.7 or later (its path may be in the environment's GND_CUSOLVERMP), over MPI ScaLAPACK (GND_SCALAPACK);
 * each is opened at its first use, and GND_ERROR_UNAVAILABLE says what is missing. A mesh of one rank needs neither.
 * On all meshes but those over MPI gnd's own functions do gnd_dist_cholesky() and gnd_dist_lstsq(), and need neither.
 *
 * These functions are collective and wait. An error of one rank is the error of all: NULL everywhere. GND_ERROR_SHAPE
 * if sizes do not fit.
 */

/** x with a x = b (gnd_solve()), by LU with row pivots; b a vector, or a matrix of columns. GND_ERROR_VALUE if a is
    singular. */
GND_API gnd_dist *gnd_dist_solve(const gnd_dist *a, const gnd_dist *b, gnd_layout result);
/** The same for a hermitian positive definite a, of which the lower triangle is read. GND_ERROR_VALUE if it is not
    positive definite. */
GND_API gnd_dist *gnd_dist_cholesky_solve(const gnd_dist *a, const gnd_dist *b, gnd_layout result);
/** The lower triangle l with a = l l^H (gnd_cholesky()), zeros above. Errors as above. Except over MPI, blocks of rows
    are dealt out in turn, and each panel of columns is gathered and factored while products of the one before are
    subtracted. */
GND_API gnd_dist *gnd_dist_cholesky(const gnd_dist *a, gnd_layout result);
/** The x that minimizes |b - a x| (gnd_lstsq() with GND_LSTSQ_QR), by QR. `a` has full rank and at least as many rows
    as columns. Except over MPI, each rank factors its rows of a and b, and all of them the first rows of everybody's
    triangles: ranks times as many as a has columns, which every rank needs memory for. */
GND_API gnd_dist *gnd_dist_lstsq(const gnd_dist *a, const gnd_dist *b, gnd_layout result);

/* ---- systems without a matrix ------------------------------------------------------------------------------------ */

/** A linear operator of the program's own: returns A x, of x's shape and layout, except for the cuts. Collective if its
    calls are. */
typedef gnd_dist *gnd_dist_operator(void *context, const gnd_dist *x);

/** Options of gnd_dist_cg(). Zero is always the default. */
typedef struct gnd_dist_cg_options {
    const gnd_dist *start; /**< where to begin; NULL: zeros */
    double rtol, atol;     /**< converged if |b - A x| is at most the larger of rtol |b| and atol; 0: 1e-5 and 0. A
                                negative rtol means 0 */
    int64_t iterations;    /**< at most; 0: ten times the number of elements */
    int64_t check;         /**< the residual is checked, which waits, once in so many iterations; 0: in each */
    gnd_dist_operator
        *precondition; /**< an approximation of A's inverse, hermitian and positive definite; NULL: none */
    void *precondition_context;
    void *reserved[4];
} gnd_dist_cg_options;

/** How gnd_dist_cg() ended. */
typedef struct gnd_dist_cg_result {
    int64_t iterations; /**< done */
    double residual;    /**< |b - A x| by the recurrence, when it was last checked */
    bool converged;
    void *reserved[4];
} gnd_dist_cg_result;

/**
 * x with A x = b by conjugate gradients (scipy.sparse.linalg.cg), for a hermitian positive definite operator, which
 * `a` applies; x and b are arrays of any shape and layout. float32, float64, complex64, complex128; integers and bool
 * are computed in float64, float16 and bfloat16 in float32. An iteration calls `a` once, with an array that it must
 * not keep, and moves two numbers for each rank. x is also returned without convergence, after the last iteration or
 * when the residual is not finite: `result`, which may be NULL, tells. Collective; waits. NULL, and the error on all
 * ranks, if a call or a rank fails; GND_ERROR_SHAPE if `a` returns another shape, GND_ERROR_VALUE for negative
 * `iterations` or `check` and for a NaN tolerance.
 */
GND_API gnd_dist *gnd_dist_cg(gnd_dist_operator *a, void *context, const gnd_dist *b,
                              const gnd_dist_cg_options *options, gnd_dist_cg_result *result);

GND_END

#endif
