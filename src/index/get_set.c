/*
 * get_set.c: a[items] and a[items] = value, with every kind of item that NumPy has. Without arrays
 * it is a view, and an assignment to it; one mask over the first axes goes through the kernels that
 * pack what a mask names; all else goes through index arrays.
 */
#include "array/view.h"
#include "index/index.h"
#include "elementwise/elementwise.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_set

/* Whether one mask stands first among the items, with nothing but whole or partial axes behind it (of
   a mask over all axes, an ellipsis before it too). Then *mask is it, and `basic`, *made items, show
   the view of a that is masked in its first axes. */
static bool masks_first_axes(const gnd_array *a, int count, const gnd_index *items, const gnd_array **mask,
                             gnd_index *basic, int *made) {
    int k = 0;
    *made = 0;
    while (k < count && items[k].kind == GND_INDEX_ELLIPSIS) k++;
    if (k == count || items[k].kind != GND_INDEX_ARRAY) return false;
    const gnd_array *x = *mask = items[k].array;
    if (!x || x->dtype != GND_BOOL || x->ndim == 0 || x->ndim > a->ndim) return false;
    if (k > 1 || (k == 1 && x->ndim < a->ndim) || x->buffer->device != a->buffer->device) return false;
    for (int i = 0; i < x->ndim; i++) {
        if (x->shape[i] != a->shape[i]) return false;
        basic[(*made)++] = gnd_index_all();
    }
    for (int i = k + 1; i < count; i++) {
        if (items[i].kind == GND_INDEX_ARRAY || items[i].kind == GND_INDEX_AT) return false;
        if (k == 1 && items[i].kind == GND_INDEX_ELLIPSIS) return false;
        basic[(*made)++] = items[i];
    }
    return true;
}

static gnd_array *get_by_mask(const char *fn, const gnd_array *a, int count, const gnd_index *items,
                              const gnd_array *mask) {
    gnd_array *view = gndi_slice(fn, a, count, items);
    gnd_array *result = view ? gndi_mask_get(fn, view, mask) : NULL;
    gnd_release(view);
    return result;
}

static gnd_status set_by_mask(const char *fn, gnd_array *a, int count, const gnd_index *items, const gnd_array *mask,
                              gnd_arg value) {
    gnd_array *view = gndi_slice(fn, a, count, items);
    const gnd_status status = view ? gndi_mask_set(fn, view, mask, value) : gndi_ew_pending();
    gnd_release(view);
    return status;
}

static gnd_array *get_by_arrays(const char *fn, const gnd_array *a, int count, const gnd_index *items) {
    gndi_indexing ix;
    gnd_array *result = NULL;
    if (!gndi_indexing_begin(&ix, fn, a, count, items)) result = gndi_indexing_get(&ix);
    gndi_indexing_end(&ix);
    return result;
}

gnd_array *gnd_get(const gnd_array *a, int count, const gnd_index *items) {
    static const char fn[] = "gnd_get";
    gnd_index all[GNDI_MAX_ITEMS], basic[2 * GNDI_MAX_ITEMS];
    int arrays, basics;
    const gnd_array *mask;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    const int made = gndi_expand_items(fn, count, items, all, &arrays);
    if (made < 0) return NULL;
    if (arrays == 0) return gndi_slice(fn, a, made, all);
    if (arrays == 1 && masks_first_axes(a, made, all, &mask, basic, &basics))
        return get_by_mask(fn, a, basics, basic, mask);
    return get_by_arrays(fn, a, made, all);
}

static gnd_status set_by_arrays(const char *fn, gnd_array *a, int count, const gnd_index *items, gnd_arg value) {
    gndi_indexing ix;
    gnd_status status = gndi_indexing_begin(&ix, fn, a, count, items);
    if (!status) status = gndi_indexing_set(&ix, value);
    gndi_indexing_end(&ix);
    return status;
}

static gnd_status set_view(gnd_array *view, gnd_arg value, const char *fn) {
    if (!view) return gndi_ew_pending();
    const gnd_status status = gndi_assign(fn, view, value);
    gnd_release(view);
    return status;
}

gnd_status gnd_set(gnd_array *a, int count, const gnd_index *items, gnd_arg value) {
    static const char fn[] = "gnd_set";
    gnd_index all[GNDI_MAX_ITEMS], basic[2 * GNDI_MAX_ITEMS];
    int arrays, basics;
    const gnd_array *mask;
    gnd_status status = gndi_check_target(fn, a);
    if (!status) status = gndi_check_value(fn, value);
    if (status) return status;
    const int made = gndi_expand_items(fn, count, items, all, &arrays);
    if (made < 0) return gndi_ew_pending();
    if (arrays == 0) return set_view(gndi_slice(fn, a, made, all), value, fn);
    if (arrays == 1 && masks_first_axes(a, made, all, &mask, basic, &basics))
        return set_by_mask(fn, a, basics, basic, mask, value);
    return set_by_arrays(fn, a, made, all, value);
}
