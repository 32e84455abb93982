/*
 * symiir.c: filters that run forward and backward over a signal that is mirrored at its ends. The first results of
 * each way are sums over the samples near that end, with weights that fall off; from there on a recursive filter goes.
 */
#include "filter/filter.h"
#include "elementwise/create.h"
#include <math.h>

static const double PI = 3.14159265358979323846;

typedef struct request {
    gndi_temporaries *s;
    gnd_array *x; /* of the work dtype, lines first and dense */
    int axis;     /* the last one */
    int64_t n;
    gndi_filter f;
    double precision; /* of a weight at the beginning, of its square at the end: as in SciPy */
} request;

/* The weight of a sample that is k away from an end. */
typedef struct weights {
    double (*at)(const struct weights *w, int64_t k);
    int64_t shift;
    double z1, r, omega, cs;
} weights;

static double power(const weights *w, int64_t k) {
    return pow(w->z1, (double)(k + 1));
}

/* The response of cs / (1 - a2 / z - a3 / z^2) to a one. */
static double response(const weights *w, int64_t k) {
    k += w->shift;
    if (k < 0) return 0;
    const double size = w->cs * pow(w->r, (double)k);
    if (w->omega == 0) return size * (double)(k + 1);
    if (w->omega == PI) return size * (double)(k + 1) * (k % 2 ? -1 : 1);
    return size * sin(w->omega * (double)(k + 1)) / sin(w->omega);
}

/* That of the filter both ways. */
static double both_ways(const weights *w, int64_t k) {
    const double square = w->r * w->r, c = w->cs * w->cs, ratio = (1 - square) / (1 + square);
    k = k < 0 ? -k : k;
    const double size = pow(square, (double)k / 2);
    if (w->omega == 0 || w->omega == PI) {
        const double start = (1 + square) / ((1 - square) * (1 - square) * (1 - square)) * c;
        const double gamma = ratio * (w->omega == 0 || k % 2 == 0 ? 1 : -1);
        return start * size * (1 + gamma * (double)k);
    }
    const double start = c * (1 + square) / (1 - square) / (1 - 2 * square * cos(2 * w->omega) + square * square);
    const double angle = w->omega * (double)k;
    return start * size * (cos(angle) + ratio / tan(w->omega) * sin(angle));
}
static double end_first(const weights *w, int64_t k) {
    return both_ways(w, k) + both_ways(w, k + 1);
}
static double end_second(const weights *w, int64_t k) {
    return both_ways(w, k - 1) + both_ways(w, k + 2);
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* The sum of weights times samples from one end on, until a weight is below the precision: x's shape with one sample.
   As in SciPy, it must stop before the last sample. */
static gnd_array *sum(const request *r, const weights *w, bool last) {
    gndi_temporaries *s = r->s;
    double *numbers = s->failed ? NULL : gndi_calloc(s->fn, (size_t)(r->n + 1) * sizeof *numbers);
    int64_t count = 0;
    bool small = false;
    while (numbers && count < r->n && !small) {
        numbers[count] = w->at(w, count);
        small = numbers[count] * numbers[count] <= (last ? r->precision : r->precision * r->precision);
        count++;
    }
    if (numbers && count >= r->n)
        gndi_raise(GND_ERROR_VALUE, s->fn, "the sum for the first state did not converge: the signal is too short");
    s->failed |= !numbers || count >= r->n;
    const int64_t shape[2] = {count, 1};
    gnd_array *column = s->failed ? NULL : gndi_filter_numbers(s, r->x, 2, shape, numbers, (gnd_dtype)r->x->dtype);
    gndi_free(numbers);
    gnd_array *part = s->failed ? NULL : gndi_step_part(s, r->x, r->axis, last ? r->n - 1 : 0, count, last ? -1 : 1);
    if (s->failed) return NULL;
    if (r->axis > 0) return gndi_temporaries_keep(s, gnd_matmul(part, column));
    const int64_t row[2] = {1, count}, one = 1;
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

/* Samples first, first + step, ... of x to the same ones of y. */
static void run(const request *r, const gnd_array *x, gnd_array *y, int64_t first, int64_t count, int step,
                gnd_array *state) {
    gnd_array *from = gndi_step_part(r->s, x, r->axis, first, count, step);
    gnd_array *to = gndi_step_part(r->s, y, r->axis, first, count, step);
    gndi_filter_run(r->s, &r->f, from, r->axis, to, &state);
}

/* ---- public --------------------------------------------------------------------------------- */

static bool begin(request *r, const gnd_array *x, double precision, int64_t least) {
    gndi_temporaries *s = r->s;
    if (gndi_missing(x)) return gndi_raise_null(s->fn, "x"), false;
    if (x->ndim == 0 || x->shape[x->ndim - 1] < least) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "x has shape %s; its last axis must have at least %d samples",
                   gndi_text_shape(x->ndim, x->shape), (int)least);
        return false;
    }
    r->f.result = gndi_filter_result((gnd_dtype)x->dtype), r->f.work = gndi_filter_work(r->f.result);
    r->axis = x->ndim - 1, r->n = x->shape[r->axis];
    const bool narrow = r->f.work == GND_FLOAT32 || r->f.work == GND_COMPLEX64;
    r->precision = precision > 0 && precision <= 1 ? precision : narrow ? 1e-6 : 1e-11;
    r->x = gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, r->f.work, 'C'));
    return r->x != NULL;
}

static gnd_array *end(request *r, gnd_array *y) {
    gndi_temporaries *s = r->s;
    if (!s->failed && r->f.result != r->f.work) y = gndi_temporaries_keep(s, gndi_copy_as(s->fn, y, r->f.result, 'C'));
    return gndi_temporaries_end(s, y);
}

gnd_array *gnd_symiirorder1(const gnd_array *x, double c0, double z1, double precision) {
    static const char fn[] = "gnd_symiirorder1";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    request r = {.s = &s};
    if (!(fabs(z1) < 1)) return gndi_fail(GND_ERROR_VALUE, fn, "|z1| is %g; it must be less than 1", fabs(z1));
    if (!begin(&r, x, precision, 1)) return gndi_temporaries_end(&s, NULL);
    if (x->size == 0) return end(&r, r.x);
    const double forward[2] = {1, 0}, backward[2] = {c0, 0}, a[2] = {1, -z1};
    const weights w = {.at = power, .z1 = z1};
    r.f.order = 1, r.f.made.system = (gndi_filter_system){.order = 1, .b = forward, .a = a};
    gnd_array *first = add_sample(&r, sum(&r, &w, false), r.x, 0, 1);
    gnd_array *there = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_new_like(fn, r.x, GND_DTYPE_NONE));
    gnd_array *y = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_new_like(fn, r.x, GND_DTYPE_NONE));
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    put(&r, there, 0, first);
    run(&r, r.x, there, 1, r.n - 1, 1, state_part(&r, first, z1));
    gnd_array *last = s.failed ? NULL : add_sample(&r, NULL, there, r.n - 1, -c0 / (z1 - 1));
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    put(&r, y, r.n - 1, last);
    r.f.made.system.b = backward;
    run(&r, there, y, r.n - 2, r.n - 1, -1, state_part(&r, last, z1));
    return end(&r, y);
}

/* The state of a section after results `one` and then `two`: {a3 one + a2 two, a3 two}. */
static gnd_array *after_two(const request *r, const gnd_array *one, const gnd_array *two, double a2, double a3) {
    gndi_temporaries *s = r->s;
    gnd_array *first = state_part(r, one, a3), *more = state_part(r, two, a2), *second = state_part(r, two, a3);
    gnd_array *sum_of = s->failed ? NULL : gndi_step(s, GNDI_OP_add, gnd_arg_array(first), gnd_arg_array(more));
    if (s->failed) return NULL;
    gnd_array *both[2] = {sum_of, second};
    return gndi_temporaries_keep(s, gnd_concatenate(2, both, -1));
}

gnd_array *gnd_symiirorder2(const gnd_array *x, double radius, double omega, double precision) {
    static const char fn[] = "gnd_symiirorder2";
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    request r = {.s = &s};
    if (!(radius < 1)) return gndi_fail(GND_ERROR_VALUE, fn, "r is %g; it must be less than 1", radius);
    if (!gndi_missing(x) && gndi_dtype_is_complex(x->dtype))
        return gndi_fail(GND_ERROR_DTYPE, fn, "x has dtype %s; it must be real", gnd_dtype_name((gnd_dtype)x->dtype));
    if (!begin(&r, x, precision, 3)) return gndi_temporaries_end(&s, NULL);
    if (x->size == 0) return end(&r, r.x);
    const double a2 = 2 * radius * cos(omega), a3 = -radius * radius, cs = 1 - a2 - a3;
    const double section[5] = {cs, 0, 0, -a2, -a3};
    r.f.order = 2, r.f.sections = 1;
    r.f.made.system = (gndi_filter_system){.sections = 1, .order = 2, .b = section};
    weights w = {.at = response, .r = radius, .omega = omega, .cs = cs};
    const double h0 = response(&w, 0), h1 = response(&w, 1);
    w.shift = 1;
    gnd_array *one = add_sample(&r, sum(&r, &w, false), r.x, 0, h0);
    w.shift = 2;
    gnd_array *two = add_sample(&r, sum(&r, &w, false), r.x, 1, h0);
    if (two) two = add_sample(&r, two, r.x, 0, h1);
    w.at = end_first;
    gnd_array *last = sum(&r, &w, true);
    w.at = end_second;
    gnd_array *before_last = sum(&r, &w, true);
    gnd_array *there = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_new_like(fn, r.x, GND_DTYPE_NONE));
    gnd_array *y = s.failed ? NULL : gndi_temporaries_keep(&s, gndi_new_like(fn, r.x, GND_DTYPE_NONE));
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    put(&r, there, 0, one);
    put(&r, there, 1, two);
    run(&r, r.x, there, 2, r.n - 2, 1, after_two(&r, one, two, a2, a3));
    put(&r, y, r.n - 1, last);
    put(&r, y, r.n - 2, before_last);
    if (!s.failed) run(&r, there, y, r.n - 3, r.n - 2, -1, after_two(&r, last, before_last, a2, a3));
    return end(&r, y);
}
