/*
 * library_tables.h: the libraries loaded at first use, a typed table of functions each.
 *
 * A table is written as a list of rows FUNCTION(result, name, (arguments)); the struct's members
 * and the names that dlsym looks for both come from it, so they cannot disagree. The prototypes are
 * written out here, not taken from the libraries' headers, so that gnd builds where those are not
 * installed: handles are void *, enums int, streams void *. A feature adds the rows it needs.
 *
 *     const gndi_cublas *blas = gndi_cublas_get(fn);   // NULL and an error if it is missing
 *     if (blas) blas->cublasCreate_v2(&handle);
 */
#ifndef GNDI_LIBRARY_TABLES_H
#define GNDI_LIBRARY_TABLES_H

#include "runtime/runtime.h"

/* y = alpha A x + beta y, of one matrix and of many. */
#define GNDI_CUBLAS_GEMV(FUNCTION, T)                                                              \
    FUNCTION(int, cublas##T##gemv_v2_64,                                                           \
             (void *handle, int op, int64_t m, int64_t n, const void *alpha, const void *a,        \
              int64_t lda, const void *x, int64_t x_step, const void *beta, void *y,               \
              int64_t y_step))
#define GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, T)                                                      \
    FUNCTION(int, cublas##T##gemvStridedBatched_64,                                                \
             (void *handle, int op, int64_t m, int64_t n, const void *alpha, const void *a,        \
              int64_t lda, long long a_step, const void *x, int64_t x_step, long long x_apart,     \
              const void *beta, void *y, int64_t y_step, long long y_apart, int64_t batch))
#define GNDI_CUBLAS_PRODUCTS(FUNCTION)                                                             \
    FUNCTION(int, cublasGemmEx_64,                                                                 \
             (void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k,                   \
              const void *alpha, const void *a, int a_type, int64_t lda, const void *b,            \
              int b_type, int64_t ldb, const void *beta, void *c, int c_type, int64_t ldc,         \
              int compute, int algorithm))                                                         \
    FUNCTION(int, cublasGemmStridedBatchedEx_64,                                                   \
             (void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k,                   \
              const void *alpha, const void *a, int a_type, int64_t lda, long long a_step,         \
              const void *b, int b_type, int64_t ldb, long long b_step, const void *beta, void *c, \
              int c_type, int64_t ldc, long long c_step, int64_t batch, int compute,               \
              int algorithm))                                                                      \
    FUNCTION(int, cublasGemmBatchedEx_64,                                                          \
             (void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k,                   \
              const void *alpha, const void *a, int a_type, int64_t lda, const void *b,            \
              int b_type, int64_t ldb, const void *beta, const void *c, int c_type, int64_t ldc,   \
              int64_t batch, int compute, int algorithm))                                          \
    GNDI_CUBLAS_GEMV(FUNCTION, S)                                                                  \
    GNDI_CUBLAS_GEMV(FUNCTION, D)                                                                  \
    GNDI_CUBLAS_GEMV(FUNCTION, C)                                                                  \
    GNDI_CUBLAS_GEMV(FUNCTION, Z)                                                                  \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, HSH)                                                        \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, TST)                                                        \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, S)                                                          \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, D)                                                          \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, C)                                                          \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, Z)

#define GNDI_CUBLAS_TABLE(FUNCTION)                                                                \
    FUNCTION(int, cublasGetProperty, (int property, int *value))                                   \
    FUNCTION(int, cublasCreate_v2, (void **handle))                                                \
    FUNCTION(int, cublasDestroy_v2, (void *handle))                                                \
    FUNCTION(int, cublasSetStream_v2, (void *handle, void *stream))                                \
    FUNCTION(int, cublasSetWorkspace_v2, (void *handle, void *workspace, size_t bytes))            \
    FUNCTION(int, cublasSetPointerMode_v2, (void *handle, int mode))                               \
    FUNCTION(int, cublasSetAtomicsMode, (void *handle, int mode))                                  \
    FUNCTION(int, cublasSetMathMode, (void *handle, int mode))                                     \
    GNDI_CUBLAS_PRODUCTS(FUNCTION)

#define GNDI_CUBLASLT_TABLE(FUNCTION)                                                              \
    FUNCTION(size_t, cublasLtGetVersion, (void))                                                   \
    FUNCTION(int, cublasLtCreate, (void **handle))                                                 \
    FUNCTION(int, cublasLtDestroy, (void *handle))

#define GNDI_CUSOLVER_TABLE(FUNCTION)                                                              \
    FUNCTION(int, cusolverGetVersion, (int *version))                                              \
    FUNCTION(int, cusolverDnCreate, (void **handle))                                               \
    FUNCTION(int, cusolverDnDestroy, (void *handle))                                               \
    FUNCTION(int, cusolverDnSetStream, (void *handle, void *stream))                               \
    FUNCTION(int, cusolverDnCreateParams, (void **params))

#define GNDI_CUFFT_TABLE(FUNCTION)                                                                 \
    FUNCTION(int, cufftGetVersion, (int *version))                                                 \
    FUNCTION(int, cufftCreate, (int *plan))                                                        \
    FUNCTION(int, cufftDestroy, (int plan))                                                        \
    FUNCTION(int, cufftSetStream, (int plan, void *stream))                                        \
    FUNCTION(int, cufftSetAutoAllocation, (int plan, int automatic))                               \
    FUNCTION(int, cufftSetWorkArea, (int plan, void *area))

#define GNDI_CURAND_TABLE(FUNCTION)                                                                \
    FUNCTION(int, curandGetVersion, (int *version))                                                \
    FUNCTION(int, curandCreateGenerator, (void **generator, int kind))                             \
    FUNCTION(int, curandDestroyGenerator, (void *generator))                                       \
    FUNCTION(int, curandSetStream, (void *generator, void *stream))

#define GNDI_NVRTC_TABLE(FUNCTION)                                                                 \
    FUNCTION(int, nvrtcVersion, (int *major, int *minor))                                          \
    FUNCTION(const char *, nvrtcGetErrorString, (int result))                                      \
    FUNCTION(int, nvrtcCreateProgram,                                                              \
             (void **program, const char *source, const char *name, int headers,                   \
              const char *const *sources, const char *const *names))                               \
    FUNCTION(int, nvrtcCompileProgram, (void *program, int count, const char *const *options))     \
    FUNCTION(int, nvrtcGetProgramLogSize, (void *program, size_t *bytes))                          \
    FUNCTION(int, nvrtcGetProgramLog, (void *program, char *log))                                  \
    FUNCTION(int, nvrtcGetCUBINSize, (void *program, size_t *bytes))                               \
    FUNCTION(int, nvrtcGetCUBIN, (void *program, char *cubin))                                     \
    FUNCTION(int, nvrtcDestroyProgram, (void **program))

#define GNDI_DRIVER_TABLE(FUNCTION)                                                                \
    FUNCTION(int, cuDriverGetVersion, (int *version))                                              \
    FUNCTION(int, cuGetErrorString, (int result, const char **text))                               \
    FUNCTION(int, cuModuleLoadData, (void **module, const void *image))                            \
    FUNCTION(int, cuModuleUnload, (void *module))                                                  \
    FUNCTION(int, cuModuleGetFunction, (void **function, void *module, const char *name))          \
    FUNCTION(int, cuLaunchKernel,                                                                  \
             (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
              unsigned block_y, unsigned block_z, unsigned shared_bytes, void *stream,             \
              void **parameters, void **extra))

#define GNDI_OPENBLAS_TABLE(FUNCTION)                                                              \
    FUNCTION(char *, openblas_get_config, (void))                                                  \
    FUNCTION(void, openblas_set_num_threads, (int threads))                                        \
    FUNCTION(double, cblas_ddot, (int n, const double *x, int x_step, const double *y, int y_step))

#define GNDI_LAPACKE_TABLE(FUNCTION)                                                               \
    FUNCTION(void, LAPACKE_ilaver, (int *major, int *minor, int *patch))                           \
    FUNCTION(                                                                                      \
        int, LAPACKE_dgesv,                                                                        \
        (int layout, int n, int columns, double *a, int lda, int *pivots, double *b, int ldb))

#define GNDI_FFTW_TABLE(FUNCTION)                                                                  \
    FUNCTION(char *, fftw_export_wisdom_to_string, (void))                                         \
    FUNCTION(void, fftw_destroy_plan, (void *plan))                                                \
    FUNCTION(void, fftw_execute, (const void *plan))

#define GNDI_FFTWF_TABLE(FUNCTION)                                                                 \
    FUNCTION(char *, fftwf_export_wisdom_to_string, (void))                                        \
    FUNCTION(void, fftwf_destroy_plan, (void *plan))                                               \
    FUNCTION(void, fftwf_execute, (const void *plan))

#define GNDI_TABLE_MEMBER(result, name, arguments) result(*name) arguments;
typedef struct gndi_cublas {
    GNDI_CUBLAS_TABLE(GNDI_TABLE_MEMBER)
} gndi_cublas;
typedef struct gndi_cublaslt {
    GNDI_CUBLASLT_TABLE(GNDI_TABLE_MEMBER)
} gndi_cublaslt;
typedef struct gndi_cusolver {
    GNDI_CUSOLVER_TABLE(GNDI_TABLE_MEMBER)
} gndi_cusolver;
typedef struct gndi_cufft {
    GNDI_CUFFT_TABLE(GNDI_TABLE_MEMBER)
} gndi_cufft;
typedef struct gndi_curand {
    GNDI_CURAND_TABLE(GNDI_TABLE_MEMBER)
} gndi_curand;
typedef struct gndi_nvrtc {
    GNDI_NVRTC_TABLE(GNDI_TABLE_MEMBER)
} gndi_nvrtc;
typedef struct gndi_driver {
    GNDI_DRIVER_TABLE(GNDI_TABLE_MEMBER)
} gndi_driver;
typedef struct gndi_openblas {
    GNDI_OPENBLAS_TABLE(GNDI_TABLE_MEMBER)
} gndi_openblas;
typedef struct gndi_lapacke {
    GNDI_LAPACKE_TABLE(GNDI_TABLE_MEMBER)
} gndi_lapacke;
typedef struct gndi_fftw {
    GNDI_FFTW_TABLE(GNDI_TABLE_MEMBER)
} gndi_fftw;
typedef struct gndi_fftwf {
    GNDI_FFTWF_TABLE(GNDI_TABLE_MEMBER)
} gndi_fftwf;
#undef GNDI_TABLE_MEMBER

/* The tables, loaded; NULL and an error in the name of `fn` if the library is missing. */
const gndi_cublas *gndi_cublas_get(const char *fn);
const gndi_cublaslt *gndi_cublaslt_get(const char *fn);
const gndi_cusolver *gndi_cusolver_get(const char *fn);
const gndi_cufft *gndi_cufft_get(const char *fn);
const gndi_curand *gndi_curand_get(const char *fn);
const gndi_nvrtc *gndi_nvrtc_get(const char *fn);
const gndi_driver *gndi_driver_get(const char *fn);
const gndi_openblas *gndi_openblas_get(const char *fn);
const gndi_lapacke *gndi_lapacke_get(const char *fn);
const gndi_fftw *gndi_fftw_get(const char *fn);
const gndi_fftwf *gndi_fftwf_get(const char *fn);

/* All of them, NULL-terminated, for gnd_library_info_of. */
extern gndi_library *const gndi_libraries[];

#endif
