/*
 * elementwise_rows_cuda.c: plans of any strides. Chooses between vectors along the last axis and
 * single elements, deals them to threads, and writes the plan as a parameter block.
 */
#include "elementwise/cuda/elementwise_launch.h"

/* Below this many elements a remainder is not worth a launch of its own. */
enum { SMALL = 1 << 14 };
/* Rows of fewer units don't fill a warp. */
enum { WIDE = 32 };

/* ---- vectors or elements -------------------------------------------------------------------- */

/* Whether operand k can be accessed in vectors of `width` elements along the last axis. */
static bool has_vectors(const gndi_ew_plan *plan, int k, int width) {
    const gndi_ew_operand *operand = &plan->operand[k];
    if (operand->immediate) return true;
    const int64_t *stride = plan->stride[k];
    int64_t itemsize = gndi_plan_itemsize(plan, k), step = stride[plan->ndim - 1];
    if (step == 0 && k >= plan->nout) return true;
    if (step != itemsize) return false;
    int64_t bytes = width * itemsize < 16 ? width * itemsize : 16;
    uint64_t misaligned = (uint64_t)(uintptr_t)operand->data;
    for (int i = 0; i < plan->ndim - 1; i++) misaligned |= (uint64_t)stride[i];
    return (misaligned & (uint64_t)(bytes - 1)) == 0;
}

/* Whether the plan can be run in vectors, but for a remainder of a single axis. */
static bool in_vectors(const gndi_ew_plan *plan, int width) {
    if (width == 1 || plan->ndim == 0 || plan->ndim > GNDI_CUDA_AXES) return false;
    int64_t last = plan->shape[plan->ndim - 1];
    if (last % width != 0 && (plan->ndim > 1 || last < SMALL)) return false;
    for (int k = 0; k < gndi_plan_operands(plan); k++)
        if (!has_vectors(plan, k, width)) return false;
    return true;
}

/* ---- the parameter block -------------------------------------------------------------------- */

/* Where operand k of the plan stands in the block: the mask always last. */
static int position_of(const gndi_ew_plan *plan, int k) {
    return k < plan->nout + plan->nin ? k : GNDI_CUDA_OPERANDS - 1;
}

static void write_operands(const gndi_ew_plan *plan, bool vectors, gndi_rows_params *params) {
    memset(params->access, GNDI_ROWS_IMMEDIATE, sizeof params->access);
    params->data[GNDI_CUDA_OPERANDS - 1] = NULL;
    for (int i = 0; i < gndi_plan_operands(plan); i++) {
        const gndi_ew_operand *operand = &plan->operand[i];
        int k = position_of(plan, i), log = 0;
        params->data[k] = operand->data;
        params->dtype[k] = operand->dtype;
        while (1 << log < gndi_plan_itemsize(plan, i)) log++;
        params->log_size[k] = (uint8_t)log;
        if (operand->immediate)
            memcpy(&params->value[i - plan->nout], &operand->value, sizeof params->value[0]);
        else
            params->access[k] = !vectors                               ? GNDI_ROWS_ELEMENT
                                : plan->stride[i][plan->ndim - 1] == 0 ? GNDI_ROWS_SAME
                                                                       : GNDI_ROWS_VECTOR;
    }
}

/* The axis of the plan along which a thread has its units: the longest, but the last one, along
   which threads stand side by side, only if the others are short. */
static int units_axis(const gndi_ew_plan *plan, int units) {
    int longest = 0;
    for (int i = 1; i < plan->ndim - 1; i++)
        if (plan->shape[i] > plan->shape[longest]) longest = i;
    int last = plan->ndim - 1;
    return plan->shape[longest] < 4 * units && plan->shape[last] > plan->shape[longest] ? last : longest;
}

/* The plan's axes, its last first and counted in vectors of `width`; but that of the units,
   which has this many `groups` of them, after all others. */
static void write_axes(const gndi_ew_plan *plan, int width, int along, int64_t groups, gndi_rows_axis *axes) {
    int last = plan->ndim - 1, to = 0;
    for (int i = last; i >= -1; i--) {
        if (i == along) continue;
        int from = i >= 0 ? i : along;
        int64_t times = from == last ? width : 1;
        axes[to].divisor = gndi_cuda_divide_by(from == along ? groups : plan->shape[from] / times);
        for (int k = 0; k < gndi_plan_operands(plan); k++)
            axes[to].stride[position_of(plan, k)] = plan->stride[k][from] * times;
        to++;
    }
}

/* Smaller blocks where elements are cast: measured, see elementwise_tuning.h. */
static int block_threads(const gndi_ew_plan *plan) {
    return plan->uniform ? GNDI_CUDA_ROWS_THREADS : GNDI_CUDA_MIXED_THREADS;
}

/* How the units of a plan of at least one axis are dealt to threads; returns the blocks. */
static int64_t write_units(const gndi_ew_plan *plan, int width, int units, gndi_rows_params *params,
                           gndi_rows_axis *axes) {
    int last = plan->ndim - 1, along = units_axis(plan, units);
    int64_t times = along == last ? width : 1, size = plan->shape[along] / times;
    int64_t groups = (size + units - 1) / units;
    int64_t threads = plan->size / width / size * groups;
    bool wide = plan->shape[last] / width >= WIDE;
    params->axes = (uint32_t)plan->ndim;
    params->threads = (uint32_t)threads;
    params->units = (uint32_t)units;
    params->size = (uint32_t)size;
    if (plan->ndim == 1) { /* a block's units lie together */
        params->scale = 1;
        params->step = (uint32_t)block_threads(plan);
    } else if (along != last && wide) { /* on neighbouring rows */
        params->scale = (uint32_t)units;
        params->step = 1;
    } else { /* far apart, so that what a warp accesses lies together */
        params->scale = 1;
        params->step = (uint32_t)groups;
    }
    for (int k = 0; k < gndi_plan_operands(plan); k++)
        params->offset[position_of(plan, k)] = plan->stride[k][along] * times * params->step;
    write_axes(plan, width, along, groups, axes);
    return (threads + block_threads(plan) - 1) / block_threads(plan);
}

/* ---- launches ------------------------------------------------------------------------------- */

typedef struct kernel_choice {
    const void *kernel;
    int width, unroll;
} kernel_choice;

static kernel_choice choose(const gndi_ew_plan *plan) {
    const gndi_cuda_kernels *k = gndi_cuda_kernels_of(plan);
    return plan->uniform ? (kernel_choice){k->rows, k->rows_width, k->rows_unroll}
                         : (kernel_choice){k->mixed, k->mixed_width, k->mixed_unroll};
}

/* One launch: all of the plan in vectors, or all in elements. */
static gnd_status launch(gnd_stream *s, const gndi_ew_plan *plan, kernel_choice choice, bool vectors, const char *fn) {
    if (plan->ndim == 0) { /* one element is one axis of one */
        gndi_ew_plan single = *plan;
        single.ndim = 1;
        single.shape[0] = 1;
        for (int k = 0; k < gndi_plan_operands(plan); k++) single.stride[k][0] = 0;
        return launch(s, &single, choice, false, fn);
    }
    gndi_rows_params params;
    write_operands(plan, vectors, &params);
    int units = vectors ? choice.unroll : choice.unroll * choice.width;
    int64_t blocks = write_units(plan, vectors ? choice.width : 1, units, &params, params.axis);
    params.deep = NULL;
    params.fault = gndi_op_fault(s, plan->op);
    memcpy(params.params, plan->params, sizeof params.params);
    return gndi_cuda_launch_early(s, choice.kernel, blocks, block_threads(plan), 0, &params, fn);
}

/* `copy` over more axes than a parameter block holds. */
static gnd_status launch_deep(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    gndi_rows_axis axes[GND_MAX_DIMS] = {0};
    gndi_rows_params params;
    write_operands(plan, false, &params);
    int64_t blocks = write_units(plan, 1, 1, &params, axes);
    size_t bytes = (size_t)plan->ndim * sizeof axes[0];
    gndi_buffer *buffer = gndi_buffer_new(fn, s, bytes);
    if (!buffer) return GND_ERROR_MEMORY;
    gnd_status status = s->device->backend->copy_in(s, buffer->base, axes, bytes, false, fn);
    params.deep = buffer->base;
    params.fault = gndi_op_fault(s, plan->op);
    const void *kernel = gndi_cuda_kernels_of(plan)->deep;
    if (!status) status = gndi_cuda_launch_early(s, kernel, blocks, block_threads(plan), 0, &params, fn);
    gndi_buffer_release(buffer);
    return status;
}

gnd_status gndi_cuda_launch_rows(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    if (plan->ndim > GNDI_CUDA_AXES) return launch_deep(s, plan, fn);
    kernel_choice choice = choose(plan);
    if (!in_vectors(plan, choice.width)) return launch(s, plan, choice, false, fn);
    int64_t rest = plan->size % choice.width;
    if (plan->ndim > 1 || rest == 0) return launch(s, plan, choice, true, fn);
    /* One axis that isn't a whole number of vectors. */
    gndi_ew_plan part = *plan;
    part.size = part.shape[0] = plan->size - rest;
    gnd_status status = launch(s, &part, choice, true, fn);
    for (int k = 0; k < gndi_plan_operands(plan); k++)
        if (!part.operand[k].immediate) part.operand[k].data += part.size * part.stride[k][0];
    part.size = part.shape[0] = rest;
    return status ? status : launch(s, &part, choice, false, fn);
}
