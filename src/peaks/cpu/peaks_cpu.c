/*
 * peaks_cpu.c: extrema and peaks on the CPU, shared among the threads.
 */
#include "peaks/cpu/peaks_loops.h"
#include "runtime/hooks.h"

static void share_elements(void *context, int64_t begin, int64_t end) {
    gndi_extrema_values(context, begin, end);
}
static void share_peaks(void *context, int64_t begin, int64_t end) {
    gndi_peaks_values(context, begin, end);
}

gnd_status gndi_cpu_extrema(gnd_stream *s, const gndi_extrema_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->total, 8192, share_elements, (void *)(uintptr_t)p);
    return GND_OK;
}

gnd_status gndi_cpu_peaks(gnd_stream *s, const gndi_peaks_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->count, 256, share_peaks, (void *)(uintptr_t)p);
    return GND_OK;
}
