/*
 * fir_cuda.c: FIR filters on CUDA: one launch for all lines, and a second one for the ends, or for what a stream keeps
 * of a chunk of more than one block of each line.
 */
#include "filter/filter_plan.h"
#include "filter/cuda/fir_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_fir_kernel(int type, int which); /* fir_kernels.cu */

gnd_status gndi_cuda_fir(gnd_stream *s, const gndi_fir_plan *plan, const char *fn) {
    const gndi_filter_lines *lines = &plan->lines;
    const bool wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128;
    const bool is_complex = gndi_dtype_is_complex(plan->dtype);
    const int type = (is_complex ? GNDI_FIR_COMPLEX_FLOAT : GNDI_FIR_FLOAT) + wide;
    const int64_t bytes = (wide ? 8 : 4) * (is_complex ? 2 : 1);
    gndi_fir_params p = {.at = {.x = lines->x,
                                .y = lines->y,
                                .x_step = lines->x_step,
                                .y_step = lines->y_step,
                                .length = lines->length,
                                .lines = lines->count,
                                .ndim = lines->ndim,
                                .parts = 1},
                         .taps = plan->taps,
                         .zi = plan->zi,
                         .zf = plan->zf,
                         .kept = plan->keeps,
                         .before = plan->before,
                         .behind = plan->behind,
                         .ahead = plan->ahead,
                         .count = plan->count,
                         .edges = plan->edges,
                         .edge = plan->edge,
                         .results = lines->length + (plan->zf ? plan->count - 1 : 0)};
    memcpy(p.at.shape, lines->shape, sizeof p.at.shape);
    memcpy(p.at.x_stride, lines->x_stride, sizeof p.at.x_stride);
    memcpy(p.at.y_stride, lines->y_stride, sizeof p.at.y_stride);
    p.tiles = gndi_ceil_div(p.results, GNDI_SLIDING_TILE(bytes));
    gnd_status status = gndi_cuda_launch_early(s, gndi_cuda_fir_kernel(type, GNDI_FIR_SUMS), p.tiles * lines->count,
                                               GNDI_SLIDING_THREADS, 0, &p, fn);
    if (!status && plan->keeps && p.tiles > 1)
        status = gndi_cuda_launch(s, gndi_cuda_fir_kernel(type, GNDI_FIR_KEEP), lines->count, GNDI_SLIDING_THREADS, 0,
                                  &p, fn);
    if (!status && plan->edge > 0)
        status = gndi_cuda_launch(s, gndi_cuda_fir_kernel(type, GNDI_FIR_EDGES), lines->count, GNDI_SLIDING_THREADS, 0,
                                  &p, fn);
    return status;
}
