/*
 * mel_cuda.c: mel bands on CUDA. 64 lines of 10^6 samples, frames of 1024 every 256, 80 bands: 256 MB of samples and
 * 80 MB of bands, 84 us at 4.0 TB/s, in one launch. An H200 takes about 390 us for the transforms of 250,000 frames and
 * their powers, and 200 us for the bands.
 */
#include "audio/mel_plan.h"
#include "fft/cuda/fft_columns_params.h"
#include "runtime/cuda/runtime_cuda.h"

/* mel_kernels.cu */
const void *gndi_cuda_mel_rows_kernel(bool wide);
const void *gndi_cuda_mel_frames_kernel(int bits);

enum { WARPS = 8, WARP = 32 };

gnd_status gndi_cuda_mel_rows(gnd_stream *s, const gndi_mel_rows_plan *plan, const char *fn) {
    gndi_mel_rows_plan p = *plan;
    return gndi_cuda_launch(s, gndi_cuda_mel_rows_kernel(p.wide), gndi_ceil_div(p.rows, WARPS), WARPS * WARP, 0, &p,
                            fn);
}

gnd_status gndi_cuda_mel_frames(gnd_stream *s, const gndi_mel_frames_plan *plan, const char *fn) {
    gndi_mel_frames_plan p = *plan;
    const int bits = p.bits - 1, side = GNDI_ROWS_SIDE(bits); /* a frame is nfft / 2 complex numbers */
    const int64_t rows = p.stft.grid.lines * p.stft.count;
    return gndi_cuda_launch(s, gndi_cuda_mel_frames_kernel(p.bits), gndi_ceil_div(rows, side),
                            GNDI_COLUMNS_THREADS(bits, side), (size_t)GNDI_COLUMNS_SHARED(bits, side), &p, fn);
}
