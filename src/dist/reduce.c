/*
 * reduce.c: reductions of split arrays. Blocks are reduced by gnd; where a reduced axis is split, the partial results
 * of the ranks along that axis of the mesh are brought together and combined in the order of the blocks.
 */
#include "dist/reduce.h"
#include <string.h>

/* Longer partial results go in as many parts as there are ranks, each combined by one of them. */
enum { ALL_COMBINE_BYTES = 256 << 10 };

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

/* ---- partial results of several ranks -------------------------------------------------------------------------- */

/* Partial results along one axis of the mesh. Axis 1 comes first: after it, ranks along it have the same. */
typedef struct stage {
    int k;           /* the axis of the mesh */
    int blocks;      /* that have elements */
    int64_t n;       /* elements of a partial result */
    bool here;       /* this rank's has */
    int64_t *length; /* of the blocks that have: elements along the reduced axes */
    int64_t *cut;    /* of a long partial result: which rank combines what */
} stage;

/* The elements along the reduced axes that a rank's partial result is made of, before stage k. */
static int64_t block_length(const gndi_reducing *r, int rank, int k) {
    const gnd_dist *x = r->x;
    gndi_box box;
    int64_t n = 1;
    gndi_box_of(x, rank, &box);
    if (k == 0 && x->axis[1] >= 0) box.count[x->axis[1]] = x->shape.dim[x->axis[1]];
    for (int i = 0; i < x->shape.ndim; i++) n *= r->reduced[i] ? box.count[i] : 1;
    return n;
}

static stage stage_of(const gndi_reducing *r, int k, int64_t n) {
    const gnd_mesh *mesh = r->x->mesh;
    const int places = mesh->grid[k];
    stage s = {.k = k, .n = n, .length = mesh->link->numbers, .cut = mesh->link->numbers + places};
    for (int p = 0; p < places; p++) {
        const int64_t length = block_length(r, gndi_beside(mesh, k, p), k);
        if (length) s.length[s.blocks++] = length;
        if (p == mesh->place[k]) s.here = length != 0;
    }
    for (int p = 0; p <= places; p++) s.cut[p] = gndi_even_cut(n, places, p);
    return s;
}

static gndi_piece piece(int rank, gnd_array *flat, int64_t start, int64_t stop, gnd_dtype dtype) {
    const gnd_array *part = flat ? gnd_slice(flat, "%lld:%lld", (long long)start, (long long)stop) : NULL;
    return (gndi_piece){rank, part, (stop - start) * (int64_t)gnd_dtype_size(dtype)};
}

/* Partial result j of all ranks, as (blocks, n); in a large stage that part of each which is this rank's to combine. */
static gnd_array *collect(const gndi_reducing *r, const stage *s, int j, gnd_array *own, bool large, const char *fn) {
    gnd_mesh *mesh = r->x->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int here = mesh->place[s->k];
    const int64_t n = large ? s->cut[here + 1] - s->cut[here] : s->n;
    gnd_array *all = gnd_empty(GND_SHAPE(s->blocks, n), r->dtype[j]);
    int sends = 0, receives = 0;
    for (int p = 0; p < mesh->grid[s->k]; p++) {
        const int rank = gndi_beside(mesh, s->k, p);
        if (s->here) send[sends++] = piece(rank, own, large ? s->cut[p] : 0, large ? s->cut[p + 1] : s->n, r->dtype[j]);
        if (!block_length(r, rank, s->k)) continue;
        receive[receives] =
            (gndi_piece){rank, all ? gnd_slice(all, "%d", receives) : NULL, n * (int64_t)gnd_dtype_size(r->dtype[j])};
        receives++;
    }
    return gndi_mesh_exchange(mesh, fn, sends, send, receives, receive) == GND_OK ? all : NULL;
}

/* What ranks have combined, to all of them. */
static gnd_array *spread(const gndi_reducing *r, const stage *s, int j, gnd_array *own, const char *fn) {
    gnd_mesh *mesh = r->x->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int here = mesh->place[s->k], places = mesh->grid[s->k];
    gnd_array *whole = gnd_empty(GND_SHAPE(s->n), r->dtype[j]);
    for (int p = 0; p < places; p++) {
        send[p] = piece(gndi_beside(mesh, s->k, p), own, 0, s->cut[here + 1] - s->cut[here], r->dtype[j]);
        receive[p] = piece(gndi_beside(mesh, s->k, p), whole, s->cut[p], s->cut[p + 1], r->dtype[j]);
    }
    return gndi_mesh_exchange(mesh, fn, places, send, places, receive) == GND_OK ? whole : NULL;
}

/* With the same messages on all ranks, whether they have failed or not. */
static bool combine_stage(const gndi_reducing *r, int k, int64_t n, gnd_array **part, const char *fn) {
    const stage s = stage_of(r, k, n);
    const bool large = n * (int64_t)gnd_dtype_size(r->dtype[0]) > ALL_COMBINE_BYTES;
    bool good = true;
    gnd_array *all[GNDI_PARTIALS] = {NULL};
    for (int j = 0; j < r->parts; j++) good = (all[j] = collect(r, &s, j, part[j], large, fn)) && good;
    if (good && s.blocks) good = gndi_reducing_combine(r, all, s.blocks, s.length);
    for (int j = 0; j < r->parts; j++) {
        part[j] = good && s.blocks ? all[j] : NULL;
        if (!large || !s.blocks) continue;
        part[j] = spread(r, &s, j, part[j], fn);
        good = good && part[j];
    }
    return good;
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
    if (!failed && (!some || block_length(r, gnd_mesh_rank(x->mesh), 1))) {
        failed = !gndi_reducing_block(r, part);
        for (int j = 0; !failed && j < r->parts; j++) failed = !(part[j] = gnd_ravel(part[j]));
    }
    for (int j = 0; failed && j < r->parts; j++) part[j] = NULL;
    for (int k = 1; k >= 0 && some; k--)
        if (gndi_is_split(x, k) && r->reduced[x->axis[k]]) failed = !combine_stage(r, k, n, part, fn) || failed;
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
