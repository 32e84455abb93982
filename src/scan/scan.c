/*
 * scan.c: the public scans: their operators, dtypes and argument checks.
 */
#include "scan/scan.h"
#include "elementwise/elementwise.h"
#include "kernels/ops/fold_loop.h"

/* ---- checks --------------------------------------------------------------------------------- */

static bool refuse_options(const char *fn, const gnd_axes *axes, bool starts) {
    const char *option = axes->keepdims             ? "keepdims"
                         : axes->where              ? "where"
                         : axes->initial && !starts ? "initial"
                                                    : NULL;
    if (!option) return false;
    gndi_raise(GND_ERROR_INVALID, fn, "takes no %s: every element of x has a result; of the options, %s are taken",
               option, starts ? "dtype, out and initial" : "dtype and out");
    return true;
}

/* What the lines start from: of x's shape, or one that broadcasts to it, with one element along the axis. */
static bool check_start(gndi_scan_request *r, const gnd_array *start) {
    const gnd_array *x = r->x;
    const char *op = gndi_ops[r->op].name;
    if (gndi_optional_missing(r->fn, start, "initial")) return false;
    r->start = start;
    if (!start) return true;
    if (!(gndi_ops[r->op].flags & ASSOCIATIVE))
        return gndi_raise(GND_ERROR_INVALID, r->fn, "\"%s\" takes no initial: it is not associative", op), false;
    bool fits = r->flat ? start->size == 1 && start->ndim <= 1 : start->ndim <= x->ndim;
    for (int i = 0; fits && !r->flat && i < start->ndim; i++) {
        const int axis = x->ndim - start->ndim + i;
        fits = start->shape[i] == 1 || (axis != r->axis && start->shape[i] == x->shape[axis]);
    }
    if (!fits)
        return gndi_raise(GND_ERROR_SHAPE, r->fn,
                          "initial of shape %s does not broadcast to x of shape %s with one element along the axis",
                          gndi_text_shape(start->ndim, start->shape), gndi_text_shape(x->ndim, x->shape)),
               false;
    return !gndi_check_together(r->fn, x, "x", start, "initial");
}

/* The one axis that is meant, of `ndim`. */
static bool choose_axis(const char *fn, const gnd_axes *axes, int ndim, int *axis) {
    if (axes->count == 1) return gndi_normalize_axis(fn, axes->axis[0], ndim, axis);
    gndi_raise(GND_ERROR_INVALID, fn, "works along one axis; %d were given", axes->count == -1 ? 0 : axes->count);
    return false;
}

/* `extra`: how much longer than x the result is along the axis. */
static bool check_out(const gndi_scan_request *r, int64_t extra) {
    const gnd_array *x = r->x, *out = r->out;
    int64_t shape[GND_MAX_DIMS];
    int ndim = x->ndim;
    if (!out) return true;
    memcpy(shape, x->shape, (size_t)ndim * sizeof *shape);
    if (r->flat) ndim = 1, shape[0] = x->size;
    shape[r->axis] += extra;
    return gndi_check_out(r->fn, x, out, ndim, shape);
}

/* Everything but the axis: options, dtype, out. */
static bool prepare(gndi_scan_request *r, const gnd_axes *axes, int64_t extra) {
    const gnd_dtype x = (gnd_dtype)r->x->dtype;
    const gnd_dtype out = axes->out ? (gnd_dtype)axes->out->dtype : GND_DTYPE_NONE;
    r->out = axes->out;
    r->skip_nan &= gndi_dtype_is_float(x) || gndi_dtype_is_complex(x);
    return gndi_ufunc_fold_loop(r->fn, r->op, x, axes->dtype, out, &r->loop) == GND_OK && check_out(r, extra);
}

/* ---- the three kinds ------------------------------------------------------------------------ */

/* Along one axis, or of all elements in C order. */
static gnd_array *cumulate(const char *fn, gndi_op op, bool skip_nan, const gnd_array *x, const gnd_axes *axes) {
    gndi_scan_request r = {.fn = fn, .x = x, .op = op, .skip_nan = skip_nan};
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (refuse_options(fn, axes, true)) return NULL;
    r.flat = axes->count == 0 || x->ndim == 0;
    if (axes->count != 0 && !choose_axis(fn, axes, x->ndim ? x->ndim : 1, &r.axis)) return NULL;
    return check_start(&r, axes->initial) && prepare(&r, axes, 0) ? gndi_scan_run(&r) : NULL;
}

/* The first element along the axis and the others: views of `whole`. */
static bool split(const gndi_scan_request *r, const gnd_array *whole, gnd_array **first, gnd_array **rest) {
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, whole->shape, (size_t)whole->ndim * sizeof *shape);
    shape[r->axis] = 1;
    *first =
        gndi_array_view(r->fn, whole, whole->ndim, shape, whole->strides, gndi_data(whole), (gnd_dtype)whole->dtype);
    shape[r->axis] = whole->shape[r->axis] - 1;
    const int64_t skip = shape[r->axis] && whole->size ? whole->strides[r->axis] : 0;
    *rest = gndi_array_view(r->fn, whole, whole->ndim, shape, whole->strides, gndi_data(whole) + skip,
                            (gnd_dtype)whole->dtype);
    return *first && *rest;
}

/* The identity, then the scan: both go to their part of one array. */
static gnd_array *run_with_initial(gndi_scan_request *r) {
    gnd_array *whole = r->out ? gndi_array_alias(r->fn, r->out) : gndi_scan_result(r, 1);
    gnd_array *first = NULL, *rest = NULL, *done = NULL;
    bool good = whole && split(r, whole, &first, &rest);
    if (good) {
        r->out = rest;
        done = gndi_scan_run(r);
        good = done != NULL;
    }
    if (good && first->size > 0) {
        const gndi_ew_request fill = {
            .op = GNDI_OP_copy,
            .fn = r->fn,
            .args = {gnd_arg_int(r->op == GNDI_OP_multiply)},
            .out = {first},
            .dtype = (gnd_dtype)first->dtype,
            .casting = GND_UNSAFE,
        };
        good = gndi_elementwise(&fill, NULL) == GND_OK;
    }
    gnd_release(done);
    gnd_release(first);
    gnd_release(rest);
    if (good) return whole;
    gnd_release(whole);
    return NULL;
}

/* numpy.cumulative_sum and numpy.cumulative_prod. */
static gnd_array *cumulate_from(const char *fn, gndi_op op, const gnd_array *x, const gnd_axes *axes,
                                bool include_initial) {
    gndi_scan_request r = {.fn = fn, .x = x, .op = op};
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (refuse_options(fn, axes, false)) return NULL;
    if (axes->count == 0 && x->ndim > 1)
        return gndi_fail(GND_ERROR_INVALID, fn, "x has shape %s: with more than one dimension the axis must be named",
                         gndi_text_shape(x->ndim, x->shape));
    r.flat = x->ndim == 0;
    if (axes->count != 0 && !choose_axis(fn, axes, x->ndim ? x->ndim : 1, &r.axis)) return NULL;
    if (!prepare(&r, axes, include_initial)) return NULL;
    return include_initial ? run_with_initial(&r) : gndi_scan_run(&r);
}

/* ---- public functions ----------------------------------------------------------------------- */

gnd_array *gnd_cumsum(const gnd_array *x, gnd_axes axes) {
    return cumulate("gnd_cumsum", GNDI_OP_add, false, x, &axes);
}
gnd_array *gnd_cumprod(const gnd_array *x, gnd_axes axes) {
    return cumulate("gnd_cumprod", GNDI_OP_multiply, false, x, &axes);
}
gnd_array *gnd_nancumsum(const gnd_array *x, gnd_axes axes) {
    return cumulate("gnd_nancumsum", GNDI_OP_add, true, x, &axes);
}
gnd_array *gnd_nancumprod(const gnd_array *x, gnd_axes axes) {
    return cumulate("gnd_nancumprod", GNDI_OP_multiply, true, x, &axes);
}
gnd_array *gnd_cummax(const gnd_array *x, gnd_axes axes) {
    return cumulate("gnd_cummax", GNDI_OP_maximum, false, x, &axes);
}
gnd_array *gnd_cummin(const gnd_array *x, gnd_axes axes) {
    return cumulate("gnd_cummin", GNDI_OP_minimum, false, x, &axes);
}
gnd_array *gnd_cumulative_sum(const gnd_array *x, gnd_axes axes, bool include_initial) {
    return cumulate_from("gnd_cumulative_sum", GNDI_OP_add, x, &axes, include_initial);
}
gnd_array *gnd_cumulative_prod(const gnd_array *x, gnd_axes axes, bool include_initial) {
    return cumulate_from("gnd_cumulative_prod", GNDI_OP_multiply, x, &axes, include_initial);
}

gnd_array *gnd_accumulate(const char *name, const gnd_array *x, gnd_axes axes) {
    const char *fn = "gnd_accumulate";
    gndi_scan_request r = {.fn = fn, .x = x};
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    r.op = gndi_ufunc_find(fn, name);
    if (r.op == GNDI_OP_COUNT || refuse_options(fn, &axes, true)) return NULL;
    if (x->ndim == 0)
        return gndi_fail(GND_ERROR_INVALID, fn, "x is 0-d: there is no axis to accumulate \"%s\" along", name);
    if (axes.count != 0 && !choose_axis(fn, &axes, x->ndim, &r.axis)) return NULL;
    return check_start(&r, axes.initial) && prepare(&r, &axes, 0) ? gndi_scan_run(&r) : NULL;
}
