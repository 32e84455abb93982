/*
 * grid.c: coordinates as grids: lines seen with axes of size 1, then repeated over the others; and functions
 * of them.
 */
#include "rearrange/rearrange.h"
#include "array/call_result.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_meshgrid

/* ---- meshgrid ------------------------------------------------------------------------------- */

/* The axis along which array k runs. */
static int axis_of(int k, int count, bool ij) {
    return ij || count < 2 || k > 1 ? k : 1 - k;
}

/* Line k of `count` as a grid of this shape, or sparse. */
static gnd_array *grid(const char *fn, const gnd_array *line, int ndim, const int64_t *shape, int axis,
                       const gnd_grid_options *o) {
    gndi_temporaries s = {.fn = fn};
    gnd_array *seen = gndi_step_along(&s, line, axis, ndim), *result = seen;
    if (seen && !o->sparse) {
        int64_t strides[GND_MAX_DIMS];
        gndi_broadcast_strides(seen, ndim, shape, strides);
        result = gndi_temporaries_keep(
            &s, gndi_array_view(fn, seen, ndim, shape, strides, gndi_data(seen), (gnd_dtype)seen->dtype));
        if (result && !gndi_same_shape(seen, result)) result->flags |= GNDI_READONLY;
    }
    if (!o->view && !s.failed)
        result = gndi_temporaries_keep(&s, gndi_copy_as(fn, result, (gnd_dtype)line->dtype, 'C'));
    return gndi_temporaries_end(&s, result);
}

gnd_status gnd_meshgrid(int count, const gnd_array *const arrays[], gnd_grid_options options, gnd_array *out[]) {
    static const char fn[] = "gnd_meshgrid";
    int64_t shape[GND_MAX_DIMS];
    gnd_status status = GND_OK;
    if (count < 0 || count > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_INVALID, fn, "%d arrays; a grid has 0 to %d axes", count, GND_MAX_DIMS);
    if (count > 0 && !out) return gndi_raise_null(fn, "out");
    if (count > 0 && !arrays) return gndi_drop_list(gndi_raise_null(fn, "arrays"), 0, count, out);
    for (int k = 0; k < count && !status; k++) {
        if (gndi_missing(arrays[k]))
            status = gndi_raise_null(fn, "arrays");
        else
            shape[axis_of(k, count, options.ij)] = arrays[k]->size;
    }
    for (int k = 0; k < count; k++) {
        gnd_array *line = status ? NULL : gndi_flat(fn, arrays[k]);
        out[k] = line ? grid(fn, line, count, shape, axis_of(k, count, options.ij), &options) : NULL;
        gnd_release(line);
        if (!out[k]) return gndi_drop_list(gndi_ew_pending(), k, count, out);
    }
    return GND_OK;
}

/* ---- indices -------------------------------------------------------------------------------- */

static gnd_status check_shape(const char *fn, const gnd_shape *shape, int most, gnd_dtype *dtype) {
    if (shape->ndim < 0 || shape->ndim > most)
        return gndi_raise(GND_ERROR_SHAPE, fn, "a shape with %d dimensions; 0 to %d would be right", shape->ndim, most);
    for (int i = 0; i < shape->ndim; i++)
        if (shape->dim[i] < 0)
            return gndi_raise(GND_ERROR_SHAPE, fn, "shape %s has a negative size",
                              gndi_text_shape(shape->ndim, shape->dim));
    if (*dtype == GND_DTYPE_NONE) *dtype = GND_INT64;
    if (!gndi_dtype_valid((int)*dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)*dtype);
    return GND_OK;
}

/* 0, 1, 2, ... along an axis of a space of `ndim`. */
static gnd_array *count_along(gndi_temporaries *s, int64_t size, int axis, int ndim, gnd_dtype dtype) {
    gnd_array *line = gndi_temporaries_keep(s, (gnd_arange)(gnd_arg_none(), gnd_arg_int(size), gnd_arg_none(), dtype));
    return line ? gndi_step_along(s, line, axis, ndim) : NULL;
}

static gnd_array *indices_of(const char *fn, gnd_shape shape, gnd_dtype dtype) {
    GNDI_PARTS_OF(fn);
    gndi_temporaries s = {.fn = fn};
    int64_t whole[GND_MAX_DIMS];
    if (check_shape(s.fn, &shape, GND_MAX_DIMS - 1, &dtype)) return NULL;
    whole[0] = shape.ndim;
    memcpy(whole + 1, shape.dim, (size_t)shape.ndim * sizeof *whole);
    gnd_array *result = gndi_array_new(s.fn, shape.ndim + 1, whole, dtype, GNDI_ORDER_C);
    if (!result || result->size == 0) return result;
    gndi_temporaries_keep(&s, result);
    for (int k = 0; k < shape.ndim; k++) {
        gndi_temporaries one = {.fn = s.fn};
        const gnd_array *line = count_along(&one, shape.dim[k], k, shape.ndim, dtype);
        if (line && !s.failed) gndi_copy_to_part(&one, result, 0, k, 1, line);
        gndi_temporaries_end_part(&s, &one);
    }
    return gndi_temporaries_end(&s, result);
}

gnd_array *gnd_indices(gnd_shape shape, gnd_dtype dtype) {
    return indices_of("gnd_indices", shape, dtype);
}

gnd_status gnd_indices_sparse(gnd_shape shape, gnd_dtype dtype, gnd_array *out[]) {
    static const char fn[] = "gnd_indices_sparse";
    GNDI_PARTS_OF(fn);
    if (!out && shape.ndim > 0) return gndi_raise_null(fn, "out");
    const gnd_status status = check_shape(fn, &shape, GND_MAX_DIMS, &dtype);
    if (status) return gndi_drop_list(status, 0, shape.ndim > GND_MAX_DIMS ? 0 : shape.ndim, out);
    for (int k = 0; k < shape.ndim; k++) {
        gndi_temporaries s = {.fn = fn};
        out[k] = gndi_temporaries_end(&s, count_along(&s, shape.dim[k], k, shape.ndim, dtype));
        if (!out[k]) return gndi_drop_list(gndi_ew_pending(), k, shape.ndim, out);
    }
    return GND_OK;
}

gnd_array *gnd_fromfunction(gnd_indices_function *function, void *context, gnd_shape shape, gnd_dtype dtype) {
    static const char fn[] = "gnd_fromfunction";
    if (!function) return gndi_fail(GND_ERROR_INVALID, fn, "function is NULL");
    const gnd_array *indices[GND_MAX_DIMS] = {NULL};
    gnd_array *result = NULL;
    gnd_scope scope;
    gnd_scope_open(&scope);
    const bool pending = gnd_error() != NULL;
    gnd_array *all = indices_of(fn, shape, dtype ? dtype : GND_FLOAT64);
    bool made = all != NULL;
    for (int k = 0; made && k < shape.ndim; k++) {
        char *data = all->size ? gndi_data(all) + k * all->strides[0] : gndi_data(all);
        indices[k] = gndi_array_view(fn, all, shape.ndim, shape.dim, all->strides + 1, data, (gnd_dtype)all->dtype);
        made = indices[k] != NULL;
    }
    if (made) result = gndi_call_result(fn, function(shape.ndim, indices, context), pending);
    gnd_scope_close(&scope);
    return result;
}
