/*
 * random_params.h: the parameter blocks of the kernels of random numbers, and the list of kernels.
 */
#ifndef GNDI_RANDOM_PARAMS_H
#define GNDI_RANDOM_PARAMS_H

#include "random/random_begin_plan.h"
#include "runtime/fault.h"

enum {
    GNDI_RANDOM_THREADS = 256,
    GNDI_RANDOM_EACH = 8,    /* blocks of Philox of a thread, at most: an even number, as every count is */
    GNDI_RANDOM_VECTORS = 31 /* of a warp, where results do not begin with a block of words */
};

typedef struct gndi_random_params {
    gndi_random_plan plan;
    gndi_fault *fault;
    int each; /* blocks of Philox of a thread: an even number */
} gndi_random_params;

/* Advances a cell by a draw, or sets it. */
typedef struct gndi_random_cell_params {
    gndi_random_state *cell;
    gndi_random_state state;      /* to be set */
    uint64_t offset, words, size; /* of the draw; words 0: set */
} gndi_random_cell_params;

/* The kernels of one distribution and type of results: Philox with numbers as parameters, Philox with
   arrays among them, the other generators. */
enum { GNDI_RANDOM_NUMBERS, GNDI_RANDOM_ARRAYS, GNDI_RANDOM_OTHERS, GNDI_RANDOM_KERNELS };

/* Types of results: 0 float, 1 double or int64; of D rows 2 log2(bytes) + (words - 1). */
enum { GNDI_RANDOM_VARIANTS = 8 };
typedef const void *gndi_cuda_random_kernels[GNDI_RANDOM_VARIANTS][GNDI_RANDOM_KERNELS];

#endif
