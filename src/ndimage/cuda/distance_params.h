/*
 * distance_params.h: what the launcher of distances tells its kernels.
 */
#ifndef GNDI_DISTANCE_PARAMS_H
#define GNDI_DISTANCE_PARAMS_H

#include "ndimage/distance_plan.h"

/* Threads of a block that takes lines; of NEAREST and RASTER the most. */
enum { GNDI_CUDA_DISTANCE_THREADS = 256, GNDI_CUDA_DISTANCE_MOST = 1024 };

typedef struct gndi_cuda_distance_params {
    struct gndi_distance_plan plan;
    /* NEAREST: warps that follow each other down a strip of 32 columns, strips of a block and of everything, blocks
       down a strip; and whether only the blocks' first and last zeros are written. */
    int32_t warps, strips;
    int64_t all_strips, blocks;
    bool looks;
    /* LEAST: a block's lines, how far they are apart in its memory, a line's marks. */
    int32_t lines, pitch, marks;
} gndi_cuda_distance_params;

#endif
