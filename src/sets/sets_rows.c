/*
 * sets_rows.c: unique along an axis. The rows of a matrix are sorted by their columns, from the last to the
 * first, with stable sorts. If there are many columns, only the first few are used at first: usually rows that
 * are equal there are equal altogether, and the other columns change nothing.
 */
#include "array/view.h"
#include "elementwise/item.h"
#include "reduce/reduce.h"
#include "sets/sets.h"

enum { FEW_COLUMNS = 16, FIRST_COLUMNS = 4 };

/* x with the axis first and all others as one: n x m, dense. */
static const gnd_array *matrix_of(gndi_temporaries *s, const gnd_array *x, int axis) {
    int order[GND_MAX_DIMS] = {axis}, count = 1;
    int64_t shape[2] = {x->shape[axis], 1};
    for (int i = 0; i < x->ndim; i++) {
        if (i == axis) continue;
        order[count++] = i, shape[1] *= x->shape[i];
    }
    const gnd_array *moved = gndi_temporaries_keep(s, gndi_permuted(s->fn, x, order));
    if (!s->failed && !gndi_is_c_contiguous(moved))
        moved = gndi_temporaries_keep(s, gndi_copy_as(s->fn, moved, (gnd_dtype)x->dtype, 'C'));
    if (s->failed) return NULL;
    return gndi_temporaries_keep(s,
                                 gndi_array_view(s->fn, moved, 2, shape, NULL, gndi_data(moved), (gnd_dtype)x->dtype));
}

static gnd_array *column_of(gndi_temporaries *s, const gnd_array *matrix, int64_t j) {
    if (s->failed) return NULL;
    return gndi_temporaries_keep(s,
                                 gndi_array_view(s->fn, matrix, 1, matrix->shape, matrix->strides,
                                                 gndi_data(matrix) + j * matrix->strides[1], (gnd_dtype)matrix->dtype));
}

/* The indices of the rows, ordered by the first `columns` columns. */
static gnd_array *order_by(gndi_temporaries *s, const gnd_array *matrix, int64_t columns) {
    gnd_array *indices = gndi_sets_new(s, matrix, 1, &matrix->shape[0], GND_INT64);
    for (int64_t j = columns - 1; j >= 0 && !s->failed; j--) {
        gndi_temporaries t = {.fn = s->fn};
        const gndi_sort_request request = {
            .fn = s->fn, .x = column_of(&t, matrix, j), .indices = indices, .start = j == columns - 1 ? NULL : indices};
        if (!t.failed && gndi_sort_run(&request)) t.failed = true;
        gndi_temporaries_end_part(s, &t);
    }
    return indices;
}

/* Which rows, from the second on, differ from the one before in some of the first columns. */
static gnd_array *rows_differ(gndi_temporaries *s, const gnd_array *differ, int64_t columns, gnd_array *out) {
    gnd_axes axes = {.count = 1, .axis = {1}, .out = out};
    gndi_reduce_request r;
    if (s->failed) return NULL;
    const gnd_array *part = gndi_step_part(s, differ, 1, 0, columns, 1);
    if (s->failed) return NULL;
    gndi_reduce_begin(&r, s->fn, part, &axes, GNDI_REDUCE_ANY, GNDI_OP_logical_or, GNDI_RULE_TRUTH, GNDI_TAKES_ALL);
    return gndi_temporaries_keep(s, gndi_reduce(&r));
}

/* Where the elements of sorted rows differ from those of the row before. */
static gnd_array *elements_differ(gndi_temporaries *s, const gnd_array *rows, bool equal_nan) {
    if (s->failed) return NULL;
    const int64_t shape[2] = {rows->shape[0] - 1, rows->shape[1]};
    gnd_array *differ = gndi_sets_new(s, rows, 2, shape, GND_BOOL);
    gnd_array *later = gndi_step_part(s, rows, 0, 1, shape[0], 1);
    gnd_array *earlier = gndi_step_part(s, rows, 0, 0, shape[0], 1);
    gndi_sets_differ(s, differ, later, earlier, equal_nan);
    return differ;
}

/* Whether rows that are in order by the first columns are in order altogether, since all that are
   equal in those are equal. Waits. */
static bool is_ordered(gndi_temporaries *s, const gnd_array *rows, int64_t columns) {
    gndi_temporaries t = {.fn = s->fn};
    bool violated = true;
    gnd_array *differ = elements_differ(&t, rows, true);
    gnd_array *first = rows_differ(&t, differ, columns, NULL);
    gnd_array *all = rows_differ(&t, differ, rows->shape[1], NULL);
    gnd_array *late = gndi_step(&t, GNDI_OP_greater, gnd_arg_array(all), gnd_arg_array(first));
    if (!t.failed) {
        const gnd_axes axes = {.count = 0};
        gndi_reduce_request r;
        gndi_reduce_begin(&r, s->fn, late, &axes, GNDI_REDUCE_ANY, GNDI_OP_logical_or, GNDI_RULE_TRUTH, 0);
        const gnd_array *any = gndi_temporaries_keep(&t, gndi_reduce(&r));
        if (!t.failed && gndi_read(s->fn, any, &violated)) t.failed = true;
    }
    gndi_temporaries_end_part(s, &t);
    return !violated;
}

/* The rows in order, and where they stood. */
static gnd_array *order_rows(gndi_temporaries *s, const gnd_array *matrix, gnd_array **indices) {
    const int64_t n = matrix->shape[0], m = matrix->shape[1];
    for (int64_t columns = m <= FEW_COLUMNS ? m : FIRST_COLUMNS; !s->failed; columns *= 4) {
        if (columns > m) columns = m;
        gndi_temporaries t = {.fn = s->fn};
        *indices = m == 0 ? gndi_sets_numbers(&t, matrix, n, GND_INT64) : order_by(&t, matrix, columns);
        gnd_array *rows = gndi_sets_take(&t, matrix, *indices);
        const bool done = t.failed || columns == m || n < 2 || is_ordered(&t, rows, columns);
        if (done && !t.failed) {
            gndi_temporaries_keep(s, gndi_sets_give(&t, *indices));
            gndi_temporaries_keep(s, gndi_sets_give(&t, rows));
        }
        gndi_temporaries_end_part(s, &t);
        if (done) return rows;
    }
    return NULL;
}

static gnd_array *row_edges(gndi_temporaries *s, const gnd_array *rows) {
    const int64_t n = s->failed ? 0 : rows->shape[0];
    gnd_array *edges = s->failed ? NULL : gndi_sets_new(s, rows, 1, &n, GND_BOOL);
    if (s->failed || n == 0) return edges;
    gnd_array *first = gndi_step_part(s, edges, 0, 0, 1, 1);
    gndi_step_into(s, GNDI_OP_copy, first, gnd_arg_bool(false), gnd_arg_none(), NULL);
    if (n == 1) return edges;
    gnd_array *others = gndi_step_part(s, edges, 0, 1, n - 1, 1);
    rows_differ(s, elements_differ(s, rows, false), rows->shape[1], others);
    return edges;
}

/* Rows as parts of x along the axis: a view. */
static gnd_array *parts_of(gndi_temporaries *s, const gnd_array *x, int axis, const gnd_array *rows) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS], step = gndi_itemsize(x);
    if (s->failed) return NULL;
    for (int i = x->ndim - 1; i >= 0; i--) {
        if (i == axis) continue;
        shape[i] = x->shape[i], strides[i] = step;
        step *= x->shape[i];
    }
    shape[axis] = rows->shape[0], strides[axis] = step;
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, rows, x->ndim, shape, strides, gndi_data(rows), (gnd_dtype)x->dtype));
}

bool gndi_unique_rows(gndi_unique *u, int axis) {
    gndi_temporaries s = {.fn = u->fn};
    gnd_array *indices = NULL, *rows = NULL;
    const gnd_array *matrix = matrix_of(&s, u->x, axis);
    if (!s.failed) rows = order_rows(&s, matrix, &indices);
    gnd_array *edges = row_edges(&s, rows);
    gndi_sets_results(&s, u, rows, edges, indices, 1, &u->x->shape[axis]);
    u->values = parts_of(&s, u->x, axis, u->values);
    return gndi_sets_end(&s, u);
}
