/*
 * transport_nccl.c: the transport over NCCL.
 *
 * A mesh's first communicator does not block: what has to wait for other ranks (making one, splitting, the end) is in
 * progress when NCCL's call returns, and NCCL allows nothing but to ask for its state and to abort until it is done.
 * The one that moves data is split off from it and blocks: make_blocking().
 */
#define _GNU_SOURCE
#include "dist/mesh.h"
#include "dist/nccl.h"
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const nccl_config not_blocking = {sizeof not_blocking, 0xcafebeef, 21400, 0, INT_MIN};
/* Nobody has a communicator before the library is there. */
#define nccl (*gndi_nccl_library("gnd_mesh"))

/* ---- the functions of the table ----------------------------------------------------------------------------- */

enum { SCRATCH = 64 << 20 };

typedef struct context {
    nccl_comm _Atomic comm;   /* moves data. NULL: it was aborted, by the watching thread perhaps */
    nccl_comm _Atomic parent; /* the one of the same ranks that does not block, from which others are made */
    gnd_array *scratch;       /* a failing rank sends from it, and receives into it */
    void *spare;              /* the same for more than it holds: memory of the host, which a GPU reaches; or NULL */
    size_t spare_bytes;
    gndi_nccl_memory *memory; /* registered with `comm` */
    gnd_event *ends[GNDI_WATCH_SLOTS];
    gndi_watch *watch;
    double limit;
    bool adopted;
} context;

static void abort_all(void *context_);

/* Between two questions for the state of a communicator: others run, or from 1 us up to 1 ms pass. */
static void pause_longer(int *questions) {
    enum { YIELDS = 100, DOUBLINGS = 10 };
    const int longer = (*questions)++ - YIELDS;
    if (longer < 0)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 1000L << (longer < DOUBLINGS ? longer : DOUBLINGS)}, NULL);
    if (longer > DOUBLINGS) *questions = YIELDS + DOUBLINGS;
}

/* Waits until what a call has begun on a communicator is done, `limit` seconds at most (0: any time), where nobody else
   has it yet, or any more. NCCL's result; NCCL_IN_PROGRESS: it is not done. */
static int finish(nccl_comm comm, int result, double limit) {
    const double since = gndi_mesh_seconds();
    for (int questions = 0; result == 0 || result == NCCL_IN_PROGRESS; pause_longer(&questions)) {
        const int asked = nccl.call.CommGetAsyncError(comm, &result);
        if (asked) return asked;
        if (result == 0 || (limit > 0 && gndi_mesh_seconds() - since > limit)) break;
    }
    return result;
}

/* "unhandled system error; Call to bind failed": what NCCL says of a result. */
static const char *reason(int result, char *text, size_t capacity) {
    const char *details = nccl.call.GetLastError ? nccl.call.GetLastError(NULL) : NULL;
    snprintf(text, capacity, "%s%s%s", nccl.call.GetErrorString(result), details && *details ? "; " : "",
             details ? details : "");
    return text;
}

static gnd_status check(int result, const char *what) {
    char text[512];
    if (result == 0 || result == NCCL_IN_PROGRESS) return GND_OK;
    return gndi_dist_raise(GND_ERROR_DEVICE, "gnd_mesh", "NCCL's %s failed: %s", what,
                           reason(result, text, sizeof text));
}

/* What NCCL says of the communicator, which the watching thread must not abort meanwhile. */
typedef struct question {
    const context *c;
    int state;
} question;
static void ask(void *question_) {
    question *q = question_;
    const nccl_comm both[] = {q->c->parent, q->c->comm};
    q->state = 0;
    for (int i = 0; i < 2 && !q->state; i++) {
        const int asked = both[i] ? nccl.call.CommGetAsyncError(both[i], &q->state) : 0;
        if (asked) q->state = asked;
    }
}

static gnd_status given_up(void) {
    return gndi_dist_raise(GND_ERROR_DEVICE, "gnd_mesh", "this rank has given the mesh up");
}

/* Around calls of NCCL that queue work or wait for others: the watch sees them. They end when NCCL has done what it had
   to: until then work is not on its stream yet. The communicator that blocks has done it when its call returns. */
static gnd_status begin(context *c) {
    if (!c->comm && !gndi_watch_is_late(c->watch)) return given_up();
    return gndi_watch_begin(c->watch);
}
static gnd_status end(context *c, int result, const char *what) {
    question q = {c, result};
    gnd_status failed = GND_OK;
    for (int questions = 0; !failed && q.state == NCCL_IN_PROGRESS; pause_longer(&questions))
        failed = gndi_watch_state(c->watch, ask, &q);
    gndi_watch_end(c->watch);
    /* What the watch gave up NCCL calls an error of its own. */
    if (!failed && q.state && gndi_watch_is_late(c->watch)) failed = gndi_watch_state(c->watch, NULL, NULL);
    return failed ? failed : check(q.state, what);
}

/* Room for `bytes` of what has no memory of its own: what it holds is nothing, so that all such parts share it. */
static gnd_status make_room(context *c, size_t bytes) {
    if (bytes <= SCRATCH || bytes <= c->spare_bytes) return GND_OK;
    if (c->spare) gnd_sync();
    gnd_pinned_free(c->spare);
    c->spare_bytes = 0;
    c->spare = gnd_pinned_alloc(bytes);
    if (!c->spare) return GND_ERROR_MEMORY;
    c->spare_bytes = bytes;
    return GND_OK;
}
static void *room(const context *c, size_t bytes) {
    return bytes <= SCRATCH ? gnd_data(c->scratch) : c->spare;
}

static size_t without_memory(int count, const gnd_part *part) {
    size_t most = 0;
    for (int i = 0; i < count; i++)
        if (!part[i].address && part[i].bytes > most) most = part[i].bytes;
    return most;
}

static void *address_of(const context *c, const gnd_part *part) {
    return part->address ? part->address : room(c, part->bytes);
}

static gnd_status exchange(void *context_, int sends, const gnd_part *send, int receives, const gnd_part *receive,
                           void *stream) {
    context *c = context_;
    gnd_status failed = make_room(c, without_memory(sends, send));
    if (!failed) failed = make_room(c, without_memory(receives, receive));
    if (failed) return abort_all(c), failed; /* the others cannot be told otherwise */
    failed = begin(c);
    if (failed) return failed;
    const nccl_table *call = &nccl.call;
    const nccl_comm comm = c->comm;
    int result = call->GroupStart();
    for (int i = 0; i < sends && !result; i++)
        result = call->Send(address_of(c, &send[i]), send[i].bytes, NCCL_UINT8, send[i].rank, comm, stream);
    for (int i = 0; i < receives && !result; i++)
        result = call->Recv(address_of(c, &receive[i]), receive[i].bytes, NCCL_UINT8, receive[i].rank, comm, stream);
    const int ended = call->GroupEnd();
    return end(c, result ? result : ended, "exchange");
}

static gnd_status all_gather(void *context_, const void *from, void *to, size_t bytes, void *stream) {
    context *c = context_;
    const gnd_status failed = begin(c);
    return failed ? failed : end(c, nccl.call.AllGather(from, to, bytes, NCCL_UINT8, c->comm, stream), "ncclAllGather");
}

/* A part of an all-reduce as NCCL takes it. */
static int reduce_part(const context *c, const gnd_combined_part *part, void *stream) {
    static const int ops[] = {[GND_COMBINE_SUM] = NCCL_SUM,
                              [GND_COMBINE_PROD] = NCCL_PROD,
                              [GND_COMBINE_MAX] = NCCL_MAX,
                              [GND_COMBINE_MIN] = NCCL_MIN};
    static const int types[] = {[GND_INT8] = NCCL_INT8,       [GND_UINT8] = NCCL_UINT8,    [GND_INT32] = NCCL_INT32,
                                [GND_UINT32] = NCCL_UINT32,   [GND_INT64] = NCCL_INT64,    [GND_UINT64] = NCCL_UINT64,
                                [GND_FLOAT32] = NCCL_FLOAT32, [GND_FLOAT64] = NCCL_FLOAT64};
    void *none = room(c, part->count * gnd_dtype_size(part->dtype));
    return nccl.call.AllReduce(part->from ? part->from : none, part->to ? part->to : none, part->count,
                               types[part->dtype], ops[part->how], c->comm, stream);
}

static gnd_status all_reduce(void *context_, int count, const gnd_combined_part *part, void *stream) {
    context *c = context_;
    gnd_status failed = GND_OK;
    for (int i = 0; i < count && !failed; i++)
        if (!part[i].from || !part[i].to) failed = make_room(c, part[i].count * gnd_dtype_size(part[i].dtype));
    if (failed) return abort_all(c), failed;
    failed = begin(c);
    if (failed) return failed;
    const bool several = count > 1;
    int result = several ? nccl.call.GroupStart() : 0;
    for (int i = 0; i < count && (result == 0 || result == NCCL_IN_PROGRESS); i++)
        result = reduce_part(c, &part[i], stream);
    const int ended = several ? nccl.call.GroupEnd() : result;
    return end(c, result == 0 || result == NCCL_IN_PROGRESS ? ended : result, "ncclAllReduce");
}

static void *allocate(void *context_, size_t bytes) {
    context *c = context_;
    const nccl_comm comm = c->comm;
    return comm ? gndi_nccl_allocate(&c->memory, comm, bytes) : NULL;
}

static void deallocate(void *context_, void *memory) {
    context *c = context_;
    gndi_nccl_deallocate(&c->memory, c->comm, memory);
}

static gnd_status describe(gnd_transport *out, const char *fn, nccl_comm comm, bool adopted, double seconds);

/* The ranks of one color by themselves, as `config` says. NULL and GND_OK without a color. */
static gnd_status split_off(context *c, int color, int key, nccl_config config, const char *fn, nccl_comm *out) {
    if (!nccl.call.CommSplit)
        return gndi_dist_raise(GND_ERROR_UNAVAILABLE, fn, "this NCCL has no ncclCommSplit: it came with 2.18");
    nccl_comm part = NULL; /* NCCL may give it when all is done, or at once */
    gnd_status status = begin(c);
    if (status) return status;
    const nccl_comm whole = c->parent ? c->parent : c->comm;
    const int begun = nccl.call.CommSplit(whole, color < 0 ? NCCL_NO_COLOR : color, key, &part, &config);
    /* NCCL says success where the split has only begun. After an error the part is NCCL's to give back. */
    status = end(c, begun ? begun : NCCL_IN_PROGRESS, "ncclCommSplit");
    if (status || color < 0) return status;
    const int made = finish(part, 0, c->limit);
    if (made == 0) return *out = part, GND_OK;
    status = made == NCCL_IN_PROGRESS ? GND_ERROR_DEVICE : check(made, "ncclCommSplit");
    nccl.call.CommAbort(part);
    return status;
}

static gnd_status split(void *context_, int color, int key, gnd_transport *out) {
    static const char fn[] = "gnd_mesh_split";
    nccl_comm part = NULL;
    const gnd_status status = split_off(context_, color, key, not_blocking, fn, &part);
    return status || !part ? status : describe(out, fn, part, false, ((const context *)context_)->limit);
}

/* The communicator that moves data. Calls of one that does not block are begun by a thread that NCCL starts for each,
   which takes longer than a small exchange. */
static gnd_status make_blocking(context *c, const char *fn) {
    nccl_config config = not_blocking;
    nccl_comm part = NULL;
    config.blocking = 1;
    const gnd_status status = split_off(c, 0, 0, config, fn, &part);
    if (status) return status;
    c->parent = c->comm;
    c->comm = part;
    return GND_OK;
}

static gnd_status state(void *context_) {
    const context *c = context_;
    question q = {c, 0};
    const gnd_status late = gndi_watch_state(c->watch, ask, &q);
    if (late) return late;
    if (!c->comm) return given_up();
    return check(q.state, "communication");
}

static void abort_all(void *context_) {
    context *c = context_;
    const nccl_comm comm = atomic_exchange(&c->comm, NULL), parent = atomic_exchange(&c->parent, NULL);
    if (comm && !c->adopted) nccl.call.CommAbort(comm);
    if (parent) nccl.call.CommAbort(parent);
}

/* The end waits for the other ranks, and one that never ends is left. The communicator that blocks comes after its
   parent, whose end all have come to. */
static void leave(context *c) {
    if (!c->comm || c->adopted) return;
    const nccl_comm parent = c->parent;
    if (finish(parent, nccl.call.CommFinalize(parent), c->limit) != 0) {
        abort_all(c);
        return;
    }
    nccl.call.CommDestroy(parent);
    nccl.call.CommDestroy(c->comm);
}

static void close_all(void *context_) {
    context *c = context_;
    gndi_watch_release(c->watch);
    gnd_release(c->scratch);
    gnd_pinned_free(c->spare);
    for (int i = 0; i < GNDI_WATCH_SLOTS; i++) gnd_event_release(c->ends[i]);
    leave(c);
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
    context *c = context_;
    c->limit = seconds;
    gndi_watch_limit(c->watch, seconds);
}

static gnd_status start_watch(context *c, int rank, const char *fn) {
    const gndi_watched what = {.context = c, .rank = rank, .record = record, .done = done, .give_up = abort_all};
    for (int i = 0; i < GNDI_WATCH_SLOTS; i++)
        if (!(c->ends[i] = gnd_event_new(false))) return gndi_dist_status(fn);
    c->watch = gndi_watch_new(&what, fn);
    return c->watch ? GND_OK : GND_ERROR_MEMORY;
}

static gnd_status describe(gnd_transport *out, const char *fn, nccl_comm comm, bool adopted, double seconds) {
    context *c = gndi_dist_calloc(fn, sizeof *c);
    if (!c) return GND_ERROR_MEMORY;
    c->comm = comm;
    c->adopted = adopted;
    c->scratch = gnd_retain(gnd_empty(GND_SHAPE(SCRATCH), GND_UINT8));
    *out = (gnd_transport){.memory = nccl.call.OnHost ? GND_CPU : GND_GPU,
                           .context = c,
                           .native = comm,
                           .exchange = exchange,
                           .all_gather = all_gather,
                           .split = split,
                           .own_parts = true,
                           .all_reduce = nccl.call.AllReduce ? all_reduce : NULL,
                           .allocate = allocate,
                           .deallocate = deallocate,
                           .state = state,
                           .abort = abort_all,
                           .close = close_all,
                           .limit = limit};
    gnd_status status = c->scratch ? GND_OK : gndi_dist_status(fn);
    if (!status) status = check(nccl.call.CommCount(comm, &out->size), "ncclCommCount");
    if (!status) status = check(nccl.call.CommUserRank(comm, &out->rank), "ncclCommUserRank");
    if (!status) status = start_watch(c, out->rank, fn);
    if (!status) limit(c, seconds);
    if (!status && !adopted) status = make_blocking(c, fn);
    if (status) abort_all(c), close_all(c);
    return status;
}

/* ---- communicators ------------------------------------------------------------------------------------------ */

static gnd_status need_gpu(const char *fn) {
    if (nccl.call.OnHost || (gnd_current_device().kind == GND_GPU && gnd_current_stream())) return GND_OK;
    return gndi_dist_raise(GND_ERROR_DEVICE, fn, "NCCL moves the memory of GPUs, and the current device is %s",
                           gnd_device_name(gnd_current_device()));
}

static gnd_status failed_to_meet(const char *fn, int result, int size, int rank, const char *meeting) {
    char text[512];
    return gndi_dist_raise(GND_ERROR_DEVICE, fn, "rank %d of %d cannot meet the others%s%s: NCCL says %s", rank, size,
                           meeting ? ", by " : "", meeting ? meeting : "", reason(result, text, sizeof text));
}

static gnd_status never_came(const char *fn, int size, int rank, const char *meeting, double limit) {
    return gndi_dist_raise(GND_ERROR_DEVICE, fn,
                           "rank %d has waited %.1f s for all %d ranks to come%s%s: one of them was not started, has "
                           "ended, hangs, or cannot reach the first one (GND_MESH_TIMEOUT)",
                           rank, limit, size, meeting ? ", by " : "", meeting ? meeting : "");
}

gnd_status gndi_transport_nccl(gnd_transport *out, const char *fn, const void *id, int size, int rank,
                               const char *meeting, double limit) {
    gnd_status status = gndi_nccl_need(fn);
    if (!status) status = need_gpu(fn);
    if (status) return status;
    nccl_comm comm = NULL;
    nccl_config config = not_blocking;
    int result = nccl.call.CommInitRankConfig(&comm, size, *(const nccl_id *)id, rank, &config);
    if (comm) result = finish(comm, result, limit);
    if (result == 0) return describe(out, fn, comm, false, limit);
    if (result == NCCL_IN_PROGRESS)
        status = never_came(fn, size, rank, meeting, limit);
    else
        status = failed_to_meet(fn, result, size, rank, meeting);
    if (comm) nccl.call.CommAbort(comm);
    return status;
}

gnd_status gnd_mesh_nccl_id(void *id) {
    static const char fn[] = "gnd_mesh_nccl_id";
    if (!id) return gndi_dist_raise(GND_ERROR_INVALID, fn, "id is NULL");
    const gnd_status status = gndi_nccl_need(fn);
    return status ? status : check(nccl.call.GetUniqueId(id), "ncclGetUniqueId");
}

gnd_mesh *gnd_mesh_adopt_nccl(void *communicator) {
    static const char fn[] = "gnd_mesh_adopt_nccl";
    gnd_transport transport = {0};
    if (!communicator) return gndi_dist_raise(GND_ERROR_INVALID, fn, "the communicator is NULL"), NULL;
    GNDI_CALL(fn);
    if (gndi_nccl_need(fn) != GND_OK || need_gpu(fn) != GND_OK) return NULL;
    gnd_mesh *mesh = describe(&transport, fn, communicator, true, 0) == GND_OK ? gnd_mesh_new(&transport) : NULL;
    if (mesh) mesh->link->window_refused = true; /* to release it is not collective */
    return mesh;
}

void *gnd_mesh_native(gnd_mesh *mesh) {
    if (!mesh || mesh->link->transport.exchange != exchange) return NULL;
    return ((const context *)mesh->link->transport.context)->comm;
}
