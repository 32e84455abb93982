/*
 * scatter_launch.h: sorts updates by their target elements, for ufunc.at and for assignments where the last
 * value must win. Only *_cuda.* files include it.
 */
#ifndef GNDI_SCATTER_LAUNCH_H
#define GNDI_SCATTER_LAUNCH_H

#include "kernels/cuda/run_launch.h"
#include "index/scatter_plan.h"

/* Updates in the order of their targets, those of one target in their own order. */
typedef struct gndi_sorted_updates {
    void *keys, *values; /* values: positions or elements; NULL: neither is needed */
    int key_bytes, value_bytes;
    bool elements; /* values are the elements themselves */
} gndi_sorted_updates;

/* Sorts them: `keys` are the numbers of targets in C order of the plan's indices, or `targets` where one
   is out of range, which is reported. Both are memory of the run. */
gnd_status gndi_cuda_sort_updates(gndi_cuda_run *run, const gndi_scatter_plan *plan, gndi_sorted_updates *to);

#endif
