/*
 * splines_cpu.c: splines at points and smoothed lines on the CPU, shared among the threads.
 */
#include "runtime/hooks.h"
#include "splines/cpu/splines_loops.h"

static void share(void *context, int64_t begin, int64_t end) {
    gndi_spline_values(context, begin, end);
}

gnd_status gndi_cpu_spline(gnd_stream *s, const gndi_spline_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->count, 4096, share, (void *)(uintptr_t)p);
    return GND_OK;
}

static void share_lines(void *context, int64_t begin, int64_t end) {
    gndi_whittaker_lines(context, begin, end);
}

gnd_status gndi_cpu_whittaker(gnd_stream *s, const gndi_whittaker_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->slots, 1, share_lines, (void *)(uintptr_t)p);
    return GND_OK;
}
