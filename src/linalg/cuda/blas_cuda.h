/*
 * blas_cuda.h: the handles of cuBLAS and cuSOLVER, and the errors that their statuses mean. A stream has its
 * own handles, made when they are first needed and never freed, like the stream's slot.
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

/* Handles that were not asked for may be NULL. Scalars (alpha and beta) are on the host; results are
   reproducible; float32 is computed in float32. */
typedef struct gndi_cuda_handles {
    const gndi_cublas *blas;
    void *blas_handle; /* cublasHandle_t, with a workspace of its own */
    const gndi_cusolver *solver;
    void *solver_handle; /* cusolverDnHandle_t */
    void *solver_params; /* cusolverDnParams_t, the defaults */
    /* blas_cuda.c's own */
    bool sums_whole;
    gndi_lock lock;
    gndi_buffer *workspace, *recorded; /* recorded: a graph's, while the stream records */
} gndi_cuda_handles;

/* Takes the handles of a stream, with the libraries in `which` loaded and set up. The kernels of one library call share
   a workspace, so the handles are exclusive until they are returned: the caller must not take them again meanwhile
   (gndi_cuda_matmul takes them). After a failure there is nothing to return. A stream that is being captured into a
   CUDA graph must have had them set up before. */
gnd_status gndi_cuda_handles_take(gnd_stream *s, int which, gndi_cuda_handles **handles, const char *fn);
void gndi_cuda_handles_return(gndi_cuda_handles *h);
/* Before `s` records a graph: sets up what `like` has. */
gnd_status gndi_cuda_handles_prepare(gnd_stream *s, gnd_stream *like, const char *fn);

/* Sets whether partial sums of float16 and bfloat16 stay float32: false at first, since each call takes cuBLAS a
   microsecond longer with it. */
gnd_status gndi_cuda_blas_sums_whole(gndi_cuda_handles *h, bool whole, const char *fn);

/* Raises the error that a cublasStatus_t or cusolverStatus_t means, unless it is success; `routine` is the
   library's function. */
gnd_status gndi_cuda_blas_check(int status, const char *fn, const char *routine);
gnd_status gndi_cuda_solver_check(int status, const char *fn, const char *routine);

#endif
