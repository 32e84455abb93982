/*
 * lapack_lu_cuda.h: LU of one or many matrices of middle size on CUDA (lapack_lu_cuda.c). The job has its handles
 * (gndi_cuda_lu_handles) and room for infos.
 */
#ifndef GNDI_LAPACK_LU_CUDA_H
#define GNDI_LAPACK_LU_CUDA_H

#include "linalg/cuda/lapack_cuda.h"

/* Measured on an H200 in float32 (milliseconds; LU alone, with one right side, the inverse):

                      1 x 512          1 x 1024         64 x 512         1000 x 128
    in steps          0.68 0.79 1.28   1.50 1.74 2.79   1.02 1.16 2.22   0.28 0.35 0.71
    cuSOLVER's getrf  0.85 1.01 1.28   1.87 2.16 2.80
    getrfBatched ...  7.13 7.66 26.1   48.0 49.0 184    10.4 11.1 39.3   1.17 1.42 2.42

   Steps of 16 columns instead of 32 take half as long again, of 8 twice as long: where no more fit, it takes
   several matrices to win. */
enum {
    GNDI_LU_MOST = 2048,     /* rows and columns at most */
    GNDI_LU_WIDEST = 32,     /* columns of a step, */
    GNDI_LU_WORTH = 32,      /* and of the steps of all matrices together at least */
    GNDI_LU_MANY_ROWS = 512, /* of a panel for each row of a thread */
    /* Right sides of all matrices up to which each has a block, and more than which are solved together (64
       x 512: 16 each 0.33 ms and 0.69, 64 each 1.21 and 0.80; 1000 x 128: 2 each 0.14 and 0.20, 4 each 0.27
       and 0.21). */
    GNDI_LU_VECTORS = 2048,
};

/* Whether the job's matrices are such. */
bool gndi_cuda_lu_takes(gndi_solver_job *j);
/* The handles that the job begins with: of cuBLAS, or none. */
int gndi_cuda_lu_handles(const gndi_lapack_plan *plan);
/* getrf; `whole`: else rows of L are not all in their place, which determinants don't mind. The pivots may
   be NULL. */
gnd_status gndi_cuda_lu_factor(gndi_solver_job *j, int32_t *pivots, bool whole);
/* SOLVE and INVERSE but for the report; LU_SOLVE. */
gnd_status gndi_cuda_lu_systems(gndi_solver_job *j, int trans);
gnd_status gndi_cuda_lu_solve(gndi_solver_job *j, int trans);

/* The kernels (.cu). `width` and `rows`: of a panel; NULL if there is none such. */
const void *gndi_cuda_lapack_lu_kernel(int type, int which, int width, int rows);
const void *gndi_cuda_lapack_lu_update_kernel(int type, int width);

#endif
