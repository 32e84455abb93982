/*
 * fake_nccl.c: a library with NCCL's functions, for tests without GPUs: ranks are threads of one process, and memory is
 * the host's. Its communicators do not block: a call returns while it waits for other ranks, and is done, as
 * ncclCommGetAsyncError says, when they have called too. It counts what NCCL forbids. With FAKE_NCCL_OLD it is one that
 * lacks functions.
 */
#define _GNU_SOURCE
#include "fake_nccl.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NCCL __attribute__((visibility("default")))
enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, IN_PROGRESS = 7, RANKS = 8 };

typedef struct ncclComm comm;

/* A send or receive that its other side has not come to. */
typedef struct part {
    struct part *next;
    comm *of;
    int peer;
    bool is_send;
    char *address;
    size_t bytes;
} part;

/* What a rank gives to an all-reduce, until all have come to it. */
typedef struct term {
    struct term *next;
    comm *of;
    const void *from;
    void *to;
    size_t count;
    int type, op;
} term;

/* Where the ranks of one communicator meet. */
typedef struct room {
    struct room *next;
    char id[128];
    int size, here, ended, users, splits;
    comm *rank[RANKS];
    part *open;
    term *terms; /* the newest comes first */
} room;

struct ncclComm {
    room *room;
    int rank, open; /* parts that wait */
    double ready;   /* when it is made at the earliest */
    int error;
    bool ends;
    comm **split; /* where the new one goes, while ncclCommSplit waits */
    int color, key;
    bool blocks, is_blocking; /* the new one; this one: it may be destroyed at once */
};

typedef struct config {
    size_t size;
    unsigned magic, version;
    int blocking;
} config;
typedef struct unique_id {
    char internal[128];
} unique_id;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static room *rooms;
static fake_nccl_state now;
static _Thread_local char said[256];
static _Thread_local int grouped;

NCCL fake_nccl_state *fake_nccl(void);
NCCL void gnd_test_nccl_on_host(void);
fake_nccl_state *fake_nccl(void) {
    return &now;
}
void gnd_test_nccl_on_host(void) {}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- state --------------------------------------------------------------------------------------------------- */

static int state_of(const comm *c) {
    const room *r = c->room;
    if (c->error) return c->error;
    if (r->here < r->size || seconds() < c->ready) return IN_PROGRESS;
    if (now.fails) return now.fails;
    if (now.breaks) return now.breaks;
    return c->open || c->split || (c->ends && r->ended < r->size) ? IN_PROGRESS : SUCCESS;
}

/* Every call but the question for the state and the abort: with a communicator where nothing is in progress. */
static bool allowed(const comm *c) {
    const bool good = c && !c->ends && state_of(c) != IN_PROGRESS;
    if (!good) atomic_fetch_add(&now.misused, 1);
    return good;
}

static comm *enter(room *r, int rank) {
    comm *c = calloc(1, sizeof *c);
    c->room = r, c->rank = rank, c->ready = seconds() + now.slow;
    r->rank[rank] = c;
    r->here++, r->users++;
    atomic_fetch_add(&now.alive, 1);
    return c;
}

static room *new_room(const char *id, int size) {
    room *r = calloc(1, sizeof *r);
    memcpy(r->id, id, sizeof r->id);
    r->size = size, r->next = rooms;
    return rooms = r;
}

/* Takes a communicator out of its room, with what it waits for. */
static void discard(comm *c) {
    room *r = c->room;
    for (part **p = &r->open; *p;) {
        part *one = *p;
        if (one->of != c && (p = &one->next)) continue;
        *p = one->next;
        free(one);
    }
    for (term **p = &r->terms; *p;) {
        term *one = *p;
        if (one->of != c && (p = &one->next)) continue;
        *p = one->next;
        free(one);
    }
    r->rank[c->rank] = NULL;
    free(c);
    atomic_fetch_sub(&now.alive, 1);
    if (--r->users > 0) return;
    room **at = &rooms;
    while (*at != r) at = &(*at)->next;
    *at = r->next;
    free(r);
}

/* ---- making and ending --------------------------------------------------------------------------------------- */

NCCL int ncclGetVersion(int *version);
int ncclGetVersion(int *version) {
#ifdef FAKE_NCCL_OLD
    return *version = 21003, SUCCESS;
#else
    return *version = 22809, SUCCESS;
#endif
}

NCCL int ncclGetUniqueId(unique_id *id);
int ncclGetUniqueId(unique_id *id) {
    static atomic_int ids;
    const char *listens = getenv("NCCL_COMM_ID");
    memset(id, 0, sizeof *id);
    snprintf(now.listens, sizeof now.listens, "%s", listens ? listens : "");
    snprintf(id->internal, sizeof id->internal, "%.100s %d", now.listens, listens ? 0 : atomic_fetch_add(&ids, 1));
    return SUCCESS;
}

#ifndef FAKE_NCCL_OLD
NCCL int ncclCommInitRankConfig(comm **out, int size, unique_id id, int rank, config *how);
int ncclCommInitRankConfig(comm **out, int size, unique_id id, int rank, config *how) {
    *out = NULL;
    if (how->magic != 0xcafebeef || how->size < sizeof(config) || how->version < 21400 || how->blocking != 0)
        return snprintf(said, sizeof said, "a config that is none"), INVALID_ARGUMENT;
    if (now.refuses) return snprintf(said, sizeof said, "Duplicate GPU detected"), now.refuses;
    if (now.fails) snprintf(said, sizeof said, "Call to bind failed : Address already in use");
    pthread_mutex_lock(&mutex);
    room *r = rooms;
    while (r && memcmp(r->id, id.internal, sizeof r->id) != 0) r = r->next;
    if (!r) r = new_room(id.internal, size);
    *out = enter(r, rank);
    pthread_mutex_unlock(&mutex);
    return IN_PROGRESS;
}
#endif

/* The last of the ranks has asked for new ones: each color gets a room. */
static void split_all(room *r) {
    const int number = ++r->splits;
    for (int i = 0; i < r->size; i++) {
        comm *c = r->rank[i];
        int place = 0, size = 0, first = -1;
        for (int j = 0; j < r->size; j++) {
            const comm *other = r->rank[j];
            if (other->color != c->color) continue;
            first = first < 0 ? j : first, size++;
            place += other->key < c->key || (other->key == c->key && j < i);
        }
        char id[128] = {0};
        snprintf(id, sizeof id, "%.90s/%d/%d", r->id, number, c->color);
        room *to = rooms;
        while (to && memcmp(to->id, id, sizeof id) != 0) to = to->next;
        if (c->color >= 0 && !to) to = new_room(id, size);
        *c->split = c->color < 0 ? NULL : enter(to, place);
        if (c->blocks) (*c->split)->is_blocking = true;
    }
    for (int i = 0; i < r->size; i++) r->rank[i]->split = NULL;
}

NCCL int ncclCommSplit(comm *c, int color, int key, comm **out, config *how);
int ncclCommSplit(comm *c, int color, int key, comm **out, config *how) {
    pthread_mutex_lock(&mutex);
    const bool good = allowed(c);
    if (good) {
        bool all = true;
        c->color = color, c->key = key, c->split = out, c->blocks = how && how->blocking == 1;
        for (int i = 0; i < c->room->size; i++) all = all && c->room->rank[i] && c->room->rank[i]->split;
        if (all) split_all(c->room);
    }
    pthread_mutex_unlock(&mutex);
    return good ? IN_PROGRESS : INVALID_USAGE;
}

NCCL int ncclCommFinalize(comm *c);
int ncclCommFinalize(comm *c) {
    pthread_mutex_lock(&mutex);
    const bool good = allowed(c);
    const int state = good ? state_of(c) : INVALID_USAGE;
    if (state == SUCCESS) c->ends = true, c->room->ended++;
    pthread_mutex_unlock(&mutex);
    return state == SUCCESS ? IN_PROGRESS : state;
}

NCCL int ncclCommDestroy(comm *c);
int ncclCommDestroy(comm *c) {
    pthread_mutex_lock(&mutex);
    if (!c->is_blocking && (!c->ends || state_of(c) != SUCCESS)) atomic_fetch_add(&now.misused, 1);
    discard(c);
    pthread_mutex_unlock(&mutex);
    return SUCCESS;
}

NCCL int ncclCommAbort(comm *c);
int ncclCommAbort(comm *c) {
    pthread_mutex_lock(&mutex);
    atomic_fetch_add(&now.aborted, 1);
    discard(c);
    pthread_mutex_unlock(&mutex);
    return SUCCESS;
}

/* ---- what one is --------------------------------------------------------------------------------------------- */

NCCL int ncclCommGetAsyncError(comm *c, int *error);
int ncclCommGetAsyncError(comm *c, int *error) {
    pthread_mutex_lock(&mutex);
    *error = state_of(c);
    pthread_mutex_unlock(&mutex);
    return SUCCESS;
}

static int number(comm *c, int value, int *out) {
    pthread_mutex_lock(&mutex);
    const bool good = allowed(c);
    pthread_mutex_unlock(&mutex);
    return *out = value, good ? SUCCESS : INVALID_USAGE;
}
NCCL int ncclCommCount(comm *c, int *count);
int ncclCommCount(comm *c, int *count) {
    return number(c, c->room->size, count);
}
NCCL int ncclCommUserRank(comm *c, int *rank);
int ncclCommUserRank(comm *c, int *rank) {
    return number(c, c->rank, rank);
}

NCCL const char *ncclGetErrorString(int result);
const char *ncclGetErrorString(int result) {
    return result == SYSTEM_ERROR ? "unhandled system error" : result == INVALID_USAGE ? "invalid usage" : "an error";
}
NCCL const char *ncclGetLastError(comm *c);
const char *ncclGetLastError(comm *c) {
    (void)c;
    return said;
}

/* ---- what moves ---------------------------------------------------------------------------------------------- */

/* The part of the other side that was there first; NULL: none is. */
static part *other_side(room *r, const comm *c, int peer, bool is_send) {
    part *oldest = NULL;
    for (part *p = r->open; p; p = p->next) /* the newest comes first */
        if (p->of == r->rank[peer] && p->peer == c->rank && p->is_send != is_send) oldest = p;
    return oldest;
}

static void take_out(room *r, part *one) {
    part **at = &r->open;
    while (*at != one) at = &(*at)->next;
    *at = one->next;
    one->of->open--;
    free(one);
}

/* What is received is no number until it has come. */
static void post(comm *c, int peer, bool is_send, char *address, size_t bytes) {
    room *r = c->room;
    part *other = other_side(r, c, peer, is_send);
    if (!is_send) memset(address, 0xa5, bytes);
    if (!other) {
        part *own = malloc(sizeof *own);
        *own = (part){r->open, c, peer, is_send, address, bytes};
        r->open = own, c->open++;
        return;
    }
    if (other->bytes != bytes) {
        fprintf(stderr, "fake_nccl: rank %d moves %zu bytes, and rank %d %zu\n", c->rank, bytes, peer, other->bytes);
        abort();
    }
    memcpy(is_send ? other->address : address, is_send ? address : other->address, bytes);
    take_out(r, other);
}

static int move(comm *c, int peer, bool is_send, const void *address, size_t bytes) {
    pthread_mutex_lock(&mutex);
    const bool good = c && !c->ends && (grouped || state_of(c) != IN_PROGRESS);
    if (good)
        post(c, peer, is_send, (char *)address, bytes);
    else
        atomic_fetch_add(&now.misused, 1);
    pthread_mutex_unlock(&mutex);
    return good ? SUCCESS : INVALID_USAGE;
}

NCCL int ncclSend(const void *buffer, size_t count, int type, int peer, comm *c, void *stream);
int ncclSend(const void *buffer, size_t count, int type, int peer, comm *c, void *stream) {
    (void)type, (void)stream;
    return move(c, peer, true, buffer, count);
}
NCCL int ncclRecv(void *buffer, size_t count, int type, int peer, comm *c, void *stream);
int ncclRecv(void *buffer, size_t count, int type, int peer, comm *c, void *stream) {
    (void)type, (void)stream;
    return move(c, peer, false, buffer, count);
}

NCCL int ncclAllGather(const void *from, void *to, size_t count, int type, comm *c, void *stream);
int ncclAllGather(const void *from, void *to, size_t count, int type, comm *c, void *stream) {
    (void)type, (void)stream;
    pthread_mutex_lock(&mutex);
    const bool good = allowed(c);
    for (int r = 0; good && r < c->room->size; r++) {
        char *where = (char *)to + (size_t)r * count;
        if (r == c->rank) {
            memmove(where, from, count);
            continue;
        }
        post(c, r, true, (char *)from, count);
        post(c, r, false, where, count);
    }
    pthread_mutex_unlock(&mutex);
    return good ? IN_PROGRESS : INVALID_USAGE;
}

/* ---- what is combined ---------------------------------------------------------------------------------------- */

enum { INT8, UINT8, INT32, UINT32, INT64, UINT64, FLOAT32 = 7, FLOAT64, TYPES };
enum { SUM, PROD, MAX, MIN };

/* clang-format off */
#define COMBINE(type, wide)                                                                                            \
    for (size_t i = 0; i < n; i++) {                                                                                   \
        const type x = ((const type *)from)[i];                                                                        \
        type *y = (type *)to + i;                                                                                      \
        const type sum = (type)((wide)*y + (wide)x), product = (type)((wide)*y * (wide)x);                             \
        *y = op == SUM ? sum : op == PROD ? product : (op == MAX) == (x > *y) ? x : *y;                                \
    }
/* clang-format on */
static void combine(void *to, const void *from, size_t n, int type, int op) {
    switch (type) {
    case INT8: COMBINE(int8_t, uint32_t) break;
    case UINT8: COMBINE(uint8_t, uint32_t) break;
    case INT32: COMBINE(int32_t, uint32_t) break;
    case UINT32: COMBINE(uint32_t, uint32_t) break;
    case INT64: COMBINE(int64_t, uint64_t) break;
    case UINT64: COMBINE(uint64_t, uint64_t) break;
    case FLOAT32: COMBINE(float, float) break;
    default: COMBINE(double, double) break;
    }
}

static term *oldest_term(const room *r, const comm *c) {
    term *oldest = NULL;
    for (term *t = r->terms; t; t = t->next)
        if (t->of == c) oldest = t;
    return oldest;
}

/* Once every rank has come to it: in another order than that of the ranks, as NCCL's may be. */
static void combine_all(room *r) {
    static const size_t sizes[TYPES] = {1, 1, 4, 4, 8, 8, 0, 4, 8};
    term *all[RANKS] = {NULL};
    for (int i = 0; i < r->size; i++)
        if (!r->rank[i] || !(all[i] = oldest_term(r, r->rank[i]))) return;
    const term *first = all[0];
    const size_t bytes = first->count * sizes[first->type];
    char *result = malloc(bytes + 1);
    for (int i = r->size - 1; i >= 0; i--) {
        if (all[i]->count != first->count || all[i]->type != first->type || all[i]->op != first->op)
            fprintf(stderr, "fake_nccl: ranks 0 and %d combine other things\n", i), abort();
        if (i == r->size - 1)
            memcpy(result, all[i]->from, bytes);
        else
            combine(result, all[i]->from, first->count, first->type, first->op);
    }
    for (int i = 0; i < r->size; i++) {
        memcpy(all[i]->to, result, bytes);
        term **at = &r->terms;
        while (*at != all[i]) at = &(*at)->next;
        *at = all[i]->next;
        all[i]->of->open--;
        free(all[i]);
    }
    free(result);
}

NCCL int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, comm *c, void *stream);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, comm *c, void *stream) {
    (void)stream;
    pthread_mutex_lock(&mutex);
    const bool good = c && !c->ends && (grouped || state_of(c) != IN_PROGRESS) && type >= 0 && type < TYPES;
    if (good) {
        term *own = malloc(sizeof *own);
        *own = (term){c->room->terms, c, from, to, count, type, op};
        c->room->terms = own, c->open++;
        atomic_fetch_add(&now.reduced, 1);
        combine_all(c->room);
    } else {
        atomic_fetch_add(&now.misused, 1);
    }
    pthread_mutex_unlock(&mutex);
    return good ? IN_PROGRESS : INVALID_USAGE;
}

NCCL int ncclGroupStart(void);
int ncclGroupStart(void) {
    return grouped++, SUCCESS;
}
NCCL int ncclGroupEnd(void);
int ncclGroupEnd(void) {
    return grouped--, IN_PROGRESS;
}
