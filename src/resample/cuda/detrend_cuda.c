/*
 * detrend_cuda.c: lines without their trend on CUDA. Long lines of real numbers are held by teams of blocks between
 * summing and subtracting, where all blocks can run at once; else lines are cut into chunks and read twice.
 */
#include "resample/detrend_plan.h"
#include "resample/cuda/detrend_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_detrend_kernel(int dtype, int which); /* detrend_kernels.cu */
const void *gndi_cuda_detrend_held_kernel(bool wide);       /* detrend_held_kernels.cu */

enum {
    SHORT = 1 << 12,  /* elements of a line that is a warp's */
    CHUNK = 1 << 14,  /* least elements of a chunk */
    CHUNKS = 1 << 10, /* of a line, at most: each block adds up the sums of all */
    WARP = 32,
};

/* ---- lines that are held -------------------------------------------------------------------------- */

enum {
    HELD_BYTES = 4 << 20, /* least of all lines together: less is in the caches when it is read again */
    SLICE = 32 << 10,     /* bytes that a block is to have of a line, about */
    LEAST_SLICE = 4 << 10,
    ALIGNMENT = 16,    /* of bulk copies */
    WHOLE_LINES = 128, /* slices are multiples of a cache's lines */
    SINCE = 90,        /* the architecture that has bulk copies */
};

/* Whether every line begins at a multiple of 16 bytes, and ends at one. */
static bool is_aligned(const gndi_detrend_plan *plan, int64_t item) {
    uint64_t all = (uintptr_t)plan->x | (uintptr_t)plan->out | (uint64_t)(plan->n * item);
    for (int k = 0; k < plan->grid.ndim; k++)
        all |= (uint64_t)plan->grid.x_stride[k] | (uint64_t)plan->grid.out_stride[k];
    return all % ALIGNMENT == 0;
}

/* How lines are shared among blocks; false: a block cannot hold two slices. */
static bool share_lines(gndi_detrend_held_params *p, int64_t blocks, int64_t bytes, int64_t item) {
    const int64_t line = p->n * item, most = gndi_min(blocks, p->grid.lines);
    const int64_t teams = gndi_max(1, gndi_min(most, blocks * SLICE / line));
    const int64_t team = gndi_min(gndi_min(blocks / teams, GNDI_DETREND_THREADS), gndi_ceil_div(line, LEAST_SLICE));
    const int64_t slice = gndi_ceil_div(gndi_ceil_div(line, team), WHOLE_LINES) * WHOLE_LINES;
    const int64_t stages = gndi_min(bytes / slice, GNDI_DETREND_STAGES);
    if (stages < 2) return false;
    p->teams = (int32_t)teams, p->team = (int32_t)team, p->slice = (int32_t)(slice / item);
    p->stages = (int32_t)stages, p->lag = stages < 5 ? 1 : 2;
    return true;
}

/* Whether the lines are held, as *status tells; if not, nothing was done. */
static bool hold_lines(gnd_stream *s, const gndi_detrend_plan *plan, const char *fn, gnd_status *status) {
    const bool wide = plan->dtype == GND_FLOAT64;
    const int64_t item = wide ? 8 : 4;
    if (gndi_dtype_is_complex(plan->dtype) || plan->n * plan->grid.lines < HELD_BYTES / item) return false;
    if (!is_aligned(plan, item)) return false;
    const void *kernel = gndi_cuda_detrend_held_kernel(wide);
    const int64_t bytes = gndi_cuda_shared_together(s->device, kernel, SINCE);
    gndi_detrend_held_params p = {.x = plan->x,
                                  .out = plan->out,
                                  .n = plan->n,
                                  .squares = plan->linear ? gndi_detrend_squares(plan->n) : 0,
                                  .grid = plan->grid};
    if (!share_lines(&p, s->device->processors, bytes, item)) return false;
    gndi_buffer *sums = gndi_buffer_new(fn, s, (size_t)(plan->grid.lines * p.team * 2) * sizeof(double));
    *status = sums ? GND_OK : GND_ERROR_MEMORY;
    if (!sums) return true;
    p.sums = sums->base;
    const bool held = gndi_cuda_launch_together(s, kernel, p.teams * p.team, GNDI_DETREND_THREADS,
                                                (size_t)(p.stages * p.slice * item), &p);
    gndi_buffer_release(sums);
    return held;
}

/* ---- the hook ------------------------------------------------------------------------------------- */

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
    gnd_status status = GND_OK;
    if (hold_lines(s, plan, fn, &status)) return status;
    p.chunk = gndi_max(gndi_min(CHUNK, gndi_ceil_div(plan->n, 4)), gndi_ceil_div(plan->n, CHUNKS));
    p.chunks = gndi_ceil_div(plan->n, p.chunk);
    const int64_t blocks = plan->grid.lines * p.chunks;
    gndi_buffer *sums = gndi_buffer_new(fn, s, (size_t)(blocks * 2 * parts) * sizeof(double));
    if (!sums) return GND_ERROR_MEMORY;
    p.sums = sums->base;
    status = gndi_cuda_launch(s, gndi_cuda_detrend_kernel(plan->dtype, GNDI_DETREND_SUMS), blocks, threads, 0, &p, fn);
    if (!status)
        status = gndi_cuda_launch(s, gndi_cuda_detrend_kernel(plan->dtype, GNDI_DETREND_SUBTRACT), blocks, threads, 0,
                                  &p, fn);
    gndi_buffer_release(sums);
    return status;
}
