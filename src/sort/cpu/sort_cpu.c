/*
 * sort_cpu.c: the CPU backend's sort: distribution of rows among threads, and their memory. Rows that are not
 * dense are gathered first, several adjacent rows at a time, so that whole cache lines are moved.
 */
#include "elementwise/cpu/cpu_kernels.h"
#include "kernels/cpu/isa.h"
#include "reduce/cpu/operator_fold.h"
#include "sort/cpu/sort_rows.h"
#include "sort/sort_plan.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_sorts, gndi_cpu_sorts_get, sorts)
GNDI_CPU_TABLE(gndi_cpu_row_sorts, gndi_cpu_row_sorts_get, row_sorts)

void gndi_cpu_sort_row(const gndi_cpu_row *row) {
    gndi_cpu_row_sorts_get()->sort(row);
}

int64_t gndi_cpu_sort_workspace(const gndi_cpu_row *row) {
    return gndi_cpu_row_sorts_get()->workspace(row);
}

enum {
    LINE = 64,             /* bytes of neighbouring rows that are brought together */
    TASK_ELEMENTS = 16384, /* least work for a thread */
};

/* One thread's memory: rows brought together, results before they are dealt out, and what the
   sort of a row needs. */
typedef struct layout {
    int64_t in, out, indices, start, workspace, bytes; /* where each begins, and all of it */
} layout;

typedef struct sorting {
    const gndi_sort_plan *plan;
    const gndi_cpu_kernels *kernels;
    gndi_cpu_row row; /* but for where it is */
    int64_t size;     /* of an element */
    bool in_dense, out_dense, indices_dense, start_dense;
    bool together;  /* all threads sort one row after the other */
    int64_t block;  /* rows that are brought together, neighbours on the last axis */
    int64_t blocks; /* on that axis */
    layout layout;
    char *memory;
    int slots;
    atomic_bool *taken; /* which slots of the memory are in use */
} sorting;

/* ---- rows that are not dense ---------------------------------------------------------------- */

static int size_number(int64_t size) {
    return __builtin_ctzll((unsigned long long)size);
}

/* Rows of `n` elements, brought together or dealt out: those of the operand are `stride` apart. */
static void collect(const sorting *g, const char *from, int64_t step, int64_t stride, int64_t size, int64_t rows,
                    int64_t n, char *to) {
    const int number = size_number(size);
    if (rows > 1)
        g->kernels->transpose[number](from, stride, step, to, n * size, rows, n, false);
    else
        g->kernels->gather[number](from, step, to, n);
}
static void deal_out(const sorting *g, const char *from, int64_t size, int64_t rows, int64_t n, char *to, int64_t step,
                     int64_t stride) {
    const int number = size_number(size);
    if (rows > 1 && stride == size) {
        g->kernels->transpose[number](from, size, n * size, to, step, n, rows, false);
        return;
    }
    for (int64_t r = 0; r < rows; r++) g->kernels->scatter[number](from + r * n * size, to + r * stride, step, n);
}

/* ---- a block of rows ------------------------------------------------------------------------ */

static void sort_block(const sorting *g, int64_t task, char *memory) {
    const gndi_sort_plan *p = g->plan;
    const int last = p->ndim - 1;
    const int64_t first = task % g->blocks * g->block, outer = task / g->blocks;
    const int64_t along = p->ndim ? p->shape[last] : 1;
    const int64_t rows = along - first < g->block ? along - first : g->block;
    const struct gndi_sort_operand *operand[4] = {&p->in, &p->out, &p->indices, &p->start};
    char *data[4];
    int64_t stride[4];
    for (int k = 0; k < 4; k++) {
        stride[k] = p->ndim ? operand[k]->stride[last] : 0;
        data[k] = operand[k]->data;
        if (!data[k]) continue;
        data[k] += first * stride[k];
        if (last > 0) data[k] += gndi_fold_offset(outer, last, p->shape, operand[k]->stride);
    }
    const layout *at = &g->layout;
    char *in = memory + at->in, *out = memory + at->out, *indices = memory + at->indices;
    if (!g->in_dense) collect(g, data[0], p->in.step, stride[0], g->size, rows, p->length, in);
    for (int64_t r = 0; r < rows; r++) {
        gndi_cpu_row row = g->row;
        row.workspace = memory + at->workspace;
        row.in = g->in_dense ? data[0] + r * stride[0] : in + r * p->length * g->size;
        if (p->out.data) row.out = g->out_dense ? data[1] + r * stride[1] : out + r * p->keep * g->size;
        if (p->indices.data)
            row.indices = (int64_t *)(g->indices_dense ? data[2] + r * stride[2] : indices + r * p->keep * 8);
        if (p->start.data) {
            row.start = (const int64_t *)(data[3] + r * stride[3]);
            if (!g->start_dense) {
                g->kernels->gather[3](data[3] + r * stride[3], p->start.step, memory + at->start, p->length);
                row.start = (const int64_t *)(memory + at->start);
            }
        }
        if (g->together)
            gndi_cpu_sort_long(&row, &(gndi_cpu_threads){gndi_thread_count(), gndi_parallel_for});
        else
            gndi_cpu_sort_row(&row);
    }
    if (p->out.data && !g->out_dense) deal_out(g, out, g->size, rows, p->keep, data[1], p->out.step, stride[1]);
    if (p->indices.data && !g->indices_dense)
        deal_out(g, indices, 8, rows, p->keep, data[2], p->indices.step, stride[2]);
}

static void sort_blocks(void *context, int64_t begin, int64_t end) {
    sorting *g = context;
    int slot = 0; /* there are as many as threads at work */
    while (atomic_exchange_explicit(&g->taken[slot], true, memory_order_acquire)) slot = (slot + 1) % g->slots;
    for (int64_t task = begin; task < end; task++) sort_block(g, task, g->memory + slot * g->layout.bytes);
    atomic_store_explicit(&g->taken[slot], false, memory_order_release);
}

/* ---- the plan ------------------------------------------------------------------------------- */

static bool is_dense(const struct gndi_sort_operand *o, int64_t size, int64_t n) {
    return !o->data || o->step == size || n == 1;
}

static void choose_block(sorting *g) {
    const gndi_sort_plan *p = g->plan;
    const int64_t along = p->ndim ? p->shape[p->ndim - 1] : 1;
    g->block = 1;
    if (!g->together && (!g->in_dense || !g->out_dense || !g->indices_dense)) {
        const int64_t fair = p->rows / gndi_thread_count();
        g->block = LINE / g->size < 8 ? 8 : LINE / g->size;
        if (g->block > fair) g->block = fair > 0 ? fair : 1;
        if (g->block > along) g->block = along;
    }
    g->blocks = (along + g->block - 1) / g->block;
}

static void lay_out(sorting *g) {
    const gndi_sort_plan *p = g->plan;
    layout *at = &g->layout;
    int64_t end = 0;
    at->in = end;
    if (!g->in_dense) end += g->block * p->length * g->size;
    /* A whole row is sorted where it was gathered, if possible. */
    gndi_cpu_row own = g->row;
    own.out = p->in.data;
    const bool can = !g->together || gndi_cpu_sort_long_worth(&own, gndi_thread_count());
    at->out = !g->in_dense && p->keep == p->length && can ? at->in : end;
    if (!g->out_dense && at->out == end) end += g->block * p->keep * g->size;
    end = (end + 63) & ~INT64_C(63);
    at->indices = end;
    if (!g->indices_dense) end += g->block * p->keep * 8;
    at->start = end;
    if (!g->start_dense) end += p->length * 8;
    at->workspace = end = (end + 63) & ~INT64_C(63);
    end += g->together ? gndi_cpu_sort_long_workspace(&g->row, gndi_thread_count()) : gndi_cpu_sort_workspace(&g->row);
    at->bytes = (end + 63) & ~INT64_C(63);
}

static gnd_status sort_rows(gnd_stream *s, sorting *g, const char *fn) {
    const gndi_sort_plan *p = g->plan;
    const int threads = gndi_thread_count();
    g->together = p->rows < 2 * threads && gndi_cpu_sort_long_worth(&g->row, threads);
    choose_block(g);
    lay_out(g);
    const int64_t along = p->ndim ? p->shape[p->ndim - 1] : 1, tasks = p->rows / along * g->blocks;
    const int64_t elements = g->block * p->length;
    const int64_t grain = elements < TASK_ELEMENTS ? TASK_ELEMENTS / elements : 1;
    g->slots = g->together ? 1 : threads;
    if (g->slots > tasks / grain) g->slots = tasks / grain > 0 ? (int)(tasks / grain) : 1;
    const size_t bytes = (size_t)(g->slots * g->layout.bytes);
    gndi_buffer *memory = gndi_buffer_new(fn, s, bytes + (size_t)g->slots * sizeof *g->taken);
    if (!memory) return GND_ERROR_MEMORY;
    g->memory = memory->base;
    g->taken = (atomic_bool *)(g->memory + bytes);
    for (int i = 0; i < g->slots; i++) atomic_init(&g->taken[i], false);
    if (g->together)
        sort_blocks(g, 0, tasks);
    else
        gndi_parallel_for(tasks, grain, sort_blocks, g);
    gndi_buffer_release(memory);
    return GND_OK;
}

gnd_status gndi_cpu_sort(gnd_stream *s, const gndi_sort_plan *plan, const char *fn) {
    sorting g = {.plan = plan, .kernels = gndi_cpu_kernels_get(), .size = gndi_dtype_sizes[plan->dtype]};
    g.row = (gndi_cpu_row){
        .sorts = gndi_cpu_sorts_get(),
        .dtype = plan->dtype,
        .descending = plan->descending,
        .partial = plan->partial,
        .kths = plan->kths,
        .kth = plan->kth,
        .length = plan->length,
        .keep = plan->keep,
        /* which of them there are, and are the same, decides what memory is needed */
        .in = plan->in.data,
        .out = plan->out.data,
        .indices = (int64_t *)plan->indices.data,
        .start = (const int64_t *)plan->start.data,
    };
    g.in_dense = is_dense(&plan->in, g.size, plan->length);
    g.out_dense = is_dense(&plan->out, g.size, plan->keep);
    g.indices_dense = is_dense(&plan->indices, 8, plan->keep);
    g.start_dense = is_dense(&plan->start, 8, plan->length);
    return sort_rows(s, &g, fn);
}
