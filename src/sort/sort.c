/*
 * sort.c: the public functions that sort or select along one axis: checks, and the destination of results:
 * directly `out` if it has the right dtype and does not overlap x, else a new array.
 */
#include "sort/sort.h"
#include "elementwise/elementwise.h"
#include "scan/scan.h"
#include <stdlib.h>

/* What a call asks for. */
typedef struct ordering {
    const char *fn;
    const gnd_array *x;
    gnd_axes axes;
    gnd_direction direction;
    int64_t keep; /* of each row; -1: all of it */
    int kths;
    const int64_t *kth; /* as given; NULL: sort */
    bool for_indices;   /* the only result is indices: `out` is for those */
} ordering;

/* How it is being carried out. */
typedef struct work {
    gnd_array *flat;              /* x as one dimension, if that is asked for */
    bool copied;                  /* flat is a copy of x, which may be sorted in place */
    gnd_array *values, *indices;  /* what is computed into */
    gnd_array *result;            /* the reference to `out` that is returned */
    int64_t *kth, kth_buffer[32]; /* checked, ascending */
} work;

/* ---- checks --------------------------------------------------------------------------------- */

bool gndi_sort_check_options(const char *fn, const gnd_axes *axes) {
    const char *option = axes->keepdims  ? "keepdims"
                         : axes->where   ? "where"
                         : axes->initial ? "initial"
                         : axes->dtype   ? "dtype"
                                         : NULL;
    if (!option) return true;
    gndi_raise(GND_ERROR_INVALID, fn, "takes no %s; of the options of gnd_axes, only out is taken", option);
    return false;
}

bool gndi_sort_axis(const char *fn, const gnd_axes *axes, int ndim, int *axis) {
    if (axes->count == 1) return gndi_normalize_axis(fn, axes->axis[0], ndim, axis);
    gndi_raise(GND_ERROR_INVALID, fn, "works along one axis; %d were given", axes->count == -1 ? 0 : axes->count);
    return false;
}

static bool check(const ordering *o) {
    if (gndi_missing(o->x)) return gndi_raise_null(o->fn, "x"), false;
    if (!gndi_sort_check_options(o->fn, &o->axes)) return false;
    if (o->direction == GND_ASCENDING || o->direction == GND_DESCENDING) return true;
    gndi_raise(GND_ERROR_INVALID, o->fn, "direction %d is neither GND_ASCENDING nor GND_DESCENDING", (int)o->direction);
    return false;
}

static int ascending(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The indices of a partition: in range, from the start, ascending, each once. */
static bool check_kth(const ordering *o, work *w, int64_t length, int *count) {
    if (o->kths < 0) {
        gndi_raise(GND_ERROR_INVALID, o->fn, "was given %d indices", o->kths);
        return false;
    }
    w->kth = w->kth_buffer;
    if ((size_t)o->kths > sizeof w->kth_buffer / sizeof *w->kth_buffer)
        w->kth = gndi_malloc(o->fn, (size_t)o->kths * sizeof *w->kth);
    if (!w->kth) return false;
    for (int i = 0; i < o->kths; i++) {
        w->kth[i] = o->kth[i] < 0 ? o->kth[i] + length : o->kth[i];
        if (w->kth[i] >= 0 && w->kth[i] < length) continue;
        gndi_raise(GND_ERROR_VALUE, o->fn, "kth %lld is out of bounds for an axis of size %lld", (long long)o->kth[i],
                   (long long)length);
        return false;
    }
    qsort(w->kth, (size_t)o->kths, sizeof *w->kth, ascending);
    *count = 0;
    for (int i = 0; i < o->kths; i++)
        if (i == 0 || w->kth[i] != w->kth[i - 1]) w->kth[(*count)++] = w->kth[i];
    return true;
}

/* ---- where results go ----------------------------------------------------------------------- */

/* Whether `out` can be written while x is read; values may go where x's elements stand. */
static bool writes_directly(const gnd_array *out, const gnd_array *x, gnd_dtype dtype, bool is_index) {
    if (out->dtype != dtype) return false;
    return !gndi_may_overlap(out, x) || (!is_index && gndi_same_elements(out, x));
}

/* The array that a result is computed into: `out`, or a new one (NULL if it can't be). */
static gnd_array *target(const ordering *o, const work *w, const gnd_array *x, int axis, bool is_index,
                         gnd_array *out) {
    const gnd_dtype dtype = is_index ? GND_INT64 : (gnd_dtype)x->dtype;
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    if (o->keep >= 0) shape[axis] = o->keep;
    if (out && !gndi_check_out(o->fn, x, out, x->ndim, shape)) return NULL;
    if (out && writes_directly(out, x, dtype, is_index)) return gndi_array_alias(o->fn, out);
    if (w->copied && !is_index && o->keep < 0) return gndi_array_alias(o->fn, x);
    return gndi_new_in_order(o->fn, x, shape, dtype);
}

/* x as it is sorted, and its axis. NumPy gives a 0-d array indices along axis 0 or -1. */
static const gnd_array *operand(const ordering *o, work *w, int *axis) {
    const bool is_flat = o->axes.count == 0 || (o->for_indices && o->x->ndim == 0);
    *axis = 0;
    if (o->axes.count != 0 && !gndi_sort_axis(o->fn, &o->axes, is_flat ? 1 : o->x->ndim, axis)) return NULL;
    if (!is_flat || o->x->ndim == 1) return o->x;
    w->flat = gndi_sort_flat(o->fn, o->x, &w->copied);
    return w->flat;
}

/* Computes both or one of the results (those whose pointers are not NULL). */
static gnd_status compute(const ordering *o, work *w, gnd_array **values, gnd_array **indices) {
    gnd_array *out = o->axes.out, *out_values = o->for_indices ? NULL : out;
    gndi_sort_request r = {.fn = o->fn, .direction = o->direction, .start = NULL};
    r.x = operand(o, w, &r.axis);
    if (!r.x) return gndi_ew_pending();
    const int64_t length = r.x->shape[r.axis];
    if (o->keep > length)
        return gndi_raise(GND_ERROR_VALUE, o->fn, "k %lld is larger than the axis, which has %lld", (long long)o->keep,
                          (long long)length);
    if (o->kth && r.x->size > 0) {
        if (!check_kth(o, w, length, &r.kths)) return gndi_ew_pending();
        r.kth = w->kth;
    }
    if (values) w->values = target(o, w, r.x, r.axis, false, out_values);
    if (indices && (!values || w->values)) w->indices = target(o, w, r.x, r.axis, true, o->for_indices ? out : NULL);
    r.values = w->values, r.indices = w->indices;
    if ((values && !r.values) || (indices && !r.indices)) return gndi_ew_pending();
    if (out && !(w->result = gndi_array_alias(o->fn, out))) return gndi_ew_pending();
    gnd_status status = gndi_sort_run(&r);
    gnd_array *direct = o->for_indices ? w->indices : w->values;
    if (!status && out && !gndi_same_elements(out, direct)) status = gndi_copy_into(o->fn, out, direct);
    return status;
}

/* The results as new references; NULL after an error. */
static gnd_status carry_out(const ordering *o, gnd_array **values, gnd_array **indices) {
    work w = {.flat = NULL};
    if (values) *values = NULL;
    if (indices) *indices = NULL;
    if (!check(o)) return gndi_ew_pending();
    const gnd_status status = compute(o, &w, values, indices);
    if (!status && w.result) {
        gnd_array **direct = o->for_indices ? &w.indices : &w.values;
        gnd_release(*direct);
        *direct = w.result, w.result = NULL;
    }
    if (w.kth != w.kth_buffer) gndi_free(w.kth);
    gnd_release(w.flat);
    gnd_release(w.result);
    if (status) {
        gnd_release(w.values);
        gnd_release(w.indices);
        return status;
    }
    if (values) *values = w.values;
    if (indices) *indices = w.indices;
    return GND_OK;
}

/* ---- public functions ----------------------------------------------------------------------- */

gnd_array *gnd_sort(const gnd_array *x, gnd_axes axes, gnd_direction direction) {
    const ordering o = {.fn = "gnd_sort", .x = x, .axes = axes, .direction = direction, .keep = -1};
    gnd_array *values;
    carry_out(&o, &values, NULL);
    return values;
}

gnd_array *gnd_argsort(const gnd_array *x, gnd_axes axes, gnd_direction direction) {
    const ordering o = {
        .fn = "gnd_argsort", .x = x, .axes = axes, .direction = direction, .keep = -1, .for_indices = true};
    gnd_array *indices;
    carry_out(&o, NULL, &indices);
    return indices;
}

gnd_status gnd_sort_with_indices(gnd_array **values, gnd_array **indices, const gnd_array *x, gnd_axes axes,
                                 gnd_direction direction) {
    const ordering o = {.fn = "gnd_sort_with_indices", .x = x, .axes = axes, .direction = direction, .keep = -1};
    if (values) *values = NULL;
    if (indices) *indices = NULL;
    if (!values || !indices) return gndi_raise_null(o.fn, values ? "indices" : "values");
    return carry_out(&o, values, indices);
}

gnd_status gnd_topk(gnd_array **values, gnd_array **indices, const gnd_array *x, int64_t k, gnd_axes axes,
                    gnd_direction direction) {
    const ordering o = {
        .fn = "gnd_topk", .x = x, .axes = axes, .direction = direction, .keep = k, .for_indices = !values};
    if (!values && !indices)
        return gndi_raise(GND_ERROR_INVALID, o.fn, "was given neither values nor indices to write");
    if (k < 0) {
        if (values) *values = NULL;
        if (indices) *indices = NULL;
        return gndi_raise(GND_ERROR_VALUE, o.fn, "k is %lld; it must not be negative", (long long)k);
    }
    return carry_out(&o, values, indices);
}

gnd_status gnd_sort_inplace(gnd_array *x, gnd_axes axes, gnd_direction direction) {
    ordering o = {.fn = "gnd_sort_inplace", .x = x, .axes = axes, .direction = direction, .keep = -1};
    if (!check(&o)) return gndi_ew_pending();
    if (axes.out) return gndi_raise(GND_ERROR_INVALID, o.fn, "takes no out: x is sorted in place");
    if (axes.count == 0 && x->ndim != 1)
        return gndi_raise(GND_ERROR_INVALID, o.fn,
                          "x has shape %s: with other than one dimension the axis must be named",
                          gndi_text_shape(x->ndim, x->shape));
    if (x->flags & GNDI_READONLY) return gndi_raise(GND_ERROR_INVALID, o.fn, "x is read-only (a broadcast view)");
    gndi_sort_request r = {.fn = o.fn, .x = x, .direction = direction, .values = x};
    if (axes.count != 0 && !gndi_sort_axis(o.fn, &axes, x->ndim, &r.axis)) return gndi_ew_pending();
    return gndi_sort_run(&r);
}

static gnd_array *partition(ordering *o, gnd_array **values, gnd_array **indices) {
    static const int64_t none = 0;
    if (!o->kth && o->kths > 0) return gndi_raise_null(o->fn, "kth"), NULL;
    if (!o->kth) o->kth = &none;
    carry_out(o, values, indices);
    return values ? *values : *indices;
}

gnd_array *gnd_partition(const gnd_array *x, int count, const int64_t *kth, gnd_axes axes) {
    ordering o = {.fn = "gnd_partition", .x = x, .axes = axes, .keep = -1, .kths = count, .kth = kth};
    gnd_array *values;
    return partition(&o, &values, NULL);
}

gnd_array *gnd_argpartition(const gnd_array *x, int count, const int64_t *kth, gnd_axes axes) {
    ordering o = {
        .fn = "gnd_argpartition", .x = x, .axes = axes, .keep = -1, .kths = count, .kth = kth, .for_indices = true};
    gnd_array *indices;
    return partition(&o, NULL, &indices);
}

gnd_array *gnd_sort_complex(const gnd_array *x) {
    const ordering o = {.fn = "gnd_sort_complex", .x = x, .axes = {.count = 1, .axis = {-1}}, .keep = -1};
    gnd_array *values;
    if (carry_out(&o, &values, NULL) || gndi_dtype_is_complex(x->dtype)) return values;
    const bool is_small = x->dtype >= GND_INT8 && x->dtype <= GND_UINT64 && gndi_itemsize(x) <= 2;
    gnd_array *result = gndi_copy_as(o.fn, values, is_small ? GND_COMPLEX64 : GND_COMPLEX128, 'K');
    gnd_release(values);
    return result;
}
