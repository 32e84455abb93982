/*
 * hilbert_cuda.c: analytic signals of long lines on CUDA, in three launches (fft_analytic.cuh).
 */
#include "fft/cuda/fft_columns_params.h"
#include "resample/hilbert_plan.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_columns_kernel(int bits, int kind); /* fft_columns_kernels.cu */

/* The columns of pairs of x, to rows of `work`. */
static gnd_status transform_columns(gnd_stream *s, const gndi_hilbert_plan *plan, const gndi_analytic_params *a,
                                    const char *fn) {
    const int64_t pair = 8, columns = INT64_C(1) << a->inner, line = pair << (a->outer + a->inner);
    const int side = GNDI_COLUMNS_SIDE((int)a->outer);
    gndi_columns_params p = {.in = plan->x,
                             .out = a->work,
                             .in_step = columns * pair,
                             .out_step = columns * pair,
                             .in_side = pair,
                             .out_side = pair,
                             .columns = columns,
                             .in_stride = {line},
                             .out_stride = {line},
                             .n = {(uint32_t)plan->lines},
                             .axes = 1,
                             .tiles = (uint32_t)(columns / side),
                             .factor = 1,
                             .line = a->outer + a->inner};
    return gndi_cuda_launch_early(s, gndi_cuda_columns_kernel((int)a->outer, GNDI_COLUMNS_TWISTED),
                                  plan->lines * p.tiles, GNDI_COLUMNS_THREADS((int)a->outer, side),
                                  (size_t)GNDI_COLUMNS_SHARED((int)a->outer, side), &p, fn);
}

gnd_status gndi_cuda_hilbert(gnd_stream *s, const gndi_hilbert_plan *plan, const char *fn) {
    const int bits = plan->bits - 1, outer = bits / 2, inner = bits - outer;
    const int side = GNDI_COLUMNS_SIDE(outer);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(plan->lines * 8) << bits);
    if (!memory) return GND_ERROR_MEMORY;
    gndi_analytic_params p = {.x = plan->x,
                              .out = plan->out,
                              .work = memory->base,
                              .outer = (uint32_t)outer,
                              .inner = (uint32_t)inner,
                              .factor = (float)(1 / (double)(INT64_C(1) << bits))};
    gnd_status status = transform_columns(s, plan, &p, fn);
    if (!status)
        status = gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(inner, GNDI_COLUMNS_ANALYTIC_ROWS),
                                        plan->lines << (outer - 1), GNDI_COLUMNS_THREADS(inner, 2),
                                        (size_t)GNDI_ANALYTIC_SHARED(inner), &p, fn);
    if (!status)
        status = gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(outer, GNDI_COLUMNS_ANALYTIC),
                                        plan->lines * ((INT64_C(1) << inner) / side), GNDI_COLUMNS_THREADS(outer, side),
                                        (size_t)GNDI_COLUMNS_SHARED(outer, side), &p, fn);
    gndi_buffer_release(memory);
    return status;
}
