/*
 * ndimage_cuda.c: filters of pictures and fields on CUDA.
 *
 * Separable filters of one or two axes are one launch that reads and writes each element once (but for the tiles'
 * borders, which the second-level cache has): of 4096 x 4096 floats 134 MB, 34 us at 4.0 TB/s. A Gaussian of 25 weights
 * along both axes is 60 products an output, 1e9 of them, about 40 us of an H200's arithmetic beside that.
 */
#include "ndimage/cuda/ndimage_params.h"
#include "ndimage/sample_plan.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_lines_kernel(int kind, int dtype, bool tiles); /* lines_kernels.cu */
const void *gndi_cuda_neighbours_kernel(int kind, int dtype);        /* neighbours_kernels.cu */
const void *gndi_cuda_sample_kernel(int dtype, int order, bool two); /* sample_kernels.cu */

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
    p.pitch = (int32_t)gndi_lines_pitch(along, item);
    p.height = (int32_t)(GNDI_LINES_ROWS + (down > 0 ? down - 1 : 0));
    p.bands = gndi_ceil_div(plan->rows, GNDI_LINES_ROWS);
    p.segments = gndi_ceil_div(plan->columns, gndi_lines_width(item));
    return gndi_cuda_launch(s, gndi_cuda_lines_kernel(plan->kind, plan->dtype, true),
                            plan->outer * p.bands * p.segments, THREADS, (size_t)bytes, &p, fn);
}

/* ---- windows -------------------------------------------------------------------------------- */

gnd_status gndi_cuda_neighbours(gnd_stream *s, const gndi_neighbours_plan *plan, const char *fn) {
    gndi_neighbours_plan p = *plan;
    int64_t outputs = 1;
    for (int a = 0; a < p.ndim; a++) outputs *= p.out_shape[a];
    return gndi_cuda_launch(s, gndi_cuda_neighbours_kernel(p.kind, p.dtype), gndi_ceil_div(outputs, 256), 256, 0, &p,
                            fn);
}

/* ---- splines -------------------------------------------------------------------------------- */

gnd_status gndi_cuda_sample(gnd_stream *s, const gndi_sample_plan *plan, const char *fn) {
    gndi_sample_plan p = *plan;
    return gndi_cuda_launch(s, gndi_cuda_sample_kernel(p.dtype, p.order, p.ndim == 2), gndi_ceil_div(p.count, 256), 256,
                            0, &p, fn);
}
