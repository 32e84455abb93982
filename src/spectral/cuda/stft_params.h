/*
 * stft_params.h: the parameter blocks of the kernels of short-time transforms (stft_kernels.cu), and which frames they
 * transform themselves.
 */
#ifndef GNDI_STFT_PARAMS_H
#define GNDI_STFT_PARAMS_H

#include "fft/fft_factors.h"
#include "spectral/stft_plan.h"

enum {
    GNDI_STFT_THREADS = 256,
    GNDI_STFT_BYTES = 1 << 14, /* of the frames of a block, which lie in shared memory twice */
    GNDI_STFT_FACTOR = 13,     /* the largest prime factor of a frame that a block transforms */
    GNDI_STFT_SLICE = 1 << 20, /* elements that cuFFT transforms at once */
    GNDI_STFT_WORK = 1 << 28,  /* bytes of frames that are transformed back before they are added up */
    GNDI_STFT_OUTPUTS = 1024,  /* of a block that adds frames up */
};

/* How blocks transform frames. */
typedef struct gndi_stft_tiles {
    int frames;    /* of a block */
    int group;     /* threads that share a frame, as a power of two */
    int packed;    /* real frames of nfft samples are transformed as nfft / 2 complex numbers */
    int length;    /* of a transform */
    int64_t tiles; /* blocks of a line */
    int factor[GNDI_FFT_FACTORS], factors;
} gndi_stft_tiles;

typedef struct gndi_stft_params {
    struct gndi_stft_plan plan;
    double squares; /* the sum of those of i - (nperseg - 1) / 2 */
    gndi_stft_tiles t;
    char *rows; /* for cuFFT: frames of all lines, from number row_first on */
    int64_t row_first;
} gndi_stft_params;

typedef struct gndi_istft_params {
    struct gndi_istft_plan plan;
    gndi_stft_tiles t;
    int direct; /* each sample is of one frame alone, and is written by the block that transforms it */
    char *work; /* frames of all lines, transformed back: `frames` of a line, from number `first` on */
    int64_t first, frames, pitch; /* pitch: elements of a frame there */
    char *rows;                   /* for cuFFT: spectra of all lines, from number row_first on */
    int64_t row_first;
    int64_t out_begin, out_count; /* the samples to be added up, counted from the plan's first one */
} gndi_istft_params;

#endif
