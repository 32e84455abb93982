/*
 * fake_nccl_moves.c: what the tests' NCCL moves and combines: the calls of all ranks' threads, in the order in which
 * each makes them.
 */
#include "fake_nccl_inside.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local int grouped;

/* ---- registered memory --------------------------------------------------------------------------------------- */

enum { RANGES = 64 };
typedef struct range {
    const char *from;
    size_t bytes;
} range;
static range ranges[RANGES];

NCCL int ncclMemAlloc(void **memory, size_t bytes);
int ncclMemAlloc(void **memory, size_t bytes) {
    *memory = malloc(bytes);
    if (!*memory) return SYSTEM_ERROR;
    atomic_fetch_add(&fake_nccl_now.given, 1), atomic_fetch_add(&fake_nccl_now.memory, 1);
    return SUCCESS;
}

NCCL int ncclMemFree(void *memory);
int ncclMemFree(void *memory) {
    pthread_mutex_lock(&fake_nccl_mutex);
    for (int i = 0; i < RANGES; i++)
        if (ranges[i].from == memory) ranges[i] = (range){0}; /* of a communicator that was aborted */
    pthread_mutex_unlock(&fake_nccl_mutex);
    free(memory);
    atomic_fetch_sub(&fake_nccl_now.memory, 1);
    return SUCCESS;
}

static bool is_registered(const void *address) {
    for (int i = 0; i < RANGES; i++)
        if ((const char *)address >= ranges[i].from && (const char *)address < ranges[i].from + ranges[i].bytes)
            return true;
    return false;
}

/* Counts one, or one less, and puts a range in the place of another. */
static void change_ranges(comm *c, int by, range old, range new) {
    pthread_mutex_lock(&fake_nccl_mutex);
    int i = 0;
    while (i < RANGES && ranges[i].from != old.from) i++;
    if (!fake_nccl_allowed(c) || i == RANGES)
        atomic_fetch_add(&fake_nccl_now.misused, 1);
    else
        ranges[i] = new, c->registered += by, atomic_fetch_add(&fake_nccl_now.registered, by);
    pthread_mutex_unlock(&fake_nccl_mutex);
}

NCCL int ncclCommRegister(comm *c, void *memory, size_t bytes, void **handle);
int ncclCommRegister(comm *c, void *memory, size_t bytes, void **handle) {
    change_ranges(c, 1, (range){0}, (range){memory, bytes});
    *handle = memory;
    return SUCCESS;
}

NCCL int ncclCommDeregister(comm *c, void *handle);
int ncclCommDeregister(comm *c, void *handle) {
    change_ranges(c, -1, (range){handle, 0}, (range){0});
    return SUCCESS;
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
    /* NCCL hangs then. */
    if (is_registered(address) != is_registered(other->address)) atomic_fetch_add(&fake_nccl_now.misused, 1);
    memcpy(is_send ? other->address : address, is_send ? address : other->address, bytes);
    take_out(r, other);
}

static int move(comm *c, int peer, bool is_send, const void *address, size_t bytes) {
    pthread_mutex_lock(&fake_nccl_mutex);
    const bool good = c && !c->ends && (grouped || fake_nccl_state_of(c) != IN_PROGRESS);
    if (good)
        post(c, peer, is_send, (char *)address, bytes);
    else
        atomic_fetch_add(&fake_nccl_now.misused, 1);
    pthread_mutex_unlock(&fake_nccl_mutex);
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
    pthread_mutex_lock(&fake_nccl_mutex);
    const bool good = fake_nccl_allowed(c);
    for (int r = 0; good && r < c->room->size; r++) {
        char *where = (char *)to + (size_t)r * count;
        if (r == c->rank) {
            memmove(where, from, count);
            continue;
        }
        post(c, r, true, (char *)from, count);
        post(c, r, false, where, count);
    }
    pthread_mutex_unlock(&fake_nccl_mutex);
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
    pthread_mutex_lock(&fake_nccl_mutex);
    const bool good = c && !c->ends && (grouped || fake_nccl_state_of(c) != IN_PROGRESS) && type >= 0 && type < TYPES;
    if (good) {
        term *own = malloc(sizeof *own);
        *own = (term){c->room->terms, c, from, to, count, type, op};
        c->room->terms = own, c->open++;
        atomic_fetch_add(&fake_nccl_now.reduced, 1);
        combine_all(c->room);
    } else {
        atomic_fetch_add(&fake_nccl_now.misused, 1);
    }
    pthread_mutex_unlock(&fake_nccl_mutex);
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
