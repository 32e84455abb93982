/*
 * compression_params.h: the parameter block of the kernels of pulse compression (compression_kernels.cu).
 */
#ifndef GNDI_COMPRESSION_PARAMS_H
#define GNDI_COMPRESSION_PARAMS_H

#include <stdint.h>

/* Rows of complex64. */
typedef struct gndi_compression_params {
    const char *in, *filter;
    char *out;       /* dense; may be `in` */
    int64_t in_row;  /* bytes */
    int64_t samples; /* of a row */
    int64_t rows;
    uint32_t filters; /* rows of the filter, a power of two: row i gets number i % filters */
    uint32_t line;    /* element n of row i gets exp(+ 2 pi i n (i % filters) / 2^line), behind all else; 0: no */
} gndi_compression_params;

#endif
