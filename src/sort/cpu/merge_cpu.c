/*
 * merge_cpu.c: the CPU backend's merges: the result is shared out among the threads.
 */
#include "core/parallel.h"
#include "sort/cpu/merge_loops.h"
#include "runtime/hooks.h"

enum { GRAIN = 16384 }; /* least work for a thread */

static void merge_part(void *context, int64_t begin, int64_t end) {
    gndi_cpu_merge_part(context, begin, end);
}

gnd_status gndi_cpu_merge(gnd_stream *s, const gndi_merge_plan *plan, const char *fn) {
    gndi_merge_plan part = *plan;
    (void)s, (void)fn;
    gndi_parallel_for(plan->count[0] + plan->count[1], GRAIN, merge_part, &part);
    return GND_OK;
}
