/*
 * lines.c: arrays as lines along one axis. Filters want a line's elements side by side: an axis that is not dense
 * is brought to the end by a copy, and the result has its axis last in memory, seen in its own place.
 */
#include "resample/resample.h"
#include "array/view.h"

/* The order of axes that has `axis` last. */
static void axis_last(int ndim, int axis, int *order) {
    for (int k = 0; k < ndim - 1; k++) order[k] = k < axis ? k : k + 1;
    order[ndim - 1] = axis;
}

bool gndi_grid_of(const gnd_array *x, int axes, gndi_line_grid *grid) {
    int64_t shape[GND_MAX_DIMS], step[GND_MAX_DIMS]; /* the innermost first */
    int n = 0;
    *grid = (gndi_line_grid){.lines = 1};
    for (int k = axes - 1; k >= 0; k--) {
        grid->lines *= x->shape[k];
        if (x->shape[k] == 1) continue;
        if (n > 0 && x->strides[k] == step[n - 1] * shape[n - 1]) {
            shape[n - 1] *= x->shape[k];
            continue;
        }
        shape[n] = x->shape[k], step[n] = x->strides[k];
        n++;
    }
    if (n > GNDI_LINE_AXES) return false;
    grid->ndim = n;
    for (int k = 0; k < n; k++) grid->shape[k] = shape[n - 1 - k], grid->x_stride[k] = step[n - 1 - k];
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
    int n = 0;
    gndi_line_grid grid = {.lines = 1};
    int64_t shape[GND_MAX_DIMS], from[GND_MAX_DIMS], to[GND_MAX_DIMS]; /* the innermost first */
    for (int k = x->ndim - 2; k >= 0; k--) {
        grid.lines *= x->shape[k];
        if (x->shape[k] == 1) continue;
        if (n > 0 && x->strides[k] == from[n - 1] * shape[n - 1] && out->strides[k] == to[n - 1] * shape[n - 1]) {
            shape[n - 1] *= x->shape[k];
            continue;
        }
        shape[n] = x->shape[k], from[n] = x->strides[k], to[n] = out->strides[k];
        n++;
    }
    grid.ndim = n;
    for (int k = 0; k < n; k++)
        grid.shape[k] = shape[n - 1 - k], grid.x_stride[k] = from[n - 1 - k], grid.out_stride[k] = to[n - 1 - k];
    return grid;
}
