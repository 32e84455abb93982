/*
 * operator_cpu.c: the CPU's reductions with any binary operator (reducer OPERATOR), and the table
 * of the loops that go one by one. Work is shared by outputs, and, where elements may be regrouped
 * and outputs are few, by blocks of the reduced axes: always the same blocks, so that results do not
 * depend on the number of threads.
 */
#include "kernels/cpu/cpu_parts.h"
#include "reduce/cpu/operator_cpu.h"
#include "reduce/cpu/operator_fold.h"
#include "core/lock.h"

/* ---- the table of loops --------------------------------------------------------------------- */

#define FAMILY(family) void gndi_cpu_operators_##family(gndi_cpu_operators *table);
GNDI_CPU_FAMILIES
#undef FAMILY

static gndi_cpu_operators operators;
static gndi_once operators_filled;

#define FAMILY(family) gndi_cpu_operators_##family(&operators);
static void fill_operators(void) {
    GNDI_CPU_FAMILIES
}
#undef FAMILY

const gndi_cpu_operator *gndi_cpu_operator_get(int op, int loop) {
    gndi_once_do(&operators_filled, fill_operators);
    return &operators[op][loop];
}

/* ---- a reduction ---------------------------------------------------------------------------- */

enum {
    BLOCK = 1 << 17,     /* elements of a block of the reduced axes */
    FEW_OUTPUTS = 64,    /* outputs, or tiles of them, that are too few for many threads */
    GRAIN = 1 << 15,     /* elements that are worth a thread */
    ROW_BYTES = 1 << 18, /* accumulators of a task at most */
    BESIDE_LEAST = 8,    /* outputs that are worth folding side by side */
    BESIDE_MOST = 64,    /* runs that are transposed together */
};

typedef struct reduction {
    fold_job fold;
    const gndi_reduce_plan *plan;
    /* A row of elements goes into a row of accumulators; or several runs go into one each, transposed: where
       each step needs the one before, several outputs side by side are what vectors can do. */
    bool by_rows, transposed;
    int64_t width;  /* outputs of the fastest kept axis */
    int64_t tile;   /* outputs of a task */
    int64_t tiles;  /* all of them */
    int64_t across; /* tiles along the fastest kept axis */
    int64_t block, blocks;
    char *partials; /* [tile][block][tile's outputs]; NULL: one block */
    bool *started;  /* [tile][block], of partials */
} reduction;

/* The elements begin .. end - 1 of the reduced axes, as one row after the other, into accumulators
   that start at `in`. */
static void fold_range(reduction *r, int64_t begin, int64_t end, const char *in, const char *mask, int64_t outputs,
                       char *acc, bool *started) {
    const gndi_reduce_plan *p = r->plan;
    const int last = p->reduced_ndim - 1;
    const int64_t run = last >= 0 ? p->reduced_shape[last] : 1;
    const int64_t step = last >= 0 ? p->in.reduced_stride[last] : 0;
    const int64_t mask_step = last >= 0 && mask ? p->mask.reduced_stride[last] : 0;
    while (begin < end) {
        const int64_t at = begin % run, n = run - at < end - begin ? run - at : end - begin;
        const char *x = in + gndi_fold_offset(begin, p->reduced_ndim, p->reduced_shape, p->in.reduced_stride);
        const char *m =
            mask ? mask + gndi_fold_offset(begin, p->reduced_ndim, p->reduced_shape, p->mask.reduced_stride) : NULL;
        if (r->by_rows) {
            const int64_t across = p->in.kept_stride[p->kept_ndim - 1];
            gndi_fold_rows(&r->fold, acc, !*started, x, step, n, across, outputs);
            *started = true;
        } else if (r->transposed) {
            gndi_fold_runs(&r->fold, acc, !*started, x, p->in.kept_stride[p->kept_ndim - 1], step, n, outputs);
            *started = true;
        } else {
            gndi_fold_line(&r->fold, acc, started, x, step, n, m, mask_step);
        }
        begin += n;
    }
}

/* Where a tile begins: the number of its first output, and how many there are. */
static int64_t tile_begin(const reduction *r, int64_t tile, int64_t *outputs) {
    const int64_t first = tile % r->across * r->tile;
    *outputs = r->width - first < r->tile ? r->width - first : r->tile;
    return tile / r->across * r->width + first;
}

/* The value that every output starts from, in the working dtype. */
static const char *start_value(const reduction *r, char *wide) {
    const gndi_reduce_plan *p = r->plan;
    if (!p->has_start) return NULL;
    const char *from = p->start_data ? p->start_data : (const char *)&p->start;
    if (p->loop == r->fold.work) return from;
    r->fold.kernels->cast[p->loop][r->fold.work](from, wide, 1);
    return wide;
}

static void begin_tile(const reduction *r, int64_t outputs, char *acc, bool *started) {
    char wide[16];
    const char *start = start_value(r, wide);
    if (start) r->fold.kernels->repeat[r->fold.work_log2](start, acc, outputs);
    *started = start != NULL;
}

static void store_tile(const reduction *r, int64_t first, int64_t outputs, const char *acc) {
    const gndi_reduce_plan *p = r->plan;
    const int64_t step = p->kept_ndim ? p->out.kept_stride[p->kept_ndim - 1] : 0;
    char *out = p->out.data + gndi_fold_offset(first, p->kept_ndim, p->kept_shape, p->out.kept_stride);
    gndi_fold_store(&r->fold, acc, out, step, outputs);
}

/* A tile of outputs. Runs that are not transposed are folded one after the other. */
static void fold_tile(reduction *r, int64_t from, int64_t to, const char *in, const char *mask, int64_t outputs,
                      char *acc, bool *started) {
    const gndi_reduce_plan *p = r->plan;
    if (r->by_rows || r->transposed || outputs == 1) {
        fold_range(r, from, to, in, mask, outputs, acc, started);
        return;
    }
    const int64_t in_step = p->in.kept_stride[p->kept_ndim - 1];
    const int64_t mask_step = mask ? p->mask.kept_stride[p->kept_ndim - 1] : 0;
    const bool first = *started;
    for (int64_t i = 0; i < outputs; i++) {
        bool one_started = first;
        fold_range(r, from, to, in + i * in_step, mask ? mask + i * mask_step : NULL, 1, acc + i * r->fold.work_size,
                   &one_started);
    }
}

/* Tasks are (tile, block). */
static void run_tasks(void *context, int64_t begin, int64_t end) {
    reduction *r = context;
    const gndi_reduce_plan *p = r->plan;
    _Alignas(64) char acc[ROW_BYTES];
    for (int64_t task = begin; task < end; task++) {
        const int64_t tile = task / r->blocks, from = task % r->blocks * r->block;
        const int64_t to = p->length - from < r->block ? p->length : from + r->block;
        int64_t outputs;
        const int64_t first = tile_begin(r, tile, &outputs);
        const char *in = p->in.data + gndi_fold_offset(first, p->kept_ndim, p->kept_shape, p->in.kept_stride);
        const char *mask =
            p->masked ? p->mask.data + gndi_fold_offset(first, p->kept_ndim, p->kept_shape, p->mask.kept_stride) : NULL;
        bool started = false;
        if (!r->partials) {
            begin_tile(r, outputs, acc, &started);
            fold_tile(r, from, to, in, mask, outputs, acc, &started);
            store_tile(r, first, outputs, acc);
        } else {
            fold_range(r, from, to, in, mask, outputs, r->partials + task * r->tile * r->fold.work_size, &started);
            r->started[task] = started;
        }
    }
}

static void join_blocks(void *context, int64_t begin, int64_t end) {
    reduction *r = context;
    _Alignas(64) char acc[ROW_BYTES];
    for (int64_t tile = begin; tile < end; tile++) {
        int64_t outputs;
        bool started;
        const int64_t first = tile_begin(r, tile, &outputs), size = r->fold.work_size;
        begin_tile(r, outputs, acc, &started);
        for (int64_t b = tile * r->blocks; b < (tile + 1) * r->blocks; b++) {
            if (!r->started[b]) continue;
            gndi_fold_join_row(&r->fold, acc, !started, r->partials + b * r->tile * size, outputs);
            started = true;
        }
        store_tile(r, first, outputs, acc);
    }
}

/* Outputs of a task. */
static int64_t tile_of(const reduction *r) {
    const gndi_reduce_plan *p = r->plan;
    int64_t most = FOLD_TILE;
    if (r->by_rows && !gndi_fold_rows_by_loop(&r->fold)) { /* memory in order, where threads do not share the rows */
        const int64_t fair = r->width / gndi_thread_count(), wide = ROW_BYTES / r->fold.work_size;
        most = fair < FOLD_TILE ? FOLD_TILE : fair < wide ? fair : wide;
    } else if (r->transposed) {
        const int64_t fair = r->width / gndi_thread_count();
        most = fair < BESIDE_MOST / 4 ? BESIDE_MOST / 4 : fair < BESIDE_MOST ? fair : BESIDE_MOST;
    } else if (!r->by_rows) {
        most = p->length < GRAIN / FOLD_TILE ? FOLD_TILE : GRAIN / (p->length + 1);
    }
    return most < 1 ? 1 : most < r->width ? most : r->width;
}

static void lay_out(reduction *r) {
    const gndi_reduce_plan *p = r->plan;
    const int kept = p->kept_ndim - 1, reduced = p->reduced_ndim - 1;
    r->width = kept >= 0 ? p->kept_shape[kept] : 1;
    const bool beside = !p->masked && r->width >= BESIDE_LEAST && p->length > 0;
    r->by_rows = beside && (reduced < 0 || p->in.kept_stride[kept] < p->in.reduced_stride[reduced]);
    const bool by_loop = r->fold.loops && r->fold.relation == FOLD_SAME && !r->fold.cast_in;
    r->transposed = beside && !r->by_rows && (by_loop || (!r->fold.associative && !r->fold.loops));
    r->tile = tile_of(r);
    r->across = (r->width + r->tile - 1) / r->tile;
    r->tiles = p->outputs / r->width * r->across;
    r->block = p->length > 0 ? p->length : 1, r->blocks = 1;
    const int64_t block = BLOCK / r->tile;
    if (!r->fold.associative || r->tiles >= FEW_OUTPUTS || p->length < 2 * block) return;
    r->block = block, r->blocks = (p->length + block - 1) / block;
}

gnd_status gndi_cpu_reduce_operator(gnd_stream *s, const gndi_reduce_plan *plan, const char *fn) {
    reduction r = {.plan = plan, .partials = NULL, .started = NULL};
    gndi_fold_begin(&r.fold, plan->op, plan->loop, plan->in.dtype);
    gndi_fold_tight(&r.fold); /* the front end made truths of other bool elements */
    lay_out(&r);
    const int64_t tasks = r.tiles * r.blocks;
    if (r.blocks > 1) {
        const size_t bytes = (size_t)(tasks * r.tile) * (size_t)r.fold.work_size;
        r.partials = gndi_malloc(fn, bytes + (size_t)tasks * sizeof *r.started);
        if (!r.partials) return GND_ERROR_MEMORY;
        r.started = (bool *)(r.partials + bytes);
    }
    const int64_t each = r.tile * (r.block < plan->length ? r.block : plan->length) + 1;
    gndi_parallel_for(tasks, each < GRAIN ? GRAIN / each : 1, run_tasks, &r);
    if (r.partials) gndi_parallel_for(r.tiles, 1, join_blocks, &r);
    gndi_free(r.partials);
    gndi_fold_end(s, &r.fold);
    return GND_OK;
}
