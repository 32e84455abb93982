/*
 * take.c: indices along one axis, or into all elements in C order: numpy.take, put and their _along_axis forms.
 * They differ only in their points and in the strides of the offsets along the points' axes.
 */
#include "index/index.h"
#include "elementwise/elementwise.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_put_along_axis
#undef gnd_put

/* ---- checks --------------------------------------------------------------------------------- */

/* Whether the axes mean all elements, and else the one axis they name, of a's (a 0-d array has one
   of size 1). */
static gnd_status choose_axis(const char *fn, const gnd_array *a, const gnd_axes *axes, bool *flat, int *axis) {
    *flat = axes->count == 0, *axis = 0;
    if (axes->keepdims || axes->where || axes->initial || axes->dtype)
        return gndi_raise(GND_ERROR_INVALID, fn, "of the options of axes, only out is taken");
    if (*flat) return GND_OK;
    if (axes->count != 1)
        return gndi_raise(GND_ERROR_INVALID, fn, "works along one axis; %d were given",
                          axes->count == -1 ? 0 : axes->count);
    return gndi_normalize_axis(fn, axes->axis[0], a->ndim ? a->ndim : 1, axis) ? GND_OK : GND_ERROR_AXIS;
}

/* ---- points --------------------------------------------------------------------------------- */

static gnd_status hold_view(gndi_indexing *ix, const gnd_array *a) {
    ix->view = gndi_indexing_keep(ix, gndi_array_alias(ix->fn, a));
    return ix->view ? GND_OK : gndi_ew_pending();
}

/* A point for each index, which counts all elements of a in C order: the index is taken apart into
   digits where a's axes do not lie in memory as one. */
static gnd_status index_all(gndi_indexing *ix, const gnd_array *a, const gnd_array *indices) {
    int64_t divide = 1;
    ix->first = 0, ix->fancy = ix->ndim = indices->ndim;
    for (int i = 0; i < indices->ndim; i++) ix->shape[i] = indices->shape[i], ix->stride[i] = 0;
    for (int i = a->ndim - 1; i >= 0; i--) {
        struct gndi_indexed_axis *last = ix->count > 0 ? &ix->index[ix->count - 1] : NULL;
        if (a->shape[i] == 1) continue;
        if (last && a->strides[i] == last->step * last->modulo)
            last->modulo *= a->shape[i];
        else
            ix->index[ix->count++] = (struct gndi_indexed_axis){
                .array = indices,
                .size = a->size,
                .divide = divide,
                .modulo = a->shape[i],
                .step = a->strides[i],
            };
        divide *= a->shape[i];
    }
    if (ix->count == 0)
        ix->index[ix->count++] = (struct gndi_indexed_axis){.array = indices, .size = a->size, .divide = 1};
    if (ix->count == 1) ix->index[0].modulo = 0;
    return hold_view(ix, a);
}

/* a's shape with the axis replaced by those of the indices. */
static gnd_status index_axis(gndi_indexing *ix, const gnd_array *a, const gnd_array *indices, int axis) {
    const int after = a->ndim ? a->ndim - axis - 1 : 0;
    ix->first = axis, ix->fancy = indices->ndim, ix->ndim = axis + indices->ndim + after;
    if (ix->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, ix->fn, "the result would have %d dimensions; an array has at most %d",
                          ix->ndim, GND_MAX_DIMS);
    for (int i = 0; i < axis; i++) ix->shape[i] = a->shape[i], ix->stride[i] = a->strides[i];
    for (int i = 0; i < indices->ndim; i++) ix->shape[axis + i] = indices->shape[i], ix->stride[axis + i] = 0;
    for (int i = 0; i < after; i++) {
        ix->shape[axis + indices->ndim + i] = a->shape[axis + 1 + i];
        ix->stride[axis + indices->ndim + i] = a->strides[axis + 1 + i];
    }
    ix->count = 1;
    ix->index[0] = (struct gndi_indexed_axis){
        .array = indices,
        .size = a->ndim ? a->shape[axis] : 1,
        .divide = 1,
        .step = a->ndim ? a->strides[axis] : 0,
        .axis = axis,
    };
    return hold_view(ix, a);
}

/* An index for every point, a's other axes and theirs broadcast together. */
static gnd_status index_along(gndi_indexing *ix, const gnd_array *a, const gnd_array *indices, int axis) {
    if (indices->ndim != a->ndim)
        return gndi_raise(GND_ERROR_SHAPE, ix->fn,
                          "the indices, of shape %s, and a, of shape %s, must have the same number "
                          "of dimensions",
                          gndi_text_shape(indices->ndim, indices->shape), gndi_text_shape(a->ndim, a->shape));
    ix->first = 0, ix->fancy = ix->ndim = a->ndim, ix->count = 1;
    for (int i = 0; i < a->ndim; i++) {
        const int64_t own = a->shape[i], other = indices->shape[i];
        if (i != axis && own != other && own != 1 && other != 1)
            return gndi_raise(GND_ERROR_SHAPE, ix->fn,
                              "shape mismatch: beside axis %d, indices of shape %s and a of shape "
                              "%s do not broadcast together",
                              axis, gndi_text_shape(indices->ndim, indices->shape), gndi_text_shape(a->ndim, a->shape));
        ix->shape[i] = i == axis || own == 1 ? other : own;
        ix->stride[i] = i == axis || own == 1 ? 0 : a->strides[i];
    }
    ix->index[0] = (struct gndi_indexed_axis){
        .array = indices,
        .size = a->shape[axis],
        .divide = 1,
        .step = a->strides[axis],
        .axis = axis,
    };
    int64_t size;
    if (!gndi_shape_size(ix->ndim, ix->shape, &size))
        return gndi_raise(GND_ERROR_SHAPE, ix->fn, "the shape %s has too many elements",
                          gndi_text_shape(ix->ndim, ix->shape));
    return hold_view(ix, a);
}

static gnd_status begin_along(gndi_indexing *ix, const gnd_array *a, const gnd_array *indices, const gnd_axes *axes) {
    bool flat;
    int axis;
    gnd_status status = gndi_check_indices(ix->fn, a, indices, "indices");
    if (!status && indices->dtype == GND_BOOL) /* as NumPy has it, which takes them elsewhere */
        status = gndi_raise(GND_ERROR_DTYPE, ix->fn, "indices has dtype bool; along an axis they must be integers");
    if (!status) status = choose_axis(ix->fn, a, axes, &flat, &axis);
    if (status) return status;
    if (!flat && a->ndim == 0) return gndi_raise(GND_ERROR_AXIS, ix->fn, "a 0-d array has no axis %d", axes->axis[0]);
    if (!flat) return index_along(ix, a, indices, axis);
    if (indices->ndim == 1) return index_all(ix, a, indices);
    return gndi_raise(GND_ERROR_SHAPE, ix->fn, "along all elements the indices must have one dimension, not shape %s",
                      gndi_text_shape(indices->ndim, indices->shape));
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The elements in a new array, or in `out`, directly if they can go there as they are. */
static gnd_array *deliver(gndi_indexing *ix, gnd_array *out) {
    const gnd_array *a = ix->view;
    if (!out) return gndi_indexing_get(ix);
    if (!gndi_check_out(ix->fn, a, out, ix->ndim, ix->shape)) return NULL;
    if (!gnd_can_cast((gnd_dtype)a->dtype, (gnd_dtype)out->dtype, GND_SAME_KIND))
        return gndi_fail(GND_ERROR_DTYPE, ix->fn, "elements of %s do not go into out, which has %s",
                         gnd_dtype_name((gnd_dtype)a->dtype), gnd_dtype_name((gnd_dtype)out->dtype));
    gnd_status status;
    if (out->dtype == a->dtype && !gndi_may_overlap(out, a) && !gndi_may_overlap(out, ix->index[0].array)) {
        status = gndi_indexing_get_into(ix, out);
    } else {
        const gnd_array *result = gndi_indexing_keep(ix, gndi_indexing_get(ix));
        status = result ? gndi_copy_into(ix->fn, out, result) : gndi_ew_pending();
    }
    return status ? NULL : gndi_array_alias(ix->fn, out);
}

gnd_array *gnd_take(const gnd_array *a, const gnd_array *indices, gnd_axes axes, gnd_index_mode mode) {
    gndi_indexing ix;
    bool flat;
    int axis;
    gnd_array *result = NULL;
    gndi_indexing_clear(&ix, "gnd_take");
    if (gndi_missing(a)) return gndi_raise_null(ix.fn, "a"), NULL;
    if (gndi_check_indices(ix.fn, a, indices, "indices") || gndi_check_mode(ix.fn, mode, GNDI_INDEX_RAISE, &ix.mode) ||
        choose_axis(ix.fn, a, &axes, &flat, &axis))
        return NULL;
    if (!(flat ? index_all(&ix, a, indices) : index_axis(&ix, a, indices, axis))) result = deliver(&ix, axes.out);
    gndi_indexing_end(&ix);
    return result;
}

gnd_array *gnd_take_along_axis(const gnd_array *a, const gnd_array *indices, gnd_axes axes) {
    gndi_indexing ix;
    gnd_array *result = NULL;
    gndi_indexing_clear(&ix, "gnd_take_along_axis");
    if (gndi_missing(a)) return gndi_raise_null(ix.fn, "a"), NULL;
    if (!begin_along(&ix, a, indices, &axes)) result = deliver(&ix, axes.out);
    gndi_indexing_end(&ix);
    return result;
}

/* ---- writing -------------------------------------------------------------------------------- */

gnd_status gnd_put_along_axis(gnd_array *a, const gnd_array *indices, gnd_arg values, gnd_axes axes) {
    gndi_indexing ix;
    gndi_indexing_clear(&ix, "gnd_put_along_axis");
    gnd_status status = gndi_check_target(ix.fn, a);
    if (!status && axes.out) status = gndi_raise(GND_ERROR_INVALID, ix.fn, "takes no out: it changes a itself");
    if (!status) status = begin_along(&ix, a, indices, &axes);
    if (!status) status = gndi_indexing_set(&ix, values);
    gndi_indexing_end(&ix);
    return status;
}

/* All elements of x in one dimension, apart from a, of `dtype` (GND_DTYPE_NONE: any). */
static gnd_array *flattened(const char *fn, const gnd_array *x, const gnd_array *a, gnd_dtype dtype) {
    if (!dtype) dtype = (gnd_dtype)x->dtype;
    if (x->dtype == dtype && !gndi_may_overlap(x, a)) return gndi_reshaped(fn, x, 1, &x->size);
    gnd_array *copy = gndi_copy_as(fn, x, dtype, 'C');
    gnd_array *line = copy ? gndi_reshaped(fn, copy, 1, &x->size) : NULL;
    gnd_release(copy);
    return line;
}

/* Part of a one-dimensional array, in rows. */
static gnd_array *rows_of(const char *fn, const gnd_array *x, int64_t begin, int64_t rows, int64_t length) {
    const int64_t shape[2] = {rows, length};
    const int64_t strides[2] = {length * x->strides[0], x->strides[0]};
    return gndi_array_view(fn, x, 2, shape, strides, gndi_data(x) + begin * x->strides[0], (gnd_dtype)x->dtype);
}

/* a.flat[rows of indices] = values, the same for every row. */
static gnd_status put_rows(const char *fn, const gnd_array *a, gndi_index_mode mode, const gnd_array *indices,
                           int64_t begin, int64_t rows, const gnd_array *values, int64_t length) {
    gndi_indexing ix;
    gnd_status status = GND_ERROR_MEMORY;
    gndi_indexing_clear(&ix, fn);
    ix.mode = mode;
    if (rows == 0 || length == 0) return GND_OK;
    const gnd_array *where = gndi_indexing_keep(&ix, rows_of(fn, indices, begin, rows, length));
    const gnd_array *what = gndi_indexing_keep(&ix, rows_of(fn, values, 0, 1, length));
    if (where && what) status = index_all(&ix, a, where);
    if (!status) status = gndi_indexing_set(&ix, gnd_arg_array(what));
    gndi_indexing_end(&ix);
    return status;
}

/* Values are taken round and round: whole rounds are rows, what is left is one more. */
static gnd_status put_values(const char *fn, const gnd_array *a, gndi_index_mode mode, const gnd_array *indices,
                             const gnd_array *values) {
    const int64_t n = indices->size, length = values->size < n ? values->size : n;
    if (length == 0) return GND_OK;
    const int64_t whole = n / length * length;
    gnd_status status = put_rows(fn, a, mode, indices, 0, n / length, values, length);
    if (!status) status = put_rows(fn, a, mode, indices, whole, 1, values, n - whole);
    return status;
}

static gnd_status put_array(const char *fn, const gnd_array *a, gndi_index_mode mode, const gnd_array *indices,
                            const gnd_array *values) {
    if (gndi_check_together(fn, a, "a", values, "values")) return GND_ERROR_DEVICE;
    gnd_array *where = flattened(fn, indices, a, GND_DTYPE_NONE);
    gnd_array *what = where ? flattened(fn, values, a, (gnd_dtype)a->dtype) : NULL;
    const gnd_status status = what ? put_values(fn, a, mode, where, what) : gndi_ew_pending();
    gnd_release(where);
    gnd_release(what);
    return status;
}

gnd_status gnd_put(gnd_array *a, const gnd_array *indices, gnd_arg values, gnd_index_mode mode) {
    gndi_indexing ix;
    gndi_indexing_clear(&ix, "gnd_put");
    gnd_status status = gndi_check_target(ix.fn, a);
    if (!status) status = gndi_check_indices(ix.fn, a, indices, "indices");
    if (!status) status = gndi_check_mode(ix.fn, mode, GNDI_INDEX_RAISE, &ix.mode);
    if (status) return status;
    if (values.kind == GND_ARG_ARRAY) {
        if (gndi_missing(values.array)) return gndi_raise_null(ix.fn, "values");
        return put_array(ix.fn, a, ix.mode, indices, values.array);
    }
    status = index_all(&ix, a, indices);
    if (!status) status = gndi_indexing_set(&ix, values);
    gndi_indexing_end(&ix);
    return status;
}
