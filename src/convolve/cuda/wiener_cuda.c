/*
 * wiener_cuda.c: the Wiener filter on CUDA. If the noise is the mean of the variances, they are computed twice, which
 * takes less time than to write them and read them again: first for their sum, then for the filter.
 */
#include "convolve/wiener_plan.h"
#include "convolve/cuda/wiener_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_wiener_kernel(bool wide, bool line, int which); /* wiener_kernels.cu */

enum {
    BLOCKS_EACH = 4,         /* of a multiprocessor, that find sums and filter */
    SHARED_EACH = 200 << 10, /* bytes of shared memory that they have there, about */
};

/* Two tiles of a line; a tile of a matrix with what is around it, and two sums of its rows' windows. */
static size_t shared_bytes(const gndi_wiener_params *p, bool line, size_t item) {
    if (line) return 2 * item * (size_t)GNDI_WIENER_LINE_ELEMENTS(GNDI_WIENER_LINE + p->window[1] - 1, (int)item);
    const size_t rows = (size_t)(GNDI_WIENER_ROWS + p->window[0] - 1);
    const size_t columns = (size_t)GNDI_WIENER_PITCH(p->tile_columns + p->window[1] - 1);
    return rows * (2 * sizeof(double) * (size_t)GNDI_WIENER_PITCH(p->tile_columns) + item * columns);
}

/* Tiles of a matrix are narrower if the window is so large that few wide ones have room at once. */
static void cut_into_tiles(gndi_wiener_params *p, bool line, size_t item) {
    p->tile_columns = line ? GNDI_WIENER_LINE : GNDI_WIENER_COLUMNS;
    if (!line && shared_bytes(p, line, item) > SHARED_EACH / BLOCKS_EACH) p->tile_columns = GNDI_WIENER_COLUMNS / 2;
    p->tiles_across = gndi_ceil_div(p->columns, p->tile_columns);
    p->tiles = p->tiles_across * (line ? 1 : gndi_ceil_div(p->rows, GNDI_WIENER_ROWS));
}

gnd_status gndi_cuda_wiener(gnd_stream *s, const gndi_wiener_plan *plan, const char *fn) {
    const bool line = plan->shape[0] == 1, wide = plan->dtype == GND_FLOAT64;
    gndi_wiener_params p = {.x = plan->x,
                            .out = plan->out,
                            .given = plan->noise,
                            .rows = plan->shape[0],
                            .columns = plan->shape[1],
                            .x_stride = {plan->x_stride[0], plan->x_stride[1]},
                            .window = {(int32_t)plan->window[0], (int32_t)plan->window[1]}};
    const size_t item = wide ? sizeof(double) : sizeof(float);
    cut_into_tiles(&p, line, item);
    p.parts = (int32_t)gndi_min(p.tiles, (int64_t)BLOCKS_EACH * s->device->processors);
    const size_t shared = shared_bytes(&p, line, item);
    gndi_buffer *sums = NULL;
    gnd_status status = GND_OK;
    if (plan->noise_is_mean) {
        sums = gndi_buffer_new(fn, s, (size_t)p.parts * sizeof(double));
        if (!sums) return GND_ERROR_MEMORY;
        p.sums = sums->base;
        status = gndi_cuda_launch_early(s, gndi_cuda_wiener_kernel(wide, line, GNDI_WIENER_VARIANCES), p.parts,
                                        GNDI_WIENER_THREADS, shared, &p, fn);
    }
    if (!status)
        status = gndi_cuda_launch_early(s, gndi_cuda_wiener_kernel(wide, line, GNDI_WIENER_FILTER), p.parts,
                                        GNDI_WIENER_THREADS, shared, &p, fn);
    if (sums) gndi_buffer_release(sums);
    return status;
}
