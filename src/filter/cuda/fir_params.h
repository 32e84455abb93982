/*
 * fir_params.h: the parameter block of the kernels of FIR filters (fir_kernels.cu).
 */
#ifndef GNDI_FIR_PARAMS_H
#define GNDI_FIR_PARAMS_H

#include "filter/cuda/filter_params.h"
#include "kernels/cuda/sliding.h"

enum { GNDI_FIR_FLOAT, GNDI_FIR_DOUBLE, GNDI_FIR_COMPLEX_FLOAT, GNDI_FIR_COMPLEX_DOUBLE };

/* Which kernel: sums, what a stream keeps, or the results at the ends. */
enum { GNDI_FIR_SUMS, GNDI_FIR_KEEP, GNDI_FIR_EDGES };

enum { GNDI_FIR_KEEPS = 4 /* samples that a thread keeps at a time */ };

typedef struct gndi_fir_params {
    gndi_filter_layout at; /* complex lines count once */
    const char *taps, *zi, *before, *behind;
    char *zf, *kept; /* kept: the samples before the next call */
    int64_t ahead;   /* samples behind each result's that it needs */
    int64_t count;   /* of taps */
    int64_t results; /* of each line, those of zf included */
    int64_t tiles;   /* of each line */
    const char *edges;
    int64_t edge;
} gndi_fir_params;

#endif
