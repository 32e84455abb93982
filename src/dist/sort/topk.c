/*
 * topk.c: the first elements in order. Each rank finds those of its block, and all get them from all.
 */
#include "dist/group.h"

typedef struct choosing {
    const char *fn;
    const gnd_dist *x;
    int axis;
    int64_t k;
    gnd_direction direction;
    gndi_group group;
} choosing;

/* How many a rank's block has, of which there are `length` along the axis. */
static int64_t own_count(const choosing *c, int64_t length) {
    return length < c->k ? length : c->k;
}

static gnd_array *part_of(const choosing *c, const gnd_array *a, int64_t start, int64_t count) {
    gnd_index item[GND_MAX_DIMS];
    for (int i = 0; i < c->x->shape.ndim; i++)
        item[i] = i == c->axis ? gnd_index_range(start, start + count, 1) : gnd_index_all();
    return a ? gnd_slice_ix(a, c->x->shape.ndim, item) : NULL;
}

/* Everyone's chosen values and indices, one behind the other along the axis. False on an error of this rank, which has
   taken part. */
static bool gather(const choosing *c, gnd_array **chosen, gnd_array **all) {
    const gndi_group *g = &c->group;
    gndi_piece *send = g->mesh->link->pieces[0], *receive = g->mesh->link->pieces[1];
    const int64_t *cut = c->x->cuts[g->k];
    gnd_shape shape = gndi_dist_local_shape(c->x);
    shape.dim[c->axis] = 1;
    const int64_t lines = gndi_shape_count(shape);
    shape.dim[c->axis] = 0;
    for (int p = 0; p < g->size; p++) shape.dim[c->axis] += own_count(c, cut[p + 1] - cut[p]);
    int n = 0;
    for (int i = 0; i < 2; i++) {
        const gnd_dtype dtype = i ? GND_INT64 : c->x->dtype;
        const int64_t size = lines * (int64_t)gnd_dtype_size(dtype);
        const int64_t own = own_count(c, cut[g->here + 1] - cut[g->here]);
        all[i] = gnd_empty(shape, dtype);
        int64_t start = 0;
        for (int p = 0; p < g->size; p++, n++) {
            const int rank = gndi_beside(g->mesh, g->k, p);
            const int64_t count = own_count(c, cut[p + 1] - cut[p]);
            send[n] = gndi_piece_at(rank, chosen[i], own * size);
            receive[n] = gndi_piece_at(rank, part_of(c, all[i], start, count), count * size);
            start += count;
        }
    }
    return gndi_mesh_exchange(g->mesh, c->fn, n, send, n, receive) == GND_OK;
}

/* Values and indices of this rank's lines; false on an error of this rank, which has taken part. */
static bool choose(const choosing *c, gnd_array **out) {
    const gnd_axes axes = GND_AXES(c->axis);
    const int64_t *cut = c->x->cuts[c->group.k] + c->group.here;
    gnd_array *own[2] = {NULL, NULL}, *all[2], *order;
    if (c->x->local && gnd_topk(&own[0], &own[1], c->x->local, own_count(c, cut[1] - cut[0]), axes, c->direction) == 0)
        own[1] = gnd_add(own[1], cut[0]);
    if (!gather(c, own, all) || gnd_topk(&out[0], &order, all[0], c->k, axes, c->direction) != GND_OK) return false;
    return (out[1] = gnd_take_along_axis(all[1], order, axes)) != NULL;
}

gnd_status gnd_dist_topk(gnd_dist **values, gnd_dist **indices, const gnd_dist *x, int64_t k, int axis,
                         gnd_direction direction) {
    static const char fn[] = "gnd_dist_topk";
    if (values) *values = NULL;
    if (indices) *indices = NULL;
    if (gndi_dist_missing(x, fn) || (!values && !indices)) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    char text[160];
    choosing c = {.fn = fn, .x = x, .axis = axis < 0 ? axis + x->shape.ndim : axis, .k = k, .direction = direction};
    if (c.axis < 0 || c.axis >= x->shape.ndim)
        return gndi_dist_raise(GND_ERROR_AXIS, fn, "there is no axis %d of %d", axis, x->shape.ndim);
    if (k < 0 || k > x->shape.dim[c.axis])
        return gndi_dist_raise(GND_ERROR_VALUE, fn, "%lld of %lld elements", (long long)k,
                               (long long)x->shape.dim[c.axis]);
    if (direction != GND_ASCENDING && direction != GND_DESCENDING)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "there is no direction %d", (int)direction);
    if (!gndi_mesh_enter(x->mesh, fn, "%s %d %lld", gndi_text_dist(x, text, sizeof text), axis, (long long)k))
        return gndi_dist_status(fn);
    gnd_array *out[2] = {NULL, NULL};
    const int split = gndi_split_of(x, c.axis);
    bool good;
    if (split >= 0) {
        c.group = gndi_group_of(x->mesh, split);
        good = choose(&c, out);
    } else {
        good = x->local && gnd_topk(&out[0], &out[1], x->local, k, GND_AXES(c.axis), direction) == GND_OK;
    }
    gnd_shape shape = x->shape;
    gndi_layout layout = gndi_layout_of(x);
    shape.dim[c.axis] = k;
    for (int i = 0; i < 2; i++)
        if (layout.axis[i] == c.axis) layout.axis[i] = -1;
    gnd_status status = GND_OK;
    for (int i = 0; i < 2; i++) {
        gnd_dist **to = i ? indices : values;
        gnd_dist *y = to ? gndi_dist_new(x->mesh, fn, shape, i ? GND_INT64 : x->dtype, layout) : NULL;
        if (to && !y) status = gndi_dist_status(fn);
        if (!y) continue;
        *to = x->local ? gndi_dist_done(y, fn, good ? out[i] : NULL) : gndi_dist_failed_like(y, x);
    }
    return status;
}
