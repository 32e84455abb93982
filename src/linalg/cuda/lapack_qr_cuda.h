/*
 * lapack_qr_cuda.h: QR of one or many matrices of middle size on CUDA (lapack_qr_cuda.c).
 */
#ifndef GNDI_LAPACK_QR_CUDA_H
#define GNDI_LAPACK_QR_CUDA_H

#include "linalg/cuda/lapack_cuda.h"

/* Measured on an H200 in float32 (milliseconds; QR, Q^H times as large a matrix, Q):

                 64 x 512          1000 x 128        1 x 256          1 x 512          1 x 1024
    in steps     1.54 1.40 1.27    0.57 0.55 0.52    0.45 0.34 0.35   1.04 0.69 0.73   2.52 1.47 1.71
    cuSOLVER's                                       0.63 0.21 0.27   1.56 0.44 0.58   6.31 0.85 1.23
    geqrfBatched 363               10.9

   QR and Q of 1000 x 128 together take 2.4 in a block's shared memory, 1.1 in steps. With steps of 16 columns it takes
   a third longer than with 32: where no wider step fits, it pays from two matrices on, with 8 columns from four. */
enum {
    GNDI_QR_MOST = 2048,     /* rows at most */
    GNDI_QR_WIDEST = 32,     /* columns of a step, */
    GNDI_QR_WORTH = 32,      /* and of the steps of all matrices together at least */
    GNDI_QR_ALONE = 192,     /* rows of a single matrix from which Q is left to cuSOLVER */
    GNDI_QR_MANY_ROWS = 256, /* of a panel for each row of a thread */
    GNDI_QR_BY_BLOCK = 64,   /* reflectors up to which a block's shared memory is better */
};

/* Whether to use these steps for the job's matrices. */
bool gndi_cuda_qr_takes(gndi_solver_job *j);
/* QR, QR_Q and QR_APPLY. */
gnd_status gndi_cuda_qr_factor(gndi_solver_job *j);
gnd_status gndi_cuda_qr_q(gndi_solver_job *j);
gnd_status gndi_cuda_qr_apply(gndi_solver_job *j);

/* The kernels (.cu). `width` and `rows`: of a panel; NULL if no kernel has these. */
const void *gndi_cuda_lapack_qr_real(bool wide, int which, int width, int rows);
const void *gndi_cuda_lapack_qr_complex(bool wide, int which, int width, int rows);

#endif
