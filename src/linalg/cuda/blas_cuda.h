/*
 * blas_cuda.h: the handles of cuBLAS and cuSOLVER, and what their statuses mean. A stream has its own
 * handles, made when they are first needed and kept for ever, as a stream keeps its slot.
 *
 *     gndi_cuda_handles *h;
 *     gnd_status status = gndi_cuda_handles_take(s, GNDI_HANDLES_BLAS, &h, fn);
 *     if (status) return status;
 *     status = gndi_cuda_blas_check(h->blas->cublasGemmEx_64(h->blas_handle, ...), fn, "cublasGemmEx");
 *     gndi_cuda_handles_return(h);
 */
#ifndef GNDI_BLAS_CUDA_H
#define GNDI_BLAS_CUDA_H

#include "libraries/library_tables.h"
#include "runtime/cuda/runtime_cuda.h"

enum { GNDI_HANDLES_BLAS = 1, GNDI_HANDLES_SOLVER = 2 };

/* What was not asked for may be NULL. Scalars (alpha and beta) are on the host; results are the same bits
   from run to run; float32 is computed in float32. */
typedef struct gndi_cuda_handles {
    const gndi_cublas *blas;
    void *blas_handle; /* cublasHandle_t, with a workspace of its own */
    const gndi_cusolver *solver;
    void *solver_handle; /* cusolverDnHandle_t */
    void *solver_params; /* cusolverDnParams_t, the defaults */
    /* blas_cuda.c's own */
    bool sums_whole;
    gndi_lock lock;
    gndi_buffer *workspace;
} gndi_cuda_handles;

/* The handles of a stream, the libraries in `which` loaded and set up. Work that a library issues in
   several kernels uses one workspace, so the caller is alone with them until it returns them: it must
   not take them again meanwhile (gndi_cuda_matmul does). If it fails there is nothing to return.
   A stream that is being captured into a CUDA graph must have had them set up before. */
gnd_status gndi_cuda_handles_take(gnd_stream *s, int which, gndi_cuda_handles **handles, const char *fn);
void gndi_cuda_handles_return(gndi_cuda_handles *h);

/* Whether partial sums of float16 and bfloat16 stay float32: false at first, since a call takes cuBLAS a
   microsecond longer with it. */
gnd_status gndi_cuda_blas_sums_whole(gndi_cuda_handles *h, bool whole, const char *fn);

/* Raises what a cublasStatus_t or a cusolverStatus_t means, unless it is success; `routine` is the
   library's function. */
gnd_status gndi_cuda_blas_check(int status, const char *fn, const char *routine);
gnd_status gndi_cuda_solver_check(int status, const char *fn, const char *routine);

#endif
