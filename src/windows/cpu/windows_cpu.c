/*
 * windows_cpu.c: windows on the CPU, whose points are shared among the threads.
 */
#include "runtime/hooks.h"
#include "windows/cpu/windows_loops.h"

static void share(void *context, int64_t begin, int64_t end) {
    gndi_window_values(context, begin, end);
}

gnd_status gndi_cpu_window(gnd_stream *s, const gndi_window_plan *p, const char *fn) {
    (void)s, (void)fn;
    gndi_parallel_for(p->points, 4096, share, (void *)(uintptr_t)p);
    return GND_OK;
}
