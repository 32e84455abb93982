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

#include "libraries/library_tables_files.h"
#include "core/parallel.h"
#include "libraries/library.h"

/* A routine's four rows: real and complex, of float and of double. */
#define GNDI_FOUR_ROWS(FUNCTION, before, real, complex, arguments)                                                     \
    FUNCTION(int, before##S##real, arguments)                                                                          \
    FUNCTION(int, before##D##real, arguments)                                                                          \
    FUNCTION(int, before##C##complex, arguments)                                                                       \
    FUNCTION(int, before##Z##complex, arguments)

/* Triangular systems, and factors of many matrices: arrays of addresses are on the device, the info of geqrf
   on the host. */
#define GNDI_CUBLAS_LAPACK(FUNCTION)                                                                                   \
    GNDI_FOUR_ROWS(FUNCTION, cublas, trsm_v2_64, trsm_v2_64,                                                           \
                   (void *handle, int side, int uplo, int trans, int unit, int64_t m, int64_t n, const void *alpha,    \
                    const void *a, int64_t lda, void *b, int64_t ldb))                                                 \
    GNDI_FOUR_ROWS(FUNCTION, cublas, trsmBatched_64, trsmBatched_64,                                                   \
                   (void *handle, int side, int uplo, int trans, int unit, int64_t m, int64_t n, const void *alpha,    \
                    const void *a, int64_t lda, const void *b, int64_t ldb, int64_t batch))                            \
    GNDI_FOUR_ROWS(FUNCTION, cublas, geqrfBatched, geqrfBatched,                                                       \
                   (void *handle, int m, int n, const void *a, int lda, const void *tau, int *info, int batch))

/* y = alpha A x + beta y, of one matrix and of many. */
#define GNDI_CUBLAS_GEMV(FUNCTION, T)                                                                                  \
    FUNCTION(int, cublas##T##gemv_v2_64,                                                                               \
             (void *handle, int op, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,               \
              const void *x, int64_t x_step, const void *beta, void *y, int64_t y_step))
#define GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, T)                                                                          \
    FUNCTION(int, cublas##T##gemvStridedBatched_64,                                                                    \
             (void *handle, int op, int64_t m, int64_t n, const void *alpha, const void *a, int64_t lda,               \
              long long a_batch_stride, const void *x, int64_t x_step, long long x_batch_stride, const void *beta,     \
              void *y, int64_t y_step, long long y_batch_stride, int64_t batch))
#define GNDI_CUBLAS_PRODUCTS(FUNCTION)                                                                                 \
    FUNCTION(int, cublasGemmEx_64,                                                                                     \
             (void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,     \
              int a_type, int64_t lda, const void *b, int b_type, int64_t ldb, const void *beta, void *c, int c_type,  \
              int64_t ldc, int compute, int algorithm))                                                                \
    FUNCTION(int, cublasGemmStridedBatchedEx_64,                                                                       \
             (void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,     \
              int a_type, int64_t lda, long long a_batch_stride, const void *b, int b_type, int64_t ldb,               \
              long long b_step, const void *beta, void *c, int c_type, int64_t ldc, long long c_step, int64_t batch,   \
              int compute, int algorithm))                                                                             \
    FUNCTION(int, cublasGemmBatchedEx_64,                                                                              \
             (void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a,     \
              int a_type, int64_t lda, const void *b, int b_type, int64_t ldb, const void *beta, const void *c,        \
              int c_type, int64_t ldc, int64_t batch, int compute, int algorithm))                                     \
    GNDI_CUBLAS_GEMV(FUNCTION, S)                                                                                      \
    GNDI_CUBLAS_GEMV(FUNCTION, D)                                                                                      \
    GNDI_CUBLAS_GEMV(FUNCTION, C)                                                                                      \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, HSH)                                                                            \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, TST)                                                                            \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, S)                                                                              \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, D)                                                                              \
    GNDI_CUBLAS_GEMV_BATCHED(FUNCTION, C)

#define GNDI_CUBLAS_TABLE(FUNCTION)                                                                                    \
    FUNCTION(int, cublasGetProperty, (int property, int *value))                                                       \
    FUNCTION(int, cublasCreate_v2, (void **handle))                                                                    \
    FUNCTION(int, cublasDestroy_v2, (void *handle))                                                                    \
    FUNCTION(int, cublasSetStream_v2, (void *handle, void *stream))                                                    \
    FUNCTION(int, cublasSetWorkspace_v2, (void *handle, void *workspace, size_t bytes))                                \
    FUNCTION(int, cublasSetPointerMode_v2, (void *handle, int mode))                                                   \
    FUNCTION(int, cublasSetAtomicsMode, (void *handle, int mode))                                                      \
    FUNCTION(int, cublasSetMathMode, (void *handle, int mode))                                                         \
    GNDI_CUBLAS_PRODUCTS(FUNCTION)                                                                                     \
    GNDI_CUBLAS_LAPACK(FUNCTION)

/* The 64-bit routines take their types as numbers, and two workspaces in bytes; the others one, in elements.
   Those since CUDA 12.8: geev; 12.6: syevBatched. */
#define GNDI_CUSOLVER_LAPACK(FUNCTION)                                                                                 \
    FUNCTION(int, cusolverDnXgetrf_bufferSize,                                                                         \
             (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda, int compute,     \
              size_t *device, size_t *host))                                                                           \
    FUNCTION(int, cusolverDnXgetrf,                                                                                    \
             (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivots,       \
              int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))               \
    FUNCTION(int, cusolverDnXpotrf_bufferSize,                                                                         \
             (void *handle, void *params, int uplo, int64_t n, int type, const void *a, int64_t lda, int compute,      \
              size_t *device, size_t *host))                                                                           \
    FUNCTION(int, cusolverDnXpotrf,                                                                                    \
             (void *handle, void *params, int uplo, int64_t n, int type, void *a, int64_t lda, int compute,            \
              void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))                            \
    FUNCTION(int, cusolverDnXpotrs,                                                                                    \
             (void *handle, void *params, int uplo, int64_t n, int64_t columns, int type, const void *a, int64_t lda,  \
              int b_type, void *b, int64_t ldb, int *info))                                                            \
    FUNCTION(int, cusolverDnXgeqrf_bufferSize,                                                                         \
             (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda, int tau_type,    \
              const void *tau, int compute, size_t *device, size_t *host))                                             \
    FUNCTION(int, cusolverDnXgeqrf,                                                                                    \
             (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int tau_type,          \
              void *tau, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))    \
    FUNCTION(int, cusolverDnXsyevd_bufferSize,                                                                         \
             (void *handle, void *params, int vectors, int uplo, int64_t n, int type, const void *a, int64_t lda,      \
              int w_type, const void *w, int compute, size_t *device, size_t *host))                                   \
    FUNCTION(int, cusolverDnXsyevd,                                                                                    \
             (void *handle, void *params, int vectors, int uplo, int64_t n, int type, void *a, int64_t lda,            \
              int w_type, void *w, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes,      \
              int *info))                                                                                              \
    FUNCTION(int, cusolverDnXsyevBatched_bufferSize,                                                                   \
             (void *handle, void *params, int vectors, int uplo, int64_t n, int type, const void *a, int64_t lda,      \
              int w_type, const void *w, int compute, size_t *device, size_t *host, int64_t batch))                    \
    FUNCTION(int, cusolverDnXsyevBatched,                                                                              \
             (void *handle, void *params, int vectors, int uplo, int64_t n, int type, void *a, int64_t lda,            \
              int w_type, void *w, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes,      \
              int *info, int64_t batch))                                                                               \
    FUNCTION(int, cusolverDnXgeev_bufferSize,                                                                          \
             (void *handle, void *params, int left, int right, int64_t n, int type, const void *a, int64_t lda,        \
              int w_type, const void *w, int vl_type, const void *vl, int64_t ldvl, int vr_type, const void *vr,       \
              int64_t ldvr, int compute, size_t *device, size_t *host))                                                \
    FUNCTION(int, cusolverDnXgeev,                                                                                     \
             (void *handle, void *params, int left, int right, int64_t n, int type, void *a, int64_t lda, int w_type,  \
              void *w, int vl_type, void *vl, int64_t ldvl, int vr_type, void *vr, int64_t ldvr, int compute,          \
              void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))                            \
    FUNCTION(int, cusolverDnXgesvd_bufferSize,                                                                         \
             (void *handle, void *params, signed char job_u, signed char job_v, int64_t m, int64_t n, int type,        \
              const void *a, int64_t lda, int s_type, const void *s, int u_type, const void *u, int64_t ldu,           \
              int v_type, const void *v, int64_t ldv, int compute, size_t *device, size_t *host))                      \
    FUNCTION(int, cusolverDnXgesvd,                                                                                    \
             (void *handle, void *params, signed char job_u, signed char job_v, int64_t m, int64_t n, int type,        \
              void *a, int64_t lda, int s_type, void *s, int u_type, void *u, int64_t ldu, int v_type, void *v,        \
              int64_t ldv, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))  \
    GNDI_FOUR_ROWS(FUNCTION, cusolverDn, potrfBatched, potrfBatched,                                                   \
                   (void *handle, int uplo, int n, const void *a, int lda, int *info, int batch))                      \
    GNDI_FOUR_ROWS(FUNCTION, cusolverDn, orgqr_bufferSize, ungqr_bufferSize,                                           \
                   (void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *lwork))           \
    GNDI_FOUR_ROWS(                                                                                                    \
        FUNCTION, cusolverDn, orgqr, ungqr,                                                                            \
        (void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work, int lwork, int *info))      \
    GNDI_FOUR_ROWS(FUNCTION, cusolverDn, ormqr_bufferSize, unmqr_bufferSize,                                           \
                   (void *handle, int side, int trans, int m, int n, int k, const void *a, int lda, const void *tau,   \
                    const void *c, int ldc, int *lwork))                                                               \
    GNDI_FOUR_ROWS(FUNCTION, cusolverDn, ormqr, unmqr,                                                                 \
                   (void *handle, int side, int trans, int m, int n, int k, const void *a, int lda, const void *tau,   \
                    void *c, int ldc, void *work, int lwork, int *info))                                               \
    FUNCTION(int, cusolverDnCreateGesvdjInfo, (void **options))                                                        \
    FUNCTION(int, cusolverDnDestroyGesvdjInfo, (void *options))                                                        \
    GNDI_FOUR_ROWS(FUNCTION, cusolverDn, gesvdj_bufferSize, gesvdj_bufferSize,                                         \
                   (void *handle, int vectors, int thin, int m, int n, const void *a, int lda, const void *s,          \
                    const void *u, int ldu, const void *v, int ldv, int *lwork, void *options))                        \
    GNDI_FOUR_ROWS(FUNCTION, cusolverDn, gesvdj, gesvdj,                                                               \
                   (void *handle, int vectors, int thin, int m, int n, void *a, int lda, void *s, void *u, int ldu,    \
                    void *v, int ldv, void *work, int lwork, int *info, void *options))

#define GNDI_CUSOLVER_TABLE(FUNCTION)                                                                                  \
    FUNCTION(int, cusolverGetVersion, (int *version))                                                                  \
    FUNCTION(int, cusolverDnCreate, (void **handle))                                                                   \
    FUNCTION(int, cusolverDnDestroy, (void *handle))                                                                   \
    FUNCTION(int, cusolverDnSetStream, (void *handle, void *stream))                                                   \
    FUNCTION(int, cusolverDnCreateParams, (void **params))                                                             \
    GNDI_CUSOLVER_LAPACK(FUNCTION)

/* Types are cudaDataType's numbers; sizes and strides in elements. */
#define GNDI_CUFFT_TABLE(FUNCTION)                                                                                     \
    FUNCTION(int, cufftGetVersion, (int *version))                                                                     \
    FUNCTION(int, cufftCreate, (int *plan))                                                                            \
    FUNCTION(int, cufftDestroy, (int plan))                                                                            \
    FUNCTION(int, cufftSetStream, (int plan, void *stream))                                                            \
    FUNCTION(int, cufftSetAutoAllocation, (int plan, int automatic))                                                   \
    FUNCTION(int, cufftSetWorkArea, (int plan, void *area))                                                            \
    FUNCTION(int, cufftXtMakePlanMany,                                                                                 \
             (int plan, int rank, long long *n, long long *in_embed, long long in_stride, long long in_distance,       \
              int in_type, long long *out_embed, long long out_stride, long long out_distance, int out_type,           \
              long long batch, size_t *work, int compute))                                                             \
    FUNCTION(int, cufftXtExec, (int plan, void *in, void *out, int direction))

/* Since CUDA 13; transforms do without it. */
#define GNDI_CUFFTJIT_TABLE(FUNCTION)                                                                                  \
    FUNCTION(int, cufftGetVersion, (int *version))                                                                     \
    FUNCTION(int, cufftXtSetJITCallback,                                                                               \
             (int plan, const char *name, const void *code, size_t bytes, int kind, void **info))

/* Numbers of single or double precision come from functions of two names. */
#define GNDI_CURAND_TABLE(FUNCTION)                                                                                    \
    FUNCTION(int, curandGetVersion, (int *version))                                                                    \
    FUNCTION(int, curandCreateGenerator, (void **generator, int kind))                                                 \
    FUNCTION(int, curandDestroyGenerator, (void *generator))                                                           \
    FUNCTION(int, curandSetStream, (void *generator, void *stream))                                                    \
    FUNCTION(int, curandSetPseudoRandomGeneratorSeed, (void *generator, unsigned long long seed))                      \
    FUNCTION(int, curandSetGeneratorOffset, (void *generator, unsigned long long offset))                              \
    FUNCTION(int, curandSetGeneratorOrdering, (void *generator, int ordering))                                         \
    FUNCTION(int, curandSetQuasiRandomGeneratorDimensions, (void *generator, unsigned dimensions))                     \
    FUNCTION(int, curandGenerate, (void *generator, unsigned *out, size_t count))                                      \
    FUNCTION(int, curandGenerateLongLong, (void *generator, unsigned long long *out, size_t count))                    \
    FUNCTION(int, curandGenerateUniform, (void *generator, float *out, size_t count))                                  \
    FUNCTION(int, curandGenerateUniformDouble, (void *generator, double *out, size_t count))                           \
    FUNCTION(int, curandGenerateNormal, (void *generator, float *out, size_t count, float mean, float deviation))      \
    FUNCTION(int, curandGenerateNormalDouble,                                                                          \
             (void *generator, double *out, size_t count, double mean, double deviation))                              \
    FUNCTION(int, curandGenerateLogNormal, (void *generator, float *out, size_t count, float mean, float deviation))   \
    FUNCTION(int, curandGenerateLogNormalDouble,                                                                       \
             (void *generator, double *out, size_t count, double mean, double deviation))                              \
    FUNCTION(int, curandGeneratePoisson, (void *generator, unsigned *out, size_t count, double mean))

#define GNDI_NVRTC_TABLE(FUNCTION)                                                                                     \
    FUNCTION(int, nvrtcVersion, (int *major, int *minor))                                                              \
    FUNCTION(const char *, nvrtcGetErrorString, (int result))                                                          \
    FUNCTION(int, nvrtcCreateProgram,                                                                                  \
             (void **program, const char *source, const char *name, int headers, const char *const *sources,           \
              const char *const *names))                                                                               \
    FUNCTION(int, nvrtcCompileProgram, (void *program, int count, const char *const *options))                         \
    FUNCTION(int, nvrtcGetProgramLogSize, (void *program, size_t *bytes))                                              \
    FUNCTION(int, nvrtcGetProgramLog, (void *program, char *log))                                                      \
    FUNCTION(int, nvrtcGetCUBINSize, (void *program, size_t *bytes))                                                   \
    FUNCTION(int, nvrtcGetCUBIN, (void *program, char *cubin))                                                         \
    FUNCTION(int, nvrtcAddNameExpression, (void *program, const char *name))                                           \
    FUNCTION(int, nvrtcGetLoweredName, (void *program, const char *name, const char **lowered))                        \
    FUNCTION(int, nvrtcGetPTXSize, (void *program, size_t *bytes))                                                     \
    FUNCTION(int, nvrtcGetPTX, (void *program, char *ptx))                                                             \
    FUNCTION(int, nvrtcGetNumSupportedArchs, (int *count))                                                             \
    FUNCTION(int, nvrtcGetSupportedArchs, (int *architectures))                                                        \
    FUNCTION(int, nvrtcDestroyProgram, (void **program))

#define GNDI_DRIVER_TABLE(FUNCTION)                                                                                    \
    FUNCTION(int, cuDriverGetVersion, (int *version))                                                                  \
    FUNCTION(int, cuGetErrorString, (int result, const char **text))                                                   \
    FUNCTION(int, cuLibraryLoadData,                                                                                   \
             (void **library, const void *code, int *jit_options, void **jit_values, unsigned jit_count, int *options, \
              void **values, unsigned count))                                                                          \
    FUNCTION(int, cuLibraryUnload, (void *library))                                                                    \
    FUNCTION(int, cuLibraryGetKernel, (void **kernel, void *library, const char *name))                                \
    FUNCTION(int, cuLibraryGetGlobal, (void **address, size_t *bytes, void *library, const char *name))                \
    FUNCTION(int, cuKernelGetFunction, (void **function, void *kernel))                                                \
    FUNCTION(int, cuFuncGetAttribute, (int *value, int attribute, void *function))                                     \
    FUNCTION(int, cuFuncSetAttribute, (void *function, int attribute, int value))                                      \
    FUNCTION(int, cuLaunchKernel,                                                                                      \
             (void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,   \
              unsigned block_z, unsigned shared_bytes, void *stream, void **parameters, void **extra))

/* Products with matrices of one type; S is the type of alpha and beta. */
#define GNDI_CBLAS_PRODUCTS(FUNCTION, letter, S)                                                                       \
    FUNCTION(void, cblas_##letter##gemm,                                                                               \
             (int order, int trans_a, int trans_b, int m, int n, int k, S alpha, const void *a, int lda,               \
              const void *b, int ldb, S beta, void *c, int ldc))                                                       \
    FUNCTION(void, cblas_##letter##gemv,                                                                               \
             (int order, int trans, int m, int n, S alpha, const void *a, int lda, const void *x, int x_step, S beta,  \
              void *y, int y_step))

/* A LAPACK routine for matrices of the four types. These are Fortran's: all arguments are addresses, and
   the lengths of texts come last. */
#define GNDI_LAPACK_ROWS(FUNCTION, name, arguments)                                                                    \
    FUNCTION(void, s##name##_, arguments)                                                                              \
    FUNCTION(void, d##name##_, arguments)                                                                              \
    FUNCTION(void, c##name##_, arguments)                                                                              \
    FUNCTION(void, z##name##_, arguments)

/* Factors of matrices, and systems. */
#define GNDI_LAPACK_FACTORS(FUNCTION)                                                                                  \
    GNDI_LAPACK_ROWS(FUNCTION, getrf, (const int *m, const int *n, void *a, const int *lda, int *pivots, int *info))   \
    GNDI_LAPACK_ROWS(FUNCTION, getrs,                                                                                  \
                     (const char *trans, const int *n, const int *columns, const void *a, const int *lda,              \
                      const int *pivots, void *b, const int *ldb, int *info, size_t))                                  \
    GNDI_LAPACK_ROWS(                                                                                                  \
        FUNCTION, getri,                                                                                               \
        (const int *n, void *a, const int *lda, const int *pivots, void *work, const int *lwork, int *info))           \
    GNDI_LAPACK_ROWS(FUNCTION, potrf, (const char *uplo, const int *n, void *a, const int *lda, int *info, size_t))    \
    GNDI_LAPACK_ROWS(FUNCTION, potrs,                                                                                  \
                     (const char *uplo, const int *n, const int *columns, const void *a, const int *lda, void *b,      \
                      const int *ldb, int *info, size_t))                                                              \
    GNDI_LAPACK_ROWS(FUNCTION, trtrs,                                                                                  \
                     (const char *uplo, const char *trans, const char *diag, const int *n, const int *columns,         \
                      const void *a, const int *lda, void *b, const int *ldb, int *info, size_t, size_t, size_t))

/* Decompositions. The real and the complex routines differ in their names or arguments. */
#define GNDI_LAPACK_REAL(FUNCTION, name, arguments)                                                                    \
    FUNCTION(void, s##name##_, arguments)                                                                              \
    FUNCTION(void, d##name##_, arguments)
#define GNDI_LAPACK_COMPLEX(FUNCTION, name, arguments)                                                                 \
    FUNCTION(void, c##name##_, arguments)                                                                              \
    FUNCTION(void, z##name##_, arguments)
#define GNDI_LAPACK_QR_Q_ARGUMENTS                                                                                     \
    (const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work, const int *lwork, \
     int *info)
#define GNDI_LAPACK_QR_APPLY_ARGUMENTS                                                                                 \
    (const char *side, const char *trans, const int *m, const int *n, const int *k, const void *a, const int *lda,     \
     const void *tau, void *c, const int *ldc, void *work, const int *lwork, int *info, size_t, size_t)
#define GNDI_LAPACK_DECOMPOSITIONS(FUNCTION)                                                                           \
    GNDI_LAPACK_ROWS(                                                                                                  \
        FUNCTION, geqrf,                                                                                               \
        (const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork, int *info))     \
    GNDI_LAPACK_REAL(FUNCTION, orgqr, GNDI_LAPACK_QR_Q_ARGUMENTS)                                                      \
    GNDI_LAPACK_COMPLEX(FUNCTION, ungqr, GNDI_LAPACK_QR_Q_ARGUMENTS)                                                   \
    GNDI_LAPACK_REAL(FUNCTION, ormqr, GNDI_LAPACK_QR_APPLY_ARGUMENTS)                                                  \
    GNDI_LAPACK_COMPLEX(FUNCTION, unmqr, GNDI_LAPACK_QR_APPLY_ARGUMENTS)                                               \
    GNDI_LAPACK_REAL(FUNCTION, gesdd,                                                                                  \
                     (const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,         \
                      const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *whole, int *info,  \
                      size_t))                                                                                         \
    GNDI_LAPACK_COMPLEX(FUNCTION, gesdd,                                                                               \
                        (const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,      \
                         const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *real,          \
                         int *whole, int *info, size_t))                                                               \
    GNDI_LAPACK_REAL(FUNCTION, gesvd,                                                                                  \
                     (const char *jobu, const char *jobvt, const int *m, const int *n, void *a, const int *lda,        \
                      void *s, void *u, const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork,       \
                      int *info, size_t, size_t))                                                                      \
    GNDI_LAPACK_COMPLEX(FUNCTION, gesvd,                                                                               \
                        (const char *jobu, const char *jobvt, const int *m, const int *n, void *a, const int *lda,     \
                         void *s, void *u, const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork,    \
                         void *real, int *info, size_t, size_t))                                                       \
    GNDI_LAPACK_REAL(FUNCTION, syevd,                                                                                  \
                     (const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w, void *work,  \
                      const int *lwork, int *whole, const int *liwork, int *info, size_t, size_t))                     \
    GNDI_LAPACK_COMPLEX(FUNCTION, heevd,                                                                               \
                        (const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w,           \
                         void *work, const int *lwork, void *real, const int *lrwork, int *whole, const int *liwork,   \
                         int *info, size_t, size_t))                                                                   \
    GNDI_LAPACK_REAL(FUNCTION, geev,                                                                                   \
                     (const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda, void *wr, void *wi, \
                      void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork, int *info,   \
                      size_t, size_t))                                                                                 \
    GNDI_LAPACK_COMPLEX(FUNCTION, geev,                                                                                \
                        (const char *jobvl, const char *jobvr, const int *n, void *a, const int *lda, void *w,         \
                         void *vl, const int *ldvl, void *vr, const int *ldvr, void *work, const int *lwork,           \
                         void *real, int *info, size_t, size_t))

#define GNDI_OPENBLAS_TABLE(FUNCTION)                                                                                  \
    FUNCTION(char *, openblas_get_config, (void))                                                                      \
    FUNCTION(int, openblas_get_parallel, (void))                                                                       \
    FUNCTION(int, openblas_get_num_threads, (void))                                                                    \
    FUNCTION(void, openblas_set_num_threads, (int threads))                                                            \
    GNDI_LAPACK_FACTORS(FUNCTION)                                                                                      \
    GNDI_LAPACK_DECOMPOSITIONS(FUNCTION)                                                                               \
    GNDI_CBLAS_PRODUCTS(FUNCTION, s, float)                                                                            \
    GNDI_CBLAS_PRODUCTS(FUNCTION, d, double)                                                                           \
    GNDI_CBLAS_PRODUCTS(FUNCTION, c, const void *)                                                                     \
    GNDI_CBLAS_PRODUCTS(FUNCTION, z, const void *)                                                                     \
    FUNCTION(double, cblas_ddot, (int n, const double *x, int x_step, const double *y, int y_step))

/* FFTW, out of its library of threads, which brings the other along; the same rows for both precisions. An
   axis is a gndi_fftw_axis, in elements. The last two rows, since 3.3.9, are for the loop that runs jobs on threads. */
typedef struct gndi_fftw_axis {
    ptrdiff_t n, in, out;
} gndi_fftw_axis;
#define GNDI_FFTW_PLANS(FUNCTION, X)                                                                                   \
    FUNCTION(void *, X##_plan_guru64_dft,                                                                              \
             (int rank, const gndi_fftw_axis *axes, int batches, const gndi_fftw_axis *batch, void *in, void *out,     \
              int sign, unsigned flags))                                                                               \
    FUNCTION(void *, X##_plan_guru64_dft_r2c,                                                                          \
             (int rank, const gndi_fftw_axis *axes, int batches, const gndi_fftw_axis *batch, void *in, void *out,     \
              unsigned flags))                                                                                         \
    FUNCTION(void *, X##_plan_guru64_dft_c2r,                                                                          \
             (int rank, const gndi_fftw_axis *axes, int batches, const gndi_fftw_axis *batch, void *in, void *out,     \
              unsigned flags))                                                                                         \
    FUNCTION(void *, X##_plan_guru64_r2r,                                                                              \
             (int rank, const gndi_fftw_axis *axes, int batches, const gndi_fftw_axis *batch, void *in, void *out,     \
              const int *kinds, unsigned flags))                                                                       \
    FUNCTION(void, X##_execute_dft, (const void *plan, void *in, void *out))                                           \
    FUNCTION(void, X##_execute_dft_r2c, (const void *plan, void *in, void *out))                                       \
    FUNCTION(void, X##_execute_dft_c2r, (const void *plan, void *in, void *out))                                       \
    FUNCTION(void, X##_execute_r2r, (const void *plan, void *in, void *out))                                           \
    FUNCTION(void, X##_destroy_plan, (void *plan))
#define GNDI_FFTW_ROWS(FUNCTION, X)                                                                                    \
    FUNCTION(char *, X##_export_wisdom_to_string, (void))                                                              \
    FUNCTION(int, X##_alignment_of, (void *data))                                                                      \
    FUNCTION(int, X##_init_threads, (void))                                                                            \
    FUNCTION(void, X##_make_planner_thread_safe, (void))                                                               \
    FUNCTION(void, X##_plan_with_nthreads, (int threads))                                                              \
    GNDI_FFTW_PLANS(FUNCTION, X)                                                                                       \
    FUNCTION(int, X##_planner_nthreads, (void))                                                                        \
    FUNCTION(void, X##_threads_set_callback,                                                                           \
             (void (*loop)(void *(*work)(char *), char *jobs, size_t job_bytes, int count, void *data), void *data))
#define GNDI_FFTW_TABLE(FUNCTION) GNDI_FFTW_ROWS(FUNCTION, fftw)
#define GNDI_FFTWF_TABLE(FUNCTION) GNDI_FFTW_ROWS(FUNCTION, fftwf)

#define GNDI_TABLE_MEMBER(result, name, arguments) result(*name) arguments;
typedef struct gndi_cublas {
    GNDI_CUBLAS_TABLE(GNDI_TABLE_MEMBER)
} gndi_cublas;
typedef struct gndi_cusolver {
    GNDI_CUSOLVER_TABLE(GNDI_TABLE_MEMBER)
} gndi_cusolver;
typedef struct gndi_cufft {
    GNDI_CUFFT_TABLE(GNDI_TABLE_MEMBER)
} gndi_cufft;
typedef struct gndi_cufftjit {
    GNDI_CUFFTJIT_TABLE(GNDI_TABLE_MEMBER)
} gndi_cufftjit;
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
typedef struct gndi_fftw {
    GNDI_FFTW_TABLE(GNDI_TABLE_MEMBER)
} gndi_fftw;
typedef struct gndi_fftwf {
    GNDI_FFTWF_TABLE(GNDI_TABLE_MEMBER)
} gndi_fftwf;
typedef struct gndi_libzip {
    GNDI_LIBZIP_TABLE(GNDI_TABLE_MEMBER)
} gndi_libzip;
typedef struct gndi_libpng {
    GNDI_LIBPNG_TABLE(GNDI_TABLE_MEMBER)
} gndi_libpng;
typedef struct gndi_turbojpeg {
    GNDI_TURBOJPEG_TABLE(GNDI_TABLE_MEMBER)
} gndi_turbojpeg;
typedef struct gndi_libtiff {
    GNDI_LIBTIFF_TABLE(GNDI_TABLE_MEMBER)
} gndi_libtiff;
typedef struct gndi_cjson {
    GNDI_CJSON_TABLE(GNDI_TABLE_MEMBER)
} gndi_cjson;
#undef GNDI_TABLE_MEMBER

/* The tables, loaded; NULL and an error in the name of `fn` if the library is missing. */
const gndi_cublas *gndi_cublas_get(const char *fn);
const gndi_cusolver *gndi_cusolver_get(const char *fn);
const gndi_cufft *gndi_cufft_get(const char *fn);
const gndi_cufftjit *gndi_cufftjit_get(const char *fn);
const gndi_curand *gndi_curand_get(const char *fn);
const gndi_nvrtc *gndi_nvrtc_get(const char *fn);
const gndi_driver *gndi_driver_get(const char *fn);
const gndi_openblas *gndi_openblas_get(const char *fn);
const gndi_fftw *gndi_fftw_get(const char *fn);
const gndi_fftwf *gndi_fftwf_get(const char *fn);
const gndi_libzip *gndi_libzip_get(const char *fn);
const gndi_libpng *gndi_libpng_get(const char *fn);
const gndi_turbojpeg *gndi_turbojpeg_get(const char *fn);
const gndi_libtiff *gndi_libtiff_get(const char *fn);
const gndi_cjson *gndi_cjson_get(const char *fn);

/* All of them, NULL-terminated, for gnd_library_info_of. */
extern gndi_library *const gndi_libraries[];

#endif
