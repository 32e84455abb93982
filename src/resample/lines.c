/*
 * lines.c: arrays as lines along one axis. Filters want a line's elements side by side: an axis that is not dense
 * is brought to the end by a copy, and the result has its axis last in memory, seen in its own place.
 */
#include "core/axes.h"
#include "resample/resample.h"
#include "array/view.h"

/* The order of axes that has `axis` last. */
static void axis_last(int ndim, int axis, int *order) {
    for (int k = 0; k < ndim - 1; k++) order[k] = k < axis ? k : k + 1;
    order[ndim - 1] = axis;
}

bool gndi_grid_of(const gnd_array *x, int axes, gndi_line_grid *grid) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS], *const stride[] = {strides};
    gndi_walk w = {.operands = 1, .shape = shape, .stride = stride};
    for (int k = 0; k < axes; k++) gndi_walk_add(&w, x->shape[k], &x->strides[k]);
    *grid = (gndi_line_grid){.ndim = gndi_walk_merge(&w, 0, w.ndim), .lines = gndi_walk_size(&w)};
    if (grid->ndim > GNDI_LINE_AXES) return false;
    const size_t bytes = (size_t)grid->ndim * sizeof *shape;
    memcpy(grid->shape, shape, bytes), memcpy(grid->x_stride, strides, bytes);
    return true;
}

gnd_array *gndi_lines_of(gndi_temporaries *s, const gnd_array *x, int axis, gnd_dtype dtype) {
    int order[GND_MAX_DIMS];
    gndi_line_grid grid;
    if (s->failed) return NULL;
    axis_last(x->ndim, axis, order);
    gnd_array *moved = gndi_temporaries_keep(s, gndi_permuted(s->fn, x, order));
    if (!moved) return NULL;
    const int64_t n = moved->shape[moved->ndim - 1], step = moved->strides[moved->ndim - 1];
    const bool dense = n <= 1 || step == gndi_itemsize(moved);
    if ((gnd_dtype)moved->dtype == dtype && dense && gndi_grid_of(moved, moved->ndim - 1, &grid)) return moved;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, moved, dtype, 'C'));
}

gnd_array *gndi_lines_new(gndi_temporaries *s, const gnd_array *x, int axis, int64_t count, gnd_dtype dtype) {
    int order[GND_MAX_DIMS];
    int64_t shape[GND_MAX_DIMS];
    if (s->failed) return NULL;
    axis_last(x->ndim, axis, order);
    for (int k = 0; k < x->ndim; k++) shape[k] = x->shape[order[k]];
    shape[x->ndim - 1] = count;
    gnd_stream *stream = gndi_stream_on(x->buffer->device, s->fn);
    if (!stream) return gndi_temporaries_keep(s, NULL);
    return gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, x->ndim, shape, dtype, GNDI_ORDER_C));
}

gnd_array *gndi_lines_back(gndi_temporaries *s, const gnd_array *lines, int axis) {
    int order[GND_MAX_DIMS];
    if (s->failed) return NULL;
    for (int k = 0; k < lines->ndim; k++) order[k] = k < axis ? k : k == axis ? lines->ndim - 1 : k - 1;
    return gndi_temporaries_keep(s, gndi_sole_view(gndi_permuted(s->fn, lines, order)));
}

gndi_line_grid gndi_lines_grid(const gnd_array *x, const gnd_array *out) {
    int64_t shape[GND_MAX_DIMS], from[GND_MAX_DIMS], to[GND_MAX_DIMS], *const stride[] = {from, to};
    gndi_walk w = {.operands = 2, .shape = shape, .stride = stride};
    gndi_walk_arrays(&w, (const gnd_array *[]){x, out}, x->ndim - 1);
    gndi_line_grid grid = {.ndim = gndi_walk_merge(&w, 0, w.ndim), .lines = gndi_walk_size(&w)};
    const size_t bytes = (size_t)grid.ndim * sizeof *shape;
    memcpy(grid.shape, shape, bytes), memcpy(grid.x_stride, from, bytes), memcpy(grid.out_stride, to, bytes);
    return grid;
}
