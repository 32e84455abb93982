/*
 * roll.c: elements moved around the ends of axes, by copies of the pieces that stay together; and
 * quarter turns, which are views.
 */
#include "rearrange/rearrange.h"

/* Shifts along the axes, each in 0 .. size - 1. */
typedef struct shifts {
    int64_t by[GND_MAX_DIMS];
} shifts;

/* One piece: bit i of `end` says whether, along the i-th axis that moves, it is the piece that goes
   around the end. */
static bool copy_piece(const char *fn, gnd_array *result, const gnd_array *a, const shifts *move, uint64_t end) {
    int64_t shape[GND_MAX_DIMS];
    char *from = gndi_data(a), *to = gndi_data(result);
    int moving = 0;
    for (int i = 0; i < a->ndim; i++) {
        const int64_t by = move->by[i];
        shape[i] = a->shape[i];
        if (by == 0) continue;
        if (end >> moving++ & 1) {
            shape[i] = by;
            from += (a->shape[i] - by) * a->strides[i];
        } else {
            shape[i] -= by;
            to += by * result->strides[i];
        }
    }
    gndi_temporaries s = {.fn = fn};
    gnd_array *target = gndi_temporaries_keep(
        &s, gndi_array_view(fn, result, a->ndim, shape, result->strides, to, (gnd_dtype)result->dtype));
    gnd_array *source =
        gndi_temporaries_keep(&s, gndi_array_view(fn, a, a->ndim, shape, a->strides, from, (gnd_dtype)a->dtype));
    if (!s.failed) s.failed = gndi_copy_into(fn, target, source) != GND_OK;
    gndi_temporaries_end(&s, NULL);
    return !s.failed;
}

static gnd_array *rolled(const char *fn, const gnd_array *a, const shifts *move) {
    gnd_array *result = gndi_new_like(fn, a, GND_DTYPE_NONE);
    if (!result || a->size == 0) return result;
    int moving = 0;
    for (int i = 0; i < a->ndim; i++) moving += move->by[i] != 0;
    for (uint64_t end = 0; end < UINT64_C(1) << moving; end++) {
        if (copy_piece(fn, result, a, move, end)) continue;
        gnd_release(result);
        return NULL;
    }
    return result;
}

/* Adds a shift along an axis of `size` elements. */
static void add_shift(int64_t *by, int64_t shift, int64_t size) {
    if (size == 0) return;
    const int64_t within = shift % size + (shift % size < 0 ? size : 0);
    *by = *by >= size - within ? *by - (size - within) : *by + within;
}

/* As if flat, and in its shape again. */
static gnd_array *rolled_flat(const char *fn, const gnd_array *a, int64_t shift) {
    gndi_temporaries s = {.fn = fn};
    shifts move = {{0}};
    gnd_array *flat = gndi_temporaries_keep(&s, gndi_flat(fn, a)), *line = NULL, *result = NULL;
    add_shift(&move.by[0], shift, a->size);
    if (flat) line = gndi_temporaries_keep(&s, rolled(fn, flat, &move));
    if (line) gndi_reshape_view(fn, line, a->ndim, a->shape, &result);
    gndi_sole_view(result);
    gndi_temporaries_end(&s, NULL);
    return result;
}

static gnd_array *roll(const char *fn, const gnd_array *a, const int64_t *given, bool each, const gnd_axes *axes) {
    shifts move = {{0}};
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (!given && axes->count >= 0) return gndi_raise_null(fn, "shifts"), NULL;
    if (axes->count > GND_MAX_DIMS)
        return gndi_fail(GND_ERROR_INVALID, fn, "%d axes are given; an array has at most %d", axes->count,
                         GND_MAX_DIMS);
    if (axes->count == 0) return rolled_flat(fn, a, given[0]);
    for (int k = 0; k < axes->count; k++) {
        int axis;
        if (!gndi_normalize_axis(fn, axes->axis[k], a->ndim, &axis)) return NULL;
        add_shift(&move.by[axis], given[each ? k : 0], a->shape[axis]);
    }
    return rolled(fn, a, &move);
}

gnd_array *gndi_roll_each(const char *fn, const gnd_array *a, const int64_t *by, const gnd_axes *axes) {
    return roll(fn, a, by, true, axes);
}

gnd_array *gnd_roll(const gnd_array *a, int64_t shift, gnd_axes axes) {
    return roll("gnd_roll", a, &shift, false, &axes);
}

gnd_array *gnd_roll_each(const gnd_array *a, const int64_t *shifts_given, gnd_axes axes) {
    return roll("gnd_roll_each", a, shifts_given, true, &axes);
}

/* ---- turns ---------------------------------------------------------------------------------- */

/* The view with some axes reversed, and two exchanged. */
static gnd_array *rotated(const char *fn, const gnd_array *a, uint64_t reversed, int axis1, int axis2) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    char *data = gndi_data(a);
    for (int i = 0; i < a->ndim; i++) {
        const int from = i == axis1 ? axis2 : i == axis2 ? axis1 : i;
        const bool reverse = reversed >> from & 1;
        if (reverse && a->size > 0) data += (a->shape[from] - 1) * a->strides[from];
        shape[i] = a->shape[from];
        strides[i] = reverse ? -a->strides[from] : a->strides[from];
    }
    return gndi_array_view(fn, a, a->ndim, shape, strides, data, (gnd_dtype)a->dtype);
}

gnd_array *gnd_rot90(const gnd_array *a, int64_t k, gnd_axes axes) {
    static const char fn[] = "gnd_rot90";
    int first = 0, second = 1;
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (axes.count == 2) first = axes.axis[0], second = axes.axis[1];
    if (axes.count != 0 && axes.count != 2)
        return gndi_fail(GND_ERROR_INVALID, fn, "a plane is two axes, not %d", axes.count);
    if (!gndi_normalize_axis(fn, first, a->ndim, &first)) return NULL;
    if (!gndi_normalize_axis(fn, second, a->ndim, &second)) return NULL;
    if (first == second) return gndi_fail(GND_ERROR_AXIS, fn, "both axes are axis %d; a plane needs two", first);
    const uint64_t bit1 = UINT64_C(1) << first, bit2 = UINT64_C(1) << second;
    switch (k & 3) { /* also of a negative k */
    case 0: return rotated(fn, a, 0, -1, -1);
    case 1: return rotated(fn, a, bit2, first, second);
    case 2: return rotated(fn, a, bit1 | bit2, -1, -1);
    default: return rotated(fn, a, bit1, first, second);
    }
}

static gnd_array *flipped(const char *fn, const gnd_array *a, int least, int axis) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (a->ndim < least)
        return gndi_fail(GND_ERROR_SHAPE, fn, "takes arrays of at least %d dimensions; the shape is %s", least,
                         gndi_text_shape(a->ndim, a->shape));
    return rotated(fn, a, UINT64_C(1) << axis, -1, -1);
}

gnd_array *gnd_fliplr(const gnd_array *a) {
    return flipped("gnd_fliplr", a, 2, 1);
}

gnd_array *gnd_flipud(const gnd_array *a) {
    return flipped("gnd_flipud", a, 1, 0);
}
