/*
 * doppler_cuda.c: pulse-Doppler matrices with a window on CUDA: the launch that transforms columns of a matrix
 * (src/fft/cuda), which multiplies what it has loaded.
 */
#include "fft/cuda/fft_columns_params.h"
#include "radar/doppler_plan.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_columns_kernel(int bits, int kind); /* fft_columns_kernels.cu */

enum { ELEMENT = 8, RESIDENT_THREADS = 1024 /* of a processor: the kernels' bound */ };

gnd_status gndi_cuda_doppler(gnd_stream *s, const gndi_doppler_plan *plan, const char *fn) {
    const int bits = plan->bits, side = GNDI_COLUMNS_SIDE(bits), threads = GNDI_COLUMNS_THREADS(bits, side);
    const int64_t row = plan->columns * ELEMENT, matrix = row << bits, tiles = gndi_ceil_div(plan->columns, side);
    /* As for other columns (fft_columns_cuda.c), measured there. */
    const bool large = bits < GNDI_COLUMNS_MOST_BITS && matrix * plan->matrices > (int64_t)GNDI_COLUMNS_LARGE_MB << 20;
    gndi_columns_params p = {.in = plan->x,
                             .out = plan->out,
                             .in_step = plan->x_row,
                             .out_step = row,
                             .in_side = ELEMENT,
                             .out_side = ELEMENT,
                             .columns = plan->columns,
                             .in_stride = {plan->x_matrix},
                             .out_stride = {matrix},
                             .n = {(uint32_t)plan->matrices},
                             .axes = 1,
                             .tiles = (uint32_t)tiles,
                             .once = large,
                             .ahead = large ? (uint32_t)(s->device->processors * (RESIDENT_THREADS / threads)) : 0,
                             .factor = 1,
                             .window = plan->window};
    return gndi_cuda_launch_early(s, gndi_cuda_columns_kernel(bits, GNDI_COLUMNS_PLAIN), tiles * plan->matrices,
                                  threads, (size_t)GNDI_COLUMNS_SHARED(bits, side), &p, fn);
}
