/*
 * values.c: value_indices on a GPU. Positions are sorted by their elements; an element's neighbour in that order says
 * whether it is the first of its value.
 */
#include "array/view.h"
#include "elementwise/temporaries.h"
#include "labels/values_plan.h"
#include "rearrange/rearrange.h"
#include "runtime/runtime.h"

/* A step on a GPU; false, and raised, if it or an array of it failed. */
static bool values_step(gndi_values_plan p, const gnd_array *x, const gnd_array *at, const gnd_array *through,
                        const gnd_array *out, const gnd_array *indices) {
    static const char *const fn = "gnd_value_indices";
    const gnd_array *in[3] = {x, at ? at : x, through ? through : x}, *to[2] = {out, indices ? indices : out};
    if (!x || !out) return false;
    p.x = gndi_data(x), p.bytes = gndi_itemsize(x), p.all = x->size, p.out = gndi_data(out), p.count = out->size;
    p.at = at ? (const int64_t *)(const void *)gndi_data(at) : NULL;
    p.through = through ? (const int64_t *)(const void *)gndi_data(through) : NULL;
    p.indices = indices ? (int64_t *)(void *)gndi_data(indices) : NULL;
    gnd_stream *stream = gndi_work_begin(fn, 3, in, indices ? 2 : 1, to);
    return stream && gndi_work_end(stream, stream->device->backend->values(stream, &p, fn), fn) == GND_OK;
}

static gnd_array *values_taken(const gnd_array *x, const gnd_array *at, const gnd_array *through) {
    gnd_array *out = at ? gnd_empty_like(at, (gnd_dtype)x->dtype) : NULL;
    return out && values_step((gndi_values_plan){.step = GNDI_VALUES_TAKE}, x, at, through, out, NULL) ? out : NULL;
}

/* Whether an integer dtype has a number. */
static bool has_number(gnd_dtype dtype, int64_t number) {
    const int bits = 8 * gndi_dtype_sizes[dtype];
    if (gnd_dtype_kind(dtype) == 'u') return number >= 0 && (bits == 64 || number >> bits == 0);
    return bits == 64 || (number >> (bits - 1)) == (number < 0 ? -1 : 0);
}

bool gndi_place_values(const gnd_array *a, const int64_t *ignored, gnd_array *made[3]) {
    const gnd_array *flat = gnd_ravel(a), *kept = NULL, *x = flat;
    if (flat && ignored && has_number((gnd_dtype)a->dtype, *ignored)) {
        const gndi_values_plan differ = {.step = GNDI_VALUES_DIFFER, .ignored = (uint64_t)*ignored};
        const gnd_array *differs = gnd_empty_like(flat, GND_BOOL);
        if (!values_step(differ, flat, NULL, NULL, differs, NULL)) return false;
        kept = gnd_flatnonzero(differs);
        x = values_taken(flat, kept, NULL);
    }
    const gnd_array *at = gnd_argsort(x, GND_ALL, GND_ASCENDING);
    if (kept && at) at = values_taken(kept, at, NULL);
    if (!at) return false;
    const gnd_array *firsts = gnd_empty_like(at, GND_BOOL);
    made[2] = gndi_new_on_device_of("gnd_value_indices", a, 2, (const int64_t[]){a->ndim, at->shape[0]}, GND_INT64);
    if (!firsts || !made[2]) return false;
    gndi_values_plan place = {.step = GNDI_VALUES_PLACE, .ndim = a->ndim};
    memcpy(place.shape, a->shape, (size_t)a->ndim * sizeof *place.shape);
    if (!values_step(place, flat, at, NULL, firsts, made[2])) return false;
    const gnd_array *starts = gnd_flatnonzero(firsts);
    const gnd_array *end = gnd_to_device(gnd_full(GND_SHAPE(1), at->shape[0], GND_INT64), gnd_device_of(a));
    made[0] = values_taken(flat, starts, at);
    made[1] = gnd_append(starts, end, 0);
    return made[0] && made[1];
}
