/*
 * select_cuda.c: carries out order statistics on a GPU: picks a kernel of select_rows.cuh by the
 * length of the rows, or, where rows are few and long, the passes of select_long.cuh. The host knows
 * how long the lists may get, and so how many passes there are; it waits for nothing.
 */
#include "quantile/cuda/select_params.h"
#include "runtime/hooks.h"
#include "runtime/cuda/runtime_cuda.h"

enum {
    TINY_ROW = 32,
    WARP_ROW = 1024,
    BLOCK_ALONE = 200000,      /* elements: a longer row is worth several blocks, */
    BLOCK_ROWS = 4,            /* unless there are so many items for each multiprocessor */
    BLOCKS_RESIDENT = 4,       /* on a multiprocessor: what select_sweep's registers allow */
    MOST_ITEMS = 32768,        /* a launch of passes */
    MOST_LIST_BYTES = 1 << 30, /* for the items of a launch, if there are several */
};

static const void *const *tiny_kernels_of(int size) {
    return size == 1   ? gndi_select_tiny_kernels_1
           : size == 2 ? gndi_select_tiny_kernels_2
           : size == 4 ? gndi_select_tiny_kernels_4
                       : gndi_select_tiny_kernels_8;
}
static const gndi_select_short_kernels *short_kernels_of(int size) {
    return size == 1   ? &gndi_select_short_kernels_1
           : size == 2 ? &gndi_select_short_kernels_2
           : size == 4 ? &gndi_select_short_kernels_4
                       : &gndi_select_short_kernels_8;
}
static const gndi_select_long_kernels *long_kernels_of(int size) {
    return size == 1   ? &gndi_select_long_kernels_1
           : size == 2 ? &gndi_select_long_kernels_2
           : size == 4 ? &gndi_select_long_kernels_4
                       : &gndi_select_long_kernels_8;
}

static gnd_status launch(gnd_stream *s, const void *kernel, gndi_select_params *params, int64_t blocks, int64_t items,
                         unsigned threads, const char *fn) {
    const dim3 grid = {(unsigned)blocks, (unsigned)items, 1};
    return gndi_cuda_launch_grid(s, kernel, grid, (int)threads, 0, params, fn);
}

/* ---- a thread, a warp or a block ------------------------------------------------------------- */

static gnd_status select_tiny(gnd_stream *s, gndi_select_params *p, const char *fn) {
    const int64_t n = p->plan.length;
    const void *kernel = tiny_kernels_of(gndi_dtype_sizes[p->plan.dtype])[n <= 8 ? 0 : n <= 16 ? 1 : 2];
    return launch(s, kernel, p, gndi_ceil_div(p->plan.rows, GNDI_SELECT_TINY_THREADS), 1, GNDI_SELECT_TINY_THREADS, fn);
}

static gnd_status select_warps(gnd_stream *s, const gndi_select_short_kernels *k, gndi_select_params *p,
                               const char *fn) {
    int which = 0;
    while (p->plan.length > (int64_t)64 << which) which++;
    return launch(s, k->warp[which], p, gndi_ceil_div(p->plan.rows, GNDI_SELECT_WARP_THREADS / 32), 1,
                  GNDI_SELECT_WARP_THREADS, fn);
}

static gnd_status select_blocks(gnd_stream *s, const gndi_select_short_kernels *k, gndi_select_params *p, int64_t items,
                                const char *fn) {
    const int key = gndi_dtype_sizes[p->plan.dtype] == 8 ? 8 : 4;
    /* A sixth of the row is expected in the list; half as much more would be a miracle. */
    const int64_t capacity = p->plan.length / 16 * 4; /* lists begin at multiples of 16 bytes */
    const unsigned threads = p->plan.length > 8192 ? 512 : 256;
    gndi_buffer *lists = NULL;
    int64_t chunk = gndi_min(items, INT32_MAX);
    if (capacity > GNDI_SELECT_LIST * 4 / key) {
        chunk = gndi_min(items, gndi_max(1024, MOST_LIST_BYTES / (capacity * key)));
        lists = gndi_buffer_new(fn, s, (size_t)(chunk * capacity * key));
        if (!lists) return GND_ERROR_MEMORY;
        p->lists = lists->base, p->capacity = capacity;
    }
    gnd_status status = GND_OK;
    for (int64_t first = 0; !status && first < items; first += chunk) {
        p->first_item = first;
        status = launch(s, k->block, p, gndi_min(chunk, items - first), 1, threads, fn);
    }
    if (lists) gndi_buffer_release(lists);
    return status;
}

/* ---- several blocks a row -------------------------------------------------------------------- */

/* How many keys of n a sample of 2^log_sample leaves in the window at most: six deviations of the
   middle rank on both sides, and some more. */
static int64_t most_listed(int64_t n, int key) {
    return n / (key == 8 ? 8 : 12) + 8192;
}

static gnd_status sweep_items(gnd_stream *s, gndi_select_params *p, int64_t items, const char *fn) {
    const int size = gndi_dtype_sizes[p->plan.dtype], key = size == 8 ? 8 : 4;
    const int64_t resident = (int64_t)s->device->processors * BLOCKS_RESIDENT;
    const unsigned threads = GNDI_SELECT_LONG_THREADS;
    const gndi_select_long_kernels *k = long_kernels_of(size);
    gnd_status status = launch(s, k->sample, p, items, 1, threads, fn);
    int64_t n = p->plan.length, batch = (int64_t)threads * (size >= 4 ? 32 : 16) / size;
    for (p->level = 0; !status; p->level++) {
        const int64_t listed = most_listed(n, key);
        p->last_level = listed <= GNDI_SELECT_LAST_LIST * 2 || listed > n / 2;
        const int64_t blocks = gndi_max(1, gndi_min(gndi_ceil_div(n, batch), gndi_ceil_div(resident, items)));
        status = launch(s, k->sweep[p->level > 0], p, blocks, items, threads, fn);
        if (p->last_level) break;
        n = listed, batch = (int64_t)threads * 32 / key;
    }
    if (!status) status = launch(s, k->rest, p, items, 1, threads, fn);
    return status;
}

static gnd_status select_long(gnd_stream *s, gndi_select_params *p, int64_t items, const char *fn) {
    const int key = gndi_dtype_sizes[p->plan.dtype] == 8 ? 8 : 4;
    /* Lists begin at multiples of 16 bytes. */
    p->capacity = gndi_ceil_div(most_listed(p->plan.length, key), 4) * 4;
    p->second_capacity = gndi_ceil_div(most_listed(p->capacity, key), 4) * 4;
    const int64_t bytes = (p->capacity + p->second_capacity) * key;
    const int64_t chunk = gndi_min(gndi_min(items, MOST_ITEMS), gndi_max(1, MOST_LIST_BYTES / bytes));
    gndi_buffer *states = gndi_buffer_new(fn, s, (size_t)chunk * GNDI_SELECT_STATE_BYTES);
    gndi_buffer *lists = states ? gndi_buffer_new(fn, s, (size_t)(chunk * bytes)) : NULL;
    gnd_status status = lists ? GND_OK : GND_ERROR_MEMORY;
    if (lists) p->states = states->base, p->lists = lists->base;
    for (int64_t first = 0; !status && first < items; first += chunk) {
        p->first_item = first;
        status = sweep_items(s, p, gndi_min(chunk, items - first), fn);
    }
    if (states) gndi_buffer_release(states);
    if (lists) gndi_buffer_release(lists);
    return status;
}

gnd_status gndi_cuda_select(gnd_stream *s, const gndi_select_plan *plan, const char *fn) {
    gndi_select_params p = {.plan = *plan, .fault = &gndi_fault_record(s->device)->code};
    const gndi_select_short_kernels *k = short_kernels_of(gndi_dtype_sizes[plan->dtype]);
    const int64_t items = plan->rows * plan->quantiles;
    if (plan->length <= TINY_ROW) return select_tiny(s, &p, fn);
    if (plan->length <= WARP_ROW) return select_warps(s, k, &p, fn);
    if (plan->length <= BLOCK_ALONE || items > (int64_t)s->device->processors * BLOCK_ROWS)
        return select_blocks(s, k, &p, items, fn);
    return select_long(s, &p, items, fn);
}
