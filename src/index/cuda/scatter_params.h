/*
 * scatter_params.h: the parameter block of the kernels that turn indices into keys (scatter_kernels.cu).
 */
#ifndef GNDI_SCATTER_PARAMS_H
#define GNDI_SCATTER_PARAMS_H

#include "reduce/cuda/operator_params.h"

/* One axis of the target, and its indices. */
typedef struct gndi_key_axis {
    const char *data;
    int64_t step, size;
    int32_t dtype, axis; /* its number, for the fault */
} gndi_key_axis;

/* keys[i]: the number of update i's target, in C order of the axes; `targets` if an index is out of
   range. positions[i] = i, if there are any, or where few updates are sorted, element i of `elements`. */
typedef struct gndi_key_params {
    int64_t updates, targets;
    void *keys, *positions;
    int32_t key_bytes, position_bytes; /* 4 or 8 */
    int32_t axes, unused;
    gndi_fault *fault;
    const void *elements; /* NULL: none */
    gndi_key_axis axis[GNDI_FOLD_AXES];
} gndi_key_params;

enum { GNDI_KEY_THREADS = 256, GNDI_KEY_EACH = 4, GNDI_KEY_FEW = 256 };

#endif
