/*
 * frames_cuda.c: frames of 2^n elements on CUDA, by blocks that have them in registers, or by groups of blocks
 * that all run at once.
 */
#include "spectral/cuda/stft_cuda.h"

const void *gndi_cuda_packed_frames_floats(int n); /* frames_kernels.cu */
const void *gndi_cuda_packed_frames_doubles(int n);
const void *gndi_cuda_whole_frames_floats(int n);
const void *gndi_cuda_whole_frames_doubles(int n);
const void *gndi_cuda_powers_floats(int n); /* means_kernels.cu */
const void *gndi_cuda_powers_doubles(int n);
const void *gndi_cuda_products_floats(int n);
const void *gndi_cuda_products_doubles(int n);
const void *gndi_cuda_sums_kernel(bool wide);                                  /* results_kernels.cu */
gndi_means_kernel gndi_cuda_halves_kernel(bool wide, bool products, int nfft); /* halves_kernels.cu */
const void *gndi_cuda_long_kernel(bool wide, int nfft);                        /* long_kernels.cu */
int gndi_cuda_long_shared(bool wide, int nfft);

static bool is_complex(const gndi_stft_plan *q) {
    return gndi_dtype_is_complex(q->dtype);
}

bool gndi_register_fits(int64_t n, bool wide) {
    return (n & (n - 1)) == 0 && n >= GNDI_REGISTERS_LEAST && n <= GNDI_REGISTERS_MOST / (wide ? 2 : 1);
}

size_t gndi_register_shared(int n, bool wide, bool packed, int frames) {
    const gndi_register_tile t = gndi_register_tile_of(n, wide);
    return (size_t)(t.roots + (packed ? n / 2 + 2 : 0) + frames * t.pitch) * (wide ? 16 : 8);
}

/* Blocks that run at once, with some frames each, one tile of them behind the other. */
static int64_t resident_blocks(const gnd_stream *s, bool three) {
    return (int64_t)s->device->processors * (three ? 3 : 2);
}

static const void *frames_kernel(bool wide, bool packed, int n) {
    if (packed) return wide ? gndi_cuda_packed_frames_doubles(n) : gndi_cuda_packed_frames_floats(n);
    return wide ? gndi_cuda_whole_frames_doubles(n) : gndi_cuda_whole_frames_floats(n);
}
static const void *sums_kernel(bool wide, bool products, int n) {
    if (products) return wide ? gndi_cuda_products_doubles(n) : gndi_cuda_products_floats(n);
    return wide ? gndi_cuda_powers_doubles(n) : gndi_cuda_powers_floats(n);
}

gnd_status gndi_stft_register_rows(gnd_stream *s, gndi_stft_params *p, const char *fn) {
    const struct gndi_stft_plan *q = &p->plan;
    const bool wide = gndi_stft_is_wide(q), packed = q->half;
    const int n = (int)(packed ? q->nfft / 2 : q->nfft);
    const gndi_register_tile t = gndi_register_tile_of(n, wide);
    const int64_t tiles = gndi_ceil_div(p->row_count, t.frames), blocks = gndi_min(tiles, resident_blocks(s, wide));
    p->source = packed ? GNDI_REGISTERS_PACKED : is_complex(q) ? GNDI_REGISTERS_COMPLEX : GNDI_REGISTERS_REAL;
    return gndi_cuda_launch_early(s, frames_kernel(wide, packed, n), blocks, t.threads,
                                  gndi_register_shared(n, wide, packed, t.frames), p, fn);
}

/* Whether frames are within their signal, and those of y within y. */
static bool is_inside(const gndi_stft_plan *q) {
    const int64_t start = q->frame_first * q->hop - q->extend, end = start + (q->count - 1) * q->hop + q->nperseg;
    return start >= 0 && end <= q->total && (!q->y || end <= q->y_total);
}

/* Whether frames are real, within their signal, and have half of their samples in common with the next one. Products of
   doubles have no such kernel. */
static bool has_halves(const gndi_stft_plan *q) {
    const bool sums = q->result == GNDI_STFT_POWERS || (q->result == GNDI_STFT_PRODUCTS && !gndi_stft_is_wide(q));
    return !is_complex(q) && sums && q->nperseg == q->nfft && 2 * q->hop == q->nfft && q->nfft >= GNDI_HALVES_LEAST &&
           q->nfft <= GNDI_HALVES_MOST && q->window && q->roll == 0 && q->trend != GNDI_TREND_LINEAR && is_inside(q);
}

/* How sums are made. */
static gndi_means_kernel means_kernel(const gnd_stream *s, const gndi_stft_plan *q) {
    const bool wide = gndi_stft_is_wide(q), products = q->result == GNDI_STFT_PRODUCTS;
    const int n = (int)q->nfft;
    if (has_halves(q)) {
        const gndi_means_kernel k = gndi_cuda_halves_kernel(wide, products, n);
        if (k.shared + GNDI_HALVES_OWN <= s->device->shared_bytes) return k;
    }
    const gndi_register_tile t = gndi_register_tile_of(n, wide);
    return (gndi_means_kernel){sums_kernel(wide, products, n), t.threads, t.frames, wide && !products ? 3 : 2,
                               (int)gndi_register_shared(n, wide, false, t.frames)};
}

gnd_status gndi_stft_register_means(gnd_stream *s, gndi_stft_params *of, const char *fn) {
    const struct gndi_stft_plan *q = &of->plan;
    const bool wide = gndi_stft_is_wide(q), products = q->result == GNDI_STFT_PRODUCTS;
    gndi_sums_params p = {.plan = *q,
                          .other = *q,
                          .squares = of->squares,
                          .source = is_complex(q) ? GNDI_REGISTERS_COMPLEX : GNDI_REGISTERS_PAIRS,
                          .pairs = !is_complex(q)};
    if (q->y) gndi_stft_become_y(&p.other);
    const gndi_means_kernel k = means_kernel(s, q);
    const int64_t lines = q->grid.lines, units = p.pairs ? (q->count + 1) / 2 : q->count;
    /* Of one line as many blocks as run at once; of several more, so that the last ones to run are few. */
    const int64_t most = (int64_t)s->device->processors * k.resident * (lines > 1 ? 8 : 1);
    p.parts = gndi_min(gndi_ceil_div(most, lines), gndi_ceil_div(units, k.frames));
    const int64_t sums = lines * p.parts * q->nfft * (wide ? 8 : 4) * (products ? 2 : 1);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)sums);
    if (!memory) return GND_ERROR_MEMORY;
    p.sums = memory->base;
    gnd_status status = gndi_cuda_launch_early(s, k.kernel, lines * p.parts, k.threads, (size_t)k.shared, &p, fn);
    const int64_t columns = gndi_ceil_div(gndi_stft_bins(q->nfft, q->half), GNDI_SUMS_COLUMNS);
    if (!status)
        status = gndi_cuda_launch_early(s, gndi_cuda_sums_kernel(wide), lines * columns, GNDI_SUMS_THREADS, 0, &p, fn);
    gndi_buffer_release(memory);
    return status;
}

/* ---- long frames ------------------------------------------------------------------------------ */

/* Whether frames are such as groups of blocks transform. */
static bool are_long(const gndi_stft_plan *q) {
    const bool fits = q->nfft == GNDI_LONG_LEAST || q->nfft == 2 * GNDI_LONG_LEAST;
    return fits && q->half && q->nperseg == q->nfft && q->result == GNDI_STFT_POWERS && !q->mean && !q->centered &&
           !q->roll && q->trend != GNDI_TREND_LINEAR && is_inside(q);
}

bool gndi_stft_long_rows(gnd_stream *s, const gndi_stft_params *rows, const char *fn, gnd_status *status) {
    enum { SINCE = 80 }; /* the architecture that has copies to shared memory */
    const struct gndi_stft_plan *q = &rows->plan;
    const bool wide = gndi_stft_is_wide(q);
    if (!are_long(q)) return false;
    const void *kernel = gndi_cuda_long_kernel(wide, (int)q->nfft);
    const int shared_bytes = gndi_cuda_long_shared(wide, (int)q->nfft);
    const int64_t group = q->nfft / GNDI_LONG_OF_BLOCK; /* blocks of one */
    const int64_t groups = gndi_min(s->device->processors / group, rows->row_count);
    if (gndi_cuda_shared_together(s->device, kernel, SINCE) < shared_bytes) return false;
    if (!groups || rows->row_count / groups >> 26) return false;
    const int64_t relays = groups * (int64_t)sizeof(gndi_long_relay);
    const int64_t rings = groups * GNDI_LONG_SLOTS * (q->nfft / 2) * (wide ? 16 : 8);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(rings + relays));
    *status = memory ? GND_OK : GND_ERROR_MEMORY;
    if (!memory) return true;
    gndi_long_params p = {.plan = *q,
                          .row_count = rows->row_count,
                          .to = rows->to,
                          .ring = memory->base,
                          .relays = (char *)memory->base + rings};
    bool begun = cudaMemsetAsync(p.relays, 0, (size_t)relays, s->native) == cudaSuccess;
    if (!begun) cudaGetLastError();
    begun = begun && gndi_cuda_launch_together(s, kernel, groups * group, GNDI_LONG_THREADS, (size_t)shared_bytes, &p);
    gndi_buffer_release(memory);
    return begun;
}
