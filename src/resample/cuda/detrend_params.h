/*
 * detrend_params.h: the parameter block of the kernels that remove trends (detrend_kernels.cu).
 */
#ifndef GNDI_DETREND_PARAMS_H
#define GNDI_DETREND_PARAMS_H

#include "resample/line_offset.h"

enum {
    GNDI_DETREND_THREADS = 256,
    GNDI_DETREND_STAGES = 8, /* slices that a block holds, at most */
};

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

/* Of lines that teams of blocks hold (detrend_held_kernels.cu). */
typedef struct gndi_detrend_held_params {
    const char *x;
    char *out;
    double *sums; /* of x and of t * x, of each line's slices */
    int64_t n;
    double squares;      /* as above */
    int32_t teams, team; /* blocks of one; at most GNDI_DETREND_THREADS */
    int32_t slice;       /* elements that a block has of a line: a multiple of 16 bytes */
    int32_t stages, lag; /* slices held; lines between summing and subtracting: at least 1, less than stages */
    gndi_line_grid grid;
} gndi_detrend_held_params;

#endif
