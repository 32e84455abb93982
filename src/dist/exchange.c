/*
 * exchange.c: packs arrays, hands their addresses to the transport, and unpacks what came.
 *
 * What a rank has for itself goes along in the transport's call if it is contiguous and takes no longer than what
 * others get; on a stream beside the call if it is large; else it is copied before. gnd's own order of streams goes by
 * whole arrays and would let the copy wait for the call, so that two events are its order.
 */
#include "dist/exchange.h"
#include <string.h>

int64_t gndi_shape_count(gnd_shape shape) {
    int64_t count = 1;
    for (int i = 0; i < shape.ndim; i++) count *= shape.dim[i];
    return count;
}

gnd_array *gndi_row(const gnd_array *a, int64_t i) {
    const gnd_index row = gnd_index_at(i);
    return a ? gnd_slice_ix(a, 1, &row) : NULL;
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
    link->spare[side][*n] = piece->spare;
    link->parts[side][*n] = (gnd_part){piece->rank, a ? gnd_data(a) : piece->spare, (size_t)piece->bytes};
    link->moved[side][(*n)++] = a;
    return a ? GND_OK : piece->array ? gndi_dist_status(fn) : GND_ERROR_MEMORY;
}

/* What a call of the transport moves, as counts of the link's lists: parts first, then what is copied beside it. */
typedef struct moving {
    int sends, receives, beside;
    size_t sent, received; /* bytes to and from other ranks */
} moving;

/* ---- a rank's pieces for itself ------------------------------------------------------------------------------- */

/* From here on a copy beside the transport's call is faster than one before it. NCCL's call takes a part along faster
   still while others travel: an all-to-all of 1 GiB on two H200s takes 1.62 ms so, and 1.86 with a copy beside it. But
   NCCL copies with few of the processors: a block of 200 MB with a row of 40 KB for a neighbour takes 0.15 ms longer so
   than with a copy that has all of them. */
enum { BESIDE_BYTES = 4 << 20 };

/* The next pair of pieces from this rank to itself, in the order of both lists; false: there is none. Both begin at
   -1. */
static bool next_own(int rank, int sends, const gndi_piece *send, int receives, const gndi_piece *receive, int *i,
                     int *j) {
    do ++*i;
    while (*i < sends && (send[*i].rank != rank || send[*i].bytes == 0));
    do ++*j;
    while (*j < receives && (receive[*j].rank != rank || receive[*j].bytes == 0));
    return *i < sends && *j < receives;
}

static bool is_there(const gnd_mesh *mesh, const gnd_array *a) {
    return gnd_device_equal(gnd_device_of(a), transport_device(mesh));
}

/* What the transport's call takes along, or what is copied beside it: both are where it moves memory. */
static bool goes_along(const gnd_mesh *mesh, const gnd_array *from, const gnd_array *to) {
    return mesh->link->transport.own_parts && gnd_is_c_contiguous(from) && gnd_is_c_contiguous(to) &&
           is_there(mesh, from) && is_there(mesh, to);
}
/* Whether that takes no longer than what others get and send. */
static bool is_hidden(const gnd_mesh *mesh, const moving *m, int64_t bytes) {
    if (bytes < BESIDE_BYTES || !mesh->link->copies) return true;
    return (size_t)bytes <= (m->sent > m->received ? m->sent : m->received);
}
static bool goes_beside(const gnd_mesh *mesh, const gnd_array *from, const gnd_array *to, int64_t bytes) {
    return mesh->link->copies && bytes >= BESIDE_BYTES && is_there(mesh, from) && is_there(mesh, to);
}

/* An array over the same memory, with which no stream waits for what others do with it. */
static gnd_array *unordered(const gnd_array *a) {
    gnd_shape shape = gnd_shape_of(a);
    int64_t strides[GND_MAX_DIMS];
    for (int i = 0; i < shape.ndim; i++) strides[i] = gnd_stride(a, i);
    const gnd_dtype dtype = gnd_dtype_of(a) == GND_BOOL ? GND_UINT8 : gnd_dtype_of(a);
    return gnd_wrap(gnd_data(a), shape, strides, dtype, gnd_device_of(a), NULL, NULL);
}

/* Copies `count` arrays of the lists of what moves, behind what the current stream had when link->fork was recorded;
   the current stream waits for it. */
static gnd_status copy_beside(gndi_link *link, gnd_array **from, gnd_array **to, int count) {
    gnd_status status = GND_OK;
    GND_STREAM(link->copies) {
        status = gnd_stream_wait_event(NULL, link->fork);
        GND_SCOPE {
            for (int k = 0; k < count && !status; k++) {
                gnd_array *source = unordered(from[k]), *destination = unordered(to[k]);
                status = source && destination ? gnd_transfer(destination, source) : GND_ERROR_MEMORY;
            }
        }
        const gnd_status marked = gnd_event_record(link->join, NULL);
        if (!status) status = marked;
    }
    const gnd_status joined = gnd_stream_wait_event(NULL, link->join);
    return status ? status : joined;
}

/* ---- the transport's call -------------------------------------------------------------------------------------- */

/* The arrays that there are, for gnd_foreign_begin. */
static int present(gndi_link *link, int side, int count) {
    int n = 0;
    for (int i = 0; i < count; i++)
        if (link->moved[side][i]) link->listed[side][n++] = link->moved[side][i];
    return n;
}

/* Around a call of the transport: what it reads and writes, in the order of the current stream. */
static gnd_status begin_moving(gndi_link *link, int sends, int receives) {
    const int reads = present(link, 0, sends), writes = present(link, 1, receives);
    return gnd_foreign_begin(NULL, reads, (const gnd_array *const *)link->listed[0], writes, link->listed[1]);
}

/* Parts of a rank that has failed, without addresses of its arrays. How many there are without those for itself, which
   come last and which nobody waits for: large ones would need memory. */
static int take_part(gndi_link *link, int side, int count) {
    while (count > 0 && link->parts[side][count - 1].rank == link->transport.rank) count--;
    for (int i = 0; i < count; i++) link->parts[side][i].address = link->spare[side][i];
    return count;
}

static gnd_status call_transport(gnd_mesh *mesh, const moving *m) {
    gndi_link *link = mesh->link;
    const gnd_transport *t = &link->transport;
    gnd_status own = GND_OK, moved = GND_OK;
    if (t->size == 1) return GND_OK;
    GND_USE(transport_device(mesh)) {
        own = begin_moving(link, m->sends + m->beside, m->receives + m->beside);
        if (!own && m->beside) own = gnd_event_record(link->fork, NULL);
        const int sends = own ? take_part(link, 0, m->sends) : m->sends;
        const int receives = own ? take_part(link, 1, m->receives) : m->receives;
        const double since = gndi_mesh_seconds();
        moved = t->exchange(t->context, sends, link->parts[0], receives, link->parts[1], gnd_stream_native(NULL));
        gndi_mesh_moved(mesh, moved, m->sent, since);
        if (!own && m->beside)
            own = copy_beside(link, link->moved[0] + m->sends, link->moved[1] + m->receives, m->beside);
        const gnd_status ended = gnd_foreign_end(NULL);
        own = moved ? moved : own ? own : ended;
    }
    return own;
}

/* Copies a rank's pieces for itself, or adds them to what moves. */
static gnd_status move_own(gnd_mesh *mesh, int sends, const gndi_piece *send, int receives, const gndi_piece *receive,
                           moving *m) {
    gndi_link *link = mesh->link;
    const int rank = link->transport.rank;
    const bool alone = m->sends + m->receives == 0;
    gnd_status status = GND_OK;
    for (int along = 0; along < 2; along++) /* parts come before what is copied beside the call */
        for (int i = -1, j = -1; next_own(rank, sends, send, receives, receive, &i, &j);) {
            const gnd_array *from = send[i].array, *to = receive[j].array;
            const bool both = from && to;
            const bool parts = both && !alone && goes_along(mesh, from, to) && is_hidden(mesh, m, send[i].bytes);
            if ((from && from == to) || parts == (along == 1)) continue;
            if (parts) {
                link->spare[0][m->sends] = link->spare[1][m->receives] = NULL;
                link->parts[0][m->sends] = (gnd_part){rank, gnd_data(from), (size_t)send[i].bytes};
                link->parts[1][m->receives] = (gnd_part){rank, gnd_data(to), (size_t)send[i].bytes};
                link->moved[0][m->sends++] = (gnd_array *)from, link->moved[1][m->receives++] = (gnd_array *)to;
            } else if (both && !alone && goes_beside(mesh, from, to, send[i].bytes)) {
                link->moved[0][m->sends + m->beside] = (gnd_array *)from;
                link->moved[1][m->receives + m->beside++] = (gnd_array *)to;
            } else {
                const gnd_status copied = both ? gnd_transfer((gnd_array *)to, from) : GND_ERROR_MEMORY;
                if (!status) status = copied;
            }
        }
    return status;
}

/* What was received packed goes to where it belongs. */
static gnd_status unpack(gnd_mesh *mesh, int receives, const gndi_piece *receive) {
    gnd_status status = GND_OK;
    for (int i = 0, j = 0; i < receives; i++) {
        if (receive[i].rank == mesh->link->transport.rank || receive[i].bytes == 0) continue;
        const gnd_array *a = mesh->link->moved[1][j++];
        if (!a || a == receive[i].array) continue;
        const gnd_status copied = gnd_transfer((gnd_array *)receive[i].array, a);
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
        moving m = {0};
        for (int i = 0; i < sends; i++) {
            const gnd_status one = prepare(mesh, &send[i], true, &m.sends, fn);
            if (!status) status = one;
        }
        for (int i = 0; i < receives; i++) {
            const gnd_status one = prepare(mesh, &receive[i], false, &m.receives, fn);
            if (!status) status = one;
        }
        for (int i = 0; i < m.sends; i++) m.sent += link->parts[0][i].bytes;
        for (int i = 0; i < m.receives; i++) m.received += link->parts[1][i].bytes;
        const gnd_status own = move_own(mesh, sends, send, receives, receive, &m), moved = call_transport(mesh, &m);
        if (!status) status = own ? own : moved;
        const gnd_status unpacked = moved ? moved : unpack(mesh, receives, receive);
        if (!status) status = unpacked;
    }
    return status;
}

gnd_status gndi_mesh_all_reduce(gnd_mesh *mesh, const char *fn, int count, const gndi_combined *part) {
    gndi_link *link = mesh->link;
    const gnd_transport *t = &link->transport;
    gnd_combined_part parts[GNDI_MOST_COMBINED];
    if (link->dead) return gndi_dist_raise(GND_ERROR_DEVICE, fn, "the mesh has failed: make a new one");
    gnd_status status = GND_OK;
    GND_SCOPE {
        gnd_array **from = link->moved[0], **to = link->moved[1];
        size_t bytes = 0;
        for (int i = 0; i < count; i++) {
            from[i] = part[i].from ? movable(mesh, part[i].from, true) : NULL;
            to[i] = part[i].to ? movable(mesh, part[i].to, false) : NULL;
            if (!from[i] || !to[i]) status = part[i].from && part[i].to ? gndi_dist_status(fn) : GND_ERROR_MEMORY;
            parts[i] = (gnd_combined_part){from[i] ? gnd_data(from[i]) : NULL, to[i] ? gnd_data(to[i]) : NULL,
                                           (size_t)part[i].count, part[i].dtype, part[i].how};
            bytes += parts[i].count * gnd_dtype_size(part[i].dtype);
        }
        GND_USE(transport_device(mesh)) {
            const gnd_status own = begin_moving(link, count, count);
            for (int i = 0; own && i < count; i++) parts[i].from = parts[i].to = NULL;
            const double since = gndi_mesh_seconds();
            const gnd_status moved = t->all_reduce(t->context, count, parts, gnd_stream_native(NULL));
            gndi_mesh_moved(mesh, moved, bytes, since);
            const gnd_status ended = gnd_foreign_end(NULL);
            if (!status) status = moved ? moved : own ? own : ended;
        }
        for (int i = 0; i < count && !status; i++)
            if (to[i] != part[i].to) status = gnd_transfer(part[i].to, to[i]);
    }
    return status;
}

/* Of a rank's arrays; or of the mesh's own, if it failed or its arrays cannot be used. */
static gnd_status gather_from(gnd_mesh *mesh, const gnd_array *from, gnd_array *to, size_t bytes) {
    gndi_link *link = mesh->link;
    const gnd_transport *t = &link->transport;
    const gnd_status own = from && to ? gnd_foreign_begin(NULL, 1, &from, 1, &to) : GND_ERROR_MEMORY;
    gnd_status moved = GND_OK;
    if (own) {
        from = link->from, to = link->to;
        moved = gnd_foreign_begin(NULL, 1, &from, 1, &to);
        if (moved && t->abort) t->abort(t->context);
    }
    const double since = gndi_mesh_seconds();
    if (!moved) moved = t->all_gather(t->context, gnd_data(from), gnd_data(to), bytes, gnd_stream_native(NULL));
    gndi_mesh_moved(mesh, moved, bytes * (size_t)(t->size - 1), since);
    const gnd_status ended = gnd_foreign_end(NULL);
    return moved ? moved : own ? own : ended;
}

gnd_status gndi_mesh_gather_few(gnd_mesh *mesh, const char *fn, const gnd_array *part, gnd_array *all, int64_t bytes) {
    gnd_status status = GND_OK;
    if (mesh->link->dead) return gndi_dist_raise(GND_ERROR_DEVICE, fn, "the mesh has failed: make a new one");
    GND_SCOPE {
        const gnd_array *from = part ? movable(mesh, part, true) : NULL;
        gnd_array *to = all ? movable(mesh, all, false) : NULL;
        GND_USE(transport_device(mesh)) {
            status = gather_from(mesh, from, to, (size_t)bytes);
        }
        if (!status && to != all) status = gnd_transfer(all, to);
    }
    return status;
}

gnd_status gndi_mesh_meet(gnd_mesh *mesh, const char *fn) {
    gndi_link *link = mesh->link;
    gnd_status status = GND_OK;
    const int64_t here = 1;
    if (link->dead) return gndi_dist_raise(GND_ERROR_DEVICE, fn, "the mesh has failed: make a new one");
    if (link->transport.host_gather) return gndi_mesh_gather(mesh, fn, &here, sizeof here) ? GND_OK : GND_ERROR_DEVICE;
    GND_USE(transport_device(mesh)) {
        status = gather_from(mesh, link->from, link->to, sizeof here);
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
        send[r] = gndi_piece_at(r, part, bytes);
        receive[r] = gndi_piece_at(r, gndi_row(all, r), bytes);
    }
    const gnd_status status = gndi_mesh_exchange(mesh, fn, size, send, size, receive);
    for (int r = 0; r < size; r++) {
        if (all && !receive[r].array) all = NULL; /* a view failed */
        gnd_release((gnd_array *)receive[r].array);
    }
    return status == GND_OK && part ? all : NULL;
}
