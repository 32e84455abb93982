/*
 * lexsort.c: sorting by several keys: one stable sort for each key, from the last to the primary one, each
 * starting from the order of the one before.
 */
#include "elementwise/elementwise.h"
#include "scan/scan.h"
#include "sort/sort.h"

static const char fn[] = "gnd_lexsort";

static gnd_status check_keys(int count, const gnd_arg *keys) {
    if (count < 1 || !keys) return gndi_raise(GND_ERROR_INVALID, fn, "was given no key; it takes one or more");
    for (int i = 0; i < count; i++) {
        if (keys[i].kind != GND_ARG_ARRAY) return gndi_raise(GND_ERROR_INVALID, fn, "key %d is no array", i + 1);
        const gnd_array *key = keys[i].array, *first = keys[0].array;
        if (gndi_missing(key)) return gndi_raise_null(fn, "a key");
        if (!gndi_same_shape(key, first))
            return gndi_raise(GND_ERROR_SHAPE, fn, "all keys need to have the same shape: key 1 has %s, key %d %s",
                              gndi_text_shape(first->ndim, first->shape), i + 1,
                              gndi_text_shape(key->ndim, key->shape));
        if (key->buffer->device != first->buffer->device)
            return gndi_raise(GND_ERROR_DEVICE, fn, "key 1 is %s, but key %d is %s; gnd_to_device moves arrays",
                              gndi_text_array(first), i + 1, gndi_text_array(key));
    }
    return GND_OK;
}

static gnd_status choose_axis(const gnd_axes *axes, const gnd_array *key, int *axis) {
    *axis = 0;
    if (!gndi_sort_check_options(fn, axes)) return gndi_ew_pending();
    if (axes->count == 0 && key->ndim > 1)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "the keys have shape %s: with more than one dimension the axis must be "
                          "named",
                          gndi_text_shape(key->ndim, key->shape));
    if (axes->count == 0) return GND_OK;
    return gndi_sort_axis(fn, axes, key->ndim ? key->ndim : 1, axis) ? GND_OK : gndi_ew_pending();
}

/* Whether the indices can go straight to `out`: with several keys a later sort could fail when an
   earlier one has written. */
static bool writes_directly(const gnd_array *out, int count, const gnd_array *key) {
    return count == 1 && out->dtype == GND_INT64 && !gndi_may_overlap(out, key);
}

/* Sorts by one key after the other. */
static gnd_status sort_keys(int count, const gnd_arg *keys, int axis, gnd_array *indices) {
    gnd_status status = GND_OK;
    for (int i = 0; i < count && !status; i++) {
        gndi_sort_request r = {.fn = fn, .x = keys[i].array, .axis = axis, .indices = indices};
        r.start = i > 0 ? indices : NULL;
        status = gndi_sort_run(&r);
    }
    return status;
}

gnd_array *gnd_lexsort(int count, const gnd_arg *keys, gnd_axes axes) {
    int axis;
    gnd_array *out = axes.out;
    if (check_keys(count, keys) || choose_axis(&axes, keys[0].array, &axis)) return NULL;
    const gnd_array *last = keys[count - 1].array;
    if (out && !gndi_check_out(fn, last, out, last->ndim, last->shape)) return NULL;
    gnd_array *result = out ? gndi_array_alias(fn, out) : NULL;
    if (out && !result) return NULL;
    const bool into = out && writes_directly(out, count, last);
    gnd_array *indices = into ? result : gndi_new_in_order(fn, last, last->shape, GND_INT64);
    gnd_status status = indices ? sort_keys(count, keys, axis, indices) : GND_ERROR_MEMORY;
    if (!status && out && !into) status = gndi_copy_into(fn, out, indices);
    if (!out) result = indices;
    if (out && !into) gnd_release(indices);
    if (!status) return result;
    gnd_release(result);
    return NULL;
}
