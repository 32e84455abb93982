/*
 * correlate_params.h: the parameter block of the kernels of sliding sums (correlate_kernels.cu), and
 * how their work is cut.
 */
#ifndef GNDI_CORRELATE_PARAMS_H
#define GNDI_CORRELATE_PARAMS_H

#include "kernels/cuda/sliding.h"
#include <gnd/dtype.h>
#include <stdint.h>

/* What is computed in: whole numbers modulo 2^32 or 2^64, or floating numbers. */
enum {
    GNDI_SUMS_UINT32,
    GNDI_SUMS_UINT64,
    GNDI_SUMS_FLOAT,
    GNDI_SUMS_DOUBLE,
    GNDI_SUMS_COMPLEX_FLOAT,
    GNDI_SUMS_COMPLEX_DOUBLE,
    GNDI_SUMS_TYPES
};

/* What a dtype's sums are computed in, and its bytes. */
static inline int gndi_sums_type(int dtype, int64_t *bytes) {
    switch (dtype) {
    case GND_INT64:
    case GND_UINT64: *bytes = 8; return GNDI_SUMS_UINT64;
    case GND_FLOAT16:
    case GND_BFLOAT16:
    case GND_FLOAT32: *bytes = 4; return GNDI_SUMS_FLOAT;
    case GND_FLOAT64: *bytes = 8; return GNDI_SUMS_DOUBLE;
    case GND_COMPLEX64: *bytes = 8; return GNDI_SUMS_COMPLEX_FLOAT;
    case GND_COMPLEX128: *bytes = 16; return GNDI_SUMS_COMPLEX_DOUBLE;
    default: *bytes = 4; return GNDI_SUMS_UINT32;
    }
}

enum {
    GNDI_DOT_THREADS = 256,
    GNDI_JOIN_THREADS = 256,
};

typedef struct gndi_slide_params {
    const char *x, *k;
    char *out;
    int64_t x_step, k_step, out_step; /* bytes */
    int64_t first, count, length, taps;
    int64_t share;  /* taps of each part of the grid (y: sliding, x: dots); a multiple of GNDI_SLIDING_TAPS */
    int64_t shares; /* parts; more than one: sums go to `parts`, count of them for each part */
    void *parts;
    uint8_t dtype, conjugate;
    uint8_t dense, dense_out; /* x, out: elements of the type that is computed in, side by side */
} gndi_slide_params;

#endif
