/*
 * scatter_cpu.c: the CPU's ufunc.at. Updates are applied one after the other, in their order. If there are
 * many, each thread owns some columns or target elements: it walks all indices and makes the updates of its
 * own.
 */
#include "kernels/cpu/indices.h"
#include "reduce/cpu/operator_fold.h"
#include "index/scatter_plan.h"
#include "runtime/hooks.h"

enum {
    CHUNK = 512,        /* updates that are located at a time */
    ROW_COLUMNS = 16,   /* columns that are worth a loop over them */
    PARALLEL = 1 << 16, /* updates times columns that are worth several threads */
    COLUMNS_EACH = 64,  /* columns that are worth a thread */
};

typedef struct scatter {
    const gndi_scatter_plan *plan;
    gnd_stream *stream;
    const gndi_cpu_kernels *kernels;
    const gndi_cpu_operator *loops;
    gnd_dtype first, result; /* of the operator, in its loop */
    bool direct;             /* the target has the dtype of both */
    bool by_rows;            /* an update is a loop over dense columns */
    int64_t parts;           /* of the targets; 1: the columns are shared out */
    int64_t low, span;       /* of the targets, in bytes */
    atomic_int fault;
} scatter;

static void note(scatter *g, int fault) {
    if (gndi_unlikely(fault)) atomic_store_explicit(&g->fault, (int)g->plan->op + 1, memory_order_relaxed);
}

/* ---- where updates go ----------------------------------------------------------------------- */

/* The offset of update i's target; false if an index is out of range. */
static bool locate(const scatter *g, int64_t i, int64_t *offset) {
    const gndi_scatter_plan *p = g->plan;
    *offset = 0;
    for (int k = 0; k < p->indices; k++) {
        const struct gndi_scatter_index *index = &p->index[k];
        const int64_t at = gndi_read_index(index->data + i * index->step, index->dtype);
        if (gndi_unlikely(at < -index->size || at >= index->size)) {
            gndi_report_index(g->stream, at, index->axis, index->size);
            return false;
        }
        *offset += (at < 0 ? at + index->size : at) * index->stride;
    }
    return true;
}

/* Up to CHUNK updates from *next on that belong to `part`; 0 when there are no more. */
static int64_t locate_some(const scatter *g, int64_t part, int64_t *next, gndi_cpu_update *updates) {
    const gndi_scatter_plan *p = g->plan;
    int64_t count = 0, i = *next;
    const int64_t each = g->span / g->parts + 1, low = g->low + part * each;
    for (; i < p->updates && count < CHUNK; i++) {
        int64_t offset;
        if (!locate(g, i, &offset)) continue;
        updates[count] = (gndi_cpu_update){offset, i};
        count += (uint64_t)(offset - low) < (uint64_t)each; /* no branch: nobody can foresee it */
    }
    *next = i;
    return count;
}

/* ---- what they do --------------------------------------------------------------------------- */

/* One update of an element that has another dtype than the operator's operands. */
static void update_cast(scatter *g, char *target, const char *value) {
    const gndi_scatter_plan *p = g->plan;
    const int dtype = p->target.dtype;
    _Alignas(16) char a[16], result[16];
    const gndi_cpu_cast in = g->kernels->cast[dtype][g->first];
    const gndi_cpu_cast out = g->kernels->cast[g->result][dtype];
    if (p->swapped) { /* 64 bits, whatever they are called */
        note(g, g->loops->one(value, target, result));
    } else {
        in(target, a, 1);
        note(g, g->loops->one(a, value, result));
    }
    out(result, target, 1);
}

static void update_column(scatter *g, const gndi_cpu_update *updates, int64_t n, int64_t column) {
    const gndi_scatter_plan *p = g->plan;
    char *target = p->target.data + gndi_fold_offset(column, p->ndim, p->shape, p->target.stride);
    const char *value = p->value.data;
    if (value)
        value += gndi_fold_offset(column, p->ndim, p->shape, p->value.stride);
    else
        value = (const char *)&p->value.number;
    if (g->direct) {
        note(g, g->loops->at(target, updates, n, value, p->value.step));
        return;
    }
    for (int64_t i = 0; i < n; i++)
        update_cast(g, target + updates[i].offset, value + updates[i].number * p->value.step);
}

/* A row of dense columns at once. */
static void update_rows(scatter *g, const gndi_cpu_update *updates, int64_t n, int64_t column, int64_t columns) {
    const gndi_scatter_plan *p = g->plan;
    const gndi_cpu_kernel loop = g->kernels->op[p->op][p->loop];
    const int64_t size = gndi_dtype_sizes[p->target.dtype];
    const int64_t value_size = p->value.data ? gndi_dtype_sizes[p->value.dtype] : 0;
    for (int64_t i = 0; i < n; i++) {
        char *target = p->target.data + updates[i].offset + column * size;
        char *value = (char *)p->value.data + updates[i].number * p->value.step + column * value_size;
        char *operand[3] = {target, target, value};
        note(g, loop(operand, columns, NULL));
    }
}

/* The usual case: one array of int64 names all targets, of one element each. */
static bool is_straight(const scatter *g) {
    const gndi_scatter_plan *p = g->plan;
    return g->direct && p->columns == 1 && p->indices == 1 && p->index[0].dtype == GND_INT64;
}

static void run_straight(scatter *g) {
    const gndi_scatter_plan *p = g->plan;
    const struct gndi_scatter_index *index = &p->index[0];
    const bool number = !p->value.data;
    int fault = 0;
    for (int64_t i = 0; i < p->updates; i++) {
        const gndi_cpu_indexed_updates targets = {
            .target = p->target.data,
            .index = index->data + i * index->step,
            .value = number ? (const char *)&p->value.number : p->value.data + i * p->value.step,
            .index_step = index->step,
            .value_step = number ? 0 : p->value.step,
            .size = index->size,
            .stride = index->stride,
        };
        i += g->loops->at_indices(&targets, p->updates - i, &fault);
        if (i < p->updates)
            gndi_report_index(g->stream, gndi_read_index(index->data + i * index->step, GND_INT64), index->axis,
                              index->size);
    }
    note(g, fault);
}

static void run(scatter *g, int64_t part, int64_t column, int64_t end) {
    gndi_cpu_update updates[CHUNK];
    int64_t next = 0;
    for (;;) {
        const int64_t n = locate_some(g, part, &next, updates);
        if (n == 0) break;
        if (g->by_rows)
            update_rows(g, updates, n, column, end - column);
        else
            for (int64_t c = column; c < end; c++) update_column(g, updates, n, c);
    }
}

static void run_columns(void *context, int64_t begin, int64_t end) {
    run(context, 0, begin, end);
}
static void run_parts(void *context, int64_t begin, int64_t end) {
    scatter *g = context;
    for (int64_t part = begin; part < end; part++) run(g, part, 0, g->plan->columns);
}

/* ---- the backend's function ----------------------------------------------------------------- */

/* Whether rows of columns are dense in both operands. */
static bool rows_are_dense(const scatter *g) {
    const gndi_scatter_plan *p = g->plan;
    if (!g->direct || p->ndim != 1 || p->columns < ROW_COLUMNS) return false;
    if (p->target.stride[0] != gndi_dtype_sizes[p->target.dtype]) return false;
    if (gndi_ops[p->op].nin == 1) return true;
    return p->value.data && p->value.stride[0] == gndi_dtype_sizes[p->value.dtype];
}

static void measure_targets(scatter *g) {
    const gndi_scatter_plan *p = g->plan;
    g->low = g->span = 0;
    for (int k = 0; k < p->indices; k++) {
        const int64_t reach = (p->index[k].size - 1) * p->index[k].stride;
        if (reach < 0) g->low += reach;
        g->span += reach < 0 ? -reach : reach;
    }
}

gnd_status gndi_cpu_scatter(gnd_stream *s, const gndi_scatter_plan *plan, const char *fn) {
    const gndi_op_info *info = &gndi_ops[plan->op];
    scatter g = {.plan = plan, .stream = s, .parts = 1};
    (void)fn;
    g.kernels = gndi_cpu_kernels_get();
    g.loops = gndi_cpu_operator_get(plan->op, (int)plan->loop);
    g.first = gndi_letter_dtype(info->in[0], plan->loop);
    g.result = gndi_letter_dtype(info->out[0], plan->loop);
    g.direct = !plan->swapped && g.first == plan->target.dtype && g.result == plan->target.dtype;
    g.by_rows = rows_are_dense(&g);
    atomic_init(&g.fault, 0);
    measure_targets(&g);
    const int threads = gndi_thread_count();
    if (is_straight(&g)) { /* each thread would go through all indices: slower on two cores */
        run_straight(&g);
    } else if (threads == 1 || plan->updates * plan->columns < PARALLEL) {
        run(&g, 0, 0, plan->columns);
    } else if (plan->columns >= threads * COLUMNS_EACH) {
        gndi_parallel_for(plan->columns, COLUMNS_EACH, run_columns, &g);
    } else {
        g.parts = threads;
        gndi_parallel_for(g.parts, 1, run_parts, &g);
    }
    const int fault = atomic_load_explicit(&g.fault, memory_order_relaxed);
    if (gndi_unlikely(fault)) gndi_report_fault(s, fault, 0, 0, 0);
    return GND_OK;
}
