/*
 * stft_cuda.h: what short-time transforms and their inverses share on CUDA.
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
/* Transforms a slice of dense rows. */
gnd_status gndi_stft_transform(gnd_stream *s, bool wide, bool half, bool inverse, int64_t nfft, char *in, char *out,
                               const char *fn);

#endif
