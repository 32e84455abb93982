/*
 * order_cuda.c: filters by order on CUDA: networks on tiles for small windows along the last axis or two, a sort of
 * each window of at most 64 elements, a histogram that slides for large ones of bytes, else a search for each output.
 */
#include "convolve/order_plan.h"
#include "convolve/cuda/order_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_order_tile_words(int which); /* order_tiles.cu */
const void *gndi_cuda_order_tile_longs(int which);
const void *gndi_cuda_order_small_sort(int bytes, int which); /* order_kernels.cu; of 1 or 2 bytes */
const void *gndi_cuda_order_sort(int which);                  /* of 4 */
const void *gndi_cuda_order_long_sort(int which);
const void *gndi_cuda_order_search(int bytes, int which);
const void *gndi_cuda_order_counts(void); /* order_counts.cu */

enum {
    COUNTS_WARPS = 14,    /* that fit on a processor, by their shared memory */
    COUNTS_HEIGHT = 16,   /* rows of a strip, at least */
    MANY_BLOCKS = 32,     /* of a processor, at most, where blocks go through several outputs each */
    MOST_TILES = 1 << 30, /* of a launch */
};

/* ---- networks --------------------------------------------------------------------------------- */

/* The network of a small window. */
static int network_of(const gndi_order_plan *plan) {
    const int last = plan->ndim - 1;
    const int64_t wide = plan->window[last], elements = last > 0 ? wide * plan->window[last - 1] : wide;
    const bool is_median = plan->rank == elements / 2, is_low = plan->rank < elements / 2;
    if (elements == 9 && wide == 3)
        return is_median ? GNDI_ORDER_MEDIAN_3_3 : is_low ? GNDI_ORDER_LOW_3_3 : GNDI_ORDER_HIGH_3_3;
    if (elements == 25) return is_median ? GNDI_ORDER_MEDIAN_5_5 : is_low ? GNDI_ORDER_LOW_5_5 : GNDI_ORDER_HIGH_5_5;
    return GNDI_ORDER_MEDIAN_3 + (int)(wide - 3) / 2;
}

/* Whether 4 elements from a multiple of 4 on lie beside each other, at a multiple of their size or of 16 bytes. */
static bool has_packs(const gndi_order_tile_params *p, int64_t bytes) {
    const int64_t pack = gndi_min(GNDI_ORDER_WIDE * bytes, 16);
    return p->x_stride[2] == bytes && (uintptr_t)p->x % pack == 0 && p->x_stride[1] % pack == 0 &&
           p->x_stride[0] % pack == 0;
}

/* How elements of a dtype become keys. */
static void set_keys(gndi_order_tile_params *p, int dtype) {
    const uint64_t top = (uint64_t)1 << (8 * p->bytes - 1);
    const bool is_float = gndi_dtype_is_float((gnd_dtype)dtype);
    const bool is_signed = dtype == GND_INT8 || dtype == GND_INT16 || dtype == GND_INT32 || dtype == GND_INT64;
    p->floats = is_float ? UINT64_MAX : 0;
    p->flip = is_float || is_signed ? top : 0;
    p->most = !is_float ? UINT64_MAX : p->bytes == 8 ? 0x7ff0000000000000u : 0x7f800000u; /* infinity */
}

static bool run_tiles(gnd_stream *s, const gndi_order_plan *plan, gnd_status *status, const char *fn) {
    if (!gndi_order_is_small(plan)) return false;
    const int which = network_of(plan), bytes = (int)gndi_dtype_sizes[plan->dtype];
    int64_t shape[3] = {1, 1, 1};
    gndi_order_tile_params p = {.x = plan->x,
                                .out = plan->out,
                                .rank = (int32_t)plan->rank,
                                .first = {(int32_t)plan->first[0], (int32_t)plan->first[1]},
                                .fill = plan->fill,
                                .border = {plan->border[0], plan->border[1]},
                                .bytes = (uint8_t)bytes};
    for (int a = 0, to = 3 - plan->ndim; a < plan->ndim; a++, to++) {
        shape[to] = plan->shape[a];
        p.x_stride[to] = plan->x_stride[a], p.out_stride[to] = plan->out_stride[a];
    }
    p.rows = shape[1], p.columns = shape[2];
    set_keys(&p, plan->dtype);
    p.packs = has_packs(&p, bytes);
    const bool line = which <= GNDI_ORDER_MEDIAN_9;
    p.segments = (int32_t)gndi_ceil_div(p.columns, line ? GNDI_ORDER_WIDE : GNDI_ORDER_COLUMNS);
    p.bands = (int32_t)(line ? p.rows : gndi_ceil_div(p.rows, GNDI_ORDER_TILE_WARPS * GNDI_ORDER_ROWS(bytes)));
    p.units = (int32_t)(shape[0] * p.segments * p.bands);
    const int64_t blocks = line ? gndi_ceil_div(p.units, GNDI_ORDER_THREADS) : p.units;
    const int threads = line ? GNDI_ORDER_THREADS : GNDI_ORDER_TILE_WARPS * 32;
    const void *const kernel = bytes == 8 ? gndi_cuda_order_tile_longs(which) : gndi_cuda_order_tile_words(which);
    *status = gndi_cuda_launch(s, kernel, blocks, threads, 0, &p, fn);
    return true;
}

/* ---- a sort of each window ---------------------------------------------------------------------- */

/* Blocks of threads that go through several outputs each. */
static int64_t blocks_for(const gnd_stream *s, int64_t outputs) {
    return gndi_min(gndi_ceil_div(outputs, GNDI_ORDER_THREADS), (int64_t)MANY_BLOCKS * s->device->processors);
}

static bool run_sorts(gnd_stream *s, const gndi_order_plan *plan, gnd_status *status, const char *fn) {
    gndi_order_sort_params p = {.x = plan->x,
                                .out = plan->out,
                                .mask = plan->mask,
                                .outputs = 1,
                                .elements = 1,
                                .rank = (int32_t)plan->rank,
                                .dtype = plan->dtype,
                                .window = {1, 1, 1},
                                .shape = {1, 1, 1}};
    if (plan->ndim > GNDI_ORDER_SORT_AXES) return false;
    for (int a = 0, to = GNDI_ORDER_SORT_AXES - plan->ndim; a < plan->ndim; a++, to++) {
        if (plan->window[a] > GNDI_ORDER_SORT_MOST / p.elements) return false;
        p.window[to] = (int32_t)plan->window[a], p.shape[to] = plan->shape[a];
        p.x_stride[to] = plan->x_stride[a], p.out_stride[to] = plan->out_stride[a];
        p.elements *= p.window[to], p.outputs *= p.shape[to];
    }
    const int which = p.elements <= 16   ? GNDI_ORDER_SORT_16
                      : p.elements <= 32 ? GNDI_ORDER_SORT_32
                                         : GNDI_ORDER_SORT_64;
    const int bytes = (int)gndi_dtype_sizes[plan->dtype];
    const void *kernel = bytes == 8   ? gndi_cuda_order_long_sort(which)
                         : bytes == 4 ? gndi_cuda_order_sort(which)
                                      : gndi_cuda_order_small_sort(bytes, which);
    *status = gndi_cuda_launch(s, kernel, blocks_for(s, p.outputs), GNDI_ORDER_THREADS, 0, &p, fn);
    return true;
}

/* ---- counts of bytes -------------------------------------------------------------------------- */

static bool run_counts(gnd_stream *s, const gndi_order_plan *plan, gnd_status *status, const char *fn) {
    gndi_order_counts_params p = {.x = plan->x, .out = plan->out, .rank = (int32_t)plan->rank, .dtype = plan->dtype};
    const int last = plan->ndim - 1;
    int64_t shape[3] = {1, 1, 1};
    if (gndi_dtype_sizes[plan->dtype] != 1 || plan->mask || plan->ndim < 2 || plan->ndim > 3) return false;
    const int64_t high = plan->window[last - 1], wide = plan->window[last];
    /* One row alone slides nowhere; a count has 16 bits. */
    if (high == 1 || high > UINT16_MAX / wide || (plan->ndim == 3 && plan->window[0] != 1)) return false;
    for (int a = 0, to = 3 - plan->ndim; a < plan->ndim; a++, to++) {
        shape[to] = plan->shape[a];
        p.x_stride[to] = plan->x_stride[a], p.out_stride[to] = plan->out_stride[a];
    }
    p.matrices = shape[0], p.rows = shape[1], p.columns = shape[2];
    p.window_rows = (int32_t)high, p.window_columns = (int32_t)wide;
    /* Strips as high as leaves each processor its warps. */
    const int64_t segments = gndi_ceil_div(p.columns, 32);
    if (segments > MOST_TILES / p.rows || p.matrices > MOST_TILES / (segments * p.rows)) return false;
    const int64_t warps = (int64_t)COUNTS_WARPS * s->device->processors;
    const int64_t height = gndi_max(gndi_ceil_div(p.rows * segments * p.matrices, warps), COUNTS_HEIGHT);
    p.height = (int32_t)gndi_min(height, p.rows);
    p.segments = (int32_t)segments, p.bands = (int32_t)gndi_ceil_div(p.rows, p.height);
    *status = gndi_cuda_launch(s, gndi_cuda_order_counts(), p.matrices * segments * p.bands, 32, 0, &p, fn);
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
    const void *kernel = gndi_cuda_order_search((int)gndi_dtype_sizes[plan->dtype], which);
    return gndi_cuda_launch(s, kernel, blocks_for(s, p.outputs), GNDI_ORDER_THREADS, 0, &p, fn);
}

gnd_status gndi_cuda_order_filter(gnd_stream *s, const gndi_order_plan *plan, const char *fn) {
    gnd_status status = GND_OK;
    const bool done =
        run_tiles(s, plan, &status, fn) || run_sorts(s, plan, &status, fn) || run_counts(s, plan, &status, fn);
    return done ? status : run_search(s, plan, fn);
}
