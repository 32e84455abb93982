/*
 * reduce_plan.c: computes the merged and sorted axes of a reduction's plan from an array and the axes to
 * reduce.
 */
#include "reduce/reduce.h"
#include "core/axes.h"
#include <stdlib.h>

/* INDEX is no memory: where an element stands in C order among the reduced ones (of ARG*). */
enum { IN, OUT, MASK, SECOND, INDEX, OPERANDS };

/* Axes by the input's stride, the fastest last; ties by the second operand's. An axis that the input is
   broadcast along comes first: inside it, whole runs are read, again and again. */
static bool is_faster(const gndi_walk *w, int a, int b) {
    const int64_t sa = gndi_magnitude(w->stride[IN][a]), sb = gndi_magnitude(w->stride[IN][b]);
    if (sa == sb) return gndi_magnitude(w->stride[SECOND][a]) < gndi_magnitude(w->stride[SECOND][b]);
    return sb == 0 || (sa != 0 && sa < sb);
}

/* The same, but an axis that the input is broadcast along comes last. */
static bool is_broadcast(const gndi_walk *w, int a, int b) {
    return w->stride[IN][a] == 0 && w->stride[IN][b] != 0;
}

/* Axes that the input is broadcast along stand first, so that whole runs are read inside them, unless they make
   the longer runs themselves. */
static int collapse_reduced(gndi_walk *w) {
    const int count = gndi_walk_collapse(w, 0, w->ndim);
    int zeros = 0;
    while (zeros < count && w->stride[IN][zeros] == 0) zeros++;
    if (zeros == 0 || zeros == count || w->shape[zeros - 1] <= w->shape[count - 1]) return count;
    w->is_faster = is_broadcast;
    gndi_walk_sort(w, 0, count);
    return count;
}

void gndi_reduce_plan_axes(gndi_reduce_plan *plan, const gndi_reduce_request *r, const gndi_reduce_space *out,
                           const gndi_reduce_space *mask) {
    const gnd_array *x = r->x, *second = r->second;
    const bool ordered = plan->reducer == GNDI_REDUCE_OPERATOR && !(gndi_ops[plan->op].flags & ASSOCIATIVE);
    const bool indexed = r->rule == GNDI_RULE_INDEX;
    const bool complex_product = plan->reducer == GNDI_REDUCE_PRODUCT && gndi_dtype_is_complex((int)plan->loop);
    int64_t element_step = 1; /* how far apart in C order neighbours along an axis are */
    int64_t offset[OPERANDS] = {0};
    int64_t *const kept_stride[] = {plan->in.kept_stride, plan->out.kept_stride, plan->mask.kept_stride,
                                    plan->second.kept_stride};
    int64_t *const reduced_stride[] = {plan->in.reduced_stride, plan->out.reduced_stride, plan->mask.reduced_stride,
                                       plan->second.reduced_stride, plan->index_stride};
    gndi_walk kept = {
        .operands = INDEX, .is_faster = is_faster, .shape = plan->kept_shape, .stride = kept_stride, .offset = offset};
    gndi_walk reduced = {.operands = OPERANDS,
                         .is_faster = is_faster,
                         .shape = plan->reduced_shape,
                         .stride = reduced_stride,
                         .offset = offset};
    plan->outputs = plan->length = 1;
    for (int i = 0; indexed && i < x->ndim; i++)
        if (r->reduced >> i & 1) element_step *= x->shape[i];
    for (int i = 0; i < x->ndim; i++) {
        const bool is_reduced = r->reduced >> i & 1;
        const int64_t size = x->shape[i];
        gndi_walk *w = is_reduced ? &reduced : &kept;
        if (is_reduced && indexed) element_step /= size;
        int64_t stride[OPERANDS] = {x->strides[i], is_reduced ? 0 : out->stride[i], mask ? mask->stride[i] : 0,
                                    second ? second->strides[i] : 0, is_reduced && indexed ? element_step : 0};
        if (is_reduced && complex_product && stride[IN] < 0) stride[INDEX] = 1;
        *(is_reduced ? &plan->length : &plan->outputs) *= size;
        gndi_walk_add(w, size, stride);
        if (size != 1 && stride[IN] < 0 && !(is_reduced && ordered)) gndi_walk_reverse(w, w->ndim - 1);
    }
    if (plan->length == 0) reduced.ndim = 0;
    plan->kept_ndim = gndi_walk_collapse(&kept, 0, kept.ndim);
    plan->reduced_ndim = collapse_reduced(&reduced);
    plan->in.data = gndi_data(x) + offset[IN], plan->in.dtype = x->dtype;
    plan->out.data = out->data + offset[OUT], plan->out.dtype = (uint8_t)out->dtype;
    plan->mask.data = mask ? mask->data + offset[MASK] : NULL, plan->mask.dtype = GND_BOOL;
    plan->second.data = second ? gndi_data(second) + offset[SECOND] : NULL;
    plan->second.dtype = second ? second->dtype : x->dtype;
    plan->masked = mask != NULL;
    plan->index_base = offset[INDEX];
}

bool gndi_reduce_k_strides(const gndi_reduce_request *r, int64_t itemsize, int64_t *strides) {
    const gnd_array *x = r->x;
    int order[GND_MAX_DIMS], position[GND_MAX_DIMS], count = 0, at = 0;
    bool is_c = true;
    /* Kept axes of x, slowest first; those of size 1 stay where they are. */
    for (int i = 0; i < x->ndim; i++) {
        const bool is_reduced = r->reduced >> i & 1;
        if (is_reduced && !r->axes->keepdims) continue;
        position[i] = at++;
        const int64_t stride = is_reduced || x->shape[i] == 1 ? 0 : llabs(x->strides[i]);
        int k = count++;
        for (; stride && k > 0; k--) {
            const int before = order[k - 1];
            if ((r->reduced >> before & 1) || x->shape[before] == 1) break;
            if (llabs(x->strides[before]) >= stride) break;
            order[k] = before, is_c = false;
        }
        order[k] = i;
    }
    int64_t step = itemsize;
    for (int k = count - 1; k >= 0; k--) {
        strides[position[order[k]]] = step;
        (void)__builtin_mul_overflow(step, r->shape[position[order[k]]], &step); /* as gndi_c_strides */
    }
    return !is_c;
}
