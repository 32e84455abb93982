/*
 * select_params.h: what select_cuda.c hands to the kernels of select_*.cuh, and the tables in which
 * it finds them.
 */
#ifndef GNDI_SELECT_PARAMS_H
#define GNDI_SELECT_PARAMS_H

#include "quantile/select_plan.h"
#include "runtime/fault.h"

enum {
    GNDI_SELECT_TINY_THREADS = 128, /* a row each */
    GNDI_SELECT_WARP_THREADS = 128, /* a row a warp */
    GNDI_SELECT_LONG_THREADS = 512,
    GNDI_SELECT_LIST = 4096,         /* keys that a block keeps in shared memory */
    GNDI_SELECT_STATE_BYTES = 256,   /* of a row and quantile that several blocks work on */
    GNDI_SELECT_LAST_LIST = 1 << 16, /* about so many keys are left to one block */
};

/* An item is one quantile of one row: number row * quantiles + quantile. */
typedef struct gndi_select_params {
    gndi_select_plan plan;
    int *fault;
    int64_t first_item; /* of this launch */
    char *states;       /* STATE_BYTES for each item of the launch */
    char *lists;        /* `capacity` and then `second_capacity` keys for each */
    int64_t capacity, second_capacity;
    int level;
    bool last_level;
} gndi_select_params;

/* The kernels for elements of one size: */
typedef const void *const gndi_select_tiny_kernels[3]; /* rows of up to 8, 16, 32 elements, a thread a row */
typedef struct gndi_select_short_kernels {
    const void *warp[5]; /* up to 64, 128, 256, 512, 1024, a warp a row */
    const void *block;   /* a block an item */
} gndi_select_short_kernels;

/* Several blocks an item. */
typedef struct gndi_select_long_kernels {
    const void *sample;   /* the first window, */
    const void *sweep[2]; /* a pass over the row (over a list), */
    const void *rest;     /* and what has failed so far */
} gndi_select_long_kernels;

#ifdef __cplusplus
extern "C" {
#endif
extern gndi_select_tiny_kernels gndi_select_tiny_kernels_1, gndi_select_tiny_kernels_2, gndi_select_tiny_kernels_4,
    gndi_select_tiny_kernels_8;
extern const gndi_select_short_kernels gndi_select_short_kernels_1, gndi_select_short_kernels_2,
    gndi_select_short_kernels_4, gndi_select_short_kernels_8;
extern const gndi_select_long_kernels gndi_select_long_kernels_1, gndi_select_long_kernels_2,
    gndi_select_long_kernels_4, gndi_select_long_kernels_8;
#ifdef __cplusplus
}
#endif

#endif
