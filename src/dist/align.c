/*
 * align.c: broadcasting split operands: which layouts go together, and how their blocks are brought to the same cuts.
 */
#include "dist/align.h"
#include <string.h>

bool gndi_same_mesh(const gnd_mesh *a, const gnd_mesh *b) {
    return a->link == b->link && a->grid[0] == b->grid[0] && a->grid[1] == b->grid[1];
}

static gnd_shape shape_of(gnd_dist_arg operand) {
    static const gnd_shape scalar;
    if (operand.is_dist) return operand.dist->shape;
    return operand.arg.kind == GND_ARG_ARRAY ? gnd_shape_of(operand.arg.array) : scalar;
}

/* Takes over the axis that x splits along axis k of the mesh; false if another one is split already. */
static bool join(gndi_common *c, const char *fn, const gnd_dist *x, int k) {
    const int axis = x->axis[k] + c->shape.ndim - x->shape.ndim;
    char text[64];
    if (x->shape.dim[x->axis[k]] == 1 && c->shape.dim[axis] != 1)
        return gndi_dist_raise(GND_ERROR_INVALID, fn,
                               "an operand is split along axis %d, of length 1, that is broadcast: "
                               "gnd_dist_redistribute it to copies",
                               x->axis[k]),
               false;
    if (c->layout.axis[k] == axis) return true;
    if (c->layout.axis[k] >= 0 || c->fixed)
        return gndi_dist_raise(GND_ERROR_INVALID, fn,
                               "an operand is %s where another one, or the result, is split along "
                               "axis %d of the result, or not: gnd_dist_redistribute one of them",
                               gndi_layout_words(x, text, sizeof text), c->layout.axis[k]),
               false;
    if (c->layout.axis[1 - k] == axis)
        return gndi_dist_raise(GND_ERROR_INVALID, fn,
                               "axis %d of the result would be split along both axes of the mesh: "
                               "gnd_dist_redistribute one operand",
                               axis),
               false;
    c->layout.axis[k] = axis, c->layout.cuts[k] = x->cuts[k];
    return true;
}

static bool common_shape(gndi_common *c, const char *fn, int count, const gnd_dist_arg *operands) {
    for (int i = 0; i < count; i++) {
        const gnd_dist *x = operands[i].dist;
        const bool is_array = operands[i].is_dist || operands[i].arg.kind == GND_ARG_ARRAY;
        if (operands[i].is_dist ? !x : is_array && !operands[i].arg.array) return gndi_dist_status(fn), false;
        if (operands[i].is_dist && !c->mesh) c->mesh = x->mesh;
        if (operands[i].is_dist && !gndi_same_mesh(c->mesh, x->mesh))
            return gndi_dist_raise(GND_ERROR_INVALID, fn, "the operands are on different meshes"), false;
        if (!is_array) continue;
        const gnd_shape shapes[2] = {c->shape, shape_of(operands[i])};
        c->shape = gnd_broadcast_shapes(2, shapes);
        if (c->shape.ndim < shapes[0].ndim || c->shape.ndim < shapes[1].ndim) return false;
    }
    if (c->mesh) return true;
    return gndi_dist_raise(GND_ERROR_INVALID, fn, "no argument is a split array"), false;
}

bool gndi_align(gndi_common *c, const char *fn, int count, const gnd_dist_arg *operands, const gnd_dist *target) {
    *c = (gndi_common){.layout = {{-1, -1}, {NULL, NULL}}};
    if (target) c->mesh = target->mesh;
    if (!common_shape(c, fn, count, operands)) return false;
    if (target) {
        if (c->shape.ndim != target->shape.ndim ||
            memcmp(c->shape.dim, target->shape.dim, (size_t)c->shape.ndim * sizeof *c->shape.dim) != 0)
            return gndi_dist_raise(GND_ERROR_SHAPE, fn,
                                   "the result has another shape than the array that it is written "
                                   "to"),
                   false;
        for (int k = 0; k < 2; k++)
            if (gndi_is_split(target, k)) c->layout.axis[k] = target->axis[k], c->layout.cuts[k] = target->cuts[k];
        c->fixed = true;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; operands[i].is_dist && k < 2; k++)
            if (gndi_is_split(operands[i].dist, k) && !join(c, fn, operands[i].dist, k)) return false;
    for (int i = 0; i < count && !c->failed; i++)
        if (operands[i].is_dist && !operands[i].dist->local) c->failed = operands[i].dist;
    return true;
}

/* The layout of an operand with this shape that fits the others. */
static gndi_layout wanted(const gndi_common *c, gnd_shape shape) {
    gndi_layout want = {{-1, -1}, {NULL, NULL}};
    for (int k = 0; k < 2; k++) {
        const int axis = c->layout.axis[k] - (c->shape.ndim - shape.ndim);
        if (c->layout.axis[k] < 0 || axis < 0) continue;
        if (shape.dim[axis] == 1 && c->shape.dim[c->layout.axis[k]] != 1) continue; /* it is broadcast */
        want.axis[k] = axis, want.cuts[k] = c->layout.cuts[k];
    }
    return want;
}

static bool lies_so(const gnd_dist *x, const gndi_layout *want) {
    for (int k = 0; k < 2; k++) {
        if (x->mesh->grid[k] == 1) continue;
        if (x->axis[k] != want->axis[k]) return false;
        if (x->axis[k] >= 0 &&
            memcmp(x->cuts[k], want->cuts[k], (size_t)(x->mesh->grid[k] + 1) * sizeof *x->cuts[k]) != 0)
            return false;
    }
    return true;
}

bool gndi_aligned_moves(const gndi_common *c, int count, const gnd_dist_arg *operands) {
    for (int i = 0; i < count; i++) {
        if (!operands[i].is_dist) continue;
        const gndi_layout want = wanted(c, operands[i].dist->shape);
        if (!lies_so(operands[i].dist, &want)) return true;
    }
    return false;
}

/* The part of an array that all ranks have, which goes with this rank's blocks. */
static const gnd_array *part_of_copy(const gndi_common *c, const gnd_array *a) {
    const gndi_layout want = wanted(c, gnd_shape_of(a));
    gnd_index item[GND_MAX_DIMS];
    const int ndim = gnd_ndim(a);
    if (want.axis[0] < 0 && want.axis[1] < 0) return a;
    for (int i = 0; i < ndim; i++) item[i] = gnd_index_all();
    for (int k = 0; k < 2; k++) {
        if (want.axis[k] < 0) continue;
        const int64_t *cut = want.cuts[k] + c->mesh->place[k];
        item[want.axis[k]] = gnd_index_range(cut[0], cut[1], 1);
    }
    return gnd_slice_ix(a, ndim, item);
}

gnd_arg gndi_aligned(gndi_common *c, const char *fn, gnd_dist_arg operand) {
    if (!operand.is_dist) {
        if (operand.arg.kind != GND_ARG_ARRAY) return operand.arg;
        return gnd_arg_array(part_of_copy(c, operand.arg.array));
    }
    const gnd_dist *x = operand.dist;
    const gndi_layout want = wanted(c, x->shape);
    if (lies_so(x, &want)) return gnd_arg_array(x->local ? x->local : gnd_empty(GND_SHAPE(0), x->dtype));
    gnd_dist *moved = gndi_dist_to(x, want, fn);
    const gnd_array *local = moved && moved->local ? gnd_slice(moved->local, "...") : gnd_empty(GND_SHAPE(0), x->dtype);
    if (moved && !moved->local && !c->failed) c->failed = x; /* its error is pending */
    gnd_dist_release(moved);
    return gnd_arg_array(local);
}
