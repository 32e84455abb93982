/*
 * view.c: views other than slices: permuted, broadcast, reversed, reshaped where strides can express it, and
 * reinterpreted. Each computes a shape, strides and a data pointer, and never touches the elements.
 */
#include "core/core.h"
#include "core/loose.h"
#include "array/view.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_broadcast_arrays

static gnd_array *same_dtype_view(const char *fn, const gnd_array *a, int ndim, const int64_t *shape,
                                  const int64_t *strides, char *data) {
    return gndi_array_view(fn, a, ndim, shape, strides, data, (gnd_dtype)a->dtype);
}

/* ---- the order of the axes ------------------------------------------------------------------ */

gnd_array *gndi_permuted(const char *fn, const gnd_array *a, const int *order) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int k = 0; k < a->ndim; k++) {
        shape[k] = a->shape[order[k]];
        strides[k] = a->strides[order[k]];
    }
    return same_dtype_view(fn, a, a->ndim, shape, strides, gndi_data(a));
}

gnd_array *gndi_transposed(const char *fn, const gnd_array *a) {
    int order[GND_MAX_DIMS];
    for (int k = 0; k < a->ndim; k++) order[k] = a->ndim - 1 - k;
    return gndi_permuted(fn, a, order);
}

/* What the axes are ordered by. Beside broadcast axes one of size 1 has no stride either. */
static int64_t rank_of_axis(const gnd_array *a, int axis, bool zero_last) {
    return !zero_last && a->shape[axis] == 1 ? 0 : gndi_magnitude(a->strides[axis]);
}

void gndi_memory_order(const gnd_array *a, bool zero_last, int *order) {
    /* Insertion sort: stable, and the axes are few. It begins at the last axis, as NumPy's iterator
       does: where strides of 0 compare with nothing, the direction decides. */
    for (int k = a->ndim - 1; k >= 0; k--) {
        const int64_t stride = rank_of_axis(a, k, zero_last);
        int index = k;
        for (int i = k + 1; i < a->ndim; i++) {
            const int64_t other = rank_of_axis(a, order[i], zero_last);
            if (!zero_last && (stride == 0 || other == 0)) continue;
            if (other <= stride) break;
            index = i;
        }
        memmove(order + k, order + k + 1, (size_t)(index - k) * sizeof *order);
        order[index] = k;
    }
}

gnd_array *gnd_transpose(const gnd_array *a) {
    if (gndi_missing(a)) return gndi_raise_null("gnd_transpose", "a"), NULL;
    return gndi_transposed("gnd_transpose", a);
}

/* The axes of a list, counted from the front, in their order; false and an error if one is bad or
   comes twice. `named` has a bit for each. */
static bool list_axes(const char *fn, const gnd_axes *axes, int ndim, int *list, uint64_t *named) {
    if (!gndi_normalize_axes(fn, axes, ndim, named)) return false;
    for (int k = 0; k < axes->count; k++) list[k] = axes->axis[k] + (axes->axis[k] < 0 ? ndim : 0);
    return true;
}

gnd_array *gnd_permute(const gnd_array *a, gnd_axes axes) {
    static const char fn[] = "gnd_permute";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (axes.count == 0) return gndi_transposed(fn, a);
    int count = axes.count < 0 ? 0 : axes.count, order[GND_MAX_DIMS];
    uint64_t named;
    if (count != a->ndim)
        return gndi_fail(GND_ERROR_INVALID, fn,
                         "%d axes are given for an array with %d dimensions, shape %s; "
                         "each must be named once",
                         count, a->ndim, gndi_text_shape(a->ndim, a->shape));
    if (!list_axes(fn, &axes, a->ndim, order, &named)) return NULL;
    return gndi_permuted(fn, a, order);
}

gnd_array *gndi_swapped(const char *fn, const gnd_array *a, int axis1, int axis2) {
    int order[GND_MAX_DIMS];
    for (int k = 0; k < a->ndim; k++) order[k] = k;
    order[axis1] = axis2, order[axis2] = axis1;
    return gndi_permuted(fn, a, order);
}

gnd_array *gnd_matrix_transpose(const gnd_array *a) {
    static const char fn[] = "gnd_matrix_transpose";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (a->ndim < 2)
        return gndi_fail(GND_ERROR_SHAPE, fn, "the array must have at least 2 dimensions, but its shape is %s",
                         gndi_text_shape(a->ndim, a->shape));
    return gndi_swapped(fn, a, a->ndim - 2, a->ndim - 1);
}

gnd_array *gnd_swapaxes(const gnd_array *a, int axis1, int axis2) {
    static const char fn[] = "gnd_swapaxes";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!gndi_normalize_axis(fn, axis1, a->ndim, &axis1)) return NULL;
    if (!gndi_normalize_axis(fn, axis2, a->ndim, &axis2)) return NULL;
    return gndi_swapped(fn, a, axis1, axis2);
}

gnd_array *gnd_moveaxis(const gnd_array *a, gnd_axes source, gnd_axes destination) {
    static const char fn[] = "gnd_moveaxis";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (source.count == 0 || destination.count == 0)
        return gndi_fail(GND_ERROR_INVALID, fn, "GND_ALL says neither which axes to move nor where to; name them");
    if (source.count != destination.count)
        return gndi_fail(GND_ERROR_INVALID, fn, "%d axes are to move to %d positions; the numbers must be the same",
                         source.count, destination.count);
    int from[GND_MAX_DIMS], to[GND_MAX_DIMS], order[GND_MAX_DIMS];
    uint64_t moved, taken;
    if (!list_axes(fn, &source, a->ndim, from, &moved)) return NULL;
    if (!list_axes(fn, &destination, a->ndim, to, &taken)) return NULL;
    for (int k = 0; k < source.count; k++) order[to[k]] = from[k];
    for (int i = 0, axis = 0; i < a->ndim; i++) { /* the others fill the gaps in order */
        if (taken >> i & 1) continue;
        while (moved >> axis & 1) axis++;
        order[i] = axis++;
    }
    return gndi_permuted(fn, a, order);
}

gnd_array *gnd_rollaxis(const gnd_array *a, int axis, int start) {
    static const char fn[] = "gnd_rollaxis";
    int order[GND_MAX_DIMS], before = start;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!gndi_normalize_axis(fn, axis, a->ndim, &axis)) return NULL;
    if (before < 0) before += a->ndim;
    if (before < 0 || before > a->ndim)
        return gndi_fail(GND_ERROR_INVALID, fn,
                         "start %d is out of range for an array with ndim %d (it goes from %d to %d)", start, a->ndim,
                         -a->ndim, a->ndim);
    if (before > axis) before--; /* the axis itself is taken away first */
    for (int k = 0, other = 0; k < a->ndim; k++) {
        if (other == axis) other++;
        order[k] = k == before ? axis : other++;
    }
    return gndi_permuted(fn, a, order);
}

/* ---- axes of size 1 ------------------------------------------------------------------------- */

gnd_array *gnd_squeeze(const gnd_array *a, gnd_axes axes) {
    static const char fn[] = "gnd_squeeze";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    uint64_t drop;
    /* Of a 0-d array NumPy takes axis 0 or -1, and gives the array. */
    if (a->ndim == 0 && axes.count == 1 && (axes.axis[0] == 0 || axes.axis[0] == -1)) axes.count = 0;
    if (!gndi_normalize_axes(fn, &axes, a->ndim, &drop)) return NULL;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    int ndim = 0;
    for (int k = 0; k < a->ndim; k++) {
        if (drop >> k & 1) {
            if (a->shape[k] == 1) continue;
            if (axes.count != 0)
                return gndi_fail(GND_ERROR_SHAPE, fn,
                                 "axis %d has size %lld; only axes of size 1 can be "
                                 "taken away, and the shape is %s",
                                 k, (long long)a->shape[k], gndi_text_shape(a->ndim, a->shape));
        }
        shape[ndim] = a->shape[k];
        strides[ndim++] = a->strides[k];
    }
    return same_dtype_view(fn, a, ndim, shape, strides, gndi_data(a));
}

gnd_array *gnd_expand_dims(const gnd_array *a, gnd_axes axes) {
    static const char fn[] = "gnd_expand_dims";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (axes.count == 0)
        return gndi_fail(GND_ERROR_INVALID, fn, "GND_ALL does not say where new axes go; name their positions");
    const int more = axes.count < 0 ? 0 : axes.count;
    if (more > GND_MAX_DIMS - a->ndim)
        return gndi_fail(GND_ERROR_SHAPE, fn, "the result would have %lld dimensions; an array has at most %d",
                         (long long)a->ndim + more, GND_MAX_DIMS);
    const int ndim = a->ndim + more;
    uint64_t added;
    if (!gndi_normalize_axes(fn, &axes, ndim, &added)) return NULL;
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    for (int k = 0, old = 0; k < ndim; k++) {
        bool is_new = added >> k & 1;
        shape[k] = is_new ? 1 : a->shape[old];
        strides[k] = is_new ? 0 : a->strides[old++];
    }
    return same_dtype_view(fn, a, ndim, shape, strides, gndi_data(a));
}

/* ---- reversal and diagonals ----------------------------------------------------------------- */

gnd_array *gnd_flip(const gnd_array *a, gnd_axes axes) {
    static const char fn[] = "gnd_flip";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    uint64_t mask;
    if (!gndi_normalize_axes(fn, &axes, a->ndim, &mask)) return NULL;
    int64_t strides[GND_MAX_DIMS];
    char *data = gndi_data(a);
    for (int k = 0; k < a->ndim; k++) {
        bool reverse = mask >> k & 1;
        if (reverse && a->size > 0) data += (a->shape[k] - 1) * a->strides[k];
        strides[k] = reverse ? -a->strides[k] : a->strides[k];
    }
    return same_dtype_view(fn, a, a->ndim, a->shape, strides, data);
}

gnd_array *gndi_diagonal(const char *fn, const gnd_array *a, int64_t offset, int axis1, int axis2) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (a->ndim < 2)
        return gndi_fail(GND_ERROR_SHAPE, fn, "a diagonal needs at least 2 dimensions, but the shape is %s",
                         gndi_text_shape(a->ndim, a->shape));
    if (!gndi_normalize_axis(fn, axis1, a->ndim, &axis1)) return NULL;
    if (!gndi_normalize_axis(fn, axis2, a->ndim, &axis2)) return NULL;
    if (axis1 == axis2)
        return gndi_fail(GND_ERROR_AXIS, fn, "axis1 and axis2 are both axis %d; a diagonal needs two axes", axis1);
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    int ndim = 0;
    for (int k = 0; k < a->ndim; k++) {
        if (k == axis1 || k == axis2) continue;
        shape[ndim] = a->shape[k];
        strides[ndim++] = a->strides[k];
    }
    /* Sizes are what is left of each axis after the offset; they may not be positive. */
    int64_t rows = a->shape[axis1], columns = a->shape[axis2];
    if (offset >= 0)
        columns = offset < columns ? columns - offset : 0;
    else
        rows = offset > -rows ? rows + offset : 0;
    int64_t length = rows < columns ? rows : columns;
    char *data = gndi_data(a);
    if (length > 0 && a->size > 0) data += offset >= 0 ? offset * a->strides[axis2] : -offset * a->strides[axis1];
    shape[ndim] = length;
    strides[ndim++] = a->strides[axis1] + a->strides[axis2];
    return same_dtype_view(fn, a, ndim, shape, strides, data);
}

gnd_array *gnd_diagonal(const gnd_array *a, int64_t offset, int axis1, int axis2) {
    return gndi_diagonal("gnd_diagonal", a, offset, axis1, axis2);
}

/* ---- broadcasting --------------------------------------------------------------------------- */

static gnd_array *broadcast_view(const char *fn, const gnd_array *a, int ndim, const int64_t *shape) {
    int64_t strides[GND_MAX_DIMS];
    gndi_broadcast_strides(a, ndim, shape, strides);
    gnd_array *view = same_dtype_view(fn, a, ndim, shape, strides, gndi_data(a));
    if (view) view->flags |= GNDI_READONLY;
    return view;
}

gnd_array *gnd_broadcast_to(const gnd_array *a, gnd_shape shape) {
    static const char fn[] = "gnd_broadcast_to";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (shape.ndim < 0 || shape.ndim > GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_SHAPE, fn, "a shape with %d dimensions; 0 to %d would be right", shape.ndim,
                         GND_MAX_DIMS);
    int64_t size;
    if (!gndi_shape_size(shape.ndim, shape.dim, &size))
        return gndi_fail(GND_ERROR_SHAPE, fn, "the shape %s has a negative size or too many elements",
                         gndi_text_shape(shape.ndim, shape.dim));
    int missing = shape.ndim - a->ndim;
    bool fits = missing >= 0;
    for (int k = 0; fits && k < a->ndim; k++) fits = a->shape[k] == 1 || a->shape[k] == shape.dim[k + missing];
    if (!fits)
        return gndi_fail(GND_ERROR_SHAPE, fn,
                         "shape %s does not broadcast to %s; each size, from the last, "
                         "must be the same or 1",
                         gndi_text_shape(a->ndim, a->shape), gndi_text_shape(shape.ndim, shape.dim));
    return broadcast_view(fn, a, shape.ndim, shape.dim);
}

/* A view of the array itself if it has the common shape already, which may then be written. */
static gnd_array *broadcast_member(const char *fn, const gnd_array *a, int ndim, const int64_t *shape) {
    if (a->ndim == ndim && memcmp(a->shape, shape, (size_t)ndim * sizeof *shape) == 0)
        return same_dtype_view(fn, a, ndim, shape, a->strides, gndi_data(a));
    return broadcast_view(fn, a, ndim, shape);
}

static gnd_status common_shape(const char *fn, int count, const gnd_array *const in[], int *ndim, int64_t *shape) {
    *ndim = 0;
    for (int k = 0; k < count; k++) {
        if (gndi_missing(in[k])) return gndi_raise_null(fn, "in");
        if (!gndi_broadcast(ndim, shape, in[k]->ndim, in[k]->shape))
            return gndi_raise(GND_ERROR_SHAPE, fn,
                              "array %d has shape %s, which does not broadcast with %s, "
                              "the shape of those before it",
                              k, gndi_text_shape(in[k]->ndim, in[k]->shape), gndi_text_shape(*ndim, shape));
    }
    int64_t size;
    if (!gndi_shape_size(*ndim, shape, &size))
        return gndi_raise(GND_ERROR_SHAPE, fn, "the common shape %s has too many elements",
                          gndi_text_shape(*ndim, shape));
    return GND_OK;
}

gnd_status gnd_broadcast_arrays(int count, const gnd_array *const in[], gnd_array *out[]) {
    static const char fn[] = "gnd_broadcast_arrays";
    if (count < 0) return gndi_raise(GND_ERROR_INVALID, fn, "the number of arrays is %d", count);
    if (count > 0 && !out) return gndi_raise_null(fn, "out");
    int ndim, made = 0;
    int64_t shape[GND_MAX_DIMS] = {0};
    gnd_status status = count > 0 && !in ? gndi_raise_null(fn, "in") : common_shape(fn, count, in, &ndim, shape);
    while (status == GND_OK && made < count) {
        out[made] = broadcast_member(fn, in[made], ndim, shape);
        if (out[made])
            made++;
        else
            status = GND_ERROR_MEMORY;
    }
    if (status == GND_OK) return GND_OK;
    while (made > 0) gnd_release(out[--made]);
    for (int k = 0; k < count; k++) out[k] = NULL;
    return status;
}

gnd_shape gnd_broadcast_shapes(int count, const gnd_shape *shapes) {
    static const char fn[] = "gnd_broadcast_shapes";
    gnd_shape result = {.ndim = 0};
    const gnd_shape none = result;
    if (count < 0) gndi_raise(GND_ERROR_INVALID, fn, "the number of shapes is %d", count);
    if (count > 0 && !shapes) return gndi_raise_null(fn, "shapes"), none;
    for (int k = 0; k < count; k++) {
        const gnd_shape *one = &shapes[k];
        if (one->ndim < 0 || one->ndim > GND_MAX_DIMS) {
            gndi_raise(GND_ERROR_SHAPE, fn, "shape number %d has %d dimensions; at most %d are possible", k, one->ndim,
                       GND_MAX_DIMS);
            return none;
        }
        for (int i = 0; i < one->ndim; i++) {
            if (one->dim[i] >= 0) continue;
            gndi_raise(GND_ERROR_SHAPE, fn, "shape number %d, %s, has a negative size", k,
                       gndi_text_shape(one->ndim, one->dim));
            return none;
        }
        if (!gndi_broadcast(&result.ndim, result.dim, one->ndim, one->dim)) {
            gndi_raise(GND_ERROR_SHAPE, fn,
                       "shape number %d, %s, does not broadcast with those before it, which give %s", k,
                       gndi_text_shape(one->ndim, one->dim), gndi_text_shape(result.ndim, result.dim));
            return none;
        }
    }
    return result;
}

/* ---- reshaping ------------------------------------------------------------------------------ */

/*
 * Strides that show `a` in a new shape of the same size, in row-major order, if there are any. Both
 * shapes are walked in step, in the smallest groups of axes with equal products: within a group the
 * old axes must run through memory as one, and the new ones then divide that run.
 */
static bool reshaped_strides(const gnd_array *a, int ndim, const int64_t *shape, int64_t *strides) {
    int64_t old_shape[GND_MAX_DIMS], old_strides[GND_MAX_DIMS];
    int old_ndim = 0;
    for (int k = 0; k < a->ndim; k++) { /* axes of size 1 say nothing about memory */
        if (a->shape[k] == 1) continue;
        old_shape[old_ndim] = a->shape[k];
        old_strides[old_ndim++] = a->strides[k];
    }
    int old = 0, now = 0;
    while (old < old_ndim && now < ndim) {
        int old_end = old + 1, now_end = now + 1;
        int64_t old_size = old_shape[old], now_size = shape[now];
        while (old_size != now_size) {
            if (old_size < now_size)
                old_size *= old_shape[old_end++];
            else
                now_size *= shape[now_end++];
        }
        for (int k = old; k < old_end - 1; k++)
            if (old_strides[k] != old_shape[k + 1] * old_strides[k + 1]) return false;
        int64_t stride = old_strides[old_end - 1];
        for (int k = now_end - 1; k >= now; k--) strides[k] = stride, stride *= shape[k];
        old = old_end, now = now_end;
    }
    for (; now < ndim; now++) strides[now] = gndi_itemsize(a); /* trailing axes of size 1 */
    return true;
}

bool gndi_resolve_shape(const char *fn, const gnd_array *a, gnd_shape *shape) {
    const char *unknown_text = "";
    int unknown = -1;
    int64_t known = 1;
    if (shape->ndim < 0 || shape->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn, "a shape with %d dimensions; 0 to %d would be right", shape->ndim,
                          GND_MAX_DIMS),
               false;
    bool fits = true;
    for (int k = 0; k < shape->ndim; k++) {
        if (shape->dim[k] == -1 && unknown < 0) {
            unknown = k;
        } else if (shape->dim[k] < 0) {
            return gndi_raise(GND_ERROR_SHAPE, fn, "the new shape %s %s", gndi_text_shape(shape->ndim, shape->dim),
                              shape->dim[k] == -1 ? "leaves more than one size open"
                                                  : "has a negative size (-1 means: find it)"),
                   false;
        } else if (__builtin_mul_overflow(known, shape->dim[k], &known)) {
            /* Too large, unless a 0 makes the product 0 after all. */
            fits = false, known = 1;
            for (int j = 0; j < shape->ndim; j++)
                if (shape->dim[j] == 0) fits = true, known = 0;
        }
    }
    if (unknown >= 0) {
        fits = fits && known > 0 && a->size % known == 0;
        if (known == 0) unknown_text = "; beside a size of 0 the open one could be anything";
        if (fits) shape->dim[unknown] = a->size / known;
    } else {
        fits = fits && known == a->size;
    }
    if (!fits)
        gndi_raise(GND_ERROR_SHAPE, fn, "an array of size %lld, shape %s, cannot take the shape %s%s",
                   (long long)a->size, gndi_text_shape(a->ndim, a->shape), gndi_text_shape(shape->ndim, shape->dim),
                   unknown_text);
    return fits;
}

/* The strides that NumPy's reshape gives an array without elements: as if sizes of 0 were 1, but its own
   if the shape is. */
static void empty_reshape_strides(const gnd_array *a, int ndim, const int64_t *shape, int64_t *strides) {
    const size_t bytes = (size_t)ndim * sizeof *shape;
    int64_t step = gndi_itemsize(a);
    if (ndim == a->ndim && memcmp(shape, a->shape, bytes) == 0) {
        memcpy(strides, a->strides, bytes);
        return;
    }
    for (int k = ndim - 1; k >= 0; k--) {
        strides[k] = step;
        if (shape[k] > 1 && __builtin_mul_overflow(step, shape[k], &step)) step = 0;
    }
}

bool gndi_reshape_view(const char *fn, const gnd_array *a, int ndim, const int64_t *shape, gnd_array **out) {
    int64_t strides[GND_MAX_DIMS];
    if (a->size == 0)
        empty_reshape_strides(a, ndim, shape, strides);
    else if (gndi_is_c_contiguous(a))
        gndi_c_strides(ndim, shape, gndi_itemsize(a), strides);
    else if (!reshaped_strides(a, ndim, shape, strides))
        return false;
    *out = same_dtype_view(fn, a, ndim, shape, strides, gndi_data(a));
    return true;
}

/* ---- other readings of the same memory ------------------------------------------------------ */

gnd_array *gndi_complex_part(const char *fn, const gnd_array *a, bool imaginary) {
    const gnd_dtype part = gndi_real_dtype(a->dtype);
    return gndi_array_view(fn, a, a->ndim, a->shape, a->strides,
                           gndi_data(a) + (imaginary && a->size > 0 ? gndi_dtype_sizes[part] : 0), part);
}

gnd_array *gnd_real(const gnd_array *a) {
    static const char fn[] = "gnd_real";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    return gndi_complex_part(fn, a, false);
}

/* Elements of the new size must lie on its multiples: kernels load them whole. */
static bool is_aligned(const gnd_array *a, const int64_t *shape, const int64_t *strides, int64_t item) {
    if (a->size == 0) return true;
    if ((uintptr_t)gndi_data(a) % (uintptr_t)item != 0) return false;
    for (int k = 0; k < a->ndim; k++)
        if (shape[k] > 1 && strides[k] % item != 0) return false;
    return true;
}

/* The last axis in items of another size; false and an error where it cannot be divided so. */
static bool divide_last_axis(const char *fn, const gnd_array *a, gnd_dtype dtype, int64_t *shape, int64_t *strides) {
    int64_t old_item = gndi_itemsize(a), item = gndi_dtype_sizes[dtype];
    const char *array = gndi_text_array(a), *name = gnd_dtype_name(dtype);
    int last = a->ndim - 1;
    if (last < 0)
        return gndi_raise(GND_ERROR_DTYPE, fn,
                          "a 0-d array (%s) can only be seen as a dtype of the same "
                          "size, not as %s",
                          array, name),
               false;
    if (a->size > 0 && a->shape[last] != 1 && a->strides[last] != old_item)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "to be seen as %s, a dtype of another size, the last axis of "
                          "the array (%s) must be contiguous, but its stride is %lld bytes",
                          name, array, (long long)a->strides[last]),
               false;
    int64_t bytes = a->shape[last] * old_item;
    if (bytes % item != 0)
        return gndi_raise(GND_ERROR_SHAPE, fn,
                          "the last axis of the array (%s) is %lld bytes long, no "
                          "multiple of the %lld bytes of %s",
                          array, (long long)bytes, (long long)item, name),
               false;
    shape[last] = bytes / item;
    strides[last] = item;
    return true;
}

gnd_array *gnd_view(const gnd_array *a, gnd_dtype dtype) {
    static const char fn[] = "gnd_view";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!gndi_dtype_valid(dtype)) return gndi_fail(GND_ERROR_DTYPE, fn, "%d is no dtype", (int)dtype);
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS], item = gndi_dtype_sizes[dtype];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    memcpy(strides, a->strides, (size_t)a->ndim * sizeof *strides);
    if (item != gndi_itemsize(a) && !divide_last_axis(fn, a, dtype, shape, strides)) return NULL;
    if (item > gndi_itemsize(a) && !is_aligned(a, shape, strides, item))
        return gndi_fail(GND_ERROR_SHAPE, fn,
                         "the elements of the array (%s) do not lie on multiples of the "
                         "%lld bytes of %s; a copy would",
                         gndi_text_array(a), (long long)item, gnd_dtype_name(dtype));
    if ((dtype == GND_BOOL) != (a->dtype == GND_BOOL)) gndi_set_loose(a->buffer);
    return gndi_array_view(fn, a, a->ndim, shape, strides, gndi_data(a), dtype);
}
