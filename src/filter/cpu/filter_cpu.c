/*
 * filter_cpu.c: recursive filters on the CPU: lines are shared among threads, and those of a thread are filtered
 * side by side as far as they fill a vector. Which lines are together depends on their number alone.
 */
#include "filter/filter_plan.h"
#include "filter/cpu/filter_loops.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_filters, gndi_cpu_filters_get, filters)

typedef struct filtering {
    const gndi_filter_plan *plan;
    const gndi_cpu_filter_loops *loops;
    gndi_cpu_filter_job job;
    double *state; /* of all lines */
    double *lanes; /* for each group of lines: their states, side by side */
    int parts;     /* real lines that a line is made of */
    int64_t item;  /* bytes of a real number */
    int64_t count; /* real lines; with complex coefficients, lines */
} filtering;

/* A real line: part 0 or 1 of a complex one. */
typedef struct line {
    const char *x;
    char *y;
    double *state;
} line;

static line line_at(const filtering *f, int64_t i) {
    const gndi_filter_lines *lines = &f->plan->lines;
    int64_t x, y;
    const int64_t whole = i / f->parts, part = i % f->parts;
    gndi_filter_line_at(lines, whole, &x, &y);
    return (line){lines->x + x + part * f->item, lines->y + y + part * f->item,
                  f->state + whole * f->job.order * f->parts + part};
}

static void filter_one(const filtering *f, int64_t i, double *z) {
    const line l = line_at(f, i);
    for (int k = 0; k < f->job.order; k++) z[k] = l.state[k * f->parts];
    f->loops->one(&f->job, l.x, l.y, z);
    for (int k = 0; k < f->job.order; k++) l.state[k * f->parts] = z[k];
}

static void filter_many(const filtering *f, int64_t first, double *z) {
    const char *x[GNDI_FILTER_LANES];
    char *y[GNDI_FILTER_LANES];
    line l[GNDI_FILTER_LANES];
    for (int lane = 0; lane < GNDI_FILTER_LANES; lane++) {
        l[lane] = line_at(f, first + lane);
        x[lane] = l[lane].x, y[lane] = l[lane].y;
        for (int k = 0; k < f->job.order; k++) z[k * GNDI_FILTER_LANES + lane] = l[lane].state[k * f->parts];
    }
    f->loops->many(&f->job, x, y, z);
    for (int lane = 0; lane < GNDI_FILTER_LANES; lane++)
        for (int k = 0; k < f->job.order; k++) l[lane].state[k * f->parts] = z[k * GNDI_FILTER_LANES + lane];
}

/* Groups of lines that fill a vector. */
static void run(void *context, int64_t begin, int64_t end) {
    const filtering *f = context;
    for (int64_t group = begin; group < end; group++) {
        const int64_t first = group * GNDI_FILTER_LANES;
        double *z = f->lanes + first * f->job.order;
        if (first + GNDI_FILTER_LANES <= f->count)
            filter_many(f, first, z);
        else
            for (int64_t i = first; i < f->count; i++) filter_one(f, i, z);
    }
}

/* Single lines: fewer than fill a vector for every thread. */
static void run_single(void *context, int64_t begin, int64_t end) {
    const filtering *f = context;
    for (int64_t i = begin; i < end; i++) filter_one(f, i, f->lanes + i * f->job.order);
}

static void run_pairs(void *context, int64_t begin, int64_t end) {
    const filtering *f = context;
    for (int64_t i = begin; i < end; i++) {
        const gndi_filter_lines *lines = &f->plan->lines;
        int64_t x, y;
        gndi_filter_line_at(lines, i, &x, &y);
        f->loops->pairs(&f->job, lines->x + x, lines->y + y, f->state + i * f->job.order * 2);
    }
}

gnd_status gndi_cpu_filter(gnd_stream *s, const gndi_filter_plan *plan, const char *fn) {
    const bool wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128;
    const bool is_complex = gndi_dtype_is_complex(plan->dtype);
    const int64_t order = plan->system.order, count = plan->lines.count * (is_complex ? 2 : 1);
    filtering f = {.plan = plan,
                   .loops = &gndi_cpu_filters_get()->of[wide],
                   .job = {.sections = plan->system.sections,
                           .order = plan->system.order,
                           .b = plan->system.b,
                           .a = plan->system.a,
                           .length = plan->lines.length,
                           .x_step = plan->lines.x_step,
                           .y_step = plan->lines.y_step},
                   .parts = is_complex ? 2 : 1,
                   .item = wide ? 8 : 4,
                   .count = count,
                   .state = plan->state};
    gndi_buffer *state = NULL, *lanes = NULL;
    gnd_status status = GND_OK;
    const size_t bytes = (size_t)(count * order) * sizeof(double);
    if (!plan->state) {
        state = gndi_buffer_new(fn, s, bytes + sizeof(double));
        if (!state) return GND_ERROR_MEMORY;
        f.state = state->base;
    }
    if (!plan->begins) memset(f.state, 0, bytes);
    const int64_t padded = gndi_ceil_div(count, GNDI_FILTER_LANES) * GNDI_FILTER_LANES;
    lanes = gndi_buffer_new(fn, s, (size_t)(padded * order) * sizeof(double) + 64);
    if (lanes)
        f.lanes = (double *)(((uintptr_t)lanes->base + 63) & ~(uintptr_t)63);
    else
        status = GND_ERROR_MEMORY;
    const int64_t work = plan->lines.length * (order + 1), grain = (INT64_C(1) << 15) / (work + 1) + 1;
    if (!status && plan->system.is_complex)
        gndi_parallel_for(plan->lines.count, grain, run_pairs, &f);
    else if (!status && count < GNDI_FILTER_LANES * 2)
        gndi_parallel_for(count, grain, run_single, &f);
    else if (!status)
        gndi_parallel_for(padded / GNDI_FILTER_LANES, grain / GNDI_FILTER_LANES + 1, run, &f);
    if (lanes) gndi_buffer_release(lanes);
    if (state) gndi_buffer_release(state);
    return status;
}
