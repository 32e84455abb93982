/*
 * lapack_eigh_params.h: the parameter block of lapack_eigh_kernels.cu.
 */
#ifndef GNDI_LAPACK_EIGH_PARAMS_H
#define GNDI_LAPACK_EIGH_PARAMS_H

#include "linalg/cuda/lapack_params.h"

/* Bytes of shared memory beside the matrices. */
#define GNDI_EIGH_NOTES(n, real_bytes) ((32 + (n) + ((n)&1)) * (real_bytes) + 16 + (n)*4)

typedef struct gndi_eigh_params {
    gndi_matrices a; /* the triangle; becomes the eigenvectors */
    char *w;         /* the real dtype */
    int *info;       /* the number of sweeps if it did not converge, or 0 */
    int64_t batch;
    float tolerance; /* the cosine of columns that count as orthogonal */
    int n, width;    /* columns, and filled up to a multiple of 4 */
    int lines, ld;   /* 16 bytes each: of a column, and from one to the next */
    int lanes;       /* that share a pair */
    uint8_t lower, vectors;
} gndi_eigh_params;

#endif
