/*
 * insert.c: elements put in, left out, or trimmed off at positions that the host knows: copies of what
 * stays together. Between evenly spaced positions the groups of elements are an axis of their own, so
 * that all of them are one copy.
 */
#include "rearrange/rearrange.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_insert

/* Positions on an axis: `count` of them from `first` up, `step` apart. */
typedef struct positions {
    int64_t first, count, step;
    bool backwards; /* the range was given from the last one to the first */
} positions;

/* What an index or a range names on an axis of `size`; an index may be `most` at most. */
static gnd_status find_positions(const char *fn, gnd_index at, int axis, int64_t size, int64_t most, positions *p) {
    *p = (positions){.count = 1, .step = 1};
    if (at.kind == GND_INDEX_AT) {
        p->first = at.start < 0 ? at.start + size : at.start;
        if (at.start >= -size && at.start <= most) return GND_OK;
        return gndi_raise(GND_ERROR_INDEX, fn, "index %lld is out of bounds for axis %d of size %lld",
                          (long long)at.start, axis, (long long)size);
    }
    if (at.kind != GND_INDEX_RANGE)
        return gndi_raise(GND_ERROR_INVALID, fn, "`at` must be an index or a range (gnd_index_at, gnd_index_range)");
    const int64_t step = at.step == GND_OPEN ? 1 : at.step;
    if (step == 0) return gndi_raise(GND_ERROR_INVALID, fn, "the step of the range is 0");
    p->count = gndi_clip_range(&at, size, step, &p->first);
    p->backwards = step < 0;
    if (p->backwards && p->count > 0) p->first += (p->count - 1) * step;
    p->step = p->count < 2 ? 1 : step < 0 ? -step : step;
    return GND_OK;
}

/* The axis as groups: `count` of `each` elements, from `first` on, `step` apart; a further axis behind
   it for the elements of a group. */
static gnd_array *groups(gndi_temporaries *s, const gnd_array *a, int axis, int64_t first, int64_t count, int64_t step,
                         int64_t each) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    if (s->failed) return NULL;
    for (int i = 0; i <= a->ndim; i++) {
        const int own = i <= axis ? i : i - 1;
        shape[i] = i == axis ? count : i == axis + 1 ? each : a->shape[own];
        strides[i] = i == axis ? a->strides[axis] * step : a->strides[own];
    }
    return gndi_temporaries_keep(s, gndi_array_view(s->fn, a, a->ndim + 1, shape, strides,
                                                    gndi_data(a) + (a->size > 0 ? first * a->strides[axis] : 0),
                                                    (gnd_dtype)a->dtype));
}

/* to[groups] = from[groups]: the elements between evenly spaced positions. */
static void copy_groups(gndi_temporaries *s, const gnd_array *to, int64_t to_first, int64_t to_step,
                        const gnd_array *from, int64_t from_first, int64_t from_step, int axis, int64_t count,
                        int64_t each) {
    if (s->failed || count <= 0 || each <= 0 || from->size == 0) return;
    if (to->ndim == GND_MAX_DIMS) { /* no further axis possible: one position of all groups at a time */
        for (int64_t k = 0; k < each; k++) {
            gndi_temporaries one = {.fn = s->fn};
            gnd_array *target = gndi_step_part(&one, to, axis, to_first + k, count, to_step);
            gnd_array *source = gndi_step_part(&one, from, axis, from_first + k, count, from_step);
            if (!one.failed) one.failed = gndi_copy_into(s->fn, target, source) != GND_OK;
            gndi_temporaries_end_part(s, &one);
        }
        return;
    }
    gnd_array *target = groups(s, to, axis, to_first, count, to_step, each);
    gnd_array *source = groups(s, from, axis, from_first, count, from_step, each);
    if (!s->failed) s->failed = gndi_copy_into(s->fn, target, source) != GND_OK;
}

/* a[first : first + count] to the result, from `to` on. */
static void copy_run(gndi_temporaries *s, const gnd_array *result, int64_t to, const gnd_array *a, int64_t first,
                     int axis, int64_t count) {
    if (count <= 0) return;
    gndi_copy_to_part(s, result, axis, to, count, gndi_step_part(s, a, axis, first, count, 1));
}

/* The array itself with its axis counted from the front, or flat. */
static const gnd_array *along(gndi_temporaries *s, const gnd_array *a, int *axis) {
    if (gndi_missing(a)) {
        gndi_raise_null(s->fn, "a");
        s->failed = true;
        return NULL;
    }
    if (*axis == GND_FLAT) {
        *axis = 0;
        return gndi_temporaries_keep(s, gndi_flat(s->fn, a));
    }
    s->failed = !gndi_normalize_axis(s->fn, *axis, a->ndim, axis);
    return a;
}

/* A new array like `a`, its axis longer by `more`. */
static gnd_array *resized(gndi_temporaries *s, const gnd_array *a, int axis, int64_t more) {
    int64_t shape[GND_MAX_DIMS];
    memcpy(shape, a->shape, (size_t)a->ndim * sizeof *shape);
    shape[axis] += more;
    return gndi_temporaries_keep(s, gndi_new_in_its_order(s->fn, a, shape));
}

/* ---- insert --------------------------------------------------------------------------------- */

/* The values as NumPy reads them at a single position: as many dimensions as `a`; `moved`: its axis 0
   stands for `axis`. */
static const gnd_array *values_at(gndi_temporaries *s, const gnd_array *a, const gnd_array *values, int axis,
                                  bool moved) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    const int ones = a->ndim - values->ndim;
    if (ones < 0) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "values of shape %s have more dimensions than a, shape %s",
                   gndi_text_shape(values->ndim, values->shape), gndi_text_shape(a->ndim, a->shape));
        s->failed = true;
        return NULL;
    }
    for (int i = 0; i < a->ndim; i++) {
        int from = i; /* the axis in the leading-ones form */
        if (moved) from = i == axis ? 0 : i < axis ? i + 1 : i;
        shape[i] = from < ones ? 1 : values->shape[from - ones];
        strides[i] = from < ones ? 0 : values->strides[from - ones];
    }
    return gndi_temporaries_keep(
        s, gndi_array_view(s->fn, values, a->ndim, shape, strides, gndi_data(values), (gnd_dtype)values->dtype));
}

static bool check_values(gndi_temporaries *s, const gnd_array *a, gnd_arg values) {
    if (values.kind == GND_ARG_NONE)
        gndi_raise(GND_ERROR_INVALID, s->fn, "values are GND_NONE; give a number or an array");
    else if (!gndi_check_written(s->fn, a, values, "values"))
        return true;
    s->failed = true;
    return false;
}

/* Checked before anything is made: whether values go to `count` positions of the axis. */
static bool values_fit(gndi_temporaries *s, const gnd_array *a, gnd_arg values, int axis, int64_t count) {
    if (values.kind != GND_ARG_ARRAY) return true;
    const gnd_array *v = values.array;
    bool fits = v->ndim <= a->ndim;
    for (int i = 0; fits && i < v->ndim; i++) {
        const int to = i + a->ndim - v->ndim;
        fits = v->shape[i] == 1 || v->shape[i] == (to == axis ? count : a->shape[to]);
    }
    if (!fits) {
        gndi_raise(GND_ERROR_SHAPE, s->fn,
                   "values of shape %s do not broadcast to %lld indices along axis %d of shape %s",
                   gndi_text_shape(v->ndim, v->shape), (long long)count, axis, gndi_text_shape(a->ndim, a->shape));
        s->failed = true;
    }
    return fits;
}

static gnd_array *inserted(gndi_temporaries *s, const gnd_array *a, const positions *p, gnd_arg values, int axis,
                           bool block) {
    int64_t rows = p->count; /* how many go in */
    if (values.kind == GND_ARG_ARRAY && p->count == 1) {
        values = gnd_arg_array(values_at(s, a, values.array, axis, block));
        if (s->failed) return NULL;
        rows = values.array->shape[axis];
    }
    if (!values_fit(s, a, values, axis, rows)) return NULL;
    gnd_array *result = resized(s, a, axis, rows);
    if (!result || result->size == 0) return result;
    const int64_t width = p->count == 1 ? rows : 1; /* rows at one position */
    const int64_t last = p->first + (p->count - 1) * p->step;
    const int64_t to_last = p->first + (p->count - 1) * (p->step + 1);
    copy_run(s, result, 0, a, 0, axis, p->first);
    copy_groups(s, result, p->first + 1, p->step + 1, a, p->first, p->step, axis, p->count - 1, p->step);
    copy_run(s, result, to_last + width, a, last, axis, a->shape[axis] - last);
    gnd_array *gap = gndi_step_part(s, result, axis, p->backwards ? to_last : p->first, rows,
                                    p->count == 1 ? 1 : (p->step + 1) * (p->backwards ? -1 : 1));
    if (gap && gap->size) gndi_step_into(s, GNDI_OP_copy, gap, values, gnd_arg_none(), NULL);
    return result;
}

gnd_array *gnd_insert(const gnd_array *a, gnd_index at, gnd_arg values, int axis) {
    gndi_temporaries s = {.fn = "gnd_insert"};
    positions p;
    gnd_array *result = NULL;
    const gnd_array *line = along(&s, a, &axis);
    if (!s.failed && check_values(&s, line, values)) {
        const int64_t size = line->shape[axis];
        s.failed = find_positions(s.fn, at, axis, size, size, &p) != GND_OK;
        if (!s.failed && p.count == 0 && values_fit(&s, line, values, axis, 0))
            result = gndi_temporaries_keep(&s, gndi_copy_as(s.fn, line, (gnd_dtype)line->dtype, 'A'));
        else if (!s.failed)
            result = inserted(&s, line, &p, values, axis, at.kind == GND_INDEX_AT);
    }
    return gndi_temporaries_end(&s, result);
}

bool gndi_insert_check(gndi_temporaries *s, const gnd_array *a, gnd_arg values, int axis, int64_t count) {
    return check_values(s, a, values) && values_fit(s, a, values, axis, count);
}

gnd_array *gndi_insert_block(const char *fn, const gnd_array *a, int64_t index, gnd_arg values, int axis, bool moved) {
    gndi_temporaries s = {.fn = fn};
    positions p;
    gnd_array *result = NULL;
    if (!check_values(&s, a, values)) return NULL;
    const int64_t size = a->shape[axis];
    if (!find_positions(fn, gnd_index_at(index), axis, size, size, &p))
        result = inserted(&s, a, &p, values, axis, moved);
    return gndi_temporaries_end(&s, result);
}

/* ---- delete --------------------------------------------------------------------------------- */

gnd_array *gnd_delete(const gnd_array *a, gnd_index at, int axis) {
    gndi_temporaries s = {.fn = "gnd_delete"};
    positions p;
    const gnd_array *line = along(&s, a, &axis);
    if (!s.failed) {
        const int64_t size = line->shape[axis];
        s.failed = find_positions(s.fn, at, axis, size, size - 1, &p) != GND_OK;
    }
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    if (p.count == 0)
        return gndi_temporaries_end(&s,
                                    gndi_temporaries_keep(&s, gndi_copy_as(s.fn, line, (gnd_dtype)line->dtype, 'A')));
    gnd_array *result = resized(&s, line, axis, -p.count);
    if (result && result->size) {
        const int64_t behind = p.first + (p.count - 1) * p.step + 1;
        copy_run(&s, result, 0, line, 0, axis, p.first);
        copy_groups(&s, result, p.first, p.step - 1, line, p.first + 1, p.step, axis, p.count - 1, p.step - 1);
        copy_run(&s, result, behind - p.count, line, behind, axis, line->shape[axis] - behind);
    }
    return gndi_temporaries_end(&s, result);
}

/* ---- trim_zeros ----------------------------------------------------------------------------- */

/* Whether any element is not zero, for each position along an axis. */
static gnd_array *nonzero_along(gndi_temporaries *s, const gnd_array *a, int axis) {
    gnd_axes others = {0};
    for (int i = 0; i < a->ndim; i++)
        if (i != axis) others.axis[others.count++] = i;
    if (others.count == 0) others.count = -1;
    return gndi_temporaries_keep(s, gnd_any(a, others));
}

/* The first (or, backwards, last) position that is true: waits. */
static int64_t first_true(gndi_temporaries *s, const gnd_array *flags, bool backwards) {
    const int64_t size = flags->shape[0];
    const gnd_array *from = gndi_step_part(s, flags, 0, backwards ? size - 1 : 0, size, backwards ? -1 : 1);
    const gnd_array *position = s->failed ? NULL : gndi_temporaries_keep(s, gnd_argmax(from, GND_ALL));
    int64_t found = 0;
    if (!position || gnd_item(position, &found)) s->failed = true;
    return backwards ? size - 1 - found : found;
}

/* Whether anything is not zero: waits. */
static bool anything(gndi_temporaries *s, const gnd_array *a) {
    const gnd_array *any = gndi_temporaries_keep(s, gnd_any(a, GND_ALL));
    bool found = false;
    if (!any || gnd_item(any, &found)) s->failed = true;
    return found;
}

gnd_array *gnd_trim_zeros(const gnd_array *a, const char *ends, gnd_axes axes) {
    GNDI_PARTS_OF("gnd_trim_zeros");
    gndi_temporaries s = {.fn = "gnd_trim_zeros"};
    uint64_t named;
    if (gndi_missing(a)) return gndi_raise_null(s.fn, "a"), NULL;
    if (!ends) ends = "fb";
    const bool front = strpbrk(ends, "fF") != NULL, back = strpbrk(ends, "bB") != NULL;
    if (strlen(ends) != (size_t)front + back)
        return gndi_fail(GND_ERROR_INVALID, s.fn,
                         "the ends are \"%s\"; \"f\", \"b\" or \"fb\" "
                         "would be right",
                         ends);
    if (!gndi_normalize_axes(s.fn, &axes, a->ndim, &named)) return NULL;
    if (named == 0) return gndi_array_alias(s.fn, a);
    int64_t shape[GND_MAX_DIMS], first = 0, last = -1;
    char *data = gndi_data(a);
    const bool some = anything(&s, a);
    for (int i = 0; i < a->ndim; i++) {
        shape[i] = a->shape[i];
        if (!(named >> i & 1) || s.failed) continue;
        first = 0, last = some ? a->shape[i] - 1 : -1;
        const gnd_array *flags = some ? nonzero_along(&s, a, i) : NULL;
        if (flags && front) first = first_true(&s, flags, false);
        if (flags && back && !s.failed) last = first_true(&s, flags, true);
        shape[i] = last - first + 1;
        if (a->size > 0) data += first * a->strides[i];
    }
    if (s.failed) return gndi_temporaries_end(&s, NULL);
    gnd_array *view =
        gndi_temporaries_keep(&s, gndi_array_view(s.fn, a, a->ndim, shape, a->strides, data, (gnd_dtype)a->dtype));
    return gndi_temporaries_end(&s, view);
}
