/*
 * mesh_gather.c: small gathers that all ranks wait for: barriers, agreements about errors, and the comparison of calls.
 */
#define _POSIX_C_SOURCE 200809L
#include "dist/mesh.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

double gndi_mesh_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

gnd_status gndi_mesh_moved(gnd_mesh *mesh, gnd_status status, size_t bytes_sent, double since) {
    gndi_link *link = mesh->link;
    link->stats.calls++;
    link->stats.bytes_sent += bytes_sent;
    const double seconds = gndi_mesh_seconds() - since;
    link->stats.seconds += seconds;
    if (status == GND_OK) return status;
    link->dead = true;
    return gndi_dist_raise(
        status, "gnd_mesh", /* nothing, where the transport has said what failed */
        "rank %d has waited %.1f s for other ranks in call %llu on this mesh: one of them has ended, "
        "hangs, or makes other calls (gnd_mesh_set_timeout)",
        link->transport.rank, seconds, (unsigned long long)link->number);
}

gnd_status gndi_mesh_state(gnd_mesh *mesh) {
    gndi_link *link = mesh->link;
    const gnd_transport *t = &link->transport;
    const gnd_status status = t->state && !link->dead ? t->state(t->context) : GND_OK;
    if (status != GND_OK) link->dead = true;
    return status;
}

gnd_status gnd_mesh_set_timeout(gnd_mesh *mesh, double seconds) {
    static const char fn[] = "gnd_mesh_set_timeout";
    if (!mesh) return gndi_dist_status(fn);
    if (!(seconds >= 0)) return gndi_dist_raise(GND_ERROR_VALUE, fn, "no call waits for %g seconds", seconds);
    gndi_link *link = mesh->link;
    link->limit = seconds;
    if (link->transport.limit) link->transport.limit(link->transport.context, seconds);
    return GND_OK;
}

/* By way of the device's memory, which was set aside when the mesh was made: whole arrays are copied, since a view of
   one would need memory, and a rank without memory must take part. A rank that cannot gives up the transport. */
static gnd_status device_gather_begin(gndi_link *link, const gnd_array *from, size_t bytes) {
    const gnd_transport *t = &link->transport;
    gnd_status status = gnd_foreign_begin(NULL, 1, &from, 1, &link->to);
    if (!status)
        status = t->all_gather(t->context, gnd_data(from), gnd_data(link->to), bytes, gnd_stream_native(NULL));
    else if (t->abort)
        t->abort(t->context);
    gnd_foreign_end(NULL);
    return status;
}

/* From link->given. */
static gnd_status given_gather_begin(gndi_link *link, size_t bytes) {
    const gnd_transport *t = &link->transport;
    const gnd_status status = gnd_copy_from_host(link->from, link->given, link->small);
    if (!status) return device_gather_begin(link, link->from, bytes);
    if (t->abort) t->abort(t->context);
    return status;
}

/* What earlier kernels have found, an index out of range say, gnd_to_host raises when the bytes are there: that is an
   error of this rank, not of the mesh. */
static gnd_status device_gather_end(gndi_link *link, bool *late) {
    const gnd_status status = gnd_to_host(link->to, link->gathered, link->small * (size_t)link->transport.size);
    *late = status == GND_ERROR_INDEX || status == GND_ERROR_VALUE;
    return *late ? GND_OK : status;
}

static gnd_status device_gather(gndi_link *link, const void *from, size_t bytes) {
    gnd_status status = GND_OK;
    bool late;
    memcpy(link->given, from, bytes);
    GND_USE(gnd_device_of(link->from)) {
        status = given_gather_begin(link, bytes);
        if (!status) status = device_gather_end(link, &late);
    }
    return status;
}

/* Whether the mesh gathers; else raises. */
static bool can_gather(const gndi_link *link, const char *fn, size_t bytes) {
    if (!link->dead && bytes <= link->small) return true;
    gndi_dist_raise(GND_ERROR_DEVICE, fn,
                    link->dead ? "the mesh has failed: make a new one"
                               : "a rank sends more than the mesh has set aside");
    return false;
}

/* The end of a gather that began then. */
static const void *gathered(gnd_mesh *mesh, gnd_status status, size_t bytes, double since) {
    gndi_link *link = mesh->link;
    if (!status) status = gndi_mesh_state(mesh);
    if (gndi_mesh_moved(mesh, status, bytes * (size_t)(link->transport.size - 1), since) != GND_OK) return NULL;
    return link->gathered;
}

const void *gndi_mesh_gather(gnd_mesh *mesh, const char *fn, const void *from, size_t bytes) {
    gndi_link *link = mesh->link;
    const gnd_transport *t = &link->transport;
    if (!can_gather(link, fn, bytes)) return NULL;
    const double since = gndi_mesh_seconds();
    const gnd_status status =
        t->host_gather ? t->host_gather(t->context, from, link->gathered, bytes) : device_gather(link, from, bytes);
    return gathered(mesh, status, bytes, since);
}

/* ---- numbers, in two steps -------------------------------------------------------------------------------------- */

static bool starts_on_device(const gnd_array *numbers, const gndi_link *link) {
    return numbers && !link->transport.host_gather &&
           gnd_device_equal(gnd_device_of(numbers), gnd_device_of(link->from));
}

/* In link->given. */
static void write_numbers(gndi_link *link, const char *fn, const gnd_array *numbers, const int64_t *host,
                          size_t bytes) {
    if (host)
        memcpy(link->given, host, bytes);
    else if (!numbers || gnd_to_host(numbers, link->given, bytes) != GND_OK)
        *(int64_t *)(void *)link->given = -(int64_t)gndi_dist_status(fn);
}

gndi_numbers gndi_mesh_numbers_begin(gnd_mesh *mesh, const char *fn, const gnd_array *numbers, const int64_t *host,
                                     int count) {
    gndi_link *link = mesh->link;
    gndi_numbers g = {.bytes = (size_t)count * sizeof *host};
    if (!can_gather(link, fn, g.bytes)) return g;
    g.began = true, g.since = gndi_mesh_seconds();
    GND_STREAM(link->beside) {
        if (starts_on_device(numbers, link) && gnd_foreign_begin(NULL, 1, &numbers, 0, NULL) == GND_OK) {
            g.status = device_gather_begin(link, numbers, g.bytes);
        } else {
            write_numbers(link, fn, starts_on_device(numbers, link) ? NULL : numbers, host, g.bytes);
            if (!link->transport.host_gather) {
                GND_USE(gnd_device_of(link->from)) {
                    g.status = given_gather_begin(link, g.bytes);
                }
            }
        }
    }
    return g;
}

const int64_t *gndi_mesh_numbers_end(gnd_mesh *mesh, gndi_numbers *g) {
    gndi_link *link = mesh->link;
    const gnd_transport *t = &link->transport;
    if (!g->began || link->dead) return NULL;
    if (!g->status && t->host_gather) g->status = t->host_gather(t->context, link->given, link->gathered, g->bytes);
    if (!g->status && !t->host_gather) {
        GND_STREAM(link->beside) {
            g->status = device_gather_end(link, &g->late);
        }
    }
    return gathered(mesh, g->status, g->bytes, g->since);
}

/* ---- agreement ---------------------------------------------------------------------------------------------- */

gnd_status gndi_mesh_agree_on(gnd_mesh *mesh, const char *fn, const gnd_error_record *failure) {
    const int32_t own = failure ? (int32_t)failure->code : GND_OK;
    const int32_t *codes = gndi_mesh_gather(mesh, fn, &own, sizeof own);
    if (!codes) return GND_ERROR_DEVICE;
    int first = 0;
    const int size = gnd_mesh_size(mesh);
    while (first < size && codes[first] == GND_OK) first++;
    if (first == size) return GND_OK;
    static const gnd_error_record none;
    const gnd_error_record *records = gndi_mesh_gather(mesh, fn, failure ? failure : &none, sizeof none);
    if (!records) return GND_ERROR_DEVICE;
    const gnd_error_record *record = &records[first];
    /* "gnd_dist_sum: out of memory", whose function comes again with the new message */
    const size_t named = strlen(record->function);
    const char *sentence = record->message;
    if (strncmp(sentence, record->function, named) == 0 && strncmp(sentence + named, ": ", 2) == 0)
        sentence += named + 2;
    const bool known = strncmp(sentence, "rank ", 5) == 0; /* all had agreed on it before */
    gnd_error_clear();
    const char *before = gnd_part_of(NULL);
    gndi_dist_raise(record->code, record->function, known ? "%.0d%s" : "rank %d: %s", known ? 0 : first, sentence);
    gnd_part_of(before);
    return record->code;
}

gnd_status gnd_mesh_agree(gnd_mesh *mesh) {
    static const char fn[] = "gnd_mesh_agree";
    if (!mesh) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    return gndi_mesh_agree_on(mesh, fn, gnd_error());
}

gnd_status gnd_mesh_barrier(gnd_mesh *mesh) {
    static const char fn[] = "gnd_mesh_barrier";
    if (!mesh) return gndi_dist_status(fn);
    GNDI_CALL(fn);
    if (!gndi_mesh_enter(mesh, fn, " ")) return gndi_dist_status(fn);
    const gnd_status synced = gnd_sync();
    const char here = 1;
    if (!gndi_mesh_gather(mesh, fn, &here, 1)) return GND_ERROR_DEVICE;
    return synced;
}

/* ---- calls that do not match -------------------------------------------------------------------------------- */

typedef struct call_text {
    uint64_t number;
    char text[248];
} call_text;

bool gndi_mesh_enter(gnd_mesh *mesh, const char *fn, const char *format, ...) {
    gndi_link *link = mesh->link;
    if (gndi_mesh_state(mesh) != GND_OK) return false;
    if (link->dead) {
        gndi_dist_raise(GND_ERROR_DEVICE, fn, "the mesh has failed: make a new one");
        return false;
    }
    link->number++;
    if (!link->check || link->transport.size == 1) return true;
    call_text own = {.number = link->number};
    const int length = snprintf(own.text, sizeof own.text, "%s ", fn);
    va_list arguments;
    va_start(arguments, format);
    if (length > 0 && (size_t)length < sizeof own.text)
        vsnprintf(own.text + length, sizeof own.text - (size_t)length, format, arguments);
    va_end(arguments);
    const call_text *calls = gndi_mesh_gather(mesh, fn, &own, sizeof own);
    if (!calls) return false;
    for (int r = 1; r < gnd_mesh_size(mesh); r++) {
        if (memcmp(&calls[0], &calls[r], sizeof own) == 0) continue;
        gndi_dist_raise(
            GND_ERROR_INVALID, fn, "calls do not match: rank 0 is at call %llu, %s; rank %d at call %llu, %s",
            (unsigned long long)calls[0].number, calls[0].text, r, (unsigned long long)calls[r].number, calls[r].text);
        return false;
    }
    return true;
}
