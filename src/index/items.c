/*
 * items.c: what the items of an index name. Integers, ranges and new axes make a view; the axes that arrays
 * index stay whole in it. The position of the broadcast advanced-index axes, and which items belong to them,
 * follow NumPy's rules (numpy/_core/src/multiarray/mapping.c).
 */
#include "array/view.h"
#include "index/index.h"
#include "elementwise/elementwise.h"
#include "elementwise/item.h"

/* ---- begin and end -------------------------------------------------------------------------- */

void gndi_indexing_clear(gndi_indexing *ix, const char *fn) {
    ix->fn = fn, ix->view = NULL;
    ix->ndim = ix->first = ix->fancy = ix->count = ix->temporaries = 0, ix->outside = 0;
    ix->mode = GNDI_INDEX_RAISE, ix->offsets = ix->distinct = false;
}

void gndi_indexing_end(gndi_indexing *ix) {
    for (int i = 0; i < ix->temporaries; i++) gnd_release(ix->temporary[i]);
    ix->temporaries = 0;
}

gnd_array *gndi_indexing_keep(gndi_indexing *ix, gnd_array *x) {
    if (x) ix->temporary[ix->temporaries++] = x;
    return x;
}

/* ---- checks --------------------------------------------------------------------------------- */

gnd_status gndi_check_target(const char *fn, const gnd_array *a) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    if (!(a->flags & GNDI_READONLY)) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "a is read-only (a broadcast view)");
}

gnd_status gndi_check_value(const char *fn, gnd_arg value) {
    if (value.kind == GND_ARG_ARRAY && gndi_missing(value.array)) return gndi_raise_null(fn, "the value");
    if (value.kind != GND_ARG_NONE && (unsigned)value.kind <= GND_ARG_COMPLEX) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "the value is neither an array nor a number");
}

gnd_status gndi_check_mode(const char *fn, gnd_index_mode mode, gndi_index_mode raise, gndi_index_mode *to) {
    *to = mode == GND_WRAP ? GNDI_INDEX_WRAP : mode == GND_CLIP ? GNDI_INDEX_CLIP : raise;
    if ((unsigned)mode <= GND_CLIP) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "%d is no mode; GND_RAISE, GND_WRAP and GND_CLIP would be right",
                      (int)mode);
}

gnd_status gndi_check_indices(const char *fn, const gnd_array *a, const gnd_array *x, const char *what) {
    if (gndi_missing(x)) return gndi_raise_null(fn, what);
    if (!gndi_dtype_is_int(x->dtype) && x->dtype != GND_BOOL)
        return gndi_raise(GND_ERROR_DTYPE, fn, "%s has dtype %s; indices must be integers", what,
                          gnd_dtype_name((gnd_dtype)x->dtype));
    return gndi_check_together(fn, a, "a", x, what);
}

static bool is_mask(const gnd_index *item) {
    return item->kind == GND_INDEX_ARRAY && item->array->dtype == GND_BOOL;
}

static gnd_status check_items(const char *fn, const gnd_array *a, int count, const gnd_index *items) {
    for (int k = 0; k < count; k++) {
        const gnd_array *x = items[k].array;
        if (items[k].kind != GND_INDEX_ARRAY) continue;
        if (gndi_missing(x)) return gndi_raise_null(fn, "an index");
        if (!is_mask(&items[k]) && !gndi_dtype_is_int(x->dtype))
            return gndi_raise(GND_ERROR_DTYPE, fn,
                              "index %d has dtype %s; arrays used as indices must be of integers or "
                              "bool",
                              k + 1, gnd_dtype_name((gnd_dtype)x->dtype));
        const gnd_status status = gndi_check_together(fn, a, "a", x, "an index");
        if (status) return status;
    }
    return GND_OK;
}

/* How many axes of `a` an item speaks of; of the ellipsis, `rest`. */
static int axes_of(const gnd_index *item, int rest) {
    switch (item->kind) {
    case GND_INDEX_NEW_AXIS: return 0;
    case GND_INDEX_ELLIPSIS: return rest;
    case GND_INDEX_ARRAY: return is_mask(item) ? item->array->ndim : 1;
    default: return 1;
    }
}

/* a under the items that are no arrays, axes that arrays index whole. */
static gnd_array *basic_view(gndi_indexing *ix, const gnd_array *a, int count, const gnd_index *items) {
    gnd_index basic[2 * GNDI_MAX_ITEMS];
    int made = 0;
    for (int k = 0; k < count; k++) {
        const bool array = items[k].kind == GND_INDEX_ARRAY;
        const int n = array ? axes_of(&items[k], 0) : 1;
        if (made + n > GNDI_MAX_ITEMS)
            return gndi_fail(GND_ERROR_INDEX, ix->fn, "too many indices: the array has %d dimensions, shape %s",
                             a->ndim, gndi_text_shape(a->ndim, a->shape));
        for (int i = 0; i < n; i++) basic[made++] = array ? gnd_index_all() : items[k];
    }
    return gndi_indexing_keep(ix, gndi_slice(ix->fn, a, made, basic));
}

/* ---- masks ---------------------------------------------------------------------------------- */

/* An axis of length 0 fits any other, as in NumPy. */
static gnd_status check_mask(const char *fn, const gnd_array *a, const gnd_array *mask, int axis) {
    for (int i = 0; i < mask->ndim; i++)
        if (mask->shape[i] != 0 && mask->shape[i] != a->shape[axis + i])
            return gndi_raise(GND_ERROR_SHAPE, fn,
                              "a mask of shape %s does not fit the array of shape %s: axis %d has size %lld, the "
                              "mask's %lld",
                              gndi_text_shape(mask->ndim, mask->shape), gndi_text_shape(a->ndim, a->shape), axis + i,
                              (long long)a->shape[axis + i], (long long)mask->shape[i]);
    return GND_OK;
}

/* The indices of what is true, as index arrays for the axes from `axis` of the view on; of a 0-d mask
   nothing but a shape, (1,) or (0,). */
static gnd_status add_mask(gndi_indexing *ix, const gnd_array *mask, int axis, int64_t *length) {
    gnd_array *indices[GND_MAX_DIMS];
    if (mask->ndim == 0) {
        gndi_scalar truth;
        const gnd_status status = gndi_item(ix->fn, mask, &truth);
        *length = !status && truth.b;
        return status;
    }
    const gnd_status status = gndi_nonzero(ix->fn, mask, indices);
    if (status) return status;
    *length = indices[0]->size;
    for (int i = 0; i < mask->ndim; i++) ix->index[axis + i].array = gndi_indexing_keep(ix, indices[i]);
    return GND_OK;
}

/* ---- shapes --------------------------------------------------------------------------------- */

/* What is found out on a walk over the items. */
typedef struct survey {
    bool made[GND_MAX_DIMS];  /* axes of the view that arrays index */
    int number[GND_MAX_DIMS]; /* each one's number in `a` */
    int before;               /* axes of the view that stay, before the first array or integer */
    bool split;               /* arrays and integers do not stand side by side */
    int ndim;                 /* of the arrays, broadcast */
    int64_t shape[GND_MAX_DIMS];
} survey;

static gnd_status spread_together(gndi_indexing *ix, survey *found, int ndim, const int64_t *shape) {
    if (gndi_broadcast(&found->ndim, found->shape, ndim, shape)) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, ix->fn,
                      "shape mismatch: the indices do not broadcast together: %s does not fit %s",
                      gndi_text_shape(ndim, shape), gndi_text_shape(found->ndim, found->shape));
}

/* An array item: notes the axes that it indexes, and broadcasts its shape. */
static gnd_status add_array(gndi_indexing *ix, survey *found, const gnd_array *a, const gnd_index *item, int from_axis,
                            int axis) {
    const gnd_array *x = item->array;
    if (!is_mask(item)) {
        ix->index[axis].array = x;
        return spread_together(ix, found, x->ndim, x->shape);
    }
    int64_t length = 0;
    gnd_status status = check_mask(ix->fn, a, x, from_axis);
    if (!status) status = add_mask(ix, x, axis, &length);
    return status ? status : spread_together(ix, found, 1, &length);
}

/* Goes through the items. Until arrange_axes() has moved the arrays together, ix->index[k].array is the
   one that indexes axis k of the view, and unset for axes without one. */
static gnd_status walk_items(gndi_indexing *ix, survey *found, const gnd_array *a, int count, const gnd_index *items) {
    int rest = a->ndim, from_axis = 0, axis = 0, kept = 0;
    enum { BEFORE, AMONG, PAST } state = BEFORE;
    for (int k = 0; k < count; k++)
        if (items[k].kind != GND_INDEX_ELLIPSIS) rest -= axes_of(&items[k], 0);
    for (int k = 0; k < count; k++) {
        const int n = axes_of(&items[k], rest);
        const bool array = items[k].kind == GND_INDEX_ARRAY;
        if (array || items[k].kind == GND_INDEX_AT) {
            if (state == BEFORE) found->before = kept;
            found->split |= state == PAST;
            state = AMONG;
        } else if (state == AMONG) {
            state = PAST;
        }
        if (array) {
            for (int i = 0; i < n; i++) found->made[axis + i] = true, found->number[axis + i] = from_axis + i;
            const gnd_status status = add_array(ix, found, a, &items[k], from_axis, axis);
            if (status) return status;
            axis += n;
        } else if (items[k].kind != GND_INDEX_AT) {
            const int stay = items[k].kind == GND_INDEX_NEW_AXIS ? 1 : n;
            axis += stay, kept += stay;
        }
        from_axis += n;
    }
    return GND_OK;
}

/* The shape of what is named: the axes that stay, those of the arrays among or before them. */
static gnd_status arrange_axes(gndi_indexing *ix, const survey *found) {
    const gnd_array *view = ix->view;
    int made = 0, at = 0;
    for (int v = 0; v < view->ndim; v++) made += found->made[v];
    ix->first = found->split ? 0 : found->before, ix->fancy = found->ndim;
    ix->ndim = view->ndim - made + found->ndim;
    if (ix->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, ix->fn, "the result would have %d dimensions; an array has at most %d",
                          ix->ndim, GND_MAX_DIMS);
    for (int i = 0; i < found->ndim; i++) ix->shape[ix->first + i] = found->shape[i], ix->stride[ix->first + i] = 0;
    for (int v = 0; v < view->ndim; v++) {
        if (found->made[v]) {
            ix->index[ix->count++] = (struct gndi_indexed_axis){
                .array = ix->index[v].array,
                .size = view->shape[v],
                .divide = 1,
                .step = view->strides[v],
                .axis = found->number[v],
            };
            continue;
        }
        if (at == ix->first) at += ix->fancy;
        ix->shape[at] = view->shape[v], ix->stride[at++] = view->strides[v];
    }
    int64_t size;
    if (gndi_shape_size(ix->ndim, ix->shape, &size)) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, ix->fn, "the result of shape %s has too many elements",
                      gndi_text_shape(ix->ndim, ix->shape));
}

gnd_status gndi_indexing_begin(gndi_indexing *ix, const char *fn, const gnd_array *a, int count,
                               const gnd_index *items) {
    survey found;
    memset(&found, 0, sizeof found);
    gndi_indexing_clear(ix, fn);
    gnd_status status = check_items(fn, a, count, items);
    if (status) return status;
    ix->view = basic_view(ix, a, count, items);
    if (!ix->view) return gndi_ew_pending();
    status = walk_items(ix, &found, a, count, items);
    return status ? status : arrange_axes(ix, &found);
}
