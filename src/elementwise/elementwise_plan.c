/*
 * elementwise_plan.c: the axes of an elementwise operation. New outputs get NumPy's K order; then
 * axes of size 1 go, the rest are sorted so that the outputs are written in memory order, and
 * neighbours that every operand crosses in one step are merged. A dense problem ends with one axis.
 */
#include "elementwise/elementwise.h"
#include "core/axes.h"

/*
 * Whether axis a should lie outside axis b, going by the operands' strides: 1 yes, -1 no, 0 no
 * operand can tell. Where operands disagree the order of the axes in the shape (a before b) stays,
 * as in NumPy.
 */
static int lies_outside(const gndi_ew_space *space, int a, int b) {
    int answer = 0;
    for (int k = 0; k < space->count; k++) {
        int64_t sa = gndi_magnitude(space->stride[k][a]), sb = gndi_magnitude(space->stride[k][b]);
        if (sa == 0 || sb == 0) continue;
        if (sa >= sb) return 1;
        answer = -1;
    }
    return answer;
}

void gndi_ew_k_strides(const gndi_ew_space *space, int64_t itemsize, int64_t *strides) {
    int order[GND_MAX_DIMS]; /* axes from the fastest to the slowest */
    int ndim = space->ndim;
    for (int n = 0; n < ndim; n++) {
        /* Insert axis ndim-1-n: it goes inside the axes that it is known to lie inside of. */
        int axis = ndim - 1 - n, at = n;
        for (int j = n - 1; j >= 0; j--) {
            int outside = lies_outside(space, axis, order[j]);
            if (outside > 0) break;
            if (outside < 0) at = j;
        }
        memmove(order + at + 1, order + at, (size_t)(n - at) * sizeof *order);
        order[at] = axis;
    }
    int64_t step = itemsize;
    for (int n = 0; n < ndim; n++) {
        strides[order[n]] = step;
        if (space->shape[order[n]] > 0) step *= space->shape[order[n]];
    }
}

/* ---- sort, flip, merge ---------------------------------------------------------------------- */

void gndi_ew_plan_axes(const gndi_ew_space *space, gndi_ew_plan *plan) {
    const int operands = space->count;
    int64_t *stride[GNDI_MAX_OPERANDS], offset[GNDI_MAX_OPERANDS] = {0}, signs = 0; /* below 0: some stride is */
    gndi_walk w = {.operands = operands, .leaders = operands, .shape = plan->shape, .stride = stride, .offset = offset};
    for (int k = 0; k < GNDI_MAX_OPERANDS; k++) stride[k] = plan->stride[k];
    for (int axis = 0; axis < space->ndim; axis++) {
        if (space->shape[axis] == 1) continue;
        plan->shape[w.ndim] = space->shape[axis];
        for (int k = 0; k < operands; k++) {
            plan->stride[k][w.ndim] = space->stride[k][axis];
            signs |= space->stride[k][axis];
        }
        w.ndim++;
    }
    if (signs < 0 && gndi_walk_flip(&w))
        for (int k = 0; k < operands; k++)
            if (offset[k]) plan->operand[k].data += offset[k];
    plan->ndim = gndi_walk_collapse(&w, 0, w.ndim);

    plan->contiguous = plan->ndim <= 1;
    for (int k = 0; plan->contiguous && plan->ndim && k < operands; k++)
        if (!plan->operand[k].immediate && plan->stride[k][0] != gndi_dtype_sizes[plan->operand[k].dtype])
            plan->contiguous = false;
}

/* ---- overlap -------------------------------------------------------------------------------- */

static int64_t greatest_common_divisor(int64_t a, int64_t b) {
    while (b) {
        int64_t r = a % b;
        a = b, b = r;
    }
    return a;
}

/* Interleaved views such as x[::2] and x[1::2]: every element of both starts at a multiple of g
   from its array's first, and the two lattices are far enough apart. */
static bool interleaved(const gndi_ew_space *space, const gnd_array *out, int o, const gnd_array *in, int i) {
    int64_t g = 0;
    for (int axis = 0; axis < space->ndim; axis++) {
        if (space->shape[axis] == 1) continue;
        g = greatest_common_divisor(gndi_magnitude(space->stride[o][axis]), g);
        g = greatest_common_divisor(gndi_magnitude(space->stride[i][axis]), g);
    }
    if (g == 0) return false;
    int64_t apart = (int64_t)(gndi_data(in) - gndi_data(out)) % g;
    if (apart < 0) apart += g;
    return apart >= gndi_itemsize(out) && g - apart >= gndi_itemsize(in);
}

bool gndi_ew_overlaps(const gndi_ew_space *space, const gnd_array *out, int o, const gnd_array *in, int i) {
    if (!gndi_may_overlap(out, in)) return false;
    bool same_elements = gndi_data(out) == gndi_data(in) && gndi_itemsize(out) == gndi_itemsize(in);
    for (int axis = 0; same_elements && axis < space->ndim; axis++)
        same_elements = space->shape[axis] == 1 || space->stride[o][axis] == space->stride[i][axis];
    return !same_elements && !interleaved(space, out, o, in, i);
}
