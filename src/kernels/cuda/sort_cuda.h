/*
 * sort_cuda.h: a stable sort of unsigned keys and their values on CUDA (CUB's radix sort). Only *_cuda.* files
 * include it.
 */
#ifndef GNDI_SORT_CUDA_H
#define GNDI_SORT_CUDA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Sorts n keys, words of 4 bytes or longs of 8, stably by their bits begin_bit .. end_bit - 1, from keys_in to
 * keys_out, and the values (0, 4 or 8 bytes each; NULL if 0) with them. Input and output must not overlap; the input
 * is not changed. In the order of `stream`, without waiting.
 *
 * The first call, with work == NULL, only says in *bytes how much memory `work` needs. Returns a cudaError_t.
 */
typedef int gndi_cuda_radix_sort(void *work, size_t *bytes, const void *keys_in, void *keys_out, const void *values_in,
                                 void *values_out, int value_bytes, int64_t n, int begin_bit, int end_bit,
                                 void *stream);
gndi_cuda_radix_sort gndi_cuda_radix_sort_words, gndi_cuda_radix_sort_longs;

#ifdef __cplusplus
}
#endif

#endif
