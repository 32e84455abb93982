/*
 * pad.c: arrays with a border: the frame, and borders of constants, edges, ramps and statistics. The
 * inside is copied first; each piece of border is a copy, broadcast along its axis. Mirrors and
 * repetitions are in pad_periodic.c.
 */
#include "pad/pad.h"

/* ---- checks --------------------------------------------------------------------------------- */

/* The number of the pair that an axis takes. */
static int pair_of(int count, int axis) {
    return count == 1 ? 0 : axis;
}

static gnd_status check_count(const char *fn, const char *what, int count, int ndim, bool none) {
    if (count == 1 || count == ndim || (none && count == 0)) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "%d pairs of %s for %d axes; give one for all, or one for each", count,
                      what, ndim);
}

static gnd_status check_widths(gndi_padding *p, const gnd_pad_widths *widths) {
    const int ndim = p->a->ndim;
    gnd_status status = check_count(p->fn, "widths", widths->count, ndim, false);
    for (int i = 0; i < ndim && !status; i++) {
        const int64_t *pair = widths->width[pair_of(widths->count, i)];
        if (pair[0] < 0 || pair[1] < 0)
            return gndi_raise(GND_ERROR_VALUE, p->fn, "widths must not be negative; those of axis %d are %lld and %lld",
                              i, (long long)pair[0], (long long)pair[1]);
        p->width[i][0] = pair[0], p->width[i][1] = pair[1];
    }
    return status;
}

/* The constants and end values: numbers that fit, or arrays of one element. */
static gnd_status check_value(const gndi_padding *p, gnd_arg value) {
    if (value.kind == GND_ARG_NONE) return GND_OK;
    if (value.kind == GND_ARG_ARRAY && gndi_missing(value.array)) return gndi_raise_null(p->fn, "value");
    if (value.kind == GND_ARG_ARRAY && value.array->ndim != 0)
        return gndi_raise(GND_ERROR_SHAPE, p->fn, "a value must be a number or a 0-d array, not of shape %s",
                          gndi_text_shape(value.array->ndim, value.array->shape));
    return gndi_check_written(p->fn, p->a, value, "value");
}

static bool is_statistic(gnd_pad_mode mode) {
    return mode == GND_PAD_MAXIMUM || mode == GND_PAD_MEAN || mode == GND_PAD_MEDIAN || mode == GND_PAD_MINIMUM;
}

static gnd_status check_options(const gndi_padding *p) {
    const gnd_pad_options *o = p->options;
    const gnd_pad_mode mode = o->mode;
    const int ndim = p->a->ndim;
    if (o->function && mode != GND_PAD_CONSTANT)
        return gndi_raise(GND_ERROR_INVALID, p->fn,
                          "mode number %d and a function are given; one of them can fill the border", (int)mode);
    if ((unsigned)mode > GND_PAD_EMPTY)
        return gndi_raise(GND_ERROR_INVALID, p->fn, "there is no mode number %d", (int)mode);
    gnd_status status = GND_OK;
    if (mode == GND_PAD_CONSTANT || mode == GND_PAD_LINEAR_RAMP) {
        status = check_count(p->fn, "values", o->values, ndim, true);
        for (int i = 0; i < o->values && !status; i++) {
            status = check_value(p, o->value[i][0]);
            if (!status) status = check_value(p, o->value[i][1]);
        }
    }
    if (is_statistic(mode)) status = check_count(p->fn, "lengths", o->lengths, ndim, true);
    for (int i = 0; is_statistic(mode) && i < o->lengths && !status; i++)
        for (int side = 0; side < 2 && !status; side++)
            if (o->length[i][side] < -1)
                status = gndi_raise(GND_ERROR_VALUE, p->fn, "lengths must not be negative (-1: all); one is %lld",
                                    (long long)o->length[i][side]);
            else if (o->length[i][side] == 0 && mode != GND_PAD_MEAN && mode != GND_PAD_MEDIAN)
                status = gndi_raise(GND_ERROR_VALUE, p->fn, "a length of 0 yields no %s",
                                    mode == GND_PAD_MAXIMUM ? "maximum" : "minimum");
    return status;
}

static gnd_status check_empty(const gndi_padding *p) {
    const gnd_pad_mode mode = p->options->mode;
    if (p->a->size != 0 || mode == GND_PAD_CONSTANT || mode == GND_PAD_EMPTY) return GND_OK;
    for (int i = 0; i < p->a->ndim; i++)
        if (p->a->shape[i] == 0 && (p->width[i][0] || p->width[i][1]))
            return gndi_raise(GND_ERROR_VALUE, p->fn, "axis %d of shape %s is empty; only constants can extend it", i,
                              gndi_text_shape(p->a->ndim, p->a->shape));
    return GND_OK;
}

/* ---- the frame ------------------------------------------------------------------------------ */

/* The result with the axes behind `axis` as they were before. */
static const gnd_array *seen_at(gndi_temporaries *s, const gndi_padding *p, int axis) {
    int64_t shape[GND_MAX_DIMS];
    char *data = gndi_data(p->padded);
    for (int i = 0; i < p->a->ndim; i++) {
        shape[i] = i <= axis ? p->padded->shape[i] : p->a->shape[i];
        if (i > axis && p->padded->size > 0) data += p->width[i][0] * p->padded->strides[i];
    }
    return gndi_temporaries_keep(
        s, gndi_array_view(p->fn, p->padded, p->a->ndim, shape, p->padded->strides, data, (gnd_dtype)p->a->dtype));
}

static gnd_status make_inside(gndi_padding *p) {
    int64_t shape[GND_MAX_DIMS];
    for (int i = 0; i < p->a->ndim; i++)
        if (__builtin_add_overflow(p->width[i][0], p->width[i][1], &shape[i]) ||
            __builtin_add_overflow(p->a->shape[i], shape[i], &shape[i]))
            return gndi_raise(GND_ERROR_MEMORY, p->fn, "axis %d of the result does not fit 64 bits", i);
    p->padded = gndi_new_in_its_order(p->fn, p->a, shape);
    if (!p->padded) return gndi_ew_pending();
    if (p->a->size == 0) return GND_OK;
    gndi_temporaries s = {.fn = p->fn};
    gnd_array *inside = (gnd_array *)seen_at(&s, p, -1);
    if (!s.failed) s.failed = gndi_copy_into(p->fn, inside, p->a) != GND_OK;
    gndi_temporaries_end(&s, NULL);
    return s.failed ? gndi_ew_pending() : GND_OK;
}

void gndi_pad_set(gndi_temporaries *s, const gnd_array *seen, int axis, int64_t first, int64_t count, int64_t step,
                  gnd_arg from) {
    if (s->failed || count == 0) return;
    gnd_array *part = gndi_step_part(s, seen, axis, first, count, step);
    if (part && part->size) gndi_step_into(s, GNDI_OP_copy, part, from, gnd_arg_none(), NULL);
}

/* ---- borders -------------------------------------------------------------------------------- */

static gnd_arg value_of(const gndi_padding *p, int axis, int side) {
    const gnd_pad_options *o = p->options;
    if (o->values == 0 || o->function) return gnd_arg_bool(false);
    const gnd_arg value = o->value[pair_of(o->values, axis)][side];
    return value.kind == GND_ARG_NONE ? gnd_arg_bool(false) : value;
}

/* The position of the edge next to a border. */
static int64_t edge_index(const gndi_padding *p, int axis, int side) {
    return p->width[axis][0] + (side ? p->a->shape[axis] - 1 : 0);
}

/* The edge, of size 1 along the axis. */
static const gnd_array *edge(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis, int side) {
    return gndi_step_part(s, seen, axis, edge_index(p, axis, side), 1, 1);
}

/* From the end value towards the edge, as far as the border goes; along the axis. */
static const gnd_array *ramp(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis, int side) {
    const gnd_array *to = gndi_step_at(s, seen, axis, edge_index(p, axis, side));
    int order[GND_MAX_DIMS];
    if (!to) return NULL;
    const gnd_array *line =
        gndi_temporaries_keep(s, (gnd_linspace)(value_of(p, axis, side), gnd_arg_array(to), p->width[axis][side], false,
                                                (gnd_dtype)p->a->dtype));
    for (int i = 0; i < seen->ndim; i++) order[i] = i == axis ? 0 : i < axis ? i + 1 : i;
    return line ? gndi_temporaries_keep(s, gndi_permuted(p->fn, line, order)) : NULL;
}

/* The statistic of the elements next to a border, of size 1 along the axis. */
static const gnd_array *statistic(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis,
                                  int side) {
    const gnd_pad_options *o = p->options;
    const int64_t all = p->a->shape[axis];
    int64_t length = o->lengths ? o->length[pair_of(o->lengths, axis)][side] : -1;
    if (length < 0 || length > all) length = all;
    gnd_array *part = gndi_step_part(s, seen, axis, p->width[axis][0] + (side ? all - length : 0), length, 1);
    if (s->failed) return NULL;
    gnd_axes along = {.count = 1, .axis = {axis}, .keepdims = true};
    gnd_array *value = gndi_temporaries_keep(s, o->mode == GND_PAD_MAXIMUM   ? gnd_max(part, along)
                                                : o->mode == GND_PAD_MINIMUM ? gnd_min(part, along)
                                                : o->mode == GND_PAD_MEAN    ? gnd_mean(part, along)
                                                                             : gnd_median(part, along));
    if (value && gndi_dtype_is_int(p->a->dtype) && gndi_dtype_is_float(value->dtype))
        value = gndi_step(s, GNDI_OP_rint, gnd_arg_array(value), gnd_arg_none());
    return value;
}

/* Whether both sides have the same statistic: that of the whole axis. */
static bool one_statistic(const gndi_padding *p, int axis) {
    const gnd_pad_options *o = p->options;
    if (o->lengths == 0) return true;
    const int64_t *length = o->length[pair_of(o->lengths, axis)], all = p->a->shape[axis];
    return (length[0] < 0 || length[0] >= all) && (length[1] < 0 || length[1] >= all);
}

/* What fills a border of the simpler modes. */
static gnd_arg filling(gndi_temporaries *s, const gndi_padding *p, const gnd_array *seen, int axis, int side) {
    switch (p->options->mode) {
    case GND_PAD_CONSTANT: return value_of(p, axis, side);
    case GND_PAD_EDGE: return gnd_arg_array(edge(s, p, seen, axis, side));
    case GND_PAD_LINEAR_RAMP: return gnd_arg_array(ramp(s, p, seen, axis, side));
    default: return gnd_arg_array(statistic(s, p, seen, axis, side));
    }
}

static void pad_axis(gndi_temporaries *s, const gndi_padding *p, int axis) {
    const gnd_pad_mode mode = p->options->mode;
    const int64_t before = p->width[axis][0], behind = p->width[axis][1];
    if (before == 0 && behind == 0) return;
    const gnd_array *seen = seen_at(s, p, axis);
    if (!seen) return;
    if (p->a->shape[axis] > 1 && (mode == GND_PAD_REFLECT || mode == GND_PAD_SYMMETRIC)) {
        gndi_pad_reflect(s, p, seen, axis);
        return;
    }
    if (mode == GND_PAD_WRAP) {
        gndi_pad_wrap(s, p, seen, axis);
        return;
    }
    const bool mirrors = mode == GND_PAD_REFLECT || mode == GND_PAD_SYMMETRIC;
    gnd_arg fill = gnd_arg_none();
    for (int side = 0; side < 2; side++) {
        const int64_t width = p->width[axis][side];
        if (width == 0 || s->failed) continue;
        if (mirrors) /* of a single element: that element */
            fill = gnd_arg_array(edge(s, p, seen, axis, side));
        else if (fill.kind == GND_ARG_NONE || !is_statistic(mode) || !one_statistic(p, axis))
            fill = filling(s, p, seen, axis, side);
        /* A ramp starts at the outer end. */
        const bool backwards = side && mode == GND_PAD_LINEAR_RAMP;
        const int64_t first = side ? seen->shape[axis] - width : 0;
        gndi_pad_set(s, seen, axis, backwards ? seen->shape[axis] - 1 : first, width, backwards ? -1 : 1, fill);
    }
}

gnd_array *gnd_pad(const gnd_array *a, gnd_pad_widths widths, const gnd_pad_options *options) {
    GNDI_PARTS_OF("gnd_pad");
    static const gnd_pad_options zeros;
    gndi_padding p = {.fn = "gnd_pad", .a = a, .options = options ? options : &zeros};
    if (gndi_missing(a)) return gndi_raise_null(p.fn, "a"), NULL;
    gnd_status status = check_widths(&p, &widths);
    if (!status) status = check_options(&p);
    if (!status) status = check_empty(&p);
    if (!status) status = make_inside(&p);
    const bool bordered = p.padded && p.padded->size && p.options->mode != GND_PAD_EMPTY;
    for (int axis = 0; bordered && axis < a->ndim && !status; axis++) {
        gndi_temporaries s = {.fn = p.fn};
        pad_axis(&s, &p, axis);
        gndi_temporaries_end(&s, NULL);
        if (s.failed) status = gndi_ew_pending();
    }
    if (!status && p.options->function) status = gndi_pad_by_function(&p);
    if (!status) return p.padded;
    gnd_release(p.padded);
    return NULL;
}
