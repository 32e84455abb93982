/*
 * ndimage_params.h: what the launchers of filters of pictures and fields tell their kernels.
 */
#ifndef GNDI_NDIMAGE_PARAMS_H
#define GNDI_NDIMAGE_PARAMS_H

#include "ndimage/lines_plan.h"
#include "ndimage/neighbours_plan.h"
#include "ndimage/sample_plan.h"

enum {
    GNDI_CUDA_LINES_THREADS = 256,
    GNDI_CUDA_LINES_LONG = 32, /* outputs of a thread that has no tile */
    GNDI_CUDA_NEIGHBOURS_THREADS = 256,
    GNDI_CUDA_NEIGHBOURS_NEAR = 512,  /* elements of a window that a block lists */
    GNDI_CUDA_NEIGHBOURS_RUN = 4,     /* outputs of a thread, next to each other */
    GNDI_CUDA_TRUTHS_PACK = 16,       /* outputs of a thread that are truths */
    GNDI_CUDA_NEIGHBOURS_BLOCKS = 32, /* of a processor, where each lists the window */
    GNDI_CUDA_TRUTHS_BLOCKS = 4,      /* the same */
    /* A block's outputs of an affine map of two dimensions. */
    GNDI_CUDA_SAMPLE_ACROSS = 32,
    GNDI_CUDA_SAMPLE_DOWN = 8,
};

/* Tiles: bands of rows and segments of columns of each matrix. */
typedef struct gndi_cuda_lines_params {
    struct gndi_lines_plan plan;
    int64_t bands, segments;
    int32_t pitch_read, pitch, height; /* of what is read: the tile's rows, with the window's; of what is between */
    bool packs;                        /* rows begin at multiples of 16 bytes */
} gndi_cuda_lines_params;

#endif
