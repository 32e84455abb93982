/*
 * window.c: memory of each rank that all other ranks of the mesh write: that of processes of one host, which open each
 * other's (gnd/ipc.h). On GPUs the copy engines fill it, beside kernels that have all multiprocessors; what the
 * transport moves needs some of these. Ranks tell each other by a barrier in stream order that copies have ended, or
 * that what came has been read: the host waits only while a window is made.
 *
 * All ranks have it or none. What is written and what is read are two arrays over the same memory, since gnd's own
 * order of streams goes by arrays, and a product that reads one panel is not to wait for the copies of the next ones.
 */
#define _POSIX_C_SOURCE 200809L
#include "dist/window.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The most bytes that a mesh keeps for it. */
#define MOST_BYTES ((int64_t)4 << 30)

/* Windows are used from so many bytes on; -1: from what suits the transport's memory. */
static _Atomic int64_t least = -1;

void gndi_dist_window_from(int64_t bytes) {
    least = bytes;
}

bool gndi_window_pays(const gnd_mesh *mesh, int64_t bytes) {
    enum { LEAST_OF_GPUS = 128 << 20 }; /* a product then takes much longer than the barriers */
    const gnd_transport *t = &mesh->link->transport;
    const int64_t from = least;
    if (t->size == 1 || mesh->link->window_refused || bytes <= 0 || bytes > MOST_BYTES) return false;
    if (t->memory == GND_CPU) return from >= 0 && bytes >= from; /* MPI's messages are as fast there */
    /* The close of NCCL's own transport waits for all ranks, which have closed the others' memory then. */
    const bool waits = gnd_mesh_native((gnd_mesh *)mesh) != NULL;
    return waits && !t->synchronous && !t->host_gather && bytes >= (from >= 0 ? from : LEAST_OF_GPUS);
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

/* What a rank tells of its memory. The number is in there too: a handle that another machine made may open something
   here, which has another number. */
typedef struct told {
    gnd_ipc_handle handle;
    uint64_t number;
} told;

static uint64_t new_number(const gndi_link *link) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t time = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
    return (time ^ (uint64_t)(uintptr_t)link) * 0x9e3779b97f4a7c15u + (uint64_t)link->transport.rank;
}

/* The number is in a window's first bytes. */
static gnd_array *number_in(const gnd_array *window) {
    const gnd_index range = gnd_index_range(0, (int64_t)sizeof(uint64_t), 1);
    return gnd_slice_ix(window, 1, &range);
}

/* This rank's memory. */
static bool make_own(gndi_link *link, int64_t bytes, told *own) {
    bool good = false;
    GND_SCOPE {
        GND_USE(device_of(link)) {
            const gnd_memory_kind before = gnd_memory_use(GND_MEMORY_SHARED);
            link->window = gnd_retain(gnd_empty(GND_SHAPE(bytes), GND_UINT8));
            gnd_memory_use(before);
            if (!link->window) continue;
            link->window_read = gnd_retain(
                gnd_wrap(gnd_data(link->window), GND_SHAPE(bytes), NULL, GND_UINT8, device_of(link), NULL, NULL));
            gnd_array *place = number_in(link->window);
            own->number = new_number(link);
            good = place && gnd_copy_from_host(place, &own->number, sizeof own->number) == GND_OK;
        }
    }
    if (link->join && !(link->window_own = gnd_event_new(false))) return false;
    link->windows = gndi_dist_try_calloc((size_t)link->transport.size * sizeof(gnd_array *));
    return good && link->window_read && link->windows && gnd_ipc_export(link->window, &own->handle) == GND_OK;
}

static bool open_others(gndi_link *link, const told *all) {
    bool good = all && link->windows;
    for (int r = 0; good && r < link->transport.size; r++) {
        GND_SCOPE {
            uint64_t number = 0;
            if (r == link->transport.rank) {
                link->windows[r] = link->window;
                continue;
            }
            link->windows[r] = gnd_retain(gnd_ipc_open_on(&all[r].handle, device_of(link)));
            const gnd_array *place = link->windows[r] ? number_in(link->windows[r]) : NULL;
            good = place && gnd_to_host(place, &number, sizeof number) == GND_OK && number == all[r].number;
        }
    }
    return good;
}

/* What everybody tells, which is longer than what is gathered at once. False if the transport failed. */
static bool gather_told(gnd_mesh *mesh, const char *fn, const told *own, told *all) {
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
    told own = {0}, *all = gndi_dist_try_calloc((size_t)gnd_mesh_size(mesh) * sizeof *all);
    bool good = make_own(link, bytes, &own);
    if (!good) memset(&own, 0, sizeof own);
    const bool moved = gather_told(mesh, fn, &own, all);
    if (moved) good = good && open_others(link, all);
    free(all);
    if (moved && !pending) gnd_error_clear();
    return moved && all_good(mesh, fn, good);
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
    gnd_sync(); /* an error of earlier work that comes to light here is the caller's, and stays */
    bytes = (bytes + STEP - 1) / STEP * STEP;
    if (link->window_bytes) drop(mesh, fn);
    if (make(mesh, fn, bytes)) return link->window_bytes = bytes, true;
    link->window_refused = true;
    drop(mesh, fn);
    return false;
}

/* On the stream of transfers, which waits for `after` before it. What is queued on a host is done when its call
   returns. */
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
