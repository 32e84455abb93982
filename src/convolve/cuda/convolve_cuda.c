/*
 * convolve_cuda.c: sliding sums in several dimensions on CUDA: lines by the kernels of gnd_correlate, tiles of matrices
 * where a tile and all taps fit shared memory, else a thread for each output.
 */
#include "convolve/convolve_plan.h"
#include "convolve/cuda/convolve_params.h"
#include "runtime/cuda/runtime_cuda.h"
#include "signal/correlate_plan.h"

const void *gndi_cuda_convolve_kernel(int type, int which); /* convolve_kernels.cu */

enum {
    SHARED_MOST = 96 << 10, /* bytes of a block */
    MANY_BLOCKS = 32,       /* of a processor, at most, where blocks go through several outputs each */
};

static int64_t round_up(int64_t n, int64_t to) {
    return gndi_ceil_div(n, to) * to;
}

/* A line without a border. Its shorter part slides: with the other one as taps, outputs come from the last to the
   first. */
static bool run_line(gnd_stream *s, const gndi_convolve_plan *plan, gnd_status *status, const char *fn) {
    const bool no_fill = plan->fill[0] == 0 && plan->fill[1] == 0 && plan->fill_integer == 0;
    if (plan->ndim != 1 || plan->border != GNDI_BORDER_CONSTANT || !no_fill) return false;
    gndi_correlate_plan line = {.dtype = plan->dtype,
                                .first = plan->first[0],
                                .count = plan->out_shape[0],
                                .length = plan->x_shape[0],
                                .taps = plan->taps_shape[0],
                                .x = {(char *)(uintptr_t)plan->x, plan->x_stride[0]},
                                .k = {(char *)(uintptr_t)plan->taps, plan->taps_stride[0]},
                                .out = {plan->out, plan->out_stride[0]}};
    if (line.taps > line.length) {
        const struct gndi_correlate_operand x = line.x;
        line.x = line.k, line.k = x;
        line.taps = plan->x_shape[0], line.length = plan->taps_shape[0];
        line.first = 1 - line.first - line.count;
        line.out.data += (line.count - 1) * line.out.step, line.out.step = -line.out.step;
    }
    *status = s->device->backend->correlate(s, &line, fn);
    return true;
}

/* A plan of one axis or two as a matrix. */
static void fill_tile(const gndi_convolve_plan *plan, gndi_convolve_tile_params *p) {
    *p = (gndi_convolve_tile_params){.x = plan->x,
                                     .taps = plan->taps,
                                     .out = plan->out,
                                     .x_shape = {1, 1},
                                     .out_shape = {1, 1},
                                     .taps_shape = {1, 1},
                                     .dtype = plan->dtype,
                                     .border = plan->border};
    p->fill[0] = plan->fill[0], p->fill[1] = plan->fill[1], p->fill_integer = plan->fill_integer;
    for (int a = 0, to = 2 - plan->ndim; a < plan->ndim; a++, to++) {
        p->x_shape[to] = plan->x_shape[a], p->out_shape[to] = plan->out_shape[a];
        p->taps_shape[to] = (int32_t)plan->taps_shape[a], p->first[to] = plan->first[a];
        p->x_stride[to] = plan->x_stride[a], p->out_stride[to] = plan->out_stride[a];
        p->taps_stride[to] = plan->taps_stride[a];
    }
}

/* The layout of shared memory; its bytes. */
static int64_t lay_tile(gndi_convolve_tile_params *p, int64_t bytes) {
    const int64_t width = GNDI_CONVOLVE_ACROSS * GNDI_CONVOLVE_WIDE;
    const int64_t height = GNDI_CONVOLVE_DOWN * GNDI_CONVOLVE_ROWS(bytes);
    p->taps_pitch = (int32_t)round_up(p->taps_shape[1], GNDI_CONVOLVE_WIDE);
    p->pitch = (int32_t)(width + p->taps_pitch + GNDI_CONVOLVE_WIDE);
    p->tiles = gndi_ceil_div(p->out_shape[1], width);
    const int64_t taps = p->taps_shape[0] + 2 * (GNDI_CONVOLVE_ROWS(bytes) - 1);
    return ((height + p->taps_shape[0] - 1) * p->pitch + taps * p->taps_pitch) * bytes;
}

static bool run_tiles(gnd_stream *s, const gndi_convolve_plan *plan, gnd_status *status, const char *fn) {
    enum { LONGEST = 1 << 12 };
    gndi_convolve_tile_params p;
    int64_t bytes;
    const int type = gndi_sums_type(plan->dtype, &bytes);
    if (plan->ndim > 2) return false;
    for (int a = 0; a < plan->ndim; a++)
        if (plan->taps_shape[a] > LONGEST) return false;
    fill_tile(plan, &p);
    p.as_is = gndi_dtype_sizes[plan->dtype] == bytes;
    const int64_t shared = lay_tile(&p, bytes);
    const int64_t height = GNDI_CONVOLVE_DOWN * GNDI_CONVOLVE_ROWS(bytes);
    const int64_t blocks = gndi_ceil_div(p.out_shape[0], height) * p.tiles;
    if (shared > SHARED_MOST || blocks > INT32_MAX) return false;
    const bool is_real = type == GNDI_SUMS_FLOAT || type == GNDI_SUMS_DOUBLE;
    const int32_t taps = is_real && p.taps_shape[0] == p.taps_shape[1] ? p.taps_shape[0] : 0;
    const void *kernel = gndi_cuda_convolve_kernel(type, taps == 3   ? GNDI_CONVOLVE_SMALL_3
                                                         : taps == 5 ? GNDI_CONVOLVE_SMALL_5
                                                                     : GNDI_CONVOLVE_TILE);
    *status = gndi_cuda_launch(s, kernel, blocks, GNDI_CONVOLVE_THREADS, (size_t)shared, &p, fn);
    return true;
}

static gnd_status run_any(gnd_stream *s, const gndi_convolve_plan *plan, const char *fn) {
    int64_t bytes;
    gndi_convolve_any_params p = {.x = plan->x,
                                  .taps = plan->taps,
                                  .out = plan->out,
                                  .outputs = 1,
                                  .tap_rows = 1,
                                  .ndim = plan->ndim,
                                  .dtype = plan->dtype,
                                  .border = plan->border};
    p.fill[0] = plan->fill[0], p.fill[1] = plan->fill[1], p.fill_integer = plan->fill_integer;
    for (int a = 0; a < plan->ndim; a++) {
        p.x_shape[a] = plan->x_shape[a], p.x_stride[a] = plan->x_stride[a];
        p.taps_shape[a] = plan->taps_shape[a], p.taps_stride[a] = plan->taps_stride[a];
        p.out_shape[a] = plan->out_shape[a], p.out_stride[a] = plan->out_stride[a];
        p.first[a] = plan->first[a];
        p.outputs *= plan->out_shape[a];
        if (a < plan->ndim - 1) p.tap_rows *= plan->taps_shape[a];
    }
    const void *kernel = gndi_cuda_convolve_kernel(gndi_sums_type(plan->dtype, &bytes), GNDI_CONVOLVE_ANY);
    const int64_t blocks =
        gndi_min(gndi_ceil_div(p.outputs, GNDI_CONVOLVE_THREADS), (int64_t)MANY_BLOCKS * s->device->processors);
    return gndi_cuda_launch(s, kernel, blocks, GNDI_CONVOLVE_THREADS, 0, &p, fn);
}

gnd_status gndi_cuda_convolve(gnd_stream *s, const gndi_convolve_plan *plan, const char *fn) {
    gnd_status status = GND_OK;
    const bool done = run_line(s, plan, &status, fn) || run_tiles(s, plan, &status, fn);
    return done ? status : run_any(s, plan, fn);
}
