/*
 * ndimage_params.h: what the launchers of filters of pictures and fields tell their kernels.
 */
#ifndef GNDI_NDIMAGE_PARAMS_H
#define GNDI_NDIMAGE_PARAMS_H

#include "ndimage/lines_plan.h"
#include "ndimage/neighbours_plan.h"
#include "ndimage/sample_plan.h"

enum {
    GNDI_CUDA_LINES_THREADS = 256, /* of windows without a tile */
    GNDI_CUDA_LINES_LONG = 32,     /* outputs of one of them */
    GNDI_CUDA_LINES_BLOCKS = 3,    /* of a processor, of windows with a tile */
    GNDI_CUDA_MARCH_THREADS = 96,  /* row by row: a block's; 4 columns each */
    GNDI_CUDA_MARCH_ROWS = 2,      /* rows that go down, then along, at a time */
    GNDI_CUDA_MARCH_AHEAD = 4,     /* so many times that are on their way, or read */
    GNDI_CUDA_MARCH_MOST = 48,     /* weights of an axis */
    GNDI_CUDA_NEIGHBOURS_THREADS = 256,
    GNDI_CUDA_NEIGHBOURS_NEAR = 512,  /* elements of a window that a block lists */
    GNDI_CUDA_NEIGHBOURS_RUN = 4,     /* outputs of a thread, next to each other */
    GNDI_CUDA_TRUTHS_PACK = 16,       /* outputs of a thread that are truths */
    GNDI_CUDA_NEIGHBOURS_BLOCKS = 32, /* of a processor, where each lists the window */
    GNDI_CUDA_TRUTHS_BLOCKS = 4,      /* the same */
    /* A block's outputs of an affine map of two dimensions; of one whose coefficients are in shared memory. */
    GNDI_CUDA_SAMPLE_ACROSS = 32,
    GNDI_CUDA_SAMPLE_DOWN = 8,
    GNDI_CUDA_SAMPLE_BOX = 64,
    GNDI_CUDA_SAMPLE_ROWS = 32,  /* a thread's outputs of a map whose axes are not mixed */
    GNDI_CUDA_SAMPLE_EACH = 4,   /* a thread's points of given coordinates, of orders 0 and 1 */
    GNDI_CUDA_SAMPLE_BLOCKS = 5, /* of a processor, where these are float32 and of order 1 */
    GNDI_CUDA_SAMPLE_BANDS = 6,  /* more do not pay: each reads all coordinates */
};

/* Tiles: bands of rows and segments of columns of each matrix. */
typedef struct gndi_cuda_lines_params {
    struct gndi_lines_plan plan;
    gndi_lines_tile tile;
    int64_t bands, segments;
    bool packs; /* rows begin at multiples of 16 bytes, of x and of out */
} gndi_cuda_lines_params;

/* What is filtered row by row: the columns alone; both axes; the sum of two such filters, or of one along each axis. */
enum { GNDI_CUDA_MARCH_DOWN, GNDI_CUDA_MARCH_BOTH, GNDI_CUDA_MARCH_SUM, GNDI_CUDA_MARCH_CROSS };

/* Row by row: strips of `width` columns, segments of `height` rows of each matrix. Axis 0 is down the columns. */
typedef struct gndi_cuda_march_params {
    const float *x;
    float *out;
    int32_t rows, columns;
    int32_t strips, segments, width, height;
    int32_t first[2], before; /* the windows' first elements; columns that are read before, to whole packs */
    uint8_t border[2];        /* gndi_border */
    bool adds;
    float fill, between;                      /* the constant; what it is after axis 0 */
    float size, part;                         /* elements of both windows, and the reciprocal */
    float weight[2][2][GNDI_CUDA_MARCH_MOST]; /* of each part, along each axis */
} gndi_cuda_march_params;

/* Splines at coordinates. */
typedef struct gndi_cuda_sample_params {
    struct gndi_sample_plan plan;
    double pad;                    /* the plan's */
    int32_t box_rows, box_columns; /* what a block's outputs need, elements; 0: they read through the cache */
    int32_t box_pitch;             /* from a row of the box to the next */
    bool packs;                    /* rows of x, or of given coordinates, begin at multiples of 16 bytes */
    int32_t height;                /* rows of a band; given coordinates anywhere take one band after the other */
} gndi_cuda_sample_params;

#endif
