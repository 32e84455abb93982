/*
 * convolve_params.h: the parameter block of the kernels of sliding sums in several dimensions (convolve_kernels.cu).
 */
#ifndef GNDI_CONVOLVE_PARAMS_H
#define GNDI_CONVOLVE_PARAMS_H

#include "signal/cuda/correlate_params.h"
#include <stdint.h>

enum {
    GNDI_CONVOLVE_THREADS = 256, /* of a block: */
    GNDI_CONVOLVE_ACROSS = 32,   /* a warp along a row, */
    GNDI_CONVOLVE_DOWN = 8,      /* and as many warps below each other */
    GNDI_CONVOLVE_WIDE = 4,      /* outputs of a thread along a row */
    GNDI_CONVOLVE_AXES = 64,     /* GND_MAX_DIMS */
};

/* Which kernel. */
enum {
    GNDI_CONVOLVE_TILE,
    GNDI_CONVOLVE_SMALL_3, /* 3 x 3 taps; of float32, float64 */
    GNDI_CONVOLVE_SMALL_5,
    GNDI_CONVOLVE_ANY,
};

/* A matrix: tiles of outputs, in shared memory. The rest of an array's axes is not there. */
typedef struct gndi_convolve_tile_params {
    const char *x, *taps;
    char *out;
    int64_t x_stride[2], taps_stride[2], out_stride[2], first[2];
    int64_t x_shape[2], out_shape[2];
    int32_t taps_shape[2];
    int32_t pitch;      /* elements of a row in shared memory */
    int32_t taps_pitch; /* the same of a row of taps */
    int64_t tiles;      /* along a row */
    uint8_t dtype, border;
    uint8_t as_is; /* elements are of the type that is computed in */
    double fill[2];
    uint64_t fill_integer;
} gndi_convolve_tile_params;

/* Outputs of a thread below each other, for sums of so many bytes. */
#define GNDI_CONVOLVE_ROWS(bytes) ((bytes) <= 8 ? 4 : 2)

/* Any number of axes: what the plan has. */
typedef struct gndi_convolve_any_params {
    const char *x, *taps;
    char *out;
    int64_t outputs, tap_rows;
    int32_t ndim;
    uint8_t dtype, border;
    double fill[2];
    uint64_t fill_integer;
    int64_t x_shape[GNDI_CONVOLVE_AXES], taps_shape[GNDI_CONVOLVE_AXES], out_shape[GNDI_CONVOLVE_AXES];
    int64_t x_stride[GNDI_CONVOLVE_AXES], taps_stride[GNDI_CONVOLVE_AXES], out_stride[GNDI_CONVOLVE_AXES];
    int64_t first[GNDI_CONVOLVE_AXES];
} gndi_convolve_any_params;

#endif
