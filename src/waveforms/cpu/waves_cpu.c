/*
 * waves_cpu.c: waveforms on the CPU, whose elements are shared among the threads.
 */
#include "runtime/hooks.h"
#include "waveforms/cpu/waves_loops.h"

static void share(void *context, int64_t begin, int64_t end) {
    gndi_wave_values(context, begin, end);
}

gnd_status gndi_cpu_wave(gnd_stream *s, const gndi_wave_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->n, 4096, share, (void *)(uintptr_t)p);
    return GND_OK;
}
