/*
 * system.c: a and b of a system brought together. Batch axes along which a repeats the same matrix are
 * put behind the others in the copy of b: then all right sides of a matrix are adjacent columns, and it
 * is factored once.
 */
#include "linalg/system.h"

/* ---- matrices for LAPACK -------------------------------------------------------------------- */

/* Whether columns are dense, and matrices one step apart: LAPACK can read them without a copy. */
static bool is_column_major(const gnd_array *a, int row_axis, gndi_lapack_matrix *to) {
    const int64_t item = gndi_itemsize(a), rows = a->shape[row_axis];
    const int column_axis = row_axis == a->ndim - 2 ? a->ndim - 1 : a->ndim - 2;
    const int64_t columns = a->shape[column_axis];
    int64_t next = columns > 1 ? a->strides[column_axis] : rows * item, step = 0, length = 1;
    if ((rows > 1 && a->strides[row_axis] != item) || next < rows * item || next % item) return false;
    for (int i = a->ndim - 3; i >= 0; i--) { /* one step for all of the batch */
        if (a->shape[i] == 1) continue;
        if (length == 1) step = a->strides[i];
        if (a->strides[i] != step * length || step < 0 || step % item) return false;
        length *= a->shape[i];
    }
    *to = (gndi_lapack_matrix){.data = gndi_data(a), .ld = next / item, .step = step};
    return true;
}

const gnd_array *gndi_matrices_read(gndi_temporaries *s, const gnd_array *a, gnd_dtype dtype, gndi_lapack_matrix *to,
                                    bool *transposed) {
    if (transposed) *transposed = false;
    if (s->failed) return NULL;
    if ((gnd_dtype)a->dtype == dtype) {
        if (is_column_major(a, a->ndim - 2, to)) return a;
        if (transposed && is_column_major(a, a->ndim - 1, to)) return *transposed = true, a;
    }
    bool row_major = false;
    gnd_array *copy = transposed ? gndi_matrices_spare(s, a, dtype, &row_major) : gndi_matrices_copy(s, a, dtype);
    if (copy) *to = gndi_lapack_matrices(copy);
    if (transposed) *transposed = row_major;
    return copy;
}

/* ---- shapes --------------------------------------------------------------------------------- */

static bool refuse(const gndi_system *y, const char *what, const gnd_array *a, const char *name, const gnd_array *b) {
    gndi_raise(GND_ERROR_SHAPE, y->s->fn, "%s: %s has shape %s, b %s", what, name, gndi_text_shape(a->ndim, a->shape),
               gndi_text_shape(b->ndim, b->shape));
    return false;
}

/* The batch that both broadcast to, and the plan's sizes. */
static bool measure(gndi_system *y, const gnd_array *a, const char *name, const gnd_array *b) {
    if (b->ndim == 0) return refuse(y, "b must have at least 1 dimension", a, name, b);
    y->vector = b->ndim == 1;
    y->plan.m = y->plan.n = a->shape[a->ndim - 1];
    y->plan.columns = y->vector ? 1 : b->shape[b->ndim - 1];
    if (b->shape[y->vector ? 0 : b->ndim - 2] != y->plan.n)
        return refuse(y, "b must have as many rows as the matrices", a, name, b);
    if (!gndi_broadcast(&y->ndim, y->shape, a->ndim - 2, a->shape) ||
        !gndi_broadcast(&y->ndim, y->shape, y->vector ? 0 : b->ndim - 2, b->shape))
        return refuse(y, "the axes before the last two do not broadcast", a, name, b);
    return true;
}

/* The stride of `a`, which has `own` axes behind its batch, along axis i of y's batch; 0 if it repeats
   along it. */
static int64_t stride_along(const gndi_system *y, const gnd_array *a, int own, int i) {
    const int at = i - (y->ndim - (a->ndim - own));
    return at < 0 || a->shape[at] == 1 ? 0 : a->strides[at];
}

/* Orders the batch's axes: first those along which matrices differ, then the others. */
static void find_order(gndi_system *y, const gnd_array *a, const gnd_array *pivots) {
    int count = 0;
    for (int same = 0; same < 2; same++) {
        for (int i = 0; i < y->ndim; i++) {
            const bool differs =
                y->shape[i] > 1 && (stride_along(y, a, 2, i) != 0 || (pivots && stride_along(y, pivots, 1, i) != 0));
            if (differs == !same) y->order[count++] = i;
        }
        if (!same) y->varying = count;
    }
}

/* ---- views ---------------------------------------------------------------------------------- */

/* Each matrix of a once; the same of pivots, which have one axis behind the batch. */
static const gnd_array *distinct(gndi_system *y, const gnd_array *a, int own) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int i = 0; i < y->varying; i++) {
        shape[i] = y->shape[y->order[i]];
        strides[i] = stride_along(y, a, own, y->order[i]);
    }
    for (int i = 0; i < own; i++) {
        shape[y->varying + i] = a->shape[a->ndim - own + i];
        strides[y->varying + i] = a->strides[a->ndim - own + i];
    }
    return gndi_temporaries_keep(
        y->s, gndi_array_view(y->s->fn, a, y->varying + own, shape, strides, gndi_data(a), (gnd_dtype)a->dtype));
}

/* The copy of b, with the axes of its batch in y's order. */
static void copy_right_sides(gndi_system *y, const gnd_array *b) {
    const int ndim = y->ndim + 2, own = y->vector ? 1 : 2;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int i = 0; i < y->ndim; i++) {
        shape[i] = y->shape[y->order[i]];
        strides[i] = stride_along(y, b, own, y->order[i]);
    }
    shape[y->ndim] = y->plan.n, strides[y->ndim] = b->strides[b->ndim - own];
    shape[y->ndim + 1] = y->plan.columns;
    strides[y->ndim + 1] = y->vector ? 0 : b->strides[b->ndim - 1];
    y->x = gndi_matrices_new(y->s, b, ndim, shape, y->dtype);
    if (!y->x || y->x->size == 0) return;
    gnd_array *view = gndi_temporaries_keep(
        y->s, gndi_array_view(y->s->fn, b, ndim, shape, strides, gndi_data(b), (gnd_dtype)b->dtype));
    if (view && gndi_copy_into(y->s->fn, y->x, view)) y->s->failed = true;
}

bool gndi_system_begin(gndi_system *y, gndi_temporaries *s, const gnd_array *a, const char *name,
                       const gnd_array *pivots, const gnd_array *b) {
    *y = (gndi_system){.s = s};
    s->failed = true; /* until all is checked */
    if (!gndi_check_square(s->fn, a, name)) return false;
    if (gndi_missing(b)) return gndi_raise_null(s->fn, "b"), false;
    if (gndi_check_together(s->fn, a, name, b, "b") || !measure(y, a, name, b)) return false;
    y->dtype = gndi_lapack_dtype(s->fn, a, b);
    if (y->dtype == GND_DTYPE_NONE) return false;
    if (y->ndim + 2 > GND_MAX_DIMS) return refuse(y, "the result would have too many dimensions", a, name, b);
    s->failed = false;
    find_order(y, a, pivots);
    copy_right_sides(y, b);
    if (!y->x || y->x->size == 0) return false;
    y->a = distinct(y, a, 2);
    if (pivots) y->pivots = distinct(y, pivots, 1);
    int64_t batch = 1, folded = 1;
    for (int i = 0; i < y->ndim; i++) *(i < y->varying ? &batch : &folded) *= y->shape[y->order[i]];
    y->plan.dtype = (uint8_t)y->dtype;
    y->plan.batch = batch, y->plan.columns *= folded;
    y->plan.b = gndi_lapack_matrices(y->x);
    y->plan.b.step *= folded;
    return !s->failed;
}

gnd_array *gndi_system_end(gndi_system *y) {
    bool in_order = !y->vector;
    for (int i = 0; i < y->ndim; i++) in_order &= y->order[i] == i;
    if (y->s->failed || in_order) return gndi_temporaries_end(y->s, y->x);
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int i = 0; i < y->ndim + 2; i++) {
        const int to = i < y->ndim ? y->order[i] : i;
        shape[to] = y->x->shape[i], strides[to] = y->x->strides[i];
    }
    gnd_array *result = gndi_temporaries_keep(y->s, gndi_array_view(y->s->fn, y->x, y->ndim + (y->vector ? 1 : 2),
                                                                    shape, strides, gndi_data(y->x), y->dtype));
    return gndi_temporaries_end(y->s, gndi_sole_view(result));
}
