/*
 * fake_nccl.c: a library with NCCL's functions, for tests without GPUs: ranks are threads of one process, and memory is
 * the host's. Its communicators do not block: a call returns while it waits for other ranks, and is done, as
 * ncclCommGetAsyncError says, when they have called too. It counts what NCCL forbids. With FAKE_NCCL_OLD it is one that
 * lacks functions. What moves is in fake_nccl_moves.c.
 */
#define _GNU_SOURCE
#include "fake_nccl_inside.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct config {
    size_t size;
    unsigned magic, version;
    int blocking;
} config;
typedef struct unique_id {
    char internal[128];
} unique_id;

pthread_mutex_t fake_nccl_mutex = PTHREAD_MUTEX_INITIALIZER;
static room *rooms;
fake_nccl_state fake_nccl_now;
static _Thread_local char said[256];

NCCL fake_nccl_state *fake_nccl(void);
NCCL void gnd_test_nccl_on_host(void);
fake_nccl_state *fake_nccl(void) {
    return &fake_nccl_now;
}
void gnd_test_nccl_on_host(void) {}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- state --------------------------------------------------------------------------------------------------- */

int fake_nccl_state_of(const comm *c) {
    const room *r = c->room;
    if (c->error) return c->error;
    if (r->here < r->size || seconds() < c->ready) return IN_PROGRESS;
    if (fake_nccl_now.fails) return fake_nccl_now.fails;
    if (fake_nccl_now.breaks) return fake_nccl_now.breaks;
    return c->open || c->split || (c->ends && r->ended < r->size) ? IN_PROGRESS : SUCCESS;
}

bool fake_nccl_allowed(const comm *c) {
    const bool good = c && !c->ends && fake_nccl_state_of(c) != IN_PROGRESS;
    if (!good) atomic_fetch_add(&fake_nccl_now.misused, 1);
    return good;
}

static comm *enter(room *r, int rank) {
    comm *c = calloc(1, sizeof *c);
    c->room = r, c->rank = rank, c->ready = seconds() + fake_nccl_now.slow;
    r->rank[rank] = c;
    r->here++, r->users++;
    atomic_fetch_add(&fake_nccl_now.alive, 1);
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
    atomic_fetch_sub(&fake_nccl_now.registered, c->registered);
    free(c);
    atomic_fetch_sub(&fake_nccl_now.alive, 1);
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
    snprintf(fake_nccl_now.listens, sizeof fake_nccl_now.listens, "%s", listens ? listens : "");
    const int number = listens ? 0 : atomic_fetch_add(&ids, 1);
    snprintf(id->internal, sizeof id->internal, "%.100s %d", fake_nccl_now.listens, number);
    return SUCCESS;
}

#ifndef FAKE_NCCL_OLD
NCCL int ncclCommInitRankConfig(comm **out, int size, unique_id id, int rank, config *how);
int ncclCommInitRankConfig(comm **out, int size, unique_id id, int rank, config *how) {
    *out = NULL;
    if (how->magic != 0xcafebeef || how->size < sizeof(config) || how->version < 21400 || how->blocking != 0)
        return snprintf(said, sizeof said, "a config that is none"), INVALID_ARGUMENT;
    if (fake_nccl_now.refuses) return snprintf(said, sizeof said, "Duplicate GPU detected"), fake_nccl_now.refuses;
    if (fake_nccl_now.fails) snprintf(said, sizeof said, "Call to bind failed : Address already in use");
    pthread_mutex_lock(&fake_nccl_mutex);
    room *r = rooms;
    while (r && memcmp(r->id, id.internal, sizeof r->id) != 0) r = r->next;
    if (!r) r = new_room(id.internal, size);
    *out = enter(r, rank);
    pthread_mutex_unlock(&fake_nccl_mutex);
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
    pthread_mutex_lock(&fake_nccl_mutex);
    const bool good = fake_nccl_allowed(c);
    if (good) {
        bool all = true;
        c->color = color, c->key = key, c->split = out, c->blocks = how && how->blocking == 1;
        for (int i = 0; i < c->room->size; i++) all = all && c->room->rank[i] && c->room->rank[i]->split;
        if (all) split_all(c->room);
    }
    pthread_mutex_unlock(&fake_nccl_mutex);
    return good ? SUCCESS : INVALID_USAGE; /* as NCCL does: the state of `c` says when it is done */
}

NCCL int ncclCommFinalize(comm *c);
int ncclCommFinalize(comm *c) {
    pthread_mutex_lock(&fake_nccl_mutex);
    const bool good = fake_nccl_allowed(c);
    const int state = good ? fake_nccl_state_of(c) : INVALID_USAGE;
    if (state == SUCCESS) c->ends = true, c->room->ended++;
    pthread_mutex_unlock(&fake_nccl_mutex);
    return state == SUCCESS ? IN_PROGRESS : state;
}

NCCL int ncclCommDestroy(comm *c);
int ncclCommDestroy(comm *c) {
    pthread_mutex_lock(&fake_nccl_mutex);
    const bool ended = c->is_blocking || (c->ends && fake_nccl_state_of(c) == SUCCESS);
    if (!ended || c->registered) atomic_fetch_add(&fake_nccl_now.misused, 1);
    discard(c);
    pthread_mutex_unlock(&fake_nccl_mutex);
    return SUCCESS;
}

NCCL int ncclCommAbort(comm *c);
int ncclCommAbort(comm *c) {
    pthread_mutex_lock(&fake_nccl_mutex);
    atomic_fetch_add(&fake_nccl_now.aborted, 1);
    discard(c);
    pthread_mutex_unlock(&fake_nccl_mutex);
    return SUCCESS;
}

/* ---- what one is --------------------------------------------------------------------------------------------- */

NCCL int ncclCommGetAsyncError(comm *c, int *error);
int ncclCommGetAsyncError(comm *c, int *error) {
    pthread_mutex_lock(&fake_nccl_mutex);
    *error = fake_nccl_state_of(c);
    pthread_mutex_unlock(&fake_nccl_mutex);
    return SUCCESS;
}

static int number(comm *c, int value, int *out) {
    pthread_mutex_lock(&fake_nccl_mutex);
    const bool good = fake_nccl_allowed(c);
    pthread_mutex_unlock(&fake_nccl_mutex);
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
