/*
 * values.c: values of polynomials, and polynomials of given values or roots (numpy.polyval, polyfit, roots, poly;
 * numpy.polynomial.polynomial.polyvander, polycompanion, polyvalfromroots).
 */
#include "elementwise/create.h"
#include "polynomial/polynomial.h"
#include "reduce/reduce.h"
#include <gnd/decompose.h>
#include <gnd/rearrange.h>
#include <gnd/reduce.h>
#include <float.h>
#include <math.h>

#undef gnd_polyval
#undef gnd_polyvalfromroots

/* ---- values --------------------------------------------------------------------------------- */

/* x as an array on the device of p: itself, or a number as one without dimensions. */
static const gnd_array *points(gndi_temporaries *t, gnd_arg x, const gnd_array *p) {
    if (t->failed) return NULL;
    if (x.kind == GND_ARG_NONE || (x.kind == GND_ARG_ARRAY && gndi_missing(x.array)))
        return gndi_raise_null(t->fn, "x"), t->failed = true, NULL;
    if (x.kind == GND_ARG_ARRAY) {
        if (gndi_check_together(t->fn, p, "p", x.array, "x")) t->failed = true;
        return x.array;
    }
    gnd_stream *stream = gndi_stream_on(p->buffer->device, t->fn);
    gnd_array *fresh =
        stream ? gndi_array_new_on(t->fn, stream, 0, NULL, gndi_arg_default_dtype(x), GNDI_ORDER_C) : NULL;
    return gndi_temporaries_keep(t, fresh ? gndi_filled(t->fn, fresh, x) : NULL);
}

/* A new array of x's shape, all zeros or ones. */
static gnd_array *filled_like(gndi_temporaries *t, const gnd_array *x, gnd_dtype dtype, int value) {
    gnd_array *fresh = t->failed ? NULL : gndi_new_like(t->fn, x, dtype);
    return gndi_temporaries_keep(t, fresh ? gndi_filled(t->fn, fresh, gnd_arg_int(value)) : NULL);
}

/* The result of a loop takes the room of the one before. */
static gnd_array *replaced(gndi_temporaries *t, gndi_temporaries *step, gnd_array *next) {
    next = gndi_temporaries_end(step, next);
    gndi_temporaries_end(t, NULL);
    return gndi_temporaries_keep(t, next);
}

gnd_array *gnd_polyval(const gnd_array *p, gnd_arg x) {
    gndi_temporaries t = {.fn = "gnd_polyval"}, result = {.fn = t.fn};
    gnd_array *line = gndi_poly_line(&t, p, "p");
    const gnd_array *at = points(&t, x, p);
    gnd_array *y = t.failed ? NULL : filled_like(&result, at, GND_DTYPE_NONE, 0);
    for (int64_t i = 0; y && i < line->size; i++) {
        gndi_temporaries step = {.fn = t.fn};
        gnd_array *c = gndi_step_element(&step, line, i);
        gnd_array *product = gndi_step(&step, GNDI_OP_multiply, gnd_arg_array(y), gnd_arg_array(at));
        y = replaced(&result, &step, gndi_step(&step, GNDI_OP_add, gnd_arg_array(product), gnd_arg_array(c)));
    }
    result.failed |= t.failed;
    gndi_temporaries_end(&t, NULL);
    return gndi_temporaries_end(&result, y);
}

gnd_array *gnd_polyvalfromroots(gnd_arg x, const gnd_array *roots) {
    gndi_temporaries t = {.fn = "gnd_polyvalfromroots"}, result = {.fn = t.fn};
    const gnd_array *line = gndi_poly_line(&t, roots, "roots");
    if (!t.failed) line = gndi_step_floating(&t, line);
    const gnd_array *at = points(&t, x, roots);
    gnd_array *y = NULL;
    if (!t.failed) y = filled_like(&result, at, gnd_promote_types((gnd_dtype)line->dtype, (gnd_dtype)at->dtype), 1);
    for (int64_t i = 0; y && i < line->size; i++) {
        gndi_temporaries step = {.fn = t.fn};
        gnd_array *r = gndi_step_element(&step, line, i);
        gnd_array *factor = gndi_step(&step, GNDI_OP_subtract, gnd_arg_array(at), gnd_arg_array(r));
        y = replaced(&result, &step, gndi_step(&step, GNDI_OP_multiply, gnd_arg_array(y), gnd_arg_array(factor)));
    }
    result.failed |= t.failed;
    gndi_temporaries_end(&t, NULL);
    return gndi_temporaries_end(&result, y);
}

gnd_array *gnd_polyvander(const gnd_array *x, int deg) {
    gndi_temporaries t = {.fn = "gnd_polyvander"};
    int64_t shape[GND_MAX_DIMS];
    if (gndi_missing(x)) return gndi_raise_null(t.fn, "x"), NULL;
    if (deg < 0) return gndi_fail(GND_ERROR_VALUE, t.fn, "the degree must be at least 0, not %d", deg);
    if (x->ndim >= GND_MAX_DIMS) return gndi_fail(GND_ERROR_SHAPE, t.fn, "x has %d dimensions already", x->ndim);
    const int ndim = x->ndim ? x->ndim : 1; /* a number has one point */
    const gnd_array *at = gndi_step_floating(&t, x);
    shape[0] = 1;
    for (int i = 0; i < x->ndim; i++) shape[i] = x->shape[i];
    shape[ndim] = (int64_t)deg + 1;
    gnd_stream *stream = t.failed ? NULL : gndi_stream_on(x->buffer->device, t.fn);
    gnd_array *fresh = NULL;
    if (stream) fresh = gndi_array_new_on(t.fn, stream, ndim + 1, shape, (gnd_dtype)at->dtype, GNDI_ORDER_C);
    gnd_array *v = gndi_temporaries_keep(&t, fresh);
    for (int i = 0; v && i <= deg && !t.failed; i++) {
        gndi_temporaries step = {.fn = t.fn};
        gnd_array *column = gndi_step_at(&step, v, ndim, i);
        gnd_array *before = i > 0 ? gndi_step_at(&step, v, ndim, i - 1) : NULL;
        if (i == 0) { /* NaN where x is not finite */
            gndi_step_into(&step, GNDI_OP_multiply, column, gnd_arg_array(at), gnd_arg_int(0), NULL);
            gndi_step_into(&step, GNDI_OP_add, column, gnd_arg_array(column), gnd_arg_int(1), NULL);
        } else if (i == 1)
            gndi_step_into(&step, GNDI_OP_copy, column, gnd_arg_array(at), GND_NONE, NULL);
        else
            gndi_step_into(&step, GNDI_OP_multiply, column, gnd_arg_array(before), gnd_arg_array(at), NULL);
        gndi_temporaries_end_part(&t, &step);
    }
    return gndi_temporaries_end(&t, v);
}

/* ---- fits ----------------------------------------------------------------------------------- */

static bool check_points(gndi_temporaries *t, const gnd_array *x, const gnd_array *y, const gnd_array *w, int deg) {
    const char *fn = t->fn;
    if (gndi_missing(x) || gndi_missing(y)) return gndi_raise_null(fn, gndi_missing(x) ? "x" : "y"), false;
    if (w && gndi_missing(w)) return gndi_raise_null(fn, "w"), false;
    if (deg < 0) return gndi_raise(GND_ERROR_VALUE, fn, "the degree must be at least 0, not %d", deg), false;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "x must be real, and is %s", gndi_text_array(x)), false;
    const bool fits = x->ndim == 1 && (y->ndim == 1 || y->ndim == 2) && y->shape[0] == x->size;
    if (!fits || x->size == 0 || (w && (w->ndim != 1 || w->size != x->size))) {
        gndi_raise(GND_ERROR_SHAPE, fn,
                   "x, y and weights must have one point at least and one length, unlike %s and %s", gndi_text_array(x),
                   gndi_text_array(y));
        return false;
    }
    return !gndi_check_together(fn, x, "x", y, "y") && !(w && gndi_check_together(fn, x, "x", w, "w"));
}

/* x as a column. */
static gnd_array *column(gndi_temporaries *t, const gnd_array *x) {
    const int64_t shape[] = {x->size, 1};
    return gndi_temporaries_keep(t, gndi_reshaped(t->fn, x, 2, shape));
}

gnd_array *gnd_polyfit(const gnd_array *x, const gnd_array *y, int deg, const gnd_polyfit_options *options) {
    GNDI_PARTS_OF("gnd_polyfit");
    gndi_temporaries t = {.fn = "gnd_polyfit"};
    const gnd_array *w = options ? options->w : NULL;
    if (!check_points(&t, x, y, w, deg)) return NULL;
    const gnd_array *px = gndi_step_floating(&t, x), *py = gndi_step_floating(&t, y);
    gnd_array *lhs = t.failed ? NULL : gndi_temporaries_keep(&t, gnd_vander(px, (int64_t)deg + 1, false));
    if (w && !t.failed) {
        lhs = gndi_step(&t, GNDI_OP_multiply, gnd_arg_array(lhs), gnd_arg_array(column(&t, w)));
        const gnd_array *rows = y->ndim == 2 ? column(&t, w) : w;
        py = gndi_step(&t, GNDI_OP_multiply, gnd_arg_array(py), gnd_arg_array(rows));
    }
    gnd_array *squares = gndi_step(&t, GNDI_OP_multiply, gnd_arg_array(lhs), gnd_arg_array(lhs)), *c = NULL;
    gnd_array *scale = NULL;
    if (!t.failed) scale = gndi_temporaries_keep(&t, gnd_sum(squares, (gnd_axes){.count = 1, .axis = {0}}));
    if (!t.failed) scale = gndi_step(&t, GNDI_OP_power, gnd_arg_array(scale), gnd_arg_real(0.5));
    lhs = gndi_step(&t, GNDI_OP_divide, gnd_arg_array(lhs), gnd_arg_array(scale));
    const double eps = !t.failed && px->dtype == GND_FLOAT32 ? FLT_EPSILON : DBL_EPSILON;
    const double rcond = options && options->rcond != 0 ? options->rcond : (double)x->size * eps;
    if (!t.failed && gnd_lstsq(&c, NULL, NULL, NULL, lhs, py, &(gnd_lstsq_options){.rcond = rcond})) t.failed = true;
    c = gndi_temporaries_keep(&t, c);
    if (c && c->ndim == 2) scale = column(&t, scale);
    return gndi_temporaries_end(&t, gndi_step(&t, GNDI_OP_divide, gnd_arg_array(c), gnd_arg_array(scale)));
}

/* ---- roots ---------------------------------------------------------------------------------- */

gnd_array *gnd_roots(const gnd_array *p) {
    gndi_scratch s = {.fn = "gnd_roots"};
    gndi_numbers c;
    gnd_array *result = NULL;
    if (gndi_numbers_read(&s, p, "p", &c)) {
        gndi_complex *roots = gndi_scratch_complex(&s, c.n);
        const int64_t n = roots ? gndi_poly_roots(&s, c.n, c.at, c.real, roots) : -1;
        if (n >= 0) result = gndi_array_of_complex(&s, n, roots);
    }
    gndi_scratch_end(&s);
    return result;
}

gnd_array *gnd_poly(const gnd_array *roots) {
    gndi_scratch s = {.fn = "gnd_poly"};
    gndi_numbers r;
    gnd_array *result = NULL;
    if (gndi_numbers_read_any(&s, roots, "roots", &r)) {
        const bool square = roots->ndim == 2 && roots->shape[0] == roots->shape[1] && roots->size > 0;
        if (roots->ndim > 1 && !square)
            gndi_scratch_fail(&s, GND_ERROR_SHAPE, "roots must have one dimension or be a square matrix, and are %s",
                              gndi_text_array(roots));
        const int64_t n = square ? roots->shape[0] : r.n;
        gndi_complex *c = gndi_scratch_complex(&s, n + 1);
        bool real = r.real;
        if (c && square) {
            gndi_poly_of_matrix(&s, n, r.at, r.real, c);
        } else if (c) {
            gndi_poly_from_roots(n, r.at, c);
            real = real || gndi_poly_conjugate(&s, n, r.at);
        }
        result = gndi_array_of_numbers(&s, n + 1, c, real);
    }
    gndi_scratch_end(&s);
    return result;
}

gnd_array *gnd_polycompanion(const gnd_array *c) {
    gndi_scratch s = {.fn = "gnd_polycompanion"};
    gndi_numbers given;
    gnd_array *result = NULL;
    if (gndi_numbers_read(&s, c, "c", &given)) {
        const int64_t n = given.n - 1;
        if (n < 1)
            gndi_scratch_fail(&s, GND_ERROR_VALUE, "there must be two coefficients, not %lld", (long long)given.n);
        gndi_complex *m = gndi_scratch_complex(&s, n > 0 ? n * n : 0);
        double *reals = gndi_scratch_doubles(&s, n > 0 ? n * n : 0);
        if (m && reals) {
            for (int64_t i = 1; i < n; i++) m[i * n + i - 1] = 1;
            for (int64_t i = 0; i < n; i++) m[i * n + n - 1] -= given.at[i] / given.at[n];
            for (int64_t i = 0; i < n * n; i++) reals[i] = creal(m[i]);
            result = given.real ? gndi_matrix_of_doubles(&s, n, n, reals) : gndi_matrix_of_complex(&s, n, n, m);
        }
    }
    gndi_scratch_end(&s);
    return result;
}
