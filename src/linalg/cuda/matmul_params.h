/*
 * matmul_params.h: the parameters that matmul_cuda.c passes to gnd's own kernels of products
 * (matmul_kernels.cu), and the sizes of their tiles.
 */
#ifndef GNDI_MATMUL_PARAMS_H
#define GNDI_MATMUL_PARAMS_H

#include <stdint.h>

enum {
    GNDI_PRODUCT_AXES = 64,       /* of a batch, at most */
    GNDI_TILE_SIDE = 64,          /* rows and columns of c that a block computes */
    GNDI_TILE_THREADS = 256,      /* of it: each 4 by 4 of them, or a warp 16 by 32 */
    GNDI_LITTLE_SIDE = 16,        /* the same of a block whose threads compute one each, */
    GNDI_LITTLE_DEPTH = 64,       /* and elements along k at a time */
    GNDI_SMALL_THREADS = 128,     /* of a block that computes several small matrices */
    GNDI_SMALL_MATRICES = 128,    /* of a block, at most */
    GNDI_SMALL_OUTPUTS = 512,     /* elements of c that a block computes, about */
    GNDI_SMALL_MEMORY = 24 << 10, /* bytes of shared memory for them, at most */
    GNDI_JOIN_EACH = 256,         /* threads of a block, an element of c each */
};
/* Elements along k that a tile has in shared memory, of a work type of `bytes`. */
#define GNDI_TILE_DEPTH(bytes) ((bytes) == 8 ? 16 : 32)

enum { GNDI_PRODUCT_TILES, GNDI_PRODUCT_JOIN, GNDI_PRODUCT_LITTLE, GNDI_PRODUCT_SMALL };

typedef struct gndi_matmul_factor {
    char *data;
    int64_t row, column; /* strides in bytes */
    int64_t step[GNDI_PRODUCT_AXES];
} gndi_matmul_factor;

/* n / size as n * magic >> 32: right while n * size < 2^32. */
typedef struct gndi_matmul_divisor {
    uint64_t magic;
    uint32_t size;
} gndi_matmul_divisor;

/* c = alpha a b + beta c; rows of c have a smaller stride than columns. Integers: alpha is 1, beta 0 or 1. */
typedef struct gndi_matmul_params {
    int64_t m, n, k, batch; /* batch: product of shape */
    double alpha[2], beta[2];
    uint8_t conjugate_a, conjugate_b;
    uint8_t reads_c;   /* beta is not 0 */
    uint8_t a_along_k; /* a's stride along k is the smaller one: threads load along k */
    uint8_t b_along_k; /* the same of b */
    int64_t share;     /* TILES: elements along k of each share, a multiple of DEPTH */
    int64_t shares;    /* TILES: more than one: sums go to `parts`. JOIN: how many there are */
    void *parts;       /* m x n sums of each matrix, column-major, of each share */
    int64_t tiles_m, tiles_n;
    uint32_t group; /* SMALL: matrices of a block */
    gndi_matmul_divisor mn, mk, kn, by_m, a_inner, b_inner;
    int32_t ndim; /* the last axis of the batch is the fastest */
    int64_t shape[GNDI_PRODUCT_AXES];
    gndi_matmul_factor a, b, c;
} gndi_matmul_params;

/* Fills tables of pointers to the matrices of a batch: first all of a, then b, then c. */
typedef struct gndi_matmul_pointers_params {
    char **pointers;
    int64_t batch;
    int32_t ndim;
    int64_t shape[GNDI_PRODUCT_AXES];
    gndi_matmul_factor a, b, c;
} gndi_matmul_pointers_params;

#endif
