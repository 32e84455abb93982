/*
 * wiener_cuda.c: the Wiener filter on CUDA. If the noise is the mean of the variances, they are computed twice, which
 * takes less time than to write them and read them again: first for their sum, then for the filter.
 */
#include "convolve/wiener_plan.h"
#include "convolve/cuda/wiener_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_wiener_kernel(bool wide, int which); /* wiener_kernels.cu */

/* Elements and squares of a tile and around it, and the sums of its rows' windows. */
static size_t shared_bytes(const gndi_wiener_params *p) {
    const int64_t rows = p->tile_rows + p->window[0] - 1, columns = p->tile_columns + p->window[1] - 1;
    return (size_t)(2 * rows * (columns + p->tile_columns)) * sizeof(double);
}

static gnd_status find_noise(gnd_stream *s, gndi_wiener_params *p, bool wide, const char *fn) {
    gnd_status status = gndi_cuda_launch(s, gndi_cuda_wiener_kernel(wide, GNDI_WIENER_VARIANCES), p->tiles,
                                         GNDI_WIENER_THREADS, shared_bytes(p), p, fn);
    if (status) return status;
    return gndi_cuda_launch(s, gndi_cuda_wiener_kernel(wide, GNDI_WIENER_JOIN), 1, GNDI_WIENER_JOIN_THREADS, 0, p, fn);
}

gnd_status gndi_cuda_wiener(gnd_stream *s, const gndi_wiener_plan *plan, const char *fn) {
    const bool line = plan->shape[0] == 1, wide = plan->dtype == GND_FLOAT64;
    gndi_wiener_params p = {.x = plan->x,
                            .out = plan->out,
                            .given = plan->noise,
                            .rows = plan->shape[0],
                            .columns = plan->shape[1],
                            .x_stride = {plan->x_stride[0], plan->x_stride[1]},
                            .tile_rows = line ? 1 : GNDI_WIENER_SQUARE,
                            .tile_columns = line ? GNDI_WIENER_OUTPUTS : GNDI_WIENER_SQUARE,
                            .window = {(int32_t)plan->window[0], (int32_t)plan->window[1]}};
    p.tiles_across = gndi_ceil_div(p.columns, p.tile_columns);
    p.tiles = p.tiles_across * gndi_ceil_div(p.rows, p.tile_rows);
    gndi_buffer *sums = NULL;
    gnd_status status = GND_OK;
    if (plan->noise_is_mean) {
        sums = gndi_buffer_new(fn, s, (size_t)(p.tiles + 1) * sizeof(double));
        if (!sums) return GND_ERROR_MEMORY;
        p.noise = sums->base;
        status = find_noise(s, &p, wide, fn);
    }
    if (!status)
        status = gndi_cuda_launch(s, gndi_cuda_wiener_kernel(wide, GNDI_WIENER_FILTER), p.tiles, GNDI_WIENER_THREADS,
                                  shared_bytes(&p), &p, fn);
    if (sums) gndi_buffer_release(sums);
    return status;
}
