/*
 * random_order.c: random orders: random keys are sorted with their original indices. Philox's keys have 32
 * bits, which sort in half the time of 64; equal ones are ordered by further words (random_ties.h). The
 * other generators have no further words for an element, and their keys have 64 bits.
 */
#include "index/index.h"
#include "elementwise/elementwise.h"
#include "random/random.h"
#include "sort/sort.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_random_permutation

/* Random words as an array of `rows` rows. The state that Philox's were drawn from is stored in `ties`, and a copy of
   the cell in *cell, which the caller releases. */
static gnd_array *draw_keys(const char *fn, gnd_random *g, gnd_stream *s, int64_t rows, int64_t length,
                            gndi_random_ties *ties, gndi_buffer **cell) {
    const bool narrow = g->state.kind == GNDI_PHILOX;
    const gnd_dtype dtype = narrow ? GND_UINT32 : GND_UINT64;
    const int64_t shape[2] = {rows, length};
    gnd_array *keys = gndi_array_new_on(fn, s, 2, shape, dtype, GNDI_ORDER_C);
    if (!keys) return NULL;
    gndi_random_plan plan = {.distribution = GNDI_RANDOM_words,
                             .dtype = (uint8_t)dtype,
                             .words = narrow ? 1 : 2,
                             .uniform = true,
                             .ndim = 1,
                             .shape = {keys->size},
                             .size = keys->size,
                             .out = gndi_data(keys)};
    if (!gndi_random_submit_keeping(fn, g, s, &plan, keys, narrow ? cell : NULL)) {
        ties->engine = plan.engine, ties->length = length, ties->rows = rows;
        ties->engine.cell = *cell ? (*cell)->base : NULL;
        return keys;
    }
    gnd_release(keys);
    return NULL;
}

static gnd_status break_ties(const char *fn, gnd_stream *s, gndi_random_ties *ties, const gnd_array *keys,
                             const gnd_array *indices, gndi_buffer *cell) {
    ties->keys = (const uint32_t *)(const void *)gndi_data(keys);
    ties->indices = (int64_t *)(void *)gndi_data(indices);
    gnd_status status = cell ? gndi_order_read(s, cell, fn) : GND_OK;
    if (!status) status = gndi_order_read(s, keys->buffer, fn);
    if (!status) status = gndi_order_write(s, indices->buffer, fn);
    if (!status) status = s->device->backend->random_ties(s, ties, fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

gnd_array *gndi_random_order(const char *fn, gnd_random *g, int64_t rows, int64_t length) {
    const int64_t shape[2] = {rows, length};
    gnd_stream *s = gndi_random_stream(g, fn);
    gnd_array *indices = s ? gndi_array_new_on(fn, s, 2, shape, GND_INT64, GNDI_ORDER_C) : NULL;
    if (!indices || indices->size == 0) return indices;
    gndi_random_ties ties;
    gndi_buffer *cell = NULL;
    gnd_array *keys = draw_keys(fn, g, s, rows, length, &ties, &cell), *sorted = keys;
    const bool narrow = keys && keys->dtype == GND_UINT32;
    /* On the CPU, threads sort a long row out of place, and store the keys one at a time. */
    if (narrow && s->device->id.kind == GND_CPU) sorted = gndi_array_new_on(fn, s, 2, shape, GND_UINT32, GNDI_ORDER_C);
    gnd_status status = sorted ? GND_OK : GND_ERROR_MEMORY;
    if (!status) {
        const gndi_sort_request sort = {.fn = fn,
                                        .x = keys,
                                        .axis = 1,
                                        .direction = GND_ASCENDING,
                                        .values = narrow ? sorted : NULL,
                                        .indices = indices};
        status = gndi_sort_run(&sort);
        if (!status && narrow) status = break_ties(fn, s, &ties, sorted, indices, cell);
    }
    if (sorted != keys) gnd_release(sorted);
    gnd_release(keys);
    if (cell) gndi_buffer_release(cell);
    if (!status) return indices;
    gnd_release(indices);
    return NULL;
}

/* One row of indices, in a shape with as many elements. */
static gnd_array *order_in_shape(const char *fn, gnd_random *g, int ndim, const int64_t *shape) {
    int64_t size = 1;
    for (int i = 0; i < ndim; i++) size *= shape[i];
    gnd_array *row = gndi_random_order(fn, g, 1, size);
    if (!row) return NULL;
    gnd_array *view =
        gndi_sole_view(gndi_array_view(fn, row, ndim, shape, NULL, gndi_data(row), (gnd_dtype)row->dtype));
    gnd_release(row);
    return view;
}

/* ---- permutations --------------------------------------------------------------------------- */

static gnd_status check_device(const char *fn, const gnd_random *g, const gnd_array *x) {
    if (!g || gndi_missing(x)) return gndi_raise_null(fn, g ? "x" : "g");
    gnd_stream *s = gndi_random_stream((gnd_random *)(uintptr_t)g, fn);
    if (!s) return GND_ERROR_DEVICE;
    if (s->device == x->buffer->device) return GND_OK;
    return gndi_raise(GND_ERROR_DEVICE, fn, "x is %s, and the generator draws on %s", gndi_text_array(x),
                      gndi_text_device(s->device->id));
}

/* Checks that x has an axis, and normalizes it. */
static gnd_status check_axis(const char *fn, const gnd_array *x, int axis, int *normal) {
    if (x->ndim == 0) return gndi_raise(GND_ERROR_SHAPE, fn, "x has no dimension, and nothing to permute");
    return gndi_normalize_axis(fn, axis, x->ndim, normal) ? GND_OK : GND_ERROR_AXIS;
}

/* A new array with x's slices along an axis in a random order. */
static gnd_array *rearranged(const char *fn, gnd_random *g, const gnd_array *x, int axis) {
    const int64_t n = x->shape[axis];
    gnd_array *order = order_in_shape(fn, g, 1, &n);
    const gnd_axes along = {.count = 1, .axis = {axis}};
    gnd_array *result = order ? gnd_take(x, order, along, GND_RAISE) : NULL;
    gnd_release(order);
    return result;
}

gnd_array *gnd_random_permutation(gnd_random *g, gnd_arg x, int axis) {
    static const char fn[] = "gnd_random_permutation";
    GNDI_PARTS_OF(fn);
    if (!g) return gndi_raise_null(fn, "g"), (gnd_array *)NULL;
    if (x.kind == GND_ARG_ARRAY) {
        int normal;
        if (check_device(fn, g, x.array) || check_axis(fn, x.array, axis, &normal)) return NULL;
        return rearranged(fn, g, x.array, normal);
    }
    if (x.kind != GND_ARG_INT && x.kind != GND_ARG_UINT)
        return gndi_fail(GND_ERROR_INVALID, fn, "x must be an array, or how many numbers there are");
    if (x.i < 0) /* an unsigned number beyond 2^63 as well */
        return gndi_fail(GND_ERROR_VALUE, fn, "x is no number of elements that there could be");
    return order_in_shape(fn, g, 1, &x.i);
}

gnd_status gnd_random_shuffle(gnd_random *g, gnd_array *x, int axis) {
    static const char fn[] = "gnd_random_shuffle";
    GNDI_PARTS_OF(fn);
    int normal;
    gnd_status status = check_device(fn, g, x);
    if (!status) status = gndi_check_target(fn, x);
    if (!status) status = check_axis(fn, x, axis, &normal);
    if (status) return status;
    gnd_array *shuffled = rearranged(fn, g, x, normal);
    status = shuffled ? gndi_copy_into(fn, x, shuffled) : gndi_ew_pending();
    gnd_release(shuffled);
    return status;
}

/* An independent random order for each line along an axis, in x's shape. */
static gnd_array *orders_along(const char *fn, gnd_random *g, const gnd_array *x, int axis) {
    const int64_t n = x->shape[axis];
    gnd_array *rows = gndi_random_order(fn, g, n ? x->size / n : 0, n);
    if (!rows) return NULL;
    int64_t strides[GND_MAX_DIMS], step = 8 * n;
    for (int i = x->ndim - 1; i >= 0; i--) {
        strides[i] = i == axis ? 8 : step;
        if (i != axis) step *= x->shape[i];
    }
    gnd_array *view = gndi_array_view(fn, rows, x->ndim, x->shape, strides, gndi_data(rows), GND_INT64);
    gnd_release(rows);
    return view;
}

gnd_array *gnd_random_permuted(gnd_random *g, const gnd_array *x, gnd_axes axes) {
    static const char fn[] = "gnd_random_permuted";
    GNDI_PARTS_OF(fn);
    if (check_device(fn, g, x)) return NULL;
    if (axes.count > 1 || axes.count < 0 || axes.keepdims || axes.dtype || axes.where || axes.initial)
        return gndi_fail(GND_ERROR_INVALID, fn, "takes one axis, or GND_ALL, and of the options out alone");
    if (axes.out && !gndi_check_out(fn, x, axes.out, x->ndim, x->shape)) return NULL;
    int axis = 0;
    if (axes.count == 1 && check_axis(fn, x, axes.axis[0], &axis)) return NULL;
    gnd_array *order = axes.count ? orders_along(fn, g, x, axis) : order_in_shape(fn, g, x->ndim, x->shape);
    if (!order) return NULL;
    gnd_array *result = axes.count ? gnd_take_along_axis(x, order, axes) : gnd_take(x, order, axes, GND_RAISE);
    gnd_release(order);
    return result;
}
