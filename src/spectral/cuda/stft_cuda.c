/*
 * stft_cuda.c: short-time Fourier transforms on CUDA: by blocks that transform frames in shared memory, or by cuFFT, of
 * frames that are longer or have large factors, some at a time, so that they stay in the L2 cache.
 */
#include "spectral/cuda/stft_cuda.h"
#include "resample/detrend_plan.h"

const void *gndi_cuda_stft_kernel(int dtype, bool blocks); /* stft_kernels.cu */

bool gndi_stft_tile(const gnd_stream *s, bool wide, bool half, int64_t nfft, int64_t frames, int64_t lines,
                    gndi_stft_tiles *t) {
    const bool packed = half && nfft % 2 == 0;
    const int64_t length = packed ? nfft / 2 : nfft, most = GNDI_STFT_BYTES / (wide ? 16 : 8) / length;
    if (most < 1) return false;
    t->factors = gndi_fft_factors(length, t->factor);
    if (t->factors > 0 && t->factor[t->factors - 1] > GNDI_STFT_FACTOR) return false;
    const int64_t share = gndi_ceil_div(frames * lines, s->device->processors); /* few frames go to many blocks */
    t->length = (int)length, t->packed = packed;
    t->frames = (int)gndi_min(gndi_min(most, frames), gndi_max(1, share));
    t->tiles = gndi_ceil_div(frames, t->frames);
    t->group = 0;
    while (2 << t->group <= GNDI_STFT_THREADS / t->frames) t->group++;
    return true;
}

size_t gndi_stft_shared(bool wide, const gndi_stft_tiles *t) {
    return (size_t)((2 * t->frames + 1 + t->packed) * t->length * (wide ? 16 : 8));
}

int64_t gndi_stft_slice(int64_t nfft) {
    return gndi_max(1, GNDI_STFT_SLICE / nfft);
}

gnd_status gndi_stft_transform(gnd_stream *s, bool wide, bool half, bool inverse, int64_t nfft, char *in, char *out,
                               const char *fn) {
    gndi_fft_plan plan = {.type = !half     ? GNDI_FFT_C2C
                                  : inverse ? GNDI_FFT_C2R
                                            : GNDI_FFT_R2C,
                          .wide = wide,
                          .inverse = inverse,
                          .spare = true,
                          .axes = 1,
                          .batches = 1,
                          .scale = 1,
                          .in = in,
                          .out = out};
    const int64_t from = gndi_fft_in_size(&plan), to = gndi_fft_out_size(&plan);
    plan.axis[0] = (gndi_fft_axis){nfft, from, to};
    plan.batch[0] =
        (gndi_fft_axis){gndi_stft_slice(nfft), from * gndi_fft_in_count(&plan, 0), to * gndi_fft_out_count(&plan, 0)};
    return gndi_cuda_fft(s, &plan, fn);
}

/* Slices of frames by cuFFT. Whole ones go to the output, and the last one through memory of its own. */
static gnd_status by_slices(gnd_stream *s, gndi_stft_params *p, bool wide, const char *fn) {
    const struct gndi_stft_plan *q = &p->plan;
    const int64_t rows = q->grid.lines * q->count, slice = gndi_stft_slice(q->nfft), number = wide ? 16 : 8;
    const int64_t row = gndi_stft_bins(q->nfft, q->half) * number, in = slice * q->nfft * number;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(in + slice * row));
    if (!memory) return GND_ERROR_MEMORY;
    gnd_status status = GND_OK;
    p->rows = memory->base;
    for (p->row_first = 0; p->row_first < rows && !status; p->row_first += slice) {
        const int64_t count = gndi_min(slice, rows - p->row_first);
        char *to = q->out + p->row_first * row, *out = count == slice ? to : p->rows + in;
        status = gndi_cuda_launch(s, gndi_cuda_stft_kernel(q->dtype, false), count, GNDI_STFT_THREADS, 0, p, fn);
        if (!status) status = gndi_stft_transform(s, wide, q->half, false, q->nfft, p->rows, out, fn);
        if (!status && out != to) status = gndi_cuda_copy_within(s, to, out, (size_t)(count * row), fn);
    }
    gndi_buffer_release(memory);
    return status;
}

gnd_status gndi_cuda_stft(gnd_stream *s, const gndi_stft_plan *plan, const char *fn) {
    const bool wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128;
    gndi_stft_params p = {.plan = *plan, .squares = gndi_detrend_squares(plan->nperseg)};
    if (!gndi_stft_tile(s, wide, plan->half, plan->nfft, plan->count, plan->grid.lines, &p.t))
        return by_slices(s, &p, wide, fn);
    return gndi_cuda_launch(s, gndi_cuda_stft_kernel(plan->dtype, true), plan->grid.lines * p.t.tiles,
                            GNDI_STFT_THREADS, gndi_stft_shared(wide, &p.t), &p, fn);
}
