/*
 * solve.c: systems with any square matrix, inverses, and both for tensors, which are reshaped. A
 * row-major matrix is read as its transpose, which is column-major in the same memory.
 */
#include "linalg/system.h"

/* Whether there are matrices, but no right sides: then a singular one is still an error. */
static bool lacks_right_sides(const gndi_system *y) {
    bool some = !y->s->failed && y->plan.columns == 0 && y->plan.n > 0;
    for (int i = 0; i < y->ndim; i++) some &= y->shape[i] > 0;
    return some;
}

static gnd_array *solve(const char *fn, const gnd_array *a, const gnd_array *b) {
    gndi_temporaries s = {.fn = fn};
    gndi_system y;
    if (gndi_system_begin(&y, &s, a, "a", NULL, b)) {
        bool transposed;
        gnd_array *copy = gndi_matrices_spare(&s, y.a, y.dtype, &transposed);
        if (copy) y.plan.a = gndi_lapack_matrices(copy);
        y.plan.op = GNDI_LAPACK_SOLVE;
        y.plan.transpose = transposed ? GNDI_LAPACK_TRANSPOSED : GNDI_LAPACK_PLAIN;
        gndi_lapack_submit(&s, &y.plan, 0, NULL, 2, (gnd_array *[]){y.x, copy});
    } else if (lacks_right_sides(&y)) {
        gndi_inverse_of(&s, a, y.dtype, false);
    }
    return gndi_system_end(&y);
}

gnd_array *gnd_solve(const gnd_array *a, const gnd_array *b) {
    return solve("gnd_solve", a, b);
}

/* ---- inverses ------------------------------------------------------------------------------- */

gnd_array *gndi_inverse_of(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, bool quiet) {
    bool transposed;
    gnd_array *inverse = gndi_matrices_new(s, a, a->ndim, a->shape, dtype);
    if (!inverse || inverse->size == 0) return inverse;
    gnd_array *copy = gndi_matrices_spare(s, a, dtype, &transposed);
    if (!copy) return NULL;
    gndi_lapack_plan plan = gndi_lapack_plan_of(GNDI_LAPACK_INVERSE, copy);
    plan.columns = plan.n, plan.quiet = quiet;
    plan.b = gndi_lapack_matrices(inverse);
    gndi_lapack_submit(s, &plan, 0, NULL, 2, (gnd_array *[]){inverse, copy});
    return transposed ? gndi_sole_view(gndi_matrices_transposed(s, inverse)) : inverse;
}

gnd_array *gndi_inv(const char *fn, const gnd_array *a) {
    gndi_temporaries s = {.fn = fn};
    if (!gndi_check_square(fn, a, "a")) return NULL;
    const gnd_dtype dtype = gndi_lapack_dtype(fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return NULL;
    return gndi_temporaries_end(&s, gndi_inverse_of(&s, a, dtype, false));
}

gnd_array *gnd_inv(const gnd_array *a) {
    return gndi_inv("gnd_inv", a);
}

/* ---- tensors -------------------------------------------------------------------------------- */

static int64_t product(int count, const int64_t *shape) {
    int64_t size = 1;
    for (int i = 0; i < count; i++) size *= shape[i];
    return size;
}

/* `a` with the axes named moved to its end. */
static const gnd_array *axes_to_end(gndi_temporaries *s, const gnd_array *a, const gnd_axes *axes) {
    int order[GND_MAX_DIMS], kept = 0;
    uint64_t moved = 0;
    const int count = axes->count > 0 ? axes->count : 0;
    for (int i = 0; i < count; i++) {
        int axis;
        if (!gndi_normalize_axis(s->fn, axes->axis[i], a->ndim, &axis)) return s->failed = true, NULL;
        if (moved & (UINT64_C(1) << axis)) {
            gndi_raise(GND_ERROR_AXIS, s->fn, "axis %d is named twice", axis);
            return s->failed = true, NULL;
        }
        moved |= UINT64_C(1) << axis;
        order[a->ndim - count + i] = axis;
    }
    for (int i = 0; i < a->ndim; i++)
        if (!(moved & (UINT64_C(1) << i))) order[kept++] = i;
    return gndi_temporaries_keep(s, gndi_permuted(s->fn, a, order));
}

static bool check_plain_axes(const char *fn, const gnd_axes *axes, int ndim) {
    if (axes->keepdims || axes->where || axes->initial || axes->out || axes->dtype) {
        gndi_raise(GND_ERROR_INVALID, fn, "takes no options of axes");
        return false;
    }
    if (axes->count <= ndim) return true;
    gndi_raise(GND_ERROR_INVALID, fn, "%d axes are named; a has %d", axes->count, ndim);
    return false;
}

gnd_array *gnd_tensorsolve(const gnd_array *a, const gnd_array *b, gnd_axes axes) {
    gndi_temporaries s = {.fn = "gnd_tensorsolve"};
    if (gndi_missing(a) || gndi_missing(b)) return gndi_raise_null(s.fn, gndi_missing(a) ? "a" : "b"), NULL;
    if (!check_plain_axes(s.fn, &axes, a->ndim)) return NULL;
    const gnd_array *moved = axes_to_end(&s, a, &axes);
    if (!moved) return gndi_temporaries_end(&s, NULL);
    /* The axes of x are those of a behind b's, as NumPy's slice of the shape gives them. */
    int first = a->ndim > b->ndim ? b->ndim : b->ndim - a->ndim;
    if (first > a->ndim) first = a->ndim;
    const int64_t size = product(a->ndim - first, moved->shape + first);
    int64_t square;
    if (__builtin_mul_overflow(size, size, &square) || square != a->size || b->size != size) {
        gndi_raise(GND_ERROR_SHAPE, s.fn,
                   "a's axes behind the first %d, and these, must have as many elements as b: a has "
                   "shape %s, b %s",
                   b->ndim, gndi_text_shape(moved->ndim, moved->shape), gndi_text_shape(b->ndim, b->shape));
        s.failed = true;
        return gndi_temporaries_end(&s, NULL);
    }
    const gnd_array *matrix = gndi_temporaries_keep(&s, gndi_reshaped(s.fn, moved, 2, (int64_t[]){size, size}));
    const gnd_array *line = gndi_temporaries_keep(&s, gndi_reshaped(s.fn, b, 1, &size));
    gnd_array *x = s.failed ? NULL : gndi_temporaries_keep(&s, solve(s.fn, matrix, line));
    if (x) x = gndi_temporaries_keep(&s, gndi_reshaped(s.fn, x, a->ndim - first, moved->shape + first));
    return gndi_temporaries_end(&s, x);
}

gnd_array *gnd_tensorinv(const gnd_array *a, int ind) {
    gndi_temporaries s = {.fn = "gnd_tensorinv"};
    if (gndi_missing(a)) return gndi_raise_null(s.fn, "a"), NULL;
    if (ind <= 0) return gndi_fail(GND_ERROR_VALUE, s.fn, "ind must be at least 1; it is %d", ind);
    if (ind > a->ndim) ind = a->ndim;
    const int behind = a->ndim - ind;
    const int64_t rows = product(behind, a->shape + ind), columns = product(ind, a->shape);
    if (rows != columns)
        return gndi_fail(GND_ERROR_SHAPE, s.fn,
                         "a's first %d axes must have as many elements as the others; its shape is "
                         "%s",
                         ind, gndi_text_shape(a->ndim, a->shape));
    int64_t shape[GND_MAX_DIMS];
    for (int i = 0; i < a->ndim; i++) shape[i] = a->shape[i < behind ? ind + i : i - behind];
    gnd_array *matrix = gndi_temporaries_keep(&s, gndi_reshaped(s.fn, a, 2, (int64_t[]){rows, columns}));
    gnd_array *inverse = matrix ? gndi_temporaries_keep(&s, gndi_inv(s.fn, matrix)) : NULL;
    if (inverse) inverse = gndi_temporaries_keep(&s, gndi_reshaped(s.fn, inverse, a->ndim, shape));
    return gndi_temporaries_end(&s, inverse);
}
