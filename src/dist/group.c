/*
 * group.c: gathers among the ranks along an axis of the mesh, and agreement before elements move.
 */
#include "dist/group.h"
#include <string.h>

gnd_array *gndi_group_gather(const gndi_group *g, const char *fn, const gnd_array *part, gnd_shape shape,
                             gnd_dtype dtype) {
    gndi_piece *send = g->mesh->link->pieces[0], *receive = g->mesh->link->pieces[1];
    gnd_shape whole = {.ndim = shape.ndim + 1, .dim = {g->size}};
    memcpy(whole.dim + 1, shape.dim, (size_t)shape.ndim * sizeof *shape.dim);
    const int64_t bytes = gndi_shape_count(shape) * (int64_t)gnd_dtype_size(dtype);
    gnd_array *all = gnd_empty(whole, dtype);
    for (int p = 0; p < g->size; p++) {
        const int rank = gndi_beside(g->mesh, g->k, p);
        send[p] = gndi_piece_at(rank, part, bytes);
        receive[p] = gndi_piece_at(rank, gndi_row(all, p), bytes);
    }
    const gnd_status status = gndi_mesh_exchange(g->mesh, fn, g->size, send, g->size, receive);
    return status == GND_OK && part ? all : NULL;
}

bool gndi_mesh_all_good(gnd_mesh *mesh, const char *fn, bool good, int64_t number, int64_t *sum) {
    const int64_t own[2] = {good ? GND_OK : (int64_t)gndi_dist_status(fn), number};
    const int64_t *all = gndi_mesh_gather(mesh, fn, own, sizeof own);
    bool well = all != NULL;
    if (!all) return false;
    if (sum) *sum = 0;
    for (int r = 0; r < gnd_mesh_size(mesh); r++) {
        well = well && all[2 * r] == GND_OK;
        if (sum) *sum += all[2 * r + 1];
    }
    if (!well) gndi_mesh_agree_on(mesh, fn, good ? NULL : gnd_error());
    return well;
}

bool gndi_dist_here(const gnd_dist *x, const char *fn) {
    if (x->local) return true;
    gnd_raise(x->failure.code, fn, x->failure.message);
    return false;
}
