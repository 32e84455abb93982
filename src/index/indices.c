/*
 * indices.c: indices to compute with: raveled and unraveled, of diagonals and triangles. Raveling is the
 * `index` hook told to give its sums, unraveling the same with one index split into digits.
 */
#include "elementwise/sequence_plan.h"
#include "index/compact.h"
#include "index/index.h"
#include "array/call_result.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "rearrange/rearrange.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_fill_diagonal

/* Makes all of a list NULL that was begun. */
static gnd_status drop_all(gnd_status status, int count, gnd_array **list) {
    for (int k = 0; k < count && status; k++) gnd_release(list[k]), list[k] = NULL;
    return status;
}

static gnd_status check_list(const char *fn, int count, gnd_array **list) {
    if (!list && count > 0) return gndi_raise_null(fn, "indices");
    for (int k = 0; k < count; k++) list[k] = NULL;
    return GND_OK;
}

/* ---- raveled and unraveled ------------------------------------------------------------------ */

/* How far apart in numbers neighbours along each axis are; the size of the shape. */
static gnd_status number_steps(const char *fn, const gnd_shape *shape, char order, int64_t *step, int64_t *size) {
    if (order != 'C' && order != 'F')
        return gndi_raise(GND_ERROR_INVALID, fn, "order '%c' is neither 'C' nor 'F'", order ? order : '0');
    if (shape->ndim < 0 || shape->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn, "a shape of %d dimensions; at most %d are possible", shape->ndim,
                          GND_MAX_DIMS);
    if (!gndi_shape_size(shape->ndim, shape->dim, size))
        return gndi_raise(GND_ERROR_SHAPE, fn, "the shape %s has a negative size, or more elements than can be counted",
                          gndi_text_shape(shape->ndim, shape->dim));
    if (order == 'C')
        gndi_c_strides(shape->ndim, shape->dim, 1, step);
    else
        gndi_f_strides(shape->ndim, shape->dim, 1, step);
    return GND_OK;
}

/* New int64 sums of what the indices of ix say, at all its points. */
static gnd_array *sums_of(gndi_indexing *ix) {
    gnd_array *out = gndi_new_on_device_of(ix->fn, ix->view, ix->ndim, ix->shape, GND_INT64);
    ix->offsets = true, ix->first = 0, ix->fancy = ix->ndim;
    memset(ix->stride, 0, sizeof ix->stride);
    if (!out || !gndi_indexing_get_into(ix, out)) return out;
    gnd_release(out);
    return NULL;
}

/* The digit of the numbers that counts along one axis. */
static gnd_array *digit_of(const char *fn, const gnd_array *numbers, int64_t size, int64_t step, int64_t along) {
    gndi_indexing ix;
    gndi_indexing_clear(&ix, fn);
    ix.view = numbers, ix.ndim = numbers->ndim, ix.mode = GNDI_INDEX_STRICT;
    memcpy(ix.shape, numbers->shape, sizeof *ix.shape * numbers->ndim);
    ix.count = 1;
    ix.index[0] =
        (struct gndi_indexed_axis){.array = numbers, .size = size, .divide = step, .modulo = along, .step = 1};
    gnd_array *digit = sums_of(&ix);
    gndi_indexing_end(&ix);
    return digit;
}

gnd_status gnd_unravel_index(const gnd_array *numbers, gnd_shape shape, char order, gnd_array **indices) {
    static const char fn[] = "gnd_unravel_index";
    int64_t step[GND_MAX_DIMS], size;
    if (gndi_missing(numbers)) return gndi_raise_null(fn, "numbers");
    gnd_status status = number_steps(fn, &shape, order, step, &size);
    if (!status) status = check_list(fn, shape.ndim, indices);
    if (!status) status = gndi_check_indices(fn, numbers, numbers, "numbers");
    if (status) return status;
    if (size == 0 && numbers->size > 0)
        return gndi_raise(GND_ERROR_SHAPE, fn, "the shape %s has no elements", gndi_text_shape(shape.ndim, shape.dim));
    for (int k = 0; k < shape.ndim && !status; k++) {
        indices[k] = digit_of(fn, numbers, size, step[k], shape.dim[k]);
        if (!indices[k]) status = gndi_ew_pending();
    }
    return drop_all(status, shape.ndim, indices);
}

/* An index as an array of integers, held by ix. */
static const gnd_array *index_array(gndi_indexing *ix, gnd_arg index, const gnd_array *beside, int number) {
    if (index.kind == GND_ARG_ARRAY) {
        if (gndi_missing(index.array)) return gndi_raise_null(ix->fn, "an index"), NULL;
        return gndi_check_indices(ix->fn, beside, index.array, "an index") ? NULL : index.array;
    }
    if (index.kind != GND_ARG_INT && index.kind != GND_ARG_UINT && index.kind != GND_ARG_BOOL)
        return gndi_fail(GND_ERROR_INVALID, ix->fn, "index %d is neither an array nor an integer", number);
    gnd_stream *s = gndi_ew_stream(beside, ix->fn);
    if (!s) return NULL;
    const gnd_dtype dtype = index.kind == GND_ARG_UINT ? GND_UINT64 : GND_INT64;
    gnd_array *one = gndi_array_new_on(ix->fn, s, 0, NULL, dtype, GNDI_ORDER_C);
    return one ? gndi_indexing_keep(ix, gndi_filled(ix->fn, one, index)) : NULL;
}

static gnd_status list_indices(gndi_indexing *ix, int count, const gnd_arg *indices, const gnd_shape *shape,
                               const int64_t *step) {
    const gnd_array *beside = NULL;
    for (int k = count - 1; k >= 0; k--)
        if (indices[k].kind == GND_ARG_ARRAY && indices[k].array) beside = indices[k].array;
    for (int k = 0; k < count; k++) {
        const gnd_array *x = index_array(ix, indices[k], beside, k);
        if (!x) return gndi_ew_pending();
        if (!gndi_broadcast(&ix->ndim, ix->shape, x->ndim, x->shape))
            return gndi_raise(GND_ERROR_SHAPE, ix->fn, "the indices do not broadcast together: %s does not fit %s",
                              gndi_text_shape(x->ndim, x->shape), gndi_text_shape(ix->ndim, ix->shape));
        ix->index[ix->count++] =
            (struct gndi_indexed_axis){.array = x, .size = shape->dim[k], .divide = 1, .step = step[k], .axis = k};
        ix->view = beside ? beside : x;
    }
    return GND_OK;
}

/* The array op(x, y), held by ix; NULL for NULL. */
static const gnd_array *bounded(gndi_indexing *ix, gndi_op op, const gnd_array *x, int64_t y, gnd_dtype dtype) {
    gnd_array *result = NULL;
    const gndi_ew_request r = {.op = op,
                               .fn = ix->fn,
                               .args = {gnd_arg_array(x), gnd_arg_int(y)},
                               .dtype = dtype,
                               .clips = true}; /* y need not fit x's dtype */
    return x && !gndi_elementwise(&r, &result) ? gndi_indexing_keep(ix, result) : NULL;
}

/* An index by its axis' own mode, as GNDI_INDEX_STRICT takes it. */
static gnd_status apply_mode(gndi_indexing *ix, struct gndi_indexed_axis *axis, gnd_index_mode mode) {
    const gnd_array *x = axis->array;
    if (mode == GND_WRAP) /* in a dtype that the size fits */
        x = bounded(ix, GNDI_OP_remainder, x, axis->size, x->dtype == GND_UINT64 ? GND_UINT64 : GND_INT64);
    else if (mode == GND_CLIP)
        x = bounded(ix, GNDI_OP_minimum, bounded(ix, GNDI_OP_maximum, x, 0, GND_DTYPE_NONE), axis->size - 1,
                    GND_DTYPE_NONE);
    axis->array = x;
    return x ? GND_OK : gndi_ew_pending();
}

/* The mode that all axes have, or else GND_RAISE, and each index is put in range by its own. */
static gnd_status apply_modes(gndi_indexing *ix, int count, const gnd_index_mode *modes) {
    bool differ = false;
    gnd_status status = gndi_check_mode(ix->fn, modes[0], GNDI_INDEX_STRICT, &ix->mode);
    for (int k = 1; k < count && !status; k++) {
        gndi_index_mode mode;
        status = gndi_check_mode(ix->fn, modes[k], GNDI_INDEX_STRICT, &mode);
        differ |= mode != ix->mode;
    }
    if (!status && differ) ix->mode = GNDI_INDEX_STRICT;
    for (int k = 0; k < count && differ && !status; k++) status = apply_mode(ix, &ix->index[k], modes[k]);
    return status;
}

static gnd_array *ravel(const char *fn, int count, const gnd_arg *indices, gnd_shape shape, const gnd_index_mode *modes,
                        char order) {
    gndi_indexing ix;
    int64_t step[GND_MAX_DIMS], size, points;
    if (number_steps(fn, &shape, order, step, &size)) return NULL;
    if (count != shape.ndim || (count > 0 && !indices))
        return gndi_fail(GND_ERROR_INVALID, fn, "%d indices for a shape of %d dimensions", count, shape.ndim);
    gndi_indexing_clear(&ix, fn);
    if (count == 0) return gndi_zero(fn, gndi_array_new(fn, 0, NULL, GND_INT64, GNDI_ORDER_C));
    gnd_status status = list_indices(&ix, count, indices, &shape, step);
    if (!status && size == 0 && gndi_shape_size(ix.ndim, ix.shape, &points) && points > 0)
        status =
            gndi_raise(GND_ERROR_SHAPE, fn, "the shape %s has no elements", gndi_text_shape(shape.ndim, shape.dim));
    if (!status) status = apply_modes(&ix, count, modes);
    gnd_array *result = status ? NULL : sums_of(&ix);
    gndi_indexing_end(&ix);
    return result;
}

gnd_array *gnd_ravel_multi_index(int count, const gnd_arg *indices, gnd_shape shape, gnd_index_mode mode, char order) {
    gnd_index_mode modes[GND_MAX_DIMS];
    for (int k = 0; k < GND_MAX_DIMS; k++) modes[k] = mode;
    return ravel("gnd_ravel_multi_index", count, indices, shape, modes, order);
}

gnd_array *gnd_ravel_multi_index_each(int count, const gnd_arg *indices, gnd_shape shape, const gnd_index_mode *modes,
                                      char order) {
    static const char fn[] = "gnd_ravel_multi_index_each";
    if (count > 0 && !modes) return gndi_raise_null(fn, "modes"), NULL;
    return ravel(fn, count, indices, shape, modes, order);
}

/* ---- diagonals ------------------------------------------------------------------------------ */

static gnd_status diagonal_indices(const char *fn, const gnd_array *beside, int64_t n, int ndim, gnd_array **indices) {
    if (ndim < 0 || ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn, "%d dimensions; 0 to %d are possible", ndim, GND_MAX_DIMS);
    if (n < 0) n = 0;
    gnd_status status = check_list(fn, ndim, indices);
    gnd_stream *s = gndi_ew_stream(beside, fn);
    if (status || !s || ndim == 0) return status ? status : s ? GND_OK : gndi_ew_pending();
    indices[0] = gndi_array_new_on(fn, s, 1, &n, GND_INT64, GNDI_ORDER_C);
    if (!indices[0]) return drop_all(gndi_ew_pending(), ndim, indices);
    const gndi_sequence_plan plan = {
        .out = gndi_data(indices[0]), .dtype = GND_INT64, .n = n, .first = gnd_arg_int(0), .step = gnd_arg_int(1)};
    status = gndi_sequence(fn, indices[0], &plan);
    for (int k = 1; k < ndim && !status; k++) {
        indices[k] = gndi_array_alias(fn, indices[0]);
        if (!indices[k]) status = gndi_ew_pending();
    }
    return drop_all(status, ndim, indices);
}

gnd_status gnd_diag_indices(int64_t n, int ndim, gnd_array **indices) {
    return diagonal_indices("gnd_diag_indices", NULL, n, ndim, indices);
}

/* Two axes, or more of one size. */
static gnd_status check_diagonal(const char *fn, const gnd_array *a, bool equal) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    if (a->ndim < 2)
        return gndi_raise(GND_ERROR_SHAPE, fn, "a has shape %s; it must have at least 2 dimensions",
                          gndi_text_shape(a->ndim, a->shape));
    for (int i = 1; i < a->ndim && equal; i++)
        if (a->shape[i] != a->shape[0])
            return gndi_raise(GND_ERROR_SHAPE, fn, "a has shape %s; all axes must have one size",
                              gndi_text_shape(a->ndim, a->shape));
    return GND_OK;
}

gnd_status gnd_diag_indices_from(const gnd_array *a, gnd_array **indices) {
    static const char fn[] = "gnd_diag_indices_from";
    const gnd_status status = check_diagonal(fn, a, true);
    return status ? status : diagonal_indices(fn, a, a->shape[0], a->ndim, indices);
}

/* A view of elements on the diagonal gets the values in `line` from `from` on, or a number. */
static gnd_status assign_diagonal(const char *fn, gnd_array *a, char *data, int ndim, const int64_t *shape,
                                  const int64_t *strides, gnd_arg value, const gnd_array *line, int64_t from) {
    gnd_array *to = gndi_array_view(fn, a, ndim, shape, strides, data, (gnd_dtype)a->dtype);
    gnd_array *part = !to || !line
                          ? NULL
                          : gndi_array_view(fn, line, ndim, shape, NULL, gndi_data(line) + from * gndi_itemsize(line),
                                            (gnd_dtype)line->dtype);
    gnd_status status = to && (part || !line) ? GND_OK : gndi_ew_pending();
    if (!status) status = gndi_assign_where(fn, to, part ? gnd_arg_array(part) : value, NULL);
    gnd_release(part), gnd_release(to);
    return status;
}

/* The diagonal, cut into pieces of the same step: `blocks` of `length` elements, one block each `rows`
   rows, and `rest` elements after them. */
typedef struct diagonal {
    int64_t length, blocks, rows, rest, step;
} diagonal;

static diagonal measure_diagonal(const gnd_array *a, bool wrap) {
    const int64_t n = a->shape[0], m = a->shape[1];
    diagonal d = {.length = n < m ? n : m, .blocks = 1, .rows = n};
    for (int i = 0; i < a->ndim; i++) d.step += a->strides[i];
    if (!wrap || a->ndim > 2 || n <= m || m == 0) return d;
    d.rows = m + 1, d.blocks = n / d.rows, d.rest = n % d.rows;
    return d;
}

static gnd_status fill_diagonal(const char *fn, gnd_array *a, gnd_arg value, const diagonal *d) {
    const int64_t shape[2] = {d->blocks, d->length};
    const int64_t strides[2] = {d->rows * a->strides[0], d->step};
    const int64_t elements = d->blocks * d->length + d->rest;
    gnd_array *line = NULL;
    if (value.kind == GND_ARG_ARRAY) {
        const gnd_shape vector = {.ndim = 1, .dim = {elements}};
        line = gnd_resize(value.array, vector);
        if (!line) return gndi_ew_pending();
    }
    gnd_status status = assign_diagonal(fn, a, gndi_data(a), 2, shape, strides, value, line, 0);
    if (!status && d->rest > 0)
        status = assign_diagonal(fn, a, gndi_data(a) + d->blocks * strides[0], 1, &d->rest, &d->step, value, line,
                                 elements - d->rest);
    gnd_release(line);
    return status;
}

gnd_status gnd_fill_diagonal(gnd_array *a, gnd_arg value, bool wrap) {
    static const char fn[] = "gnd_fill_diagonal";
    GNDI_PARTS_OF(fn);
    gnd_status status = check_diagonal(fn, a, a && a->ndim > 2);
    if (status) return status;
    status = gndi_check_target(fn, a);
    if (!status) status = gndi_check_value(fn, value);
    if (status) return status;
    if (value.kind == GND_ARG_ARRAY) {
        status = gndi_check_together(fn, a, "a", value.array, "the value");
        if (status || value.array->size == 0) return status;
    }
    const diagonal d = measure_diagonal(a, wrap);
    return a->size == 0 ? GND_OK : fill_diagonal(fn, a, value, &d);
}

/* ---- triangles ------------------------------------------------------------------------------ */

/* How many elements of an n x m matrix are on or below diagonal k, which is from -n to m. */
static int64_t count_lower(int64_t n, int64_t m, int64_t k) {
    const int64_t first = k < 0 ? -k : 0; /* the first row that has any */
    int64_t full = m - k < n ? m - k : n; /* the first row that has all */
    if (full < first) full = first;
    const int64_t rows = full - first;
    return rows * (first + k + 1) + rows * (rows - 1) / 2 + (n - full) * m;
}

static gnd_status triangle(const char *fn, int64_t n, int64_t k, int64_t m, bool upper, gnd_array **indices) {
    gndi_packing p;
    int64_t size;
    if (m == -1) m = n;
    if (n < 0) n = 0;
    if (m < 0) m = 0;
    if (k > m) k = m;
    if (k < -n) k = -n;
    gnd_status status = check_list(fn, 2, indices);
    const int64_t shape[2] = {n, m};
    if (!status && !gndi_shape_size(2, shape, &size))
        status = gndi_raise(GND_ERROR_MEMORY, fn, "a matrix of %lld x %lld has too many elements", (long long)n,
                            (long long)m);
    if (status) return status;
    const int64_t below = upper ? k - 1 : k; /* k - 1 may be -n - 1: nothing is below that */
    gnd_array *mask = gnd_tri(n, m, below, GND_BOOL);
    if (mask && upper) {
        gnd_array *above = (gnd_logical_not)(gnd_arg_array(mask));
        gnd_release(mask);
        mask = above;
    }
    if (!mask) return gndi_ew_pending();
    const int64_t lower = below < -n ? 0 : count_lower(n, m, below);
    gndi_packing_begin(&p, fn, mask);
    status = gndi_indices_split(fn, gndi_packing_exact(&p, upper ? size - lower : lower), indices);
    gnd_release(mask);
    return status;
}

gnd_status gnd_tril_indices(int64_t n, int64_t k, int64_t m, gnd_array **indices) {
    GNDI_PARTS_OF("gnd_tril_indices");
    return triangle("gnd_tril_indices", n, k, m, false, indices);
}
gnd_status gnd_triu_indices(int64_t n, int64_t k, int64_t m, gnd_array **indices) {
    GNDI_PARTS_OF("gnd_triu_indices");
    return triangle("gnd_triu_indices", n, k, m, true, indices);
}

static gnd_status triangle_from(const char *fn, const gnd_array *a, int64_t k, bool upper, gnd_array **indices) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    if (a->ndim != 2)
        return gndi_raise(GND_ERROR_SHAPE, fn, "a has shape %s; it must have 2 dimensions",
                          gndi_text_shape(a->ndim, a->shape));
    return triangle(fn, a->shape[0], k, a->shape[1], upper, indices);
}

gnd_status gnd_tril_indices_from(const gnd_array *a, int64_t k, gnd_array **indices) {
    GNDI_PARTS_OF("gnd_tril_indices_from");
    return triangle_from("gnd_tril_indices_from", a, k, false, indices);
}
gnd_status gnd_triu_indices_from(const gnd_array *a, int64_t k, gnd_array **indices) {
    GNDI_PARTS_OF("gnd_triu_indices_from");
    return triangle_from("gnd_triu_indices_from", a, k, true, indices);
}

gnd_status gnd_mask_indices(int64_t n, gnd_array *(*function)(const gnd_array *ones, int64_t k), int64_t k,
                            gnd_array **indices) {
    static const char fn[] = "gnd_mask_indices";
    gnd_status status = check_list(fn, 2, indices);
    if (!status && !function) status = gndi_raise(GND_ERROR_INVALID, fn, "there is no function (NULL)");
    if (status) return status;
    if (n < 0) n = 0;
    const int64_t shape[2] = {n, n};
    gnd_scope scope; /* owns what the function is given and what it makes */
    gnd_scope_open(&scope);
    const bool pending = gnd_error() != NULL;
    gnd_array *ones = gndi_array_new(fn, 2, shape, GND_INT64, GNDI_ORDER_C);
    if (ones) ones = gndi_filled(fn, ones, gnd_arg_int(1));
    gnd_array *left = ones ? gndi_call_result(fn, function(ones, k), pending) : NULL;
    gnd_scope_close(&scope);
    if (left && left->ndim != 2)
        status = gndi_raise(GND_ERROR_SHAPE, fn, "the function gave back shape %s, not a matrix",
                            gndi_text_shape(left->ndim, left->shape));
    else
        status = left ? gndi_nonzero(fn, left, indices) : gndi_ew_pending();
    gnd_release(left);
    return status;
}
