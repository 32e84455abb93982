/*
 * lapack_params.h: the list of the kernels of linear algebra (lapack_*_kernels.cu), and their parameter blocks.
 * Types are numbered: float32, float64, complex64, complex128.
 */
#ifndef GNDI_LAPACK_PARAMS_H
#define GNDI_LAPACK_PARAMS_H

#include "runtime/fault.h"
#include <stdint.h>

/* Column-major matrices: elements from column to column, bytes from matrix to matrix. */
typedef struct gndi_matrices {
    char *data;
    int64_t ld, step;
} gndi_matrices;

/* Where a kernel reports a matrix that failed (NULL: nowhere). */
typedef struct gndi_failure {
    gndi_fault *fault;
    int code;
} gndi_failure;

/* ---- lapack_small_kernels.cu: matrices of up to 32 rows and columns, a warp each ------------- */

enum { GNDI_SMALL_MOST = 32, GNDI_SMALL_WARPS = 4 /* of a block, at most */ };
enum { GNDI_SMALL_LU, GNDI_SMALL_SOLVE, GNDI_SMALL_INVERSE, GNDI_SMALL_DETERMINANT };
/* The leading dimension in a warp's shared memory: odd, so that neither the lanes of a column nor those of a row have
   bank conflicts. */
#define GNDI_SMALL_LD(rows) ((rows) | 1)

typedef struct gndi_small_params {
    gndi_matrices a, b;
    int32_t *pivots;
    char *sign, *w;
    int64_t batch, columns;
    int m, n;
    uint8_t what;                   /* GNDI_SMALL_LU ... */
    uint8_t transposed, conjugated; /* SOLVE: a is read so */
    uint8_t lower, clears;          /* Cholesky */
    gndi_failure failure;
} gndi_small_params;

/* ---- lapack_householder_kernels.cu: QR, a block a matrix ------------------------------------- */

enum { GNDI_HOUSEHOLDER_QR, GNDI_HOUSEHOLDER_Q, GNDI_HOUSEHOLDER_APPLY };
enum { GNDI_HOUSEHOLDER_THREADS = 512 };

typedef struct gndi_householder_params {
    gndi_matrices x; /* QR and Q: in place. APPLY: what is multiplied */
    gndi_matrices v; /* APPLY: the reflectors */
    char *tau;
    int64_t batch, taus; /* tau: so many for each matrix */
    int m, n, k;         /* x is m x n, of k reflectors */
    int ld;              /* of x in shared memory */
    int lanes;           /* that share a column: a power of two up to 32 */
    uint8_t shared;      /* x is copied to shared memory; else it is changed in place */
    uint8_t conjugated;  /* APPLY: Q^H x instead of Q x */
} gndi_householder_params;

/* ---- lapack_kernels.cu ------------------------------------------------------------------------ */

enum {
    GNDI_LAPACK_POINTERS,    /* addresses of matrices, for the batched routines */
    GNDI_LAPACK_REPORT,      /* infos: faults, and NaN in the results of what failed */
    GNDI_LAPACK_PIVOTS,      /* int64 to int32 */
    GNDI_LAPACK_EXCHANGES,   /* the permutation that pivots make */
    GNDI_LAPACK_ORDER,       /* rows or columns in another order */
    GNDI_LAPACK_BLOCK,       /* one part of a matrix from another, or constant */
    GNDI_LAPACK_FINITE,      /* which matrices are not finite: they become 0 */
    GNDI_LAPACK_DIAGONAL,    /* infos of triangular matrices: the first zero on the diagonal */
    GNDI_LAPACK_EIGENVECTORS /* complex eigenvectors from geev's real form */
};

enum { GNDI_LAPACK_THREADS = 256, GNDI_LAPACK_RESULTS = 4 };
/* A block does a matrix: its most threads, and the elements that each thread should have. */
enum { GNDI_FINITE_THREADS = 1024, GNDI_FINITE_EACH = 8 };

typedef struct gndi_pointers_params {
    char *base, **to;
    int64_t step, batch;
} gndi_pointers_params;

/* A result that is NaN where its matrix failed: rows x columns of words of 4 or 8 bytes. */
typedef struct gndi_result {
    char *data;
    int64_t rows, columns, ld, step; /* words, but step: bytes */
    int word;
} gndi_result;

/* What gndi_finite_params' `state` says of a matrix. One that is shrunk was multiplied by 2^-GNDI_SHRINK, since its
   singular values, or lengths of columns, may be too large for the dtype. */
enum { GNDI_MATRIX_FINE, GNDI_MATRIX_BROKEN, GNDI_MATRIX_SHRUNK, GNDI_SHRINK = 40 };

typedef struct gndi_report_params {
    const int *info;
    const int *state; /* of the matrices: a broken one fails, too; NULL: all are fine */
    int64_t batch;
    gndi_result result[GNDI_LAPACK_RESULTS];
    int results;
    gndi_failure failure;
} gndi_report_params;

typedef struct gndi_pivots_params {
    const int64_t *wide;
    int32_t *narrow;
    int64_t count;
} gndi_pivots_params;

typedef struct gndi_permutation_params {
    const int32_t *pivots;
    int64_t *to;
    int64_t batch, m, steps;
    uint8_t shared; /* it is made in shared memory: m + steps numbers */
} gndi_permutation_params;

enum {
    GNDI_ORDER_GATHER,  /* row i of to = row order[i] of from */
    GNDI_ORDER_SCATTER, /* row order[i] of to = row i of from */
    GNDI_ORDER_COLUMNS, /* column i of to = column order[i] of from */
};
typedef struct gndi_order_params {
    gndi_matrices from, to;
    const int64_t *order; /* of each matrix: `rows` indices, or `columns` */
    int64_t batch, rows, columns;
    uint8_t what;
} gndi_order_params;

/* to[i, j] = from[i, j] inside rows x columns of from, else 1 on the diagonal if `unit`, else 0. */
typedef struct gndi_block_params {
    gndi_matrices from, to;
    int64_t batch, m, n;   /* of `to` */
    int64_t rows, columns; /* of `from`, before it is transposed */
    uint8_t transposed;    /* from^H */
    uint8_t unit;
    uint8_t upper;                    /* below from's diagonal there is 0 */
    uint8_t keeps_lower, keeps_upper; /* that triangle of `to` is not written */
} gndi_block_params;

typedef struct gndi_finite_params {
    gndi_matrices a;
    int *state; /* of each matrix; one that is not finite becomes zeros */
    int64_t batch, m, n;
    uint8_t lower, upper; /* that triangle alone is looked at */
    uint8_t shrinks;      /* matrices with large elements are shrunk */
} gndi_finite_params;

typedef struct gndi_diagonal_params {
    gndi_matrices a;
    int *info;
    int64_t batch, n;
} gndi_diagonal_params;

typedef struct gndi_product_params {
    gndi_matrices a;
    const int64_t *wide; /* pivots of 64 bits or of 32 */
    const int32_t *narrow;
    const int *info;
    char *sign, *w;
    int64_t batch, n;
} gndi_product_params;

typedef struct gndi_eigenvectors_params {
    const char *w;      /* complex eigenvalues */
    const char *packed; /* n x n, real: real and imaginary parts of a pair are neighbours */
    char *v;            /* n x n, complex */
    int64_t n, ld;
} gndi_eigenvectors_params;

#endif
