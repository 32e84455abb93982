/*
 * bare_cuda.h: what CUDA itself costs, without gnd: a null kernel launched back to back, the creation
 * of a context, CUB's radix sort, cuBLAS's products of matrices, and cuFFT's transforms.
 */
#ifndef GNDB_BARE_CUDA_H
#define GNDB_BARE_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a null kernel `count` times on its own stream and waits once. 0, or a CUDA error. */
int gndb_null_kernels(int count);
/* A CUDA graph of `count` null kernels, one after the other, made at the first call and launched into a stream, without
   waiting. 0, or a CUDA error. */
int gndb_null_graph(int count, void *stream);
/* Creates the context of GPU 0. 0, or a CUDA error. */
int gndb_create_context(void);
/* CUB's sort of n floats, from one place in device memory to another, and with an integer each; in
   the order of a stream, without waiting. 0, or a CUDA error. */
int gndb_cub_sort(const float *in, float *out, int64_t n, void *stream);
int gndb_cub_sort_pairs(const float *in, float *out, const int32_t *values_in, int32_t *values_out, int64_t n,
                        void *stream);

/* The first of the names that the loader finds, by itself or in the toolkit's folder; NULL and a line on
   stderr if it finds none. */
void *gndb_open_library(const char *const names[]);
/* Writes the address of a library's function to *function; ends the program if there is none. */
void gndb_find(void *library, const char *name, void *function);

/* Loads a library and creates a handle of it. 0, or its error; -1 if it is not found. */
int gndb_load_cublas(void);
int gndb_load_cusolver(void);
int gndb_load_cufft(void); /* loads it */

typedef enum gndb_kind {
    GNDB_FLOAT32,
    GNDB_TF32, /* float32 that tensor cores may round */
    GNDB_FLOAT64,
    GNDB_FLOAT16, /* these two add up in float32 */
    GNDB_BFLOAT16,
    GNDB_COMPLEX64,
} gndb_kind;

/* c = a b: a is m x k (stored as its transpose if `a_transposed`), b is k x n, all row-major and dense,
   `batch` of each, one behind the other. */
typedef struct gndb_product {
    int64_t m, n, k, batch;
    bool a_transposed;
    const void *a, *b;
    void *c;
} gndb_product;
/* By cublasSgemm, cublasGemmEx or cublasGemmStridedBatchedEx, in the order of a stream, without waiting.
   0, or an error of cuBLAS. */
int gndb_cublas_matmul(const gndb_product *p, gndb_kind kind, void *stream);

/* A transform of single precision: of up to three axes that nest, dense but for the stride of all, `batch`
   of them `apart`; `real`: of one axis and no batch. Complex ones are forward. */
typedef struct gndb_transform {
    int rank;
    int64_t n[3], stride, apart, batch;
    bool real;
} gndb_transform;
/* Makes a plan, in place of the last one, and runs it in the order of a stream, without waiting. 0, or an
   error of cuFFT. */
int gndb_cufft_plan(const gndb_transform *t);
int gndb_cufft_run(const void *in, void *out, void *stream);

#ifdef __cplusplus
}
#endif

#endif
