/*
 * calculus.c: differences of neighbours, and the integral by the trapezoidal rule.
 */
#include "elementwise/temporaries.h"
#include "scan/scan.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_diff
#undef gnd_ediff1d
#undef gnd_trapezoid

/* ---- diff ----------------------------------------------------------------------------------- */

/* How long `part`, an argument to be joined to x along the axis, is there; -1 and an error if it
   does not fit. */
static int64_t length_of(const char *fn, const gnd_array *x, int axis, gnd_arg part, const char *name) {
    if (part.kind == GND_ARG_NONE) return 0;
    if (part.kind != GND_ARG_ARRAY) return 1;
    const gnd_array *a = part.array;
    if (gndi_missing(a)) {
        gndi_raise_null(fn, name);
        return -1;
    }
    if (gndi_check_together(fn, x, "x", a, name)) return -1;
    if (a->ndim == 0) return 1;
    bool fits = a->ndim == x->ndim;
    for (int i = 0; fits && i < x->ndim; i++) fits = i == axis || a->shape[i] == x->shape[i];
    if (fits) return a->shape[axis];
    gndi_raise(GND_ERROR_SHAPE, fn, "%s has shape %s, x %s: they must be the same but along axis %d (or a number)",
               name, gndi_text_shape(a->ndim, a->shape), gndi_text_shape(x->ndim, x->shape), axis);
    return -1;
}

/* Promotes a dtype with that of an argument to be joined. */
static gnd_dtype joined_dtype(gnd_dtype dtype, gnd_arg part) {
    if (part.kind == GND_ARG_NONE) return dtype;
    if (part.kind == GND_ARG_ARRAY) return gnd_promote_types(dtype, (gnd_dtype)part.array->dtype);
    return gndi_promote_weak(dtype, part);
}

/* Copies an argument to `length` positions of `whole` along the axis. */
static void join_part(gndi_temporaries *s, const gnd_array *whole, int axis, int64_t first, int64_t length,
                      gnd_arg part) {
    if (length == 0) return;
    gnd_array *to = gndi_step_part(s, whole, axis, first, length, 1);
    gndi_step_into(s, GNDI_OP_copy, to, part, gnd_arg_none(), NULL);
}

/* `prepend`, x and `append` in one array. */
static const gnd_array *join(gndi_temporaries *s, const gnd_array *x, int axis, gnd_arg prepend, gnd_arg append) {
    const int64_t before = length_of(s->fn, x, axis, prepend, "prepend");
    const int64_t behind = before < 0 ? -1 : length_of(s->fn, x, axis, append, "append");
    const int64_t length = x->shape[axis];
    int64_t shape[GND_MAX_DIMS];
    gnd_dtype dtype = (gnd_dtype)x->dtype;
    gndi_scalar unused;
    if (behind < 0) return gndi_temporaries_keep(s, NULL);
    if (prepend.kind == GND_ARG_NONE && append.kind == GND_ARG_NONE) return x;
    /* Arrays first: numbers are weak beside all of them. */
    for (int number = 0; number < 2; number++) {
        if ((prepend.kind != GND_ARG_ARRAY) == number) dtype = joined_dtype(dtype, prepend);
        if ((append.kind != GND_ARG_ARRAY) == number) dtype = joined_dtype(dtype, append);
    }
    for (int k = 0; k < 2; k++) {
        const gnd_arg part = k ? append : prepend;
        if (part.kind == GND_ARG_NONE || part.kind == GND_ARG_ARRAY) continue;
        if (!gndi_scalar_from_arg(s->fn, part, dtype, &unused)) return gndi_temporaries_keep(s, NULL);
    }
    memcpy(shape, x->shape, (size_t)x->ndim * sizeof *shape);
    shape[axis] = before + length + behind;
    gnd_array *whole = gndi_temporaries_keep(s, gndi_new_in_order(s->fn, x, shape, dtype));
    join_part(s, whole, axis, 0, before, prepend);
    join_part(s, whole, axis, before, length, gnd_arg_array(x));
    join_part(s, whole, axis, before + length, behind, append);
    return whole;
}

/* x[1:] - x[:-1] along the axis. */
static gnd_array *difference(gndi_temporaries *s, const gnd_array *x, int axis) {
    const int64_t length = x->shape[axis] > 0 ? x->shape[axis] - 1 : 0;
    const gnd_array *upper = gndi_step_part(s, x, axis, 1, length, 1);
    const gnd_array *lower = gndi_step_part(s, x, axis, 0, length, 1);
    return gndi_step(s, x->dtype == GND_BOOL ? GNDI_OP_not_equal : GNDI_OP_subtract, gnd_arg_array(upper),
                     gnd_arg_array(lower));
}

gnd_array *gnd_diff(const gnd_array *x, int64_t n, int axis, gnd_arg prepend, gnd_arg append) {
    gndi_temporaries s = {.fn = "gnd_diff"};
    if (gndi_missing(x)) return gndi_raise_null(s.fn, "x"), NULL;
    if (n < 0) return gndi_fail(GND_ERROR_INVALID, s.fn, "n must not be negative; it is %lld", (long long)n);
    if (n == 0) return gndi_array_alias(s.fn, x);
    if (x->ndim == 0) return gndi_fail(GND_ERROR_INVALID, s.fn, "x is 0-d; it must have at least one dimension");
    if (!gndi_normalize_axis(s.fn, axis, x->ndim, &axis)) return NULL;
    const gnd_array *from = join(&s, x, axis, prepend, append);
    gnd_array *result = NULL;
    for (int64_t i = 0; i < n && !s.failed; i++) {
        /* Only the last one is still needed; and what is empty stays so. */
        gndi_temporaries one = {.fn = s.fn};
        gnd_array *next = gndi_temporaries_end(&one, difference(&one, from, axis));
        if (result) gnd_release(result);
        from = result = next;
        s.failed = next == NULL;
        if (next && next->shape[axis] == 0) break;
    }
    gndi_temporaries_end(&s, NULL);
    return result;
}

/* ---- ediff1d -------------------------------------------------------------------------------- */

/* The number of elements of `to_begin` or `to_end`; -1 and an error if they do not fit x's dtype. */
static int64_t count_of(const char *fn, const gnd_array *x, gnd_arg part, const char *name) {
    const gnd_dtype dtype = (gnd_dtype)x->dtype;
    gndi_scalar unused;
    if (part.kind == GND_ARG_NONE) return 0;
    if (part.kind == GND_ARG_ARRAY && gndi_missing(part.array)) {
        gndi_raise_null(fn, name);
        return -1;
    }
    const bool is_array = part.kind == GND_ARG_ARRAY;
    const gnd_dtype own = is_array ? (gnd_dtype)part.array->dtype : gndi_promote_weak(dtype, part);
    if (is_array && gndi_check_together(fn, x, "x", part.array, name)) return -1;
    if (!gnd_can_cast(own, dtype, GND_SAME_KIND)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "%s is %s, which casting \"same_kind\" does not allow into x's dtype, %s", name,
                   gnd_dtype_name(own), gnd_dtype_name(dtype));
        return -1;
    }
    if (is_array) return part.array->size;
    return gndi_scalar_from_arg(fn, part, dtype, &unused) ? 1 : -1;
}

static void put_part(gndi_temporaries *s, const gnd_array *whole, int64_t first, int64_t count, gnd_arg part) {
    if (count > 0 && part.kind == GND_ARG_ARRAY) part = gnd_arg_array(gndi_temporaries_keep(s, gnd_ravel(part.array)));
    join_part(s, whole, 0, first, count, part);
}

gnd_array *gnd_ediff1d(const gnd_array *x, gnd_arg to_end, gnd_arg to_begin) {
    GNDI_PARTS_OF("gnd_ediff1d");
    gndi_temporaries s = {.fn = "gnd_ediff1d"};
    if (gndi_missing(x)) return gndi_raise_null(s.fn, "x"), NULL;
    if (x->dtype == GND_BOOL)
        return gndi_fail(GND_ERROR_DTYPE, s.fn, "is not defined for bool; gnd_diff gives where neighbours differ");
    const int64_t begin = count_of(s.fn, x, to_begin, "to_begin");
    const int64_t end = begin < 0 ? -1 : count_of(s.fn, x, to_end, "to_end");
    const int64_t length = x->size > 0 ? x->size - 1 : 0;
    if (end < 0) return NULL;
    const gnd_array *flat = gndi_temporaries_keep(&s, gnd_ravel(x));
    if (s.failed) return NULL;
    const gnd_array *upper = gndi_step_part(&s, flat, 0, 1, length, 1);
    const gnd_array *lower = gndi_step_part(&s, flat, 0, 0, length, 1);
    const int64_t size = begin + length + end;
    gnd_array *result = NULL, *middle = NULL;
    if (!s.failed) result = gndi_temporaries_keep(&s, gndi_new_in_order(s.fn, flat, &size, (gnd_dtype)x->dtype));
    middle = result ? gndi_step_part(&s, result, 0, begin, length, 1) : NULL;
    gndi_step_into(&s, GNDI_OP_subtract, middle, gnd_arg_array(upper), gnd_arg_array(lower), NULL);
    put_part(&s, result, 0, begin, to_begin);
    put_part(&s, result, begin + length, end, to_end);
    return gndi_temporaries_end(&s, result);
}

/* ---- trapezoid ------------------------------------------------------------------------------ */

static bool is_one(gnd_arg a) {
    return a.kind == GND_ARG_NONE || (a.kind == GND_ARG_REAL && a.re == 1) || (a.kind == GND_ARG_INT && a.i == 1) ||
           (a.kind == GND_ARG_UINT && a.u == 1);
}

/* The distances of samples with coordinates x, ready to be multiplied with y's neighbours. */
static gnd_arg distances(gndi_temporaries *s, const gnd_array *x, int y_ndim, int y_axis, int axis) {
    int along = 0;
    if (x->ndim > 1 && !gndi_normalize_axis(s->fn, axis, x->ndim, &along)) s->failed = true;
    if (s->failed) return gnd_arg_none();
    const gnd_array *d = difference(s, x, along);
    if (x->ndim == 1 && d) d = gndi_step_along(s, d, y_axis, y_ndim);
    return gnd_arg_array(d);
}

/* Whether the terms may be added up in another way than NumPy's formula has them: where that does not
   wrap around or overflow in the middle of the dtype's range, as integers and halves might, and where
   no term was rounded to a smaller dtype than the result's. Both ends and more are there. */
static bool adds_up_freely(const gnd_array *y, int along, gnd_arg x) {
    const gnd_dtype dtype = (gnd_dtype)y->dtype;
    if (x.kind == GND_ARG_ARRAY && gnd_promote_types(dtype, (gnd_dtype)x.array->dtype) != dtype) return false;
    return dtype >= GND_FLOAT32 && y->shape[along] > 2;
}

/* Samples `step` apart: half of both ends and all between, times the step. */
static gnd_array *integral_of_even(gndi_temporaries *s, const gnd_array *y, int along, gnd_arg step) {
    const int64_t length = y->shape[along];
    const gnd_array *first = gndi_step_at(s, y, along, 0);
    const gnd_array *last = gndi_step_at(s, y, along, length - 1);
    gnd_array *ends = gndi_step(s, GNDI_OP_add, gnd_arg_array(first), gnd_arg_array(last));
    ends = gndi_step_in_place(s, GNDI_OP_multiply, ends, gnd_arg_real(0.5));
    const gnd_array *between = gndi_step_part(s, y, along, 1, length - 2, 1);
    if (s->failed) return NULL;
    gnd_array *sum = gndi_temporaries_keep(s, gnd_sum(between, GND_AXES(along)));
    sum = gndi_step_in_place(s, GNDI_OP_add, sum, gnd_arg_array(ends));
    return is_one(step) ? sum : gndi_step_in_place(s, GNDI_OP_multiply, sum, step);
}

/* Samples at coordinates x, a 1-d array as long as the axis: two sums of products. */
static gnd_array *integral_along(gndi_temporaries *s, const gnd_array *y, int along, const gnd_array *x) {
    const int64_t length = y->shape[along];
    const gnd_array *d = difference(s, x, 0);
    if (!s->failed) d = gndi_step_along(s, d, along, y->ndim);
    const gnd_array *upper = gndi_step_part(s, y, along, 1, length - 1, 1);
    const gnd_array *lower = gndi_step_part(s, y, along, 0, length - 1, 1);
    if (s->failed) return NULL;
    gnd_array *sum = gndi_temporaries_keep(s, gnd_vecdot(d, upper, along));
    if (s->failed) return NULL;
    gnd_array *other = gndi_temporaries_keep(s, gnd_vecdot(d, lower, along));
    if (s->failed) return NULL;
    sum = gndi_step_in_place(s, GNDI_OP_add, sum, gnd_arg_array(other));
    return gndi_step_in_place(s, GNDI_OP_multiply, sum, gnd_arg_real(0.5));
}

/* NumPy's formula as it stands. */
static gnd_array *integral(gndi_temporaries *s, const gnd_array *y, int along, gnd_arg x, int axis) {
    const int64_t length = y->shape[along] > 0 ? y->shape[along] - 1 : 0;
    if (x.kind == GND_ARG_ARRAY && x.array->ndim > 0) x = distances(s, x.array, y->ndim, along, axis);
    const gnd_array *upper = gndi_step_part(s, y, along, 1, length, 1);
    const gnd_array *lower = gndi_step_part(s, y, along, 0, length, 1);
    gnd_array *sum = gndi_step(s, GNDI_OP_add, gnd_arg_array(upper), gnd_arg_array(lower));
    /* Times 1 makes no difference but to bool, which halves to float64 as well. */
    if (!is_one(x)) sum = gndi_step_in_place(s, GNDI_OP_multiply, sum, x);
    sum = gndi_step_in_place(s, GNDI_OP_divide, sum, gnd_arg_real(2));
    if (s->failed || !gndi_normalize_axis(s->fn, axis, sum->ndim, &along)) return NULL;
    return gndi_temporaries_keep(s, gnd_sum(sum, GND_AXES(along)));
}

gnd_array *gnd_trapezoid(const gnd_array *y, gnd_arg x, int axis) {
    GNDI_PARTS_OF("gnd_trapezoid");
    gndi_temporaries s = {.fn = "gnd_trapezoid"};
    int along;
    if (gndi_missing(y)) return gndi_raise_null(s.fn, "y"), NULL;
    if (x.kind == GND_ARG_ARRAY && gndi_missing(x.array)) return gndi_raise_null(s.fn, "x"), NULL;
    if (y->ndim == 0) return gndi_fail(GND_ERROR_INVALID, s.fn, "y is 0-d; it must have at least one dimension");
    if (!gndi_normalize_axis(s.fn, axis, y->ndim, &along)) return NULL;
    const bool free = adds_up_freely(y, along, x);
    const gnd_array *at = x.kind == GND_ARG_ARRAY && x.array->ndim > 0 ? x.array : NULL;
    gnd_array *result;
    if (free && !at)
        result = integral_of_even(&s, y, along, x);
    else if (free && at->ndim == 1 && at->shape[0] == y->shape[along] &&
             (at->dtype == GND_FLOAT32 || at->dtype == GND_FLOAT64) && at->buffer->device == y->buffer->device)
        result = integral_along(&s, y, along, at);
    else
        result = integral(&s, y, along, x, axis);
    if (!result) s.failed = true;
    return gndi_temporaries_end(&s, result);
}
