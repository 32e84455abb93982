/*
 * labels_params.h: what the launcher of labels tells its kernels.
 */
#ifndef GNDI_LABELS_PARAMS_H
#define GNDI_LABELS_PARAMS_H

#include "kernels/cuda/divisor.h"
#include "labels/labels_plan.h"

typedef enum gndi_cuda_label_step {
    GNDI_CUDA_LABEL_ACROSS,
    GNDI_CUDA_LABEL_COUNT,
    GNDI_CUDA_LABEL_WRITE,
} gndi_cuda_label_step;

/* Most warps of a block, each with sums of its own; elements that a lane takes at a time; the logarithm of the most
   slots for each number; the fewest elements of a row of moments. */
enum {
    GNDI_CUDA_LABEL_WARPS = 8,
    GNDI_CUDA_LABEL_LANE = 4,
    GNDI_CUDA_LABEL_MOST_SLOTS = 3,
    GNDI_CUDA_LABEL_ROW = 16 * 128
};

typedef struct gndi_cuda_label_sums_params {
    struct gndi_label_sums_plan plan;
    int table_bits, warps;
    int log_slots; /* sums of a warp for each number */
    bool rows;     /* of two axes the first one's index is the same in each step of 128 elements, and warps have the
                      memory for the most slots: label_moments.cuh */
    bool narrow;   /* positions fit 31 bits: then the divisors are set */
    double step[GNDI_LABEL_AXES]; /* of the index along an axis from an element to the next in each four; -1: any */
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
