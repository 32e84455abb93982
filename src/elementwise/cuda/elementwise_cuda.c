/*
 * elementwise_cuda.c: the CUDA backend's entry for elementwise plans. The common case, dense operands in the loop's own
 * dtypes, fills a small parameter block and launches. Other plans are made to fit the kernels: operands are copied to
 * dense memory if no kernel makes their cast, if there are more axes than a parameter block holds, or if they are
 * transposed and the function has no tile kernel. Plans too large for 32-bit indices are split in halves.
 */
#include "core/axes.h"
#include "elementwise/cuda/elementwise_launch.h"

/* ---- launching ------------------------------------------------------------------------------ */

/* Whether every operand's vectors are aligned. */
static bool dense_aligned(const gndi_ew_plan *plan, int width) {
    uintptr_t misaligned = 0;
    for (int k = 0; k < plan->nout + plan->nin; k++) {
        const gndi_ew_operand *operand = &plan->operand[k];
        if (operand->immediate) continue;
        uintptr_t bytes = (uintptr_t)width * gndi_dtype_sizes[operand->dtype];
        misaligned |= (uintptr_t)operand->data & ((bytes < 16 ? bytes : 16) - 1);
    }
    return misaligned == 0;
}

static gnd_status launch_dense(gnd_stream *s, const gndi_ew_plan *plan, const gndi_cuda_kernels *kernels,
                               const char *fn) {
    gndi_dense_params params;
    for (int k = 0; k < plan->nout; k++) params.out[k] = plan->operand[k].data;
    for (int k = 0; k < plan->nin; k++) {
        const gndi_ew_operand *operand = &plan->operand[plan->nout + k];
        params.in[k] = operand->immediate ? NULL : operand->data;
        if (operand->immediate) memcpy(&params.value[k], &operand->value, sizeof params.value[k]);
    }
    params.n = (uint32_t)plan->size;
    params.fault = gndi_op_fault(s, plan->op);
    memcpy(params.params, plan->params, sizeof params.params);
    enum { THREADS = GNDI_CUDA_DENSE_THREADS };
    uint32_t block = (uint32_t)kernels->dense_width * kernels->dense_unroll * THREADS;
    uint32_t blocks = (params.n + block - 1) / block;
    return gndi_cuda_launch_early(s, kernels->dense, blocks, THREADS, 0, &params, fn);
}

/* ---- plans in normal form ------------------------------------------------------------------- */

/* Drops axes of size 1, merges what can be, and sets the flags, after operands have
   been changed. */
static void normalize(gndi_ew_plan *plan) {
    int64_t *stride[GNDI_MAX_OPERANDS];
    gndi_walk w = {.ndim = plan->ndim, .operands = gndi_plan_operands(plan), .shape = plan->shape, .stride = stride};
    for (int k = 0; k < w.operands; k++) stride[k] = plan->stride[k];
    gndi_walk_drop_single(&w);
    plan->ndim = gndi_walk_merge(&w, 0, w.ndim);
    plan->uniform = true;
    plan->contiguous = plan->ndim <= 1;
    for (int k = 0; k < plan->nout + plan->nin; k++) {
        const gndi_ew_operand *operand = &plan->operand[k];
        if (operand->immediate) continue;
        if (operand->dtype != gndi_plan_letter_dtype(plan, k)) plan->uniform = false;
        if (plan->ndim == 1 && plan->stride[k][0] != gndi_plan_itemsize(plan, k)) plan->contiguous = false;
    }
}

/* ---- dense copies of operands --------------------------------------------------------------- */

/* A plan that copies operand `from` of `plan` to operand `to` of `other`, which have one shape,
   where the mask, operand `mask` of `plan`, is true (all of it if `mask` is negative). Axes along
   which the destination stands still are taken once. */
static gndi_ew_plan copy_plan(const gndi_ew_plan *plan, int from, const gndi_ew_plan *other, int to, int mask) {
    gndi_ew_plan copy = {.op = GNDI_OP_copy, .nin = 1, .nout = 1, .size = 1};
    copy.loop = (gnd_dtype)other->operand[to].dtype;
    copy.operand[0] = other->operand[to];
    copy.operand[1] = plan->operand[from];
    copy.masked = mask >= 0;
    if (copy.masked) copy.operand[2] = plan->operand[mask];
    for (int i = 0; i < plan->ndim; i++) {
        if (other->stride[to][i] == 0) continue;
        copy.shape[copy.ndim] = plan->shape[i];
        copy.stride[0][copy.ndim] = other->stride[to][i];
        copy.stride[1][copy.ndim] = plan->stride[from][i];
        if (copy.masked) copy.stride[2][copy.ndim] = plan->stride[mask][i];
        copy.size *= plan->shape[i];
        copy.ndim++;
    }
    normalize(&copy);
    return copy;
}

/* Gives operand k of `changed` dense memory of its own, of this dtype, in the plan's order of axes;
   unless `spread`, with nothing along axes where it stands still. NULL if there is no memory. */
static gndi_buffer *make_dense(gnd_stream *s, gndi_ew_plan *changed, int k, gnd_dtype dtype, bool spread,
                               const char *fn) {
    int64_t bytes = gndi_dtype_sizes[dtype];
    for (int i = changed->ndim - 1; i >= 0; i--) {
        if (changed->stride[k][i] == 0 && !spread) continue;
        changed->stride[k][i] = bytes;
        bytes *= changed->shape[i];
    }
    gndi_buffer *buffer = gndi_buffer_new(fn, s, (size_t)bytes);
    changed->operand[k].dtype = (uint8_t)dtype;
    changed->operand[k].data = buffer ? buffer->base : NULL;
    return buffer;
}

/* Copies the chosen inputs (and mask) and points `changed` at the copies. */
static gnd_status copy_inputs(gnd_stream *s, const gndi_ew_plan *plan, gndi_ew_plan *changed, uint32_t operands,
                              uint32_t cast, bool spread, gndi_buffer **buffers, const char *fn) {
    for (int k = plan->nout; k < gndi_plan_operands(plan); k++) {
        if (!(operands >> k & 1) || plan->operand[k].immediate) continue;
        gnd_dtype dtype = cast >> k & 1 ? gndi_plan_letter_dtype(plan, k) : (gnd_dtype)plan->operand[k].dtype;
        buffers[k] = make_dense(s, changed, k, dtype, spread, fn);
        if (!buffers[k]) return GND_ERROR_MEMORY;
        gndi_ew_plan copy = copy_plan(plan, k, changed, k, -1);
        gnd_status status = gndi_cuda_elementwise(s, &copy, fn);
        if (status) return status;
    }
    return GND_OK;
}

/* Copies results from where `changed` put them to where the plan wants them. */
static gnd_status copy_outputs(gnd_stream *s, const gndi_ew_plan *plan, const gndi_ew_plan *changed,
                               gndi_buffer *const *buffers, const char *fn) {
    for (int k = 0; k < plan->nout; k++) {
        if (!buffers[k]) continue;
        /* The mask as the caller gave it; operand k as it was computed. */
        gndi_ew_plan source = *plan;
        source.operand[k] = changed->operand[k];
        memcpy(source.stride[k], changed->stride[k], sizeof source.stride[k]);
        gndi_ew_plan copy = copy_plan(&source, k, plan, k, plan->masked ? plan->nout + plan->nin : -1);
        gnd_status status = gndi_cuda_elementwise(s, &copy, fn);
        if (status) return status;
    }
    return GND_OK;
}

/* Runs the plan with these inputs copied to dense memory first, in the dtype the loop takes where
   `cast` has their bit, and with these outputs computed in dense memory and copied from there.
   `spread`: inputs are copied as they are broadcast. Operands are meant by bits: outputs, inputs, mask. */
static gnd_status through_copies(gnd_stream *s, const gndi_ew_plan *plan, uint32_t operands, uint32_t cast, bool spread,
                                 const char *fn) {
    gndi_buffer *buffers[GNDI_MAX_OPERANDS] = {NULL};
    gndi_ew_plan changed = *plan;
    gnd_status status = copy_inputs(s, plan, &changed, operands, cast, spread, buffers, fn);
    for (int k = 0; k < plan->nout && !status; k++) {
        if (!(operands >> k & 1)) continue;
        buffers[k] = make_dense(s, &changed, k, gndi_plan_letter_dtype(plan, k), true, fn);
        if (!buffers[k]) status = GND_ERROR_MEMORY;
    }
    if (!status) {
        gndi_ew_plan computed = changed;
        normalize(&computed);
        status = gndi_cuda_elementwise(s, &computed, fn);
    }
    if (!status) status = copy_outputs(s, plan, &changed, buffers, fn);
    for (int k = 0; k < GNDI_MAX_OPERANDS; k++)
        if (buffers[k]) gndi_buffer_release(buffers[k]);
    return status;
}

/* ---- large plans ---------------------------------------------------------------------------- */

/* Runs a plan of more than GNDI_CUDA_LARGEST elements in two halves. */
static gnd_status in_halves(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    int axis = 0;
    for (int i = 1; i < plan->ndim; i++)
        if (plan->shape[i] > plan->shape[axis]) axis = i;
    gndi_ew_plan half = *plan;
    int64_t whole = plan->shape[axis], first = whole / 2;
    if (first > 64) first &= ~INT64_C(63); /* what was aligned stays so */
    half.shape[axis] = first;
    half.size = plan->size / whole * first;
    gnd_status status = gndi_cuda_elementwise(s, &half, fn);
    if (status) return status;
    for (int k = 0; k < gndi_plan_operands(plan); k++)
        if (!plan->operand[k].immediate) half.operand[k].data += first * plan->stride[k][axis];
    half.shape[axis] = whole - first;
    half.size = plan->size / whole * (whole - first);
    return gndi_cuda_elementwise(s, &half, fn);
}

/* ---- all other plans ------------------------------------------------------------------------ */

/* Special functions have a kernel for each family: what is cast, or has too many axes, is copied first. */
static gnd_status special(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    const uint32_t needs_cast = gndi_cuda_special_needs_cast(plan);
    if (needs_cast) return through_copies(s, plan, needs_cast, needs_cast, false, fn);
    if (plan->size > GNDI_CUDA_LARGEST) return in_halves(s, plan, fn);
    if (plan->ndim > GNDI_CUDA_AXES) return through_copies(s, plan, (1u << gndi_plan_operands(plan)) - 1, 0, true, fn);
    return gndi_cuda_launch_special(s, plan, fn);
}

/* Every way through this function ends in a launch, or in simpler plans that come back here. */
static gnd_status elementwise_general(gnd_stream *s, const gndi_ew_plan *plan, const gndi_cuda_kernels *kernels,
                                      const char *fn) {
    uint32_t needs_cast = plan->uniform ? 0 : gndi_cuda_needs_cast(plan);
    if (needs_cast) return through_copies(s, plan, needs_cast, needs_cast, false, fn);
    if (plan->size > GNDI_CUDA_LARGEST) return in_halves(s, plan, fn);
    if (plan->ndim > GNDI_CUDA_AXES && plan->op != GNDI_OP_copy) {
        uint32_t all = (1u << gndi_plan_operands(plan)) - 1;
        return through_copies(s, plan, all, 0, true, fn);
    }
    gndi_tile_choice tile;
    if (plan->ndim <= GNDI_CUDA_AXES && gndi_cuda_choose_tile(plan, &tile)) {
        if (kernels->tile && plan->uniform && !plan->masked) return gndi_cuda_launch_tile(s, plan, &tile, fn);
        return through_copies(s, plan, tile.crossed << plan->nout, 0, false, fn);
    }
    return gndi_cuda_launch_rows(s, plan, fn);
}

gnd_status gndi_cuda_elementwise(gnd_stream *s, const gndi_ew_plan *plan, const char *fn) {
    if (gndi_unlikely(plan->size == 0)) return GND_OK;
    if (gndi_unlikely(gndi_op_is_special(plan->op))) return special(s, plan, fn);
    const gndi_cuda_kernels *kernels = gndi_cuda_kernels_of(plan);
    if (gndi_likely(plan->contiguous && plan->uniform && !plan->masked && plan->size <= GNDI_CUDA_LARGEST &&
                    dense_aligned(plan, kernels->dense_width)))
        return launch_dense(s, plan, kernels, fn);
    return elementwise_general(s, plan, kernels, fn);
}
