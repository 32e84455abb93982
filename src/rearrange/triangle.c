/*
 * triangle.c: triangles, diagonals and powers. What is below a diagonal depends on row - column alone:
 * a mask of a matrix is a view of a line of rows + columns - 1 flags, one step forward a row and one
 * back a column, so that it costs no memory of its own.
 */
#include "rearrange/rearrange.h"

const gnd_array *gndi_below_diagonal(gndi_temporaries *s, gndi_device *device, int64_t rows, int64_t columns,
                                     int64_t k) {
    gnd_stream *stream = gndi_stream_on(device, s->fn);
    const int64_t length = rows + columns - 1;
    /* Flag number row - column + columns - 1; the first true one is at row - column == -k. */
    k = k < -rows ? -rows : k > columns ? columns : k;
    const int64_t first = columns - 1 - k < 0 ? 0 : columns - 1 - k > length ? length : columns - 1 - k;
    gnd_array *line = stream ? gndi_array_new_on(s->fn, stream, 1, &length, GND_BOOL, GNDI_ORDER_C) : NULL;
    if (!gndi_temporaries_keep(s, gndi_zero(s->fn, line))) return NULL;
    gnd_array *behind = gndi_step_part(s, line, 0, first, length - first, 1);
    if (first < length) gndi_step_into(s, GNDI_OP_copy, behind, gnd_arg_bool(true), gnd_arg_none(), NULL);
    if (s->failed) return NULL;
    const int64_t shape[2] = {rows, columns}, strides[2] = {1, -1};
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, line, 2, shape, strides, gndi_data(line) + (columns - 1), GND_BOOL));
}

gnd_array *gnd_tri(int64_t n, int64_t m, int64_t k, gnd_dtype dtype) {
    gndi_temporaries s = {.fn = "gnd_tri"};
    const int64_t shape[2] = {n, m == -1 ? n : m};
    gnd_array *result = gndi_array_new(s.fn, 2, shape, dtype ? dtype : GND_FLOAT64, GNDI_ORDER_C);
    if (!result || result->size == 0) return result;
    gndi_temporaries_keep(&s, result);
    const gnd_array *mask = gndi_below_diagonal(&s, result->buffer->device, shape[0], shape[1], k);
    if (!s.failed) s.failed = gndi_copy_into(s.fn, result, mask) != GND_OK;
    return gndi_temporaries_end(&s, result);
}

gnd_array *gndi_triangle(const char *fn, const gnd_array *a, int64_t k, bool upper) {
    gndi_temporaries s = {.fn = fn};
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (a->ndim == 0) return gndi_fail(GND_ERROR_SHAPE, fn, "a is 0-d; a triangle needs at least 1 dimension");
    const int64_t columns = a->shape[a->ndim - 1];
    const int64_t rows = a->ndim == 1 ? columns : a->shape[a->ndim - 2];
    const int64_t square[2] = {rows, columns};
    gnd_array *result = a->ndim == 1 ? gndi_new_on_device_of(fn, a, 2, square, (gnd_dtype)a->dtype)
                                     : gndi_new_like(fn, a, GND_DTYPE_NONE);
    if (!result || result->size == 0) return result;
    gndi_temporaries_keep(&s, result);
    if (upper) k = k == INT64_MIN ? k : k - 1;
    const gnd_array *mask = gndi_below_diagonal(&s, a->buffer->device, rows, columns, k);
    const gnd_arg zero = gnd_arg_bool(false), whole = gnd_arg_array(a);
    const gndi_ew_request request = {.op = GNDI_OP_where,
                                     .fn = fn,
                                     .args = {gnd_arg_array(mask), upper ? zero : whole, upper ? whole : zero},
                                     .out = {result}};
    if (!s.failed) s.failed = gndi_elementwise(&request, NULL) != GND_OK;
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_tril(const gnd_array *a, int64_t k) {
    return gndi_triangle("gnd_tril", a, k, false);
}

gnd_array *gnd_triu(const gnd_array *a, int64_t k) {
    return gndi_triangle("gnd_triu", a, k, true);
}

/* ---- diagonals ------------------------------------------------------------------------------ */

/* A matrix with a 1-d array on diagonal k. */
static gnd_array *on_diagonal(const char *fn, const gnd_array *line, int64_t k) {
    gndi_temporaries s = {.fn = fn};
    const int64_t beside = k < 0 ? -(k + 1) : k;
    int64_t n;
    if (__builtin_add_overflow(line->shape[0], beside, &n) || __builtin_add_overflow(n, (int64_t)(k < 0), &n))
        return gndi_fail(GND_ERROR_MEMORY, fn, "a matrix with diagonal %lld is too big", (long long)k);
    const int64_t shape[2] = {n, n};
    gnd_array *matrix = gndi_zero(fn, gndi_new_on_device_of(fn, line, 2, shape, (gnd_dtype)line->dtype));
    if (!matrix || line->size == 0) return matrix;
    gndi_temporaries_keep(&s, matrix);
    gnd_array *diagonal = gndi_temporaries_keep(&s, gnd_diagonal(matrix, k, 0, 1));
    if (!s.failed) s.failed = gndi_copy_into(fn, diagonal, line) != GND_OK;
    return gndi_temporaries_end(&s, matrix);
}

gnd_array *gnd_diag(const gnd_array *a, int64_t k) {
    static const char fn[] = "gnd_diag";
    GNDI_PARTS_OF(fn);
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (a->ndim == 1) return on_diagonal(fn, a, k);
    if (a->ndim == 2) return gnd_diagonal(a, k, 0, 1);
    return gndi_fail(GND_ERROR_SHAPE, fn, "takes a line or a matrix; the shape is %s",
                     gndi_text_shape(a->ndim, a->shape));
}

gnd_array *gnd_diagflat(const gnd_array *a, int64_t k) {
    static const char fn[] = "gnd_diagflat";
    GNDI_PARTS_OF(fn);
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    gnd_array *flat = gndi_flat(fn, a);
    gnd_array *matrix = flat ? on_diagonal(fn, flat, k) : NULL;
    gnd_release(flat);
    return matrix;
}

/* ---- powers --------------------------------------------------------------------------------- */

/* powers[:, i] = x^(i + 1): running products along rows of x itself. */
static void multiply_up(gndi_temporaries *s, gnd_array *powers, const gnd_array *x) {
    if (s->failed || powers->size == 0) return;
    const int64_t strides[2] = {x->strides[0], 0};
    const gnd_array *rows = gndi_temporaries_keep(
        s, gndi_array_view(s->fn, x, 2, powers->shape, strides, gndi_data(x), (gnd_dtype)x->dtype));
    const gndi_scan_request request = {
        .fn = s->fn, .x = rows, .op = GNDI_OP_multiply, .loop = (gnd_dtype)powers->dtype, .axis = 1, .out = powers};
    if (rows) gndi_temporaries_keep(s, gndi_scan_run(&request));
}

gnd_array *gnd_vander(const gnd_array *x, int64_t n, bool increasing) {
    gndi_temporaries s = {.fn = "gnd_vander"};
    if (gndi_missing(x)) return gndi_raise_null(s.fn, "x"), NULL;
    if (x->ndim != 1)
        return gndi_fail(GND_ERROR_SHAPE, s.fn, "x must be 1-dimensional; its shape is %s",
                         gndi_text_shape(x->ndim, x->shape));
    if (n == -1) n = x->shape[0];
    const int64_t shape[2] = {x->shape[0], n};
    const gnd_dtype dtype = gnd_promote_types((gnd_dtype)x->dtype, GND_INT64);
    gnd_array *matrix = gndi_new_on_device_of(s.fn, x, 2, shape, dtype);
    if (!matrix || matrix->size == 0) return matrix;
    gndi_temporaries_keep(&s, matrix);
    const int64_t step = increasing ? 1 : -1;
    gnd_array *ones = gndi_step_part(&s, matrix, 1, increasing ? 0 : n - 1, 1, 1);
    gndi_step_into(&s, GNDI_OP_copy, ones, gnd_arg_int(1), gnd_arg_none(), NULL);
    gnd_array *powers = n > 1 ? gndi_step_part(&s, matrix, 1, increasing ? 1 : n - 2, n - 1, step) : NULL;
    if (powers) multiply_up(&s, powers, x);
    return gndi_temporaries_end(&s, matrix);
}
