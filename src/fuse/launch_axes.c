/*
 * launch_axes.c: the axes of a launch. Axes of size 1 are dropped. Kept axes come before reduced ones, and
 * each group is sorted so that stores, or else loads, run in memory order. Axes with negative store strides
 * are reversed, and neighbours that are contiguous for all operands are merged.
 */
#include "fuse/fuse.h"

/* Whether axis a should be inside axis b, by the first operand whose strides differ: stores, then loads. */
static bool runs_faster(const gndi_fuse_plan *plan, int a, int b) {
    for (int store = 1; store >= 0; store--)
        for (int k = 0; k < plan->operands; k++) {
            if (plan->operand[k].store != store || (!store && !plan->operand[k].data)) continue;
            const int64_t sa = gndi_magnitude(plan->stride[k][a]);
            const int64_t sb = gndi_magnitude(plan->stride[k][b]);
            if (sa != 0 && sb != 0 && sa != sb) return sa < sb;
        }
    return false;
}

static void swap_axes(gndi_fuse_plan *plan, int a, int b) {
    const int64_t size = plan->shape[a];
    plan->shape[a] = plan->shape[b], plan->shape[b] = size;
    for (int k = 0; k < plan->operands; k++) {
        const int64_t stride = plan->stride[k][a];
        plan->stride[k][a] = plan->stride[k][b], plan->stride[k][b] = stride;
    }
}

static void move_axis(gndi_fuse_plan *plan, int to, int from) {
    plan->shape[to] = plan->shape[from];
    for (int k = 0; k < plan->operands; k++) plan->stride[k][to] = plan->stride[k][from];
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

/* Sorts and merges axes begin .. end - 1 in place; returns how many remain. */
static int merge_group(gndi_fuse_plan *plan, int begin, int end) {
    for (int n = begin + 1; n < end; n++)
        for (int j = n; j > begin && runs_faster(plan, j - 1, j); j--) swap_axes(plan, j - 1, j);
    if (begin == end) return 0;
    int last = begin;
    for (int axis = begin + 1; axis < end; axis++) {
        bool one = true;
        for (int k = 0; k < plan->operands && one; k++)
            one = plan->stride[k][last] == plan->stride[k][axis] * plan->shape[axis];
        const int64_t size = one ? plan->shape[last] * plan->shape[axis] : plan->shape[axis];
        if (!one) last++;
        move_axis(plan, last, axis);
        plan->shape[last] = size;
    }
    return last + 1 - begin;
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
    int kept = separate(plan, ndim, shape, reduced);
    flip_axes(plan);
    const int all = plan->ndim;
    const int first = merge_group(plan, 0, kept);
    for (int i = 0; i < all - kept; i++) move_axis(plan, first + i, kept + i);
    plan->ndim = first + merge_group(plan, first, first + all - kept);
    plan->kept = first;
    plan->rows = plan->length = 1;
    for (int i = 0; i < plan->ndim; i++) *(i < first ? &plan->rows : &plan->length) *= plan->shape[i];
    plan->size = plan->rows * plan->length;
    plan->contiguous = is_contiguous(plan);
}
