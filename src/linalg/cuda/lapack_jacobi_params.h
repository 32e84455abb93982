/*
 * lapack_jacobi_params.h: the list of the kernels of lapack_jacobi_kernels.cu, and their parameter block.
 */
#ifndef GNDI_LAPACK_JACOBI_PARAMS_H
#define GNDI_LAPACK_JACOBI_PARAMS_H

#include "linalg/cuda/lapack_params.h"

enum {
    GNDI_JACOBI_SIZES,   /* of A's columns, */
    GNDI_JACOBI_SORT,    /* and their order */
    GNDI_JACOBI_WHOLE_1, /* a matrix a block; lines of a column that a lane holds at once */
    GNDI_JACOBI_WHOLE_2,
    GNDI_JACOBI_BEGIN,  /* larger ones: what is rotated, */
    GNDI_JACOBI_CHECK,  /* whether eigenvectors are orthonormal, */
    GNDI_JACOBI_SLICES, /* its rotations, */
    GNDI_JACOBI_END,    /* values, */
    GNDI_JACOBI_VECTORS /* and the results */
};
enum {
    GNDI_JACOBI_THREADS = 512,
    /* At most: a matrix that needs more does not converge. Most take ten. Of 300 x 300, matrices with each column twice
       take 39, and graded ones 54 if the eigenvectors are arbitrary mixtures where values are below rounding errors of
       the largest (run on the CPU). */
    GNDI_JACOBI_SWEEPS = 100,
    GNDI_JACOBI_COLUMNS = 8 /* that a thread makes of a product: divides the width of two slices */
};
/* The largest element of a matrix is scaled to about 2 to this. */
enum { GNDI_JACOBI_TOP_32 = 48, GNDI_JACOBI_TOP_64 = 460 };
/* Bytes of shared memory for n columns beside the matrices themselves. */
#define GNDI_JACOBI_NOTES(n, bytes, real_bytes)                                                                        \
    ((n) * (bytes) + ((n) > 32 ? (n) : 32) * (real_bytes) + ((n) + 1) * 4 + 32)

typedef struct gndi_jacobi_params {
    gndi_matrices a;       /* R, on and above the diagonal; SIZES: A; CHECK: Z */
    gndi_matrices u, v;    /* U_R in m rows and `columns` columns, else as the identity; V^H */
    char *w;               /* the real dtype */
    int *info;             /* the number of sweeps if it did not converge, or 0 */
    int64_t *column_order; /* column column_order[k] of A is column k of Q R */
    int64_t batch, m, columns;
    float tolerance;      /* the cosine of columns that count as orthogonal */
    int n, width;         /* columns: of a matrix, and of what a block has at once */
    int lines_x, lines_y; /* 16 bytes each: of a column of R^H and of the rotations, */
    int ldx, ldy;         /* and from one to the next */
    int lanes;            /* that share a pair: a power of two up to 32 */
    uint8_t vectors;
    /* Of matrices in slices of width / 2 columns, an even number of them. */
    char *x, *y; /* R^H and U_R, `all` columns each */
    char *seen;  /* GNDI_JACOBI_SWEEPS pairs of floats for each matrix */
    int *shift, *order;
    int *arrived;   /* of each team, in SLICES */
    int all, parts; /* columns, filled up; blocks of a matrix in BEGIN and VECTORS; SIZES: warps of
                       a column, 1 or all */
    int team;       /* blocks of a matrix in SLICES: all are on the GPU at once if there are several */
    int later;      /* log2 of what R^H is still to be multiplied by after BEGIN */
} gndi_jacobi_params;

#endif
