/*
 * mask.c: elements of split arrays where a mask is true. They stay on their ranks: only their numbers are gathered,
 * from which the cuts of the result follow.
 */
#include "dist/align.h"
#include "dist/group.h"
#include <string.h>
#undef gnd_dist_compress
#undef gnd_dist_extract

/* The array with `local` along an axis that is cut along axis k of the mesh (-1: nowhere), and by `layout` else.
   Gathers how long blocks are; waits. NULL, and the same error, on all ranks if one has no block. */
static gnd_dist *of_blocks(gnd_mesh *mesh, const char *fn, gnd_array *local, int axis, int k, gnd_shape shape,
                           gnd_dtype dtype, gndi_layout layout) {
    const int64_t own[2] = {local ? GND_OK : (int64_t)gndi_dist_status(fn), local ? gnd_dim(local, axis) : 0};
    const int64_t *all = gndi_mesh_gather(mesh, fn, own, sizeof own);
    bool well = all != NULL;
    for (int r = 0; well && r < gnd_mesh_size(mesh); r++) well = all[2 * r] == GND_OK;
    if (!well) return all ? gndi_mesh_agree_on(mesh, fn, local ? NULL : gnd_error()) : 0, NULL;
    int64_t *cuts = mesh->link->numbers;
    cuts[0] = 0;
    for (int p = 0; p < (k < 0 ? 1 : mesh->grid[k]); p++)
        cuts[p + 1] = cuts[p] + all[2 * (k < 0 ? gnd_mesh_rank(mesh) : gndi_beside(mesh, k, p)) + 1];
    shape.dim[axis] = cuts[k < 0 ? 1 : mesh->grid[k]];
    for (int i = 0; i < 2; i++)
        if (layout.axis[i] == axis) layout.axis[i] = i == k ? axis : -1;
    if (k >= 0) layout.axis[k] = axis, layout.cuts[k] = cuts;
    gnd_dist *y = gndi_dist_new(mesh, fn, shape, dtype, layout);
    return y ? gndi_dist_done(y, fn, local) : NULL;
}

/* The condition's block beside x's, in *block; NULL if it failed. False, and an error, on all ranks for a bad one. */
static bool condition_of(const gnd_dist *x, const char *fn, gnd_dist_arg a, int axis, const gnd_array **block) {
    const int k = gndi_split_of(x, axis);
    if (a.is_dist ? !a.dist : !a.arg.array || a.arg.kind != GND_ARG_ARRAY) return gndi_dist_status(fn), false;
    const gnd_shape shape = a.is_dist ? a.dist->shape : gnd_shape_of(a.arg.array);
    if (shape.ndim != 1 || shape.dim[0] != x->shape.dim[axis])
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "the condition has %d axes, the first of %lld elements, not %lld",
                               shape.ndim, (long long)(shape.ndim ? shape.dim[0] : 1), (long long)x->shape.dim[axis]),
               false;
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    if (k >= 0) layout.axis[k] = 0, layout.cuts[k] = x->cuts[k];
    for (int i = 0; a.is_dist && i < 2; i++)
        if (gndi_is_split(a.dist, i) && i != k)
            return gndi_dist_raise(GND_ERROR_INVALID, fn,
                                   "the condition is split along axis %d of the mesh, where axis %d of x is not: "
                                   "gnd_dist_redistribute it",
                                   i, axis),
                   false;
    if (a.is_dist && !gndi_same_mesh(a.dist->mesh, x->mesh))
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "the condition is on another mesh"), false;
    if (a.is_dist) {
        gnd_dist *moved = gndi_dist_to(a.dist, layout, fn);
        if (!moved) return false;
        if (gndi_dist_here(moved, fn)) *block = gnd_slice(moved->local, "...");
        gnd_dist_release(moved);
    } else {
        const int64_t *cut = k < 0 ? NULL : x->cuts[k] + x->mesh->place[k];
        *block = cut ? gnd_slice(a.arg.array, "%lld:%lld", (long long)cut[0], (long long)cut[1]) : a.arg.array;
    }
    return true;
}

gnd_dist *gnd_dist_compress(gnd_dist_arg condition, const gnd_dist *x, int axis) {
    static const char fn[] = "gnd_dist_compress";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    char text[160];
    const gnd_array *block = NULL;
    const int at = axis < 0 ? axis + x->shape.ndim : axis;
    if (at < 0 || at >= x->shape.ndim)
        return gndi_dist_raise(GND_ERROR_AXIS, fn, "there is no axis %d of %d", axis, x->shape.ndim), NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s %d", gndi_text_dist(x, text, sizeof text), axis)) return NULL;
    if (!condition_of(x, fn, condition, at, &block)) return NULL;
    gnd_array *local = gndi_dist_here(x, fn) && block ? gnd_compress(block, x->local, GND_AXES(at)) : NULL;
    return of_blocks(x->mesh, fn, local, at, gndi_split_of(x, at), x->shape, x->dtype, gndi_layout_of(x));
}

/* Whether blocks follow each other in C order: the axis of the mesh that cuts x, or -1; -2: they do not. */
static int in_order(const gnd_dist *x) {
    const int k = gndi_is_split(x, 0) ? 0 : gndi_is_split(x, 1) ? 1 : -1;
    if (k == 0 && gndi_is_split(x, 1)) return -2;
    for (int i = 0; k >= 0 && i < x->axis[k]; i++)
        if (x->shape.dim[i] != 1) return -2;
    return k;
}

gnd_dist *gnd_dist_extract(gnd_dist_arg mask, const gnd_dist *x) {
    static const char fn[] = "gnd_dist_extract";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    char text[160];
    gndi_common c;
    const gnd_dist_arg operands[2] = {mask, gnd_dist_arg_dist(x)};
    const int k = in_order(x);
    const gnd_shape shape = mask.is_dist                     ? mask.dist ? mask.dist->shape : GND_SCALAR
                            : mask.arg.kind == GND_ARG_ARRAY ? gnd_shape_of(mask.arg.array)
                                                             : GND_SCALAR;
    if (k == -2)
        return gndi_dist_raise(GND_ERROR_INVALID, fn,
                               "x is %s, so that C order mixes the ranks' elements: "
                               "gnd_dist_redistribute it to axis 0",
                               gndi_layout_words(x, text, sizeof text)),
               NULL;
    if (!mask.is_dist && mask.arg.kind != GND_ARG_ARRAY)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "the mask is no array"), NULL;
    if (!gndi_align(&c, fn, 2, operands, x)) return NULL;
    if (shape.ndim != x->shape.ndim || memcmp(shape.dim, x->shape.dim, (size_t)shape.ndim * sizeof *shape.dim) != 0)
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "the mask has another shape than x"), NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s", gndi_text_dist(x, text, sizeof text))) return NULL;
    const gnd_array *block = gndi_aligned(&c, fn, mask).array;
    gnd_array *local = NULL;
    if (!c.failed || gndi_dist_here(c.failed, fn)) local = block ? gnd_extract(block, x->local) : NULL;
    return of_blocks(x->mesh, fn, local, 0, k, (gnd_shape){.ndim = 1}, x->dtype, (gndi_layout){{-1, -1}, {NULL, NULL}});
}
