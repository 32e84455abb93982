/*
 * order_cpu.c: filters by order on the CPU. Threads share stretches of columns of blocks of output rows. The rows of
 * elements that an output row needs are kept as keys, with their borders, and reused by the output rows below it.
 */
#include "convolve/order_plan.h"
#include "convolve/cpu/order_loops.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_order_loops, gndi_cpu_order_loops_get, order_loops)

enum { COLUMNS = 4096, ROWS = 64, COMPARISONS = 1 << 16, ALIGNED = 64 };

typedef struct work {
    const gndi_order_plan *plan;
    const gndi_cpu_order_type *type;
    int bytes;               /* of a key */
    int64_t window_rows;     /* of all axes but the last */
    int64_t rows;            /* outputs along the axis before the last; 1 if there is none */
    int64_t outer;           /* outputs along the axes before that */
    int64_t columns, pieces; /* outputs of a piece of the last axis; its pieces */
    int64_t row_blocks;      /* of `rows` */
    int64_t row_bytes;       /* of a row that is kept */
    int64_t work_bytes;      /* for the loops */
    gndi_cpu_order_way way;  /* this and the rest as in gndi_cpu_order_run */
    int64_t *chosen, elements;
    gndi_order_pair *pairs;
    int64_t pair_count, block;
    int64_t *first, *behind, runs;
    atomic_bool failed; /* there was no memory */
} work;

/* What a thread works with. */
typedef struct workspace {
    char *rows, *out, *work;
    const void **row; /* window_rows of them */
} workspace;

/* ---- rows of elements ------------------------------------------------------------------------- */

/* Keys of elements column .. column + n - 1 of the row at index[] (all axes but the last). */
static void load_row(const work *w, const int64_t *index, int64_t column, int64_t n, char *to) {
    const gndi_order_plan *p = w->plan;
    const int last = p->ndim - 1;
    const int64_t length = p->shape[last], step = p->x_stride[last];
    const char *from = p->x;
    bool outside = false;
    for (int a = 0; a < last; a++) {
        const int64_t at = gndi_border_index(index[a], p->shape[a], GNDI_BORDER_CONSTANT);
        outside = outside || at < 0;
        from += at * p->x_stride[a];
    }
    const int64_t begin = outside ? n : gndi_min(gndi_max(-column, 0), n);
    const int64_t end = outside ? n : gndi_max(gndi_min(length - column, n), begin);
    w->type->zeros(p->dtype, to, begin);
    if (end > begin) w->type->load(from + (column + begin) * step, step, p->dtype, to + begin * w->bytes, end - begin);
    w->type->zeros(p->dtype, to + end * w->bytes, n - end);
}

/* The row for window row t of output row `row`: its slot, which is that of the element row alone. */
static char *slot(const work *w, const workspace *s, int64_t t, int64_t row) {
    const gndi_order_plan *p = w->plan;
    const int64_t high = p->ndim > 1 ? p->window[p->ndim - 2] : 1;
    return s->rows + (t / high * high + (row + t % high) % high) * w->row_bytes;
}

/* index[] of window row t of output `outer`, `row`. */
static void find_index(const work *w, int64_t outer, int64_t row, int64_t t, int64_t *index) {
    const gndi_order_plan *p = w->plan;
    for (int a = p->ndim - 2; a >= 0; a--) {
        const int64_t at = t % p->window[a] - p->window[a] / 2;
        t /= p->window[a];
        if (a == p->ndim - 2) {
            index[a] = row + at;
        } else {
            index[a] = outer % p->shape[a] + at;
            outer /= p->shape[a];
        }
    }
}

/* ---- outputs ---------------------------------------------------------------------------------- */

static char *output(const gndi_order_plan *p, int64_t outer, int64_t row, int64_t column) {
    const int last = p->ndim - 1;
    char *to = p->out + column * p->out_stride[last];
    if (last > 0) to += row * p->out_stride[last - 1];
    for (int a = last - 2; a >= 0; a--) {
        to += outer % p->shape[a] * p->out_stride[a];
        outer /= p->shape[a];
    }
    return to;
}

/* Some columns of a block of output rows. */
static void run_unit(const work *w, const workspace *s, int64_t unit) {
    const gndi_order_plan *p = w->plan;
    const int last = p->ndim - 1;
    const int64_t high = last > 0 ? p->window[last - 1] : 1, taps = p->window[last];
    const int64_t column = unit % w->pieces * w->columns, n = gndi_min(w->columns, p->shape[last] - column);
    const int64_t first = unit / w->pieces % w->row_blocks * ROWS, end = gndi_min(first + ROWS, w->rows);
    const int64_t outer = unit / w->pieces / w->row_blocks;
    const gndi_cpu_order_run run = {.way = w->way,
                                    .row = s->row,
                                    .rows = w->window_rows,
                                    .taps = taps,
                                    .n = n,
                                    .rank = p->rank,
                                    .chosen = w->chosen,
                                    .elements = w->elements,
                                    .pairs = w->pairs,
                                    .pair_count = w->pair_count,
                                    .block = w->block,
                                    .first = w->first,
                                    .behind = w->behind,
                                    .runs = w->runs,
                                    .work = s->work,
                                    .out = s->out,
                                    .work_bytes = w->row_bytes};
    for (int64_t row = first; row < end; row++) {
        for (int64_t t = 0; t < w->window_rows; t++) {
            int64_t index[GND_MAX_DIMS];
            char *at = slot(w, s, t, row);
            s->row[t] = at;
            if (row > first && t % high < high - 1) continue; /* an output row above had it */
            find_index(w, outer, row, t, index);
            load_row(w, index, column - taps / 2, n + taps - 1, at);
        }
        w->type->run(&run);
        w->type->store(s->out, output(p, outer, row, column), p->out_stride[last], p->dtype, n);
    }
}

static void run_units(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const size_t rows = (size_t)(w->window_rows * w->row_bytes), row = (size_t)w->row_bytes;
    const size_t size = rows + row + (size_t)w->work_bytes, pointers = (size_t)w->window_rows * sizeof(void *);
    char *allocated = gndi_malloc(NULL, size + pointers + ALIGNED);
    if (!allocated) {
        atomic_store(&w->failed, true);
        return;
    }
    char *memory = allocated + (ALIGNED - (uintptr_t)allocated % ALIGNED);
    memset(memory, 0, size); /* what lies beyond a row is computed with, too */
    const workspace s = {
        .rows = memory, .out = memory + rows, .work = memory + rows + row, .row = (const void **)(memory + size)};
    for (int64_t unit = begin; unit < end; unit++) run_unit(w, &s, unit);
    gndi_free(allocated);
}

/* ---- the way ---------------------------------------------------------------------------------- */

/* The mask's elements, counted and listed. */
static void list_chosen(work *w) {
    int64_t count = 0;
    for (int64_t e = 0; e < w->elements; e++)
        if (w->plan->mask[e]) w->chosen[count++] = e;
    w->elements = count;
}

/* The stretches of elements that count, in rows of a block's keys. */
static void list_runs(work *w) {
    const int64_t taps = w->plan->window[w->plan->ndim - 1], width = w->block + taps - 1;
    const uint8_t *mask = w->plan->mask;
    for (int64_t row = 0; row < w->window_rows; row++) {
        bool inside = false;
        for (int64_t e = 0; e <= taps; e++) {
            const bool counts = e < taps && (!mask || mask[row * taps + e]);
            if (counts && !inside) w->first[w->runs] = row * width + e;
            if (!counts && inside) w->behind[w->runs++] = row * width + e;
            inside = counts;
        }
    }
}

/* The cheapest way, by nanoseconds for an output as measured: a vector of outputs for each comparison; a pass over a
   sorted window in vectors; the sorting of a block's keys and two bits for each stretch. */
static gndi_cpu_order_way choose_way(work *w) {
    const gndi_order_plan *p = w->plan;
    const int64_t taps = p->window[p->ndim - 1];
    if (!p->mask && p->rank == w->elements / 2 && gndi_order_has_network(w->window_rows, taps))
        return GNDI_ORDER_NETWORK;
    if (p->rank == 0) return GNDI_ORDER_SMALLEST;
    if (p->rank == w->elements - 1) return GNDI_ORDER_LARGEST;
    const double vectors = (double)w->bytes / w->type->compared; /* for an output */
    const double lanes = 0.6 + 0.5 * vectors * (double)taps;
    const double ranks = 128.0 / w->type->vector + (4 + 0.5 * w->bytes) * (double)w->window_rows;
    const bool line = !p->mask && w->window_rows == 1;
    const gndi_cpu_order_way way = line && lanes < ranks ? GNDI_ORDER_LANES : GNDI_ORDER_RANKS;
    if (!w->pairs) return way;
    w->pair_count = gndi_order_pairs(w->elements, p->rank, w->pairs);
    return vectors * (double)w->pair_count < (way == GNDI_ORDER_LANES ? lanes : ranks) ? GNDI_ORDER_PAIRS : way;
}

/* How the last axis is cut into pieces, and the memory that a piece's row needs in the loops. */
static void cut_lines(work *w) {
    const int last = w->plan->ndim - 1;
    const int64_t length = w->plan->shape[last], taps = w->plan->window[last];
    w->columns = COLUMNS;
    if (w->way == GNDI_ORDER_LANES) w->columns = gndi_max(COLUMNS, 4 * taps * w->type->vector / w->bytes);
    if (w->way == GNDI_ORDER_RANKS) {
        const int64_t wanted = gndi_max(4 * taps, w->window_rows == 1 ? 1024 : 256);
        const int64_t most = gndi_max(INT32_MAX / w->window_rows, 1); /* 2^32 keys number themselves in 32 bits */
        w->block = gndi_min(gndi_min(wanted, most), length);
        w->columns = gndi_ceil_div(COLUMNS, w->block) * w->block;
    }
    const int64_t most = gndi_min(w->columns, length);
    w->pieces = gndi_ceil_div(length, w->columns);
    w->row_bytes = gndi_ceil_div((most + taps) * w->bytes + GNDI_ORDER_SPARE, 64) * 64;
    switch (w->way) {
    case GNDI_ORDER_NETWORK: w->work_bytes = w->window_rows * w->row_bytes; break;
    case GNDI_ORDER_PAIRS: w->work_bytes = w->elements * GNDI_ORDER_BLOCK; break;
    case GNDI_ORDER_LANES: w->work_bytes = gndi_order_lane_bytes(most, taps, w->bytes, w->type->vector); break;
    case GNDI_ORDER_RANKS:
        w->work_bytes = gndi_order_rank_bytes(w->window_rows * (w->block + taps - 1), w->bytes);
        break;
    default: w->work_bytes = 0;
    }
    w->work_bytes = gndi_ceil_div(w->work_bytes, 64) * 64;
}

/* The lists that the ways need, in one piece of memory, and the way. */
static gndi_buffer *make_lists(work *w, gnd_stream *s, const char *fn) {
    const int64_t rows = w->window_rows, taps = w->elements / rows,
                  runs = w->plan->mask ? rows * ((taps + 1) / 2) : rows;
    const size_t chosen = w->plan->mask ? (size_t)w->elements * sizeof(int64_t) : 0;
    const size_t list = (size_t)runs * sizeof(int64_t);
    const bool pairs = w->elements <= GNDI_ORDER_PAIRS_MOST;
    const size_t most = pairs ? (size_t)gndi_order_pairs_bound(w->elements) * sizeof(gndi_order_pair) : 0;
    gndi_buffer *memory = gndi_buffer_new(fn, s, chosen + 2 * list + most);
    if (!memory) return NULL;
    char *at = memory->base;
    w->first = (int64_t *)at, w->behind = (int64_t *)(at + list);
    if (pairs) w->pairs = (gndi_order_pair *)(at + 2 * list + chosen);
    if (chosen) {
        w->chosen = (int64_t *)(at + 2 * list);
        list_chosen(w);
    }
    w->way = choose_way(w);
    cut_lines(w);
    if (w->way == GNDI_ORDER_RANKS) list_runs(w);
    return memory;
}

/* ---- the backend's function ------------------------------------------------------------------- */

static int log2_of(int64_t bytes) {
    int n = 0;
    while (bytes >> n > 1) n++;
    return n;
}

gnd_status gndi_cpu_order_filter(gnd_stream *s, const gndi_order_plan *p, const char *fn) {
    const int last = p->ndim - 1, size = log2_of(gndi_dtype_sizes[p->dtype]);
    work w = {.plan = p,
              .type = &gndi_cpu_order_loops_get()->of[size],
              .bytes = 1 << size,
              .window_rows = 1,
              .rows = 1,
              .outer = 1};
    for (int a = 0; a < last; a++) w.window_rows *= p->window[a];
    for (int a = 0; a < last - 1; a++) w.outer *= p->shape[a];
    if (last > 0) w.rows = p->shape[last - 1];
    w.row_blocks = gndi_ceil_div(w.rows, ROWS);
    w.elements = w.window_rows * p->window[last];
    gndi_buffer *memory = make_lists(&w, s, fn);
    if (!memory) return GND_ERROR_MEMORY;
    const int64_t window = w.window_rows * p->window[last];
    const int64_t unit = gndi_min(w.columns, p->shape[last]) * gndi_min(ROWS, w.rows) * window;
    gndi_parallel_for(w.outer * w.row_blocks * w.pieces, COMPARISONS / unit + 1, run_units, &w);
    gndi_buffer_release(memory);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for rows of elements");
}
