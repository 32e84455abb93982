/*
 * lapack_plan.h: what LAPACK does, for a batch of matrices, as the `lapack` hook takes it. Matrices are
 * column-major, of float32, float64, complex64 or complex128, and overwritten as LAPACK does. The front
 * has made the copies; a backend takes its workspace from the pool.
 *
 * A matrix for which a routine fails (FAULTS below) is reported to the device's fault record, in the name
 * of the plan's call, and the next wait raises it; its results are NaN.
 */
#ifndef GNDI_LAPACK_PLAN_H
#define GNDI_LAPACK_PLAN_H

#include "runtime/runtime.h"

typedef enum gndi_lapack_op {
    /* Factors of a square matrix (LU: of an m x n one), and systems with `columns` right sides in b. */
    GNDI_LAPACK_LU,             /* a = its factors, `pivots`; a singular matrix is no failure (getrf) */
    GNDI_LAPACK_LU_SOLVE,       /* b = op(A)^-1 b, where a and pivots are LU's (getrs) */
    GNDI_LAPACK_SOLVE,          /* b = op(A)^-1 b; a is overwritten. FAULTS: singular (gesv) */
    GNDI_LAPACK_INVERSE,        /* b (n x n) = A^-1; a is overwritten. FAULTS: singular (getrf, getri) */
    GNDI_LAPACK_DETERMINANT,    /* sign[i], w[i]: det = sign exp(w); a is overwritten (getrf) */
    GNDI_LAPACK_CHOLESKY,       /* a = its factor in the triangle `lower` says, 0 in the other one if
                                `clears`. FAULTS: not positive definite (potrf) */
    GNDI_LAPACK_CHOLESKY_SOLVE, /* b = A^-1 b, a is the factor (potrs) */
    GNDI_LAPACK_TRIANGULAR,     /* b = op(A)^-1 b, a triangular: `lower`, `unit`. FAULTS: a zero on the
                                   diagonal (trtrs) */
    GNDI_LAPACK_PERMUTATION,    /* permutation = p, where (P x)[i] = x[p[i]], of the P in LU's A = P L U:
                                    0 .. m-1 with the exchanges of `pivots` made from the last to the
                                    first. No matrix takes part, and n may be 0 */
    /* Orthogonal factors of an m x n matrix. */
    GNDI_LAPACK_QR,       /* a = R and the reflectors, `tau` of min(m, n) (geqrf) */
    GNDI_LAPACK_QR_Q,     /* a (m x n, n <= m) = the first n columns of Q, from its first k columns, which
                             are reflectors, and tau (orgqr, ungqr) */
    GNDI_LAPACK_QR_APPLY, /* b (m x columns) = op(Q) b, of the k reflectors in a; op: not TRANSPOSED, but
                             CONJUGATED of complex matrices (ormqr, unmqr) */
    /* Eigenvalues and singular values. FAULTS: no convergence */
    GNDI_LAPACK_SVD,  /* m >= n. w = n singular values, descending. `vectors`: u (m x n, or m x m if
                         `full`), v = V^H (n x n). a is overwritten (gesdd) */
    GNDI_LAPACK_EIGH, /* w = n eigenvalues, ascending, of the matrix in the triangle `lower` says;
                         `vectors`: a = the eigenvectors, else it is overwritten (syevd, heevd) */
    GNDI_LAPACK_EIG,  /* w = n eigenvalues, complex; `vectors`: v (n x n) = the right eigenvectors of length
                         1, complex. a is overwritten (geev) */
} gndi_lapack_op;

typedef enum gndi_lapack_transpose {
    GNDI_LAPACK_PLAIN,
    GNDI_LAPACK_TRANSPOSED,
    GNDI_LAPACK_CONJUGATED, /* transposed, too */
} gndi_lapack_transpose;

/* Column-major matrices, one for each of the batch. */
typedef struct gndi_lapack_matrix {
    char *data;
    int64_t ld;   /* elements from one column to the next */
    int64_t step; /* bytes from one matrix to the next */
} gndi_lapack_matrix;

struct gndi_lapack_plan {
    gndi_lapack_op op;
    uint8_t dtype; /* of a, b, tau, sign; u and v (EIG: v and w are of the complex dtype) */
    bool lower, unit, clears, vectors, full;
    bool quiet; /* a matrix that fails is filled with NaN, and no fault is reported */
    gndi_lapack_transpose transpose;
    int64_t m, n, k, columns; /* of a square matrix m == n */
    int64_t batch;            /* at least 1; no matrix is empty */
    gndi_lapack_matrix a, b, u, v;
    /* Packed: as many for each matrix as the op says, one matrix behind the other. */
    char *w; /* the real dtype */
    char *sign, *tau;
    int32_t *pivots;      /* min(m, n) each, counted from 1 */
    int64_t *permutation; /* m each */
};

#endif
