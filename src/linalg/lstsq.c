/*
 * lstsq.c: least squares. A tall A is factored as Q R, and b becomes Q^H b: R x must come close to its first n
 * rows, and no x changes the rows below, whose squares are the residuals of a matrix of full rank. The system
 * with R is then solved directly or by singular values; that with A itself by singular values if A is not tall.
 */
#include "linalg/decompose.h"

/* A call: the matrices as arrays for LAPACK or views, with one batch. */
typedef struct lstsq {
    const gnd_array *a, *b; /* of one batch; b has columns */
    gnd_dtype dtype;
    bool vector; /* b was one column, and x has no axis for it */
    int64_t m, n;
    double rcond;
    bool wants_x, wants_residuals, wants_rank;
} lstsq;

typedef struct results {
    gnd_array *x, *residuals, *rank, *values;
} results;

/* ---- checks --------------------------------------------------------------------------------- */

static gnd_status check_options(const char *fn, const gnd_lstsq_options *o, bool wants_values) {
    if ((unsigned)o->method > GND_LSTSQ_QR)
        return gndi_raise(GND_ERROR_INVALID, fn, "there is no method number %d", (int)o->method);
    if (o->method == GND_LSTSQ_QR && wants_values)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "GND_LSTSQ_QR finds no rank and no singular values; rank and s must be "
                          "NULL with it");
    if (o->rcond != o->rcond) return gndi_raise(GND_ERROR_VALUE, fn, "rcond is NaN");
    return GND_OK;
}

static gnd_status check_arrays(const char *fn, const gnd_array *a, const gnd_array *b, gnd_lstsq_method method) {
    if (gndi_missing(a) || gndi_missing(b)) return gndi_raise_null(fn, gndi_missing(a) ? "a" : "b");
    if (!gndi_check_matrices(fn, a, "a")) return gndi_ew_pending();
    if (b->ndim == 0) return gndi_raise(GND_ERROR_SHAPE, fn, "b is 0-d; it must have as many rows as a");
    const int64_t rows = b->shape[b->ndim - (b->ndim > 1 ? 2 : 1)];
    if (rows != a->shape[a->ndim - 2])
        return gndi_raise(GND_ERROR_SHAPE, fn, "a of shape %s has %lld rows, and b of shape %s has %lld",
                          gndi_text_shape(a->ndim, a->shape), (long long)a->shape[a->ndim - 2],
                          gndi_text_shape(b->ndim, b->shape), (long long)rows);
    if (method == GND_LSTSQ_QR && rows < a->shape[a->ndim - 1])
        return gndi_raise(GND_ERROR_SHAPE, fn, "GND_LSTSQ_QR needs at least as many rows as columns; a's shape is %s",
                          gndi_text_shape(a->ndim, a->shape));
    return gndi_check_together(fn, a, "a", b, "b");
}

/* a and b seen with the batch that theirs broadcast to. */
static gnd_status find_batch(gndi_temporaries *s, lstsq *l) {
    const gnd_array *both[2] = {l->a, l->b};
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    int ndim = 0;
    for (int i = 0; i < 2; i++)
        if (!gndi_broadcast(&ndim, shape, both[i]->ndim - 2, both[i]->shape))
            return gndi_raise(GND_ERROR_SHAPE, s->fn,
                              "the batches of a, of shape %s, and of b, of shape %s, do not "
                              "broadcast together",
                              gndi_text_shape(l->a->ndim, l->a->shape), gndi_text_shape(l->b->ndim, l->b->shape));
    for (int i = 0; i < 2; i++) {
        const gnd_array *x = both[i];
        memcpy(shape + ndim, x->shape + x->ndim - 2, 2 * sizeof *shape);
        gndi_broadcast_strides(x, ndim + 2, shape, strides);
        both[i] = gndi_temporaries_keep(
            s, gndi_array_view(s->fn, x, ndim + 2, shape, strides, gndi_data(x), (gnd_dtype)x->dtype));
    }
    l->a = both[0], l->b = both[1];
    return s->failed ? gndi_ew_pending() : GND_OK;
}

static bool begin(gndi_temporaries *s, lstsq *l, const gnd_array *a, const gnd_array *b) {
    l->dtype = gndi_lapack_dtype(s->fn, a, b);
    l->vector = b->ndim == 1;
    l->m = a->shape[a->ndim - 2], l->n = a->shape[a->ndim - 1];
    l->a = a, l->b = l->vector ? gndi_with_last_axis(s, b) : b;
    return l->dtype != GND_DTYPE_NONE && !s->failed && find_batch(s, l) == GND_OK;
}

/* ---- results -------------------------------------------------------------------------------- */

/* x, without the axis of columns if b was a vector. */
static gnd_array *shaped_x(gndi_temporaries *s, const lstsq *l, gnd_array *x) {
    return s->failed || !l->vector ? x : gndi_step_at(s, x, x->ndim - 1, 0);
}

/* |b - a x|^2 from `left`, the rows of Q^H b that no x changes. */
static gnd_array *squares(gndi_temporaries *s, const lstsq *l, const gnd_array *left) {
    if (l->m <= l->n) return gndi_new_lines(s, l->b, 0, gndi_real_dtype(l->dtype));
    return s->failed ? NULL : gndi_sum_of_squares(s, left, left->ndim - 2);
}

static gnd_array *count_large(gndi_temporaries *s, const gnd_array *large) {
    gnd_axes last = GND_AXES(-1);
    last.dtype = GND_INT32;
    if (s->failed) return NULL;
    return gndi_temporaries_keep(s, gndi_reduce_operator(s->fn, GNDI_OP_add, large, &last));
}

/* ---- reduction to a triangle ---------------------------------------------------------------- */

/* A = Q R; `left` is Q^H b, of which `top` are the first n rows. NULL without b. Of a very tall matrix the other rows
   are replaced by fewer rows whose columns have the same norms. */
typedef struct reduced {
    gnd_array *r, *left, *top;
} reduced;

/* R of the first rows of a factored matrix, as an array for LAPACK. */
static gnd_array *copy_of_r(gndi_temporaries *s, const gnd_array *own, int64_t n) {
    gnd_array *square = gndi_rows(s, own, n);
    gnd_array *r = s->failed ? NULL : gndi_matrices_copy(s, square, (gnd_dtype)own->dtype);
    gndi_clear_below(s, r);
    return r;
}

/* From the triangle of [A b]: its first columns are R, the others Q^H b. */
static reduced reduce_very_tall(gndi_temporaries *s, const lstsq *l, bool with_b) {
    reduced t = {0};
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    const int ndim = l->a->ndim;
    const gnd_array *r = gndi_triangle_of(s, l->a, with_b ? l->b : NULL, l->dtype);
    if (s->failed) return t;
    for (int i = 0; i < ndim; i++) shape[i] = 1, strides[i] = 0;
    for (int i = 1; i < 3; i++) shape[ndim - 3 + i] = r->shape[i], strides[ndim - 3 + i] = r->strides[i];
    gnd_array *whole =
        gndi_temporaries_keep(s, gndi_array_view(s->fn, r, ndim, shape, strides, gndi_data(r), l->dtype));
    gnd_array *columns = s->failed ? NULL : gndi_columns(s, whole, l->n);
    if (s->failed) return t;
    t.r = copy_of_r(s, columns, l->n);
    if (!with_b) return t;
    gnd_array *behind = gndi_step_part(s, whole, ndim - 1, l->n, whole->shape[ndim - 1] - l->n, 1);
    t.left = s->failed ? NULL : gndi_matrices_copy(s, behind, l->dtype);
    t.top = gndi_rows(s, t.left, l->n);
    return t;
}

static reduced reduce(gndi_temporaries *s, const lstsq *l, bool with_b) {
    reduced t = {0};
    const int64_t columns = l->n + (with_b ? l->b->shape[l->b->ndim - 1] : 0);
    if (gndi_is_very_tall(l->a, columns)) return reduce_very_tall(s, l, with_b);
    gnd_array *own = gndi_matrices_copy(s, l->a, l->dtype);
    gnd_array *tau = gndi_qr_factor(s, own);
    if (with_b) t.left = gndi_matrices_copy(s, l->b, l->dtype);
    if (with_b) gndi_qr_apply(s, own, tau, t.left);
    if (with_b) t.top = gndi_rows(s, t.left, l->n);
    t.r = copy_of_r(s, own, l->n);
    return t;
}

/* ---- by singular values --------------------------------------------------------------------- */

static double cutoff_of(const lstsq *l) {
    const double epsilon = gndi_epsilon(l->dtype);
    if (l->rcond == 0) return epsilon * (double)(l->m > l->n ? l->m : l->n);
    return l->rcond > 0 && l->rcond < 1 ? l->rcond : epsilon / 2;
}

static void solve_by_values(gndi_temporaries *s, const lstsq *l, results *r) {
    const bool tall = l->m > l->n, vectors = l->wants_x || l->wants_residuals;
    reduced t = {0};
    gndi_svd of = {0};
    if (tall) {
        t = reduce(s, l, vectors);
        of = gndi_svd_of_own(s, t.r, vectors, false);
    } else {
        of = gndi_svd_of(s, l->a, l->dtype, vectors, false, false);
    }
    gnd_array *large = gndi_values_above(s, of.s, gnd_arg_real(cutoff_of(l)));
    r->values = of.s;
    if (l->wants_rank) r->rank = count_large(s, large);
    if (!vectors || s->failed) return;
    /* x = V S^+ d, where d = U^H c. */
    gnd_array *u = gndi_matrices_transposed(s, of.u), *v = gndi_matrices_transposed(s, of.vh);
    gnd_array *values = gndi_with_last_axis(s, of.s), *reached = gndi_with_last_axis(s, large);
    if (s->failed) return;
    gnd_array *d = gndi_temporaries_keep(s, gndi_matmul(s->fn, u, tall ? t.top : l->b, true));
    gnd_array *scaled = gndi_over_large(s, gnd_arg_array(d), values, reached);
    if (s->failed) return;
    if (l->wants_x) r->x = gndi_temporaries_keep(s, gndi_matmul(s->fn, v, scaled, true));
    if (!l->wants_residuals) return;
    if (tall) {
        gndi_step_into(s, GNDI_OP_copy, t.top, gnd_arg_array(d), gnd_arg_none(), NULL);
        gndi_step_into(s, GNDI_OP_copy, t.top, gnd_arg_bool(false), gnd_arg_none(), reached);
    }
    r->residuals = squares(s, l, t.left);
}

/* ---- by QR ---------------------------------------------------------------------------------- */

static void solve_by_qr(gndi_temporaries *s, const lstsq *l, results *r) {
    const reduced t = reduce(s, l, true);
    if (s->failed) return;
    if (l->wants_x && t.r->size && t.left->size) {
        gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_TRIANGULAR, t.r);
        plan.b = gndi_lapack_matrices(t.left);
        plan.columns = t.left->shape[t.left->ndim - 1];
        gndi_lapack_submit(s, &plan, 1, (const gnd_array *[]){t.r}, 1, (gnd_array *[]){t.left});
    }
    if (l->wants_x && !s->failed) r->x = gndi_matrices_copy(s, t.top, l->dtype);
    if (!l->wants_residuals) return;
    if (l->m > l->n) gndi_step_into(s, GNDI_OP_copy, t.top, gnd_arg_bool(false), gnd_arg_none(), NULL);
    r->residuals = squares(s, l, t.left);
}

gnd_status gnd_lstsq(gnd_array **x, gnd_array **residuals, gnd_array **rank, gnd_array **s, const gnd_array *a,
                     const gnd_array *b, const gnd_lstsq_options *options) {
    gndi_temporaries steps = {.fn = "gnd_lstsq"};
    const gnd_lstsq_options o = options ? *options : (gnd_lstsq_options){.rcond = 0};
    gnd_array **const outputs[] = {x, residuals, rank, s};
    lstsq l = {
        .rcond = o.rcond, .wants_x = x != NULL, .wants_residuals = residuals != NULL, .wants_rank = rank != NULL};
    results r = {0};
    for (int i = 0; i < 4; i++)
        if (outputs[i]) *outputs[i] = NULL;
    if (!x && !residuals && !rank && !s)
        return gndi_raise(GND_ERROR_INVALID, steps.fn, "no place to write to (x, residuals, rank and s are NULL)");
    gnd_status status = check_options(steps.fn, &o, rank || s);
    if (!status) status = check_arrays(steps.fn, a, b, o.method);
    if (status) return status;
    if (!begin(&steps, &l, a, b))
        steps.failed = true;
    else if (o.method == GND_LSTSQ_QR)
        solve_by_qr(&steps, &l, &r);
    else
        solve_by_values(&steps, &l, &r);
    if (x && !steps.failed) r.x = shaped_x(&steps, &l, r.x);
    gndi_temporaries_give(&steps, r.x, x);
    gndi_temporaries_give(&steps, r.residuals, residuals);
    gndi_temporaries_give(&steps, r.rank, rank);
    gndi_temporaries_give(&steps, r.values, s);
    return gndi_temporaries_status(&steps);
}
