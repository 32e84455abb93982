/*
 * lapack_eigh_cuda.h: eigenvalues of small symmetric matrices by a kernel of gnd's own, for
 * lapack_decompose_cuda.c.
 */
#ifndef GNDI_LAPACK_EIGH_CUDA_H
#define GNDI_LAPACK_EIGH_CUDA_H

#include "kernels/cuda/lapack_cuda.h"

enum { GNDI_EIGH_MOST = 32 /* rows and columns */ };

/* Whether the job's matrices are such. */
bool gndi_cuda_eigh_takes(gndi_solver_job *j);
/* The job has room for its infos. */
gnd_status gndi_cuda_eigh(gndi_solver_job *j);

/* `each`: lines of a column that a lane holds at once, 1 or 2. */
const void *gndi_cuda_lapack_eigh_kernel(int type, int each);

#endif
