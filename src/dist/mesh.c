/*
 * mesh.c: making, splitting and releasing meshes, and the frame of the library's public functions.
 */
#include "dist/dist.h"
#include "dist/window.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the frame of a call --------------------------------------------------------------------------------------- */

void gndi_call_begin(gndi_call *call, const char *fn) {
    call->before = gnd_part_of(fn);
    if (call->before) gnd_part_of(call->before);
    gnd_scope_open(&call->scope);
}

void gndi_call_end(gndi_call *call) {
    gnd_scope_close(&call->scope);
    gnd_part_of(call->before);
}

gnd_status gndi_dist_raise(gnd_status code, const char *fn, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return gnd_raise(code, fn, text);
}

gnd_status gndi_dist_status(const char *fn) {
    const gnd_error_record *pending = gnd_error();
    return pending ? pending->code : gndi_dist_raise(GND_ERROR_INVALID, fn, "an argument is NULL");
}

bool gndi_dist_try_again(int attempt, bool pending) {
    if (attempt > 0 || pending || !gnd_error() || gnd_error()->code != GND_ERROR_MEMORY) return false;
    gnd_error_clear();
    return true;
}

static _Thread_local int64_t fail_at;

void gndi_dist_fail_alloc_at(int64_t n) {
    fail_at = n;
}

void *gndi_dist_try_calloc(size_t bytes) {
    return fail_at > 0 && --fail_at == 0 ? NULL : calloc(1, bytes ? bytes : 1);
}

void *gndi_dist_calloc(const char *fn, size_t bytes) {
    void *memory = gndi_dist_try_calloc(bytes);
    if (!memory) gndi_dist_raise(GND_ERROR_MEMORY, fn, "out of memory (%zu bytes on the host)", bytes);
    return memory;
}

/* ---- meshes ---------------------------------------------------------------------------------------------------- */

static void link_release(gndi_link *link) {
    if (atomic_fetch_sub_explicit(&link->refs, 1, memory_order_acq_rel) != 1) return;
    gndi_window_close(link);
    gnd_release(link->from), gnd_release(link->to), gnd_stream_release(link->beside);
    gnd_stream_release(link->copies), gnd_event_release(link->fork), gnd_event_release(link->join);
    for (int k = 0; k < GNDI_LINK_STREAMS - 1; k++) gnd_stream_release(link->more[k]);
    gndi_packed_release(link);
    if (link->solver) link->solver_close(link->solver);
    if (link->transport.close) link->transport.close(link->transport.context);
    gndi_window_release(link);
    for (int k = 0; k < 2; k++)
        free(link->parts[k]), free(link->pieces[k]), free(link->moved[k]), free(link->listed[k]), free(link->spare[k]);
    free(link->gathered), free(link->numbers);
    free(link);
}

gnd_stream *gndi_link_stream(gndi_link *link, int k) {
    if (!link->beside || k == 0) return link->beside;
    gnd_stream **own = &link->more[k - 1];
    const bool pending = gnd_error() != NULL;
    if (!*own && !(*own = gnd_stream_new_high_priority()) && !pending) gnd_error_clear();
    return *own ? *own : link->beside;
}

/* What gndi_mesh_gather needs, so that it never allocates. */
static gnd_status link_prepare(gndi_link *link, const char *fn) {
    const gnd_transport *t = &link->transport;
    link->small = sizeof(gnd_error_record);
    if (link->small < 16 * (size_t)t->size) link->small = 16 * (size_t)t->size;
    link->gathered = gndi_dist_calloc(fn, link->small * (size_t)(t->size + 1));
    if (!link->gathered) return GND_ERROR_MEMORY;
    link->given = link->gathered + link->small * (size_t)t->size;
    link->capacity = 4 * t->size + 8;
    const size_t capacity = (size_t)link->capacity;
    if (!(link->numbers = gndi_dist_calloc(fn, capacity * sizeof *link->numbers))) return GND_ERROR_MEMORY;
    for (int k = 0; k < 2; k++) {
        link->parts[k] = gndi_dist_calloc(fn, capacity * sizeof *link->parts[k]);
        link->pieces[k] = gndi_dist_calloc(fn, capacity * sizeof *link->pieces[k]);
        link->moved[k] = gndi_dist_calloc(fn, capacity * sizeof *link->moved[k]);
        link->listed[k] = gndi_dist_calloc(fn, capacity * sizeof *link->listed[k]);
        link->spare[k] = gndi_dist_calloc(fn, capacity * sizeof *link->spare[k]);
        if (!link->parts[k] || !link->pieces[k] || !link->moved[k] || !link->listed[k] || !link->spare[k])
            return GND_ERROR_MEMORY;
    }
    /* Kernels of a transfer are few blocks, which must not wait until all blocks of a kernel beside it have started. */
    if (t->memory == GND_GPU && t->size > 1 && !(link->beside = gnd_stream_new_high_priority()))
        return gndi_dist_status(fn);
    if (!t->synchronous && t->size > 1 &&
        (!(link->copies = gnd_stream_new()) || !(link->fork = gnd_event_new(false)) ||
         !(link->join = gnd_event_new(false))))
        return gndi_dist_status(fn);
    if (t->host_gather) return GND_OK;
    GND_USE(t->memory == GND_CPU ? gnd_cpu() : gnd_current_device()) {
        const int64_t bytes = (int64_t)link->small;
        link->from = gnd_retain(gnd_empty(GND_SHAPE(bytes), GND_UINT8));
        link->to = gnd_retain(gnd_empty(GND_SHAPE(bytes * t->size), GND_UINT8));
    }
    return link->from && link->to ? GND_OK : gndi_dist_status(fn);
}

static gnd_mesh *mesh_over(gndi_link *link, const char *fn, int rows, int columns) {
    gnd_mesh *mesh = gndi_dist_calloc(fn, sizeof *mesh);
    if (!mesh) return NULL;
    mesh->grid[0] = rows, mesh->grid[1] = columns;
    if (!(mesh->reserve = gndi_dist_calloc(fn, gndi_dist_bytes(mesh)))) return free(mesh), NULL;
    const int rank = link->transport.rank;
    atomic_init(&mesh->refs, 1);
    atomic_fetch_add_explicit(&link->refs, 1, memory_order_relaxed);
    mesh->link = link;
    mesh->place[0] = rank / columns, mesh->place[1] = rank % columns;
    return mesh;
}

gnd_status gndi_mesh_first_limit(double *seconds, const char *fn) {
    const char *text = getenv("GND_MESH_TIMEOUT");
    char *end;
    *seconds = 600;
    if (!text || !*text) return GND_OK;
    *seconds = strtod(text, &end);
    if (end != text && !*end && *seconds >= 0) return GND_OK;
    return gndi_dist_raise(GND_ERROR_INVALID, fn, "GND_MESH_TIMEOUT=%s is no number of seconds; 0 is no limit", text);
}

/* A fault on one rank while a mesh is made is an error of all of them. */
static gnd_mesh *mesh_new(const gnd_transport *transport, const char *fn) {
    double limit;
    gndi_link *link = gndi_mesh_first_limit(&limit, fn) ? NULL : gndi_dist_calloc(fn, sizeof *link);
    if (!link) {
        if (transport->abort) transport->abort(transport->context);
        transport->close(transport->context);
        return NULL;
    }
    atomic_init(&link->refs, 1);
    link->transport = *transport;
    const char *check = getenv("GND_MESH_CHECK");
    link->check = check && strcmp(check, "1") == 0;
    gnd_mesh *mesh = NULL;
    if (link_prepare(link, fn) != GND_OK) {
        if (transport->abort) transport->abort(transport->context);
    } else {
        const int size = transport->size;
        int rows = 1;
        for (int r = 2; r * r <= size; r++) rows = size % r == 0 ? r : rows;
        mesh = mesh_over(link, fn, size, 1);
        if (mesh && size > 1 && !(mesh->square = mesh_over(link, fn, rows, size / rows)))
            gnd_mesh_release(mesh), mesh = NULL;
        if (!mesh && transport->abort) transport->abort(transport->context);
    }
    link_release(link);
    if (mesh) gnd_mesh_set_timeout(mesh, limit);
    return mesh;
}

gnd_mesh *gnd_mesh_new(const gnd_transport *transport) {
    static const char fn[] = "gnd_mesh_new";
    GNDI_CALL(fn);
    if (!transport || !transport->exchange || !transport->all_gather || !transport->split || !transport->close ||
        !transport->allocate != !transport->deallocate || transport->size < 1 || transport->rank < 0 ||
        transport->rank >= transport->size) {
        gndi_dist_raise(
            GND_ERROR_INVALID, fn,
            "the transport has no exchange, all_gather, split or close, one of allocate and deallocate alone, "
            "or rank %d is none of its %d ranks",
            transport ? transport->rank : 0, transport ? transport->size : 0);
        return NULL;
    }
    return mesh_new(transport, fn);
}

gnd_mesh *gndi_mesh_new_nccl(const char *fn, const void *id, int size, int rank, const char *meeting) {
    gnd_transport transport = {0};
    double limit;
    if (gndi_mesh_first_limit(&limit, fn) != GND_OK ||
        gndi_transport_nccl(&transport, fn, id, size, rank, meeting, limit) != GND_OK)
        return NULL;
    return mesh_new(&transport, fn);
}

gnd_mesh *gnd_mesh_new_nccl(const void *id, int size, int rank) {
    static const char fn[] = "gnd_mesh_new_nccl";
    GNDI_CALL(fn);
    if (id && size >= 1 && rank >= 0 && rank < size) return gndi_mesh_new_nccl(fn, id, size, rank, NULL);
    gndi_dist_raise(GND_ERROR_INVALID, fn, "rank %d is none of %d ranks, or the id is NULL", rank, size);
    return NULL;
}

gnd_mesh *gnd_mesh_grid(gnd_mesh *mesh, gnd_shape grid) {
    static const char fn[] = "gnd_mesh_grid";
    if (!mesh) return gndi_dist_status(fn), NULL;
    const int64_t size = gnd_mesh_size(mesh);
    const int64_t rows = grid.ndim > 0 ? grid.dim[0] : 0, columns = grid.ndim == 2 ? grid.dim[1] : 1;
    if (grid.ndim < 1 || grid.ndim > 2 || rows < 1 || columns < 1 || rows > size || columns > size ||
        rows * columns != size) {
        gndi_dist_raise(GND_ERROR_SHAPE, fn,
                        "a grid has one or two axes, whose product is the %d ranks; "
                        "not %lld x %lld",
                        (int)size, (long long)rows, (long long)columns);
        return NULL;
    }
    gnd_mesh *made = mesh_over(mesh->link, fn, (int)rows, (int)columns);
    if (made && columns > 1 && !(made->row = mesh_over(mesh->link, fn, (int)size, 1)))
        gnd_mesh_release(made), made = NULL;
    return made;
}

gnd_mesh *gnd_mesh_split(gnd_mesh *mesh, int color, int key) {
    static const char fn[] = "gnd_mesh_split";
    if (!mesh) return gndi_dist_status(fn), NULL;
    GNDI_CALL(fn);
    if (!gndi_mesh_enter(mesh, fn, " ")) return NULL;
    gnd_transport part = {0};
    const double since = gndi_mesh_seconds();
    const gnd_transport *t = &mesh->link->transport;
    if (gndi_mesh_moved(mesh, t->split(t->context, color, key, &part), 0, since) != GND_OK) return NULL;
    gnd_mesh *made = part.size ? mesh_new(&part, fn) : NULL;
    if (made) gnd_mesh_set_timeout(made, mesh->link->limit);
    return made;
}

void gndi_mesh_retain(gnd_mesh *mesh) {
    atomic_fetch_add_explicit(&mesh->refs, 1, memory_order_relaxed);
}

void gnd_mesh_release(gnd_mesh *mesh) {
    if (!mesh || atomic_fetch_sub_explicit(&mesh->refs, 1, memory_order_acq_rel) != 1) return;
    gnd_mesh_release(mesh->row), gnd_mesh_release(mesh->square);
    link_release(mesh->link);
    free(mesh->reserve);
    free(mesh);
}

int gnd_mesh_size(const gnd_mesh *mesh) {
    return mesh ? mesh->link->transport.size : 0;
}

int gnd_mesh_rank(const gnd_mesh *mesh) {
    return mesh ? mesh->link->transport.rank : -1;
}

int gnd_mesh_extent(const gnd_mesh *mesh, int axis) {
    return mesh && (axis == 0 || axis == 1) ? mesh->grid[axis] : 0;
}

int gnd_mesh_place(const gnd_mesh *mesh, int axis) {
    return mesh && (axis == 0 || axis == 1) ? mesh->place[axis] : -1;
}

gnd_status gnd_mesh_stats_of(gnd_mesh *mesh, gnd_mesh_stats *out) {
    if (!mesh || !out) return gndi_dist_status("gnd_mesh_stats_of");
    *out = mesh->link->stats;
    return GND_OK;
}
