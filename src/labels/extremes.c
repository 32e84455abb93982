/*
 * extremes.c: extremes over labels, where they are, and the boxes around labels (scipy.ndimage.minimum, maximum,
 * extrema, minimum_position, maximum_position, find_objects): one hook, which also takes the index along an axis in
 * place of the elements.
 */
#include "labels/measure.h"
#include <gnd.h>

/* ---- the hook ------------------------------------------------------------------------------- */

/* The dtype that has all elements in their order. */
static gnd_dtype compared_dtype(int dtype) {
    if (dtype == GND_FLOAT64 || dtype == GND_INT64 || dtype == GND_UINT64) return (gnd_dtype)dtype;
    return dtype == GND_INT32 || dtype == GND_UINT32 ? GND_INT64 : GND_FLOAT32;
}

/* The extremes, groups x 2, and with `at` their positions; of x NULL of the index along an axis. */
static gnd_array *extremes(gndi_temporaries *s, const gndi_measured *m, gndi_label_extremes_plan *p, gnd_dtype dtype,
                           const gnd_array *x, gnd_array **at) {
    if (s->failed) return NULL;
    const gnd_array *like = m->labels ? m->labels : x;
    const bool gpu = !gndi_is_on_cpu(like);
    const int64_t pairs[2] = {m->groups, 2}, keys = gpu ? 4 * m->groups : 1;
    for (p->bits = 1; ((int64_t)1 << p->bits) < 2 * m->groups;) p->bits++;
    const int64_t table = gpu && m->index ? 1 + ((int64_t)1 << p->bits) : 1;
    gnd_array *made[4] = {NULL, NULL, NULL, NULL};
    const gnd_dtype of[4] = {dtype, GND_INT64, GND_UINT64, GND_INT32};
    for (int k = 0; k < 4; k++) {
        if (k == 1 && !at) continue;
        const int64_t *shape = k < 2 ? pairs : k == 2 ? &keys : &table;
        made[k] = gndi_temporaries_keep(s, gndi_new_on_device_of(s->fn, like, k < 2 ? 2 : 1, shape, of[k]));
    }
    if (at) *at = made[1];
    if (s->failed || m->groups == 0) return made[0];
    if (like->size == 0) {
        for (int k = 0; k < 2 && !s->failed; k++)
            if (made[k]) s->failed = gndi_assign(s->fn, made[k], GND_ARG(0)) != GND_OK;
        return made[0];
    }
    gnd_stream *stream = gndi_work_begin(s->fn, 3, (const gnd_array *[]){like, x, m->index}, 4,
                                         (const gnd_array *[]){made[0], made[1], made[2], made[3]});
    s->failed = !stream;
    if (s->failed) return NULL;
    p->x = x ? gndi_data(x) : NULL, p->x_dtype = (uint8_t)dtype, p->n = like->size, p->groups = m->groups;
    p->labels = m->labels ? gndi_data(m->labels) : NULL, p->label_dtype = m->labels ? m->labels->dtype : GND_INT32;
    p->index = m->index ? (const int64_t *)(const void *)gndi_data(m->index) : NULL;
    p->out = gndi_data(made[0]), p->at = at ? (int64_t *)(void *)gndi_data(made[1]) : NULL;
    p->keys = (uint64_t *)(void *)gndi_data(made[2]), p->table = (int32_t *)(void *)gndi_data(made[3]);
    s->failed = gndi_work_end(stream, stream->device->backend->label_extremes(stream, p, s->fn), s->fn) != GND_OK;
    return made[0];
}

/* ---- results -------------------------------------------------------------------------------- */

/* Column 0 or 1 of the table, of the index's shape and the input's dtype. */
static gnd_array *values_of(gndi_temporaries *s, const gnd_array *table, int column, gnd_dtype dtype,
                            const gnd_array *index) {
    gnd_array *flat = s->failed ? NULL : gndi_step_at(s, table, 1, column);
    if (!s->failed) flat = gndi_temporaries_keep(s, gndi_copy_as(s->fn, flat, dtype, 'C'));
    if (s->failed) return NULL;
    gnd_array *shaped = gndi_reshaped(s->fn, flat, index ? index->ndim : 0, index ? index->shape : NULL);
    return gndi_temporaries_keep(s, gndi_sole_view(shaped));
}

/* Flat positions, as an index along each of the input's axes, in a last axis. */
static gnd_array *positions_of(gndi_temporaries *s, gnd_array *left, const gnd_array *x, const gnd_array *index) {
    gnd_array *result = gndi_measured_result(s, x, index, x->ndim, GND_INT64);
    const int64_t shape[2] = {s->failed ? 0 : left->shape[0], x->ndim};
    gnd_array *flat = s->failed ? NULL : gndi_temporaries_keep(s, gndi_reshaped(s->fn, result, 2, shape));
    for (int a = x->ndim - 1; a >= 0 && !s->failed && result->size > 0; a--) {
        gnd_array *to = gndi_step_at(s, flat, 1, a);
        const gnd_arg extent = gnd_arg_int(x->shape[a]);
        if (!s->failed) gndi_step_into(s, GNDI_OP_remainder, to, gnd_arg_array(left), extent, NULL);
        if (!s->failed && a > 0) left = gndi_step(s, GNDI_OP_floor_divide, gnd_arg_array(left), extent);
    }
    return result;
}

/* What is wanted of the extremes; NULL: not. */
typedef struct wanted {
    gnd_array **minimum, **maximum, **minimum_at, **maximum_at;
} wanted;

/* Of all elements of an array on the CPU, in its own dtype. */
static void measure_all(gndi_temporaries *s, const gnd_array *x, gnd_array **const given[4]) {
    for (int k = 0; k < 2 && !s->failed; k++) {
        gnd_array *made = !given[k] ? NULL : gndi_temporaries_keep(s, k ? gnd_max(x, GND_ALL) : gnd_min(x, GND_ALL));
        if (made && gndi_dtype_is_float(x->dtype)) /* -0 */
            gndi_step_into(s, GNDI_OP_add, made, gnd_arg_array(made), gnd_arg_int(0), NULL);
        if (made) gndi_temporaries_give(s, made, given[k]);
    }
    for (int k = 0; k < 2 && !s->failed; k++) {
        gnd_array *at =
            !given[2 + k] ? NULL : gndi_temporaries_keep(s, k ? gnd_argmax(x, GND_ALL) : gnd_argmin(x, GND_ALL));
        if (at) at = gndi_temporaries_keep(s, gndi_reshaped(s->fn, at, 1, (const int64_t[]){1}));
        if (at) gndi_temporaries_give(s, positions_of(s, at, x, NULL), given[2 + k]);
    }
}

static gnd_status measure(const char *fn, const gnd_array *input, const gnd_array *labels, const gnd_array *index,
                          const wanted *to) {
    gndi_temporaries s = {.fn = fn};
    gnd_array **const given[4] = {to->minimum, to->maximum, to->minimum_at, to->maximum_at};
    gndi_label_extremes_plan p = {.propagates = !index || !labels};
    for (int k = 0; k < 4; k++)
        if (given[k]) *given[k] = NULL;
    if (!gndi_measured_check(fn, input, labels, index, true)) return gndi_ew_pending();
    GNDI_PARTS_OF(fn);
    if (!labels && input->size > 0 && gndi_is_on_cpu(input)) {
        measure_all(&s, input, given);
        return gndi_temporaries_status(&s);
    }
    const gndi_measured m = gndi_measured_of(&s, input, labels, index, compared_dtype(input->dtype));
    if (!s.failed && m.x->size == 0 && !m.index) {
        s.failed = true;
        gndi_raise(GND_ERROR_VALUE, fn, "an array of shape %s has no extremes", gndi_text_shape(m.x->ndim, m.x->shape));
    }
    p.propagates &= !s.failed && gndi_dtype_is_float(m.x->dtype);
    gnd_array *at = NULL;
    const bool places = to->minimum_at || to->maximum_at;
    const gnd_array *shaped = m.index ? index : NULL;
    gnd_array *table = NULL;
    if (!s.failed) table = extremes(&s, &m, &p, (gnd_dtype)m.x->dtype, m.x, places ? &at : NULL);
    for (int k = 0; k < 2; k++)
        if (given[k]) gndi_temporaries_give(&s, values_of(&s, table, k, (gnd_dtype)input->dtype, shaped), given[k]);
    for (int k = 0; k < 2; k++)
        if (given[2 + k])
            gndi_temporaries_give(&s, s.failed ? NULL : positions_of(&s, gndi_step_at(&s, at, 1, k), m.x, shaped),
                                  given[2 + k]);
    return gndi_temporaries_status(&s);
}

/* ---- the functions -------------------------------------------------------------------------- */

gnd_array *gnd_minimum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gnd_array *result = NULL;
    measure("gnd_minimum_labels", input, labels, index, &(wanted){.minimum = &result});
    return result;
}
gnd_array *gnd_maximum_labels(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gnd_array *result = NULL;
    measure("gnd_maximum_labels", input, labels, index, &(wanted){.maximum = &result});
    return result;
}
gnd_array *gnd_minimum_position(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gnd_array *result = NULL;
    measure("gnd_minimum_position", input, labels, index, &(wanted){.minimum_at = &result});
    return result;
}
gnd_array *gnd_maximum_position(const gnd_array *input, const gnd_array *labels, const gnd_array *index) {
    gnd_array *result = NULL;
    measure("gnd_maximum_position", input, labels, index, &(wanted){.maximum_at = &result});
    return result;
}
gnd_status gnd_extrema(gnd_array **minimum, gnd_array **maximum, gnd_array **minimum_position,
                       gnd_array **maximum_position, const gnd_array *input, const gnd_array *labels,
                       const gnd_array *index) {
    return measure("gnd_extrema", input, labels, index,
                   &(wanted){minimum, maximum, minimum_position, maximum_position});
}

/* ---- boxes ---------------------------------------------------------------------------------- */

/* The largest label, which is waited for. */
static bool largest_label(gndi_temporaries *s, const gnd_array *input, int64_t *most) {
    *most = 0;
    if (input->size == 0) return true;
    gnd_array *largest = gndi_temporaries_keep(s, gnd_max(input, GND_ALL));
    largest = s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(s->fn, largest, GND_INT64, 'C'));
    s->failed |= !largest || gnd_item(largest, most) != GND_OK;
    return !s->failed;
}

/* 1, 2, ... */
static const gnd_array *labels_up_to(gndi_temporaries *s, const gnd_array *like, int64_t most) {
    gnd_array *made = gndi_temporaries_keep(s, gnd_arange(1, most + 1, 1, GND_INT64));
    return s->failed ? NULL : gndi_temporaries_keep(s, gnd_to_device(made, gnd_device_of(like)));
}

/* On the CPU all axes in one pass. */
static void boxes_at_once(gndi_temporaries *s, const gnd_array *input, gnd_array *result) {
    const gnd_array *labels = gndi_measured_dense(s, input, (gnd_dtype)input->dtype);
    if (s->failed) return;
    gnd_stream *stream = gndi_work_begin(s->fn, 1, &labels, 1, (const gnd_array *[]){result});
    s->failed = !stream;
    if (s->failed) return;
    gndi_label_extremes_plan p = {.labels = gndi_data(labels), .label_dtype = labels->dtype, .n = labels->size};
    p.groups = result->shape[0], p.axes = labels->ndim, p.out = gndi_data(result);
    memcpy(p.shape, labels->shape, (size_t)labels->ndim * sizeof *p.shape);
    s->failed = gndi_work_end(stream, stream->device->backend->label_extremes(stream, &p, s->fn), s->fn) != GND_OK;
}

/* One pass for each axis. */
static void boxes_by_axes(gndi_temporaries *s, const gnd_array *input, gnd_array *result) {
    gndi_measured m = {.groups = result->shape[0], .index = labels_up_to(s, input, result->shape[0])};
    if (!s->failed) m.labels = gndi_measured_labels(s, input);
    for (int a = 0; a < input->ndim && !s->failed; a++) {
        gndi_temporaries part = {.fn = s->fn};
        gndi_label_extremes_plan p = {.extent = input->shape[a], .inner = 1};
        for (int k = a + 1; k < input->ndim; k++) p.inner *= input->shape[k];
        gnd_array *table = extremes(&part, &m, &p, GND_INT64, NULL, NULL), *to = gndi_step_at(&part, result, 1, a);
        if (!part.failed) part.failed = gndi_copy_into(s->fn, to, table) != GND_OK;
        gnd_array *stop = part.failed ? NULL : gndi_step_at(&part, to, 1, 1);
        if (!part.failed) gndi_step_into(&part, GNDI_OP_add, stop, gnd_arg_array(stop), gnd_arg_int(1), NULL);
        gndi_temporaries_end_part(s, &part);
    }
}

gnd_array *gnd_find_objects(const gnd_array *input, int64_t max_label) {
    gndi_temporaries s = {.fn = "gnd_find_objects"};
    if (!gndi_measured_check(s.fn, input, input, NULL, true)) return NULL;
    GNDI_PARTS_OF(s.fn);
    if (max_label < 1 && !largest_label(&s, input, &max_label)) return gndi_temporaries_end(&s, NULL);
    if (max_label < 0) max_label = 0;
    const int64_t shape[3] = {max_label, input->ndim, 2};
    gnd_array *result = gndi_temporaries_keep(&s, gndi_new_on_device_of(s.fn, input, 3, shape, GND_INT64));
    if (!s.failed && result->size > 0) {
        if (input->size == 0)
            s.failed = gndi_assign(s.fn, result, GND_ARG(0)) != GND_OK;
        else if (gndi_is_on_cpu(input))
            boxes_at_once(&s, input, result);
        else
            boxes_by_axes(&s, input, result);
    }
    return gndi_temporaries_end(&s, result);
}
