/*
 * symiir.c: symiirorder1 and symiirorder2, filters that run forward and backward over a mirrored signal: one launch
 * where a sample does not reach far, else two recursive filters, whose first results are sums near the ends.
 */
#include "filter/filter.h"
#include "elementwise/create.h"
#include <gnd/view.h>
#include <math.h>

/* ---- two filters ---------------------------------------------------------------------------- */

typedef struct request {
    gndi_temporaries *s;
    const gndi_mirrored_plan *p;
    gnd_array *x; /* of the work dtype, dense */
    int axis;     /* the last one */
    int64_t n;
    gndi_filter f;
} request;

/* The sum of weights times samples from one end on: x's shape with one sample. */
static gnd_array *sum(const request *r, const gndi_mirrored_sum *of, bool last) {
    gndi_temporaries *s = r->s;
    const int64_t count = of->count, shape[2] = {count, 1}, row[2] = {1, count}, one = 1;
    double before[2] = {0, 0}, *numbers = s->failed ? NULL : gndi_calloc(s->fn, (size_t)(count + 1) * sizeof *numbers);
    for (int64_t k = 0; numbers && k < count; k++) numbers[k] = gndi_mirrored_weight(r->p, of, k, &before);
    s->failed |= !numbers;
    gnd_array *column = s->failed ? NULL : gndi_filter_numbers(s, r->x, 2, shape, numbers, (gnd_dtype)r->x->dtype);
    gndi_free(numbers);
    gnd_array *part = s->failed ? NULL : gndi_step_part(s, r->x, r->axis, last ? r->n - 1 : 0, count, last ? -1 : 1);
    if (s->failed) return NULL;
    if (r->axis > 0) return gndi_temporaries_keep(s, gnd_matmul(part, column));
    gnd_array *flat = gndi_temporaries_keep(s, gndi_reshaped(s->fn, part, 2, row));
    gnd_array *value = flat ? gndi_temporaries_keep(s, gnd_matmul(flat, column)) : NULL;
    return value ? gndi_temporaries_keep(s, gndi_reshaped(s->fn, value, 1, &one)) : NULL;
}

/* a + factor * sample number `index`; a: NULL for nothing. */
static gnd_array *add_sample(const request *r, gnd_array *a, const gnd_array *x, int64_t index, double factor) {
    gndi_temporaries *s = r->s;
    gnd_array *sample = gndi_step_part(s, x, r->axis, index, 1, 1);
    gnd_array *scaled = s->failed ? NULL : gndi_step(s, GNDI_OP_multiply, gnd_arg_array(sample), gnd_arg_real(factor));
    if (s->failed || !a) return scaled;
    return gndi_step(s, GNDI_OP_add, gnd_arg_array(a), gnd_arg_array(scaled));
}

static void put(const request *r, gnd_array *y, int64_t index, const gnd_array *value) {
    gnd_array *to = gndi_step_part(r->s, y, r->axis, index, 1, 1);
    if (to && value) gndi_step_into(r->s, GNDI_OP_copy, to, gnd_arg_array(value), gnd_arg_none(), NULL);
}

/* factor * a, of the dtype of states. */
static gnd_array *state_part(const request *r, const gnd_array *a, double factor) {
    gnd_array *wide = r->s->failed ? NULL : gndi_copy_as(r->s->fn, a, gndi_filter_state_dtype(&r->f), 'C');
    wide = gndi_temporaries_keep(r->s, wide);
    return wide ? gndi_step_in_place(r->s, GNDI_OP_multiply, wide, gnd_arg_real(factor)) : NULL;
}

/* The state after results `one` and, of order 2, then `two`: {a2 one}, or {a3 one + a2 two, a3 two}. */
static gnd_array *state_after(const request *r, gnd_array *const *results) {
    gndi_temporaries *s = r->s;
    if (r->p->order == 1) return state_part(r, results[0], r->p->a2);
    gnd_array *first = state_part(r, results[0], r->p->a3), *more = state_part(r, results[1], r->p->a2);
    gnd_array *second = state_part(r, results[1], r->p->a3);
    gnd_array *sum_of = s->failed ? NULL : gndi_step(s, GNDI_OP_add, gnd_arg_array(first), gnd_arg_array(more));
    if (s->failed) return NULL;
    gnd_array *both[2] = {sum_of, second};
    return gndi_temporaries_keep(s, gnd_concatenate(2, both, -1));
}

/* From results at one end of y to all of it, from x, by a filter of this gain. */
static void run(request *r, const gnd_array *x, gnd_array *y, gnd_array *const *results, double gain, int step) {
    const int order = r->p->order;
    const int64_t first = step > 0 ? 0 : r->n - 1, count = r->n - order;
    const double b[5] = {gain, 0, 0, -r->p->a2, -r->p->a3}, a[2] = {1, -r->p->a2};
    for (int k = 0; k < order && !r->s->failed; k++) put(r, y, first + k * step, results[k]);
    r->f.order = order, r->f.sections = order == 2;
    r->f.made.system = (gndi_filter_system){.sections = order == 2, .order = order, .b = b, .a = a};
    gnd_array *state = r->s->failed ? NULL : state_after(r, results);
    gnd_array *from = r->s->failed ? NULL : gndi_step_part(r->s, x, r->axis, first + order * step, count, step);
    gnd_array *to = r->s->failed ? NULL : gndi_step_part(r->s, y, r->axis, first + order * step, count, step);
    if (!r->s->failed) gndi_filter_run(r->s, &r->f, from, r->axis, to, &state);
}

static gnd_array *two_filters(gndi_temporaries *s, const gndi_mirrored_plan *p, gnd_array *x) {
    request r = {.s = s, .p = p, .x = x, .axis = x->ndim - 1, .n = p->length};
    r.f.work = r.f.result = (gnd_dtype)x->dtype;
    gnd_array *first[2] = {NULL, NULL}, *last[2] = {NULL, NULL};
    for (int k = 0; k < p->order; k++) {
        first[k] = add_sample(&r, sum(&r, &p->start[k], false), x, 0, p->first[k]);
        if (k == 1 && first[1]) first[1] = add_sample(&r, first[1], x, 1, p->first[2]);
        if (p->order == 2) last[k] = sum(&r, &p->end[k], true);
    }
    gnd_array *there = s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_like(s->fn, x, GND_DTYPE_NONE));
    gnd_array *y = s->failed ? NULL : gndi_temporaries_keep(s, gndi_new_like(s->fn, x, GND_DTYPE_NONE));
    if (s->failed) return NULL;
    run(&r, x, there, first, p->gain, 1);
    if (p->order == 1 && !s->failed) last[0] = add_sample(&r, NULL, there, r.n - 1, p->last);
    if (!s->failed) run(&r, there, y, last, p->gain_back, -1);
    return s->failed ? NULL : y;
}

gnd_array *gndi_mirrored_any(gndi_temporaries *s, gndi_mirrored_plan *p, const gnd_array *x, int axis) {
    if (s->failed || gndi_mirrored_is_local(p)) return gndi_mirrored_run(s, p, x, axis);
    const bool pairs = gndi_dtype_is_complex(x->dtype), single = p->to == GND_FLOAT32;
    const gnd_dtype to = pairs ? (single ? GND_COMPLEX64 : GND_COMPLEX128) : (gnd_dtype)p->to;
    gnd_array *line = gndi_temporaries_keep(s, gnd_moveaxis(x, GND_AXES(axis), GND_AXES(-1)));
    line = line ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, line, to, 'C')) : NULL;
    gnd_array *y = line ? two_filters(s, p, line) : NULL;
    y = y ? gndi_temporaries_keep(s, gnd_moveaxis(y, GND_AXES(-1), GND_AXES(axis))) : NULL;
    return !y || gndi_is_c_contiguous(y) ? y : gndi_temporaries_keep(s, gndi_copy_as(s->fn, y, to, 'C'));
}

/* ---- public --------------------------------------------------------------------------------- */

/* A plan for the last axis of x. */
static bool begin(gndi_temporaries *s, gndi_mirrored_plan *p, const gnd_array *x, int64_t least) {
    if (gndi_missing(x)) return gndi_raise_null(s->fn, "x"), false;
    if (x->ndim == 0 || x->shape[x->ndim - 1] < least) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "x has shape %s; its last axis must have at least %d samples",
                   gndi_text_shape(x->ndim, x->shape), (int)least);
        return false;
    }
    const gnd_dtype work = gndi_filter_work(gndi_filter_result((gnd_dtype)x->dtype));
    p->from = p->to = work == GND_FLOAT32 || work == GND_COMPLEX64 ? GND_FLOAT32 : GND_FLOAT64;
    p->length = x->shape[x->ndim - 1];
    return true;
}

static double precision_of(const gndi_mirrored_plan *p, double precision) {
    return precision > 0 && precision <= 1 ? precision : p->to == GND_FLOAT32 ? 1e-6 : 1e-11;
}

/* As in SciPy, the sums must stop before the last sample. */
static gnd_array *finish(gndi_temporaries *s, gndi_mirrored_plan *p, const gnd_array *x) {
    bool converges = true;
    for (int k = 0; k < p->order; k++) converges &= p->start[k].count < p->length && p->end[k].count < p->length;
    if (!converges && x->size > 0)
        return gndi_fail(GND_ERROR_VALUE, s->fn,
                         "the sum for the first state did not converge: the signal is too short");
    const gnd_dtype result = gndi_filter_result((gnd_dtype)x->dtype);
    gnd_array *y = gndi_mirrored_any(s, p, x, x->ndim - 1);
    if (!s->failed && (gnd_dtype)y->dtype != result) y = gndi_temporaries_keep(s, gndi_copy_as(s->fn, y, result, 'C'));
    return gndi_temporaries_end(s, y);
}

gnd_array *gnd_symiirorder1(const gnd_array *x, double c0, double z1, double precision) {
    static const char fn[] = "gnd_symiirorder1";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gndi_mirrored_plan p = {0};
    if (!(fabs(z1) < 1)) return gndi_fail(GND_ERROR_VALUE, fn, "|z1| is %g; it must be less than 1", fabs(z1));
    if (!begin(&s, &p, x, 1)) return NULL;
    gndi_mirrored_order1(&p, c0, z1, precision_of(&p, precision));
    return finish(&s, &p, x);
}

gnd_array *gnd_symiirorder2(const gnd_array *x, double radius, double omega, double precision) {
    static const char fn[] = "gnd_symiirorder2";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    gndi_mirrored_plan p = {0};
    if (!(radius < 1)) return gndi_fail(GND_ERROR_VALUE, fn, "r is %g; it must be less than 1", radius);
    if (!gndi_missing(x) && gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be real", gnd_dtype_name((gnd_dtype)x->dtype));
    if (!begin(&s, &p, x, 3)) return NULL;
    gndi_mirrored_order2(&p, radius, omega, precision_of(&p, precision));
    return finish(&s, &p, x);
}
