/*
 * histogram_params.h: what histogram_cuda.c hands to the kernels of histogram_*.cu.
 *
 * Counts are made in shared memory, in 2^log_copies tables that the lanes of a warp share out, so that
 * neighbours rarely wait for each other, and added to those in global memory at the end; if there are
 * too many bins for that, straight in global memory. All are whole numbers: in any order the same.
 */
#ifndef GNDI_HISTOGRAM_PARAMS_H
#define GNDI_HISTOGRAM_PARAMS_H

#include "reduce/cuda/operator_params.h"
#include "histogram/histogram_plan.h"

enum {
    GNDI_HISTOGRAM_THREADS = 1024,       /* of a block, one a multiprocessor: they share large tables */
    GNDI_HISTOGRAM_MOST_QUICK = 1 << 21, /* bins of one width that are found the quick way */
    GNDI_HISTOGRAM_EDGES_SHARED = 2048,  /* so many edges are looked up in shared memory */
};

/* The smallest and the largest element that a block has seen: doubles, NaN if one was, or int64. */
typedef struct gndi_histogram_extent {
    int64_t least, greatest; /* bits */
} gndi_histogram_extent;

typedef struct gndi_histogram_params {
    gndi_histogram_plan plan;
    gndi_histogram_extent *extents; /* one for each block of the kernel that measures */
    int extents_count;
    bool in_shared;
    bool edges_in_shared; /* EVEN: behind the tables, for elements that are close to one */
    int8_t log_copies;
    gndi_fault *fault;
} gndi_histogram_params;

#ifdef __cplusplus
extern "C" {
#endif
/* The extents of elements, of each block one; also sets counts to zero. */
const void *gndi_cuda_histogram_extent_kernel(int dtype);
/* From extents to the plan's `out`: one block. */
const void *gndi_cuda_histogram_join_kernel(int dtype);
/* Counts in bins of one width, and their edges. Shared memory: the tables; `copies`: four
   of them or more. An object for two dtypes. */
#define GNDI_HISTOGRAM_PART(part)                                                                                      \
    const void *gndi_cuda_histogram_even_##part(int dtype, bool copies);                                               \
    const void *gndi_cuda_histogram_integer_##part(int dtype, bool copies);
GNDI_HISTOGRAM_PART(bytes)
GNDI_HISTOGRAM_PART(shorts)
GNDI_HISTOGRAM_PART(words)
GNDI_HISTOGRAM_PART(longs)
#undef GNDI_HISTOGRAM_PART
const void *gndi_cuda_histogram_even_halves(int dtype, bool copies);
const void *gndi_cuda_histogram_even_floats(int dtype, bool copies);
const void *gndi_cuda_histogram_even_doubles(int dtype, bool copies);
/* Counts and numbers, for elements of any real dtype; the edges' dtype for kind EDGES. */
const void *gndi_cuda_histogram_between_kernel(int edges_dtype);
const void *gndi_cuda_histogram_number_kernel(int kind); /* EVEN or INTEGERS: numbers alone */
#ifdef __cplusplus
}
#endif

#endif
