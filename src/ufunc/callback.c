/*
 * callback.c: C functions applied along an axis and over axes. Each call has a scope of its own, so
 * that whatever it made is released; its result is copied (along) or viewed (over) before that.
 */
#include "array/view.h"
#include "array/call_result.h"
#include "elementwise/elementwise.h"

static const char returned[] = "what the function returned";

/* ---- along an axis -------------------------------------------------------------------------- */

typedef struct along {
    gnd_line_function *function;
    void *context;
    const gnd_array *x;
    int axis;
    gnd_array *out; /* made when the first result is there */
    int ndim;       /* of one result */
    int64_t shape[GND_MAX_DIMS];
    int64_t index[GND_MAX_DIMS]; /* of the line: in x, whatever it is on the axis */
} along;

static const char along_fn[] = "gnd_apply_along_axis";

/* The array for all results: in memory the axes of one result come last, as in NumPy. */
static gnd_array *new_results(const along *a, const gnd_array *first) {
    const int lines = a->x->ndim - 1, ndim = lines + a->ndim;
    int64_t shape[GND_MAX_DIMS];
    int order[GND_MAX_DIMS];
    if (ndim > GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, along_fn,
                         "results of shape %s along axis %d of x %s would need %d dimensions; at "
                         "most %d are possible",
                         gndi_text_shape(first->ndim, first->shape), a->axis, gndi_text_shape(a->x->ndim, a->x->shape),
                         ndim, GND_MAX_DIMS);
    for (int i = 0; i < lines; i++) {
        shape[i] = a->x->shape[i < a->axis ? i : i + 1];
        order[i < a->axis ? i : i + a->ndim] = i;
    }
    for (int i = 0; i < a->ndim; i++) {
        shape[lines + i] = first->shape[i];
        order[a->axis + i] = lines + i;
    }
    gnd_stream *s = gndi_ew_stream(a->x, along_fn);
    if (!s) return NULL;
    gnd_array *fresh = gndi_array_new_on(along_fn, s, ndim, shape, (gnd_dtype)first->dtype, GNDI_ORDER_C);
    gnd_array *result = fresh ? gndi_permuted(along_fn, fresh, order) : NULL;
    gnd_release(fresh);
    return result;
}

/* The line of x at the current index. */
static gnd_array *line_of(const along *a) {
    const gnd_array *x = a->x;
    char *data = gndi_data(x);
    for (int i = 0; i < x->ndim; i++)
        if (i != a->axis && x->size) data += a->index[i] * x->strides[i];
    return gndi_array_view(along_fn, x, 1, &x->shape[a->axis], &x->strides[a->axis], data, (gnd_dtype)x->dtype);
}

/* Where the result of the current line goes. */
static gnd_array *target_of(const along *a) {
    const gnd_array *out = a->out;
    char *data = gndi_data(out);
    for (int i = 0; i < a->x->ndim && out->size; i++) {
        if (i == a->axis) continue;
        data += a->index[i] * out->strides[i < a->axis ? i : i - 1 + a->ndim];
    }
    return gndi_array_view(along_fn, out, a->ndim, a->shape, out->strides + a->axis, data, (gnd_dtype)out->dtype);
}

static bool fits(const along *a, const gnd_array *result) {
    if (result->buffer->device != a->x->buffer->device) {
        gndi_raise(GND_ERROR_DEVICE, along_fn, "x is %s, but the function returned %s", gndi_text_array(a->x),
                   gndi_text_array(result));
        return false;
    }
    int extra = result->ndim - a->ndim;
    bool good = true;
    for (int i = 0; good && i < result->ndim; i++)
        good = result->shape[i] == 1 || (i >= extra && result->shape[i] == a->shape[i - extra]);
    if (!good)
        gndi_raise(GND_ERROR_SHAPE, along_fn,
                   "the function returned shape %s, which does not broadcast to that of its first "
                   "result, %s",
                   gndi_text_shape(result->ndim, result->shape), gndi_text_shape(a->ndim, a->shape));
    return good;
}

/* A result to its target. More axes of size 1 than the target has are dropped. */
static gnd_status store(along *a, const gnd_array *result) {
    if (!fits(a, result)) return gndi_ew_pending();
    gnd_array *target = target_of(a), *view = NULL;
    if (!target) return gndi_ew_pending();
    const int extra = result->ndim - a->ndim;
    gnd_status status = GND_OK;
    if (extra > 0) {
        view = gndi_array_view(along_fn, result, a->ndim, result->shape + extra, result->strides + extra,
                               gndi_data(result), (gnd_dtype)result->dtype);
        if (!view) status = gndi_ew_pending();
    }
    if (!status && target->size) status = gndi_copy_into(along_fn, target, view ? view : result);
    gnd_release(view);
    gnd_release(target);
    return status;
}

static gnd_status call_along(along *a) {
    gnd_scope scope;
    gnd_status status = GND_OK;
    gnd_scope_open(&scope);
    const bool pending = gnd_error() != NULL;
    gnd_array *line = line_of(a);
    const gnd_array *result = line ? a->function(line, a->context) : NULL;
    if (!line || gndi_optional_missing(along_fn, result, returned) || !gndi_call_succeeded(along_fn, result, pending)) {
        status = gndi_ew_pending();
    } else if (!a->out) {
        a->ndim = result->ndim;
        memcpy(a->shape, result->shape, (size_t)result->ndim * sizeof *a->shape);
        a->out = gnd_keep(new_results(a, result));
        if (!a->out) status = gndi_ew_pending();
    }
    if (!status) status = store(a, result);
    gnd_scope_close(&scope);
    return status;
}

/* The next line in C order; false behind the last one. */
static bool next_line(along *a) {
    for (int i = a->x->ndim - 1; i >= 0; i--) {
        if (i == a->axis) continue;
        if (++a->index[i] < a->x->shape[i]) return true;
        a->index[i] = 0;
    }
    return false;
}

static bool check_along(const gnd_array *x, int axis, int *at) {
    if (gndi_missing(x)) {
        gndi_raise_null(along_fn, "x");
        return false;
    }
    if (x->ndim == 0) return gndi_raise(GND_ERROR_AXIS, along_fn, "x is 0-d: it has no axis"), false;
    if (!gndi_normalize_axis(along_fn, axis, x->ndim, at)) return false;
    for (int i = 0; i < x->ndim; i++) {
        if (i == *at || x->shape[i] > 0) continue;
        gndi_raise(GND_ERROR_SHAPE, along_fn,
                   "x has shape %s: there is no line along axis %d, and so no result to tell the "
                   "shape from",
                   gndi_text_shape(x->ndim, x->shape), *at);
        return false;
    }
    return true;
}

gnd_array *gnd_apply_along_axis(gnd_line_function *function, void *context, const gnd_array *x, int axis) {
    along a = {.function = function, .context = context, .x = x};
    if (!check_along(x, axis, &a.axis)) return NULL;
    if (!function) return gndi_fail(GND_ERROR_INVALID, along_fn, "function is NULL");
    do {
        if (!call_along(&a)) continue;
        gnd_release(a.out);
        return NULL;
    } while (next_line(&a));
    return a.out;
}

/* ---- over axes ------------------------------------------------------------------------------ */

static const char over_fn[] = "gnd_apply_over_axes";

/* The function's result as a view with x's number of dimensions. */
static gnd_array *with_axis(const gnd_array *x, const gnd_array *result, int axis) {
    if (result->ndim == x->ndim) return gndi_array_alias(over_fn, result);
    if (result->ndim != x->ndim - 1)
        return gndi_fail(GND_ERROR_SHAPE, over_fn,
                         "the function made shape %s of %s along axis %d; it must keep the number "
                         "of dimensions, or drop one",
                         gndi_text_shape(result->ndim, result->shape), gndi_text_shape(x->ndim, x->shape), axis);
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int i = 0; i < x->ndim; i++) {
        const int from = i < axis ? i : i - 1;
        shape[i] = i == axis ? 1 : result->shape[from];
        strides[i] = i == axis ? 0 : result->strides[from];
    }
    return gndi_array_view(over_fn, result, x->ndim, shape, strides, gndi_data(result), (gnd_dtype)result->dtype);
}

static gnd_array *call_over(gnd_axis_function *function, void *context, const gnd_array *x, int axis) {
    gnd_scope scope;
    gnd_scope_open(&scope);
    const bool pending = gnd_error() != NULL;
    gnd_array *argument = gndi_array_alias(over_fn, x);
    const gnd_array *result = argument ? function(argument, axis, context) : NULL;
    gnd_array *next = NULL;
    if (argument && !gndi_optional_missing(over_fn, result, returned) && gndi_call_succeeded(over_fn, result, pending))
        next = gnd_keep(with_axis(x, result, axis));
    gnd_scope_close(&scope);
    return next;
}

static bool check_over(const gnd_array *x, const gnd_axes *axes) {
    if (gndi_missing(x)) return gndi_raise_null(over_fn, "x"), false;
    if (axes->count < -1 || axes->count > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_INVALID, over_fn, "%d axes were given", axes->count), false;
    if (axes->keepdims || axes->dtype || axes->where || axes->initial || axes->out)
        return gndi_raise(GND_ERROR_INVALID, over_fn, "takes no option of gnd_axes"), false;
    for (int k = 0; k < axes->count; k++) {
        int axis;
        if (!gndi_normalize_axis(over_fn, axes->axis[k], x->ndim, &axis)) return false;
    }
    return true;
}

gnd_array *gnd_apply_over_axes(gnd_axis_function *function, void *context, const gnd_array *x, gnd_axes axes) {
    if (!check_over(x, &axes)) return NULL;
    if (!function) return gndi_fail(GND_ERROR_INVALID, over_fn, "function is NULL");
    const int count = axes.count == 0 ? x->ndim : axes.count < 0 ? 0 : axes.count;
    gnd_array *current = gndi_array_alias(over_fn, x);
    for (int k = 0; k < count && current; k++) {
        int axis = k;
        if (axes.count) gndi_normalize_axis(over_fn, axes.axis[k], x->ndim, &axis);
        gnd_array *next = call_over(function, context, current, axis);
        gnd_release(current);
        current = next;
    }
    return current;
}
