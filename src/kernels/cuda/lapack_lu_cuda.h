/*
 * lapack_lu_cuda.h: LU of many matrices of middle size on CUDA (lapack_lu_cuda.c). The job has its handles
 * of cuBLAS and room for infos.
 */
#ifndef GNDI_LAPACK_LU_CUDA_H
#define GNDI_LAPACK_LU_CUDA_H

#include "kernels/cuda/lapack_cuda.h"

/* Where it gives way to other routines. Not measured yet. */
enum {
    GNDI_LU_IN_STEPS = 0,    /* 0: never */
    GNDI_LU_FEW = GNDI_FEW,  /* up to so many matrices: one after the other */
    GNDI_LU_MOST = 2048,     /* rows and columns at most */
    GNDI_LU_MANY_ROWS = 256, /* of a panel for each row of a thread */
    GNDI_LU_WIDEST = 32,     /* columns of a step at most */
};

/* Whether the job's matrices are such. */
bool gndi_cuda_lu_takes(gndi_solver_job *j);
/* getrf; `whole`: else rows of L are not all in their place, which determinants don't mind. The pivots may
   be NULL. */
gnd_status gndi_cuda_lu_factor(gndi_solver_job *j, int32_t *pivots, bool whole);
/* SOLVE and INVERSE but for the report; LU_SOLVE. */
gnd_status gndi_cuda_lu_systems(gndi_solver_job *j, int turn);
gnd_status gndi_cuda_lu_solve(gndi_solver_job *j, int turn);

/* The kernels (.cu). `width` and `rows`: of a panel; NULL if there is none such. */
const void *gndi_cuda_lapack_lu_kernel(int type, int which, int width, int rows);

#endif
