/*
 * transport_nccl.c: the transport over NCCL, which is opened at its first use. The prototypes are those of NCCL 2.18
 * and later; nothing of its header is needed.
 */
#define _GNU_SOURCE
#include "dist/mesh.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

enum { NCCL_ID_BYTES = 128, NCCL_UINT8 = 1, NCCL_IN_PROGRESS = 7, NCCL_NO_COLOR = -1 };
typedef struct nccl_id {
    char internal[NCCL_ID_BYTES];
} nccl_id;
typedef struct ncclComm *nccl_comm;

/* In the order of the names below; the last two may be missing. */
typedef struct nccl_table {
    int (*GetVersion)(int *version);
    int (*GetUniqueId)(nccl_id *id);
    int (*CommInitRank)(nccl_comm *comm, int ranks, nccl_id id, int rank);
    int (*CommDestroy)(nccl_comm comm);
    int (*CommAbort)(nccl_comm comm);
    int (*CommCount)(const nccl_comm comm, int *count);
    int (*CommUserRank)(const nccl_comm comm, int *rank);
    int (*CommGetAsyncError)(nccl_comm comm, int *error);
    const char *(*GetErrorString)(int result);
    int (*Send)(const void *buffer, size_t count, int type, int peer, nccl_comm comm, void *stream);
    int (*Recv)(void *buffer, size_t count, int type, int peer, nccl_comm comm, void *stream);
    int (*AllGather)(const void *from, void *to, size_t count, int type, nccl_comm comm, void *stream);
    int (*GroupStart)(void);
    int (*GroupEnd)(void);
    int (*CommSplit)(nccl_comm comm, int color, int key, nccl_comm *out, void *config);
    const char *(*GetLastError)(nccl_comm comm);
} nccl_table;
static const char *const names[] = {
    "ncclGetVersion",     "ncclGetUniqueId", "ncclCommInitRank", "ncclCommDestroy",
    "ncclCommAbort",      "ncclCommCount",   "ncclCommUserRank", "ncclCommGetAsyncError",
    "ncclGetErrorString", "ncclSend",        "ncclRecv",         "ncclAllGather",
    "ncclGroupStart",     "ncclGroupEnd",    "ncclCommSplit",    "ncclGetLastError"};
enum { NAMES = sizeof names / sizeof *names, NEEDED = NAMES - 2 };
_Static_assert(sizeof(nccl_table) == NAMES * sizeof(void *), "a name for each function");

/* ---- the library -------------------------------------------------------------------------------------------- */

typedef struct nccl_library {
    union {
        nccl_table call;
        void *address[NAMES];
    };
    char problem[256];
} nccl_library;
/* Whoever comes first publishes it; it stays for ever. */
static nccl_library *_Atomic loaded;
#define nccl (*atomic_load_explicit(&loaded, memory_order_acquire))

static void *open_nccl(char *problem, size_t capacity) {
    const char *places[] = {getenv("GND_NCCL"), "libnccl.so.2", "/usr/local/cuda/lib64/libnccl.so.2"};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        void *handle = places[i] && *places[i] ? dlopen(places[i], RTLD_NOW | RTLD_LOCAL) : NULL;
        if (handle) return handle;
    }
    snprintf(problem, capacity, "libnccl.so.2 cannot be loaded (GND_NCCL may hold its path)");
    return NULL;
}

static void load(nccl_library *lib) {
    void *handle = open_nccl(lib->problem, sizeof lib->problem);
    for (int i = 0; handle && i < NAMES; i++) {
        lib->address[i] = dlsym(handle, names[i]);
        if (lib->address[i] || i >= NEEDED) continue;
        snprintf(lib->problem, sizeof lib->problem, "libnccl.so.2 has no function %s; it may be too old", names[i]);
        return;
    }
}

static gnd_status need_nccl(const char *fn) {
    if (!atomic_load_explicit(&loaded, memory_order_acquire)) {
        nccl_library *own = gndi_dist_calloc(fn, sizeof *own), *none = NULL;
        if (!own) return GND_ERROR_MEMORY;
        load(own);
        if (!atomic_compare_exchange_strong(&loaded, &none, own)) free(own);
    }
    if (!nccl.problem[0]) return GND_OK;
    return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn,
                           "this needs NCCL, which is missing: %s; it comes with the "
                           "package libnccl2",
                           nccl.problem);
}

/* ---- the functions of the table ----------------------------------------------------------------------------- */

/* A failing rank sends from it, and receives into it. */
enum { PIECE = 64 << 20 };

typedef struct context {
    nccl_comm _Atomic comm; /* NULL: it was aborted, by the watching thread perhaps */
    gnd_array *scratch;
    gnd_event *ends[GNDI_WATCH_SLOTS];
    gndi_watch *watch;
    bool adopted;
} context;

static gnd_status state(void *context_);

static gnd_status check(const context *c, int result, const char *what) {
    if (result == 0 || result == NCCL_IN_PROGRESS) return GND_OK;
    const char *details = nccl.call.GetLastError ? nccl.call.GetLastError(c ? c->comm : NULL) : NULL;
    return gndi_dist_raise(GND_ERROR_DEVICE, "gnd_mesh", "NCCL's %s failed: %s%s%s", what,
                           nccl.call.GetErrorString(result), details && *details ? "; " : "", details ? details : "");
}

/* Around calls of NCCL that queue work or wait for others: the watch sees them. */
static gnd_status begin(context *c) {
    const gnd_status failed = state(c);
    if (!failed) gndi_watch_begin(c->watch);
    return failed;
}
static gnd_status end(context *c, int result, const char *what) {
    gndi_watch_end(c->watch);
    const gnd_status failed = state(c);
    return failed ? failed : check(c, result, what);
}

/* In pieces, as both sides cut them, so that one without memory of its own uses the scratch. */
static int queue_part(const context *c, const gnd_part *part, bool send, void *stream) {
    int result = 0;
    for (size_t at = 0; at < part->bytes && !result; at += PIECE) {
        const size_t count = part->bytes - at < PIECE ? part->bytes - at : PIECE;
        char *address = part->address ? (char *)part->address + at : gnd_data(c->scratch);
        result = send ? nccl.call.Send(address, count, NCCL_UINT8, part->rank, c->comm, stream)
                      : nccl.call.Recv(address, count, NCCL_UINT8, part->rank, c->comm, stream);
    }
    return result;
}

static gnd_status exchange(void *context_, int sends, const gnd_part *send, int receives, const gnd_part *receive,
                           void *stream) {
    context *c = context_;
    const gnd_status failed = begin(c);
    if (failed) return failed;
    int result = nccl.call.GroupStart();
    for (int i = 0; i < sends && !result; i++) result = queue_part(c, &send[i], true, stream);
    for (int i = 0; i < receives && !result; i++) result = queue_part(c, &receive[i], false, stream);
    const int ended = nccl.call.GroupEnd();
    return end(c, result ? result : ended, "exchange");
}

static gnd_status all_gather(void *context_, const void *from, void *to, size_t bytes, void *stream) {
    context *c = context_;
    const gnd_status failed = begin(c);
    return failed ? failed : end(c, nccl.call.AllGather(from, to, bytes, NCCL_UINT8, c->comm, stream), "ncclAllGather");
}

static gnd_status describe(gnd_transport *out, const char *fn, nccl_comm comm, bool adopted);

static gnd_status split(void *context_, int color, int key, gnd_transport *out) {
    context *c = context_;
    static const char fn[] = "gnd_mesh_split";
    if (!nccl.call.CommSplit)
        return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn, "this NCCL has no ncclCommSplit: it came with 2.18");
    nccl_comm part = NULL;
    gnd_status status = begin(c);
    if (status) return status;
    const int result = nccl.call.CommSplit(c->comm, color < 0 ? NCCL_NO_COLOR : color, key, &part, NULL);
    status = end(c, result, "ncclCommSplit");
    return status || color < 0 ? status : describe(out, fn, part, false);
}

static gnd_status state(void *context_) {
    const context *c = context_;
    int error = 0;
    const gnd_status late = gndi_watch_state(c->watch);
    if (late) return late;
    const nccl_comm comm = c->comm;
    if (!comm) return gndi_dist_raise(GND_ERROR_DEVICE, "gnd_mesh", "this rank has given the mesh up");
    const gnd_status status = check(c, nccl.call.CommGetAsyncError(comm, &error), "ncclCommGetAsyncError");
    return status ? status : check(c, error, "communication");
}

static void abort_all(void *context_) {
    context *c = context_;
    const nccl_comm comm = atomic_exchange(&c->comm, NULL);
    if (comm && !c->adopted) nccl.call.CommAbort(comm);
}

static void close_all(void *context_) {
    context *c = context_;
    gndi_watch_release(c->watch);
    gnd_release(c->scratch);
    for (int i = 0; i < GNDI_WATCH_SLOTS; i++) gnd_event_release(c->ends[i]);
    if (c->comm && !c->adopted) nccl.call.CommDestroy(c->comm);
    free(c);
}

/* ---- the watch: an event at the end of each call's work ------------------------------------------------------ */

static bool record(void *context_, int slot) {
    const context *c = context_;
    return gnd_event_record(c->ends[slot], NULL) == GND_OK;
}

static bool done(void *context_, int slot) {
    const context *c = context_;
    return gnd_event_done(c->ends[slot]);
}

static void limit(void *context_, double seconds) {
    const context *c = context_;
    gndi_watch_limit(c->watch, seconds);
}

static gnd_status start_watch(context *c, int rank, const char *fn) {
    const gndi_watched what = {.context = c, .rank = rank, .record = record, .done = done, .give_up = abort_all};
    for (int i = 0; i < GNDI_WATCH_SLOTS; i++)
        if (!(c->ends[i] = gnd_event_new(false))) return gndi_dist_status(fn);
    c->watch = gndi_watch_new(&what, fn);
    return c->watch ? GND_OK : GND_ERROR_MEMORY;
}

static gnd_status describe(gnd_transport *out, const char *fn, nccl_comm comm, bool adopted) {
    context *c = gndi_dist_calloc(fn, sizeof *c);
    if (!c) return GND_ERROR_MEMORY;
    c->comm = comm;
    c->adopted = adopted;
    c->scratch = gnd_retain(gnd_empty(GND_SHAPE(PIECE), GND_UINT8));
    *out = (gnd_transport){.memory = GND_GPU,
                           .context = c,
                           .native = comm,
                           .exchange = exchange,
                           .all_gather = all_gather,
                           .split = split,
                           .state = state,
                           .abort = abort_all,
                           .close = close_all,
                           .limit = limit};
    gnd_status status = c->scratch ? GND_OK : gndi_dist_status(fn);
    if (!status) status = check(c, nccl.call.CommCount(comm, &out->size), "ncclCommCount");
    if (!status) status = check(c, nccl.call.CommUserRank(comm, &out->rank), "ncclCommUserRank");
    if (!status) status = start_watch(c, out->rank, fn);
    if (status) abort_all(c), close_all(c);
    return status;
}

/* ---- communicators ------------------------------------------------------------------------------------------ */

static gnd_status need_gpu(const char *fn) {
    if (gnd_current_device().kind == GND_GPU && gnd_current_stream()) return GND_OK;
    return gndi_dist_raise(GND_ERROR_DEVICE, fn, "NCCL moves the memory of GPUs, and the current device is %s",
                           gnd_device_name(gnd_current_device()));
}

gnd_status gndi_transport_nccl(gnd_transport *out, const char *fn, const void *id, int size, int rank) {
    gnd_status status = need_nccl(fn);
    if (!status) status = need_gpu(fn);
    if (status) return status;
    nccl_comm comm = NULL;
    status = check(NULL, nccl.call.CommInitRank(&comm, size, *(const nccl_id *)id, rank), "ncclCommInitRank");
    return status ? status : describe(out, fn, comm, false);
}

gnd_status gnd_mesh_nccl_id(void *id) {
    static const char fn[] = "gnd_mesh_nccl_id";
    if (!id) return gndi_dist_raise(GND_ERROR_INVALID, fn, "id is NULL");
    const gnd_status status = need_nccl(fn);
    return status ? status : check(NULL, nccl.call.GetUniqueId(id), "ncclGetUniqueId");
}

gnd_mesh *gnd_mesh_adopt_nccl(void *communicator) {
    static const char fn[] = "gnd_mesh_adopt_nccl";
    gnd_transport transport = {0};
    if (!communicator) return gndi_dist_raise(GND_ERROR_INVALID, fn, "the communicator is NULL"), NULL;
    GNDI_CALL(fn);
    if (need_nccl(fn) != GND_OK || need_gpu(fn) != GND_OK) return NULL;
    return describe(&transport, fn, communicator, true) == GND_OK ? gnd_mesh_new(&transport) : NULL;
}

void *gnd_mesh_native(gnd_mesh *mesh) {
    if (!mesh || mesh->link->transport.exchange != exchange) return NULL;
    return ((const context *)mesh->link->transport.context)->comm;
}
