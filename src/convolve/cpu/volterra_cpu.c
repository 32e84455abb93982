/*
 * volterra_cpu.c: filters of the second and the third order on the CPU: sliding sums of a row of taps, for some outputs
 * at a time, times the elements that the row belongs to.
 */
#include "convolve/volterra_plan.h"
#include "convolve/cpu/convolve_loops.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"

enum { OUTPUTS = 1024, PRODUCTS = 1 << 16 };

typedef struct work {
    const gndi_volterra_plan *plan;
    const gndi_cpu_convolve_type *type;
    const char *taps;   /* dense, as what sums are computed in */
    int64_t longest;    /* axis of the taps */
    atomic_bool failed; /* there was no memory */
} work;

/* What a thread works with: elements, and sums of a row, of rows and of all. */
typedef struct workspace {
    char *x, *row, *rows, *all;
} workspace;

static void run_row(const work *w, const workspace *s, const char *taps, int64_t n) {
    const gndi_volterra_plan *p = w->plan;
    const void *x = s->x;
    const gndi_cpu_convolve_run run = {
        .row = &x, .tap = taps, .rows = 1, .taps = p->taps_shape[p->order - 1], .n = n, .out = s->row};
    w->type->run(&run);
}

/* The sums of rows of taps, times element b of each row, added to `to`. */
static void run_rows(const work *w, const workspace *s, const char *taps, int64_t count, int64_t n, char *to) {
    const int64_t bytes = w->type->bytes, row = w->plan->taps_shape[w->plan->order - 1] * bytes;
    memset(to, 0, (size_t)(n * bytes));
    for (int64_t b = 0; b < count; b++) {
        run_row(w, s, taps + b * row, n);
        w->type->multiply_add(s->row, s->x + b * bytes, to, n);
    }
}

static void run_outputs(const work *w, const workspace *s, int64_t first, int64_t n) {
    const gndi_volterra_plan *p = w->plan;
    const int64_t bytes = w->type->bytes, item = gndi_dtype_sizes[p->dtype];
    w->type->load(p->x + first * p->x_step, p->x_step, p->dtype, s->x, n + w->longest - 1);
    if (p->order == 2) {
        run_rows(w, s, w->taps, p->taps_shape[0], n, s->all);
    } else {
        const int64_t matrix = p->taps_shape[1] * p->taps_shape[2] * bytes;
        memset(s->all, 0, (size_t)(n * bytes));
        for (int64_t a = 0; a < p->taps_shape[0]; a++) {
            run_rows(w, s, w->taps + a * matrix, p->taps_shape[1], n, s->rows);
            w->type->multiply_add(s->rows, s->x + a * bytes, s->all, n);
        }
    }
    w->type->store(s->all, p->out + first * item, item, p->dtype, n);
}

static void run_units(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const int64_t bytes = w->type->bytes, sums = OUTPUTS * bytes + GNDI_CONVOLVE_BLOCK;
    const int64_t elements = gndi_ceil_div((OUTPUTS + w->longest) * bytes + GNDI_CONVOLVE_BLOCK, 64) * 64;
    char *memory = gndi_malloc(NULL, (size_t)(elements + 3 * sums));
    if (!memory) {
        atomic_store(&w->failed, true);
        return;
    }
    memset(memory, 0, (size_t)(elements + 3 * sums)); /* what lies beyond a row is computed with, too */
    const workspace s = {memory, memory + elements, memory + elements + sums, memory + elements + 2 * sums};
    for (int64_t unit = begin; unit < end; unit++)
        run_outputs(w, &s, unit * OUTPUTS, gndi_min(OUTPUTS, w->plan->count - unit * OUTPUTS));
    gndi_free(memory);
}

/* The taps, row by row. */
static void fill_taps(const gndi_volterra_plan *p, const gndi_cpu_convolve_type *type, char *to) {
    const int last = p->order - 1;
    const int64_t n = p->taps_shape[last], high = p->taps_shape[last - 1], deep = last == 2 ? p->taps_shape[0] : 1;
    for (int64_t a = 0; a < deep; a++)
        for (int64_t b = 0; b < high; b++, to += n * type->bytes) {
            const char *from = p->taps + b * p->taps_stride[last - 1];
            if (last == 2) from += a * p->taps_stride[0];
            type->load(from, p->taps_stride[last], p->dtype, to, n);
        }
}

gnd_status gndi_cpu_volterra(gnd_stream *s, const gndi_volterra_plan *p, const char *fn) {
    int64_t taps = 1;
    work w = {.plan = p, .type = &gndi_cpu_convolve_loops_get()->of[gndi_cpu_convolve_type_of(p->dtype)]};
    for (int a = 0; a < p->order; a++) taps *= p->taps_shape[a], w.longest = gndi_max(w.longest, p->taps_shape[a]);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(taps * w.type->bytes));
    if (!memory) return GND_ERROR_MEMORY;
    fill_taps(p, w.type, memory->base);
    w.taps = memory->base;
    gndi_parallel_for(gndi_ceil_div(p->count, OUTPUTS), PRODUCTS / (taps * OUTPUTS) + 1, run_units, &w);
    gndi_buffer_release(memory);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for some elements");
}
