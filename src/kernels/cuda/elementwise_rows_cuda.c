/*
 * elementwise_rows_cuda.c: plans of any strides. Chooses between vectors along the last axis,
 * single elements, and single elements with casts, and writes the plan as a parameter block.
 */
#include "kernels/cuda/elementwise_launch.h"

/* Below this many elements a remainder is not worth a launch of its own. */
enum { SMALL = 1 << 14 };

gndi_cuda_divisor gndi_cuda_divide_by(int64_t size) {
    gndi_cuda_divisor d = {.size = (uint32_t)size};
    while ((UINT64_C(1) << d.shift) < (uint64_t)size) d.shift++;
    /* Granlund and Montgomery, "Division by invariant integers using multiplication", 1994. */
    d.magic = (uint32_t)((UINT64_C(1) << 32) * ((UINT64_C(1) << d.shift) - (uint64_t)size) /
                             (uint64_t)size +
                         1);
    return d;
}

/* ---- which kernel
 * --------------------------------------------------------------------------------------- */

/* Whether operand k can be accessed in vectors of `width` elements along the last axis. */
static bool has_vectors(const gndi_ew_plan *plan, int k, int width) {
    const gndi_ew_operand *operand = &plan->operand[k];
    if (operand->immediate) return true;
    const int64_t *stride = plan->stride[k];
    int64_t itemsize = gndi_plan_itemsize(plan, k), step = stride[plan->ndim - 1];
    if (step == 0 && k >= plan->nout) return true;
    if (step != itemsize) return false;
    int64_t bytes = width * itemsize < 16 ? width * itemsize : 16;
    uint64_t misplaced = (uint64_t)(uintptr_t)operand->data;
    for (int i = 0; i < plan->ndim - 1; i++) misplaced |= (uint64_t)stride[i];
    return (misplaced & (uint64_t)(bytes - 1)) == 0;
}

/* Whether the vector kernel can run the plan, but for a remainder of a single axis. */
static bool has_rows(const gndi_ew_plan *plan, const gndi_cuda_kernels *kernels) {
    int width = kernels->rows_width;
    if (width == 1 || plan->ndim == 0 || plan->ndim > GNDI_CUDA_AXES) return false;
    if (!plan->uniform && plan->op != GNDI_OP_copy) return false;
    int64_t last = plan->shape[plan->ndim - 1];
    if (plan->ndim == 1 ? last % width != 0 && last < SMALL : last % width != 0) return false;
    for (int k = 0; k < gndi_plan_operands(plan); k++)
        if (!has_vectors(plan, k, width)) return false;
    return true;
}

/* ---- the parameter block
 * ---------------------------------------------------------------------------------- */

/* Axes with the fastest first; the plan's last is counted in vectors. */
static void write_axes(const gndi_ew_plan *plan, int width, gndi_rows_axis *axes) {
    for (int i = 0; i < plan->ndim; i++) {
        int from = plan->ndim - 1 - i, scale = i == 0 ? width : 1;
        axes[i].divisor = gndi_cuda_divide_by(plan->shape[from] / scale);
        for (int k = 0; k < plan->nout + plan->nin; k++)
            axes[i].stride[k] = plan->stride[k][from] * scale;
        if (plan->masked)
            axes[i].stride[GNDI_CUDA_OPERANDS - 1] =
                plan->stride[plan->nout + plan->nin][from] * scale;
    }
}

static void write_operands(const gndi_ew_plan *plan, gndi_rows_params *params) {
    int operands = plan->nout + plan->nin;
    params->immediate = params->replicated = 0;
    for (int k = 0; k < operands; k++) {
        const gndi_ew_operand *operand = &plan->operand[k];
        params->data[k] = operand->data;
        params->dtype[k] = operand->dtype;
        if (operand->immediate) {
            params->immediate |= (uint8_t)(1u << (k - plan->nout));
            memcpy(&params->value[k - plan->nout], &operand->value, sizeof params->value[0]);
        } else if (plan->ndim == 0 || plan->stride[k][plan->ndim - 1] == 0) {
            params->replicated |= (uint8_t)(1u << k);
        }
    }
    int mask = GNDI_CUDA_OPERANDS - 1;
    params->data[mask] = plan->masked ? plan->operand[operands].data : NULL;
    if (plan->masked && (plan->ndim == 0 || plan->stride[operands][plan->ndim - 1] == 0))
        params->replicated |= (uint8_t)(1u << mask);
}

/* ---- launches
 * ------------------------------------------------------------------------------------------------
 */

/* `deep`: the axes in device memory, or NULL. */
static gnd_status launch(gnd_stream *s, const gndi_ew_plan *plan, const void *kernel, int width,
                         int unroll, const gndi_rows_axis *deep, const char *fn) {
    gndi_rows_params params;
    write_operands(plan, &params);
    params.axes = (uint32_t)plan->ndim;
    params.count = (uint32_t)(plan->size / width);
    params.deep = deep;
    if (!deep) write_axes(plan, width, params.axis);
    params.fault = s->device->fault;
    memcpy(params.params, plan->params, sizeof params.params);
    int64_t block = (int64_t)GNDI_CUDA_THREADS * unroll;
    return gndi_cuda_launch(s, kernel, (params.count + block - 1) / block, 0, &params, fn);
}

/* `copy` over more axes than a parameter block holds. */
static gnd_status launch_deep(gnd_stream *s, const gndi_ew_plan *plan,
                              const gndi_cuda_kernels *kernels, const char *fn) {
    gndi_rows_axis axes[GND_MAX_DIMS] = {0};
    write_axes(plan, 1, axes);
    size_t bytes = (size_t)plan->ndim * sizeof axes[0];
    gndi_buffer *buffer = gndi_buffer_new(fn, s, bytes);
    if (!buffer) return GND_ERROR_MEMORY;
    gnd_status status = s->device->backend->copy_in(s, buffer->base, axes, bytes, false, fn);
    if (!status)
        status = launch(s, plan, kernels->deep, 1, kernels->mixed_unroll, buffer->base, fn);
    gndi_buffer_release(buffer);
    return status;
}

static gnd_status launch_elements(gnd_stream *s, const gndi_ew_plan *plan,
                                  const gndi_cuda_kernels *kernels, const char *fn) {
    if (plan->uniform)
        return launch(s, plan, kernels->strided, 1, kernels->strided_unroll, NULL, fn);
    return launch(s, plan, kernels->mixed, 1, kernels->mixed_unroll, NULL, fn);
}

gnd_status gndi_cuda_launch_rows(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    const gndi_cuda_kernels *kernels = gndi_cuda_kernels_of(plan);
    if (plan->ndim > GNDI_CUDA_AXES) return launch_deep(s, plan, kernels, fn);
    if (!has_rows(plan, kernels)) return launch_elements(s, plan, kernels, fn);
    int width = kernels->rows_width;
    int64_t rest = plan->size % width;
    if (plan->ndim > 1 || rest == 0)
        return launch(s, plan, kernels->rows, width, kernels->rows_unroll, NULL, fn);
    /* One axis that isn't a whole number of vectors. */
    gndi_ew_plan part = *plan;
    part.size = part.shape[0] = plan->size - rest;
    gnd_status status = launch(s, &part, kernels->rows, width, kernels->rows_unroll, NULL, fn);
    for (int k = 0; k < gndi_plan_operands(plan); k++)
        if (!part.operand[k].immediate) part.operand[k].data += part.size * part.stride[k][0];
    part.size = part.shape[0] = rest;
    return status ? status : launch_elements(s, &part, kernels, fn);
}
