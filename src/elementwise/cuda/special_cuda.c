/*
 * special_cuda.c: launches the kernels of special functions.
 */
#include "elementwise/cuda/elementwise_launch.h"
#include "elementwise/cuda/special_params.h"
#include "elementwise/cuda/special_parts.h"

#define PART(family) const void *gndi_special_kernel_##family(int loop, int *units);
GNDI_SPECIAL_PARTS
#undef PART

/* The kernel of an operator's loop, and the elements of a thread. */
static const void *kernel_of(gndi_op op, gnd_dtype loop, int *units) {
    typedef const void *(*finder)(int loop, int *units);
    static const finder finders[GNDI_OP_COUNT - GNDI_OP_ORDINARY] = {
#define OP(family, name, signature, loops, identity, flags)                                                            \
    [GNDI_OP_##name - GNDI_OP_ORDINARY] = gndi_special_kernel_##family,
#include "kernels/ops/special.def"
#undef OP
    };
    return finders[op - GNDI_OP_ORDINARY]((int)loop, units);
}

uint32_t gndi_cuda_special_needs_cast(const gndi_ew_plan *plan) {
    uint32_t operands = 0;
    for (int k = 0; k < plan->nout + plan->nin; k++)
        if (!plan->operand[k].immediate && plan->operand[k].dtype != gndi_plan_letter_dtype(plan, k))
            operands |= 1u << k;
    return operands;
}

/* Where operand k of the plan stands in the block. */
static int position_of(const gndi_ew_plan *plan, int k) {
    return k < plan->nout ? k : k < plan->nout + plan->nin ? GNDI_CUDA_OUT + k - plan->nout : GNDI_CUDA_OPERANDS - 1;
}

static void write_number(const gndi_ew_operand *operand, double *value) {
    const gndi_scalar *x = &operand->value;
    value[0] = operand->dtype == GND_FLOAT32      ? (double)x->f32
               : operand->dtype == GND_INT64      ? (double)x->i64
               : operand->dtype == GND_COMPLEX128 ? x->c128[0]
                                                  : x->f64;
    value[1] = operand->dtype == GND_COMPLEX128 ? x->c128[1] : 0;
}

static void write_params(const gndi_ew_plan *plan, gndi_special_params *p) {
    memset(p, 0, sizeof *p);
    p->op = (uint32_t)plan->op, p->n = (uint32_t)plan->size, p->axes = (uint32_t)plan->ndim;
    for (int i = 0; i < gndi_plan_operands(plan); i++) {
        const gndi_ew_operand *operand = &plan->operand[i];
        const int k = position_of(plan, i);
        p->dtype[k] = operand->dtype;
        if (operand->immediate)
            write_number(operand, p->value[k - GNDI_CUDA_OUT]);
        else
            p->data[k] = operand->data;
        for (int axis = 0; axis < plan->ndim; axis++)
            p->axis[plan->ndim - 1 - axis].stride[k] = operand->immediate ? 0 : plan->stride[i][axis];
    }
    for (int axis = 0; axis < plan->ndim; axis++)
        p->axis[plan->ndim - 1 - axis].divisor = gndi_cuda_divide_by(plan->shape[axis]);
}

gnd_status gndi_cuda_launch_special(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    gndi_special_params params;
    int units;
    const void *kernel = kernel_of(plan->op, plan->loop, &units);
    write_params(plan, &params);
    const int64_t block = (int64_t)units * GNDI_SPECIAL_THREADS;
    return gndi_cuda_launch(s, kernel, (plan->size + block - 1) / block, GNDI_SPECIAL_THREADS, 0, &params, fn);
}
