/*
 * scan_plan.c: computes the axis and the merged, sorted lines of a scan plan from two arrays and an axis.
 */
#include "scan/scan.h"

typedef struct axis {
    int64_t size, in, out;
} axis;

/* Puts an axis into its place by the output's stride, the fastest last. */
static void insert(axis *list, int *count, axis a) {
    int i = (*count)++;
    for (; i > 0 && list[i - 1].out < a.out; i--) list[i] = list[i - 1];
    list[i] = a;
}

/* Makes one axis of neighbours that both operands cross as one. */
static int merge(axis *list, int count) {
    int merged = 0;
    for (int i = 0; i < count; i++) {
        axis *outer = &list[merged - 1];
        const axis *inner = &list[i];
        if (merged > 0 && outer->in == inner->in * inner->size && outer->out == inner->out * inner->size) {
            outer->size *= inner->size;
            outer->in = inner->in, outer->out = inner->out;
        } else {
            list[merged++] = *inner;
        }
    }
    return merged;
}

void gndi_scan_plan_axes(gndi_scan_plan *plan, const gnd_array *in, const gnd_array *out, int along) {
    axis list[GND_MAX_DIMS];
    int count = 0;
    plan->in.data = gndi_data(in), plan->in.dtype = in->dtype;
    plan->out.data = gndi_data(out), plan->out.dtype = out->dtype;
    plan->length = out->shape[along];
    plan->lines = out->size / plan->length;
    plan->in.step = in->strides[along], plan->out.step = out->strides[along];
    for (int i = 0; i < out->ndim; i++) {
        axis a = {out->shape[i], in->strides[i], out->strides[i]};
        if (i == along || a.size == 1) continue;
        if (a.out < 0) {
            plan->in.data += a.in * (a.size - 1), plan->out.data += a.out * (a.size - 1);
            a.in = -a.in, a.out = -a.out;
        }
        insert(list, &count, a);
    }
    plan->ndim = merge(list, count);
    for (int i = 0; i < plan->ndim; i++) {
        plan->shape[i] = list[i].size;
        plan->in.stride[i] = list[i].in, plan->out.stride[i] = list[i].out;
    }
}
