/*
 * periods_cpu.c: Lomb-Scargle periodograms and vector strengths on the CPU: groups of frequencies, or parts of the
 * events, are shared among the threads.
 */
#include "kernels/cpu/indices.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"
#include "transforms/cpu/periods_loops.h"

GNDI_CPU_TABLE(gndi_cpu_periods, gndi_cpu_periods_get, periods)

/* ---- Lomb-Scargle --------------------------------------------------------------------------- */

typedef struct lomb_scargle {
    const gndi_lomb_scargle_plan *plan;
    const gndi_cpu_periods *loops;
    double totals[3];
} lomb_scargle;

static void share_groups(void *context, int64_t begin, int64_t end) {
    const lomb_scargle *l = context;
    l->loops->power(l->plan, l->totals, begin, end);
}

gnd_status gndi_cpu_lomb_scargle(gnd_stream *s, const gndi_lomb_scargle_plan *p, const char *fn) {
    (void)fn;
    lomb_scargle l = {.plan = p, .loops = gndi_cpu_periods_get()};
    if (!l.loops->totals(p, l.totals)) gndi_report_fault(s, GNDI_FAULT_WEIGHTS, 0, 0, 0);
    gndi_parallel_for(gndi_ceil_div(p->count, GNDI_PERIODS_LANES), (1 << 12) / (p->samples + 1) + 1, share_groups, &l);
    return GND_OK;
}

/* ---- vector strength ------------------------------------------------------------------------ */

typedef struct strengths {
    const gndi_vector_strength_plan *plan;
    const gndi_cpu_periods *loops;
    int64_t parts;
    double *sums; /* two for each period and part */
} strengths;

static void share_parts(void *context, int64_t begin, int64_t end) {
    const strengths *v = context;
    for (int64_t i = begin; i < end; i++) v->loops->events(v->plan, i / v->parts, i % v->parts, v->sums + 2 * i);
}

static double period_of(const gndi_vector_strength_plan *p, int64_t i) {
    if (!p->periods) return p->period;
    return p->dtype == GND_FLOAT32 ? (double)((const float *)p->periods)[i] : ((const double *)p->periods)[i];
}

gnd_status gndi_cpu_vector_strength(gnd_stream *s, const gndi_vector_strength_plan *p, const char *fn) {
    const int64_t parts = gndi_ceil_div(p->events_count, GNDI_EVENTS_PART);
    strengths v = {.plan = p, .loops = gndi_cpu_periods_get(), .parts = parts};
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(p->count * parts) * 2 * sizeof(double) + sizeof(double));
    if (!memory) return GND_ERROR_MEMORY;
    v.sums = memory->base;
    gndi_parallel_for(p->count * parts, 1, share_parts, &v);
    for (int64_t i = 0; i < p->count; i++) {
        double sums[2] = {0, 0};
        if (period_of(p, i) <= 0) gndi_report_fault(s, GNDI_FAULT_PERIOD, i, 0, 0);
        for (int64_t k = i * parts; k < (i + 1) * parts; k++) sums[0] += v.sums[2 * k], sums[1] += v.sums[2 * k + 1];
        v.loops->strength(p, i, sums);
    }
    gndi_buffer_release(memory);
    return GND_OK;
}
