/*
 * parallel.c: the CPU backend's thread pool. Workers sleep between calls and help with any call that has
 * work left.
 *
 * OpenMP is not used because its parallel regions end with a spinning barrier of all threads, so every
 * thread must be scheduled. With two busy loops running on the same two cores, a call of 0.2 ms took 16 ms
 * one time in ten (this pool: 0.14 ms). Here the caller works too, work is handed out in short pieces, and
 * the caller waits only for pieces that have been started: a worker that is not scheduled in time does not
 * delay the call. Several threads may call at once; workers serve the oldest call first.
 */
#define _GNU_SOURCE
#include "core/core.h"
#include "core/environment.h"
#include "core/lock.h"
#include "core/parallel.h"
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum {
    SHARES = 64,      /* a call's work is cut into at most this many contiguous shares */
    PIECE_GRAINS = 4, /* the most grains of a piece, which is what a preempted worker can hold up */
    SPIN_NS = 20000,  /* how long workers and callers spin before they sleep */
    WAKES = 2,        /* workers that a caller wakes; those wake the others */
    STACK = 4 << 20,  /* loops have their tile buffers on the stack */
    ROUNDING = 64,    /* pieces begin at multiples of this where grains are larger: whole lines */
};

/* One thread's share to begin with, on a cache line of its own; a thread that has finished its share takes pieces of
   others'. So a thread sees the same memory in every call. */
typedef struct share {
    _Alignas(64) atomic_llong next;
    int64_t end;
} share;

typedef struct call {
    void (*body)(void *, int64_t, int64_t);
    void *context;
    const char *fn; /* the public function that the work is for */
    int64_t piece;
    int shares;
    int joined, wanted; /* under the lock: helpers so far, helpers that may still come */
    atomic_int helping; /* helpers within; written under the lock */
    struct call *next;
    share share[SHARES];
} call;

static struct {
    gndi_lock lock;
    pthread_cond_t posted, left;
    call *first; /* calls in progress */
    int workers, spinning, asleep;
} pool = {.posted = PTHREAD_COND_INITIALIZER, .left = PTHREAD_COND_INITIALIZER};
static atomic_uint calls_posted; /* what spinning workers look at */

static _Thread_local bool inside; /* within a piece: nested calls run on this thread alone */

/* ---- how many threads ----------------------------------------------------------------------- */

static gndi_once count_once;
static int thread_count = 1;

/* A forked child has none of the workers: it starts with an empty pool. */
static void reset_in_child(void) {
    pool.posted = pool.left = (pthread_cond_t)PTHREAD_COND_INITIALIZER;
    pool.first = NULL;
    pool.workers = pool.spinning = pool.asleep = 0;
}

/* OpenMP's variable may say more than gnd understands. */
static int openmp_threads(void) {
    const char *text = getenv("OMP_NUM_THREADS");
    if (!text) return 0;
    char *end;
    long n = strtol(text, &end, 10);
    return end != text && n > 0 && n <= 4096 ? (int)n : 0;
}

static void find_thread_count(void) {
    int n = (int)gndi_env_number(GNDI_GND_NUM_THREADS, 0);
    if (!n) n = openmp_threads();
    if (!n) {
        cpu_set_t cpus;
        n = sched_getaffinity(0, sizeof cpus, &cpus) == 0 ? CPU_COUNT(&cpus) : (int)sysconf(_SC_NPROCESSORS_ONLN);
    }
    thread_count = n > 0 ? n : 1;
    if (thread_count > 1) gndi_at_fork(reset_in_child);
}

int gndi_thread_count(void) {
    gndi_once_do(&count_once, find_thread_count);
    return thread_count;
}

/* ---- waiting a moment ----------------------------------------------------------------------- */

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void pause_briefly(void) {
#if defined(__x86_64__)
    for (int i = 0; i < 16; i++) __builtin_ia32_pause();
#endif
}

/* ---- the work of a call --------------------------------------------------------------------- */

static void work_on(call *c, int index) {
    inside = true;
    for (int k = 0; k < c->shares; k++) {
        share *s = &c->share[(index + k) % c->shares];
        while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
            int64_t begin = atomic_fetch_add_explicit(&s->next, c->piece, memory_order_relaxed);
            if (begin >= s->end) break;
            c->body(c->context, begin, s->end - begin < c->piece ? s->end : begin + c->piece);
        }
    }
    inside = false;
}

/* Under the lock: a call that wants help, or NULL. */
static call *find_call(void) {
    for (call *c = pool.first; c; c = c->next)
        if (c->wanted) return c;
    return NULL;
}

/* Under the lock: how many sleeping workers to wake for a call. */
static int wakes_for(const call *c) {
    int n = c->wanted - pool.spinning;
    if (n > pool.asleep) n = pool.asleep;
    return n < WAKES ? n : WAKES;
}

/* Under the lock; sees it released and taken again. */
static void await_call(void) {
    unsigned seen = atomic_load_explicit(&calls_posted, memory_order_relaxed);
    pool.spinning++;
    gndi_lock_give(&pool.lock);
    for (int64_t end = now() + SPIN_NS;
         atomic_load_explicit(&calls_posted, memory_order_relaxed) == seen && now() < end;)
        pause_briefly();
    gndi_lock_take(&pool.lock);
    pool.spinning--;
    while (!find_call()) {
        pool.asleep++;
        gndi_lock_wait(&pool.lock, &pool.posted);
        pool.asleep--;
    }
}

static void *worker(void *unused) {
    (void)unused;
    gndi_lock_take(&pool.lock);
    for (;;) {
        call *c;
        while (!(c = find_call())) await_call();
        c->wanted--;
        atomic_fetch_add_explicit(&c->helping, 1, memory_order_relaxed);
        int index = ++c->joined, wakes = wakes_for(c);
        gndi_lock_give(&pool.lock);
        while (wakes-- > 0) pthread_cond_signal(&pool.posted);
        gndi_naming.working = c->fn;
        work_on(c, index);
        gndi_lock_take(&pool.lock);
        /* The last to leave: from here on the call may be gone. */
        if (atomic_fetch_sub_explicit(&c->helping, 1, memory_order_release) == 1) pthread_cond_broadcast(&pool.left);
    }
    return NULL;
}

/* Under the lock: sees to it that there are `wanted` workers, or as many as there can be. Signals
   are for the program's own threads. */
static void hire(int wanted) {
    pthread_attr_t attributes;
    sigset_t all, before;
    if (pool.workers >= wanted || pthread_attr_init(&attributes)) return;
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (pthread_t thread; pool.workers < wanted; pool.workers++)
        if (pthread_create(&thread, &attributes, worker, NULL)) break;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
}

static void post(call *c) {
    gndi_lock_take(&pool.lock);
    hire(c->wanted);
    call **end = &pool.first;
    while (*end) end = &(*end)->next;
    *end = c;
    atomic_fetch_add_explicit(&calls_posted, 1, memory_order_relaxed);
    int wakes = wakes_for(c);
    gndi_lock_give(&pool.lock);
    while (wakes-- > 0) pthread_cond_signal(&pool.posted);
}

/* No more threads join; waits for those that have. */
static void finish(call *c) {
    gndi_lock_take(&pool.lock);
    call **at = &pool.first;
    while (*at != c) at = &(*at)->next;
    *at = c->next;
    gndi_lock_give(&pool.lock);
    if (!atomic_load_explicit(&c->helping, memory_order_acquire)) return;
    for (int64_t end = now() + SPIN_NS; now() < end; pause_briefly())
        if (!atomic_load_explicit(&c->helping, memory_order_acquire)) return;
    gndi_lock_take(&pool.lock);
    while (atomic_load_explicit(&c->helping, memory_order_acquire)) gndi_lock_wait(&pool.lock, &pool.left);
    gndi_lock_give(&pool.lock);
}

void gndi_parallel_for(int64_t n, int64_t grain, void (*body)(void *, int64_t, int64_t), void *context) {
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    int64_t threads = n / grain;
    if (threads > 1 && threads > gndi_thread_count()) threads = gndi_thread_count();
    if (threads <= 1 || inside) {
        body(context, 0, n);
        return;
    }
    call c;
    c.body = body, c.context = context, c.next = NULL;
    c.fn = gndi_public_name(gndi_naming.working);
    c.joined = 0, c.wanted = (int)threads - 1;
    c.shares = threads < SHARES ? (int)threads : SHARES;
    atomic_init(&c.helping, 0);
    int64_t unit = grain >= ROUNDING ? ROUNDING : 1, units = (n + unit - 1) / unit;
    for (int64_t i = 0, begin = 0; i < c.shares; i++) {
        int64_t end = (units / c.shares * (i + 1) + (i + 1) * (units % c.shares) / c.shares) * unit;
        if (end > n) end = n;
        atomic_init(&c.share[i].next, begin);
        c.share[i].end = begin = end;
    }
    c.piece = (n / c.shares / 4 + unit - 1) / unit * unit;
    if (c.piece > PIECE_GRAINS * grain) c.piece = PIECE_GRAINS * grain;
    if (c.piece < grain) c.piece = grain;
    post(&c);
    work_on(&c, 0);
    finish(&c);
}
