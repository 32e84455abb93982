/*
 * detrend_cuda.c: lines without their trend on CUDA: how lines are cut into chunks.
 */
#include "resample/detrend_plan.h"
#include "resample/cuda/detrend_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_detrend_kernel(int dtype, int which); /* detrend_kernels.cu */

enum {
    SHORT = 1 << 12,  /* elements of a line that is a warp's */
    CHUNK = 1 << 14,  /* least elements of a chunk */
    CHUNKS = 1 << 10, /* of a line, at most: each block adds up the sums of all */
    WARP = 32,
};

gnd_status gndi_cuda_detrend(gnd_stream *s, const gndi_detrend_plan *plan, const char *fn) {
    const int parts = gndi_dtype_is_complex(plan->dtype) ? 2 : 1, threads = GNDI_DETREND_THREADS;
    gndi_detrend_params p = {.x = plan->x,
                             .out = plan->out,
                             .n = plan->n,
                             .squares = plan->linear ? gndi_detrend_squares(plan->n) : 0,
                             .grid = plan->grid};
    if (plan->n <= SHORT && plan->grid.lines >= WARP)
        return gndi_cuda_launch(s, gndi_cuda_detrend_kernel(plan->dtype, GNDI_DETREND_SHORT),
                                gndi_ceil_div(plan->grid.lines, threads / WARP), threads, 0, &p, fn);
    p.chunk = gndi_max(gndi_min(CHUNK, gndi_ceil_div(plan->n, 4)), gndi_ceil_div(plan->n, CHUNKS));
    p.chunks = gndi_ceil_div(plan->n, p.chunk);
    const int64_t blocks = plan->grid.lines * p.chunks;
    gndi_buffer *sums = gndi_buffer_new(fn, s, (size_t)(blocks * 2 * parts) * sizeof(double));
    if (!sums) return GND_ERROR_MEMORY;
    p.sums = sums->base;
    gnd_status status =
        gndi_cuda_launch(s, gndi_cuda_detrend_kernel(plan->dtype, GNDI_DETREND_SUMS), blocks, threads, 0, &p, fn);
    if (!status)
        status = gndi_cuda_launch(s, gndi_cuda_detrend_kernel(plan->dtype, GNDI_DETREND_SUBTRACT), blocks, threads, 0,
                                  &p, fn);
    gndi_buffer_release(sums);
    return status;
}
