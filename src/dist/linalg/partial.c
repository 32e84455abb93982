/*
 * partial.c: partial sums of the ranks along an axis of the mesh are exchanged, and added by gnd.
 */
#include "dist/linalg/partial.h"
#include <string.h>

/* A rank's part of the sum, in this rank's partial one. */
static gndi_box part_of(const gnd_dist *old, const gnd_dist *sum, int rank) {
    gndi_box mine, part;
    gndi_box_of(old, gnd_mesh_rank(old->mesh), &mine);
    gndi_box_of(sum, rank, &part);
    for (int i = 0; i < sum->shape.ndim; i++) part.start[i] -= mine.start[i];
    return part;
}

static int64_t bytes_of(const gnd_dist *x, const gndi_box *box) {
    int64_t bytes = (int64_t)gnd_dtype_size(x->dtype);
    for (int i = 0; i < x->shape.ndim; i++) bytes *= box->count[i];
    return bytes;
}

static gnd_array *add_parts(const gnd_dist *old, const gnd_dist *sum, int k, const gnd_array *part, const char *fn) {
    gnd_mesh *mesh = old->mesh;
    const int ndim = sum->shape.ndim, ranks = mesh->grid[k];
    const gndi_box here = part_of(old, sum, gnd_mesh_rank(mesh));
    gnd_shape shape = {.ndim = ndim};
    memcpy(shape.dim, here.count, (size_t)ndim * sizeof *here.count);
    gnd_array *all = gnd_empty(GND_SHAPE(ranks, gndi_shape_count(shape)), sum->dtype);
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    for (int p = 0; p < ranks; p++) {
        const int rank = gndi_beside(mesh, k, p);
        const gndi_box theirs = part_of(old, sum, rank);
        const int64_t sent = bytes_of(sum, &theirs);
        send[p] = gndi_piece_at(rank, sent ? gndi_box_view(part, ndim, &theirs, NULL) : NULL, sent);
        receive[p] = gndi_piece_at(rank, gnd_reshape(gndi_row(all, p), shape), bytes_of(sum, &here));
    }
    if (gndi_mesh_exchange(mesh, fn, ranks, send, ranks, receive) != GND_OK || !all || !part) return NULL;
    gnd_axes first = GND_AXES(0);
    first.dtype = sum->dtype == GND_BOOL ? GND_DTYPE_NONE : sum->dtype;
    const gnd_array *y = sum->dtype == GND_BOOL ? gnd_any(all, first) : gnd_sum(all, first);
    return y ? gnd_reshape(y, shape) : NULL;
}

gnd_array *gndi_partial_sum(gnd_dist **x, int k, int axis, const gnd_array *part, const char *fn) {
    gndi_layout layout = gndi_layout_of(*x);
    layout.axis[k] = axis, layout.cuts[k] = NULL;
    gnd_dist *sum = gndi_dist_new((*x)->mesh, fn, (*x)->shape, (*x)->dtype, layout);
    if (!sum) return NULL;
    gnd_array *y = add_parts(*x, sum, k, part, fn);
    gnd_dist_release(*x);
    *x = sum;
    return y;
}
