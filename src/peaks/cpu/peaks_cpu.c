/*
 * peaks_cpu.c: extrema and peaks on the CPU, shared among the threads.
 */
#include "peaks/cpu/peaks_loops.h"
#include "runtime/hooks.h"

enum { GRAIN = 8192 };

static void share_elements(void *context, int64_t begin, int64_t end) {
    gndi_extrema_values(context, begin, end);
}

typedef struct search {
    const gndi_extrema_plan *plan;
    atomic_bool flat; /* there may be peaks of several equal elements */
} search;

static void share_sharp(void *context, int64_t begin, int64_t end) {
    search *s = context;
    if (gndi_sharp_peaks(s->plan, begin, end)) atomic_store_explicit(&s->flat, true, memory_order_relaxed);
}
static void share_flat(void *context, int64_t begin, int64_t end) {
    gndi_flat_peaks(((search *)context)->plan, begin, end);
}
static void share_peaks(void *context, int64_t begin, int64_t end) {
    gndi_peaks_values(context, begin, end);
}

gnd_status gndi_cpu_extrema(gnd_stream *s, const gndi_extrema_plan *p, const char *fn) {
    (void)s, (void)fn;
    search of = {.plan = p};
    if (p->comparison != GNDI_IS_PEAK)
        gndi_parallel_for(p->total, GRAIN, share_elements, (void *)(uintptr_t)p);
    else
        gndi_parallel_for(p->total, GRAIN, share_sharp, &of);
    if (atomic_load(&of.flat)) gndi_parallel_for(p->total, GRAIN, share_flat, &of);
    return GND_OK;
}

gnd_status gndi_cpu_peaks(gnd_stream *s, const gndi_peaks_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->count, 256, share_peaks, (void *)(uintptr_t)p);
    return GND_OK;
}
