/*
 * lu.c: LU factors and systems with them. LAPACK exchanges rows, so that a row-major matrix has to be
 * transposed here. Its pivots are counted from 1, ours from 0, as SciPy's.
 */
#include "linalg/system.h"
#include "rearrange/rearrange.h"

typedef struct factors {
    gnd_array *lu;     /* column-major */
    gnd_array *pivots; /* counted from 1 */
    gndi_lapack_plan plan;
} factors;

static void factor(gndi_temporaries *s, const gnd_array *a, factors *f) {
    *f = (factors){0};
    s->failed = true; /* until all is checked */
    if (!gndi_check_matrices(s->fn, a, "a")) return;
    const gnd_dtype dtype = gndi_lapack_dtype(s->fn, a, NULL);
    if (dtype == GND_DTYPE_NONE) return;
    s->failed = false;
    const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1];
    f->lu = gndi_matrices_copy(s, a, dtype);
    f->pivots = gndi_new_lines(s, a, m < n ? m : n, GND_INT32);
    if (s->failed) return;
    f->plan = gndi_lapack_plan_of(GNDI_LAPACK_LU, f->lu);
    f->plan.pivots = (int32_t *)(void *)gndi_data(f->pivots);
    if (a->size > 0) gndi_lapack_submit(s, &f->plan, 0, NULL, 2, (gnd_array *[]){f->lu, f->pivots});
}

/* ---- separate factors ----------------------------------------------------------------------- */

/* Row i of p x is row p[i] of x. */
static gnd_array *permutation(gndi_temporaries *s, const gnd_array *a, factors *f) {
    const int64_t m = a->shape[a->ndim - 2];
    gnd_array *indices = gndi_new_lines(s, a, m, GND_INT64);
    if (!indices || indices->size == 0) return indices;
    f->plan.op = GNDI_LAPACK_PERMUTATION;
    f->plan.permutation = (int64_t *)(void *)gndi_data(indices);
    gndi_lapack_submit(s, &f->plan, 1, (const gnd_array *[]){f->pivots}, 1, &indices);
    return indices;
}

/* The matrix of a permutation: ones at the indices. */
static gnd_array *as_matrix(gndi_temporaries *s, const gnd_array *a, const gnd_array *indices, gnd_dtype dtype) {
    int64_t shape[GND_MAX_DIMS];
    for (int i = 0; i < a->ndim - 1; i++) shape[i] = a->shape[i];
    shape[a->ndim - 1] = a->shape[a->ndim - 2];
    gnd_array *columns = gndi_with_last_axis(s, indices), *matrix = NULL;
    if (columns)
        matrix = gndi_temporaries_keep(s, gndi_zero(s->fn, gndi_new_on_device_of(s->fn, a, a->ndim, shape, dtype)));
    if (matrix && matrix->size > 0 && gnd_put_along_axis(matrix, columns, 1, GND_AXES(-1))) s->failed = true;
    return matrix;
}

static gnd_array *lower_factor(gndi_temporaries *s, const gnd_array *lu, int64_t k) {
    gnd_array *part = gndi_columns(s, lu, k);
    gnd_array *l = part ? gndi_temporaries_keep(s, gndi_triangle(s->fn, part, -1, false)) : NULL;
    if (!l || l->size == 0) return l;
    gnd_array *diagonal = gndi_temporaries_keep(s, gndi_diagonal(s->fn, l, 0, l->ndim - 2, l->ndim - 1));
    if (diagonal) gndi_step_into(s, GNDI_OP_copy, diagonal, gnd_arg_int(1), gnd_arg_none(), NULL);
    return l;
}

static gnd_array *upper_factor(gndi_temporaries *s, const gnd_array *lu, int64_t k) {
    gnd_array *part = gndi_rows(s, lu, k);
    return part ? gndi_temporaries_keep(s, gndi_triangle(s->fn, part, 0, true)) : NULL;
}

typedef enum form { MATRIX, INDICES, PERMUTED } form; /* of p */

static gnd_status split(const char *fn, gnd_array **p, gnd_array **l, gnd_array **u, const gnd_array *a, form kind) {
    gndi_temporaries s = {.fn = fn};
    factors f;
    gnd_array *indices = NULL, *of_p = NULL, *of_l = NULL, *of_u = NULL;
    if (!p && !l && !u)
        return gndi_raise(GND_ERROR_INVALID, fn, "no place to write to (%sl and u are NULL)",
                          kind == PERMUTED ? "" : "p, ");
    factor(&s, a, &f);
    if (!s.failed) {
        const int64_t m = a->shape[a->ndim - 2], n = a->shape[a->ndim - 1], k = m < n ? m : n;
        const bool permutes = kind == PERMUTED && l;
        if (l) of_l = lower_factor(&s, f.lu, k);
        if (u) of_u = upper_factor(&s, f.lu, k);
        if (p || permutes) of_p = indices = permutation(&s, a, &f);
        if (p && kind == MATRIX) of_p = as_matrix(&s, a, indices, gndi_real_dtype(f.lu->dtype));
        const gnd_array *rows = permutes ? gndi_with_last_axis(&s, indices) : NULL;
        if (rows && of_l && of_l->size > 0)
            of_l = gndi_temporaries_keep(&s, gnd_take_along_axis(of_l, rows, GND_AXES(-2)));
    }
    gndi_temporaries_give(&s, of_p, p);
    gndi_temporaries_give(&s, of_l, l);
    gndi_temporaries_give(&s, of_u, u);
    return gndi_temporaries_status(&s);
}

gnd_status gnd_lu(gnd_array **p, gnd_array **l, gnd_array **u, const gnd_array *a) {
    GNDI_PARTS_OF("gnd_lu");
    return split("gnd_lu", p, l, u, a, MATRIX);
}

gnd_status gnd_lu_indices(gnd_array **p, gnd_array **l, gnd_array **u, const gnd_array *a) {
    GNDI_PARTS_OF("gnd_lu_indices");
    return split("gnd_lu_indices", p, l, u, a, INDICES);
}

gnd_status gnd_lu_permuted(gnd_array **l, gnd_array **u, const gnd_array *a) {
    GNDI_PARTS_OF("gnd_lu_permuted");
    return split("gnd_lu_permuted", NULL, l, u, a, PERMUTED);
}

/* ---- factors in one array ------------------------------------------------------------------- */

gnd_status gnd_lu_factor(gnd_array **lu, gnd_array **pivots, const gnd_array *a) {
    gndi_temporaries s = {.fn = "gnd_lu_factor"};
    if (!lu && !pivots) return gndi_raise(GND_ERROR_INVALID, s.fn, "no place to write to (lu and pivots are NULL)");
    factors f;
    factor(&s, a, &f);
    if (!s.failed && f.pivots->size > 0)
        gndi_step_into(&s, GNDI_OP_subtract, f.pivots, gnd_arg_array(f.pivots), gnd_arg_int(1), NULL);
    gndi_temporaries_give(&s, f.lu, lu);
    gndi_temporaries_give(&s, f.pivots, pivots);
    return gndi_temporaries_status(&s);
}

static bool check_pivots(const char *fn, const gnd_array *lu, const gnd_array *pivots) {
    if (!gndi_check_square(fn, lu, "lu")) return false;
    if (gndi_missing(pivots)) return gndi_raise_null(fn, "pivots"), false;
    if (gndi_check_together(fn, lu, "lu", pivots, "pivots")) return false;
    if (!gndi_dtype_is_int(pivots->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, fn, "pivots must be integers; they are %s",
                   gnd_dtype_name((gnd_dtype)pivots->dtype));
        return false;
    }
    bool fits = pivots->ndim == lu->ndim - 1;
    for (int i = 0; fits && i < pivots->ndim; i++) fits = pivots->shape[i] == lu->shape[i];
    if (fits) return true;
    gndi_raise(GND_ERROR_SHAPE, fn, "pivots must have a row for each matrix: lu has shape %s, pivots %s",
               gndi_text_shape(lu->ndim, lu->shape), gndi_text_shape(pivots->ndim, pivots->shape));
    return false;
}

/* Packed, counted from 1, and in range: LAPACK would exchange any rows in memory. */
static gnd_array *lapack_pivots(gndi_temporaries *s, const gnd_array *pivots, int64_t n) {
    if (s->failed) return NULL;
    const int dtype = pivots->dtype;
    gnd_array *packed =
        gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, pivots, pivots->ndim, pivots->shape, GND_INT32));
    if (packed && dtype != GND_INT32 && dtype != GND_INT64)
        pivots = gndi_temporaries_keep(s, gndi_copy_as(s->fn, pivots, GND_INT64, 'K'));
    gnd_array *in_range = gndi_step(s, GNDI_OP_maximum, gnd_arg_array(pivots), gnd_arg_int(0));
    gndi_step_into(s, GNDI_OP_minimum, packed, gnd_arg_array(in_range), gnd_arg_int(n - 1), NULL);
    gndi_step_into(s, GNDI_OP_add, packed, gnd_arg_array(packed), gnd_arg_int(1), NULL);
    return packed;
}

gnd_array *gnd_lu_solve(const gnd_array *lu, const gnd_array *pivots, const gnd_array *b, gnd_trans trans) {
    gndi_temporaries s = {.fn = "gnd_lu_solve"};
    gndi_system y;
    if ((unsigned)trans > GND_TRANS_H)
        return gndi_fail(GND_ERROR_INVALID, s.fn, "there is no transpose number %d", (int)trans);
    if (!check_pivots(s.fn, lu, pivots)) return NULL;
    if (gndi_system_begin(&y, &s, lu, "lu", pivots, b)) {
        const gnd_array *read = gndi_matrices_read(&s, y.a, y.dtype, &y.plan.a, NULL);
        const gnd_array *exchanges = lapack_pivots(&s, y.pivots, y.plan.n);
        y.plan.op = GNDI_LAPACK_LU_SOLVE;
        y.plan.transpose = trans == GND_TRANS_NONE ? GNDI_LAPACK_PLAIN
                           : trans == GND_TRANS_T  ? GNDI_LAPACK_TRANSPOSED
                                                   : GNDI_LAPACK_CONJUGATED;
        if (exchanges) y.plan.pivots = (int32_t *)(void *)gndi_data(exchanges);
        gndi_lapack_submit(&s, &y.plan, 2, (const gnd_array *[]){read, exchanges}, 1, &y.x);
    }
    return gndi_system_end(&y);
}
