/*
 * launch_axes.c: the axes of a launch. Axes of size 1 are dropped. Kept axes come before reduced ones, and
 * each group is sorted so that stores, or else loads, run in memory order. Axes with negative store strides
 * are reversed, and neighbours that are contiguous for all operands are merged.
 */
#include "core/axes.h"
#include "fuse/fuse.h"

/* Stores first, then loads, which decide the order of the axes; then sequences. */
static gndi_walk walk_of(gndi_fuse_plan *plan, int64_t **stride) {
    gndi_walk w = {.ndim = plan->ndim, .shape = plan->shape, .stride = stride};
    for (int kind = 0; kind < 3; kind++) {
        w.leaders = w.operands;
        for (int k = 0; k < plan->operands; k++) {
            const gndi_fuse_operand *x = &plan->operand[k];
            if ((x->store ? 0 : x->data ? 1 : 2) == kind) stride[w.operands++] = plan->stride[k];
        }
    }
    return w;
}

/* Moves the kept axes first, and drops axes of size 1; returns the number of kept axes. */
static int separate(gndi_fuse_plan *plan, int ndim, const int64_t *shape, uint64_t reduced) {
    int order[GND_MAX_DIMS], count = 0, kept = 0;
    for (int group = 0; group < 2; group++) {
        for (int i = 0; i < ndim; i++)
            if ((int)(reduced >> i & 1) == group && shape[i] != 1) order[count++] = i;
        if (!group) kept = count;
    }
    for (int i = 0; i < count; i++) plan->shape[i] = shape[order[i]];
    for (int k = 0; k < plan->operands; k++) {
        int64_t strides[GND_MAX_DIMS];
        for (int i = 0; i < count; i++) strides[i] = plan->stride[k][order[i]];
        for (int i = 0; i < count; i++) plan->stride[k][i] = strides[i];
    }
    plan->ndim = count;
    return kept;
}

static void flip_axes(gndi_fuse_plan *plan) {
    for (int axis = 0; axis < plan->ndim; axis++) {
        bool backwards = false, can = true;
        for (int k = 0; k < plan->operands; k++) {
            backwards |= plan->operand[k].store && plan->stride[k][axis] < 0;
            can &= plan->operand[k].data != NULL || plan->stride[k][axis] == 0;
        }
        for (int k = 0; backwards && can && k < plan->operands; k++) {
            plan->operand[k].data += plan->stride[k][axis] * (plan->shape[axis] - 1);
            plan->stride[k][axis] = -plan->stride[k][axis];
        }
    }
}

static bool is_contiguous(const gndi_fuse_plan *plan) {
    if (plan->ndim > 1 || plan->shape_of != GNDI_FUSE_MAP) return false;
    for (int k = 0; plan->ndim && k < plan->operands; k++) {
        const int64_t step =
            plan->operand[k].data || plan->operand[k].store ? gndi_dtype_sizes[plan->operand[k].dtype] : 1;
        if (plan->stride[k][0] != step && plan->stride[k][0] != 0) return false;
    }
    return true;
}

void gndi_fuse_plan_axes(gndi_fuse_plan *plan, int ndim, const int64_t *shape, uint64_t reduced) {
    int64_t *stride[GNDI_FUSE_OPERANDS];
    const int kept = separate(plan, ndim, shape, reduced);
    flip_axes(plan);
    gndi_walk w = walk_of(plan, stride);
    plan->kept = gndi_walk_collapse(&w, 0, kept);
    gndi_walk_collapse(&w, plan->kept, w.ndim);
    plan->ndim = w.ndim;
    plan->rows = plan->length = 1;
    for (int i = 0; i < plan->ndim; i++) *(i < plan->kept ? &plan->rows : &plan->length) *= plan->shape[i];
    plan->size = plan->rows * plan->length;
    plan->contiguous = is_contiguous(plan);
}
