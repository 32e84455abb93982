/*
 * line_powers_cuda.c: powers of the spectrum of a long line on CUDA, a frame that is a whole signal, in two launches
 * (fft_powers.cuh).
 */
#include "fft/cuda/fft_columns_params.h"
#include "spectral/cuda/stft_cuda.h"

const void *gndi_cuda_columns_kernel(int bits, int kind); /* fft_columns_kernels.cu */

enum { PAIR = 8, LEAST_BITS = 10, MOST_BITS = 12 }; /* bytes of two samples; the columns that there are kernels for */

/* The bits of a column, if a line's pairs are such columns and rows of GNDI_POWERS_BITS; else 0. */
static int column_bits(int64_t n) {
    for (int bits = LEAST_BITS; bits <= MOST_BITS; bits++)
        if (n == INT64_C(2) << (bits + GNDI_POWERS_BITS)) return bits;
    return 0;
}

/* Whether a kernel's blocks run in clusters on this device, with the shared memory that they need. */
static bool has_clusters(const gndi_device *d, const void *kernel) {
    struct cudaFuncAttributes own;
    gndi_cuda_use(kernel);
    if (cudaFuncGetAttributes(&own, kernel) == cudaSuccess)
        return own.requiredClusterWidth == GNDI_POWERS_CLUSTER &&
               GNDI_POWERS_SHARED(GNDI_POWERS_BITS) <= d->shared_bytes;
    cudaGetLastError();
    return false;
}

static bool is_line(const gndi_stft_plan *q) {
    const bool whole = q->count == 1 && q->nperseg == q->nfft && !q->mean && !q->window && !q->roll && !q->centered;
    const int64_t start = q->frame_first * q->hop - q->extend;
    return whole && q->dtype == GND_FLOAT32 && q->half && q->result == GNDI_STFT_POWERS && column_bits(q->nfft) &&
           q->trend != GNDI_TREND_LINEAR && start >= 0 && start + q->nfft <= q->total;
}

/* The first step of the transform of one line, to rows of `work`, and the levels that it takes off. */
static gnd_status transform_columns(gnd_stream *s, const char *x, int bits, char *work, char *levels, const char *fn) {
    const int64_t columns = INT64_C(1) << GNDI_POWERS_BITS;
    const int side = GNDI_COLUMNS_SIDE(bits);
    gndi_columns_params p = {.in = x,
                             .out = work,
                             .in_step = columns * PAIR,
                             .out_step = columns * PAIR,
                             .in_side = PAIR,
                             .out_side = PAIR,
                             .columns = columns,
                             .tiles = (uint32_t)(columns / side),
                             .factor = 1,
                             .line = (uint32_t)(bits + GNDI_POWERS_BITS),
                             .levels = levels};
    return gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(bits, GNDI_COLUMNS_TWISTED), p.tiles,
                                  GNDI_COLUMNS_THREADS(bits, side), (size_t)GNDI_COLUMNS_SHARED(bits, side), &p, fn);
}

bool gndi_stft_line_powers(gnd_stream *s, const gndi_stft_plan *q, const char *fn, gnd_status *status) {
    if (!is_line(q)) return false;
    const void *kernel = gndi_cuda_columns_kernel(GNDI_POWERS_BITS, GNDI_COLUMNS_POWERS);
    const int bits = column_bits(q->nfft);
    const int64_t start = (q->frame_first * q->hop - q->extend - q->x_first) * 4, levels = PAIR << GNDI_POWERS_BITS;
    bool fits = has_clusters(s->device, kernel);
    for (int64_t line = 0; line < q->grid.lines && fits; line++)
        fits = (uintptr_t)(q->x + start + gndi_line_of_x(&q->grid, line)) % PAIR == 0;
    if (!fits) return false;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(levels + q->nfft / 2 * PAIR));
    *status = memory ? GND_OK : GND_ERROR_MEMORY;
    if (!memory) return true;
    gndi_powers_params p = {.work = memory->base + levels,
                            .levels = q->trend == GNDI_TREND_NONE ? NULL : memory->base,
                            .outer = (uint32_t)bits,
                            .factor = (float)(q->scale * q->inner / 4),
                            .end = (float)(1 / q->inner)};
    for (int64_t line = 0; line < q->grid.lines && !*status; line++) {
        const char *x = q->x + start + gndi_line_of_x(&q->grid, line);
        p.out = (float *)(void *)q->out + line * (q->nfft / 2 + 1);
        *status = transform_columns(s, x, bits, (char *)p.work, (char *)p.levels, fn);
        if (!*status)
            *status =
                gndi_cuda_launch_early(s, kernel, INT64_C(1) << (bits - 1), GNDI_COLUMNS_THREADS(GNDI_POWERS_BITS, 2),
                                       (size_t)GNDI_POWERS_SHARED(GNDI_POWERS_BITS), &p, fn);
    }
    gndi_buffer_release(memory);
    return true;
}
