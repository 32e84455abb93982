/*
 * lapack_jacobi_cuda.h: singular values by gnd's own kernels, for lapack_svd_cuda.c.
 */
#ifndef GNDI_LAPACK_JACOBI_CUDA_H
#define GNDI_LAPACK_JACOBI_CUDA_H

#include "linalg/cuda/lapack_cuda.h"

enum {
    /* Columns up to which they are used: 10000 of 32 x 32 take 2.0 ms on an H200 in float32 (gesvdjBatched 9.4),
       1000 of 128 x 128 12 ms (gesvdj 2382), 64 of 512 x 512 58 ms (1144), one of 1024 x 1024 43 ms (53). The other
       limits here are guesses, not measured. */
    GNDI_SVD_MOST = 1024,
    GNDI_SVD_WHOLE = 160, /* columns up to which a matrix is one block's, if it fits */
    GNDI_SVD_SLICE = 32,  /* columns of a slice, at most */
    GNDI_SVD_LONG = 4096, /* rows from which a block measures a column, else a warp */
};

/* Whether to use gndi_cuda_lapack_jacobi for the job's plan, which is an SVD. */
bool gndi_cuda_use_jacobi(gndi_solver_job *j);
/* Sets j->info. */
gnd_status gndi_cuda_lapack_jacobi(gndi_solver_job *j);

const void *gndi_cuda_lapack_jacobi_real(bool wide, int which);
const void *gndi_cuda_lapack_jacobi_complex(bool wide, int which);

#endif
