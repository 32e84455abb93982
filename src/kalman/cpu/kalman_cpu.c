/*
 * kalman_cpu.c: Kalman filters on the CPU: groups of tracks are shared among the threads, each of which takes its
 * groups through all steps.
 */
#include "kalman/cpu/kalman_loops.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"
#include <stdlib.h>

GNDI_CPU_TABLE(gndi_cpu_kalman_loops, gndi_cpu_kalman_loops_get, kalman_loops)

typedef struct work {
    const gndi_kalman_plan *plan;
    size_t bytes;       /* of a thread's memory */
    atomic_bool failed; /* for want of it */
} work;

static void run_groups(void *context, int64_t begin, int64_t end) {
    work *w = context;
    void *memory = gndi_alloc_should_fail() ? NULL : aligned_alloc(GNDI_KALMAN_VECTOR, w->bytes);
    if (memory)
        gndi_cpu_kalman_loops_get()->run[w->plan->wide](w->plan, begin, end, memory);
    else
        atomic_store(&w->failed, true);
    free(memory);
}

gnd_status gndi_cpu_kalman(gnd_stream *s, const gndi_kalman_plan *p, const char *fn) {
    (void)s;
    work w = {.plan = p, .bytes = (size_t)gndi_kalman_vectors(p) * GNDI_KALMAN_VECTOR};
    const int64_t lanes = GNDI_KALMAN_VECTOR / (p->wide ? 8 : 4);
    gndi_parallel_for(gndi_ceil_div(p->tracks, lanes), 1, run_groups, &w);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for states of %d numbers", p->nx);
}
