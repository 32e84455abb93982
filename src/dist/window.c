/*
 * window.c: memory of each rank that all other ranks of the mesh write: that of processes of one host, which open each
 * other's (gnd/ipc.h). On GPUs the copy engines fill it, beside kernels that have all multiprocessors; what the
 * transport moves needs some of these. Nobody waits on the host: ranks tell each other by a barrier in stream order
 * that copies have ended, or that what came has been read.
 *
 * All ranks have it or none. What is written and what is read are two arrays over the same memory, since gnd's own
 * order of streams goes by arrays, and a product that reads one panel is not to wait for the copies of the next ones.
 */
#include "dist/window.h"
#include <stdlib.h>
#include <string.h>

/* The most bytes that a mesh keeps for it. */
#define MOST_BYTES ((int64_t)4 << 30)

/* What moves fewer bytes goes as ever: -1: what suits the transport's memory. */
static _Atomic int64_t least = -1;

void gndi_dist_window_from(int64_t bytes) {
    least = bytes;
}

bool gndi_window_pays(const gnd_mesh *mesh, int64_t bytes) {
    enum { LEAST_OF_GPUS = 32 << 20 };
    const gnd_transport *t = &mesh->link->transport;
    const int64_t from = least;
    if (t->size == 1 || mesh->link->window_refused || bytes <= 0 || bytes > MOST_BYTES) return false;
    if (t->memory == GND_CPU) return from >= 0 && bytes >= from; /* MPI's messages are as fast there */
    return !t->synchronous && !t->host_gather && bytes >= (from >= 0 ? from : LEAST_OF_GPUS);
}

/* Closes the others', and then everybody waits, before the memory goes. */
void gndi_window_close(gndi_link *link) {
    for (int r = 0; link->windows && r < link->transport.size; r++)
        if (r != link->transport.rank) gnd_release(link->windows[r]);
    free(link->windows);
    link->windows = NULL, link->window_bytes = 0;
}
void gndi_window_release(gndi_link *link) {
    gndi_window_close(link);
    gnd_release(link->window_read), gnd_release(link->window), gnd_event_release(link->window_own);
    link->window = link->window_read = NULL, link->window_own = NULL;
}

static gnd_device device_of(const gndi_link *link) {
    return link->transport.memory == GND_CPU ? gnd_cpu() : gnd_current_device();
}

/* This rank's memory, and its handle. */
static bool make_own(gndi_link *link, int64_t bytes, gnd_ipc_handle *handle) {
    GND_SCOPE {
        GND_USE(device_of(link)) {
            const gnd_memory_kind before = gnd_memory_use(GND_MEMORY_SHARED);
            link->window = gnd_retain(gnd_empty(GND_SHAPE(bytes), GND_UINT8));
            gnd_memory_use(before);
            if (!link->window) continue;
            link->window_read = gnd_retain(
                gnd_wrap(gnd_data(link->window), GND_SHAPE(bytes), NULL, GND_UINT8, device_of(link), NULL, NULL));
        }
    }
    if (link->join && !(link->window_own = gnd_event_new(false))) return false;
    link->windows = gndi_dist_try_calloc((size_t)link->transport.size * sizeof(gnd_array *));
    return link->window && link->window_read && link->windows && gnd_ipc_export(link->window, handle) == GND_OK;
}

static bool open_others(gndi_link *link, const gnd_ipc_handle *handles) {
    bool good = handles && link->windows;
    for (int r = 0; good && r < link->transport.size; r++) {
        GND_SCOPE {
            link->windows[r] =
                r == link->transport.rank ? link->window : gnd_retain(gnd_ipc_open_on(&handles[r], device_of(link)));
        }
        good = link->windows[r] != NULL;
    }
    return good;
}

/* Everybody's handles, which are longer than what is gathered at once. False if the transport failed. */
static bool gather_handles(gnd_mesh *mesh, const char *fn, const gnd_ipc_handle *own, gnd_ipc_handle *all) {
    enum { HALF = sizeof *own / 2 };
    for (int half = 0; half < 2; half++) {
        const char *part = gndi_mesh_gather(mesh, fn, (const char *)own + (size_t)half * HALF, HALF);
        if (!part) return false;
        for (int r = 0; all && r < gnd_mesh_size(mesh); r++)
            memcpy((char *)&all[r] + (size_t)half * HALF, part + (size_t)r * HALF, HALF);
    }
    return true;
}

/* Whether no rank is without; false also if the transport failed. */
static bool all_good(gnd_mesh *mesh, const char *fn, bool good) {
    const int32_t own = !good, *all = gndi_mesh_gather(mesh, fn, &own, sizeof own);
    bool together = all != NULL;
    for (int r = 0; together && r < gnd_mesh_size(mesh); r++) together = !all[r];
    return together;
}

/* A rank without memory is no error: then there is none. */
static bool make(gnd_mesh *mesh, const char *fn, int64_t bytes) {
    gndi_link *link = mesh->link;
    const bool pending = gnd_error() != NULL;
    gnd_ipc_handle own = {{0}}, *all = gndi_dist_try_calloc((size_t)gnd_mesh_size(mesh) * sizeof *all);
    bool good = make_own(link, bytes, &own);
    if (!good) own = (gnd_ipc_handle){{0}};
    const bool told = gather_handles(mesh, fn, &own, all);
    if (told) good = good && open_others(link, all);
    free(all);
    if (told && !pending) gnd_error_clear();
    return told && all_good(mesh, fn, good);
}

/* Nobody has it any more when the memory is given back. */
static void drop(gnd_mesh *mesh, const char *fn) {
    gndi_window_close(mesh->link);
    all_good(mesh, fn, true);
    gndi_window_release(mesh->link);
}

bool gndi_window_for(gnd_mesh *mesh, const char *fn, int64_t bytes) {
    enum { STEP = 1 << 20 };
    gndi_link *link = mesh->link;
    if (link->dead || link->window_refused) return false;
    if (link->window_bytes >= bytes) return true;
    const bool pending = gnd_error() != NULL;
    bytes = (bytes + STEP - 1) / STEP * STEP;
    if (link->window_bytes) {
        gnd_sync();
        if (!pending) gnd_error_clear();
        drop(mesh, fn);
    }
    if (make(mesh, fn, bytes)) return link->window_bytes = bytes, true;
    link->window_refused = true;
    drop(mesh, fn);
    return false;
}

/* On the stream of transfers, which waits for `after` before it; the current stream and the one of copies then wait for
   it. What is queued on a host is done when its call returns. */
gnd_status gndi_window_barrier(gnd_mesh *mesh, const char *fn, gnd_stream *after) {
    gndi_link *link = mesh->link;
    gnd_status status = GND_OK, marked = GND_OK;
    if (link->fork) status = gnd_event_record(link->fork, after);
    GND_STREAM(link->beside) {
        if (link->fork && !status) status = gnd_stream_wait_event(NULL, link->fork);
        const gnd_status met = gndi_mesh_meet(mesh, fn);
        if (!status) status = met;
        if (link->join) marked = gnd_event_record(link->join, NULL);
    }
    if (!status) status = marked;
    return status;
}
