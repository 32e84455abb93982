/*
 * reshape.c: changes of shape that are views where strides can express them and copies where not,
 * and the imaginary part, which real arrays do not have in memory. The pure views are in
 * array/view.c.
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"

gnd_array *gndi_reshaped(const char *fn, const gnd_array *a, int ndim, const int64_t *shape) {
    gnd_array *view = NULL;
    if (gndi_reshape_view(fn, a, ndim, shape, &view)) return view;
    gnd_array *copy = gndi_copy_as(fn, a, (gnd_dtype)a->dtype, 'C');
    if (!copy) return NULL;
    gndi_reshape_view(fn, copy, ndim, shape, &view);
    gnd_release(copy);
    return gndi_sole_view(view);
}

/* The same in column-major order: row-major with all axes reversed, before and after. */
static gnd_array *reshaped_f(const char *fn, const gnd_array *a, int ndim, const int64_t *shape) {
    int64_t reversed_shape[GND_MAX_DIMS];
    for (int k = 0; k < ndim; k++) reversed_shape[k] = shape[ndim - 1 - k];
    gnd_array *transposed = gndi_transposed(fn, a), *flat = NULL, *result = NULL;
    if (transposed) flat = gndi_reshaped(fn, transposed, ndim, reversed_shape);
    if (flat) result = gndi_transposed(fn, flat);
    if (result && !(flat->flags & GNDI_VIEW)) gndi_sole_view(result);
    gnd_release(transposed);
    gnd_release(flat);
    return result;
}

/* An order letter, with 'A' resolved; 0 and an error if it is none of those allowed. */
static char resolve_order(const char *fn, const gnd_array *a, char order, const char *allowed) {
    if (order == 0 || !strchr(allowed, order)) {
        gndi_raise(GND_ERROR_INVALID, fn, "order '%c' (%d) is none of %s", order, order, allowed);
        return 0;
    }
    if (order == 'A') return gndi_is_f_contiguous(a) && !gndi_is_c_contiguous(a) ? 'F' : 'C';
    return order;
}

gnd_array *gnd_reshape(const gnd_array *a, gnd_shape shape) {
    if (gndi_missing(a)) return gndi_raise_null("gnd_reshape", "a"), NULL;
    if (!gndi_resolve_shape("gnd_reshape", a, &shape)) return NULL;
    return gndi_reshaped("gnd_reshape", a, shape.ndim, shape.dim);
}

gnd_array *gnd_reshape_order(const gnd_array *a, gnd_shape shape, char order) {
    static const char fn[] = "gnd_reshape_order";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!(order = resolve_order(fn, a, order, "CFA"))) return NULL;
    if (!gndi_resolve_shape(fn, a, &shape)) return NULL;
    return (order == 'F' ? reshaped_f : gndi_reshaped)(fn, a, shape.ndim, shape.dim);
}

/* One dimension, row-major and contiguous: other than a reshape, never a strided view. */
static gnd_array *raveled(const char *fn, const gnd_array *a) {
    if (gndi_is_c_contiguous(a)) return gndi_reshaped(fn, a, 1, &a->size);
    gnd_array *copy = gndi_copy_as(fn, a, (gnd_dtype)a->dtype, 'C'), *flat = NULL;
    if (copy) flat = gndi_reshaped(fn, copy, 1, &copy->size);
    gnd_release(copy);
    return gndi_sole_view(flat);
}

gnd_array *gnd_ravel(const gnd_array *a) {
    if (gndi_missing(a)) return gndi_raise_null("gnd_ravel", "a"), NULL;
    return raveled("gnd_ravel", a);
}

gnd_array *gnd_ravel_order(const gnd_array *a, char order) {
    static const char fn[] = "gnd_ravel_order";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!(order = resolve_order(fn, a, order, "CFAK"))) return NULL;
    if (order == 'C') return raveled(fn, a);
    int axes[GND_MAX_DIMS];
    gndi_memory_order(a, false, axes);
    gnd_array *transposed = order == 'F' ? gndi_transposed(fn, a) : gndi_permuted(fn, a, axes);
    gnd_array *flat = transposed ? raveled(fn, transposed) : NULL;
    gnd_release(transposed);
    return flat;
}

gnd_array *gnd_flatten(const gnd_array *a) {
    static const char fn[] = "gnd_flatten";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    gnd_array *copy = gndi_copy_as(fn, a, (gnd_dtype)a->dtype, 'C'), *flat = NULL;
    const int64_t stride = a->size ? gndi_itemsize(a) : 0;
    if (copy) flat = gndi_array_view(fn, copy, 1, &a->size, &stride, gndi_data(copy), (gnd_dtype)a->dtype);
    gnd_release(copy);
    return gndi_sole_view(flat);
}

gnd_array *gnd_imag(const gnd_array *a) {
    static const char fn[] = "gnd_imag";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!gndi_dtype_is_complex(a->dtype)) return gndi_zero(fn, gndi_new_like(fn, a, GND_DTYPE_NONE));
    return gndi_complex_part(fn, a, true);
}
