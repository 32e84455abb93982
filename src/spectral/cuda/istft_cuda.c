/*
 * istft_cuda.c: inverse short-time Fourier transforms on CUDA: frames of 2^n elements by blocks that add them up
 * themselves; others are transformed back to memory, by blocks or by cuFFT, and added up, a part of the samples at a
 * time where all frames would be many.
 */
#include "spectral/cuda/stft_cuda.h"

const void *gndi_cuda_istft_kernel(bool wide, bool blocks); /* stft_kernels.cu */
const void *gndi_cuda_overlap_kernel(bool wide, bool half);
const void *gndi_cuda_backward_real_floats(int n); /* backward_kernels.cu */
const void *gndi_cuda_backward_real_doubles(int n);
const void *gndi_cuda_backward_complex_floats(int n);
const void *gndi_cuda_backward_complex_doubles(int n);

/* Bytes of a number of a frame, and of its spectrum. */
static int64_t sample_bytes(const gndi_istft_plan *q) {
    return (q->wide ? 8 : 4) * (q->half ? 1 : 2);
}
static int64_t spectrum_bytes(const gndi_istft_plan *q) {
    return gndi_stft_bins(q->nfft, q->half) * (q->wide ? 16 : 8);
}

/* The frames p->first .. of all lines to p->work. */
static gnd_status transform_back(gnd_stream *s, gndi_istft_params *p, bool blocks, const char *fn) {
    const struct gndi_istft_plan *q = &p->plan;
    const void *kernel = gndi_cuda_istft_kernel(q->wide, blocks);
    const int64_t lines = q->grid.lines, rows = lines * p->frames, slice = gndi_stft_slice(q->nfft);
    if (rows == 0) return GND_OK;
    if (blocks) {
        gndi_stft_tile(s, q->wide, q->half, q->nfft, p->frames, lines, &p->t);
        return gndi_cuda_launch(s, kernel, lines * p->t.tiles, GNDI_STFT_THREADS, gndi_stft_shared(q->wide, &p->t), p,
                                fn);
    }
    gnd_status status = GND_OK;
    for (p->row_first = 0; p->row_first < rows && !status; p->row_first += slice) {
        char *to = p->work + p->row_first * p->pitch * sample_bytes(q);
        status = gndi_cuda_launch(s, kernel, gndi_min(slice, rows - p->row_first), GNDI_STFT_THREADS, 0, p, fn);
        if (!status) status = gndi_stft_transform(s, q->wide, q->half, true, q->nfft, slice, p->rows, to, fn);
    }
    return status;
}

static gnd_status add_up(gnd_stream *s, gndi_istft_params *p, const char *fn) {
    const struct gndi_istft_plan *q = &p->plan;
    const int64_t blocks = q->grid.lines * gndi_ceil_div(p->out_count, GNDI_STFT_OUTPUTS);
    return gndi_cuda_launch(s, gndi_cuda_overlap_kernel(q->wide, q->half), blocks, GNDI_STFT_THREADS, 0, p, fn);
}

/* Of out_count samples from out_begin on: which frames they have. */
static void find_frames(gndi_istft_params *p) {
    int64_t to;
    const int64_t first = p->plan.out_first + p->out_begin;
    gndi_istft_frames(&p->plan, first, first + p->out_count - 1, &p->first, &to);
    p->frames = gndi_max(0, to - p->first);
}

/* ---- by registers ----------------------------------------------------------------------------- */

/* Whether a block reads bins as they lie: all of them, side by side, as numbers that are aligned. */
static bool is_dense(const gndi_istft_plan *q) {
    const int64_t number = q->wide ? 16 : 8;
    int64_t all = (int64_t)(uintptr_t)q->z | q->frame_step;
    for (int k = 0; k < q->grid.ndim; k++) all |= q->grid.x_stride[k];
    return q->bin_step == number && all % number == 0 && q->bins >= gndi_stft_bins(q->nfft, q->half) && !q->response &&
           !q->centered && (!q->half || q->inner == 1);
}

/* Whether blocks have the frames in registers, and those that samples are made of in shared memory: by the frames
   alone, so that each sample is computed in one way. */
static bool fits_registers(const gndi_istft_plan *q, int *n, int *overlap) {
    const int64_t length = q->half ? q->nfft / 2 : q->nfft;
    if (q->nfft % 2 || !gndi_register_fits(length, q->wide) || q->hop > GNDI_BACKWARD_HOP) return false;
    *n = (int)length, *overlap = (int)(gndi_ceil_div(q->nperseg, q->hop) - 1);
    const int frames = gndi_register_tile_of(*n, q->wide).frames + *overlap;
    return gndi_register_shared(*n, q->wide, q->half, frames) <= GNDI_BACKWARD_SHARED;
}

/* Bytes of shared memory for the window and the sums of its squares, where a thread adds up two samples at a time, in
   the same order as one by one; 0: none does. */
static size_t pairs_bytes(const gndi_istft_plan *q, size_t others) {
    const int64_t sample = q->wide ? 8 : 4;
    const size_t bytes = (size_t)((q->nperseg + q->hop) * sample);
    const bool even = (q->hop | q->nperseg | q->roll) % 2 == 0 && q->out_first % 2 == 0 &&
                      (q->grid.lines == 1 || q->count % 2 == 0) && (int64_t)(uintptr_t)q->out % (2 * sample) == 0;
    return q->half && q->window && q->squares && q->skip == 0 && q->hop <= q->nperseg && even &&
                   others + bytes <= GNDI_BACKWARD_SHARED
               ? bytes
               : 0;
}

static const void *backward_kernel(const struct gndi_istft_plan *q, int n) {
    if (q->half) return q->wide ? gndi_cuda_backward_real_doubles(n) : gndi_cuda_backward_real_floats(n);
    return q->wide ? gndi_cuda_backward_complex_doubles(n) : gndi_cuda_backward_complex_floats(n);
}

static gnd_status by_registers(gnd_stream *s, gndi_istft_params *p, int n, const char *fn) {
    const struct gndi_istft_plan *q = &p->plan;
    const gndi_register_tile t = gndi_register_tile_of(n, q->wide);
    const int64_t end = (q->out_first + q->count - 1) / q->hop + 1, lines = q->grid.lines;
    p->dense = is_dense(q);
    p->hop_first = q->out_first / q->hop;
    /* Of one line as many blocks as run at once; of several more, so that the last ones to run are few. */
    const int64_t hops = end - p->hop_first, resident = (int64_t)s->device->processors * (q->wide ? 3 : 2);
    const int64_t blocks = resident * (lines > 1 ? 8 : 1);
    const int64_t wanted = gndi_ceil_div(gndi_ceil_div(hops * lines, blocks) + p->overlap, t.frames);
    p->batches = (int)gndi_max(p->overlap / t.frames + 1, gndi_min(wanted, 1 << 10));
    p->runs = gndi_ceil_div(hops, p->batches * t.frames - p->overlap);
    const size_t frames = gndi_register_shared(n, q->wide, q->half, t.frames + p->overlap);
    const size_t pairs = lines * p->runs < s->device->processors ? 0 : pairs_bytes(q, frames); /* few gain nothing */
    p->pairs = pairs > 0;
    return gndi_cuda_launch_early(s, backward_kernel(q, n), lines * p->runs, t.threads, frames + pairs, p, fn);
}

gnd_status gndi_cuda_istft(gnd_stream *s, const gndi_istft_plan *plan, const char *fn) {
    gndi_istft_params p = {.plan = *plan, .out_count = plan->count};
    int n;
    if (fits_registers(plan, &n, &p.overlap)) return by_registers(s, &p, n, fn);
    const bool blocks = gndi_stft_tile(s, plan->wide, plan->half, plan->nfft, 1, plan->grid.lines, &p.t);
    if (blocks && !plan->window && !plan->squares && plan->hop == plan->nperseg - plan->skip) {
        p.direct = 1;
        find_frames(&p);
        return transform_back(s, &p, true, fn);
    }
    p.pitch = blocks ? plan->nperseg : plan->nfft;
    p.roll = blocks || plan->roll == 0 ? 0 : plan->nfft - plan->roll;
    const int64_t row = p.pitch * sample_bytes(plan), slice = blocks ? 1 : gndi_stft_slice(plan->nfft);
    find_frames(&p);
    /* What fits, but at least the frames of as many samples as one frame has. */
    const int64_t overlap = gndi_ceil_div(plan->nperseg, plan->hop);
    const int64_t most = gndi_max(2 * overlap + 1, GNDI_STFT_WORK / (plan->grid.lines * row));
    const int64_t step = p.frames <= most ? plan->count : (most - overlap) * plan->hop;
    const int64_t rows = gndi_ceil_div(plan->grid.lines * gndi_min(p.frames, most), slice) * slice;
    const int64_t work = gndi_ceil_div(rows * row, 256) * 256;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(work + (blocks ? 0 : slice * spectrum_bytes(plan))));
    if (!memory) return GND_ERROR_MEMORY;
    gnd_status status = GND_OK;
    p.work = memory->base, p.rows = p.work + work;
    for (p.out_begin = 0; p.out_begin < plan->count && !status; p.out_begin += step) {
        p.out_count = gndi_min(step, plan->count - p.out_begin);
        find_frames(&p);
        status = transform_back(s, &p, blocks, fn);
        if (!status) status = add_up(s, &p, fn);
    }
    gndi_buffer_release(memory);
    return status;
}
