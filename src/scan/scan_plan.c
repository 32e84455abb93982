/*
 * scan_plan.c: computes the axis and the merged, sorted lines of a scan plan from its arrays and an axis.
 */
#include "scan/scan.h"
#include "core/axes.h"

void gndi_scan_plan_axes(gndi_scan_plan *plan, const gnd_array *in, const gnd_array *start, const gnd_array *out,
                         int along) {
    int64_t *const stride[] = {plan->out.stride, plan->in.stride, plan->start.stride};
    int64_t offset[3] = {0};
    gndi_walk w = {.operands = start ? 3 : 2, .leaders = 1, .shape = plan->shape, .stride = stride, .offset = offset};
    gndi_walk_arrays(&w, (const gnd_array *[]){out, in, start}, along);
    gndi_walk_flip(&w);
    plan->ndim = gndi_walk_collapse(&w, 0, w.ndim);
    plan->out.data = gndi_data(out) + offset[0], plan->out.dtype = out->dtype;
    plan->in.data = gndi_data(in) + offset[1], plan->in.dtype = in->dtype;
    plan->start.data = start ? gndi_data(start) + offset[2] : NULL;
    plan->out.step = out->strides[along], plan->in.step = in->strides[along];
    plan->length = out->shape[along];
    plan->lines = out->size / plan->length;
}
