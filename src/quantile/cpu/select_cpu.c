/*
 * select_cpu.c: the CPU backend's order statistics: many rows are shared out among the threads, a
 * few long ones are taken one by one, each by all threads.
 */
#include "kernels/cpu/isa.h"
#include "quantile/cpu/select_loops.h"
#include "kernels/cpu/indices.h"
#include "quantile/select_plan.h"
#include "runtime/hooks.h"

GNDI_CPU_TABLE(gndi_cpu_selections, gndi_cpu_selections_get, selections)

enum {
    TASK_ELEMENTS = 32768, /* least work for a thread */
    ALONE = 262144,        /* a row of this many elements is worth sharing out */
};

static void select_rows(void *context, int64_t begin, int64_t end) {
    gndi_cpu_select_job *job = context;
    const gndi_select_plan *plan = job->plan;
    const int size = gndi_dtype_sizes[plan->dtype];
    gndi_cpu_selections_get()->of_size[__builtin_ctz((unsigned)size)](job, begin, end);
}

gnd_status gndi_cpu_select(gnd_stream *s, const gndi_select_plan *plan, const char *fn) {
    gndi_cpu_select_job job = {.plan = plan, .parallel_for = gndi_parallel_for};
    if (plan->length >= ALONE && plan->rows < 2 * gndi_thread_count()) {
        for (int64_t row = 0; row < plan->rows; row++) select_rows(&job, row, row + 1);
    } else {
        const int64_t grain = TASK_ELEMENTS / plan->length;
        gndi_parallel_for(plan->rows, grain > 0 ? grain : 1, select_rows, &job);
    }
    if (job.fault) gndi_report_fault(s, GNDI_FAULT_QUANTILE, 0, 0, 0);
    if (!job.no_memory) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "no memory for the keys of a row of %lld elements",
                      (long long)plan->length);
}
