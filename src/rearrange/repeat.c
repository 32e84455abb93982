/*
 * repeat.c: arrays repeated as a whole, element by element, or to fill a shape: broadcast copies.
 */
#include "rearrange/rearrange.h"

/* ---- tile ----------------------------------------------------------------------------------- */

/* The result, and the space of the one copy that fills it: an axis of tiles, stride 0 in `a`, before
   each axis of `a` itself; those of size 1 are left out. */
typedef struct tiling {
    int ndim, space_ndim;
    int64_t shape[GND_MAX_DIMS];
    int64_t space[2 * GND_MAX_DIMS], from[2 * GND_MAX_DIMS], to[2 * GND_MAX_DIMS];
} tiling;

static gnd_status plan_tiles(const char *fn, const gnd_array *a, const gnd_shape *repeats, tiling *t) {
    if (repeats->ndim < 0 || repeats->ndim > GND_MAX_DIMS)
        return gndi_raise(GND_ERROR_SHAPE, fn, "%d numbers of repeats; an array has at most %d axes", repeats->ndim,
                          GND_MAX_DIMS);
    t->ndim = a->ndim > repeats->ndim ? a->ndim : repeats->ndim;
    for (int i = 0; i < t->ndim; i++) {
        const int own = i - (t->ndim - a->ndim), given = i - (t->ndim - repeats->ndim);
        const int64_t size = own >= 0 ? a->shape[own] : 1;
        const int64_t times = given >= 0 ? repeats->dim[given] : 1;
        if (times < 0)
            return gndi_raise(GND_ERROR_VALUE, fn, "repeats must not be negative; they are %s",
                              gndi_text_shape(repeats->ndim, repeats->dim));
        if (__builtin_mul_overflow(size, times, &t->shape[i]))
            return gndi_raise(GND_ERROR_MEMORY, fn, "axis %d of the result does not fit 64 bits", i);
    }
    return GND_OK;
}

static void plan_space(const gnd_array *a, const gnd_array *result, tiling *t) {
    t->space_ndim = 0;
    for (int i = 0; i < t->ndim; i++) {
        const int own = i - (t->ndim - a->ndim);
        const int64_t size = own >= 0 ? a->shape[own] : 1, times = t->shape[i] / size;
        if (times > 1) {
            t->space[t->space_ndim] = times, t->from[t->space_ndim] = 0;
            t->to[t->space_ndim++] = size * result->strides[i];
        }
        if (size > 1) {
            t->space[t->space_ndim] = size, t->from[t->space_ndim] = a->strides[own];
            t->to[t->space_ndim++] = result->strides[i];
        }
    }
}

/* Copies a to result, both seen in the given space. */
static bool copy_in_space(const char *fn, gnd_array *result, const gnd_array *a, int ndim, const int64_t *space,
                          const int64_t *to, const int64_t *from) {
    gndi_temporaries s = {.fn = fn};
    gnd_array *target = gndi_temporaries_keep(
        &s, gndi_array_view(fn, result, ndim, space, to, gndi_data(result), (gnd_dtype)result->dtype));
    gnd_array *source =
        gndi_temporaries_keep(&s, gndi_array_view(fn, a, ndim, space, from, gndi_data(a), (gnd_dtype)a->dtype));
    if (!s.failed) s.failed = gndi_copy_into(fn, target, source) != GND_OK;
    gndi_temporaries_end(&s, NULL);
    return !s.failed;
}

gnd_array *gnd_tile(const gnd_array *a, gnd_shape repeats) {
    static const char fn[] = "gnd_tile";
    tiling t;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (plan_tiles(fn, a, &repeats, &t)) return NULL;
    gnd_array *result = gndi_new_on_device_of(fn, a, t.ndim, t.shape, (gnd_dtype)a->dtype);
    if (!result || result->size == 0) return result;
    plan_space(a, result, &t);
    if (t.space_ndim > GND_MAX_DIMS)
        gndi_raise(GND_ERROR_SHAPE, fn, "shape %s repeated %s times makes more than %d axes of tiles and elements",
                   gndi_text_shape(a->ndim, a->shape), gndi_text_shape(repeats.ndim, repeats.dim), GND_MAX_DIMS);
    else if (copy_in_space(fn, result, a, t.space_ndim, t.space, t.to, t.from))
        return result;
    gnd_release(result);
    return NULL;
}

/* ---- repeat --------------------------------------------------------------------------------- */

/* Along an axis of `a` counted from the front. */
static gnd_array *repeated(const char *fn, const gnd_array *a, int64_t times, int axis) {
    int64_t shape[GND_MAX_DIMS], space[GND_MAX_DIMS + 1], to[GND_MAX_DIMS + 1], from[GND_MAX_DIMS + 1];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    if (__builtin_mul_overflow(a->shape[axis], times, &shape[axis]))
        return gndi_fail(GND_ERROR_MEMORY, fn, "the repeated axis does not fit 64 bits");
    gnd_array *result = gndi_new_on_device_of(fn, a, a->ndim, shape, (gnd_dtype)a->dtype);
    if (!result || result->size == 0) return result;
    int ndim = 0;
    for (int i = 0; i < a->ndim; i++) {
        if (a->shape[i] > 1) {
            space[ndim] = a->shape[i], from[ndim] = a->strides[i];
            to[ndim++] = result->strides[i] * (i == axis ? times : 1);
        }
        if (i == axis && times > 1) space[ndim] = times, from[ndim] = 0, to[ndim++] = result->strides[i];
    }
    bool done = ndim <= GND_MAX_DIMS;
    if (!done)
        gndi_raise(GND_ERROR_SHAPE, fn, "an array of shape %s has too many axes to repeat one",
                   gndi_text_shape(a->ndim, a->shape));
    done = done && copy_in_space(fn, result, a, ndim, space, to, from);
    if (done) return result;
    gnd_release(result);
    return NULL;
}

gnd_array *gnd_repeat(const gnd_array *a, int64_t times, int axis) {
    static const char fn[] = "gnd_repeat";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (times < 0)
        return gndi_fail(GND_ERROR_VALUE, fn, "repeats must not be negative; they are %lld", (long long)times);
    if (axis != GND_FLAT) return gndi_normalize_axis(fn, axis, a->ndim, &axis) ? repeated(fn, a, times, axis) : NULL;
    gnd_array *flat = gndi_flat(fn, a);
    gnd_array *result = flat ? repeated(fn, flat, times, 0) : NULL;
    gnd_release(flat);
    return result;
}

/* ---- resize --------------------------------------------------------------------------------- */

gnd_array *gnd_resize(const gnd_array *a, gnd_shape shape) {
    static const char fn[] = "gnd_resize";
    gndi_temporaries s = {.fn = fn};
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    gnd_array *result = gndi_new_on_device_of(fn, a, shape.ndim, shape.dim, (gnd_dtype)a->dtype);
    if (!result || result->size == 0) return result;
    if (a->size == 0) return gndi_zero(fn, result);
    gndi_temporaries_keep(&s, result);
    gnd_array *line = NULL, *flat = gndi_temporaries_keep(&s, gndi_flat(fn, a));
    gndi_reshape_view(fn, result, 1, &result->size, &line);
    gndi_temporaries_keep(&s, line);
    const int64_t whole = result->size / a->size, rest = result->size % a->size;
    if (!s.failed && whole) {
        const int64_t item = gndi_itemsize(a), space[2] = {whole, a->size};
        const int64_t to[2] = {a->size * item, item}, from[2] = {0, flat->strides[0]};
        s.failed = !copy_in_space(fn, line, flat, 2, space, to, from);
    }
    if (!s.failed && rest) {
        const gnd_array *first = gndi_step_part(&s, flat, 0, 0, rest, 1);
        gndi_copy_to_part(&s, line, 0, whole * a->size, rest, first);
    }
    return gndi_temporaries_end(&s, result);
}
