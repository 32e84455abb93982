/*
 * lapack_qr_cuda.h: QR of one or many matrices of middle size on CUDA (lapack_qr_cuda.c).
 */
#ifndef GNDI_LAPACK_QR_CUDA_H
#define GNDI_LAPACK_QR_CUDA_H

#include "kernels/cuda/lapack_cuda.h"

/* Not measured yet. */
enum {
    GNDI_QR_IN_STEPS = 1,    /* 0: never */
    GNDI_QR_MOST = 2048,     /* rows at most */
    GNDI_QR_WIDEST = 32,     /* columns of a step, */
    GNDI_QR_WORTH = 32,      /* and of the steps of all matrices together at least */
    GNDI_QR_MANY_ROWS = 256, /* of a panel for each row of a thread */
};

/* Whether the job's matrices are such. */
bool gndi_cuda_qr_takes(gndi_solver_job *j);
/* QR, QR_Q and QR_APPLY. */
gnd_status gndi_cuda_qr_factor(gndi_solver_job *j);
gnd_status gndi_cuda_qr_q(gndi_solver_job *j);
gnd_status gndi_cuda_qr_apply(gndi_solver_job *j);

/* The kernels (.cu). `width` and `rows`: of a panel; NULL if there is none such. */
const void *gndi_cuda_lapack_qr_kernel(int type, int which, int width, int rows);

#endif
