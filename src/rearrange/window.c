/*
 * window.c: views with other dimensions over the same memory: windows, strides of the caller's
 * choice, and leading axes of size 1.
 */
#include "rearrange/rearrange.h"

/* ---- windows -------------------------------------------------------------------------------- */

gnd_array *gnd_sliding_window_view(const gnd_array *a, gnd_shape window, gnd_axes axes, bool writeable) {
    static const char fn[] = "gnd_sliding_window_view";
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    const int count = axes.count == 0 ? a->ndim : axes.count < 0 ? 0 : axes.count;
    if (window.ndim != count)
        return gndi_fail(GND_ERROR_INVALID, fn, "the window has %d sizes for %d axes; give one for each", window.ndim,
                         count);
    if (count > GND_MAX_DIMS - a->ndim)
        return gndi_fail(GND_ERROR_SHAPE, fn, "the result would have %lld dimensions; an array has at most %d",
                         (long long)a->ndim + count, GND_MAX_DIMS);
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    memcpy(strides, a->strides, (size_t)a->ndim * sizeof *strides);
    for (int k = 0; k < count; k++) {
        int axis = k;
        if (axes.count > 0 && !gndi_normalize_axis(fn, axes.axis[k], a->ndim, &axis)) return NULL;
        const int64_t size = window.dim[k];
        if (size < 0 || size > shape[axis])
            return gndi_fail(GND_ERROR_SHAPE, fn,
                             "a window of size %lld along axis %d, which has size %lld: from 0 to "
                             "that would be right",
                             (long long)size, axis, (long long)shape[axis]);
        shape[axis] -= size - 1;
        shape[a->ndim + k] = size;
        strides[a->ndim + k] = a->strides[axis];
    }
    gnd_array *view = gndi_array_view(fn, a, a->ndim + count, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
    if (view && !writeable) view->flags |= GNDI_READONLY;
    return view;
}

/* ---- strides of the caller's choice --------------------------------------------------------- */

/* Whether each element certainly stands at one index only: every stride steps over all that the
   shorter ones reach. */
static bool elements_apart(const gnd_array *a) {
    int order[GND_MAX_DIMS];
    int64_t reach = gndi_itemsize(a);
    gndi_memory_order(a, true, order);
    for (int k = a->ndim - 1; k >= 0; k--) {
        const int axis = order[k];
        const int64_t stride = a->strides[axis] < 0 ? -a->strides[axis] : a->strides[axis];
        if (a->shape[axis] <= 1) continue;
        if (stride < reach) return false;
        reach += stride * (a->shape[axis] - 1);
    }
    return true;
}

static gnd_status check_strides(const char *fn, const gnd_array *a, const gnd_shape *shape, const int64_t *strides) {
    const int64_t item = gndi_itemsize(a);
    int64_t size;
    if (shape->ndim < 0 || shape->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn, "a shape with %d dimensions; 0 to %d would be right", shape->ndim,
                          GND_MAX_DIMS);
    if (!gndi_shape_size(shape->ndim, shape->dim, &size))
        return gndi_raise(GND_ERROR_SHAPE, fn, "the shape %s has a negative size or too many elements",
                          gndi_text_shape(shape->ndim, shape->dim));
    if (!gndi_strides_sane(NULL, shape->ndim, shape->dim, strides))
        return gndi_raise(GND_ERROR_SHAPE, fn, "the strides %s lead outside any memory",
                          gndi_text_shape(shape->ndim, strides));
    for (int i = 0; i < shape->ndim; i++)
        if (strides[i] % item != 0)
            return gndi_raise(GND_ERROR_SHAPE, fn, "stride %lld of axis %d is no multiple of the %lld bytes of %s",
                              (long long)strides[i], i, (long long)item, gnd_dtype_name((gnd_dtype)a->dtype));
    return GND_OK;
}

/* Where a view may reach, in bytes from the first element: all of the buffer that is used, or the elements of
   the array that owns it. */
static void memory_of(const gnd_array *a, int64_t *begin, int64_t *end) {
    gndi_byte_extent(a->ndim, a->shape, a->strides, gndi_itemsize(a), begin, end);
    if (!(a->flags & GNDI_VIEW) || a->size == 0) return;
    *begin = (char *)a->buffer->base - gndi_data(a);
    *end = *begin + (int64_t)a->buffer->used;
}

gnd_array *gnd_as_strided(const gnd_array *a, gnd_shape shape, const int64_t *strides) {
    static const char fn[] = "gnd_as_strided";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!strides && shape.ndim != 0) return gndi_raise_null(fn, "strides"), NULL;
    if (check_strides(fn, a, &shape, strides)) return NULL;
    int64_t low, high, begin, end; /* offsets: what is compared must not wrap round as addresses do */
    gndi_byte_extent(shape.ndim, shape.dim, strides, gndi_itemsize(a), &low, &high);
    memory_of(a, &begin, &end);
    if (low < high && (low < begin || high > end))
        return gndi_fail(GND_ERROR_SHAPE, fn,
                         "shape %s with strides %s reaches bytes %lld to %lld from the first element; the "
                         "memory goes from %lld to %lld",
                         gndi_text_shape(shape.ndim, shape.dim), gndi_text_shape(shape.ndim, strides), (long long)low,
                         (long long)high, (long long)begin, (long long)end);
    gnd_array *view = gndi_array_view(fn, a, shape.ndim, shape.dim, strides, gndi_data(a), (gnd_dtype)a->dtype);
    if (view && view->size > 0 && !elements_apart(view)) view->flags |= GNDI_READONLY;
    return view;
}

/* ---- more dimensions ------------------------------------------------------------------------ */

static gnd_array *at_least(const char *fn, const gnd_array *a, int least) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    const int ones = a->ndim < least ? least - a->ndim : 0;
    const int ndim = gndi_shape_with_ones(a, 0, ones, shape, strides);
    return gndi_array_view(fn, a, ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
}

gnd_array *gnd_atleast_1d(const gnd_array *a) {
    return at_least("gnd_atleast_1d", a, 1);
}

gnd_array *gnd_atleast_2d(const gnd_array *a) {
    return at_least("gnd_atleast_2d", a, 2);
}

gnd_array *gnd_atleast_3d(const gnd_array *a) {
    static const char fn[] = "gnd_atleast_3d";
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    const int ndim = gndi_shape_in_depth(a, shape, strides);
    return gndi_array_view(fn, a, ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
}
