/*
 * distance_cpu.c: distances to the nearest zero on the CPU, lines shared among the threads.
 */
#include "ndimage/cpu/distance_loops.h"
#include "runtime/hooks.h"
#include <stdatomic.h>

typedef struct lines_work {
    const gndi_distance_plan *plan;
    atomic_bool failed; /* there was no memory */
} lines_work;

static void groups(void *context, int64_t begin, int64_t end) {
    lines_work *w = context;
    void *memory = gndi_malloc(NULL, (size_t)gndi_distance_work(w->plan));
    if (memory)
        gndi_distance_groups(w->plan, begin, end, memory);
    else
        atomic_store(&w->failed, true);
    gndi_free(memory);
}

static void raster(lines_work *w) {
    void *memory = gndi_malloc(NULL, (size_t)gndi_distance_raster_work(w->plan));
    if (memory)
        gndi_distance_raster(w->plan, memory);
    else
        atomic_store(&w->failed, true);
    gndi_free(memory);
}

gnd_status gndi_cpu_distance(gnd_stream *s, const gndi_distance_plan *p, const char *fn) {
    (void)s;
    lines_work w = {.plan = p};
    const int64_t each = gndi_distance_group(p);
    if (p->kind == GNDI_DISTANCE_RASTER)
        raster(&w);
    else
        gndi_parallel_for(gndi_ceil_div(p->outer * p->inner, each), (1 << 14) / (each * p->n) + 1, groups, &w);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for lines of elements");
}
