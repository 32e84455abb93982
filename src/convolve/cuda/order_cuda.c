/*
 * order_cuda.c: filters by order on CUDA: networks for medians of small windows along the last axis or two, else a
 * search for each output.
 */
#include "convolve/order_plan.h"
#include "convolve/cuda/order_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_order_kernel(int bytes, int which); /* order_kernels.cu */

enum {
    MANY_BLOCKS = 32,     /* of a processor, at most, where blocks go through several outputs each */
    MOST_TILES = 1 << 30, /* of a launch */
};

/* ---- networks --------------------------------------------------------------------------------- */

/* The network of a plan, and the rows of its window; -1: there is none. */
static int network_of(const gndi_order_plan *plan, int *rows) {
    int64_t elements = 1;
    const int last = plan->ndim - 1;
    for (int a = 0; a < plan->ndim; a++) elements *= plan->window[a];
    const int64_t wide = plan->window[last], high = last > 0 ? plan->window[last - 1] : 1;
    *rows = (int)high;
    if (plan->mask || plan->rank != elements / 2 || elements != high * wide || plan->ndim > 3) return -1;
    if (high == 1 && wide % 2 && wide >= 3 && wide <= 9) return GNDI_ORDER_MEDIAN_3 + (int)(wide - 3) / 2;
    if (high == 3 && wide == 3) return GNDI_ORDER_MEDIAN_3_3;
    return high == 5 && wide == 5 ? GNDI_ORDER_MEDIAN_5_5 : -1;
}

static bool run_tiles(gnd_stream *s, const gndi_order_plan *plan, gnd_status *status, const char *fn) {
    int window_rows;
    const int which = network_of(plan, &window_rows), bytes = (int)gndi_dtype_sizes[plan->dtype];
    if (which < 0) return false;
    int64_t shape[3] = {1, 1, 1};
    gndi_order_tile_params p = {.x = plan->x, .out = plan->out, .dtype = plan->dtype};
    for (int a = 0, to = 3 - plan->ndim; a < plan->ndim; a++, to++) {
        shape[to] = plan->shape[a];
        p.x_stride[to] = plan->x_stride[a], p.out_stride[to] = plan->out_stride[a];
    }
    p.matrices = shape[0], p.rows = shape[1], p.columns = shape[2];
    const int64_t segments = gndi_ceil_div(p.columns, GNDI_ORDER_COLUMNS);
    const int64_t bands = gndi_ceil_div(p.rows, GNDI_ORDER_ROWS(window_rows, bytes));
    if (segments > MOST_TILES / bands || p.matrices > MOST_TILES / (segments * bands)) return false;
    p.segments = (int32_t)segments, p.bands = (int32_t)bands;
    const int64_t blocks = gndi_ceil_div(p.matrices * segments * bands, GNDI_ORDER_TILE_WARPS);
    *status = gndi_cuda_launch(s, gndi_cuda_order_kernel(bytes, which), blocks, GNDI_ORDER_TILE_WARPS * 32, 0, &p, fn);
    return true;
}

/* ---- a search --------------------------------------------------------------------------------- */

static gnd_status run_search(gnd_stream *s, const gndi_order_plan *plan, const char *fn) {
    gndi_order_search_params p = {.x = plan->x,
                                  .out = plan->out,
                                  .mask = plan->mask,
                                  .outputs = 1,
                                  .window_rows = 1,
                                  .rank = plan->rank,
                                  .ndim = plan->ndim,
                                  .dtype = plan->dtype};
    const int ahead = plan->ndim == 1; /* a line is a matrix of one row */
    if (ahead) p.shape[0] = p.window[0] = 1, p.ndim = 2;
    for (int a = 0; a < plan->ndim; a++) {
        const int to = a + ahead;
        p.shape[to] = plan->shape[a], p.window[to] = plan->window[a];
        p.x_stride[to] = plan->x_stride[a], p.out_stride[to] = plan->out_stride[a];
        p.outputs *= plan->shape[a];
        if (a < plan->ndim - 1) p.window_rows *= plan->window[a];
    }
    const int which = p.ndim == 2 ? GNDI_ORDER_SEARCH_2 : GNDI_ORDER_SEARCH_ANY;
    const void *kernel = gndi_cuda_order_kernel((int)gndi_dtype_sizes[plan->dtype], which);
    const int64_t blocks =
        gndi_min(gndi_ceil_div(p.outputs, GNDI_ORDER_THREADS), (int64_t)MANY_BLOCKS * s->device->processors);
    return gndi_cuda_launch(s, kernel, blocks, GNDI_ORDER_THREADS, 0, &p, fn);
}

gnd_status gndi_cuda_order_filter(gnd_stream *s, const gndi_order_plan *plan, const char *fn) {
    gnd_status status = GND_OK;
    return run_tiles(s, plan, &status, fn) ? status : run_search(s, plan, fn);
}
