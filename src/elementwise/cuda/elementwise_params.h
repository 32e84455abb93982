/*
 * elementwise_params.h: what the launcher (C) and the elementwise kernels (CUDA) agree on:
 * parameter blocks, kernel tables, tile geometry, and which casts a kernel makes by itself.
 *
 * Parameter blocks are kept small: the launch copies them, and a launch of a small array is nothing
 * but its launch.
 */
#ifndef GNDI_ELEMENTWISE_PARAMS_H
#define GNDI_ELEMENTWISE_PARAMS_H

#include "elementwise/cuda/elementwise_tuning.h"
#include "kernels/cuda/divisor.h"
#include "kernels/ops/op_sets.h"

enum {
    GNDI_CUDA_DENSE_THREADS = GNDI_TUNE_DENSE_THREADS, /* a block */
    GNDI_CUDA_ROWS_THREADS = GNDI_TUNE_ROWS_THREADS,
    GNDI_CUDA_MIXED_THREADS = GNDI_TUNE_MIXED_THREADS, /* no more than ROWS_THREADS */
    GNDI_CUDA_TILE_THREADS = 256,
    GNDI_CUDA_OUT = 2,
    GNDI_CUDA_IN = 3,
    GNDI_CUDA_OPERANDS = 6, /* outputs, inputs, mask */
    GNDI_CUDA_AXES = 6,     /* axes in a parameter block; with more, operands are copied first */
    GNDI_CUDA_TILE_BATCH = 4,
};

/* One input's value when it has no memory, in the dtype of its signature letter. */
typedef struct gndi_cuda_value {
    uint64_t word[2];
} gndi_cuda_value;

/* ---- dense: one contiguous axis, every operand in its own dtype ----------------------------- */

typedef struct gndi_dense_params {
    void *out[GNDI_CUDA_OUT];
    const void *in[GNDI_CUDA_IN]; /* NULL: `value` */
    gndi_cuda_value value[GNDI_CUDA_IN];
    uint32_t n;
    int *fault;
    double params[4];
} gndi_dense_params;

/* ---- rows: any strides, any dtypes, a mask -------------------------------------------------- */

/* Axis 0 is the fastest; with vectors, a step along it is one vector. */
typedef struct gndi_rows_axis {
    gndi_cuda_divisor divisor;
    uint32_t unused;
    int64_t stride[GNDI_CUDA_OPERANDS]; /* bytes */
} gndi_rows_axis;

enum gndi_rows_access {
    GNDI_ROWS_ELEMENT = 0, /* a unit is an element; of all operands or none */
    GNDI_ROWS_VECTOR = 1,  /* a unit is an aligned vector along axis 0 */
    GNDI_ROWS_SAME = 2,    /* a unit is one element, the same for a whole vector */
    GNDI_ROWS_IMMEDIATE = 3,
};

/* A thread's units lie along the last axis: from scale times its coordinate there, or, with one
   axis, from its position in its block's units; then every `step`, below `size`. */
typedef struct gndi_rows_params {
    char *data[GNDI_CUDA_OPERANDS]; /* outputs, inputs; the mask last (NULL: none) */
    uint8_t dtype[GNDI_CUDA_OPERANDS];
    uint8_t access[GNDI_CUDA_OPERANDS];
    uint8_t log_size[GNDI_CUDA_OPERANDS]; /* of an element's bytes */
    uint32_t axes;
    uint32_t threads, units; /* threads that have a position; units of each */
    uint32_t scale, step, size;
    int64_t offset[GNDI_CUDA_OPERANDS]; /* what a step is in bytes */
    gndi_cuda_value value[GNDI_CUDA_IN];
    gndi_rows_axis axis[GNDI_CUDA_AXES];
    const gndi_rows_axis *deep; /* all axes, in device memory, for the kernel that reads them there */
    int *fault;
    double params[4];
} gndi_rows_params;

/* ---- tile: some inputs are contiguous along another axis than the outputs ------------------- */

enum gndi_tile_mode {
    GNDI_TILE_DIRECT = 0, /* read and written along x, any stride; of all or no operands */
    GNDI_TILE_VECTOR = 1, /* read and written along x in aligned vectors */
    GNDI_TILE_STAGED = 2, /* read along y through shared memory */
    GNDI_TILE_STAGED_VECTOR = 3,
    GNDI_TILE_IMMEDIATE = 4,
};

typedef struct gndi_tile_params {
    char *data[GNDI_CUDA_OPERANDS - 1]; /* outputs, inputs */
    uint8_t mode[GNDI_CUDA_OPERANDS - 1];
    bool vectors; /* along x */
    uint8_t batch_axes;
    uint32_t shared[GNDI_CUDA_IN];                /* at which byte of shared memory a staged input lies */
    uint32_t x, y;                                /* sizes */
    gndi_cuda_divisor tiles_band, tiles_x, bands; /* a block's number is (plane, band, x, row) */
    int64_t stride_x[GNDI_CUDA_OPERANDS - 1], stride_y[GNDI_CUDA_OPERANDS - 1];
    gndi_cuda_divisor batch[GNDI_CUDA_TILE_BATCH];
    int64_t batch_stride[GNDI_CUDA_TILE_BATCH][GNDI_CUDA_OPERANDS - 1];
    gndi_cuda_value value[GNDI_CUDA_IN];
    int *fault;
    double params[4];
} gndi_tile_params;

/* ---- the kernels of one operator and loop --------------------------------------------------- */

typedef struct gndi_cuda_kernels {
    const void *dense;                 /* NULL: the operator has no such loop */
    const void *rows;                  /* any strides */
    const void *mixed;                 /* the same, with casts */
    const void *deep;                  /* the same, with any number of axes: `copy` only */
    const void *tile;                  /* NULL: transposed inputs are copied first */
    uint8_t dense_width, dense_unroll; /* elements a vector, vectors a thread */
    uint8_t rows_width, rows_unroll, mixed_width, mixed_unroll;
    uint8_t tile_width;                /* elements a vector */
    uint16_t tile_x, tile_y;           /* elements */
    uint16_t tile_bytes[GNDI_CUDA_IN]; /* of shared memory, for each input that is staged */
} gndi_cuda_kernels;

/* Indexed by operator and dtype; each family's translation unit fills in its own rows. */
typedef gndi_cuda_kernels gndi_cuda_table[GNDI_OP_COUNT][GND_DTYPE_COUNT];

/* ---- casts inside the kernels --------------------------------------------------------------- */

#ifdef __cplusplus
#    define GNDI_CONSTEXPR constexpr
#else
#    define GNDI_CONSTEXPR static inline
#endif

/* bool < integer < floating < complex */
GNDI_CONSTEXPR int gndi_cuda_rank(int dtype) {
    return dtype == GND_BOOL ? 0 : dtype <= GND_UINT64 ? 1 : dtype <= GND_FLOAT64 ? 2 : 3;
}
/* Whether the mixed kernel of `op` loads an operand stored as `from` into a loop that takes it as
   `to`: all that promotion asks for. What only casting="unsafe" allows is left to `copy`, which
   casts everything; the launcher then copies the operand first. */
GNDI_CONSTEXPR bool gndi_cuda_loads(int op, int from, int to) {
    return op == GNDI_OP_copy || gndi_cuda_rank(from) <= gndi_cuda_rank(to);
}
/* The same for results computed as `from` and stored as `to`: within a kind. `copy` computes in the
   dtype it stores. */
GNDI_CONSTEXPR bool gndi_cuda_stores(int op, int from, int to) {
    return from == to || (op != GNDI_OP_copy && gndi_cuda_rank(from) == gndi_cuda_rank(to));
}

#endif
