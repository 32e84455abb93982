/*
 * lapack_eigh_cuda.h: eigenvalues of small symmetric matrices by a kernel of gnd's own, for
 * lapack_decompose_cuda.c.
 */
#ifndef GNDI_LAPACK_EIGH_CUDA_H
#define GNDI_LAPACK_EIGH_CUDA_H

#include "linalg/cuda/lapack_cuda.h"

enum {
    /* Rows and columns up to which it is used: 10000 of 32 x 32 take 1.12 ms on an H200 in float32 (XsyevBatched 5.6).
       The limit is an estimate that is below the crossover, not measured. For matrices whose elements differ by more
       than the range of float32's squares, XsyevBatched's eigenvectors were not orthonormal, or did not converge
       (33 x 33, CUDA 13.0), which is one more reason not to stop at 32. */
    GNDI_EIGH_MOST = 64,
};

/* Whether this kernel is used for the job's matrices. */
bool gndi_cuda_eigh_takes(gndi_solver_job *j);
/* The job has space for its infos. */
gnd_status gndi_cuda_eigh(gndi_solver_job *j);

/* `each`: lines of a column that a lane holds at once, 1 or 2. */
const void *gndi_cuda_lapack_eigh_kernel(int type, int each);

#endif
