/*
 * search_params.h: what search_cuda.c hands to the kernels of search_kernels.cu and interp_kernels.cu.
 */
#ifndef GNDI_SEARCH_PARAMS_H
#define GNDI_SEARCH_PARAMS_H

#include "reduce/cuda/operator_params.h"
#include "sort/search_plan.h"

enum {
    GNDI_SEARCH_THREADS = 1024, /* of a block, at most: it has blockDim.x */
    GNDI_SEARCH_EACH = 4,       /* values of a thread, searched side by side */
    GNDI_INTERP_EACH = 2,       /* values of a thread in interp_kernels.cu */
    GNDI_INTERP_VECTOR = 8,     /* starts of buckets that are looked at together, 16 bytes */
};

/* Bytes that the starts of so many buckets take, and their end, in whole vectors. */
#define GNDI_INTERP_STARTS(buckets) (((buckets) / GNDI_INTERP_VECTOR + 1) * 16)

typedef struct gndi_search_params {
    gndi_search_plan plan; /* its `interp` is a host pointer; the copy is below */
    gndi_search_interp interp;
    int log_top; /* the first step of a search is 2^log_top, the largest that is not above length */
    int levels;  /* so many steps are made in shared memory: 2^levels elements of it */
    void *table; /* these elements, gathered by a kernel before; NULL: blocks find them themselves */
    gndi_fault *fault;
    int buckets; /* of interp_kernels.cu */
} gndi_search_params;

#ifdef __cplusplus
extern "C" {
#endif
/* Any number of blocks. Elements in shared memory have the dtype's size, halves four bytes. */
const void *gndi_cuda_search_kernel(int dtype);
/* Fills `table`: a thread an element. */
const void *gndi_cuda_search_gather_kernel(int dtype);
const void *gndi_cuda_interp_kernel(void);
/* Shared memory: the starts of the buckets, the points, and the heights if they are to be there. */
const void *gndi_cuda_interp_buckets_kernel(bool heights);
#ifdef __cplusplus
}
#endif

#endif
