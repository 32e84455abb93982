/*
 * copy_cuda.c: makes a plan of the elementwise engine for a copy: its axes sorted by the output's
 * strides, which are made positive, and merged.
 */
#include "core/axes.h"
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
    plan->shape[plan->ndim] = size;
    plan->stride[0][plan->ndim] = out, plan->stride[1][plan->ndim++] = in;
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

gnd_status gndi_cuda_copy_run(gnd_stream *s, gndi_cuda_copy *copy, const char *fn) {
    gndi_ew_plan *plan = &copy->plan;
    int64_t *const stride[] = {plan->stride[0], plan->stride[1]}, offset[2] = {0};
    gndi_walk w = {.ndim = plan->ndim, .operands = 2, .leaders = 1, .shape = plan->shape, .stride = stride};
    w.offset = offset;
    gndi_walk_flip(&w);
    plan->ndim = gndi_walk_collapse(&w, 0, w.ndim);
    plan->operand[0].data += offset[0], plan->operand[1].data += offset[1];
    plan->contiguous =
        plan->ndim == 0 || (plan->ndim == 1 && plan->stride[0][0] == gndi_dtype_sizes[plan->operand[0].dtype] &&
                            plan->stride[1][0] == gndi_dtype_sizes[plan->operand[1].dtype]);
    return gndi_cuda_elementwise(s, plan, fn);
}
