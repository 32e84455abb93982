/*
 * exchange.c: packs arrays, hands their addresses to the transport, and unpacks what came.
 */
#include "dist/exchange.h"
#include <string.h>

int64_t gndi_shape_count(gnd_shape shape) {
    int64_t count = 1;
    for (int i = 0; i < shape.ndim; i++) count *= shape.dim[i];
    return count;
}

/* The device whose memory the transport moves. */
static gnd_device transport_device(const gnd_mesh *mesh) {
    return mesh->link->transport.memory == GND_CPU ? gnd_cpu() : gnd_current_device();
}

/* The array itself, where the transport can take its address; else one to pack it into, or that holds it packed. */
static gnd_array *movable(const gnd_mesh *mesh, const gnd_array *a, bool filled) {
    const gnd_device device = transport_device(mesh);
    const bool there = gnd_device_equal(gnd_device_of(a), device);
    if (there && gnd_is_c_contiguous(a)) return (gnd_array *)a;
    gnd_array *packed = NULL;
    GND_USE(there && filled ? gnd_device_of(a) : device) {
        if (!filled)
            packed = gnd_empty(gnd_shape_of(a), gnd_dtype_of(a));
        else if (there)
            packed = gnd_ascontiguous(a);
        else
            packed = gnd_to_device(gnd_ascontiguous(a), device);
    }
    return packed;
}

/* The part of the exchange that a piece is; how many there are is counted in *n. */
static gnd_status prepare(gnd_mesh *mesh, const gndi_piece *piece, bool filled, int *n, const char *fn) {
    gndi_link *link = mesh->link;
    const int side = filled ? 0 : 1;
    if (piece->rank == link->transport.rank || piece->bytes == 0) return GND_OK;
    gnd_array *a = piece->array ? movable(mesh, piece->array, filled) : NULL;
    link->parts[side][*n] = (gnd_part){piece->rank, a ? gnd_data(a) : NULL, (size_t)piece->bytes};
    link->moved[side][(*n)++] = a;
    return a ? GND_OK : piece->array ? gndi_dist_status(fn) : GND_ERROR_MEMORY;
}

/* The arrays that there are, for gnd_foreign_begin. */
static int present(gndi_link *link, int side, int count) {
    int n = 0;
    for (int i = 0; i < count; i++)
        if (link->moved[side][i]) link->listed[side][n++] = link->moved[side][i];
    return n;
}

static gnd_status call_transport(gnd_mesh *mesh, int sends, int receives) {
    gndi_link *link = mesh->link;
    const gnd_transport *t = &link->transport;
    size_t bytes = 0;
    if (t->size == 1) return GND_OK;
    for (int i = 0; i < sends; i++) bytes += link->parts[0][i].bytes;
    const int reads = present(link, 0, sends), writes = present(link, 1, receives);
    gnd_status own = GND_OK, moved;
    GND_USE(transport_device(mesh)) {
        own = gnd_foreign_begin(NULL, reads, (const gnd_array *const *)link->listed[0], writes, link->listed[1]);
        if (own) { /* takes part without addresses */
            for (int i = 0; i < sends; i++) link->parts[0][i].address = NULL;
            for (int i = 0; i < receives; i++) link->parts[1][i].address = NULL;
        }
        const double since = gndi_mesh_seconds();
        moved = t->exchange(t->context, sends, link->parts[0], receives, link->parts[1], gnd_stream_native(NULL));
        gndi_mesh_moved(mesh, moved, bytes, since);
        const gnd_status ended = gnd_foreign_end(NULL);
        own = moved ? moved : own ? own : ended;
    }
    return own;
}

/* A rank's pieces for itself, in the order of both lists. */
static gnd_status copy_own(gnd_mesh *mesh, int sends, const gndi_piece *send, int receives, const gndi_piece *receive) {
    const int rank = gnd_mesh_rank(mesh);
    gnd_status status = GND_OK;
    for (int i = 0, j = 0; i < sends; i++) {
        if (send[i].rank != rank || send[i].bytes == 0) continue;
        while (j < receives && (receive[j].rank != rank || receive[j].bytes == 0)) j++;
        if (j == receives) break;
        const gndi_piece *to = &receive[j++];
        if (send[i].array && send[i].array == to->array) continue;
        const gnd_status copied =
            send[i].array && to->array ? gnd_transfer((gnd_array *)to->array, send[i].array) : GND_ERROR_MEMORY;
        if (!status) status = copied;
    }
    return status;
}

gnd_status gndi_mesh_exchange(gnd_mesh *mesh, const char *fn, int sends, const gndi_piece *send, int receives,
                              const gndi_piece *receive) {
    gndi_link *link = mesh->link;
    if (link->dead) return gndi_dist_raise(GND_ERROR_DEVICE, fn, "the mesh has failed: make a new one");
    if (sends > link->capacity || receives > link->capacity)
        return gndi_dist_raise(GND_ERROR_INVALID, fn, "an exchange of %d and %d pieces is too large", sends, receives);
    gnd_status status = GND_OK;
    GND_SCOPE {
        int out = 0, in = 0;
        for (int i = 0; i < sends; i++) {
            const gnd_status one = prepare(mesh, &send[i], true, &out, fn);
            if (!status) status = one;
        }
        for (int i = 0; i < receives; i++) {
            const gnd_status one = prepare(mesh, &receive[i], false, &in, fn);
            if (!status) status = one;
        }
        const gnd_status own = copy_own(mesh, sends, send, receives, receive), moved = call_transport(mesh, out, in);
        if (!status) status = own ? own : moved;
        for (int i = 0, j = 0; i < receives; i++) { /* what was received packed goes to where it belongs */
            if (receive[i].rank == link->transport.rank || receive[i].bytes == 0) continue;
            const gnd_array *a = link->moved[1][j++];
            if (moved || !a || a == receive[i].array) continue;
            const gnd_status copied = gnd_transfer((gnd_array *)receive[i].array, a);
            if (!status) status = copied;
        }
    }
    return status;
}

gnd_array *gndi_mesh_all_gather(gnd_mesh *mesh, const char *fn, const gnd_array *part, gnd_shape shape,
                                gnd_dtype dtype) {
    const int size = gnd_mesh_size(mesh);
    gnd_shape whole = {.ndim = shape.ndim + 1, .dim = {size}};
    if (whole.ndim > GND_MAX_DIMS) return gndi_dist_raise(GND_ERROR_SHAPE, fn, "more than %d axes", GND_MAX_DIMS), NULL;
    memcpy(whole.dim + 1, shape.dim, (size_t)shape.ndim * sizeof *shape.dim);
    const int64_t bytes = gndi_shape_count(shape) * (int64_t)gnd_dtype_size(dtype);
    gnd_array *all = gnd_empty(whole, dtype);
    gndi_piece *send = mesh->link->pieces[0], *receive = mesh->link->pieces[1];
    for (int r = 0; r < size; r++) {
        send[r] = (gndi_piece){r, part, bytes};
        receive[r] = (gndi_piece){r, all ? gnd_slice(all, "%d", r) : NULL, bytes};
    }
    const gnd_status status = gndi_mesh_exchange(mesh, fn, size, send, size, receive);
    for (int r = 0; r < size; r++) {
        if (all && !receive[r].array) all = NULL; /* a view failed */
        gnd_release((gnd_array *)receive[r].array);
    }
    return status == GND_OK && part ? all : NULL;
}
