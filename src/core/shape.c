/*
 * shape.c: arithmetic on shapes, strides and axes. Sizes come from users and files, so every product is
 * checked for overflow.
 */
#include "core/core.h"

bool gndi_shape_size(int ndim, const int64_t *shape, int64_t *size) {
    /* As in NumPy, the sizes beside a 0 must have a product that fits, too: strides come
       from it. */
    int64_t product = 1;
    bool empty = false;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] < 0) return false;
        if (shape[i] == 0)
            empty = true;
        else if (__builtin_mul_overflow(product, shape[i], &product))
            return false;
    }
    *size = empty ? 0 : product;
    return true;
}

int gndi_merge_box(int ndim, const int64_t *shape, const int64_t *start, const int64_t *size, int64_t *count,
                   int64_t *step, int64_t *first) {
    int64_t counts[GND_MAX_DIMS + 1] = {1}, steps[GND_MAX_DIMS + 1] = {1}, length = 1; /* the innermost first */
    int n = 0, axes = 0;
    *first = 0;
    for (int i = ndim - 1; i >= 0; i--) {
        *first += start[i] * steps[n] * length;
        if (shape[i] == 1) continue;
        if (counts[n] == length) {
            counts[n] *= size[i], length *= shape[i];
            continue;
        }
        steps[n + 1] = steps[n] * length, counts[n + 1] = size[i], length = shape[i];
        n++;
    }
    for (int i = n; i >= 0; i--)
        if (i == 0 || counts[i] != 1) count[axes] = counts[i], step[axes++] = steps[i];
    return axes;
}

int64_t gndi_box_run(int axes, const int64_t *count, const int64_t *step, int64_t first, int64_t row) {
    for (int axis = axes - 2; axis >= 0; axis--) {
        first += row % count[axis] * step[axis];
        row /= count[axis];
    }
    return first;
}

/* Strides of an array without elements are all 0, as in NumPy. */
static bool empty_strides(int ndim, const int64_t *shape, int64_t *strides) {
    for (int i = 0; i < ndim; i++) {
        if (shape[i] != 0) continue;
        memset(strides, 0, (size_t)ndim * sizeof *strides);
        return true;
    }
    return false;
}

void gndi_c_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *strides) {
    if (empty_strides(ndim, shape, strides)) return;
    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = itemsize;
        if (__builtin_mul_overflow(itemsize, shape[i], &itemsize)) continue; /* see core.h */
    }
}

void gndi_f_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *strides) {
    if (empty_strides(ndim, shape, strides)) return;
    for (int i = 0; i < ndim; i++) {
        strides[i] = itemsize;
        if (__builtin_mul_overflow(itemsize, shape[i], &itemsize)) continue;
    }
}

void gndi_matrix_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *strides) {
    gndi_c_strides(ndim, shape, itemsize, strides);
    if (strides[ndim - 1] == 0) return; /* empty */
    strides[ndim - 2] = itemsize;
    strides[ndim - 1] = itemsize * shape[ndim - 2];
}

bool gndi_broadcast(int *out_ndim, int64_t *out_shape, int ndim, const int64_t *shape) {
    int longer = ndim > *out_ndim ? ndim : *out_ndim;
    int missing = longer - *out_ndim; /* leading sizes the accumulated shape has to gain */
    int64_t joined[GND_MAX_DIMS];
    for (int i = 0; i < longer; i++) {
        int64_t have = i < missing ? 1 : out_shape[i - missing];
        int64_t add = i < longer - ndim ? 1 : shape[i - (longer - ndim)];
        if (have != add && have != 1 && add != 1) return false;
        joined[i] = have == 1 ? add : have;
    }
    memcpy(out_shape, joined, (size_t)longer * sizeof *joined);
    *out_ndim = longer;
    return true;
}

/* No address space reaches further: 64 strides of this size still have a sum that fits. */
#define FARTHEST (INT64_C(1) << 56)

bool gndi_strides_sane(const void *data, int ndim, const int64_t *shape, const int64_t *strides) {
    int64_t low, high, end;
    for (int i = 0; i < ndim; i++) {
        int64_t reach = strides[i];
        if (shape[i] > 1 && __builtin_mul_overflow(strides[i], shape[i], &reach)) return false;
        if (reach > FARTHEST || reach < -FARTHEST) return false;
        if (strides[i] > FARTHEST || strides[i] < -FARTHEST) return false;
    }
    if (!gndi_byte_extent(ndim, shape, strides, 1, &low, &high)) return false;
    const int64_t address = (int64_t)(uintptr_t)data;
    return !data || (address + low >= 0 && !__builtin_add_overflow(address, high, &end));
}

bool gndi_byte_extent(int ndim, const int64_t *shape, const int64_t *strides, int64_t itemsize, int64_t *low,
                      int64_t *high) {
    *low = *high = 0;
    for (int i = 0; i < ndim; i++)
        if (shape[i] == 0) return true;
    bool fits = true;
    for (int i = 0; i < ndim; i++) {
        int64_t reach = 0, *end = strides[i] < 0 ? low : high;
        if (shape[i] > 1) fits &= !__builtin_mul_overflow(shape[i] - 1, strides[i], &reach);
        fits &= !__builtin_add_overflow(*end, reach, end);
    }
    return fits & !__builtin_add_overflow(*high, itemsize, high);
}

void gndi_broadcast_strides(const gnd_array *a, int ndim, const int64_t *shape, int64_t *strides) {
    int missing = ndim - a->ndim;
    for (int i = 0; i < ndim; i++) {
        bool spread = i < missing || (a->shape[i - missing] == 1 && shape[i] != 1);
        strides[i] = spread ? 0 : a->strides[i - missing];
    }
}

bool gndi_normalize_axis(const char *fn, int axis, int ndim, int *out) {
    if (gndi_unlikely(axis < -ndim || axis >= ndim)) {
        if (ndim == 0)
            gndi_raise(GND_ERROR_AXIS, fn, "axis %d is out of range: a 0-d array has no axes", axis);
        else
            gndi_raise(GND_ERROR_AXIS, fn, "axis %d is out of range for an array with ndim %d (axes go from %d to %d)",
                       axis, ndim, -ndim, ndim - 1);
        return false;
    }
    *out = axis < 0 ? axis + ndim : axis;
    return true;
}

bool gndi_normalize_axes(const char *fn, const gnd_axes *axes, int ndim, uint64_t *mask) {
    if (axes->count > GND_MAX_DIMS) {
        gndi_raise(GND_ERROR_INVALID, fn, "%d axes are given; an array has at most %d", axes->count, GND_MAX_DIMS);
        return false;
    }
    *mask = 0;
    if (axes->count == 0) *mask = ndim == 64 ? UINT64_MAX : (UINT64_C(1) << ndim) - 1;
    for (int i = 0; i < axes->count; i++) {
        int axis;
        if (!gndi_normalize_axis(fn, axes->axis[i], ndim, &axis)) return false;
        if (*mask >> axis & 1) {
            gndi_raise(GND_ERROR_AXIS, fn, "axis %d is given twice", axes->axis[i]);
            return false;
        }
        *mask |= UINT64_C(1) << axis;
    }
    return true;
}
