/*
 * index.c: take, put and at: indices along one axis of a split array. Where that axis is whole they are gnd's on each
 * block; else indices and values go to the ranks that have the elements (route.c).
 */
#include "dist/index/index.h"
#include <string.h>
#undef gnd_dist_take
#undef gnd_dist_put
#undef gnd_dist_at

typedef struct indexing {
    const char *fn;
    const gnd_dist *x;
    int axis, k; /* k: the mesh axis that cuts it, or -1 */
    gnd_index_mode mode;
    const gnd_dist *split;    /* the indices, or NULL: all ranks have `local` */
    const gnd_array *local;   /* this rank's block of them; NULL: they failed */
    gnd_shape indices, block; /* shapes of all indices, and of the block */
    int along[2];             /* their axis that is split along each axis of the mesh, or -1 */
    gnd_shape shape;          /* of what they name */
    gndi_layout layout;
} indexing;

/* ---- what is indexed ---------------------------------------------------------------------------------------- */

static bool read_indices(indexing *ix, gnd_dist_arg a) {
    const char *fn = ix->fn;
    gnd_dtype dtype = GND_INT64;
    ix->along[0] = ix->along[1] = -1;
    if (a.is_dist ? !a.dist : a.arg.kind == GND_ARG_ARRAY && !a.arg.array) return gndi_dist_status(fn), false;
    if (a.is_dist) {
        ix->split = a.dist, ix->local = a.dist->local, ix->indices = a.dist->shape, dtype = a.dist->dtype;
        ix->block = gndi_dist_local_shape(a.dist);
        if (!gndi_same_mesh(a.dist->mesh, ix->x->mesh))
            return gndi_dist_raise(GND_ERROR_INVALID, fn, "the indices are on another mesh"), false;
        for (int k = 0; k < 2; k++)
            if (gndi_is_split(a.dist, k)) ix->along[k] = a.dist->axis[k];
    } else if (a.arg.kind == GND_ARG_ARRAY) {
        ix->local = a.arg.array, ix->indices = ix->block = gnd_shape_of(a.arg.array), dtype = gnd_dtype_of(a.arg.array);
    } else if (a.arg.kind == GND_ARG_INT) {
        ix->local = (gnd_full)(GND_SCALAR, a.arg, GND_INT64), ix->indices = ix->block = GND_SCALAR;
    } else {
        dtype = GND_BOOL;
    }
    if (gnd_dtype_kind(dtype) == 'i' || gnd_dtype_kind(dtype) == 'u') return true;
    return gndi_dist_raise(GND_ERROR_DTYPE, fn, "indices are integers: an array or a C integer, not %s",
                           a.is_dist || a.arg.kind == GND_ARG_ARRAY ? gnd_dtype_name(dtype) : "another number"),
           false;
}

/* The layout of what is named: the indices' along their axes, x's along the others. */
static bool read_layout(indexing *ix, bool written) {
    const gnd_dist *x = ix->x;
    ix->layout = (gndi_layout){{-1, -1}, {NULL, NULL}};
    for (int k = 0; k < 2; k++) {
        const bool cut = gndi_is_split(x, k), other = cut && k != ix->k;
        if (ix->along[k] >= 0 && (other || (written && !cut)))
            return gndi_dist_raise(GND_ERROR_INVALID, ix->fn,
                                   "the indices are split along axis %d of the mesh, where x is %s: "
                                   "gnd_dist_redistribute them",
                                   k, other ? "split along another axis" : "in copies"),
                   false;
        if (ix->along[k] >= 0) ix->layout.axis[k] = ix->axis + ix->along[k], ix->layout.cuts[k] = ix->split->cuts[k];
        if (!other) continue;
        ix->layout.axis[k] = x->axis[k] < ix->axis ? x->axis[k] : x->axis[k] - 1 + ix->indices.ndim;
        ix->layout.cuts[k] = x->cuts[k];
    }
    return true;
}

/* Raises on all ranks alike. */
static bool read_indexing(indexing *ix, gnd_dist_arg indices, int axis, bool written) {
    const gnd_shape from = ix->x->shape;
    const char *fn = ix->fn;
    ix->axis = axis < 0 ? axis + from.ndim : axis;
    if (ix->axis < 0 || ix->axis >= from.ndim)
        return gndi_dist_raise(GND_ERROR_AXIS, fn, "there is no axis %d of %d", axis, from.ndim), false;
    if (ix->mode != GND_RAISE && ix->mode != GND_WRAP && ix->mode != GND_CLIP)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no mode %d", (int)ix->mode), false;
    if (!read_indices(ix, indices)) return false;
    const int more = ix->indices.ndim;
    if (from.dim[ix->axis] == 0 && gndi_shape_count(ix->indices) > 0)
        return gndi_dist_raise(GND_ERROR_INDEX, fn, "indices into axis %d, which has no elements", ix->axis), false;
    if (from.ndim - 1 + more > GND_MAX_DIMS)
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "%d axes are more than %d", from.ndim - 1 + more, GND_MAX_DIMS),
               false;
    ix->k = gndi_split_of(ix->x, ix->axis);
    ix->shape.ndim = from.ndim - 1 + more;
    for (int i = 0; i < ix->shape.ndim; i++)
        ix->shape.dim[i] = i < ix->axis          ? from.dim[i]
                           : i < ix->axis + more ? ix->indices.dim[i - ix->axis]
                                                 : from.dim[i + 1 - more];
    return read_layout(ix, written);
}

/* ---- blocks as rows ----------------------------------------------------------------------------------------- */

/* A row: this rank's block of x without the axis. */
static gnd_shape row_shape(const indexing *ix) {
    gnd_shape shape = gndi_dist_local_shape(ix->x);
    for (int i = ix->axis; i + 1 < shape.ndim; i++) shape.dim[i] = shape.dim[i + 1];
    shape.ndim--;
    return shape;
}

/* The axes of what is named, those of the indices first, or the other way round. */
static gnd_axes rows_first(const indexing *ix, bool back) {
    gnd_axes axes = {.count = ix->shape.ndim};
    const int more = ix->indices.ndim;
    for (int i = 0; i < ix->shape.ndim; i++) {
        const int from = i < more ? ix->axis + i : i - more < ix->axis ? i - more : i;
        if (back)
            axes.axis[from] = i;
        else
            axes.axis[i] = from;
    }
    return axes;
}

/* (indices, row...) as the block of what is named. */
static gnd_array *block_of_rows(const indexing *ix, const gnd_array *rows) {
    const gnd_shape row = row_shape(ix);
    gnd_shape shape = ix->block;
    for (int i = 0; i < row.ndim; i++) shape.dim[shape.ndim++] = row.dim[i];
    const gnd_array *a = rows ? gnd_reshape(rows, shape) : NULL;
    return a && shape.ndim ? gnd_permute(a, rows_first(ix, true)) : (gnd_array *)a;
}

/* The block of what is named, of which `a` is broadcast, as (indices, row...). */
static gnd_array *rows_of_block(const indexing *ix, const gnd_array *a, gnd_shape block) {
    const gnd_shape row = row_shape(ix);
    gnd_shape shape = {.ndim = row.ndim + 1, .dim = {gndi_shape_count(ix->block)}};
    memcpy(shape.dim + 1, row.dim, (size_t)row.ndim * sizeof *row.dim);
    a = a ? gnd_broadcast_to(a, block) : NULL;
    if (a && block.ndim) a = gnd_permute(a, rows_first(ix, false));
    return a ? gnd_reshape(a, shape) : NULL;
}

static gndi_routing routing_of(const indexing *ix) {
    return (gndi_routing){.group = gndi_group_of(ix->x->mesh, ix->k),
                          .cuts = ix->x->cuts[ix->k],
                          .axis = ix->axis,
                          .mode = ix->mode,
                          .copies = ix->along[ix->k] < 0,
                          .split = ix->split};
}

/* Whether x and the indices are here; else their error is pending. */
static bool here(const indexing *ix) {
    if (!gndi_dist_here(ix->x, ix->fn) || (ix->split && !gndi_dist_here(ix->split, ix->fn))) return false;
    return ix->local != NULL;
}

/* ---- take --------------------------------------------------------------------------------------------------- */

gnd_dist *gnd_dist_take(const gnd_dist *x, gnd_dist_arg indices, int axis, gnd_index_mode mode) {
    static const char fn[] = "gnd_dist_take";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    char text[160];
    indexing ix = {.fn = fn, .x = x, .mode = mode};
    if (!read_indexing(&ix, indices, axis, false)) return NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s %d", gndi_text_dist(x, text, sizeof text), axis)) return NULL;
    gnd_array *local = NULL;
    if (ix.k < 0) {
        if (here(&ix)) local = gnd_take(x->local, ix.local, GND_AXES(ix.axis), mode);
    } else {
        gndi_routing r = routing_of(&ix);
        const bool good = here(&ix);
        r.takes = true;
        gndi_route_begin(&r, fn, good, ix.local);
        const gnd_array *rows = good ? gnd_moveaxis(x->local, GND_AXES(ix.axis), GND_AXES(0)) : NULL;
        gndi_route_early(&r, fn, rows);
        gndi_route_own(&r, rows, row_shape(&ix), x->dtype);
        const bool all = gndi_route_end(&r, fn);
        if (all) local = block_of_rows(&ix, gndi_route_take(&r, fn, r.late ? NULL : rows, row_shape(&ix), x->dtype));
        gndi_route_release(&r);
        if (!all) return NULL;
    }
    gnd_dist *y = gndi_dist_new(x->mesh, fn, ix.shape, x->dtype, ix.layout);
    return y ? gndi_dist_done(y, fn, local) : NULL;
}

/* ---- put and at --------------------------------------------------------------------------------------------- */

static gnd_status update(const char *name, gnd_array *rows, const gnd_array *indices, gnd_arg values) {
    if (name) return (gnd_at)(name, rows, GND_ARGS(indices), values);
    return (gnd_set)(rows, GND_INDICES(indices), values);
}

/* What is wrong with the operator or the dtypes, on empty arrays, so on all ranks alike; GND_ERROR_MEMORY is not. */
static gnd_status probe(const indexing *ix, const char *name, gnd_dist_arg values) {
    for (int attempt = 0;; attempt++) {
        const bool pending = gnd_error() != NULL;
        gnd_array *rows = gnd_empty(GND_SHAPE(0), ix->x->dtype), *none = gnd_empty(GND_SHAPE(0), GND_INT64);
        gnd_arg v = values.arg;
        if (values.is_dist || v.kind == GND_ARG_ARRAY)
            v = gnd_arg_array(gnd_empty(GND_SHAPE(0), values.is_dist ? values.dist->dtype : gnd_dtype_of(v.array)));
        const bool made = rows && none && (v.kind != GND_ARG_ARRAY || v.array);
        const gnd_status status = made ? update(name, rows, none, v) : GND_ERROR_MEMORY;
        if (status != GND_ERROR_MEMORY || attempt || pending) return status;
        gnd_error_clear();
    }
}

/* Where this rank's indices stand among all, in C order: only where ranks do not have them one behind the other. */
static gnd_array *numbers_of(const indexing *ix) {
    gndi_box box;
    gnd_array *sum = NULL;
    int64_t stride = 1;
    gndi_box_of(ix->split, gnd_mesh_rank(ix->x->mesh), &box);
    for (int i = ix->indices.ndim - 1; i >= 0; i--) {
        gnd_shape shape = {.ndim = ix->indices.ndim};
        for (int j = 0; j < shape.ndim; j++) shape.dim[j] = j == i ? box.count[i] : 1;
        gnd_array *at = gnd_multiply(gnd_arange(box.start[i], box.start[i] + box.count[i], 1, GND_INT64), stride);
        at = at ? gnd_reshape(at, shape) : NULL;
        sum = sum && at ? gnd_add(sum, at) : at;
        if (!at) return NULL;
        stride *= ix->indices.dim[i];
    }
    return gnd_ravel(sum);
}

static bool ranks_mix(const indexing *ix) {
    int64_t before = 1;
    for (int i = 0; i < ix->along[ix->k]; i++) before *= ix->indices.dim[i];
    return before > 1;
}

/* Along a split axis. False, and an error, on all ranks if one fails before anything is written. */
static bool update_routed(const indexing *ix, const char *name, gnd_arg values, gnd_dtype dtype, gnd_shape block,
                          bool good, gnd_status *status) {
    const gnd_dist *x = ix->x;
    const gnd_shape row = row_shape(ix);
    gndi_routing r = routing_of(ix);
    if (good && values.kind == GND_ARG_ARRAY) good = (values.array = rows_of_block(ix, values.array, block)) != NULL;
    const gnd_array *number = NULL;
    const bool mixed = !r.copies && ranks_mix(ix);
    if (good && mixed) good = (number = numbers_of(ix)) != NULL;
    const bool all = gndi_route(&r, ix->fn, good, ix->local);
    if (all) {
        const gnd_array *asked = gndi_route_asked(&r, ix->fn);
        if (asked && gnd_size(asked) > 0) /* checked where they come from, unless that rank has failed */
            asked = gnd_clip(asked, 0, gnd_dim(x->local, ix->axis) - 1);
        good = asked && !r.late;
        if (values.kind == GND_ARG_ARRAY) {
            values.array = gndi_route_there(&r, ix->fn, values.array, row, dtype);
            good = good && values.array;
        }
        if (mixed) {
            number = gndi_route_there(&r, ix->fn, number, GND_SCALAR, GND_INT64);
            const gnd_array *order = good && number ? gnd_argsort(number, GND_AXES(0), GND_ASCENDING) : NULL;
            good = order && (asked = gnd_take(asked, order, GND_AXES(0), GND_RAISE));
            if (good && values.kind == GND_ARG_ARRAY)
                good = (values.array = gnd_take(values.array, order, GND_AXES(0), GND_RAISE)) != NULL;
        }
        *status = good ? update(name, gnd_moveaxis(x->local, GND_AXES(ix->axis), GND_AXES(0)), asked, values)
                       : gndi_dist_status(ix->fn);
    }
    gndi_route_release(&r);
    return all;
}

/* Along a whole axis: each block for itself. */
static gnd_status update_block(const indexing *ix, const char *name, gnd_arg values, gnd_shape block) {
    gnd_array *rows = gnd_moveaxis(ix->x->local, GND_AXES(ix->axis), GND_AXES(0));
    const gnd_array *plain = gnd_ravel(ix->local);
    if (ix->mode != GND_RAISE) plain = gndi_plain_indices(plain, ix->x->shape.dim[ix->axis], ix->mode);
    if (values.kind == GND_ARG_ARRAY) values.array = rows_of_block(ix, values.array, block);
    if (!rows || !plain || (values.kind == GND_ARG_ARRAY && !values.array)) return gndi_dist_status(ix->fn);
    return update(name, rows, plain, values);
}

static gnd_status write(indexing *ix, const char *name, gnd_dist_arg indices, int axis, gnd_dist_arg values) {
    gnd_dist *x = (gnd_dist *)ix->x;
    const char *fn = ix->fn;
    char text[160];
    gndi_common c;
    if (!read_indexing(ix, indices, axis, true)) return gndi_dist_status(fn);
    if (!name && !values.is_dist && values.arg.kind == GND_ARG_NONE)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "there are no values");
    gnd_dist *like = gndi_dist_new(x->mesh, fn, ix->shape, x->dtype, ix->layout);
    if (!like) return gndi_dist_status(fn);
    const gnd_shape block = gndi_dist_local_shape(like);
    const gnd_dist_arg operands[2] = {values, gnd_dist_arg_dist(like)};
    if (!gndi_align(&c, fn, 2, operands, like)) return gnd_dist_release(like), gndi_dist_status(fn);
    gnd_status status = probe(ix, name, values);
    if (status && status != GND_ERROR_MEMORY) return gnd_dist_release(like), status;
    if (!gndi_mesh_enter(x->mesh, fn, "%s %s %d", name ? name : "", gndi_text_dist(x, text, sizeof text), axis))
        return gnd_dist_release(like), gndi_dist_status(fn);
    const gnd_dtype dtype = values.is_dist                     ? values.dist->dtype
                            : values.arg.kind == GND_ARG_ARRAY ? gnd_dtype_of(values.arg.array)
                                                               : x->dtype;
    c.failed = values.is_dist && !values.dist->local ? values.dist : NULL;
    const gnd_arg aligned = gndi_aligned(&c, fn, values);
    bool good = here(ix) && !status;
    if (good && c.failed) good = gndi_dist_here(c.failed, fn) && false;
    bool all = true;
    if (ix->k >= 0)
        all = update_routed(ix, name, aligned, dtype, block, good, &status);
    else
        status = good ? update_block(ix, name, aligned, block) : gndi_dist_status(fn);
    gnd_dist_release(like);
    if (!all) return gndi_dist_status(fn);
    return status ? gndi_dist_fail(x, fn, NULL) : GND_OK;
}

gnd_status gnd_dist_put(gnd_dist *x, gnd_dist_arg indices, int axis, gnd_dist_arg values, gnd_index_mode mode) {
    static const char fn[] = "gnd_dist_put";
    if (gndi_dist_missing(x, fn)) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    indexing ix = {.fn = fn, .x = x, .mode = mode};
    return write(&ix, NULL, indices, axis, values);
}

gnd_status gnd_dist_at(const char *name, gnd_dist *x, gnd_dist_arg indices, int axis, gnd_dist_arg values) {
    static const char fn[] = "gnd_dist_at";
    if (gndi_dist_missing(x, fn) || !name) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    indexing ix = {.fn = fn, .x = x, .mode = GND_RAISE};
    return write(&ix, name, indices, axis, values);
}
