/*
 * stft_cuda.h: what short-time transforms and their inverses share on CUDA.
 *
 *     stft_cuda.c     frames by blocks with passes of any radix, or by cuFFT, a slice at a time
 *     frames_cuda.c   frames of 2^n elements by registers: bins, powers, means
 *     istft_cuda.c    inverses
 */
#ifndef GNDI_STFT_CUDA_H
#define GNDI_STFT_CUDA_H

#include "fft/fft_plan.h"
#include "runtime/cuda/runtime_cuda.h"
#include "spectral/cuda/stft_params.h"

/* Whether blocks transform frames of nfft elements themselves, and how they share `frames` of `lines` lines. */
bool gndi_stft_tile(const gnd_stream *s, bool wide, bool half, int64_t nfft, int64_t frames, int64_t lines,
                    gndi_stft_tiles *t);
/* Bytes of shared memory of such a block. */
size_t gndi_stft_shared(bool wide, const gndi_stft_tiles *t);
/* How many rows cuFFT transforms at once: always so many, of which some may not count, so that each row is computed in
   one way. */
int64_t gndi_stft_slice(int64_t nfft);
/* Transforms dense rows. */
gnd_status gndi_stft_transform(gnd_stream *s, bool wide, bool half, bool inverse, int64_t nfft, int64_t rows, char *in,
                               char *out, const char *fn);

static inline bool gndi_stft_is_wide(const gndi_stft_plan *q) {
    return q->dtype == GND_FLOAT64 || q->dtype == GND_COMPLEX128;
}

/* ---- frames of 2^n elements (frames_cuda.c) --------------------------------------------------- */

/* y as a signal of its own. */
void gndi_stft_become_y(gndi_stft_plan *q);

/* Whether registers hold frames of n complex elements, and the bytes of shared memory of a block with so many. */
bool gndi_register_fits(int64_t n, bool wide);
size_t gndi_register_shared(int n, bool wide, bool packed, int frames);
/* Whether a plan's frames are such, one by one. */
static inline bool gndi_stft_has_registers(const gndi_stft_plan *q) {
    return q->nfft % 2 == 0 && gndi_register_fits(q->half ? q->nfft / 2 : q->nfft, gndi_stft_is_wide(q));
}
/* Rows of bins to p->to, or all results but products. */
gnd_status gndi_stft_register_rows(gnd_stream *s, gndi_stft_params *p, const char *fn);
/* The means of powers or products. */
gnd_status gndi_stft_register_means(gnd_stream *s, gndi_stft_params *p, const char *fn);

/* Whether the powers of all rows are made by groups of blocks that all run at once, as *status tells; if not, nothing
   was done. */
bool gndi_stft_long_rows(gnd_stream *s, const gndi_stft_params *p, const char *fn, gnd_status *status);

/* The same of powers of lines that are one frame each. */
bool gndi_stft_line_powers(gnd_stream *s, const gndi_stft_plan *plan, const char *fn, gnd_status *status);

#endif
