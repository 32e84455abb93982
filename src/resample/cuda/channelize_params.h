/*
 * channelize_params.h: the parameter block of the channelizer's kernels (channelize_kernels.cu), and how their work is
 * cut.
 */
#ifndef GNDI_CHANNELIZE_PARAMS_H
#define GNDI_CHANNELIZE_PARAMS_H

#include "fft/fft_factors.h"
#include "resample/cuda/chunk_params.h"

enum { GNDI_CHANNELIZE_THREADS = 256, GNDI_CHANNELIZE_FRAMES = 8 /* of a thread, where their elements overlap */ };

/* Frames with overlapping elements, any frames, and sums that are not transformed. */
enum { GNDI_CHANNELIZE_SLIDING, GNDI_CHANNELIZE_FRAMEWISE, GNDI_CHANNELIZE_SUMS, GNDI_CHANNELIZE_REGISTERS };

typedef struct gndi_channelize_params {
    const char *h, *x;
    char *out;
    int64_t channels, hop, taps, branch_taps; /* branch_taps: ceil(taps / channels) */
    int64_t length, x_first, count, frame_first;
    int64_t tiles; /* of a line */
    int frames;    /* of a tile */
    int apart;     /* sliding: frames from one of a thread to the next: channels / hop */
    int factor[GNDI_FFT_FACTORS], factors;
    int joins; /* a block has a line, and joins its chunk first */
    gndi_line_grid grid;
    struct gndi_chunk_plan chunk;
} gndi_channelize_params;

#endif
