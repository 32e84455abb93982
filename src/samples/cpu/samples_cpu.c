/*
 * samples_cpu.c: samples on the CPU, shared among the threads.
 */
#include "runtime/hooks.h"
#include "samples/cpu/samples_loops.h"

static void share(void *context, int64_t begin, int64_t end) {
    gndi_samples_pairs(context, begin, end);
}

gnd_status gndi_cpu_samples(gnd_stream *s, const gndi_samples_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for((p->count + 1) / 2, 16384, share, (void *)(uintptr_t)p);
    return GND_OK;
}
