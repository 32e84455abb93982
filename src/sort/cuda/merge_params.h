/*
 * merge_params.h: what merge_cuda.c hands to the kernels of merge_kernels.cu. C and C++.
 */
#ifndef GNDI_MERGE_PARAMS_H
#define GNDI_MERGE_PARAMS_H

#include "sort/cuda/sort_params.h"
#include "sort/merge_plan.h"

enum {
    GNDI_MERGE_THREADS = 256,
    GNDI_MERGE_BYTES = 16 << 10, /* of the elements of a tile, which is a block's part of the result */
    GNDI_MERGE_MOST_EACH = 16,   /* elements of a thread */
};

/* Elements of a tile, of so many bytes. */
#define GNDI_MERGE_TILE(bytes)                                                                                         \
    (GNDI_MERGE_THREADS * ((bytes) <= GNDI_MERGE_BYTES / GNDI_MERGE_THREADS / GNDI_MERGE_MOST_EACH                     \
                               ? GNDI_MERGE_MOST_EACH                                                                  \
                               : GNDI_MERGE_BYTES / GNDI_MERGE_THREADS / (bytes)))

typedef struct gndi_merge_params {
    gndi_merge_plan plan;
    gndi_sort_rule rule;
    int64_t tiles;
    int64_t *splits; /* how many of a's elements are in the tiles before each: tiles + 1 */
} gndi_merge_params;

#ifdef __cplusplus
extern "C" {
#endif
/* For a class of keys. Fills `splits`: a thread each. */
const void *gndi_cuda_merge_split_kernel(int key_class);
/* A block a tile. */
const void *gndi_cuda_merge_kernel(int key_class);
#ifdef __cplusplus
}
#endif

#endif
