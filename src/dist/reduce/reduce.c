/*
 * reduce.c: reductions of split arrays. Blocks are reduced by gnd; where a reduced axis is split, the partial results
 * of the ranks along that axis of the mesh are combined (stage.c).
 */
#include "dist/reduce/reduce.h"
#include <string.h>

/* Bad axes are refused by gnd, on an array that has no memory of its own. */
static bool read_axes(gndi_reducing *r, const char *fn, gnd_axes axes) {
    const int ndim = r->x->shape.ndim;
    if (axes.where || axes.out)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "axes.where and axes.out are of arrays of one rank"), false;
    if (axes.initial && gnd_ndim(axes.initial) != 0)
        return gndi_dist_raise(GND_ERROR_SHAPE, fn, "the initial value is a 0-d array"), false;
    for (int i = 0; axes.count == 0 && i < ndim; i++) r->reduced[i] = true;
    for (int i = 0; i < axes.count; i++) {
        const int axis = axes.axis[i] < 0 ? axes.axis[i] + ndim : axes.axis[i];
        if (axis < 0 || axis >= ndim || r->reduced[axis])
            return gndi_dist_raise(GND_ERROR_AXIS, fn, "axis %d of %d is out of range or given twice", axes.axis[i],
                                   ndim),
                   false;
        r->reduced[axis] = true;
    }
    r->axes = axes;
    r->number = 1;
    for (int i = 0; i < ndim; i++) r->number *= r->reduced[i] ? r->x->shape.dim[i] : 1;
    const bool needs =
        r->how->kind == GNDI_ARG || ((r->how->fold == gnd_min || r->how->fold == gnd_max) && !axes.initial);
    if (r->number > 0 || !needs || gndi_shape_count(r->x->shape) > 0) return true;
    int64_t results = 1;
    for (int i = 0; i < ndim; i++) results *= r->reduced[i] ? 1 : r->x->shape.dim[i];
    if (results == 0) return true;
    return gndi_dist_raise(GND_ERROR_VALUE, fn, "%s of nothing", r->how->name), false;
}

/* ---- a reduction ------------------------------------------------------------------------------------------------- */

/* This rank's part of the result, with reduced axes of length 1; NULL if it failed. All ranks come here. */
static gnd_array *reduce_blocks(gndi_reducing *r, const gnd_array *initial, bool failed, const char *fn) {
    const gnd_dist *x = r->x;
    gnd_array *part[GNDI_PARTIALS] = {NULL};
    gnd_shape shape = gndi_dist_local_shape(x);
    for (int i = 0; i < shape.ndim; i++) shape.dim[i] = r->reduced[i] ? 1 : shape.dim[i];
    const int64_t n = gndi_shape_count(shape);
    const bool some = r->number > 0; /* else every rank's block is as empty as the whole array */
    bool stage[2];
    for (int k = 0; k < 2; k++) stage[k] = some && gndi_is_split(x, k) && r->reduced[x->axis[k]];
    if (!failed && (!some || gndi_reducing_length(r, gnd_mesh_rank(x->mesh), 1))) {
        if (stage[0] || stage[1]) part[0] = gndi_reducing_itself(r);
        failed = !part[0] && !gndi_reducing_block(r, part);
        for (int j = 0; !failed && j < r->parts; j++) failed = !(part[j] = gnd_ravel(part[j]));
    }
    for (int j = 0; failed && j < r->parts; j++) part[j] = NULL;
    for (int k = 1; k >= 0; k--)
        if (stage[k]) failed = !gndi_reducing_stage(r, k, n, part, k == 0 || !stage[0], fn) || failed;
    if (failed || !part[0]) return NULL;
    gnd_array *y = gndi_reducing_finish(r, part, initial);
    return y ? gnd_reshape(y, shape) : NULL;
}

/* The layout of what remains: a reduced axis that was split is in copies now. */
static gndi_layout remaining(const gndi_reducing *r, gnd_shape *shape) {
    const gnd_dist *x = r->x;
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    shape->ndim = 0;
    for (int i = 0; i < x->shape.ndim; i++) {
        for (int k = 0; k < 2; k++)
            if (x->axis[k] == i && !r->reduced[i]) layout.axis[k] = shape->ndim, layout.cuts[k] = x->cuts[k];
        if (!r->reduced[i] || r->axes.keepdims) shape->dim[shape->ndim++] = r->reduced[i] ? 1 : x->shape.dim[i];
    }
    return layout;
}

gnd_dist *gndi_dist_reduce(const gndi_reduction *how, const char *fn, const gnd_dist *x, gnd_axes axes,
                           const gnd_layout *result, const gnd_dist_reduce_options *options) {
    const gnd_dist *mask = options ? options->where : NULL;
    gndi_reducing r = {.how = how, .x = x, .ddof = options ? options->ddof : 0, .order = options ? options->order : 2};
    gnd_shape shape;
    gndi_layout wanted;
    gndi_common c = {.failed = x->local ? NULL : x};
    char text[160];
    if (mask && mask->dtype != GND_BOOL)
        return gndi_dist_raise(GND_ERROR_DTYPE, fn, "where is %s, not bool", gnd_dtype_name(mask->dtype)), NULL;
    if (!read_axes(&r, fn, axes) || !gndi_reducing_types(&r, fn, axes.dtype, mask != NULL, axes.initial != NULL))
        return NULL;
    const gndi_layout layout = remaining(&r, &shape);
    if (result && !gndi_layout_resolve(x->mesh, fn, shape, *result, &wanted)) return NULL;
    const gnd_dist_arg operands[2] = {gnd_dist_arg_dist(x), gnd_dist_arg_dist(mask)};
    if (mask && !gndi_align(&c, fn, 2, operands, x)) return NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s %s", how->name, gndi_text_dist(x, text, sizeof text))) return NULL;
    if (mask) r.where = gndi_aligned(&c, fn, operands[1]).array;
    gnd_array *local = reduce_blocks(&r, axes.initial, c.failed || (mask && !r.where), fn);
    gnd_dist *y = gndi_dist_new(x->mesh, fn, shape, r.result, layout);
    if (!y) return NULL;
    if (local && !axes.keepdims) local = gnd_reshape(local, gndi_dist_local_shape(y));
    c.failed ? gndi_dist_failed_like(y, c.failed) : gndi_dist_done(y, fn, local);
    if (!result) return y;
    gnd_dist *z = gndi_dist_to(y, wanted, fn);
    gnd_dist_release(y);
    return z;
}

gnd_dist *gnd_dist_reduce(const char *name, const gnd_dist *x, gnd_axes axes, gnd_layout result,
                          const gnd_dist_reduce_options *options) {
    static const char fn[] = "gnd_dist_reduce";
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    const gndi_reduction *how = gndi_reduction_named(name);
    if (how) return gndi_dist_reduce(how, fn, x, axes, &result, options);
    return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no reduction \"%s\"", name ? name : "NULL"), NULL;
}

/* ---- one element ------------------------------------------------------------------------------------------------- */

static gnd_array *one(const gnd_dist *x, const char *fn) {
    if (gndi_dist_missing(x, fn)) return NULL;
    if (gndi_shape_count(x->shape) == 1) return gnd_dist_gather(x, -1);
    gndi_dist_raise(GND_ERROR_SHAPE, fn, "the array has %lld elements, not one", (long long)gndi_shape_count(x->shape));
    return NULL;
}

double gnd_dist_item_double(const gnd_dist *x) {
    static const char fn[] = "gnd_dist_item_double";
    GNDI_CALL(fn);
    const gnd_array *a = one(x, fn);
    return a ? gnd_item_double(a) : 0;
}

int64_t gnd_dist_item_int(const gnd_dist *x) {
    static const char fn[] = "gnd_dist_item_int";
    GNDI_CALL(fn);
    const gnd_array *a = one(x, fn);
    return a ? gnd_item_int(a) : 0;
}
