/*
 * blas_cuda.c: handles of cuBLAS and cuSOLVER, one of each a stream.
 *
 * cuBLAS gets its workspace from gnd's pool: by itself it would allocate when a stream is captured into
 * a CUDA graph, and again for each graph. Setting a handle's stream resets the workspace to cuBLAS's own,
 * so the stream is set first, and only once.
 */
#include "linalg/cuda/blas_cuda.h"

/* Of cublas_api.h and cusolver_common.h. */
enum {
    CUBLAS_POINTER_MODE_HOST = 0,
    CUBLAS_ATOMICS_NOT_ALLOWED = 0,
    CUBLAS_DEFAULT_MATH = 0,
    /* Partial sums of float16 and bfloat16 products stay float32 where a product is cut along k. */
    CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};

/* What NVIDIA recommends for Hopper and later, and for older cards. */
#define WORKSPACE_HOPPER ((size_t)32 << 20)
#define WORKSPACE_BEFORE ((size_t)4 << 20)

static gndi_lock table_lock;
static gndi_cuda_handles *_Atomic handles_of[GNDI_MAX_GPUS][GNDI_MAX_STREAMS];

/* ---- statuses ------------------------------------------------------------------------------- */

typedef struct meaning {
    int status;
    gnd_status code;
    const char *text;
} meaning;

static const meaning blas_meanings[] = {
    {1, GND_ERROR_DEVICE, "it could not be initialised on this GPU (CUBLAS_STATUS_NOT_INITIALIZED)"},
    {3, GND_ERROR_MEMORY, "it could not get memory on the GPU (CUBLAS_STATUS_ALLOC_FAILED)"},
    {7, GND_ERROR_INVALID, "it refuses its arguments (CUBLAS_STATUS_INVALID_VALUE)"},
    {8, GND_ERROR_DEVICE, "this GPU is too old for it (CUBLAS_STATUS_ARCH_MISMATCH)"},
    {11, GND_ERROR_DEVICE, "it cannot reach the GPU's memory (CUBLAS_STATUS_MAPPING_ERROR)"},
    {13, GND_ERROR_DEVICE, "its kernel did not start (CUBLAS_STATUS_EXECUTION_FAILED)"},
    {14, GND_ERROR_DEVICE, "it failed inside (CUBLAS_STATUS_INTERNAL_ERROR)"},
    {15, GND_ERROR_DEVICE, "this GPU or version cannot do it (CUBLAS_STATUS_NOT_SUPPORTED)"},
    {16, GND_ERROR_UNAVAILABLE, "its licence does not hold here (CUBLAS_STATUS_LICENSE_ERROR)"},
    {0, GND_OK, NULL},
};
static const meaning solver_meanings[] = {
    {1, GND_ERROR_DEVICE, "it could not be initialised on this GPU (CUSOLVER_STATUS_NOT_INITIALIZED)"},
    {2, GND_ERROR_MEMORY, "it could not get memory on the GPU (CUSOLVER_STATUS_ALLOC_FAILED)"},
    {3, GND_ERROR_INVALID, "it refuses its arguments (CUSOLVER_STATUS_INVALID_VALUE)"},
    {4, GND_ERROR_DEVICE, "this GPU is too old for it (CUSOLVER_STATUS_ARCH_MISMATCH)"},
    {5, GND_ERROR_DEVICE, "it cannot reach the GPU's memory (CUSOLVER_STATUS_MAPPING_ERROR)"},
    {6, GND_ERROR_DEVICE, "its kernel did not start (CUSOLVER_STATUS_EXECUTION_FAILED)"},
    {7, GND_ERROR_DEVICE, "it failed inside (CUSOLVER_STATUS_INTERNAL_ERROR)"},
    {9, GND_ERROR_DEVICE, "this GPU or version cannot do it (CUSOLVER_STATUS_NOT_SUPPORTED)"},
    {0, GND_OK, NULL},
};

static gnd_status raise_status(const meaning *known, int status, const char *library, const char *fn,
                               const char *routine) {
    /* If a library fails because CUDA did, CUDA's own error is set and says more. */
    const cudaError_t error = cudaGetLastError();
    if (error) return gndi_cuda_check((int)error, fn, routine);
    while (known->status && known->status != status) known++;
    if (known->status) return gndi_raise(known->code, fn, "%s: %s", routine, known->text);
    return gndi_raise(GND_ERROR_DEVICE, fn, "%s: %s reports status %d", routine, library, status);
}

gnd_status gndi_cuda_blas_check(int status, const char *fn, const char *routine) {
    return gndi_likely(status == 0) ? GND_OK : raise_status(blas_meanings, status, "cuBLAS", fn, routine);
}

gnd_status gndi_cuda_solver_check(int status, const char *fn, const char *routine) {
    return gndi_likely(status == 0) ? GND_OK : raise_status(solver_meanings, status, "cuSOLVER", fn, routine);
}

/* ---- setting up ----------------------------------------------------------------------------- */

/* The stream's handles, made at their first use. */
static gndi_cuda_handles *record_of(gnd_stream *s, const char *fn) {
    gndi_cuda_handles *_Atomic *slot = &handles_of[s->device->id.index][s->slot];
    gndi_cuda_handles *h = atomic_load_explicit(slot, memory_order_acquire);
    if (gndi_likely(h != NULL)) return h;
    gndi_lock_take(&table_lock);
    h = atomic_load_explicit(slot, memory_order_relaxed);
    if (!h && (h = gndi_calloc(fn, sizeof *h))) {
        atomic_store_explicit(slot, h, memory_order_release);
    }
    gndi_lock_give(&table_lock);
    return h;
}

static size_t workspace_bytes(const gnd_stream *s) {
    int major = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, s->device->id.index);
    return major >= 9 ? WORKSPACE_HOPPER : WORKSPACE_BEFORE;
}

static gnd_status set_up_blas(gnd_stream *s, gndi_cuda_handles *h, const char *fn) {
    const gndi_cublas *blas = gndi_cublas_get(fn);
    if (!blas) return GND_ERROR_UNAVAILABLE;
    const size_t bytes = workspace_bytes(s);
    gndi_buffer *workspace = gndi_buffer_new(fn, s, bytes);
    if (!workspace) return GND_ERROR_MEMORY;
    void *handle = NULL;
    gnd_status status = gndi_cuda_blas_check(blas->cublasCreate_v2(&handle), fn, "cublasCreate");
    if (!status) {
        int code = blas->cublasSetStream_v2(handle, s->native);
        if (!code) code = blas->cublasSetWorkspace_v2(handle, workspace->base, bytes);
        if (!code) code = blas->cublasSetPointerMode_v2(handle, CUBLAS_POINTER_MODE_HOST);
        if (!code) code = blas->cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_NOT_ALLOWED);
        status = gndi_cuda_blas_check(code, fn, "setting up cuBLAS");
    }
    if (status) {
        if (handle) blas->cublasDestroy_v2(handle);
        gndi_buffer_release(workspace);
        return status;
    }
    h->workspace = workspace;
    h->blas_handle = handle;
    h->blas = blas;
    return GND_OK;
}

static gnd_status set_up_solver(gnd_stream *s, gndi_cuda_handles *h, const char *fn) {
    const gndi_cusolver *solver = gndi_cusolver_get(fn);
    if (!solver) return GND_ERROR_UNAVAILABLE;
    void *handle = NULL, *params = NULL;
    gnd_status status = gndi_cuda_solver_check(solver->cusolverDnCreate(&handle), fn, "cusolverDnCreate");
    if (status) return status;
    int code = solver->cusolverDnSetStream(handle, s->native);
    if (!code) code = solver->cusolverDnCreateParams(&params);
    status = gndi_cuda_solver_check(code, fn, "setting up cuSOLVER");
    if (status) {
        solver->cusolverDnDestroy(handle);
        return status;
    }
    h->solver_params = params;
    h->solver_handle = handle;
    h->solver = solver;
    return GND_OK;
}

gnd_status gndi_cuda_blas_sums_whole(gndi_cuda_handles *h, bool whole, const char *fn) {
    if (gndi_likely(h->sums_whole == whole)) return GND_OK;
    const int mode = whole ? CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION : CUBLAS_DEFAULT_MATH;
    const gnd_status status =
        gndi_cuda_blas_check(h->blas->cublasSetMathMode(h->blas_handle, mode), fn, "cublasSetMathMode");
    if (!status) h->sums_whole = whole;
    return status;
}

/* A workspace of the graph's own for a call that is recorded: graphs that were recorded on one stream may run at the
   same time. */
static gnd_status take_recorded(gnd_stream *s, gndi_cuda_handles *h, const char *fn) {
    const size_t bytes = workspace_bytes(s);
    h->recorded = gndi_buffer_new(fn, s, bytes);
    if (!h->recorded) return GND_ERROR_MEMORY;
    const gnd_status status = gndi_cuda_blas_check(
        h->blas->cublasSetWorkspace_v2(h->blas_handle, h->recorded->base, bytes), fn, "cublasSetWorkspace");
    if (!status) return GND_OK;
    gndi_buffer_release(h->recorded);
    h->recorded = NULL;
    return status;
}

gnd_status gndi_cuda_handles_take(gnd_stream *s, int which, gndi_cuda_handles **handles, const char *fn) {
    gndi_cuda_handles *h = record_of(s, fn);
    if (gndi_unlikely(!h)) return GND_ERROR_MEMORY;
    gndi_lock_take(&h->lock);
    const bool wants_blas = (which & GNDI_HANDLES_BLAS) && !h->blas;
    const bool wants_solver = (which & GNDI_HANDLES_SOLVER) && !h->solver;
    gnd_status status = GND_OK;
    /* The libraries allocate when they are set up, which is not possible while a stream is captured. */
    if (gndi_unlikely(wants_blas || wants_solver))
        status = gndi_cuda_check_not_captured(
            s,
            "the libraries of linear algebra were not used on it before; call the function once on "
            "this stream before the capture begins",
            fn);
    if (gndi_unlikely(wants_blas) && !status) status = set_up_blas(s, h, fn);
    if (gndi_unlikely(wants_solver) && !status) status = set_up_solver(s, h, fn);
    if (gndi_unlikely(s->capture != NULL) && !status && (which & GNDI_HANDLES_BLAS)) status = take_recorded(s, h, fn);
    if (gndi_unlikely(status)) {
        gndi_lock_give(&h->lock);
        return status;
    }
    *handles = h;
    return GND_OK;
}

gnd_status gndi_cuda_handles_prepare(gnd_stream *s, gnd_stream *like, const char *fn) {
    const gndi_cuda_handles *has =
        atomic_load_explicit(&handles_of[like->device->id.index][like->slot], memory_order_acquire);
    const int which = has ? (has->blas ? GNDI_HANDLES_BLAS : 0) | (has->solver ? GNDI_HANDLES_SOLVER : 0) : 0;
    gndi_cuda_handles *h;
    if (!which) return GND_OK;
    const gnd_status status = gndi_cuda_handles_take(s, which, &h, fn);
    if (!status) gndi_cuda_handles_return(h);
    return status;
}

void gndi_cuda_handles_return(gndi_cuda_handles *h) {
    if (gndi_unlikely(h->recorded != NULL)) {
        gndi_buffer_release(h->recorded);
        h->recorded = NULL;
    }
    gndi_lock_give(&h->lock);
}
