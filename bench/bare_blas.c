/*
 * bare_blas.c: see bare_cuda.h. cuBLAS and cuSOLVER are opened at run time, as gnd opens them, and the
 * prototypes and constants are written out here (from cublas_api.h and library_types.h), so that the
 * benchmark builds and starts where the libraries are not installed.
 */
#include "bare_cuda.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { OP_N = 0, OP_T = 1 };                                        /* cublasOperation_t */
enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, R_16BF = 14 };   /* cudaDataType */
enum { COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32F_TF32 = 77 }; /* cublasComputeType_t */
enum { GEMM_DEFAULT = -1 };                                         /* cublasGemmAlgo_t */

static struct {
    int (*create)(void **handle);
    int (*set_stream)(void *handle, void *stream);
    int (*sgemm)(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha, const float *a, int lda,
                 const float *b, int ldb, const float *beta, float *c, int ldc);
    int (*gemm)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a, int type_a,
                int lda, const void *b, int type_b, int ldb, const void *beta, void *c, int type_c, int ldc,
                int compute, int algorithm);
    int (*gemm_batch)(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha, const void *a,
                      int type_a, int lda, long long step_a, const void *b, int type_b, int ldb, long long step_b,
                      const void *beta, void *c, int type_c, int ldc, long long step_c, int batch, int compute,
                      int algorithm);
    void *handle, *stream;
} blas;

void *gndb_open_library(const char *const names[]) {
    const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda"};
    for (int i = 0; names[i]; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        for (size_t r = 0; !library && r < sizeof roots / sizeof *roots; r++) {
            char path[512];
            if (!roots[r] || snprintf(path, sizeof path, "%s/lib64/%s", roots[r], names[i]) >= (int)sizeof path)
                continue;
            library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        }
        if (library) return library;
    }
    fprintf(stderr, "%s cannot be loaded\n", names[0]);
    return NULL;
}

/* POSIX lets a data pointer hold the address of a function. */
void gndb_find(void *library, const char *name, void *function) {
    *(void **)function = dlsym(library, name);
    if (!*(void **)function) {
        fprintf(stderr, "no function %s\n", name);
        exit(1);
    }
}

int gndb_load_cublas(void) {
    if (blas.handle) return 0;
    void *library = gndb_open_library((const char *const[]){"libcublas.so.13", "libcublas.so.12", NULL});
    if (!library) return -1;
    gndb_find(library, "cublasCreate_v2", &blas.create);
    gndb_find(library, "cublasSetStream_v2", &blas.set_stream);
    gndb_find(library, "cublasSgemm_v2", &blas.sgemm);
    gndb_find(library, "cublasGemmEx", &blas.gemm);
    gndb_find(library, "cublasGemmStridedBatchedEx", &blas.gemm_batch);
    return blas.create(&blas.handle);
}

int gndb_load_cusolver(void) {
    void *library = gndb_open_library((const char *const[]){"libcusolver.so.12", "libcusolver.so.11", NULL});
    if (!library) return -1;
    int (*create)(void **handle);
    void *handle;
    gndb_find(library, "cusolverDnCreate", &create);
    return create(&handle);
}

/* Row-major c = a b is column-major c^T = b^T a^T: the operands are swapped. */
int gndb_cublas_matmul(const gndb_product *p, gndb_kind kind, void *stream) {
    static const struct {
        int type, compute;
    } of[] = {
        [GNDB_FLOAT32] = {R_32F, COMPUTE_32F},   [GNDB_TF32] = {R_32F, COMPUTE_32F_TF32},
        [GNDB_FLOAT64] = {R_64F, COMPUTE_64F},   [GNDB_FLOAT16] = {R_16F, COMPUTE_32F},
        [GNDB_BFLOAT16] = {R_16BF, COMPUTE_32F}, [GNDB_COMPLEX64] = {C_32F, COMPUTE_32F},
    };
    static const float one[2] = {1, 0}, zero[2] = {0, 0};
    static const double one64 = 1, zero64 = 0;
    int code = gndb_load_cublas();
    if (code) return code;
    if (blas.stream != stream) code = blas.set_stream(blas.handle, stream);
    if (code) return code;
    blas.stream = stream;

    const bool wide = kind == GNDB_FLOAT64;
    const void *alpha = wide ? (const void *)&one64 : one, *beta = wide ? (const void *)&zero64 : zero;
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k, type = of[kind].type;
    const int op = p->a_transposed ? OP_T : OP_N, lda = p->a_transposed ? m : k;
    if (p->batch > 1)
        return blas.gemm_batch(blas.handle, OP_N, op, n, m, k, alpha, p->b, type, n, (long long)k * n, p->a, type, lda,
                               (long long)m * k, beta, p->c, type, n, (long long)m * n, (int)p->batch, of[kind].compute,
                               GEMM_DEFAULT);
    if (kind == GNDB_FLOAT32) return blas.sgemm(blas.handle, OP_N, op, n, m, k, one, p->b, n, p->a, lda, zero, p->c, n);
    return blas.gemm(blas.handle, OP_N, op, n, m, k, alpha, p->b, type, n, p->a, type, lda, beta, p->c, type, n,
                     of[kind].compute, GEMM_DEFAULT);
}
