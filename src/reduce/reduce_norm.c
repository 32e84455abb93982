/*
 * reduce_norm.c: vector norms, and the sums of products of two arrays, in one launch each: the
 * kernels square, or multiply by a second operand, on the way.
 */
#include "reduce/reduce.h"
#include <math.h>

gnd_array *gndi_vector_norm(const char *fn, const gnd_array *x, double order, const gnd_axes *axes) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_SUM, GNDI_OP_add, GNDI_RULE_NORM, 0);
    if (order == 0) {
        r.reducer = GNDI_REDUCE_COUNT;
    } else if (order == 1) {
        r.map = GNDI_MAP_ABSOLUTE;
    } else if (order == 2) {
        r.map = GNDI_MAP_SQUARE, r.finish = GNDI_FINISH_SQRT;
    } else if (isinf(order)) {
        r.map = GNDI_MAP_ABSOLUTE;
        r.reducer = order > 0 ? GNDI_REDUCE_MAXIMUM : GNDI_REDUCE_MINIMUM;
        r.op = order > 0 ? GNDI_OP_maximum : GNDI_OP_minimum;
    } else {
        r.map = GNDI_MAP_POWER, r.finish = GNDI_FINISH_ROOT, r.power = order;
    }
    return gndi_reduce(&r);
}

gnd_array *gnd_vector_norm(const gnd_array *x, double order, gnd_axes axes) {
    return gndi_vector_norm("gnd_vector_norm", x, order, &axes);
}

/* ---- products of two arrays ----------------------------------------------------------------- */

/* Along how many axes an array is broadcast. */
static int broadcast_axes(const gnd_array *a) {
    int count = 0;
    for (int i = 0; i < a->ndim; i++) count += a->strides[i] == 0 && a->shape[i] > 1;
    return count;
}

/* The plan is laid out for the first operand: that is the one with more memory, where it makes no
   difference. */
gnd_array *gndi_sum_of_products(const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate,
                                const gnd_axes *axes) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, a, axes, GNDI_REDUCE_SUM, GNDI_OP_add, GNDI_RULE_PRODUCT, 0);
    r.second = b;
    r.map = conjugate && gndi_dtype_is_complex(a->dtype) ? GNDI_MAP_CONJUGATE : GNDI_MAP_TIMES;
    if (r.map == GNDI_MAP_TIMES && broadcast_axes(a) > broadcast_axes(b)) r.x = b, r.second = a;
    return gndi_reduce(&r);
}

/* All elements in C order along one axis: a view if that can be, else a copy. */
static gnd_array *flat(const gnd_array *a) {
    return gnd_reshape(a, GND_SHAPE(a->size));
}

gnd_array *gnd_vdot(const gnd_array *a, const gnd_array *b) {
    GNDI_PARTS_OF("gnd_vdot");
    const char *fn = "gnd_vdot";
    const gnd_axes all = GND_ALL;
    if (!gndi_check_pair(fn, a, b)) return NULL;
    if (gndi_same_shape(a, b)) return gndi_sum_of_products(fn, a, b, true, &all);
    if (a->size != b->size)
        return gndi_fail(GND_ERROR_SHAPE, fn, "a of shape %s and b of shape %s have different numbers of elements",
                         gndi_text_shape(a->ndim, a->shape), gndi_text_shape(b->ndim, b->shape));
    gnd_array *x = flat(a), *y = x ? flat(b) : NULL;
    gnd_array *result = y ? gndi_sum_of_products(fn, x, y, true, &all) : NULL;
    gnd_release(y);
    gnd_release(x);
    return result;
}

/* `a` with `axis` last and the other axes broadcast to `shape`: a view. */
static gnd_array *view_with_last(const char *fn, const gnd_array *a, int axis, int ndim, const int64_t *shape) {
    int64_t strides[GND_MAX_DIMS];
    const int missing = ndim - a->ndim;
    for (int i = 0, k = 0; i < ndim - 1; i++) {
        if (i < missing) {
            strides[i] = 0;
            continue;
        }
        if (k == axis) k++;
        strides[i] = a->shape[k] == 1 ? 0 : a->strides[k];
        k++;
    }
    strides[ndim - 1] = a->strides[axis];
    return gndi_array_view(fn, a, ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
}

/* The broadcast shape of all axes but `axis` of each, then the size of that axis. */
static bool pair_shape(const char *fn, const gnd_array *const pair[2], const int axis[2], int *ndim, int64_t *shape) {
    *ndim = 0;
    for (int p = 0; p < 2; p++) {
        int64_t rest[GND_MAX_DIMS];
        int count = 0;
        for (int i = 0; i < pair[p]->ndim; i++)
            if (i != axis[p]) rest[count++] = pair[p]->shape[i];
        if (gndi_broadcast(ndim, shape, count, rest)) continue;
        gndi_raise(GND_ERROR_SHAPE, fn, "a of shape %s and b of shape %s do not broadcast",
                   gndi_text_shape(pair[0]->ndim, pair[0]->shape), gndi_text_shape(pair[1]->ndim, pair[1]->shape));
        return false;
    }
    shape[(*ndim)++] = pair[0]->shape[axis[0]];
    return true;
}

gnd_array *gnd_vecdot(const gnd_array *a, const gnd_array *b, int axis) {
    const char *fn = "gnd_vecdot";
    const gnd_array *const pair[2] = {a, b};
    int axis_of[2], ndim;
    int64_t shape[GND_MAX_DIMS];
    if (!gndi_check_pair(fn, a, b)) return NULL;
    for (int p = 0; p < 2; p++)
        if (!gndi_normalize_axis(fn, axis, pair[p]->ndim, &axis_of[p])) return NULL;
    if (a->shape[axis_of[0]] != b->shape[axis_of[1]])
        return gndi_fail(GND_ERROR_SHAPE, fn, "axis %d has size %lld in a of shape %s, but %lld in b of shape %s", axis,
                         (long long)a->shape[axis_of[0]], gndi_text_shape(a->ndim, a->shape),
                         (long long)b->shape[axis_of[1]], gndi_text_shape(b->ndim, b->shape));
    if (!pair_shape(fn, pair, axis_of, &ndim, shape)) return NULL;
    gnd_array *x = view_with_last(fn, a, axis_of[0], ndim, shape);
    gnd_array *y = x ? view_with_last(fn, b, axis_of[1], ndim, shape) : NULL;
    const gnd_axes last = GND_AXES(-1);
    gnd_array *result = y ? gndi_sum_of_products(fn, x, y, true, &last) : NULL;
    gnd_release(y);
    gnd_release(x);
    return result;
}
