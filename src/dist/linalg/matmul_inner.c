/*
 * matmul_inner.c: products whose inner axis is divided: each rank has a partial product, and adds up one part of all of
 * them. What the others add up is multiplied first, one rank's part after another, and is sent on a stream of its own
 * while the next one is multiplied; the rank's own part is the last.
 */
#include "dist/linalg/matmul.h"
#include <string.h>

typedef struct partial {
    const gndi_product *p;
    const gnd_dist *whole, *sum; /* describe the partial products, and their sum */
    const gnd_array *block[2];   /* of the factors */
    int k, axis, along;          /* the axis of the mesh; that of the product which the sum is split along, and as one
                                    of the space */
    gnd_array *total, *arrived;  /* this rank's part of the sum; the other ranks' ones for it, one behind another */
} partial;

/* The rank that is `step` places further along the axis of the mesh. */
static int further(const partial *w, int step) {
    const gnd_mesh *mesh = w->p->mesh;
    const int ranks = mesh->grid[w->k];
    return gndi_beside(mesh, w->k, (mesh->place[w->k] + step + ranks) % ranks);
}

/* The part that a rank adds up, in this rank's block of the product. */
static gndi_box part_of(const partial *w, int rank) {
    gndi_box mine, part;
    gndi_box_of(w->whole, gnd_mesh_rank(w->p->mesh), &mine);
    gndi_box_of(w->sum, rank, &part);
    for (int i = 0; i < w->sum->shape.ndim; i++) part.start[i] -= mine.start[i];
    return part;
}

static gnd_shape shape_of(const partial *w, const gndi_box *box) {
    gnd_shape shape = {.ndim = w->sum->shape.ndim};
    memcpy(shape.dim, box->count, (size_t)shape.ndim * sizeof *shape.dim);
    return shape;
}

/* This rank's product of what lies in the part. */
static bool multiply(const partial *w, const gndi_box *part, gnd_array *to) {
    const gnd_array *factor[2];
    const int64_t from = part->start[w->axis], till = from + part->count[w->axis];
    for (int j = 0; j < 2; j++) {
        const int axis = w->p->factor[j].axis[w->along];
        factor[j] = axis < 0 ? w->block[j] : gndi_product_range(w->block[j], axis, from, till);
    }
    return gndi_product_into(w->p, to, factor[0], factor[1], false);
}

/* What the rank that is `step` places back has for this one's part. */
static gnd_array *arrived(const partial *w, int step) {
    const gnd_shape shape = gndi_dist_local_shape(w->sum);
    const int64_t count = gndi_shape_count(shape);
    if (!w->arrived) return NULL;
    return gnd_reshape(gnd_slice(w->arrived, "%lld:%lld", (long long)((step - 1) * count), (long long)(step * count)),
                       shape);
}

/* Multiplies what a rank adds up, and sends it, while this rank's part comes from another one. */
static bool exchange(const partial *w, int step) {
    gnd_mesh *mesh = w->p->mesh;
    const int64_t item = (int64_t)gnd_dtype_size(w->sum->dtype);
    const int to = further(w, step);
    const gndi_box box = part_of(w, to);
    const gnd_shape shape = shape_of(w, &box);
    gnd_array *part = gnd_empty(shape, w->sum->dtype);
    if (!multiply(w, &box, part)) part = NULL;
    gnd_status status = GND_OK;
    GND_STREAM(mesh->link->beside) {
        const gndi_piece send = gndi_piece_at(to, part, gndi_shape_count(shape) * item);
        const gndi_piece receive =
            gndi_piece_at(further(w, -step), arrived(w, step), gndi_shape_count(gndi_dist_local_shape(w->sum)) * item);
        status = gndi_mesh_exchange(mesh, w->p->fn, 1, &send, 1, &receive);
    }
    return status == GND_OK && part;
}

/* Adds up the parts in the order of the places, into `total`, which has this rank's one. */
static bool add_up(const partial *w) {
    const int ranks = w->p->mesh->grid[w->k], place = w->p->mesh->place[w->k];
    gnd_array *sum = NULL;
    for (int i = 0; i < ranks; i++) {
        gnd_array *next = i == place ? w->total : arrived(w, (place - i + ranks) % ranks);
        gnd_array *to = i == ranks - 1 ? w->total : sum;
        if (i > 0 && gnd_add_into(to, sum, next) != GND_OK) return false;
        sum = i > 0 ? to : next;
    }
    return true;
}

static bool all_parts(partial *w) {
    const int ranks = w->p->mesh->grid[w->k];
    const gnd_shape shape = gndi_dist_local_shape(w->sum);
    const gndi_box own = part_of(w, gnd_mesh_rank(w->p->mesh));
    GND_STREAM(w->p->mesh->link->beside) {
        w->arrived = gnd_empty(GND_SHAPE((ranks - 1) * gndi_shape_count(shape)), w->sum->dtype);
    }
    w->total = gnd_empty(shape, w->sum->dtype);
    bool good = true;
    for (int step = 1; step < ranks; step++) {
        GND_SCOPE {
            good = exchange(w, step) && good;
        }
    }
    good = good && w->total && w->arrived;
    return good && multiply(w, &own, w->total) && add_up(w);
}

/* Whether parts are worth a product of their own each, for all ranks alike. */
static bool has_parts(const gndi_product *p, int axis) {
    if (axis < 0 || p->factor[0].moves || p->factor[1].moves) return false;
    const int64_t bytes = gndi_shape_count(p->shape) * (int64_t)gnd_dtype_size(p->sum);
    return bytes / gnd_mesh_size(p->mesh) > GNDI_ALL_ADD_BYTES;
}

gnd_array *gndi_product_summed(const gndi_product *p, gnd_dist **c, int k, int axis) {
    if (!has_parts(p, axis)) {
        const gnd_array *part = gndi_product_blocks(p, *c);
        return gndi_partial_sum(c, k, axis, part, p->fn);
    }
    gndi_layout layout = gndi_layout_of(*c);
    layout.axis[k] = axis, layout.cuts[k] = NULL;
    gnd_dist *sum = gndi_dist_new(p->mesh, p->fn, p->shape, p->sum, layout);
    if (!sum) return NULL;
    const gndi_factor *a = &p->factor[0], *b = &p->factor[1];
    partial w = {.p = p, .whole = *c, .sum = sum, .k = k, .axis = axis};
    w.block[0] = gndi_dist_block_here(a->x, a->x->local, a->need);
    w.block[1] = gndi_dist_block_here(b->x, b->x->local, b->need);
    while (p->axis[w.along] != axis) w.along++;
    const bool good = all_parts(&w);
    gnd_dist_release(*c);
    *c = sum;
    return good ? w.total : NULL;
}
