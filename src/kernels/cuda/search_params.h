/*
 * search_params.h: what search_cuda.c hands to the kernels of search_kernels.cu.
 */
#ifndef GNDI_SEARCH_PARAMS_H
#define GNDI_SEARCH_PARAMS_H

#include "kernels/cuda/operator_params.h"
#include "kernels/search_plan.h"

enum {
    GNDI_SEARCH_THREADS = 256,
    GNDI_SEARCH_EACH = 4,   /* values of a thread, searched side by side */
    GNDI_SEARCH_LEVELS = 9, /* steps of a search that are made in shared memory */
    GNDI_SEARCH_FAULT_INDEX = -1,
    GNDI_SEARCH_FAULT_BINS = -20, /* of runtime.h */
};

typedef struct gndi_search_params {
    gndi_search_plan plan; /* its `curve` is not to be read: here it is */
    gndi_search_curve curve;
    int log_top; /* the first step of a search is 2^log_top, the largest that is not above length */
    gndi_fold_fault *fault;
} gndi_search_params;

#ifdef __cplusplus
extern "C" {
#endif
/* Kernels for blocks of THREADS threads, any number of them. */
const void *gndi_cuda_search_kernel(int dtype);
const void *gndi_cuda_curve_kernel(void);
#ifdef __cplusplus
}
#endif

#endif
