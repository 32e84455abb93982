/*
 * ndimage_params.h: what the launchers of filters of pictures and fields tell their kernels.
 */
#ifndef GNDI_NDIMAGE_PARAMS_H
#define GNDI_NDIMAGE_PARAMS_H

#include "ndimage/lines_plan.h"
#include "ndimage/neighbours_plan.h"

enum {
    GNDI_CUDA_LINES_THREADS = 256,
    GNDI_CUDA_LINES_LONG = 32, /* outputs of a thread that has no tile */
};

/* Tiles: bands of rows and segments of columns of each matrix. */
typedef struct gndi_cuda_lines_params {
    struct gndi_lines_plan plan;
    int64_t bands, segments;
    int32_t pitch, height; /* of what is read: the tile's rows, with the window's */
} gndi_cuda_lines_params;

#endif
