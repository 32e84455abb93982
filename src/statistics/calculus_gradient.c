/*
 * calculus_gradient.c: derivatives of sampled functions by finite differences, with NumPy's
 * formulas. Whether coordinates are evenly spaced is found out on the device: what depends on it is
 * selected there, so that nothing waits.
 */
#include "elementwise/temporaries.h"
#include "elementwise/create.h"
#include "statistics/even_steps_plan.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_gradient

/* The spacing along one axis. */
typedef struct steps_along {
    gnd_arg step;           /* of neighbours: a number or 0-d array; of coordinates, the first */
    const gnd_array *steps; /* between coordinates, 1-d; NULL: there are none */
    const gnd_array *even;  /* 0-d bool: whether all steps are the same */
} steps_along;

/* a * f0 + b * f1 + c * f2 to `out`. */
static void combine(gndi_temporaries *s, gnd_array *out, const gnd_arg coefficient[3], gnd_array *const f[3]) {
    gnd_array *sum = gndi_step(s, GNDI_OP_multiply, coefficient[0], gnd_arg_array(f[0]));
    gnd_array *next = gndi_step(s, GNDI_OP_multiply, coefficient[1], gnd_arg_array(f[1]));
    if (!s->failed) sum = gndi_step_in_place(s, GNDI_OP_add, sum, gnd_arg_array(next));
    next = gndi_step(s, GNDI_OP_multiply, coefficient[2], gnd_arg_array(f[2]));
    gndi_step_into(s, GNDI_OP_add, out, gnd_arg_array(sum), gnd_arg_array(next), NULL);
}

/* ---- spacing -------------------------------------------------------------------------------- */

static gnd_arg times(gndi_temporaries *s, double factor, gnd_arg x) {
    if (x.kind == GND_ARG_ARRAY) return gnd_arg_array(gndi_step(s, GNDI_OP_multiply, gnd_arg_real(factor), x));
    const gndi_parts parts = gndi_arg_parts(x);
    return x.kind == GND_ARG_COMPLEX ? gnd_arg_parts(factor * parts.re, factor * parts.im)
                                     : gnd_arg_real(factor * parts.re);
}

static gnd_arg over(gndi_temporaries *s, double dividend, gnd_arg x) {
    if (x.kind == GND_ARG_ARRAY) return gnd_arg_array(gndi_step(s, GNDI_OP_divide, gnd_arg_real(dividend), x));
    const gndi_parts parts = gndi_arg_parts(x);
    if (x.kind != GND_ARG_COMPLEX) return gnd_arg_real(dividend / parts.re);
    const double _Complex quotient = dividend / __builtin_complex(parts.re, parts.im);
    return gnd_arg_complex(quotient);
}

/* Whether all steps are the same as the first, 0-d as that is. */
static const gnd_array *are_even(gndi_temporaries *s, const gnd_array *steps, gnd_arg first) {
    if (s->failed) return NULL;
    if (!steps->buffer->device->backend->even_steps || !gndi_is_c_contiguous(steps)) {
        const gnd_array *same = gndi_step(s, GNDI_OP_equal, gnd_arg_array(steps), first);
        return s->failed ? NULL : gndi_temporaries_keep(s, gnd_all(same, GND_ALL));
    }
    gnd_array *even = gndi_temporaries_keep(s, gndi_new_like(s->fn, first.array, GND_BOOL));
    if (s->failed) return NULL;
    const gndi_even_steps_plan plan = {
        .steps = gndi_data(steps), .even = gndi_data(even), .count = steps->size, .dtype = steps->dtype};
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &steps, 1, (const gnd_array *[]){even});
    s->failed = !stream || gndi_work_end(stream, stream->device->backend->even_steps(stream, &plan, s->fn), s->fn);
    return even;
}

/* Checks an argument, and finds the steps of coordinates. */
static steps_along steps_of(gndi_temporaries *s, gnd_arg given, const gnd_array *f, int axis) {
    steps_along d = {.step = given};
    if (given.kind == GND_ARG_NONE) d.step = gnd_arg_real(1);
    if (given.kind != GND_ARG_ARRAY) return d;
    const gnd_array *x = given.array;
    if (gndi_missing(x)) {
        gndi_raise_null(s->fn, "spacing");
    } else if (gndi_check_together(s->fn, f, "x", x, "spacing")) {
        /* told */
    } else if (x->ndim == 0) {
        return d;
    } else if (x->ndim != 1 || x->shape[0] != f->shape[axis]) {
        gndi_raise(GND_ERROR_SHAPE, s->fn,
                   "spacing has shape %s; it must be a number, or %lld coordinates in one "
                   "dimension, as axis %d of x %s has",
                   gndi_text_shape(x->ndim, x->shape), (long long)f->shape[axis], axis,
                   gndi_text_shape(f->ndim, f->shape));
    } else if (x->dtype == GND_BOOL) {
        gndi_raise(GND_ERROR_DTYPE, s->fn, "coordinates must be numbers, not bool");
    } else {
        const int64_t n = x->shape[0] - 1;
        x = gndi_step_floating(s, x);
        const gnd_array *upper = s->failed ? NULL : gndi_step_part(s, x, 0, 1, n, 1);
        const gnd_array *lower = s->failed ? NULL : gndi_step_part(s, x, 0, 0, n, 1);
        d.steps = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(upper), gnd_arg_array(lower));
        if (!s->failed) d.step = gnd_arg_array(gndi_step_element(s, d.steps, 0));
        d.even = are_even(s, d.steps, d.step);
        return d;
    }
    s->failed = true;
    return d;
}

/* ---- inside --------------------------------------------------------------------------------- */

/* (f[2:] - f[:-2]) / 2h, where `where` is true. */
static void even_inside(gndi_temporaries *s, gnd_array *out, gnd_array *const f[3], gnd_arg step,
                        const gnd_array *where) {
    const gnd_arg twice = times(s, 2, step);
    if (where) {
        const gnd_array *rise = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(f[2]), gnd_arg_array(f[0]));
        gndi_step_into(s, GNDI_OP_divide, out, gnd_arg_array(rise), twice, where);
        return;
    }
    /* At once, but for halves, of which NumPy rounds the difference. */
    if (!s->failed && out->dtype >= GND_FLOAT32 && twice.kind == GND_ARG_REAL) {
        const gndi_ew_request request = {
            .op = GNDI_OP_slope,
            .fn = s->fn,
            .args = {gnd_arg_array(f[2]), gnd_arg_array(f[0]), twice},
            .out = {out},
        };
        if (gndi_elementwise(&request, NULL)) s->failed = true;
        return;
    }
    gndi_step_into(s, GNDI_OP_subtract, out, gnd_arg_array(f[2]), gnd_arg_array(f[0]), NULL);
    gndi_step_into(s, GNDI_OP_divide, out, gnd_arg_array(out), twice, NULL);
}

/* The weights of f before, at and behind a sample, for steps h before and k behind it. */
static void inside_weights(gndi_temporaries *s, const gnd_array *h, const gnd_array *k, gnd_array *weight[3]) {
    const gnd_arg before = gnd_arg_array(h), behind = gnd_arg_array(k);
    gnd_array *both = gndi_step(s, GNDI_OP_add, before, behind);
    gnd_array *first = gndi_step(s, GNDI_OP_multiply, before, gnd_arg_array(both));
    gnd_array *last = gndi_step(s, GNDI_OP_multiply, behind, gnd_arg_array(both));
    gnd_array *middle = gndi_step(s, GNDI_OP_multiply, before, behind);
    gnd_array *change = gndi_step(s, GNDI_OP_subtract, behind, before);
    gnd_array *minus = gndi_step(s, GNDI_OP_negative, behind, gnd_arg_none());
    weight[0] = gndi_step(s, GNDI_OP_divide, gnd_arg_array(minus), gnd_arg_array(first));
    weight[1] = gndi_step(s, GNDI_OP_divide, gnd_arg_array(change), gnd_arg_array(middle));
    weight[2] = gndi_step(s, GNDI_OP_divide, before, gnd_arg_array(last));
}

static void inside(gndi_temporaries *s, gnd_array *out, const gnd_array *f, int axis, const steps_along *d) {
    const int64_t n = f->shape[axis] - 2;
    gnd_array *part[3], *weight[3];
    if (n <= 0) return;
    for (int k = 0; k < 3; k++) part[k] = gndi_step_part(s, f, axis, k, n, 1);
    gnd_array *to = gndi_step_part(s, out, axis, 1, n, 1);
    if (!d->steps) {
        even_inside(s, to, part, d->step, NULL);
        return;
    }
    gnd_arg coefficient[3];
    const gnd_array *before = gndi_step_part(s, d->steps, 0, 0, n, 1);
    const gnd_array *behind = gndi_step_part(s, d->steps, 0, 1, n, 1);
    inside_weights(s, before, behind, weight);
    for (int k = 0; k < 3; k++)
        coefficient[k] = gnd_arg_array(s->failed ? NULL : gndi_step_along(s, weight[k], axis, f->ndim));
    combine(s, to, coefficient, part);
    even_inside(s, to, part, d->step, d->even);
}

/* ---- at the ends ---------------------------------------------------------------------------- */

/* The difference of the two samples at each end: both ends are one view of two elements. */
static void ends_of_order_1(gndi_temporaries *s, gnd_array *out, const gnd_array *f, int axis, const steps_along *d) {
    const int64_t n = f->shape[axis];
    const gnd_array *upper = gndi_step_part(s, f, axis, 1, 2, n - 2);
    const gnd_array *lower = gndi_step_part(s, f, axis, 0, 2, n - 2);
    gnd_array *to = gndi_step_part(s, out, axis, 0, 2, n - 1);
    gnd_arg step = d->step;
    if (d->steps) {
        const gnd_array *two = gndi_step_part(s, d->steps, 0, 0, 2, n - 2);
        step = gnd_arg_array(s->failed ? NULL : gndi_step_along(s, two, axis, f->ndim));
    }
    gndi_step_into(s, GNDI_OP_subtract, to, gnd_arg_array(upper), gnd_arg_array(lower), NULL);
    gndi_step_into(s, GNDI_OP_divide, to, gnd_arg_array(to), step, NULL);
}

/* a where the steps are even, else b; 0-d. */
static gnd_arg select(gndi_temporaries *s, const steps_along *d, gnd_arg a, gnd_arg b) {
    gnd_array *result = NULL;
    if (s->failed) return gnd_arg_none();
    const gndi_ew_request request = {.op = GNDI_OP_where, .fn = s->fn, .args = {gnd_arg_array(d->even), a, b}};
    if (gndi_elementwise(&request, &result)) result = NULL;
    return gnd_arg_array(gndi_temporaries_keep(s, result));
}

static gnd_arg apply(gndi_temporaries *s, gndi_op op, gnd_arg a, gnd_arg b) {
    return gnd_arg_array(gndi_step(s, op, a, b));
}

/*
 * The weights of the three samples at an end, the outermost first, for steps h (the outer one) and
 * k: -(2h + k) / (h (h + k)), (h + k) / (h k), -h / (k (h + k)). NumPy negates at the last end what
 * comes to the same bits.
 */
static void end_weights(gndi_temporaries *s, gnd_arg h, gnd_arg k, bool last, gnd_arg weight[3]) {
    const gnd_arg both = apply(s, GNDI_OP_add, h, k);
    const gnd_arg outer = apply(s, GNDI_OP_multiply, h, both);
    const gnd_arg middle = apply(s, GNDI_OP_multiply, h, k);
    const gnd_arg inner = apply(s, GNDI_OP_multiply, k, both);
    const gnd_arg twice = apply(s, GNDI_OP_add, times(s, 2, h), k);
    weight[0] = apply(s, GNDI_OP_divide, twice, outer);
    weight[1] = apply(s, GNDI_OP_divide, both, middle);
    weight[2] = apply(s, GNDI_OP_divide, h, inner);
    for (int i = 0; i < 3; i++)
        if ((i == 1) == last) weight[i] = apply(s, GNDI_OP_negative, weight[i], gnd_arg_none());
}

/* From the three samples at the end. */
static void end_of_order_2(gndi_temporaries *s, gnd_array *out, const gnd_array *f, int axis, const steps_along *d,
                           bool last) {
    static const double even[3] = {-1.5, 2, -0.5};
    const int64_t n = f->shape[axis];
    gnd_array *part[3];
    gnd_arg weight[3], coefficient[3];
    gnd_array *to = gndi_step_part(s, out, axis, last ? n - 1 : 0, 1, 1);
    for (int k = 0; k < 3; k++) {
        part[k] = gndi_step_part(s, f, axis, last ? n - 3 + k : k, 1, 1);
        weight[k] = over(s, last ? -even[2 - k] : even[k], d->step);
    }
    if (d->steps && !s->failed) {
        const int64_t m = n - 1;
        gnd_arg uneven[3];
        const gnd_arg h = gnd_arg_array(gndi_step_element(s, d->steps, last ? m - 1 : 0));
        const gnd_arg k = gnd_arg_array(gndi_step_element(s, d->steps, last ? m - 2 : 1));
        end_weights(s, h, k, last, uneven);
        for (int i = 0; i < 3; i++) weight[i] = select(s, d, weight[i], uneven[last ? 2 - i : i]);
    }
    memcpy(coefficient, weight, sizeof coefficient);
    combine(s, to, coefficient, part);
}

/* ---- one axis and several ------------------------------------------------------------------- */

static gnd_array *gradient_along(const char *fn, const gnd_array *f, gnd_arg given, int axis, int edge_order) {
    gndi_temporaries s = {.fn = fn};
    if (f->shape[axis] < edge_order + 1)
        return gndi_fail(GND_ERROR_VALUE, fn,
                         "x has shape %s: axis %d is too short for edge_order %d, which needs at "
                         "least %d samples",
                         gndi_text_shape(f->ndim, f->shape), axis, edge_order, edge_order + 1);
    const steps_along d = steps_of(&s, given, f, axis);
    gnd_array *out = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_new_like(fn, f, GND_DTYPE_NONE));
    /* The inside, then the ends: each with steps of its own. */
    for (int part = 0; part < (edge_order == 1 ? 2 : 3) && !s.failed; part++) {
        gndi_temporaries t = {.fn = fn};
        if (part == 0)
            inside(&t, out, f, axis, &d);
        else if (edge_order == 1)
            ends_of_order_1(&t, out, f, axis, &d);
        else
            end_of_order_2(&t, out, f, axis, &d, part == 2);
        gndi_temporaries_end_part(&s, &t);
    }
    return gndi_temporaries_end(&s, out);
}

/* Checks that hold for all axes; x as it is differenced. */
static const gnd_array *samples(gndi_temporaries *s, const gnd_array *x, int edge_order) {
    if (gndi_missing(x)) {
        gndi_raise_null(s->fn, "x");
    } else if (edge_order != 1 && edge_order != 2) {
        gndi_raise(GND_ERROR_INVALID, s->fn, "edge_order must be 1 or 2; it is %d", edge_order);
    } else if (x->dtype == GND_BOOL) {
        gndi_raise(GND_ERROR_DTYPE, s->fn, "is not defined for bool; convert with gnd_astype first");
    } else {
        return gndi_step_floating(s, x);
    }
    s->failed = true;
    return NULL;
}

gnd_array *gnd_gradient(const gnd_array *x, gnd_arg spacing, int axis, int edge_order) {
    GNDI_PARTS_OF("gnd_gradient");
    gndi_temporaries s = {.fn = "gnd_gradient"};
    if (x && !gndi_normalize_axis(s.fn, axis, x->ndim, &axis)) return NULL;
    const gnd_array *f = samples(&s, x, edge_order);
    gnd_array *result = s.failed ? NULL : gradient_along(s.fn, f, spacing, axis, edge_order);
    gndi_temporaries_end(&s, NULL);
    return result;
}

/* The axes that are meant, in the order given; -1 and an error if they are none. */
static int list_axes(const char *fn, const gnd_axes *axes, int ndim, int *list) {
    uint64_t seen;
    if (axes->keepdims || axes->dtype || axes->where || axes->initial || axes->out) {
        gndi_raise(GND_ERROR_INVALID, fn, "takes no options with its axes");
        return -1;
    }
    if (!gndi_normalize_axes(fn, axes, ndim, &seen)) return -1;
    const int count = axes->count == 0 ? ndim : axes->count < 0 ? 0 : axes->count;
    for (int i = 0; i < count; i++) {
        list[i] = axes->count == 0 ? i : axes->axis[i];
        if (list[i] < 0) list[i] += ndim;
    }
    return count;
}

gnd_status gnd_gradient_axes(gnd_array *out[], const gnd_array *x, gnd_axes axes, int count, const gnd_arg *spacing,
                             int edge_order) {
    GNDI_PARTS_OF("gnd_gradient_axes");
    gndi_temporaries s = {.fn = "gnd_gradient_axes"};
    int list[GND_MAX_DIMS];
    if (!out || gndi_missing(x)) return gndi_raise_null(s.fn, out ? "x" : "out");
    const int n = list_axes(s.fn, &axes, x->ndim, list);
    if (n < 0) return gndi_ew_pending();
    for (int i = 0; i < n; i++) out[i] = NULL;
    if (count < 0 || (count > 0 && !spacing) || (count > 1 && count != n) ||
        (count == 1 && n != 1 && spacing[0].kind == GND_ARG_ARRAY &&
         (!spacing[0].array || spacing[0].array->ndim != 0)))
        return gndi_raise(GND_ERROR_INVALID, s.fn,
                          "%d spacings were given for %d axes; there must be none, one number, or "
                          "one for each axis",
                          count, n);
    const gnd_array *f = samples(&s, x, edge_order);
    for (int i = 0; i < n && !s.failed; i++) {
        const gnd_arg given = count == 0 ? gnd_arg_none() : spacing[count == 1 ? 0 : i];
        out[i] = gradient_along(s.fn, f, given, list[i], edge_order);
        s.failed = out[i] == NULL;
    }
    for (int i = 0; i < n && s.failed; i++) {
        gnd_release(out[i]);
        out[i] = NULL;
    }
    return gndi_temporaries_status(&s);
}
