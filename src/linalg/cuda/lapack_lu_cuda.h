/*
 * lapack_lu_cuda.h: LU of one or many matrices of middle size on CUDA (lapack_lu_cuda.c). The job has its handles
 * (gndi_cuda_lu_handles) and space for infos.
 */
#ifndef GNDI_LAPACK_LU_CUDA_H
#define GNDI_LAPACK_LU_CUDA_H

#include "linalg/cuda/lapack_cuda.h"

/* Measured on an H200 in float32 (milliseconds; LU alone, with one right side, the inverse):

                      1 x 512          1 x 1024         64 x 512         1000 x 128
    in steps          0.68 0.79 1.28   1.50 1.74 2.79   1.02 1.16 2.22   0.28 0.35 0.71
    cuSOLVER's getrf  0.85 1.01 1.28   1.87 2.16 2.80
    getrfBatched ...  7.13 7.66 26.1   48.0 49.0 184    10.4 11.1 39.3   1.17 1.42 2.42

   With steps of 16 columns instead of 32 it takes half as long again, with 8 twice as long: where no wider step fits,
   it pays only for several matrices. */
enum {
    GNDI_LU_MOST = 2048,     /* rows and columns at most */
    GNDI_LU_WIDEST = 32,     /* columns of a step, */
    GNDI_LU_WORTH = 32,      /* and of the steps of all matrices together at least */
    GNDI_LU_MANY_ROWS = 512, /* of a panel for each row of a thread */
    /* Right sides of all matrices up to which each has a block; more are solved together. Milliseconds in blocks and
       together: 64 x 512 with 16 each 0.33 and 0.69, with 64 each 1.21 and 0.80; 1000 x 128 with 2 each 0.14 and
       0.20, with 4 each 0.27 and 0.21. */
    GNDI_LU_VECTORS = 2048,
};

/* Whether to use these steps for the job's matrices. */
bool gndi_cuda_lu_takes(gndi_solver_job *j);
/* The handles that the job begins with: of cuBLAS, or none. */
int gndi_cuda_lu_handles(const gndi_lapack_plan *plan);
/* getrf. Unless `whole`, not all rows of L are exchanged, which does not matter to determinants. The pivots may
   be NULL. */
gnd_status gndi_cuda_lu_factor(gndi_solver_job *j, int32_t *pivots, bool whole);
/* SOLVE and INVERSE without the report of failures; LU_SOLVE. */
gnd_status gndi_cuda_lu_systems(gndi_solver_job *j, int trans);
gnd_status gndi_cuda_lu_solve(gndi_solver_job *j, int trans);

/* The kernels (.cu). `width` and `rows`: of a panel; NULL if no kernel has these. */
const void *gndi_cuda_lapack_lu_real(bool wide, int which, int width, int rows);
const void *gndi_cuda_lapack_lu_complex(bool wide, int which, int width, int rows);
const void *gndi_cuda_lapack_lu_update_kernel(int type, int width);

#endif
