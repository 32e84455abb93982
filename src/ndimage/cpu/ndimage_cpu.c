/*
 * ndimage_cpu.c: filters of pictures and fields on the CPU, shared among the threads.
 */
#include "ndimage/cpu/ndimage_loops.h"
#include "runtime/hooks.h"
#include <stdatomic.h>

/* ---- separable filters ---------------------------------------------------------------------- */

typedef struct lines_work {
    const gndi_lines_plan *plan;
    atomic_bool failed; /* there was no memory */
} lines_work;

static void lines(void *context, int64_t begin, int64_t end) {
    lines_work *w = context;
    void *memory = gndi_malloc(NULL, (size_t)gndi_lines_work(w->plan));
    if (memory)
        gndi_lines_units(w->plan, begin, end, memory);
    else
        atomic_store(&w->failed, true);
    gndi_free(memory);
}

gnd_status gndi_cpu_lines(gnd_stream *s, const gndi_lines_plan *p, const char *fn) {
    if (p->others) { /* one after the other */
        gndi_lines_plan one = *p;
        one.others = NULL;
        const gnd_status status = gndi_cpu_lines(s, &one, fn);
        memcpy(one.axis, p->others, sizeof one.axis);
        one.adds = true;
        return status ? status : gndi_cpu_lines(s, &one, fn);
    }
    lines_work w = {.plan = p};
    const int64_t block = gndi_lines_block(p);
    gndi_parallel_for(p->outer * gndi_ceil_div(p->rows, block), (1 << 14) / (block * p->columns) + 1, lines, &w);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for rows of elements");
}

/* ---- windows -------------------------------------------------------------------------------- */

static void neighbours(void *context, int64_t begin, int64_t end) {
    gndi_neighbours_outputs(context, begin, end);
}

gnd_status gndi_cpu_neighbours(gnd_stream *s, const gndi_neighbours_plan *p, const char *fn) {
    (void)s, (void)fn;
    int64_t outputs = 1;
    for (int a = 0; a < p->ndim; a++) outputs *= p->out_shape[a];
    gndi_parallel_for(outputs, 1 << 12, neighbours, (void *)(uintptr_t)p);
    return GND_OK;
}

/* ---- splines -------------------------------------------------------------------------------- */

typedef struct sample_work {
    const gndi_sample_plan *plan;
    void *taps;
    atomic_bool failed;
} sample_work;

static void sample(void *context, int64_t begin, int64_t end) {
    sample_work *w = context;
    void *memory = w->taps ? gndi_malloc(NULL, (size_t)gndi_sample_work(w->plan)) : NULL;
    if (memory || !w->taps)
        gndi_sample_outputs(w->plan, w->taps, begin, end, memory);
    else
        atomic_store(&w->failed, true);
    gndi_free(memory);
}

gnd_status gndi_cpu_sample(gnd_stream *s, const gndi_sample_plan *p, const char *fn) {
    (void)s;
    sample_work w = {.plan = p};
    const int64_t bytes = gndi_sample_taps(p);
    if (bytes > 0 && !(w.taps = gndi_malloc(fn, (size_t)bytes)))
        return gnd_error() ? gnd_error()->code : GND_ERROR_MEMORY;
    if (w.taps) gndi_sample_find_taps(p, w.taps);
    gndi_parallel_for(p->count, 1 << 12, sample, &w);
    gndi_free(w.taps);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for lines of elements");
}
