/*
 * detrend_params.h: the parameter block of the kernels that remove trends (detrend_kernels.cu).
 */
#ifndef GNDI_DETREND_PARAMS_H
#define GNDI_DETREND_PARAMS_H

#include "resample/line_offset.h"

enum { GNDI_DETREND_THREADS = 256 };

/* Sums of each chunk of a line; subtracting; both by one warp for a short line. */
enum { GNDI_DETREND_SUMS, GNDI_DETREND_SUBTRACT, GNDI_DETREND_SHORT };

typedef struct gndi_detrend_params {
    const char *x;
    char *out;
    double *sums; /* of x and of t * x, for each part of a number, line and chunk */
    int64_t n;
    int64_t chunk, chunks; /* elements; of a line */
    double squares;        /* the sum of t^2; 0: no slope */
    gndi_line_grid grid;
} gndi_detrend_params;

#endif
