/*
 * interp.c: gnd_interp: points as float64, put in order and continued at both ends if they are periodic;
 * the search hook finds the interval of each x and interpolates, in one pass.
 */
#include "sort/search_plan.h"
#include "elementwise/elementwise.h"
#include "statistics/statistics.h"
#include "elementwise/line.h"
#include <math.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_interp

static const char fn[] = "gnd_interp";

/* An interpolation being set up. */
typedef struct request {
    gnd_array *x;       /* a reference */
    gnd_array *xp, *fp; /* float64 and float64 or complex128, dense; references */
    gndi_search_interp interp;
} request;

/* ---- checks --------------------------------------------------------------------------------- */

static bool check_real(const gnd_array *a, const char *name) {
    if (!gndi_dtype_is_complex(a->dtype)) return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "%s has dtype %s; it must be real", name, gnd_dtype_name((gnd_dtype)a->dtype));
    return false;
}

static bool check_points(const gnd_array *xp, const gnd_array *fp) {
    if (gndi_missing(xp) || gndi_missing(fp)) return gndi_raise_null(fn, gndi_missing(xp) ? "xp" : "fp"), false;
    if (xp->ndim != 1 || fp->ndim != 1 || xp->size != fp->size) {
        gndi_raise(GND_ERROR_SHAPE, fn, "xp has shape %s and fp %s; both must have one dimension and the same length",
                   gndi_text_shape(xp->ndim, xp->shape), gndi_text_shape(fp->ndim, fp->shape));
        return false;
    }
    if (xp->size == 0) {
        gndi_raise(GND_ERROR_SHAPE, fn, "there are no points: xp and fp are empty");
        return false;
    }
    return !gndi_check_together(fn, xp, "xp", fp, "fp") && check_real(xp, "xp");
}

/* A number for one end of the interp. */
static bool read_end(gnd_arg given, const char *name, bool is_complex, bool *has, double *parts) {
    *has = given.kind != GND_ARG_NONE;
    if (!*has) return true;
    if (given.kind < GND_ARG_BOOL || given.kind > GND_ARG_COMPLEX) {
        gndi_raise(GND_ERROR_INVALID, fn, "%s must be a number, or GND_NONE", name);
        return false;
    }
    if (given.kind == GND_ARG_COMPLEX && !is_complex) {
        gndi_raise(GND_ERROR_DTYPE, fn, "%s is complex, but fp is real", name);
        return false;
    }
    const gndi_parts value = gndi_arg_parts(given);
    parts[0] = value.re, parts[1] = value.im;
    return true;
}

static bool read_options(request *r, const gnd_interp_options *options, bool is_complex) {
    gndi_search_interp *interp = &r->interp;
    interp->is_complex = is_complex;
    if (!isfinite(options->period)) {
        gndi_raise(GND_ERROR_VALUE, fn, "the period is %g; it must be finite", options->period);
        return false;
    }
    if (options->period != 0) return true;
    return read_end(options->left, "left", is_complex, &interp->has_left, interp->left) &&
           read_end(options->right, "right", is_complex, &interp->has_right, interp->right);
}

/* ---- points --------------------------------------------------------------------------------- */

static gnd_array *as_dense(const gnd_array *a, gnd_dtype dtype) {
    return a->dtype == dtype && gndi_is_c_contiguous(a) ? gndi_array_alias(fn, a) : gndi_copy_as(fn, a, dtype, 'C');
}

/* Elements begin .. begin + count - 1. */
static gnd_array *part(const gnd_array *a, int64_t begin, int64_t count) {
    return gndi_array_view(fn, a, 1, &count, NULL, gndi_data(a) + begin * gndi_itemsize(a), (gnd_dtype)a->dtype);
}

/* a modulo the period, as float64; `a` is released. */
static gnd_array *wrap(gnd_array *a, double period) {
    gnd_array *wide = a ? gndi_copy_as(fn, a, GND_FLOAT64, 'C') : NULL, *out = NULL;
    if (wide) gndi_apply(fn, GNDI_OP_remainder, gnd_arg_array(wide), gnd_arg_real(period), &out);
    gnd_release(wide);
    gnd_release(a);
    return out;
}

/* longer[to] = longer[from] + shift. */
static bool continue_at(gnd_array *longer, int64_t to, int64_t from, double shift) {
    gnd_array *target = part(longer, to, 1), *source = target ? part(longer, from, 1) : NULL;
    bool done = source != NULL;
    if (done && shift == 0) /* as it is: -0.0 + 0 would not be */
        done = gndi_copy_into(fn, target, source) == GND_OK;
    else if (done)
        done = gndi_apply(fn, GNDI_OP_add, gnd_arg_array(source), gnd_arg_real(shift), &target);
    gnd_release(target);
    gnd_release(source);
    return done;
}

/* The elements in the given order, and one more before and behind them: the last and the first,
   shifted. `a` is released. */
static gnd_array *in_order(gnd_array *a, const gnd_array *indices, double shift) {
    const int64_t n = indices->size, length = n + 2;
    gnd_stream *s = gndi_ew_stream(indices, fn);
    gnd_array *longer = NULL, *middle = NULL, *taken = NULL;
    gnd_axes axes = {.count = 1};
    if (a && s) longer = gndi_array_new_on(fn, s, 1, &length, (gnd_dtype)a->dtype, GNDI_ORDER_C);
    if (longer) middle = axes.out = part(longer, 1, n);
    if (middle) taken = gnd_take(a, indices, axes, GND_RAISE);
    const bool done = taken && continue_at(longer, 0, n, -shift) && continue_at(longer, n + 1, 1, shift);
    gnd_release(taken);
    gnd_release(middle);
    gnd_release(a);
    if (done) return longer;
    gnd_release(longer);
    return NULL;
}

/* x and the points within one period, the points sorted. */
static bool make_periodic(request *r, double period) {
    const gnd_axes along = {.count = 1};
    r->x = wrap(r->x, period);
    r->xp = r->x ? wrap(r->xp, period) : r->xp;
    gnd_array *indices = r->x && r->xp ? gnd_argsort(r->xp, along, GND_ASCENDING) : NULL;
    if (!indices) return false;
    r->xp = in_order(r->xp, indices, period);
    if (r->xp) r->fp = in_order(r->fp, indices, 0);
    gnd_release(indices);
    return r->xp && r->fp;
}

/* ---- submission ----------------------------------------------------------------------------- */

static gnd_status submit(request *r, const gndi_line *x, gnd_array *out) {
    r->interp.heights = gndi_data(r->fp);
    const gndi_search_plan plan = {
        .dtype = x->array->dtype,
        .right = true,
        .length = r->xp->size,
        .sorted = gndi_data(r->xp),
        .step = gndi_itemsize(r->xp),
        .points = out->size,
        .value = x->data,
        .value_step = x->step,
        .out = gndi_data(out),
        .interp = &r->interp,
    };
    gnd_stream *s =
        gndi_work_begin(fn, 3, (const gnd_array *[]){x->array, r->xp, r->fp}, 1, (const gnd_array *[]){out});
    return s ? gndi_work_end(s, s->device->backend->search(s, &plan, fn), fn) : gndi_ew_pending();
}

static gnd_array *evaluate(request *r) {
    gndi_line x = {0};
    gnd_stream *s = gndi_ew_stream(r->xp, fn);
    gnd_array *out = NULL;
    if (s && gndi_line_in_order(fn, r->x, (gnd_dtype)r->x->dtype, &x))
        out = gndi_array_new_on(fn, s, r->x->ndim, r->x->shape, r->interp.is_complex ? GND_COMPLEX128 : GND_FLOAT64,
                                GNDI_ORDER_C);
    if (out && out->size > 0 && submit(r, &x, out)) {
        gnd_release(out);
        out = NULL;
    }
    gndi_line_drop(&x);
    return out;
}

gnd_array *gnd_interp(gnd_arg x, const gnd_array *xp, const gnd_array *fp, const gnd_interp_options *options) {
    GNDI_PARTS_OF("gnd_interp");
    static const gnd_interp_options defaults;
    request r = {.x = NULL};
    gnd_array *out = NULL;
    if (!options) options = &defaults;
    if (!check_points(xp, fp)) return NULL;
    const bool is_complex = gndi_dtype_is_complex(fp->dtype);
    if (!read_options(&r, options, is_complex)) return NULL;
    if (x.kind < GND_ARG_ARRAY || x.kind > GND_ARG_COMPLEX)
        return gndi_fail(GND_ERROR_INVALID, fn, "x must be an array or a number");
    r.x = gndi_array_of(fn, "x", x, xp);
    bool ready = r.x && check_real(r.x, "x");
    if (ready) ready = (r.xp = as_dense(xp, GND_FLOAT64)) != NULL;
    if (ready) ready = (r.fp = as_dense(fp, is_complex ? GND_COMPLEX128 : GND_FLOAT64)) != NULL;
    if (ready && options->period != 0) ready = make_periodic(&r, fabs(options->period));
    if (ready) out = evaluate(&r);
    gnd_release(r.x);
    gnd_release(r.xp);
    gnd_release(r.fp);
    return out;
}
