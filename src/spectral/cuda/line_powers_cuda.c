/*
 * line_powers_cuda.c: powers of the spectrum of a long line on CUDA, a frame that is a whole signal, in two launches
 * (fft_powers.cuh).
 */
#include "fft/cuda/fft_columns_params.h"
#include "spectral/cuda/stft_cuda.h"

const void *gndi_cuda_columns_kernel(int bits, int kind); /* fft_columns_kernels.cu */

/* Bytes: two samples, which a thread loads at once, and a block's shared memory. */
enum { PAIR = 8, ROWS_SHARED = GNDI_POWERS_ROWS_SHARED };

/* The bits of a column, if a line's pairs are such columns and rows of GNDI_POWERS_BITS; else 0. */
static int column_bits(int64_t n) {
    for (int bits = GNDI_POWERS_LEAST_BITS; bits <= GNDI_POWERS_MOST_BITS; bits++)
        if (n == INT64_C(2) << (bits + GNDI_POWERS_BITS)) return bits;
    return 0;
}

/* Whether this device has clusters, and enough shared memory. */
static bool has_clusters(const gndi_device *d, const void *kernel) {
    struct cudaFuncAttributes own;
    gndi_cuda_use(kernel);
    const cudaError_t error = cudaFuncGetAttributes(&own, kernel);
    if (error) cudaGetLastError();
    return !error && own.requiredClusterWidth == GNDI_POWERS_CLUSTER && ROWS_SHARED <= d->shared_bytes;
}

static bool is_line(const gndi_stft_plan *q) {
    const bool whole = q->count == 1 && q->nperseg == q->nfft && !q->mean && !q->window && !q->roll && !q->centered;
    const int64_t start = q->frame_first * q->hop - q->extend;
    return whole && q->dtype == GND_FLOAT32 && q->half && q->result == GNDI_STFT_POWERS && column_bits(q->nfft) &&
           q->trend != GNDI_TREND_LINEAR && start >= 0 && start + q->nfft <= q->total;
}

/* Powers of the line at x, in `memory`. */
static gnd_status line_powers(gnd_stream *s, const gndi_stft_plan *q, const char *x, float *out, char *memory,
                              const char *fn) {
    const int bits = column_bits(q->nfft), side = GNDI_COLUMNS_SIDE(bits);
    gndi_power_columns_params columns = {
        .in = x, .work = memory + (PAIR << GNDI_POWERS_BITS), .levels = q->trend == GNDI_TREND_NONE ? NULL : memory};
    gndi_powers_params rows = {.work = columns.work,
                               .levels = columns.levels,
                               .out = out,
                               .outer = (uint32_t)bits,
                               .factor = (float)(q->scale * q->inner / 4),
                               .end = (float)(1 / q->inner)};
    const gnd_status status = gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(bits, GNDI_COLUMNS_OF_POWERS),
                                                     (1 << GNDI_POWERS_BITS) / side, GNDI_POWERS_THREADS,
                                                     (size_t)GNDI_COLUMNS_SHARED(bits, side), &columns, fn);
    return status ? status
                  : gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(GNDI_POWERS_BITS, GNDI_COLUMNS_POWERS),
                                           1 << (bits - 1), GNDI_POWERS_THREADS, ROWS_SHARED, &rows, fn);
}

bool gndi_stft_line_powers(gnd_stream *s, const gndi_stft_plan *q, const char *fn, gnd_status *status) {
    if (!is_line(q)) return false;
    const int64_t start = (q->frame_first * q->hop - q->extend - q->x_first) * 4;
    for (int64_t line = 0; line < q->grid.lines; line++)
        if ((uintptr_t)(q->x + start + gndi_line_of_x(&q->grid, line)) % PAIR) return false;
    if (!has_clusters(s->device, gndi_cuda_columns_kernel(GNDI_POWERS_BITS, GNDI_COLUMNS_POWERS))) return false;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)((PAIR << GNDI_POWERS_BITS) + q->nfft / 2 * PAIR));
    *status = memory ? GND_OK : GND_ERROR_MEMORY;
    if (!memory) return true;
    for (int64_t line = 0; line < q->grid.lines && !*status; line++)
        *status = line_powers(s, q, q->x + start + gndi_line_of_x(&q->grid, line),
                              (float *)(void *)q->out + line * (q->nfft / 2 + 1), memory->base, fn);
    gndi_buffer_release(memory);
    return true;
}
