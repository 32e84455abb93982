/*
 * search_cpu.c: the CPU backend's searches: values are shared out among the threads. The loops are in
 * search_loops.cpp.
 */
#include "kernels/cpu/indices.h"
#include "sort/cpu/search_loops.h"
#include "runtime/hooks.h"

enum { GRAIN = 4096 }; /* least work for a thread */

static void search_part(void *context, int64_t begin, int64_t end) {
    gndi_cpu_search_job *all = context;
    gndi_cpu_search_job job = {.plan = all->plan, .reversed = all->reversed};
    gndi_cpu_search_values(&job, begin, end);
    if (job.is_fault) { /* all threads meet such positions in the same line: any one will do */
        __atomic_store_n(&all->fault_value, job.fault_value, __ATOMIC_RELAXED);
        __atomic_store_n(&all->is_fault, true, __ATOMIC_RELAXED);
    }
}

gnd_status gndi_cpu_search(gnd_stream *s, const gndi_search_plan *plan, const char *fn) {
    (void)fn;
    gndi_search_plan line = *plan;
    gndi_cpu_search_job job = {.plan = &line};
    if (plan->either) {
        bool broken = false;
        job.reversed = gndi_cpu_search_goes_down(plan, &broken);
        if (broken) gndi_report_fault(s, GNDI_FAULT_BINS, 0, 0, 0);
    }
    if (job.reversed) line.sorted += (line.length - 1) * line.step, line.step = -line.step;
    gndi_parallel_for(plan->points, GRAIN, search_part, &job);
    if (job.is_fault) gndi_report_index(s, job.fault_value, 0, plan->length);
    return GND_OK;
}
