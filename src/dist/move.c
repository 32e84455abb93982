/*
 * move.c: scatter, gather and redistribute. One rule for all layouts: a rank sends each other rank what its block has
 * in common with the other's new one; of several copies, that one sends which stands at the receiver's place.
 */
#include "dist/align.h"
#include <string.h>

bool gndi_sends_to(const gnd_dist *x, int sender, int receiver) {
    for (int k = 0; k < 2; k++)
        if (x->axis[k] < 0 && gndi_place(x->mesh, sender, k) != gndi_place(x->mesh, receiver, k)) return false;
    return true;
}

/* What of a block lies in a rank's range along an axis; false if nothing. */
static bool narrow(const gndi_step *step, void (*range)(const void *context, int rank, int64_t *from, int64_t *till),
                   int axis, int rank, gndi_box *block) {
    int64_t from, till;
    range(step->context, rank, &from, &till);
    gndi_box part = *block;
    part.start[axis] = from, part.count[axis] = till - from;
    return gndi_box_meet(step->x->shape.ndim, block, &part, block);
}

/* What a rank's block of x and another's of `to` have in common in this step; false if nothing. */
static bool meet(const gndi_step *step, int sender, int receiver, gndi_box *out) {
    const int ndim = step->x->shape.ndim;
    gndi_box have, want;
    gndi_box_of(step->x, sender, &have);
    gndi_box_of(step->to, receiver, &want);
    if (step->axis >= 0 && !narrow(step, step->range, step->axis, step->of_sender ? sender : receiver, &want))
        return false;
    if (step->range_to && !narrow(step, step->range_to, step->axis_to, receiver, &want)) return false;
    return gndi_box_meet(ndim, &have, &want, out);
}

/* The same as a piece for, or from, `rank`: a view of `a`, which begins at `start`. */
static gndi_piece piece(const gndi_step *step, const gndi_box *box, int rank, const gnd_array *a,
                        const int64_t *start) {
    const int ndim = step->x->shape.ndim;
    int64_t bytes = (int64_t)gnd_dtype_size(step->x->dtype);
    for (int i = 0; i < ndim; i++) bytes *= box->count[i];
    return gndi_piece_at(rank, gndi_box_view(a, ndim, box, start), bytes);
}

void gndi_step_pieces(const gndi_step *step, int *sends, int *receives) {
    gnd_mesh *mesh = step->x->mesh;
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    gndi_box box;
    for (int r = 0; r < size; r++) {
        if (r == rank && step->keeps) continue;
        if (gndi_sends_to(step->x, rank, r) && meet(step, rank, r, &box))
            send[(*sends)++] = piece(step, &box, r, step->from, step->from_start);
        if (gndi_sends_to(step->x, r, rank) && meet(step, r, rank, &box))
            receive[(*receives)++] = piece(step, &box, r, step->into, step->to_start);
    }
}

gnd_status gndi_dist_move_block(const gnd_dist *x, const gnd_array *block, const gnd_dist *to, gnd_array *local,
                                const char *fn) {
    gnd_mesh *mesh = x->mesh;
    int sends = 0, receives = 0;
    gndi_box from, here;
    gndi_box_of(x, gnd_mesh_rank(mesh), &from);
    gndi_box_of(to, gnd_mesh_rank(mesh), &here);
    gndi_step_pieces(&(gndi_step){.x = x,
                                  .to = to,
                                  .from = block,
                                  .into = local,
                                  .from_start = from.start,
                                  .to_start = here.start,
                                  .axis = -1},
                     &sends, &receives);
    return gndi_mesh_exchange(mesh, fn, sends, mesh->link->pieces[0], receives, mesh->link->pieces[1]);
}

gnd_status gndi_dist_move(const gnd_dist *x, const gnd_dist *to, gnd_array *local, const char *fn) {
    const gnd_status status = gndi_dist_move_block(x, x->local, to, local, fn);
    return status || x->local ? status : x->failure.code;
}

static bool is_empty(int ndim, const gndi_box *box) {
    for (int i = 0; i < ndim; i++)
        if (box->count[i] == 0) return true;
    return false;
}

bool gndi_dist_stays(const gnd_dist *x, const gnd_dist *to) {
    const int ndim = x->shape.ndim;
    for (int r = 0; r < gnd_mesh_size(x->mesh); r++) {
        gndi_box have, want, meet;
        gndi_box_of(x, r, &have);
        gndi_box_of(to, r, &want);
        if (is_empty(ndim, &want)) continue;
        gndi_box_meet(ndim, &have, &want, &meet);
        if (memcmp(meet.count, want.count, (size_t)ndim * sizeof *want.count) != 0) return false;
    }
    return true;
}

gnd_array *gndi_dist_block_here(const gnd_dist *x, const gnd_array *block, const gnd_dist *to) {
    gndi_box have, want;
    gndi_box_of(x, gnd_mesh_rank(x->mesh), &have);
    gndi_box_of(to, gnd_mesh_rank(x->mesh), &want);
    if (block && is_empty(x->shape.ndim, &want)) return gnd_empty(gndi_dist_local_shape(to), to->dtype);
    return gndi_box_view(block, x->shape.ndim, &want, have.start);
}

gnd_dist *gndi_dist_to(const gnd_dist *x, gndi_layout layout, const char *fn) {
    gnd_dist *y = gndi_dist_new(x->mesh, fn, x->shape, x->dtype, layout);
    if (!y) return NULL;
    gnd_array *local = NULL;
    if (gndi_dist_stays(x, y)) {
        local = gndi_dist_block_here(x, x->local, y);
    } else {
        local = gnd_empty(gndi_dist_local_shape(y), y->dtype);
        if (gndi_dist_move(x, y, local, fn) != GND_OK) local = NULL;
    }
    return x->local ? gndi_dist_done(y, fn, local) : gndi_dist_failed_like(y, x);
}

gnd_dist *gnd_dist_redistribute(const gnd_dist *x, gnd_layout layout) {
    static const char fn[] = "gnd_dist_redistribute";
    gndi_layout resolved;
    char text[160];
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    if (!gndi_layout_resolve(x->mesh, fn, x->shape, layout, &resolved)) return NULL;
    if (!gndi_mesh_enter(x->mesh, fn, "%s to %d %d", gndi_text_dist(x, text, sizeof text), resolved.axis[0],
                         resolved.axis[1]))
        return NULL;
    return gndi_dist_to(x, resolved, fn);
}

/* ---- one rank's array ---------------------------------------------------------------------------------------- */

typedef struct description {
    int32_t code, dtype, ndim;
    int64_t dim[GND_MAX_DIMS];
} description;

gnd_dist *gnd_dist_scatter(gnd_mesh *mesh, const gnd_array *a, int root, gnd_layout layout) {
    static const char fn[] = "gnd_dist_scatter";
    if (!mesh) return gndi_dist_status(fn), NULL;
    GNDI_CALL(fn);
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    if (root < 0 || root >= size)
        return gndi_dist_raise(GND_ERROR_INDEX, fn, "rank %d is none of %d ranks", root, size), NULL;
    if (!gndi_mesh_enter(mesh, fn, "from %d", root)) return NULL;
    description own = {0};
    if (rank == root && !a) own.code = (int32_t)gndi_dist_status(fn);
    if (rank == root && a) {
        own.dtype = (int32_t)gnd_dtype_of(a), own.ndim = gnd_ndim(a);
        for (int i = 0; i < own.ndim; i++) own.dim[i] = gnd_dim(a, i);
    }
    const description *all = gndi_mesh_gather(mesh, fn, &own, sizeof own);
    if (!all) return NULL;
    const description told = all[root];
    if (told.code) return gndi_mesh_agree_on(mesh, fn, rank == root ? gnd_error() : NULL), NULL;
    gnd_shape shape = {.ndim = told.ndim};
    memcpy(shape.dim, told.dim, sizeof shape.dim);
    gndi_layout resolved;
    if (!gndi_layout_resolve(mesh, fn, shape, layout, &resolved)) return NULL;
    gnd_dist *x = gndi_dist_new(mesh, fn, shape, (gnd_dtype)told.dtype, resolved);
    if (!x) return NULL;
    gnd_array *local = gnd_empty(gndi_dist_local_shape(x), x->dtype);
    gndi_piece *send = mesh->link->pieces[0], receive;
    gndi_box box;
    int sends = 0;
    for (int r = 0; rank == root && r < size; r++) {
        gndi_box_of(x, r, &box);
        int64_t bytes = (int64_t)gnd_dtype_size(x->dtype);
        for (int i = 0; i < shape.ndim; i++) bytes *= box.count[i];
        send[sends++] = gndi_piece_at(r, bytes ? gndi_box_view(a, shape.ndim, &box, NULL) : NULL, bytes);
    }
    receive =
        gndi_piece_at(root, local, gndi_shape_count(gndi_dist_local_shape(x)) * (int64_t)gnd_dtype_size(x->dtype));
    const gnd_status status = gndi_mesh_exchange(mesh, fn, sends, send, 1, &receive);
    return gndi_dist_done(x, fn, status ? NULL : local);
}

/* Whether `rank` has a copy, but not the first one. */
static bool spare_copy(const gnd_dist *x, int rank) {
    for (int k = 0; k < 2; k++)
        if (x->axis[k] < 0 && gndi_place(x->mesh, rank, k) != 0) return true;
    return false;
}

/* All blocks to one rank, in pieces of the whole array there. */
static gnd_status gather_to(const gnd_dist *x, int root, gnd_array *whole, const char *fn) {
    gnd_mesh *mesh = x->mesh;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    gndi_piece *receive = mesh->link->pieces[1], send;
    int receives = 0;
    for (int r = 0; rank == root && r < size; r++) {
        gndi_box box;
        int64_t bytes = (int64_t)gnd_dtype_size(x->dtype);
        if (spare_copy(x, r)) continue;
        gndi_box_of(x, r, &box);
        for (int i = 0; i < x->shape.ndim; i++) bytes *= box.count[i];
        receive[receives++] = gndi_piece_at(r, bytes ? gndi_box_view(whole, x->shape.ndim, &box, NULL) : NULL, bytes);
    }
    send = gndi_piece_of(root, x->local);
    return gndi_mesh_exchange(mesh, fn, spare_copy(x, rank) ? 0 : 1, &send, receives, receive);
}

gnd_array *gnd_dist_gather(const gnd_dist *x, int root) {
    static const char fn[] = "gnd_dist_gather";
    char text[160];
    if (gndi_dist_missing(x, fn)) return NULL;
    GNDI_CALL(fn);
    gnd_mesh *mesh = x->mesh;
    const int size = gnd_mesh_size(mesh), rank = gnd_mesh_rank(mesh);
    if (root < -1 || root >= size)
        return gndi_dist_raise(GND_ERROR_INDEX, fn, "rank %d is none of %d ranks", root, size), NULL;
    if (!gndi_mesh_enter(mesh, fn, "%s to %d", gndi_text_dist(x, text, sizeof text), root)) return NULL;
    gnd_array *whole = NULL;
    const gnd_error_record *failure = gndi_dist_failure(x);
    if (!failure && (root == -1 || root == rank) && !(whole = gnd_empty(x->shape, x->dtype))) failure = gnd_error();
    if (gndi_mesh_agree_on(mesh, fn, failure) != GND_OK) return NULL;
    gnd_status status;
    if (root >= 0) {
        status = gather_to(x, root, whole, fn);
    } else {
        gnd_dist *everywhere = gndi_dist_new(mesh, fn, x->shape, x->dtype, (gndi_layout){{-1, -1}, {NULL, NULL}});
        if (!everywhere) return NULL;
        status = gndi_dist_move(x, everywhere, whole, fn);
        gnd_dist_release(everywhere);
    }
    return status == GND_OK && whole ? gnd_keep(whole) : NULL;
}
