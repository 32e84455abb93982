/*
 * copy_cuda.c: makes a plan of the elementwise engine for a copy: its axes sorted by the output's
 * strides, which are made positive, and merged.
 */
#include "elementwise/cuda/copy_launch.h"

gndi_cuda_copy gndi_cuda_copy_new(char *out, uint8_t out_dtype, const char *in, uint8_t in_dtype) {
    gndi_cuda_copy copy = {.plan = {.op = GNDI_OP_copy, .loop = (gnd_dtype)out_dtype, .nin = 1, .nout = 1, .size = 1}};
    copy.plan.operand[0] = (gndi_ew_operand){.data = out, .dtype = out_dtype};
    copy.plan.operand[1] = (gndi_ew_operand){.data = (char *)(uintptr_t)in, .dtype = in_dtype};
    copy.plan.uniform = out_dtype == in_dtype;
    return copy;
}

void gndi_cuda_copy_axis(gndi_cuda_copy *copy, int64_t size, int64_t out, int64_t in) {
    gndi_ew_plan *plan = &copy->plan;
    plan->size *= size;
    if (size == 1) return;
    if (out < 0) {
        plan->operand[0].data += out * (size - 1), plan->operand[1].data += in * (size - 1);
        out = -out, in = -in;
    }
    int at = plan->ndim++;
    for (; at > 0 && plan->stride[0][at - 1] < out; at--) {
        plan->shape[at] = plan->shape[at - 1];
        plan->stride[0][at] = plan->stride[0][at - 1];
        plan->stride[1][at] = plan->stride[1][at - 1];
    }
    plan->shape[at] = size, plan->stride[0][at] = out, plan->stride[1][at] = in;
}

void gndi_cuda_copy_scale(gndi_cuda_copy *copy, double factor) {
    gndi_ew_plan *plan = &copy->plan;
    gndi_ew_operand *number = &plan->operand[2];
    plan->op = GNDI_OP_multiply, plan->nin = 2;
    *number = (gndi_ew_operand){.dtype = (uint8_t)plan->loop, .immediate = true};
    switch (plan->loop) {
    case GND_COMPLEX64: number->value.c64[0] = (float)factor; break;
    case GND_COMPLEX128: number->value.c128[0] = factor; break;
    case GND_FLOAT64: number->value.f64 = factor; break;
    default: number->value.f32 = (float)factor;
    }
}

static void merge_axes(gndi_ew_plan *plan) {
    int kept = 0;
    for (int a = 1; a < plan->ndim; a++) {
        const bool one = plan->stride[0][kept] == plan->stride[0][a] * plan->shape[a] &&
                         plan->stride[1][kept] == plan->stride[1][a] * plan->shape[a];
        if (!one) kept++;
        plan->shape[kept] = one ? plan->shape[kept] * plan->shape[a] : plan->shape[a];
        plan->stride[0][kept] = plan->stride[0][a], plan->stride[1][kept] = plan->stride[1][a];
    }
    if (plan->ndim) plan->ndim = kept + 1;
}

gnd_status gndi_cuda_copy_run(gnd_stream *s, gndi_cuda_copy *copy, const char *fn) {
    gndi_ew_plan *plan = &copy->plan;
    merge_axes(plan);
    plan->contiguous =
        plan->ndim == 0 || (plan->ndim == 1 && plan->stride[0][0] == gndi_dtype_sizes[plan->operand[0].dtype] &&
                            plan->stride[1][0] == gndi_dtype_sizes[plan->operand[1].dtype]);
    return gndi_cuda_elementwise(s, plan, fn);
}
