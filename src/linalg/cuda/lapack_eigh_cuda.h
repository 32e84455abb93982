/*
 * lapack_eigh_cuda.h: eigenvalues of small symmetric matrices by a kernel of gnd's own, for
 * lapack_decompose_cuda.c.
 */
#ifndef GNDI_LAPACK_EIGH_CUDA_H
#define GNDI_LAPACK_EIGH_CUDA_H

#include "linalg/cuda/lapack_cuda.h"

enum {
    /* Rows and columns up to which it does them: 10000 of 32 take 1.12 ms on an H200 in float32 (XsyevBatched 5.6).
       Their number is chosen so that the two would meet beyond it, not measured. What XsyevBatched gives for
       matrices whose elements lie further apart than squares of float32 can tell was not orthonormal, or did not
       converge (33 x 33, CUDA 13.0), which is one more reason not to stop at 32. */
    GNDI_EIGH_MOST = 64,
};

/* Whether the job's matrices are such. */
bool gndi_cuda_eigh_takes(gndi_solver_job *j);
/* The job has room for its infos. */
gnd_status gndi_cuda_eigh(gndi_solver_job *j);

/* `each`: lines of a column that a lane holds at once, 1 or 2. */
const void *gndi_cuda_lapack_eigh_kernel(int type, int each);

#endif
