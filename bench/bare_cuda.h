/*
 * bare_cuda.h: what CUDA itself costs, without gnd: a null kernel launched back to back, the creation
 * of a context, and CUB's radix sort.
 */
#ifndef GNDB_BARE_CUDA_H
#define GNDB_BARE_CUDA_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Launches a null kernel `count` times on its own stream and waits once. 0, or a CUDA error. */
int gndb_null_kernels(int count);
/* Creates the context of GPU 0. 0, or a CUDA error. */
int gndb_create_context(void);
/* CUB's sort of n floats, from one place in device memory to another, and with an integer each; in
   the order of a stream, without waiting. 0, or a CUDA error. */
int gndb_cub_sort(const float *in, float *out, int64_t n, void *stream);
int gndb_cub_sort_pairs(const float *in, float *out, const int32_t *values_in, int32_t *values_out,
                        int64_t n, void *stream);

#ifdef __cplusplus
}
#endif

#endif
