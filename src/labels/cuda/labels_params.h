/*
 * labels_params.h: what the launcher of labels tells its kernels.
 */
#ifndef GNDI_LABELS_PARAMS_H
#define GNDI_LABELS_PARAMS_H

#include "kernels/cuda/divisor.h"
#include "labels/labels_plan.h"

typedef enum gndi_cuda_label_step {
    GNDI_CUDA_LABEL_ACROSS,
    GNDI_CUDA_LABEL_MARK,
    GNDI_CUDA_LABEL_COUNT,
    GNDI_CUDA_LABEL_BEFORE,
    GNDI_CUDA_LABEL_WRITE,
} gndi_cuda_label_step;

/* Most warps of a block, each with sums of its own, and how many numbers all of them hold: with the table of groups
   that is less than the 64 KiB that a block can have on any GPU. */
enum { GNDI_CUDA_LABEL_WARPS = 8, GNDI_CUDA_LABEL_HELD = 6000 };

typedef struct gndi_cuda_label_sums_params {
    struct gndi_label_sums_plan plan;
    int table_bits, warps;
    bool narrow; /* positions fit 31 bits: then the divisors are set */
    gndi_cuda_divisor inner[GNDI_LABEL_AXES], extent[GNDI_LABEL_AXES];
} gndi_cuda_label_sums_params;

typedef enum gndi_cuda_label_extremes_step {
    GNDI_CUDA_LABEL_EXTREMES_CLEAR,
    GNDI_CUDA_LABEL_EXTREMES_HASH,
    GNDI_CUDA_LABEL_EXTREMES_KEYS,
    GNDI_CUDA_LABEL_EXTREMES_POSITIONS,
    GNDI_CUDA_LABEL_EXTREMES_WRITE,
} gndi_cuda_label_extremes_step;

/* Elements of a thread, and the most groups whose extremes a block holds. */
enum {
    GNDI_CUDA_LABEL_EXTREMES_THREADS = 256,
    GNDI_CUDA_LABEL_EXTREMES_EACH = 32,
    GNDI_CUDA_LABEL_EXTREMES_HELD = 1024
};

typedef struct gndi_cuda_label_extremes_params {
    struct gndi_label_extremes_plan plan;
} gndi_cuda_label_extremes_params;

#endif
