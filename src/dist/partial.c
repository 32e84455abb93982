/*
 * partial.c: partial sums of the ranks along an axis of the mesh are exchanged, and added by gnd.
 */
#include "dist/partial.h"
#include <string.h>

gnd_array *gndi_partial_sum(gnd_dist **x, int k, int axis, const gnd_array *part, const char *fn) {
    gnd_mesh *mesh = (*x)->mesh;
    const gnd_dist *old = *x;
    const gnd_dtype dtype = old->dtype;
    gndi_layout layout = gndi_layout_of(old);
    layout.axis[k] = axis, layout.cuts[k] = NULL;
    gnd_dist *sum = gndi_dist_new(mesh, fn, old->shape, dtype, layout);
    if (!sum) return NULL;
    const gnd_shape here = gndi_dist_local_shape(sum);
    gnd_shape shape = {.ndim = here.ndim + 1, .dim = {mesh->grid[k]}};
    memcpy(shape.dim + 1, here.dim, (size_t)here.ndim * sizeof *here.dim);
    gnd_array *all = shape.ndim <= GND_MAX_DIMS ? gnd_empty(shape, dtype) : NULL;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    gndi_box mine, theirs;
    gndi_box_of(old, gnd_mesh_rank(mesh), &mine);
    const int64_t bytes = gndi_shape_count(here) * (int64_t)gnd_dtype_size(dtype);
    for (int p = 0; p < mesh->grid[k]; p++) {
        const int rank = gndi_beside(mesh, k, p);
        gndi_box_of(sum, rank, &theirs);
        int64_t sent = (int64_t)gnd_dtype_size(dtype);
        for (int i = 0; i < here.ndim; i++) sent *= theirs.count[i];
        send[p] = (gndi_piece){rank, sent ? gndi_box_view(part, here.ndim, &theirs, mine.start) : NULL, sent};
        receive[p] = (gndi_piece){rank, all ? gnd_slice(all, "%d", p) : NULL, bytes};
    }
    const gnd_status status = gndi_mesh_exchange(mesh, fn, mesh->grid[k], send, mesh->grid[k], receive);
    gnd_dist_release(*x);
    *x = sum;
    if (status || !all || !part) return NULL;
    gnd_axes first = GND_AXES(0);
    if (dtype == GND_BOOL) return gnd_any(all, first);
    first.dtype = dtype;
    return gnd_sum(all, first);
}
