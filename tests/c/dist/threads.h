/*
 * threads.h: a transport between threads of one process, for tests: ranks are threads, and parts are copied from one
 * rank's array to the other's while both wait. It moves the memory of whatever device the arrays are on.
 * With GND_TEST_NCCL=1 the ranks are threads over gnd's transport of NCCL, on the library of fake_nccl.c (GND_NCCL).
 */
#ifndef GND_TESTS_THREADS_H
#define GND_TESTS_THREADS_H

#include <gnd_dist.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_RANKS = 8,
    SMALL = 2048, /* the most bytes of a rank in a small gather */
    YIELDS = 50,  /* how often a rank lets others run before it sleeps */
};

/* What all ranks share. */
typedef struct meeting {
    int size;
    pthread_mutex_t mutex;
    pthread_cond_t all_here;
    atomic_int here;
    atomic_uint round;
    atomic_bool aborted;
    int asleep;   /* ranks; under the mutex, as the limit is */
    double limit; /* seconds to wait; <= 0: any time */
    const gnd_part *send[MOST_RANKS];
    int sends[MOST_RANKS];
    const void *from[MOST_RANKS];
    char given[2][MOST_RANKS][SMALL]; /* to small gathers, by turns */
    int color[MOST_RANKS], key[MOST_RANKS];
    struct meeting *part[MOST_RANKS]; /* of a split: that of each rank */
    int users;
} meeting;

typedef struct seat {
    meeting *m;
    int rank;
    bool turn; /* which half of `given` the next small gather uses */
} seat;

static meeting *meeting_new(int size) {
    meeting *m = calloc(1, sizeof *m);
    m->size = m->users = size;
    pthread_mutex_init(&m->mutex, NULL);
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&m->all_here, &attributes);
    pthread_condattr_destroy(&attributes);
    return m;
}

/* The end of a wait of so many seconds. */
static struct timespec deadline(double seconds) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    const double till = (double)at.tv_nsec * 1e-9 + seconds;
    at.tv_sec += (time_t)till, at.tv_nsec = (long)((till - (double)(time_t)till) * 1e9);
    return at;
}

/* Whether those who wait in this round need wait no longer. */
static bool met(meeting *m, unsigned round) {
    return atomic_load(&m->round) != round || atomic_load(&m->aborted);
}

/* All ranks are here, and what they wrote is seen; an error if one gave up, or this one has waited too long. Ranks are
   more threads than cores, and most meet again within microseconds: they let others run before they sleep. */
static gnd_status meet(meeting *m) {
    const unsigned round = atomic_load(&m->round);
    bool late = false;
    if (atomic_fetch_add(&m->here, 1) + 1 == m->size) {
        atomic_store(&m->here, 0);
        pthread_mutex_lock(&m->mutex);
        atomic_store(&m->round, round + 1);
        if (m->asleep) pthread_cond_broadcast(&m->all_here);
        pthread_mutex_unlock(&m->mutex);
    }
    for (int i = 0; i < YIELDS && !met(m, round); i++) sched_yield();
    if (!met(m, round)) {
        pthread_mutex_lock(&m->mutex);
        const struct timespec end = deadline(m->limit);
        m->asleep++;
        while (!met(m, round) && !late)
            if (m->limit <= 0)
                pthread_cond_wait(&m->all_here, &m->mutex);
            else
                late = pthread_cond_timedwait(&m->all_here, &m->mutex, &end) != 0 && !met(m, round);
        m->asleep--;
        pthread_mutex_unlock(&m->mutex);
    }
    const bool given_up = atomic_load(&m->aborted);
    if (late) {
        pthread_mutex_lock(&m->mutex);
        atomic_store(&m->aborted, true);
        pthread_cond_broadcast(&m->all_here);
        pthread_mutex_unlock(&m->mutex);
    }
    if (given_up) gnd_raise(GND_ERROR_DEVICE, "gnd_mesh", "another rank gave up");
    return given_up || late ? GND_ERROR_DEVICE : GND_OK;
}

static bool on_cpu(void) {
    return gnd_current_device().kind == GND_CPU;
}

/* Both addresses are of the current kind of device. */
static void copy_bytes(void *to, const void *from, size_t bytes) {
    if (on_cpu()) {
        memcpy(to, from, bytes);
        return;
    }
    GND_SCOPE {
        const gnd_shape shape = GND_SHAPE((int64_t)bytes);
        gnd_array *source = gnd_wrap((void *)from, shape, NULL, GND_UINT8, gnd_current_device(), NULL, NULL);
        gnd_transfer(gnd_wrap(to, shape, NULL, GND_UINT8, gnd_current_device(), NULL, NULL), source);
        gnd_sync();
    }
}

static gnd_status threads_exchange(void *context, int sends, const gnd_part *send, int receives,
                                   const gnd_part *receive, void *stream) {
    seat *s = context;
    meeting *m = s->m;
    (void)stream;
    if (!on_cpu()) gnd_sync();
    m->send[s->rank] = send, m->sends[s->rank] = sends;
    if (meet(m) != GND_OK) return GND_ERROR_DEVICE;
    int next[MOST_RANKS] = {0}; /* of each rank's list, what has been received */
    for (int i = 0; i < receives; i++) {
        const int r = receive[i].rank;
        while (next[r] < m->sends[r] && m->send[r][next[r]].rank != s->rank) next[r]++;
        if (next[r] == m->sends[r] || m->send[r][next[r]].bytes != receive[i].bytes) {
            fprintf(stderr, "threads.h: rank %d receives %zu bytes from %d, which sends none or others\n", s->rank,
                    receive[i].bytes, r);
            abort();
        }
        const gnd_part *part = &m->send[r][next[r]++];
        if (part->address && receive[i].address) copy_bytes(receive[i].address, part->address, part->bytes);
    }
    return meet(m);
}

/* Small gathers, of which there are many, meet once: parts are copied into one of two rooms in turn, and nobody writes
   into the first again before all have come to the second. */
static gnd_status threads_host_gather(void *context, const void *from, void *to, size_t bytes) {
    seat *s = context;
    meeting *m = s->m;
    if (bytes > sizeof m->given[0][0]) abort();
    char(*given)[SMALL] = m->given[s->turn];
    s->turn = !s->turn;
    memcpy(given[s->rank], from, bytes);
    if (meet(m) != GND_OK) return GND_ERROR_DEVICE;
    for (int r = 0; r < m->size; r++) memcpy((char *)to + (size_t)r * bytes, given[r], bytes);
    return GND_OK;
}

static gnd_status threads_all_gather(void *context, const void *from, void *to, size_t bytes, void *stream) {
    seat *s = context;
    meeting *m = s->m;
    (void)stream;
    if (!on_cpu()) gnd_sync();
    m->from[s->rank] = from;
    if (meet(m) != GND_OK) return GND_ERROR_DEVICE;
    for (int r = 0; r < m->size; r++) copy_bytes((char *)to + (size_t)r * bytes, m->from[r], bytes);
    return meet(m);
}

static void threads_abort(void *context) {
    seat *s = context;
    pthread_mutex_lock(&s->m->mutex);
    s->m->aborted = true;
    pthread_cond_broadcast(&s->m->all_here);
    pthread_mutex_unlock(&s->m->mutex);
}

static void threads_limit(void *context, double seconds) {
    seat *s = context;
    pthread_mutex_lock(&s->m->mutex);
    s->m->limit = seconds;
    pthread_mutex_unlock(&s->m->mutex);
}

static void meeting_leave(meeting *m) {
    pthread_mutex_lock(&m->mutex);
    const bool last = --m->users == 0;
    pthread_mutex_unlock(&m->mutex);
    if (!last) return;
    pthread_mutex_destroy(&m->mutex);
    pthread_cond_destroy(&m->all_here);
    free(m);
}

static void threads_close(void *context) {
    meeting_leave(((seat *)context)->m);
    free(context);
}

static gnd_status threads_split(void *context, int color, int key, gnd_transport *out);

static gnd_transport threads_transport(meeting *m, int rank) {
    seat *s = calloc(1, sizeof *s);
    s->m = m, s->rank = rank;
    return (gnd_transport){.size = m->size,
                           .rank = rank,
                           .memory = gnd_current_device().kind,
                           .synchronous = true,
                           .context = s,
                           .exchange = threads_exchange,
                           .all_gather = threads_all_gather,
                           .split = threads_split,
                           .abort = threads_abort,
                           .close = threads_close,
                           .host_gather = getenv("GND_TEST_DEVICE_GATHER") ? NULL : threads_host_gather,
                           .limit = threads_limit};
}

static gnd_status threads_split(void *context, int color, int key, gnd_transport *out) {
    seat *s = context;
    meeting *m = s->m;
    m->color[s->rank] = color, m->key[s->rank] = key;
    if (meet(m) != GND_OK) return GND_ERROR_DEVICE;
    int size = 0, rank = 0, first = -1;
    for (int r = 0; r < m->size; r++) {
        if (m->color[r] != color) continue;
        if (first < 0) first = r;
        size++;
        rank += m->key[r] < key || (m->key[r] == key && r < s->rank);
    }
    if (first == s->rank) m->part[first] = meeting_new(size);
    if (meet(m) != GND_OK) return GND_ERROR_DEVICE;
    meeting *part = m->part[first];
    if (color >= 0)
        *out = threads_transport(part, rank);
    else
        meeting_leave(part);
    return meet(m);
}

/* ---- running a function on some ranks ------------------------------------------------- */

typedef struct rank_run {
    meeting *m;
    const char *id; /* of NCCL; NULL: the transport of threads */
    int rank;
    void (*f)(gnd_mesh *mesh, void *context);
    void *context;
    pthread_t thread;
} rank_run;

static void *run_rank(void *argument) {
    rank_run *r = argument;
    gnd_mesh *mesh;
    if (r->id) {
        mesh = gnd_mesh_new_nccl(r->id, r->m->size, r->rank);
        meeting_leave(r->m); /* not needed */
    } else {
        const gnd_transport t = threads_transport(r->m, r->rank);
        mesh = gnd_mesh_new(&t);
    }
    r->f(mesh, r->context);
    gnd_mesh_release(mesh);
    return NULL;
}

/* f(mesh, context) on `size` ranks, each a thread; returns when all have. */
static inline void on_ranks(int size, void (*f)(gnd_mesh *mesh, void *context), void *context) {
    rank_run run[MOST_RANKS];
    meeting *m = meeting_new(size);
    char id[128];
    const bool nccl = getenv("GND_TEST_NCCL") != NULL;
    if (nccl && gnd_mesh_nccl_id(id) != GND_OK) abort();
    for (int r = 0; r < size; r++) {
        run[r] = (rank_run){.m = m, .id = nccl ? id : NULL, .rank = r, .f = f, .context = context};
        if (pthread_create(&run[r].thread, NULL, run_rank, &run[r]) != 0) abort();
    }
    for (int r = 0; r < size; r++) pthread_join(run[r].thread, NULL);
}

#endif
