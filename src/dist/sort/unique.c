/*
 * unique.c: the distinct values of a split array. Each rank finds those of its block; they are cut by value, as in a
 * sort, so that equal ones meet on one rank, which makes one of them.
 */
#include "dist/sort/sort.h"

enum { VALUE, INDEX, COUNT, ARRAYS }; /* what goes with each value: index in x of the first one, number of elements */

typedef struct finding {
    const char *fn;
    const gnd_dist *x;
    bool distinct_nan;
    gnd_dtype dtype[ARRAYS];
    gnd_array *a[ARRAYS]; /* of this rank, ascending */
    gnd_array *inverse;   /* of each element of the block, an index into them */
    int k;                /* the mesh axis along which they are split; -1: none */
    const int64_t *start; /* where each rank's begin */
    gnd_array *meets;     /* of each of the values as they came together, an index into them */
} finding;

/* From indices in the block, in C order, to indices in x. */
static gnd_array *global_index(const gnd_dist *x, const gnd_array *index) {
    gndi_box box;
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &box);
    if (gnd_size(index) == 0) return (gnd_array *)index;
    const gnd_array *rest = index, *sum = NULL;
    int64_t stride = 1;
    for (int i = x->shape.ndim - 1; i >= 0; i--) {
        const gnd_array *at = gnd_multiply(gnd_add(gnd_remainder(rest, box.count[i]), box.start[i]), stride);
        rest = gnd_floor_divide(rest, box.count[i]);
        sum = sum ? gnd_add(sum, at) : at;
        stride *= x->shape.dim[i];
    }
    return (gnd_array *)(sum ? sum : index);
}

/* The distinct values of the block. */
static bool find_own(finding *f) {
    if (!gndi_dist_here(f->x, f->fn)) return false;
    const gnd_unique_options options = {
        .index = &f->a[INDEX], .inverse = &f->inverse, .counts = &f->a[COUNT], .distinct_nan = f->distinct_nan};
    f->a[VALUE] = gnd_unique(f->x->local, GND_ALL, &options);
    if (f->a[VALUE]) f->a[INDEX] = global_index(f->x, f->a[INDEX]);
    return f->a[VALUE] && f->a[INDEX];
}

/* One of each of the values that came together; of equal ones the first in x. */
static bool combine(finding *f, gnd_array *const *part) {
    const gnd_axes line = GND_AXES(0);
    const gnd_array *order = gnd_argsort(part[INDEX], line, GND_ASCENDING), *sorted[ARRAYS];
    gnd_array *first = NULL, *inverse = NULL;
    if (!order) return false;
    for (int i = 0; i < ARRAYS; i++)
        if (!(sorted[i] = gnd_take(part[i], order, line, GND_RAISE))) return false;
    const gnd_unique_options options = {.index = &first, .inverse = &inverse, .distinct_nan = f->distinct_nan};
    f->a[VALUE] = gnd_unique(sorted[VALUE], GND_ALL, &options);
    if (!f->a[VALUE]) return false;
    f->a[INDEX] = gnd_take(sorted[INDEX], first, line, GND_RAISE);
    f->a[COUNT] = gnd_zeros(gnd_shape_of(f->a[VALUE]), GND_INT64);
    f->meets = gnd_empty(gnd_shape_of(inverse), GND_INT64);
    return f->a[INDEX] && f->a[COUNT] && f->meets &&
           gnd_at("add", f->a[COUNT], GND_ARGS(inverse), sorted[COUNT]) == GND_OK &&
           gnd_set(f->meets, GND_INDICES(order), inverse) == GND_OK;
}

/* How many values the ranks of a group have: start[0 .. size]. False, and an error, on all ranks if one is not good. */
static bool tell_lengths(const finding *f, int k, bool good, int64_t *start) {
    gnd_mesh *mesh = f->x->mesh;
    const int64_t own[2] = {good ? GND_OK : (int64_t)gndi_dist_status(f->fn), good ? gnd_size(f->a[VALUE]) : 0};
    const int64_t *all = gndi_mesh_gather(mesh, f->fn, own, sizeof own);
    bool well = all != NULL;
    if (!all) return false;
    start[0] = 0;
    for (int p = 0; k >= 0 && p < mesh->grid[k]; p++) start[p + 1] = start[p] + all[2 * gndi_beside(mesh, k, p) + 1];
    for (int r = 0; r < gnd_mesh_size(mesh); r++) well = well && all[2 * r] == GND_OK;
    if (!well) gndi_mesh_agree_on(mesh, f->fn, good ? NULL : gnd_error());
    return well;
}

/* Everyone's values to all ranks of a row of a grid, where both axes of the mesh cut x. */
static bool meet_in_rows(finding *f, const int64_t *start) {
    const gndi_group g = gndi_group_of(f->x->mesh, 1);
    gndi_piece *send = g.mesh->link->pieces[0], *receive = g.mesh->link->pieces[1];
    gnd_array *part[ARRAYS];
    int n = 0;
    for (int i = 0; i < ARRAYS; i++) {
        const int64_t size = (int64_t)gnd_dtype_size(f->dtype[i]);
        part[i] = gnd_empty(GND_SHAPE(start[g.size]), f->dtype[i]);
        for (int p = 0; p < g.size; p++, n++) {
            const int rank = gndi_beside(g.mesh, 1, p);
            send[n] = gndi_piece_at(rank, f->a[i], (start[g.here + 1] - start[g.here]) * size);
            receive[n] = gndi_piece_at(
                rank, part[i] ? gnd_slice(part[i], "%lld:%lld", (long long)start[p], (long long)start[p + 1]) : NULL,
                (start[p + 1] - start[p]) * size);
        }
    }
    if (gndi_mesh_exchange(g.mesh, f->fn, n, send, n, receive) != GND_OK || !combine(f, part)) return false;
    const gnd_array *own = gnd_slice(f->meets, "%lld:%lld", (long long)start[g.here], (long long)start[g.here + 1]);
    f->inverse = own ? gnd_take(own, f->inverse, GND_ALL, GND_RAISE) : NULL;
    return f->inverse != NULL;
}

/* Values by rank, so that equal ones meet. False, and an error, on all ranks if one fails before they move. */
static bool meet(finding *f, gndi_cutting *c, bool *good) {
    gnd_array *part[ARRAYS];
    const gnd_array *run = f->a[VALUE];
    if (!gndi_cutting_find(c, f->fn, *good, run, f->dtype[VALUE])) return false;
    if (!gndi_cutting_before_equal(c, f->fn, run, f->dtype[VALUE])) return false;
    *good = gndi_cutting_exchange(c, f->fn, ARRAYS, f->a, f->dtype, part) && combine(f, part);
    return true;
}

/* The global index of each element's value: it goes back to the ranks that sent the values. */
static gnd_array *find_inverse(const finding *f, const gndi_cutting *c) {
    const gnd_array *own = f->inverse;
    if (f->k >= 0) {
        const gndi_group *g = &c->group;
        const int64_t *at = c->at + g->here * (g->size + 1);
        gnd_array *index = gnd_add(f->meets, f->start[g->here]), *back = gnd_empty(GND_SHAPE(at[g->size]), GND_INT64);
        if (!gndi_cutting_move(c, f->fn, 1, &back, &f->dtype[INDEX], &index, true)) return NULL;
        own = gnd_take(back, f->inverse, GND_ALL, GND_RAISE);
    }
    return own ? gnd_reshape(own, gndi_dist_local_shape(f->x)) : NULL;
}

/* All of it; false, and an error, on all ranks. c->workspace is released by the caller. */
static bool find(finding *f, gndi_cutting *c, int64_t *numbers) {
    const gnd_dist *x = f->x;
    bool good = find_own(f);
    const bool both = gndi_is_split(x, 0) && gndi_is_split(x, 1);
    if (both) {
        if (!tell_lengths(f, 1, good, numbers)) return false;
        good = meet_in_rows(f, numbers);
    }
    f->start = numbers;
    if (!tell_lengths(f, f->k, good, numbers)) return false;
    if (f->k < 0) return true;
    const int ranks = x->mesh->grid[f->k];
    int64_t *start = numbers, *target = numbers + ranks + 1;
    for (int p = 0; p <= ranks; p++) target[p] = gndi_even_cut(start[ranks], ranks, p);
    c->group = gndi_group_of(x->mesh, f->k), c->start = start, c->target = target;
    good = gndi_cutting_prepare(c, f->fn);
    if (!meet(f, c, &good)) return false;
    return tell_lengths(f, f->k, good, numbers);
}

gnd_dist *gnd_dist_unique(const gnd_dist *x, const gnd_dist_unique_options *options) {
    static const char fn[] = "gnd_dist_unique";
    static const gnd_dist_unique_options none;
    const gnd_dist_unique_options o = options ? *options : none;
    if (o.index) *o.index = NULL;
    if (o.inverse) *o.inverse = NULL;
    if (o.counts) *o.counts = NULL;
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    char text[160];
    if (!gndi_mesh_enter(x->mesh, fn, "%s", gndi_text_dist(x, text, sizeof text))) return NULL;
    finding f = {.fn = fn,
                 .x = x,
                 .distinct_nan = o.distinct_nan,
                 .dtype = {x->dtype, GND_INT64, GND_INT64},
                 .k = gndi_is_split(x, 0)   ? 0
                      : gndi_is_split(x, 1) ? 1
                                            : -1};
    gndi_cutting c = {.direction = GND_ASCENDING};
    int64_t *cuts = x->mesh->link->numbers;
    const bool all = find(&f, &c, cuts);
    gnd_array *inverse = all && o.inverse ? find_inverse(&f, &c) : NULL;
    gndi_cutting_release(&c);
    if (!all) return NULL;
    gnd_dist **to[ARRAYS] = {NULL, o.index, o.counts}, *made[ARRAYS] = {NULL};
    gndi_layout layout = {{-1, -1}, {NULL, NULL}};
    if (f.k >= 0) layout.axis[f.k] = 0, layout.cuts[f.k] = cuts;
    const gnd_shape shape = GND_SHAPE(f.k < 0 ? gnd_size(f.a[VALUE]) : cuts[x->mesh->grid[f.k]]);
    for (int i = 0; i < ARRAYS; i++) {
        if (i > 0 && !to[i]) continue;
        made[i] = gndi_dist_new(x->mesh, fn, shape, f.dtype[i], layout);
        if (made[i]) gndi_dist_done(made[i], fn, f.a[i]);
        if (i > 0) *to[i] = made[i];
    }
    if (o.inverse && (*o.inverse = gndi_dist_new(x->mesh, fn, x->shape, GND_INT64, gndi_layout_of(x))))
        gndi_dist_done(*o.inverse, fn, inverse);
    return made[VALUE];
}
