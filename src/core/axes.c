/*
 * axes.c: axes of several operands, reversed, sorted and merged (axes.h). They are few: sorts are by insertion.
 */
#include "core/axes.h"

void gndi_walk_arrays(gndi_walk *w, const gnd_array *const *arrays, int skipped) {
    const gnd_array *first = arrays[0];
    for (int i = 0; i < first->ndim; i++) {
        if (i == skipped || first->shape[i] == 1) continue;
        w->shape[w->ndim] = first->shape[i];
        for (int k = 0; k < w->operands; k++) w->stride[k][w->ndim] = arrays[k] ? arrays[k]->strides[i] : 0;
        w->ndim++;
    }
}

static void put(gndi_walk *w, int to, int from) {
    w->shape[to] = w->shape[from];
    for (int k = 0; k < w->operands; k++) w->stride[k][to] = w->stride[k][from];
}

void gndi_walk_drop_single(gndi_walk *w) {
    const int ndim = w->ndim;
    w->ndim = 0;
    for (int axis = 0; axis < ndim; axis++)
        if (w->shape[axis] != 1) put(w, w->ndim++, axis);
}

void gndi_walk_reverse(gndi_walk *w, int axis) {
    for (int k = 0; k < w->operands; k++) {
        int64_t *stride = &w->stride[k][axis];
        w->offset[k] += (w->shape[axis] - 1) * *stride;
        *stride = -*stride;
    }
}

bool gndi_walk_flip(gndi_walk *w) {
    bool any = false;
    for (int axis = 0; axis < w->ndim; axis++) {
        int64_t first = 0;
        for (int k = 0; k < w->operands && !first; k++) first = w->stride[k][axis];
        if (first < 0) gndi_walk_reverse(w, axis), any = true;
    }
    return any;
}

static bool is_faster(const gndi_walk *w, int a, int b) {
    if (w->is_faster) return w->is_faster(w, a, b);
    for (int k = 0; k < w->leaders; k++) {
        const int64_t sa = gndi_magnitude(w->stride[k][a]), sb = gndi_magnitude(w->stride[k][b]);
        if (sa != 0 && sb != 0 && sa != sb) return sa < sb;
    }
    return false;
}

static void swap(gndi_walk *w, int a, int b) {
    const int64_t size = w->shape[a];
    w->shape[a] = w->shape[b], w->shape[b] = size;
    for (int k = 0; k < w->operands; k++) {
        int64_t *stride = w->stride[k];
        const int64_t step = stride[a];
        stride[a] = stride[b], stride[b] = step;
    }
}

void gndi_walk_sort(gndi_walk *w, int begin, int end) {
    for (int n = begin + 1; n < end; n++)
        for (int a = n; a > begin && is_faster(w, a - 1, a); a--) swap(w, a - 1, a);
}

static bool are_one(const gndi_walk *w, int outer, int inner) {
    const int64_t size = w->shape[inner];
    for (int k = 0; k < w->operands; k++)
        if (w->stride[k][outer] != w->stride[k][inner] * size) return false;
    return true;
}

int gndi_walk_merge(gndi_walk *w, int begin, int end) {
    int last = begin; /* the axis that grows */
    if (end - begin < 2) return end - begin;
    for (int axis = begin + 1; axis < end; axis++) {
        if (are_one(w, last, axis))
            w->shape[axis] *= w->shape[last];
        else if (++last == axis)
            continue;
        put(w, last, axis);
    }
    const int left = last + 1 - begin;
    for (int axis = end; axis < w->ndim; axis++) put(w, ++last, axis);
    w->ndim = last + 1;
    return left;
}

int64_t gndi_walk_size(const gndi_walk *w) {
    int64_t size = 1;
    for (int axis = 0; axis < w->ndim; axis++) size *= w->shape[axis];
    return size;
}

bool gndi_axes_step(const gnd_array *x, const int *axes, int count, int64_t *step, int64_t *offset) {
    int64_t size = 1;
    for (int i = count - 1; i >= 0; i--) {
        const int axis = axes ? axes[i] : i;
        const int64_t n = x->shape[axis];
        int64_t stride = x->strides[axis];
        if (n == 1) continue;
        if (offset && stride < 0) *offset += (n - 1) * stride, stride = -stride;
        if (size == 1)
            *step = stride;
        else if (stride != *step * size)
            return false;
        size *= n;
    }
    return true;
}
