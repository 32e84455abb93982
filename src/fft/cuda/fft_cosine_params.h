/*
 * fft_cosine_params.h: the parameter block of the kernels of cosine and sine transforms, which run before and
 * after a Fourier transform of rows (fft_cosine_cuda.c).
 */
#ifndef GNDI_FFT_COSINE_PARAMS_H
#define GNDI_FFT_COSINE_PARAMS_H

#include <stdint.h>

enum { GNDI_DCT_THREADS = 256 };

/* Before the Fourier transform `rows` are computed from `lines`, after it `lines` from `rows`. Rows are dense and
   contiguous. */
typedef struct gndi_dct_params {
    char *line, *row;
    int64_t step, distance; /* in elements: along a line, and from one to the next */
    int64_t n;              /* elements of a line */
    int64_t row_length;     /* elements of a row, complex or real ones */
    int64_t total;          /* elements to compute, of all rows or of all lines */
    double factor;          /* of the results */
    uint8_t dct;            /* gndi_fft_dct */
    uint8_t orthogonal;
} gndi_dct_params;

#endif
