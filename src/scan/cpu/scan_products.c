/*
 * scan_products.c: running products of complex numbers that are not finite, again in the order of the
 * elements (reduce/cpu/products_cpu.h).
 */
#include "reduce/cpu/operator_fold.h"
#include "reduce/cpu/products_cpu.h"
#include "scan/cpu/scan_loops.h"
#include "scan/scan_plan.h"
#include <math.h>

enum { GRAIN = GNDI_FACTORS_GRAIN };

/* Once a product is not finite, none behind it is; three factors later it is NaN in both parts. */
static void mend_line(const gndi_factors *f, const char *in, char *out) {
    const gndi_scan_plan *p = f->plan;
    const int64_t step = p->out.step;
    int64_t i = 0, high = p->length - 1;
    if (gndi_factors_is_finite(f, out + high * step)) return;
    while (i < high) { /* for the first one */
        const int64_t middle = i + (high - i) / 2;
        if (gndi_factors_is_finite(f, out + middle * step))
            i = middle + 1;
        else
            high = middle;
    }
    const int64_t all_nan = i + GNDI_PRODUCT_UNTIL_NAN;
    for (; i < p->length && i < all_nan; i++)
        if (i == 0)
            gndi_factors_load(f, in, out);
        else
            gndi_factors_multiply(f, out + i * step, out + (i - 1) * step, in + i * p->in.step);
    for (; i < p->length; i++) gndi_factors_set(f, out + i * step, NAN, NAN);
}

static void mend_lines(void *context, int64_t first, int64_t end) {
    const gndi_factors *f = context;
    const gndi_scan_plan *p = f->plan;
    for (; first < end; first++)
        mend_line(f, p->in.data + gndi_fold_offset(first, p->ndim, p->shape, p->in.stride),
                  p->out.data + gndi_fold_offset(first, p->ndim, p->shape, p->out.stride));
}

void gndi_cpu_mend_running(const gndi_scan_plan *plan) {
    gndi_factors f;
    if (plan->op == GNDI_OP_multiply && gndi_factors_begin(&f, plan->loop, plan->in.dtype, plan->skip_nan, plan))
        gndi_parallel_for(plan->lines, GRAIN / plan->length + 1, mend_lines, &f);
}
