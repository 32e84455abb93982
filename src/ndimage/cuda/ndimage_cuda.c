/*
 * ndimage_cuda.c: filters of pictures and fields on CUDA.
 *
 * Separable filters of one or two axes are one launch that reads and writes each element once (but for the tiles'
 * borders, which the second-level cache has): of 4096 x 4096 floats 134 MB, 34 us at 4.0 TB/s. A Gaussian of 25 weights
 * along both axes is 60 products an output, 1e9 of them, about 40 us of an H200's arithmetic beside that.
 */
#include "ndimage/cuda/ndimage_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_lines_kernel(int kind, int dtype, bool tiles);     /* lines_kernels.cu */
const void *gndi_cuda_neighbours_kernel(int kind, int dtype, bool runs); /* neighbours_kernels.cu */
const void *gndi_cuda_sample_kernel(int dtype, int order, bool plane);   /* sample_kernels.cu */

/* ---- separable filters ---------------------------------------------------------------------- */

gnd_status gndi_cuda_lines(gnd_stream *s, const gndi_lines_plan *plan, const char *fn) {
    enum { THREADS = GNDI_CUDA_LINES_THREADS };
    gndi_cuda_lines_params p = {.plan = *plan};
    const int item = gndi_dtype_sizes[plan->dtype];
    const int64_t down = plan->axis[0].size, along = plan->axis[1].size;
    const int64_t bytes = gndi_lines_bytes(down, along, item);
    if (bytes > GNDI_LINES_SHARED) { /* one axis alone: the fronts see to it */
        const int64_t length = down ? plan->rows : plan->columns, inner = down ? plan->columns : 1;
        const int64_t lines = plan->outer * plan->rows * plan->columns / length;
        p.bands = gndi_ceil_div(length, GNDI_CUDA_LINES_LONG), p.segments = inner;
        return gndi_cuda_launch(s, gndi_cuda_lines_kernel(plan->kind, plan->dtype, false),
                                gndi_ceil_div(lines * p.bands, THREADS), THREADS, 0, &p, fn);
    }
    p.pitch_read = (int32_t)gndi_lines_pitch_read(along, item);
    p.pitch = (int32_t)(gndi_lines_wide(along, item) | 1);
    p.packs = plan->columns * item % 16 == 0 && (uintptr_t)plan->x % 16 == 0;
    p.height = (int32_t)(GNDI_LINES_ROWS + (down > 0 ? down - 1 : 0));
    p.bands = gndi_ceil_div(plan->rows, GNDI_LINES_ROWS);
    p.segments = gndi_ceil_div(plan->columns, gndi_lines_width(item));
    return gndi_cuda_launch(s, gndi_cuda_lines_kernel(plan->kind, plan->dtype, true),
                            plan->outer * p.bands * p.segments, THREADS, (size_t)bytes, &p, fn);
}

/* ---- windows -------------------------------------------------------------------------------- */

gnd_status gndi_cuda_neighbours(gnd_stream *s, const gndi_neighbours_plan *plan, const char *fn) {
    enum { THREADS = GNDI_CUDA_NEIGHBOURS_THREADS, RUN = GNDI_CUDA_NEIGHBOURS_RUN, MOST = GNDI_CUDA_NEIGHBOURS_NEAR };
    gndi_neighbours_plan p = *plan;
    const bool extends = p.kind == GNDI_NEIGHBOURS_EXTEND;
    int64_t outputs = 1, elements = 1, window = 1;
    for (int a = 0; a < p.ndim; a++) {
        outputs *= p.out_shape[a], elements *= p.x_shape[a];
        window = gndi_min(window * gndi_min(p.window[a], MOST + 1), MOST + 1); /* beyond the most it stays there */
    }
    const bool runs =
        gndi_max(outputs, elements) < INT32_MAX - (1 << 28) && (extends || (window > 0 && window <= MOST));
    int64_t units = outputs;
    if (runs) units = outputs / p.out_shape[p.ndim - 1] * gndi_ceil_div(p.out_shape[p.ndim - 1], RUN);
    int64_t blocks = gndi_ceil_div(units, THREADS);
    /* Blocks that list the window first go through several outputs a thread. */
    if (runs && !extends) blocks = gndi_min(blocks, (int64_t)GNDI_CUDA_NEIGHBOURS_BLOCKS * s->device->processors);
    return gndi_cuda_launch(s, gndi_cuda_neighbours_kernel(p.kind, p.dtype, runs), blocks, THREADS, 0, &p, fn);
}

/* ---- splines -------------------------------------------------------------------------------- */

/* Indices that floats have exactly. */
static bool is_plane(const int64_t *shape) {
    return shape[0] <= 1 << 24 && shape[1] <= 1 << 24;
}

gnd_status gndi_cuda_sample(gnd_stream *s, const gndi_sample_plan *plan, const char *fn) {
    gndi_sample_plan p = *plan;
    const bool plane =
        p.ndim == 2 && is_plane(p.x_shape) && (p.coordinates || (p.out_ndim == 2 && is_plane(p.out_shape)));
    int64_t blocks = gndi_ceil_div(p.count, 256);
    if (plane && !p.coordinates)
        blocks = gndi_ceil_div(p.out_shape[0], GNDI_CUDA_SAMPLE_DOWN) *
                 gndi_ceil_div(p.out_shape[1], GNDI_CUDA_SAMPLE_ACROSS);
    return gndi_cuda_launch(s, gndi_cuda_sample_kernel(p.dtype, p.order, plane), blocks, 256, 0, &p, fn);
}
