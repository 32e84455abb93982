/*
 * line_powers_cuda.c: powers of the spectrum of a long line on CUDA, a frame that is a whole signal, in two launches
 * (fft_powers.cuh).
 */
#include "fft/cuda/fft_columns_params.h"
#include "spectral/cuda/stft_cuda.h"
#include <stdlib.h>

const void *gndi_cuda_columns_kernel(int bits, int kind); /* fft_columns_kernels.cu */

/* Bytes: two samples, what a thread loads at once, and shared memory of a block. */
enum { PAIR = 8, LOAD = 2 * PAIR, ROWS_SHARED = GNDI_POWERS_ROWS_SHARED };

/* The bits of a column, if a line's pairs are such columns and rows of GNDI_POWERS_BITS; else 0. */
static int column_bits(int64_t n) {
    for (int bits = GNDI_POWERS_LEAST_BITS; bits <= GNDI_POWERS_MOST_BITS; bits++)
        if (n == INT64_C(2) << (bits + GNDI_POWERS_BITS)) return bits;
    return 0;
}

/* How many clusters of a kernel run at once on this device; 0: it has none, or too little shared memory. */
static int clusters_of(const gndi_device *d, const void *kernel) {
    struct cudaFuncAttributes own;
    cudaLaunchAttribute width = {.id = cudaLaunchAttributeClusterDimension};
    width.val.clusterDim.x = GNDI_POWERS_CLUSTER, width.val.clusterDim.y = width.val.clusterDim.z = 1;
    const cudaLaunchConfig_t how = {.gridDim = {GNDI_POWERS_CLUSTER, 1, 1},
                                    .blockDim = {GNDI_POWERS_THREADS, 1, 1},
                                    .dynamicSmemBytes = ROWS_SHARED,
                                    .attrs = &width,
                                    .numAttrs = 1};
    int clusters = 0;
    gndi_cuda_use(kernel);
    cudaError_t error = cudaFuncGetAttributes(&own, kernel);
    if (error || own.requiredClusterWidth != GNDI_POWERS_CLUSTER || ROWS_SHARED > d->shared_bytes) goto none;
    if (own.maxDynamicSharedSizeBytes < ROWS_SHARED)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, ROWS_SHARED);
    if (!error) error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &how);
none:
    if (error) cudaGetLastError();
    return error ? 0 : clusters;
}

static bool is_line(const gndi_stft_plan *q) {
    const bool whole = q->count == 1 && q->nperseg == q->nfft && !q->mean && !q->window && !q->roll && !q->centered;
    const int64_t start = q->frame_first * q->hop - q->extend;
    return whole && q->dtype == GND_FLOAT32 && q->half && q->result == GNDI_STFT_POWERS && column_bits(q->nfft) &&
           q->trend != GNDI_TREND_LINEAR && start >= 0 && start + q->nfft <= q->total;
}

/* Powers of the line at x, in `memory`; so many clusters run at once. */
static gnd_status line_powers(gnd_stream *s, const gndi_stft_plan *q, const char *x, float *out, char *memory,
                              int clusters, const char *fn) {
    const int bits = column_bits(q->nfft);
    const char *xv = getenv("XV");
    const int variant = xv ? atoi(xv) : 0;
    gndi_power_columns_params columns = {.in = x,
                                         .work = memory + (PAIR << GNDI_POWERS_BITS),
                                         .levels = q->trend == GNDI_TREND_NONE ? NULL : memory,
                                         .tiles = (1u << GNDI_POWERS_BITS) / GNDI_COLUMNS_SIDE(bits)};
    gndi_powers_params rows = {.work = columns.work,
                               .levels = columns.levels,
                               .out = out,
                               .outer = (uint32_t)bits,
                               .units = (1u << (bits - 1)) / GNDI_POWERS_CLUSTER,
                               .factor = (float)(q->scale * q->inner / 4),
                               .end = (float)(1 / q->inner)};
    int64_t blocks = gndi_min((int64_t)columns.tiles, (int64_t)2 * s->device->processors);
    int64_t units = gndi_min((int64_t)rows.units, clusters);
    if (variant & 1) blocks = columns.tiles; /* a block for each tile */
    if (variant & 2) units = rows.units;
    const gnd_status status =
        gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(bits, GNDI_COLUMNS_OF_POWERS), blocks, GNDI_POWERS_THREADS,
                               (size_t)GNDI_POWERS_COLUMNS_SHARED(bits), &columns, fn);
    return status ? status
                  : gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(GNDI_POWERS_BITS, GNDI_COLUMNS_POWERS),
                                           units * GNDI_POWERS_CLUSTER, GNDI_POWERS_THREADS, ROWS_SHARED, &rows, fn);
}

bool gndi_stft_line_powers(gnd_stream *s, const gndi_stft_plan *q, const char *fn, gnd_status *status) {
    if (!is_line(q)) return false;
    const int64_t start = (q->frame_first * q->hop - q->extend - q->x_first) * 4;
    for (int64_t line = 0; line < q->grid.lines; line++)
        if ((uintptr_t)(q->x + start + gndi_line_of_x(&q->grid, line)) % LOAD) return false;
    const int clusters = clusters_of(s->device, gndi_cuda_columns_kernel(GNDI_POWERS_BITS, GNDI_COLUMNS_POWERS));
    if (clusters < 1) return false;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)((PAIR << GNDI_POWERS_BITS) + q->nfft / 2 * PAIR));
    *status = memory ? GND_OK : GND_ERROR_MEMORY;
    if (!memory) return true;
    for (int64_t line = 0; line < q->grid.lines && !*status; line++)
        *status = line_powers(s, q, q->x + start + gndi_line_of_x(&q->grid, line),
                              (float *)(void *)q->out + line * (q->nfft / 2 + 1), memory->base, clusters, fn);
    gndi_buffer_release(memory);
    return true;
}
