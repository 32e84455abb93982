/*
 * isin_params.h: what isin_cuda.c hands to the kernels of isin_kernels.cu.
 */
#ifndef GNDI_ISIN_PARAMS_H
#define GNDI_ISIN_PARAMS_H

#include "sort/search_plan.h"

enum {
    GNDI_ISIN_THREADS = 256,
    GNDI_ISIN_EACH = 8, /* values of a thread, looked up side by side */
};

typedef struct gndi_isin_params {
    gndi_search_plan plan; /* the line is `sorted`, in no order */
    void *slots;           /* mask + 2 (sets/isin_ops.h) */
    uint64_t mask;
} gndi_isin_params;

#ifdef __cplusplus
extern "C" {
#endif
/* Kernels for blocks of THREADS threads, any number of them: the line into the slots, and which values
   are there. */
const void *gndi_cuda_isin_fill_kernel(int dtype);
const void *gndi_cuda_isin_look_up_kernel(int dtype);
int64_t gndi_cuda_isin_slot(int dtype); /* bytes */
#ifdef __cplusplus
}
#endif

#endif
