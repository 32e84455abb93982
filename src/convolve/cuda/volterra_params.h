/*
 * volterra_params.h: the parameter block of the kernels of filters of the second and third order (volterra_kernels.cu).
 */
#ifndef GNDI_VOLTERRA_PARAMS_H
#define GNDI_VOLTERRA_PARAMS_H

#include <stdint.h>

enum {
    GNDI_VOLTERRA_THREADS = 256,
    GNDI_VOLTERRA_WIDE = 4, /* outputs of a thread, and rows of taps that it sums up at once */
    GNDI_VOLTERRA_OUTPUTS = GNDI_VOLTERRA_THREADS * GNDI_VOLTERRA_WIDE,
};

/* Taps have three axes here, of which the first has one element, and no factor, in the second order. */
typedef struct gndi_volterra_params {
    const char *x, *taps;
    char *out;
    int64_t x_step, length, count; /* bytes; elements; outputs */
    int64_t shape[3], stride[3];
    int32_t third;             /* the order is 3 */
    int32_t dtype, item;       /* item: bytes of it */
    int32_t pitch, taps_pitch; /* elements in shared memory, and of a row of taps there */
    int32_t rows;              /* of taps there: a multiple of GNDI_VOLTERRA_WIDE */
} gndi_volterra_params;

#endif
