/*
 * arithmetic.c: sums, products, quotients, derivatives and integrals of polynomials (numpy.polyadd and its relatives).
 */
#include "elementwise/create.h"
#include "elementwise/sequence_plan.h"
#include "polynomial/polynomial.h"
#include "runtime/runtime.h"
#include <gnd/rearrange.h>

gnd_array *gndi_poly_line(gndi_temporaries *t, const gnd_array *a, const char *name) {
    if (t->failed) return NULL;
    if (gndi_missing(a)) return gndi_raise_null(t->fn, name), t->failed = true, NULL;
    if (a->ndim > 1) {
        gndi_raise(GND_ERROR_SHAPE, t->fn, "%s must have one dimension, and is %s", name, gndi_text_array(a));
        return t->failed = true, NULL;
    }
    return gndi_temporaries_keep(t, gndi_reshaped(t->fn, a, 1, &a->size));
}

/* ---- sums ----------------------------------------------------------------------------------- */

/* n coefficients: zeros in front. */
static gnd_array *padded(gndi_temporaries *t, gnd_array *line, int64_t n) {
    if (t->failed || line->size == n) return line;
    gnd_stream *stream = gndi_stream_on(line->buffer->device, t->fn);
    gnd_array *fresh = stream ? gndi_array_new_on(t->fn, stream, 1, &n, (gnd_dtype)line->dtype, GNDI_ORDER_C) : NULL;
    gnd_array *longer = gndi_temporaries_keep(t, fresh ? gndi_zero(t->fn, fresh) : NULL);
    if (!longer || line->size == 0) return longer;
    gnd_array *end = gndi_step_part(t, longer, 0, n - line->size, line->size, 1);
    gndi_step_into(t, GNDI_OP_copy, end, gnd_arg_array(line), GND_NONE, NULL);
    return longer;
}

static gnd_array *sum(const char *fn, gndi_op op, const gnd_array *a, const gnd_array *b) {
    gndi_temporaries t = {.fn = fn};
    gnd_array *x = gndi_poly_line(&t, a, "a"), *y = gndi_poly_line(&t, b, "b");
    if (!t.failed && gndi_check_together(fn, a, "a", b, "b")) t.failed = true;
    const int64_t n = t.failed ? 0 : gndi_max(x->size, y->size);
    x = padded(&t, x, n);
    y = padded(&t, y, n);
    return gndi_temporaries_end(&t, gndi_step(&t, op, gnd_arg_array(x), gnd_arg_array(y)));
}

gnd_array *gnd_polyadd(const gnd_array *a, const gnd_array *b) {
    return sum("gnd_polyadd", GNDI_OP_add, a, b);
}

gnd_array *gnd_polysub(const gnd_array *a, const gnd_array *b) {
    return sum("gnd_polysub", GNDI_OP_subtract, a, b);
}

/* ---- products ------------------------------------------------------------------------------- */

/* A line without its leading zeros; one coefficient is left. */
static gnd_array *trimmed(gndi_temporaries *t, gnd_array *line, const char *name) {
    gndi_scratch s = {.fn = t->fn, .failed = t->failed};
    gndi_numbers numbers;
    int64_t first = 0;
    if (gndi_numbers_read(&s, line, name, &numbers)) {
        if (numbers.n == 0) gndi_scratch_fail(&s, GND_ERROR_VALUE, "%s has no coefficients", name);
        while (first < numbers.n - 1 && numbers.at[first] == 0) first++;
    }
    t->failed |= s.failed;
    gndi_scratch_end(&s);
    return t->failed ? NULL : gndi_step_part(t, line, 0, first, line->size - first, 1);
}

gnd_array *gnd_polymul(const gnd_array *a, const gnd_array *b) {
    GNDI_PARTS_OF("gnd_polymul");
    gndi_temporaries t = {.fn = "gnd_polymul"};
    gnd_array *x = gndi_poly_line(&t, a, "a"), *y = gndi_poly_line(&t, b, "b");
    if (!t.failed && gndi_check_together(t.fn, a, "a", b, "b")) t.failed = true;
    x = trimmed(&t, x, "a");
    y = trimmed(&t, y, "b");
    return gndi_temporaries_end(&t, t.failed ? NULL : gndi_temporaries_keep(&t, gnd_convolve(x, y, GND_FULL)));
}

/* ---- quotients ------------------------------------------------------------------------------ */

/* Numbers as an array of a dtype. */
static gnd_array *cast(gndi_scratch *s, int64_t n, const gndi_complex *values, gnd_dtype dtype) {
    gnd_array *made = gndi_array_of_numbers(s, n, values, !gndi_dtype_is_complex(dtype));
    gnd_array *result = made ? gndi_copy_as(s->fn, made, dtype, 'C') : NULL;
    gnd_release(made);
    s->failed |= !result;
    return result;
}

/* The coefficients of u are replaced by those of the remainder. */
static void divide(const gndi_numbers *u, const gndi_numbers *v, gndi_complex *quotient) {
    for (int64_t k = 0; k + v->n <= u->n; k++) {
        quotient[k] = u->at[k] / v->at[0];
        for (int64_t j = 0; j < v->n; j++) u->at[k + j] -= quotient[k] * v->at[j];
    }
}

gnd_status gnd_polydiv(gnd_array **quotient, gnd_array **remainder, const gnd_array *u, const gnd_array *v) {
    gndi_scratch s = {.fn = "gnd_polydiv"};
    gndi_numbers a, b;
    gnd_array *made[2] = {NULL, NULL};
    if (quotient) *quotient = NULL;
    if (remainder) *remainder = NULL;
    if (gndi_numbers_read(&s, u, "u", &a) && gndi_numbers_read(&s, v, "v", &b)) {
        const int64_t n = gndi_max(a.n - b.n + 1, 1);
        gnd_dtype dtype = gnd_promote_types((gnd_dtype)u->dtype, (gnd_dtype)v->dtype);
        if (dtype <= GND_UINT64) dtype = GND_FLOAT64;
        if (a.n == 0 || b.n == 0 || b.at[0] == 0)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "polynomials have coefficients, and v must not begin with 0");
        gndi_complex *q = gndi_scratch_complex(&s, n);
        if (q) {
            divide(&a, &b, q);
            while (a.n > 1 && cabs(a.at[0]) <= 1e-8) a.n--, a.at++; /* as NumPy drops them */
            if (quotient) made[0] = cast(&s, n, q, dtype);
            if (remainder && !s.failed) made[1] = cast(&s, a.n, a.at, dtype);
        }
    }
    if (s.failed) gnd_release(made[0]), gnd_release(made[1]);
    if (!s.failed && quotient) *quotient = made[0];
    if (!s.failed && remainder) *remainder = made[1];
    return gndi_scratch_end(&s);
}

/* ---- derivatives and integrals -------------------------------------------------------------- */

/* n, n - 1, ..., 1, on the device of `line`. */
static gnd_array *falling(gndi_temporaries *t, const gnd_array *line, int64_t n) {
    gnd_stream *stream = t->failed ? NULL : gndi_stream_on(line->buffer->device, t->fn);
    gnd_array *fresh = stream ? gndi_array_new_on(t->fn, stream, 1, &n, GND_INT64, GNDI_ORDER_C) : NULL;
    gnd_array *powers = gndi_temporaries_keep(t, fresh);
    if (!powers) return NULL;
    const gndi_sequence_plan plan = {
        .out = gndi_data(powers), .dtype = GND_INT64, .n = n, .first = gnd_arg_int(n), .step = gnd_arg_int(-1)};
    t->failed |= gndi_sequence(t->fn, powers, &plan) != GND_OK;
    return powers;
}

static bool check_times(gndi_temporaries *t, int m) {
    if (!t->failed && (m < 0 || m > 1000)) {
        gndi_raise(GND_ERROR_VALUE, t->fn, "m must be 0 to 1000, not %d", m);
        t->failed = true;
    }
    return !t->failed;
}

gnd_array *gnd_polyder(const gnd_array *p, int m) {
    gndi_temporaries t = {.fn = "gnd_polyder"};
    gnd_array *line = gndi_poly_line(&t, p, "p");
    if (!check_times(&t, m)) return gndi_temporaries_end(&t, NULL);
    for (int i = 0; i < m && line; i++) {
        gndi_temporaries step = {.fn = t.fn};
        const int64_t n = gndi_max(line->size - 1, 0);
        gnd_array *part = gndi_step_part(&step, line, 0, 0, n, 1);
        gnd_array *next =
            gndi_step(&step, GNDI_OP_multiply, gnd_arg_array(part), gnd_arg_array(falling(&step, line, n)));
        next = gndi_temporaries_end(&step, next);
        gndi_temporaries_end(&t, NULL);
        line = gndi_temporaries_keep(&t, next);
    }
    return gndi_temporaries_end(&t, line);
}

gnd_array *gnd_polyint(const gnd_array *p, int m, const gnd_array *k) {
    GNDI_PARTS_OF("gnd_polyint");
    gndi_temporaries t = {.fn = "gnd_polyint"}, all = {.fn = t.fn};
    gnd_array *line = gndi_poly_line(&t, p, "p"), *constants = k ? gndi_poly_line(&all, k, "k") : NULL;
    t.failed |= all.failed;
    if (check_times(&t, m) && k && k->size < m && k->size != 1) {
        gndi_raise(GND_ERROR_SHAPE, t.fn, "there must be %d constants, or one, not %lld", m, (long long)k->size);
        t.failed = true;
    }
    if (!t.failed && k && gndi_check_together(t.fn, p, "p", k, "k")) t.failed = true;
    if (t.failed) line = NULL;
    for (int i = 0; i < m && line; i++) {
        gndi_temporaries step = {.fn = t.fn};
        const int64_t one = 1;
        gnd_array *powers = falling(&step, line, line->size);
        gnd_array *over = gndi_step(&step, GNDI_OP_divide, gnd_arg_array(line), gnd_arg_array(powers)), *last = NULL;
        if (k)
            last = gndi_step_part(&step, constants, 0, k->size == 1 ? 0 : i, 1, 1);
        else if (!step.failed) {
            gnd_stream *stream = gndi_stream_on(line->buffer->device, t.fn);
            gnd_array *fresh = stream ? gndi_array_new_on(t.fn, stream, 1, &one, GND_FLOAT64, GNDI_ORDER_C) : NULL;
            last = gndi_temporaries_keep(&step, fresh ? gndi_zero(t.fn, fresh) : NULL);
        }
        const gnd_array *both[] = {over, last};
        gnd_array *next = step.failed ? NULL : gndi_temporaries_keep(&step, (gnd_concatenate)(2, both, 0));
        next = gndi_temporaries_end(&step, next);
        gndi_temporaries_end(&t, NULL);
        line = gndi_temporaries_keep(&t, next);
    }
    gndi_temporaries_end(&all, NULL);
    return gndi_temporaries_end(&t, line);
}
