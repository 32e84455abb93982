/*
 * mask.c: elements under a mask, read and assigned: a[mask], compress, extract, place, putmask. A mask
 * over some of the axes is seen as one over all of them, with strides of 0 along the others.
 */
#include "core/loose.h"
#include "index/compact.h"
#include "index/index.h"
#include "elementwise/elementwise.h"
#include "rearrange/rearrange.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_place
#undef gnd_putmask

/* ---- reading -------------------------------------------------------------------------------- */

/* The mask over a's axes from `first` on, and a under it. */
static void spread(gndi_packing *p, const char *fn, const gnd_array *a, const gnd_array *mask, int first) {
    p->fn = fn, p->mask = mask, p->x = a, p->ndim = a->ndim;
    p->by_rows = p->flat = p->edges = p->equal_nan = false;
    for (int i = 0; i < a->ndim; i++) {
        const int k = i - first;
        p->shape[i] = a->shape[i], p->x_stride[i] = a->strides[i];
        p->mask_stride[i] = k >= 0 && k < mask->ndim ? mask->strides[k] : 0;
    }
}

/* The elements under a mask that covers `covered` axes of `a` from `first` on: those become one. */
static gnd_array *get(const char *fn, const gnd_array *a, const gnd_array *mask, int first, int covered) {
    gndi_packing p;
    int64_t shape[GND_MAX_DIMS + 1], others = 1, count;
    const int ndim = a->ndim - covered + 1;
    if (ndim > GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn,
                         "the result would have %d dimensions; at most %d are "
                         "possible",
                         ndim, GND_MAX_DIMS);
    for (int i = 0; i < ndim; i++) {
        shape[i] = a->shape[i < first ? i : i + covered - 1];
        if (i != first) others *= shape[i];
    }
    gnd_array *packed = NULL;
    if (others == 0) {
        gndi_packing_begin(&p, fn, mask);
        count = gndi_packing_count(&p);
        if (count < 0) return NULL;
    } else {
        spread(&p, fn, a, mask, first);
        packed = gndi_packing_run(&p);
        if (!packed) return NULL;
        count = packed->size / others;
    }
    shape[first] = count;
    gnd_array *result = packed ? gndi_array_view(fn, packed, ndim, shape, NULL, gndi_data(packed), (gnd_dtype)a->dtype)
                               : gndi_new_on_device_of(fn, a, ndim, shape, (gnd_dtype)a->dtype);
    gndi_sole_view(result);
    gnd_release(packed);
    return result;
}

gnd_array *gndi_mask_get(const char *fn, const gnd_array *a, const gnd_array *mask) {
    return get(fn, a, mask, 0, mask->ndim);
}

/* x and the mask of extract() as arrays of one shape. */
static gnd_status pair_up(const char *fn, const gnd_array *x, const gnd_array *mask, gnd_array **x_out,
                          gnd_array **mask_out) {
    const bool same = gndi_same_shape(x, mask);
    *x_out = same ? gndi_array_alias(fn, x) : gndi_reshaped(fn, x, 1, &x->size);
    *mask_out = !*x_out ? NULL : same ? gndi_array_alias(fn, mask) : gndi_reshaped(fn, mask, 1, &mask->size);
    if (*mask_out) return GND_OK;
    gnd_release(*x_out);
    return gndi_ew_pending();
}

static gnd_status check_size(const char *fn, const gnd_array *x, const char *what_x, const gnd_array *mask,
                             const char *what_mask) {
    if (gndi_missing(x) || gndi_missing(mask)) return gndi_raise_null(fn, gndi_missing(x) ? what_x : what_mask);
    if (x->size != mask->size)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "%s has shape %s, %s has shape %s; they must have "
                          "the same number of elements",
                          what_mask, gndi_text_shape(mask->ndim, mask->shape), what_x,
                          gndi_text_shape(x->ndim, x->shape));
    return gndi_check_together(fn, x, what_x, mask, what_mask);
}

gnd_array *gnd_extract(const gnd_array *condition, const gnd_array *x) {
    static const char fn[] = "gnd_extract";
    gnd_array *a, *mask;
    if (check_size(fn, x, "x", condition, "condition") || pair_up(fn, x, condition, &a, &mask)) return NULL;
    gnd_array *result = get(fn, a, mask, 0, a->ndim);
    gnd_release(a), gnd_release(mask);
    return result;
}

gnd_array *gnd_extract_bounded(const gnd_array *condition, const gnd_array *x, int64_t capacity, gnd_array **count) {
    static const char fn[] = "gnd_extract_bounded";
    gnd_array *a, *mask;
    gndi_packing p;
    if (!count) return gndi_raise_null(fn, "count"), NULL;
    *count = NULL;
    if (capacity < 0) return gndi_fail(GND_ERROR_VALUE, fn, "the capacity is %lld", (long long)capacity);
    if (check_size(fn, x, "x", condition, "condition") || pair_up(fn, x, condition, &a, &mask)) return NULL;
    spread(&p, fn, a, mask, 0);
    gnd_array *result = gndi_packing_bounded(&p, capacity, count);
    gnd_release(a), gnd_release(mask);
    return result;
}

/* ---- compress ------------------------------------------------------------------------------- */

static gnd_status check_condition(const char *fn, const gnd_array *condition, const gnd_array *a) {
    if (condition->ndim != 1)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "condition must have one dimension, but its shape is "
                          "%s",
                          gndi_text_shape(condition->ndim, condition->shape));
    return gndi_check_together(fn, a, "a", condition, "condition");
}

/* The first elements of `a` along an axis, as many as there are conditions. */
static gnd_array *first_along(const char *fn, const gnd_array *a, int axis, int64_t count) {
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, a->shape, sizeof *shape * a->ndim);
    shape[axis] = count;
    return gndi_array_view(fn, a, a->ndim, shape, a->strides, gndi_data(a), (gnd_dtype)a->dtype);
}

/* Whether nothing is true in a condition from element `size` on, where the axis has ended. */
static bool is_false_behind(const char *fn, const gnd_array *condition, int64_t size) {
    gndi_packing p;
    const int64_t length = condition->size - size;
    gnd_array *rest =
        gndi_array_view(fn, condition, 1, &length, condition->strides,
                        (char *)gndi_data(condition) + size * condition->strides[0], (gnd_dtype)condition->dtype);
    if (!rest) return false;
    gndi_packing_begin(&p, fn, rest);
    const int64_t count = gndi_packing_count(&p);
    gnd_release(rest);
    if (count > 0)
        gndi_raise(GND_ERROR_SHAPE, fn,
                   "condition has %lld elements, of which %lld are true behind the end of the axis, "
                   "which has %lld",
                   (long long)condition->size, (long long)count, (long long)size);
    return count == 0;
}

static gnd_array *compress(const char *fn, const gnd_array *condition, const gnd_array *a, int axis) {
    const int64_t size = a->shape[axis];
    gnd_array *shorter = NULL;
    if (check_condition(fn, condition, a)) return NULL;
    if (condition->size > size) {
        if (!is_false_behind(fn, condition, size)) return NULL;
        condition = shorter = first_along(fn, condition, 0, size);
    }
    gnd_array *part = condition ? first_along(fn, a, axis, condition->size) : NULL;
    gnd_array *result = part ? get(fn, part, condition, axis, 1) : NULL;
    gnd_release(part);
    gnd_release(shorter);
    return result;
}

/* The result as the caller wants it: itself, or in `out`. Takes `result` over. */
static gnd_array *deliver(const char *fn, gnd_array *result, gnd_array *out) {
    if (!result || !out) return result;
    gnd_array *given = NULL;
    if (gndi_check_out(fn, result, out, result->ndim, result->shape) && !gndi_copy_into(fn, out, result))
        given = gndi_array_alias(fn, out);
    gnd_release(result);
    return given;
}

gnd_array *gnd_compress(const gnd_array *condition, const gnd_array *a, gnd_axes axes) {
    static const char fn[] = "gnd_compress";
    if (gndi_missing(condition) || gndi_missing(a))
        return gndi_raise_null(fn, gndi_missing(condition) ? "condition" : "a"), NULL;
    if (axes.count < 0 || axes.count > 1) return gndi_fail(GND_ERROR_INVALID, fn, "takes one axis, or GND_ALL");
    if (axes.keepdims || axes.where || axes.initial || axes.dtype)
        return gndi_fail(GND_ERROR_INVALID, fn, "takes no keepdims, where, initial or dtype");
    gnd_array *result = NULL, *line = NULL;
    int axis = 0;
    if (axes.count == 0 || a->ndim == 0) line = gndi_reshaped(fn, a, 1, &a->size);
    if (axes.count == 1 && !gndi_normalize_axis(fn, axes.axis[0], line ? 1 : a->ndim, &axis)) {
        gnd_release(line);
        return NULL;
    }
    if (line || (axes.count == 1 && a->ndim > 0)) result = compress(fn, condition, line ? line : a, axis);
    gnd_release(line);
    return deliver(fn, result, axes.out);
}

/* ---- assignment ----------------------------------------------------------------------------- */

gnd_status gndi_assign_where(const char *fn, gnd_array *out, gnd_arg value, const gnd_array *where) {
    gndi_ew_request r;
    gnd_array *truth = NULL;
    if (value.kind == GND_ARG_COMPLEX && !gndi_dtype_is_complex(out->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "a complex number does not go into an array of %s",
                          gnd_dtype_name((gnd_dtype)out->dtype));
    if (where && where->dtype != GND_BOOL) {
        where = truth = gndi_copy_as(fn, where, GND_BOOL, 'K');
        if (!truth) return gndi_ew_pending();
    }
    memset(&r, 0, sizeof r);
    r.op = GNDI_OP_copy, r.fn = fn, r.args[0] = value, r.casting = GND_UNSAFE;
    r.dtype = (gnd_dtype)out->dtype;
    r.out[0] = out, r.where = where;
    const gnd_status status = gndi_elementwise(&r, NULL);
    gnd_release(truth);
    return status;
}

/* `kind` is PUT or PUT_AT: values, in C order, to the points of `a` where the mask over its leading axes
   is true. */
static gnd_status put(const char *fn, gndi_compact_kind kind, gnd_array *a, const gnd_array *mask,
                      const gnd_array *values, int64_t capacity, int64_t expected) {
    gndi_compact_plan plan;
    gndi_packing p;
    gnd_array *dense = NULL, *apart = NULL;
    if (values->dtype != a->dtype || gndi_is_loose(values) || !gndi_is_c_contiguous(values) ||
        gndi_may_overlap(values, a))
        values = dense = gndi_copy_as(fn, values, (gnd_dtype)a->dtype, 'C');
    if (values && gndi_may_overlap(mask, a)) mask = apart = gndi_copy_as(fn, mask, (gnd_dtype)mask->dtype, 'C');
    gnd_status status = values && mask ? GND_OK : gndi_ew_pending();
    if (!status) {
        spread(&p, fn, a, mask, 0);
        gndi_packing_plan(&p, &plan, kind);
        plan.out = gndi_data(values), plan.step = plan.itemsize;
        plan.wrap = values->size > 0 ? values->size : 1;
        plan.capacity = capacity, plan.expected = expected;
        status = gndi_packing_submit(&p, &plan, values->buffer, NULL);
    }
    gnd_release(dense), gnd_release(apart);
    return status;
}

/* A view of the mask with axes of size 1 for those of `a` that it does not cover. */
static gnd_array *over_all_axes(const char *fn, const gnd_array *a, const gnd_array *mask) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int i = 0; i < a->ndim; i++) {
        shape[i] = i < mask->ndim ? mask->shape[i] : 1;
        strides[i] = i < mask->ndim ? mask->strides[i] : 0;
    }
    return gndi_array_view(fn, mask, a->ndim, shape, strides, gndi_data(mask), (gnd_dtype)mask->dtype);
}

static gnd_status assign_everywhere(const char *fn, gnd_array *a, const gnd_array *mask, gnd_arg value) {
    gnd_array *wide = over_all_axes(fn, a, mask);
    gnd_status status = wide ? gndi_assign_where(fn, a, value, wide) : gndi_ew_pending();
    gnd_release(wide);
    return status;
}

/* One row of the value for each true element of the mask: rows of a's other axes. */
static gnd_status assign_rows(const char *fn, gnd_array *a, const gnd_array *mask, const gnd_array *value) {
    int64_t shape[GND_MAX_DIMS + 1], strides[GND_MAX_DIMS + 1], row = 1;
    const int rest = a->ndim - mask->ndim;
    bool fits = true;
    shape[0] = value->shape[0], strides[0] = value->strides[0];
    for (int i = 1; i <= rest; i++) {
        shape[i] = a->shape[mask->ndim + i - 1], row *= shape[i];
        strides[i] = value->shape[i] == 1 ? 0 : value->strides[i];
        fits = fits && (value->shape[i] == 1 || value->shape[i] == shape[i]);
    }
    if (!fits)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the value of shape %s does not broadcast to rows of shape %s",
                          gndi_text_shape(value->ndim, value->shape), gndi_text_shape(rest, shape + 1));
    if (mask->size == 0 && shape[0] != 0)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the value of shape %s has %lld rows, but the mask has no elements",
                          gndi_text_shape(value->ndim, value->shape), (long long)shape[0]);
    if (a->size == 0) return GND_OK;
    gnd_array *rows = gndi_array_view(fn, value, rest + 1, shape, strides, gndi_data(value), (gnd_dtype)value->dtype);
    if (!rows) return gndi_ew_pending();
    const gnd_status status = put(fn, GNDI_COMPACT_PUT, a, mask, rows, shape[0] * row, shape[0] * row);
    gnd_release(rows);
    return status;
}

gnd_status gndi_mask_set(const char *fn, gnd_array *a, const gnd_array *mask, gnd_arg value) {
    if (value.kind != GND_ARG_ARRAY) return assign_everywhere(fn, a, mask, value);
    gnd_status status = gndi_check_together(fn, a, "the array", value.array, "the value");
    if (status) return status;
    /* Leading axes of size 1 that nothing corresponds to fall away. */
    const gnd_array *x = value.array;
    const int rest = a->ndim - mask->ndim;
    int extra = 0;
    while (x->ndim - extra > rest && x->shape[extra] == 1) extra++;
    if (x->ndim - extra > rest + 1)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "the value of shape %s has %d dimensions, but what the mask names has %d",
                          gndi_text_shape(x->ndim, x->shape), x->ndim - extra, rest + 1);
    gnd_array *view = gndi_array_view(fn, x, x->ndim - extra, x->shape + extra, x->strides + extra, gndi_data(x),
                                      (gnd_dtype)x->dtype);
    if (!view) return gndi_ew_pending();
    status =
        view->ndim == rest + 1 ? assign_rows(fn, a, mask, view) : assign_everywhere(fn, a, mask, gnd_arg_array(view));
    gnd_release(view);
    return status;
}

/* ---- place, putmask ------------------------------------------------------------------------- */

static gnd_status assign_cycling(const char *fn, gndi_compact_kind kind, gnd_array *a, const gnd_array *mask,
                                 gnd_arg values) {
    gnd_status status = check_size(fn, a, "a", mask, "mask");
    if (!status) status = gndi_check_target(fn, a);
    if (!status) status = gndi_check_value(fn, values);
    if (status || a->size == 0) return status;
    const gnd_array *x = values.kind == GND_ARG_ARRAY ? values.array : NULL;
    if (x) status = gndi_check_together(fn, a, "a", x, "values");
    if (status) return status;
    if (x && x->size == 0 && kind == GNDI_COMPACT_PUT_AT) return GND_OK;
    gnd_array *shaped = gndi_reshaped(fn, mask, a->ndim, a->shape);
    if (!shaped) return gndi_ew_pending();
    if (!x)
        status = gndi_assign_where(fn, a, values, shaped);
    else if (x->size == 0) /* nothing to place: a fault, if there is an element */
        status = put(fn, kind, a, shaped, x, 0, 0);
    else
        status = put(fn, kind, a, shaped, x, -1, -1);
    gnd_release(shaped);
    return status;
}

gnd_status gnd_place(gnd_array *a, const gnd_array *mask, gnd_arg values) {
    return assign_cycling("gnd_place", GNDI_COMPACT_PUT, a, mask, values);
}

gnd_status gnd_putmask(gnd_array *a, const gnd_array *mask, gnd_arg values) {
    return assign_cycling("gnd_putmask", GNDI_COMPACT_PUT_AT, a, mask, values);
}
