/*
 * filter_gust.c: Gustafsson's method: the states at both ends for which filtering forward first and backward first
 * agree best. What a state adds to the result is a column of a matrix; the states are a least-squares solution. The
 * matrices are those of equations (5) to (7) of Gustafsson's paper (gnd/filter.h).
 */
#include "filter/filter.h"
#include "elementwise/create.h"
#include <float.h>
#include <inttypes.h>

/* The lines as rows of a matrix, and the filter. */
typedef struct request {
    const gnd_array *b, *a;
    gnd_array *x; /* (lines, n), of the work dtype */
    int64_t n, m; /* samples; those at each end that a state reaches */
    int64_t order;
    gnd_dtype work;
} request;

/* On x's device. */
static gnd_array *zeros_of(gndi_temporaries *s, const request *r, int ndim, int64_t rows, int64_t columns) {
    const int64_t shape[2] = {rows, columns};
    gnd_stream *stream = s->failed ? NULL : gndi_ew_stream(r->x, s->fn);
    gnd_array *made = stream ? gndi_array_new_on(s->fn, stream, ndim, shape, r->work, GNDI_ORDER_C) : NULL;
    return gndi_temporaries_keep(s, made ? gndi_zero(s->fn, made) : NULL);
}

static gnd_array *reversed(gndi_temporaries *s, const gnd_array *x, int axis) {
    return s->failed ? NULL : gndi_step_part(s, x, axis, x->shape[axis] - 1, x->shape[axis], -1);
}

static gnd_array *filtered(gndi_temporaries *s, const request *r, const gnd_array *x, int axis) {
    return s->failed ? NULL : gndi_temporaries_keep(s, gnd_lfilter(r->b, r->a, x, axis, NULL, NULL));
}

static gnd_array *block(gndi_temporaries *s, const gnd_array *x, int64_t row, int64_t rows, int64_t column,
                        int64_t columns) {
    gnd_array *some = gndi_step_part(s, x, 0, row, rows, 1);
    return some ? gndi_step_part(s, some, 1, column, columns, 1) : NULL;
}

/* The observability matrix, (m, order): what each state gives without an input. */
static gnd_array *observed(gndi_temporaries *s, const request *r) {
    gnd_array *zeros = zeros_of(s, r, 1, r->m, 0), *zi = zeros_of(s, r, 1, r->order, 0);
    gnd_array *all = zeros_of(s, r, 2, r->m, r->order);
    gnd_array *first = s->failed ? NULL : gndi_step_part(s, zi, 0, 0, 1, 1);
    if (first) gndi_step_into(s, GNDI_OP_copy, first, gnd_arg_real(1), gnd_arg_none(), NULL);
    gnd_array *response = s->failed ? NULL : gndi_temporaries_keep(s, gnd_lfilter(r->b, r->a, zeros, 0, zi, NULL));
    for (int64_t k = 0; k < r->order && k < r->m && !s->failed; k++) { /* each is the one before, a sample later */
        gndi_temporaries part = {.fn = s->fn};
        gnd_array *to = block(&part, all, k, r->m - k, k, 1);
        gnd_array *from = gndi_step_part(&part, response, 0, 0, r->m - k, 1);
        gnd_array *column = from ? gndi_step_along(&part, from, 0, 2) : NULL;
        if (to && column) gndi_step_into(&part, GNDI_OP_copy, to, gnd_arg_array(column), gnd_arg_none(), NULL);
        gndi_temporaries_end_part(s, &part);
    }
    return all;
}

/* Two blocks side by side, or, where the ends do not meet, one for each end. */
static gnd_array *joined(gndi_temporaries *s, const request *r, const gnd_array *left, const gnd_array *right) {
    const bool apart = r->m < r->n;
    gnd_array *whole = zeros_of(s, r, 2, apart ? 2 * r->m : r->m, 2 * r->order);
    if (s->failed) return NULL;
    gnd_array *first = block(s, whole, 0, r->m, 0, r->order);
    gnd_array *second = block(s, whole, apart ? r->m : 0, r->m, r->order, r->order);
    if (s->failed) return NULL;
    gndi_step_into(s, GNDI_OP_copy, first, gnd_arg_array(left), gnd_arg_none(), NULL);
    gndi_step_into(s, GNDI_OP_copy, second, gnd_arg_array(right), gnd_arg_none(), NULL);
    return whole;
}

/* The samples of both ends that states reach, (lines, m) or (lines, 2 m). */
static gnd_array *ends(gndi_temporaries *s, const request *r, gnd_array *x) {
    if (r->m == r->n || s->failed) return x;
    gnd_array *both[2] = {gndi_step_part(s, x, 1, 0, r->m, 1), gndi_step_part(s, x, 1, r->n - r->m, r->m, 1)};
    return s->failed ? NULL : gndi_temporaries_keep(s, gnd_concatenate(2, both, 1));
}

static void add_to_ends(gndi_temporaries *s, const request *r, gnd_array *y, const gnd_array *more) {
    if (s->failed) return;
    if (r->m == r->n) {
        gndi_step_into(s, GNDI_OP_add, y, gnd_arg_array(y), gnd_arg_array(more), NULL);
        return;
    }
    for (int end = 0; end < 2; end++) {
        gnd_array *to = gndi_step_part(s, y, 1, end ? r->n - r->m : 0, r->m, 1);
        gnd_array *from = gndi_step_part(s, more, 1, end ? r->m : 0, r->m, 1);
        if (to && from) gndi_step_into(s, GNDI_OP_add, to, gnd_arg_array(to), gnd_arg_array(from), NULL);
    }
}

static gnd_array *solved(gndi_temporaries *s, const gnd_array *matrix, const gnd_array *right) {
    const bool narrow = matrix->dtype == GND_FLOAT32 || matrix->dtype == GND_COMPLEX64;
    const gnd_lstsq_options options = {.rcond = narrow ? FLT_EPSILON : DBL_EPSILON};
    gnd_array *x = NULL;
    if (gnd_lstsq(&x, NULL, NULL, NULL, matrix, right, &options)) s->failed = true;
    return s->failed ? NULL : gndi_temporaries_keep(s, x);
}

static gnd_array *agreed(gndi_temporaries *s, const request *r) {
    gnd_array *seen = observed(s, r), *seen_back = reversed(s, seen, 0);
    gnd_array *back = filtered(s, r, seen_back, 0), *ahead = reversed(s, back, 0);
    if (s->failed) return NULL;
    gnd_array *left = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(ahead), gnd_arg_array(seen));
    gnd_array *right = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(seen_back), gnd_arg_array(back));
    gnd_array *matrix = s->failed ? NULL : joined(s, r, left, right);
    gnd_array *result = reversed(s, filtered(s, r, reversed(s, filtered(s, r, r->x, 1), 1), 1), 1);
    gnd_array *other = filtered(s, r, reversed(s, filtered(s, r, reversed(s, r->x, 1), 1), 1), 1);
    if (s->failed) return NULL;
    gnd_array *difference = gndi_step(s, GNDI_OP_subtract, gnd_arg_array(other), gnd_arg_array(result));
    difference = ends(s, r, difference);
    gnd_array *columns = s->failed ? NULL : gndi_temporaries_keep(s, gnd_transpose(difference));
    gnd_array *states = s->failed ? NULL : solved(s, matrix, columns);
    gnd_array *weights = s->failed ? NULL : joined(s, r, ahead, seen_back);
    gnd_array *added = s->failed ? NULL : gndi_temporaries_keep(s, gnd_matmul(weights, states));
    gnd_array *rows = s->failed ? NULL : gndi_temporaries_keep(s, gnd_transpose(added));
    gnd_array *y = s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(s->fn, result, r->work, 'C'));
    add_to_ends(s, r, y, rows);
    return y;
}

/* Without a state there is nothing to find: the signal times (b / a)^2. */
static gnd_array *scaled(gndi_temporaries *s, const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis) {
    gnd_array *once = gndi_temporaries_keep(s, gnd_lfilter(b, a, x, axis, NULL, NULL));
    return s->failed ? NULL : gndi_temporaries_keep(s, gnd_lfilter(b, a, once, axis, NULL, NULL));
}

gnd_array *gndi_filter_gust(gndi_temporaries *s, const gnd_array *b, const gnd_array *a, const gnd_array *x, int axis,
                            int64_t irlen) {
    const gnd_dtype dtype = gnd_promote_types(gnd_promote_types((gnd_dtype)b->dtype, (gnd_dtype)a->dtype), x->dtype);
    const gnd_dtype result = gndi_filter_result(dtype);
    request r = {.b = b, .a = a, .n = x->shape[axis], .order = gndi_max(a->size, b->size) - 1};
    r.work = gndi_filter_work(result);
    if (irlen < 0)
        return s->failed = true,
               gndi_fail(GND_ERROR_VALUE, s->fn, "irlen is %" PRId64 "; it must not be negative", irlen);
    if (r.order == 0 || x->size == 0) return scaled(s, b, a, x, axis);
    r.m = irlen == 0 || r.n <= 2 * irlen ? r.n : irlen;
    const int64_t flat[2] = {x->size / r.n, r.n};
    gnd_array *last = gndi_temporaries_keep(s, gnd_moveaxis(x, GND_AXES(axis), GND_AXES(-1)));
    gnd_array *dense = last ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, last, r.work, 'C')) : NULL;
    r.x = dense ? gndi_temporaries_keep(s, gndi_reshaped(s->fn, dense, 2, flat)) : NULL;
    gnd_array *y = r.x ? agreed(s, &r) : NULL;
    gnd_array *shaped = s->failed ? NULL : gndi_temporaries_keep(s, gndi_reshaped(s->fn, y, last->ndim, last->shape));
    gnd_array *back = shaped ? gndi_temporaries_keep(s, gnd_moveaxis(shaped, GND_AXES(-1), GND_AXES(axis))) : NULL;
    return back ? gndi_temporaries_keep(s, gndi_copy_as(s->fn, back, result, 'C')) : NULL;
}
