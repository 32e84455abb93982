/*
 * reduce_plan.c: computes the merged and sorted axes of a reduction's plan from an array and the axes to
 * reduce.
 */
#include "reduce/reduce.h"
#include <stdlib.h>

/* INDEX is no memory: where an element stands in C order among the reduced ones (of ARG*). */
enum { IN, OUT, MASK, SECOND, INDEX, OPERANDS };

typedef struct axis {
    int64_t size, stride[OPERANDS];
} axis;

/* Where an axis goes by the input's stride, the fastest last; ties by the second operand's. An axis
   that the input is broadcast along comes first: inside it, whole runs are read, again and again. */
static bool is_faster(const axis *a, const axis *b) {
    if (a->stride[IN] == b->stride[IN]) return llabs(a->stride[SECOND]) < llabs(b->stride[SECOND]);
    return b->stride[IN] == 0 || (a->stride[IN] != 0 && a->stride[IN] < b->stride[IN]);
}

static void insert(axis *list, int *count, const axis *a) {
    int i = (*count)++;
    for (; i > 0 && is_faster(&list[i - 1], a); i--) list[i] = list[i - 1];
    list[i] = *a;
}

/* Makes one axis of neighbours that every operand crosses as one. */
static int merge(axis *list, int count) {
    int merged = 0;
    for (int i = 0; i < count; i++) {
        axis *outer = &list[merged - 1];
        const axis *inner = &list[i];
        bool one = merged > 0;
        for (int k = 0; one && k < OPERANDS; k++) one = outer->stride[k] == inner->stride[k] * inner->size;
        if (one) {
            outer->size *= inner->size;
            memcpy(outer->stride, inner->stride, sizeof outer->stride);
        } else {
            list[merged++] = *inner;
        }
    }
    return merged;
}

/* Merges the reduced axes. Those that the input is broadcast along stand first, so that whole runs
   are read inside them, unless they make the longer runs themselves. */
static int merge_reduced(axis *list, int count) {
    axis broadcast[GND_MAX_DIMS];
    int zeros = 0;
    while (zeros < count && list[zeros].stride[IN] == 0) zeros++;
    if (zeros == 0 || zeros == count) return merge(list, count);
    const int rest = merge(list + zeros, count - zeros), first = merge(list, zeros);
    memmove(list + first, list + zeros, (size_t)rest * sizeof *list);
    if (list[first - 1].size <= list[first + rest - 1].size) return first + rest;
    memcpy(broadcast, list, (size_t)first * sizeof *list);
    memmove(list, list + first, (size_t)rest * sizeof *list);
    memcpy(list + rest, broadcast, (size_t)first * sizeof *list);
    return first + rest;
}

/* The two groups of axes as they are being gathered. */
typedef struct gathered {
    axis kept[GND_MAX_DIMS], reduced[GND_MAX_DIMS];
    int kept_count, reduced_count;
    char *data[OPERANDS];
    int64_t index_base;
} gathered;

/* Reverses an axis on which the input has a negative stride. */
static void flip(gathered *g, axis *a) {
    for (int k = 0; k < INDEX; k++) {
        if (g->data[k]) g->data[k] += (a->size - 1) * a->stride[k];
        a->stride[k] = -a->stride[k];
    }
    g->index_base += (a->size - 1) * a->stride[INDEX];
    a->stride[INDEX] = -a->stride[INDEX];
}

static void store(gndi_reduce_plan *plan, const gathered *g) {
    for (int i = 0; i < plan->kept_ndim; i++) {
        const axis *a = &g->kept[i];
        plan->kept_shape[i] = a->size;
        plan->in.kept_stride[i] = a->stride[IN];
        plan->out.kept_stride[i] = a->stride[OUT];
        plan->mask.kept_stride[i] = a->stride[MASK];
        plan->second.kept_stride[i] = a->stride[SECOND];
    }
    for (int i = 0; i < plan->reduced_ndim; i++) {
        const axis *a = &g->reduced[i];
        plan->reduced_shape[i] = a->size;
        plan->in.reduced_stride[i] = a->stride[IN];
        plan->out.reduced_stride[i] = 0;
        plan->mask.reduced_stride[i] = a->stride[MASK];
        plan->second.reduced_stride[i] = a->stride[SECOND];
        plan->index_stride[i] = a->stride[INDEX];
    }
}

void gndi_reduce_plan_axes(gndi_reduce_plan *plan, const gndi_reduce_request *r, const gndi_reduce_space *out,
                           const gndi_reduce_space *mask) {
    const gnd_array *x = r->x, *second = r->second;
    const bool ordered = plan->reducer == GNDI_REDUCE_OPERATOR && !(gndi_ops[plan->op].flags & ASSOCIATIVE);
    const bool indexed = r->rule == GNDI_RULE_INDEX;
    const bool complex_product = plan->reducer == GNDI_REDUCE_PRODUCT && gndi_dtype_is_complex((int)plan->loop);
    int64_t element_step = 1; /* how far apart in C order neighbours along an axis are */
    gathered g;
    g.kept_count = g.reduced_count = 0, g.index_base = 0;
    g.data[IN] = gndi_data(x), g.data[OUT] = out->data;
    g.data[MASK] = mask ? mask->data : NULL, g.data[SECOND] = second ? gndi_data(second) : NULL;
    plan->outputs = plan->length = 1;
    for (int i = 0; indexed && i < x->ndim; i++)
        if (r->reduced >> i & 1) element_step *= x->shape[i];
    for (int i = 0; i < x->ndim; i++) {
        const bool is_reduced = r->reduced >> i & 1;
        if (is_reduced && indexed) element_step /= x->shape[i];
        axis a = {x->shape[i],
                  {x->strides[i], is_reduced ? 0 : out->stride[i], mask ? mask->stride[i] : 0,
                   second ? second->strides[i] : 0, is_reduced && indexed ? element_step : 0}};
        if (is_reduced && complex_product && a.stride[IN] < 0) a.stride[INDEX] = 1;
        *(is_reduced ? &plan->length : &plan->outputs) *= a.size;
        if (a.size == 1) continue;
        if (a.stride[IN] < 0 && !(is_reduced && ordered)) flip(&g, &a);
        if (is_reduced)
            insert(g.reduced, &g.reduced_count, &a);
        else
            insert(g.kept, &g.kept_count, &a);
    }
    if (plan->length == 0) g.reduced_count = 0;
    plan->kept_ndim = merge(g.kept, g.kept_count);
    plan->reduced_ndim = merge_reduced(g.reduced, g.reduced_count);
    plan->in.data = g.data[IN], plan->in.dtype = x->dtype;
    plan->out.data = g.data[OUT], plan->out.dtype = (uint8_t)out->dtype;
    plan->mask.data = g.data[MASK], plan->mask.dtype = GND_BOOL;
    plan->second.data = g.data[SECOND], plan->second.dtype = second ? second->dtype : x->dtype;
    plan->masked = mask != NULL;
    plan->index_base = g.index_base;
    store(plan, &g);
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
