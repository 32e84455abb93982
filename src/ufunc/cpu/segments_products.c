/*
 * segments_products.c: products over segments of complex numbers that are not finite, again in the order of the
 * elements (reduce/cpu/products_cpu.h).
 */
#include "reduce/cpu/operator_fold.h"
#include "reduce/cpu/products_cpu.h"
#include "ufunc/cpu/segments_cpu.h"

enum { GRAIN = GNDI_FACTORS_GRAIN };

static void mend_segments(void *context, int64_t first, int64_t end) {
    const gndi_factors *f = context;
    const gndi_segment_plan *p = f->plan;
    for (; first < end; first++) {
        const int64_t segment = first / p->columns, column = first % p->columns;
        int64_t from, to;
        char *out = p->out.data + segment * p->out.step + gndi_fold_offset(column, p->ndim, p->shape, p->out.stride);
        if (!gndi_segment_extent(p, segment, &from, &to) || gndi_factors_is_settled(f, out, to - from)) continue;
        const char *in = p->in.data + gndi_fold_offset(column, p->ndim, p->shape, p->in.stride) + from * p->in.step;
        gndi_factors_load(f, in, out);
        for (int64_t i = 1; i < to - from; i++) gndi_factors_multiply(f, out, out, in + i * p->in.step);
    }
}

void gndi_cpu_mend_segments(const gndi_segment_plan *plan) {
    gndi_factors f;
    if (plan->op == GNDI_OP_multiply && gndi_factors_begin(&f, plan->loop, plan->in.dtype, false, plan))
        gndi_parallel_for(plan->segments * plan->columns, GRAIN, mend_segments, &f);
}
