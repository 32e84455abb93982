/*
 * layout.c: layouts as pure functions: cuts, blocks and their intersections. Nothing here moves or allocates.
 */
#include "dist/dist.h"
#include <stdio.h>
#include <string.h>

int64_t gndi_even_cut(int64_t length, int blocks, int k) {
    const int64_t each = length / blocks, longer = length % blocks;
    return k * each + (k < longer ? k : longer);
}

static bool cuts_fit(const int64_t *cuts, int count, int64_t length) {
    if (cuts[0] != 0 || cuts[count - 1] != length) return false;
    for (int i = 1; i < count; i++)
        if (cuts[i] < cuts[i - 1]) return false;
    return true;
}

bool gndi_layout_resolve(const gnd_mesh *mesh, const char *fn, gnd_shape shape, gnd_layout layout, gndi_layout *out) {
    for (int k = 0; k < 2; k++) {
        int axis = layout.axis[k];
        out->axis[k] = -1, out->cuts[k] = NULL;
        if (axis == GND_WHOLE) continue;
        if (axis < -shape.ndim || axis >= shape.ndim) {
            gndi_dist_raise(GND_ERROR_AXIS, fn, "the layout splits axis %d of an array of %d axes", axis, shape.ndim);
            return false;
        }
        out->axis[k] = axis = axis < 0 ? axis + shape.ndim : axis;
        if (layout.count[k] == 0) continue;
        if (layout.count[k] != mesh->grid[k] + 1 || !layout.cuts[k] ||
            !cuts_fit(layout.cuts[k], layout.count[k], shape.dim[axis])) {
            gndi_dist_raise(GND_ERROR_INVALID, fn,
                            "cuts of axis %d: %d numbers; they must be %d, from 0 to %lld, and "
                            "never fall",
                            axis, layout.count[k], mesh->grid[k] + 1, (long long)shape.dim[axis]);
            return false;
        }
        out->cuts[k] = layout.cuts[k];
    }
    if (out->axis[0] >= 0 && out->axis[0] == out->axis[1]) {
        gndi_dist_raise(GND_ERROR_AXIS, fn, "the layout splits axis %d along both axes of the mesh", out->axis[0]);
        return false;
    }
    return true;
}

void gndi_box_of(const gnd_dist *x, int rank, gndi_box *out) {
    for (int i = 0; i < x->shape.ndim; i++) out->start[i] = 0, out->count[i] = x->shape.dim[i];
    for (int k = 0; k < 2; k++) {
        if (x->axis[k] < 0) continue;
        const int64_t *cut = x->cuts[k] + gndi_place(x->mesh, rank, k);
        out->start[x->axis[k]] = cut[0], out->count[x->axis[k]] = cut[1] - cut[0];
    }
}

bool gndi_box_meet(int ndim, const gndi_box *a, const gndi_box *b, gndi_box *out) {
    bool meets = true;
    for (int i = 0; i < ndim; i++) {
        const int64_t start = a->start[i] > b->start[i] ? a->start[i] : b->start[i];
        const int64_t a_end = a->start[i] + a->count[i], b_end = b->start[i] + b->count[i];
        const int64_t end = a_end < b_end ? a_end : b_end;
        out->start[i] = start, out->count[i] = end > start ? end - start : 0;
        meets = meets && end > start;
    }
    return meets;
}

int gndi_split_of(const gnd_dist *x, int axis) {
    for (int k = 0; k < 2; k++)
        if (x->axis[k] == axis && gndi_is_split(x, k)) return k;
    return -1;
}

const char *gndi_layout_words(const gnd_dist *x, char *text, size_t capacity) {
    if (x->axis[0] < 0 && x->axis[1] < 0)
        snprintf(text, capacity, "in copies");
    else if (x->axis[0] >= 0 && x->axis[1] >= 0)
        snprintf(text, capacity, "split along axes %d and %d", x->axis[0], x->axis[1]);
    else
        snprintf(text, capacity, "split along axis %d", x->axis[0] >= 0 ? x->axis[0] : x->axis[1]);
    return text;
}

const char *gndi_text_dist(const gnd_dist *x, char *text, size_t capacity) {
    char layout[64];
    *text = 0;
    if (!x->mesh->link->check) return text; /* nobody reads it, and it would take as long as all the rest */
    size_t n = (size_t)snprintf(text, capacity, "%s (", gnd_dtype_name(x->dtype));
    for (int i = 0; i < x->shape.ndim && n < capacity; i++)
        n += (size_t)snprintf(text + n, capacity - n, i ? ", %lld" : "%lld", (long long)x->shape.dim[i]);
    if (n < capacity) snprintf(text + n, capacity - n, ") %s", gndi_layout_words(x, layout, sizeof layout));
    return text;
}
