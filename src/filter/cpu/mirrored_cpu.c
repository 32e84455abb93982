/*
 * mirrored_cpu.c: mirrored filters on the CPU, whose lines are shared among the threads.
 */
#include "filter/cpu/mirrored_loops.h"
#include "runtime/hooks.h"

static void share(void *context, int64_t begin, int64_t end) {
    gndi_mirrored_units(context, begin, end);
}

gnd_status gndi_cpu_mirrored(gnd_stream *s, const gndi_mirrored_plan *p, const char *fn) {
    (void)s, (void)fn;
    const int64_t units = p->lines * gndi_ceil_div(p->inner, GNDI_MIRRORED_LANES);
    gndi_parallel_for(units, (INT64_C(1) << 14) / (p->length + 1) + 1, share, (void *)(uintptr_t)p);
    return GND_OK;
}
