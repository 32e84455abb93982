/*
 * special_params.h: what the launcher (C) and the kernels of special functions (CUDA) agree on.
 */
#ifndef GNDI_SPECIAL_PARAMS_H
#define GNDI_SPECIAL_PARAMS_H

#include "elementwise/cuda/elementwise_params.h"

/* Operands: two outputs, three inputs, the mask. */
typedef struct gndi_special_params {
    char *data[GNDI_CUDA_OPERANDS]; /* NULL: not there, or `value` */
    uint8_t dtype[GNDI_CUDA_OPERANDS];
    double value[GNDI_CUDA_IN][2]; /* a number as input, its real and imaginary part */
    uint32_t op, n, axes;
    gndi_rows_axis axis[GNDI_CUDA_AXES]; /* axis 0 is the fastest */
} gndi_special_params;

enum { GNDI_SPECIAL_THREADS = 128, GNDI_SPECIAL_UNITS = 4 }; /* a block; elements of a thread, if of float32 */

#endif
