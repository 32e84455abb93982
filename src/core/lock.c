/*
 * lock.c: the locks of the library, and what a fork does with them.
 *
 * A forked child has only the forking thread. A lock held by another thread would stay locked for ever, and
 * the data it guards half-changed. So the forking thread takes all locks first. It tries them all, and
 * releases them and starts again if one is busy: it never waits while it holds a lock, so locks need no
 * order. Meanwhile threads that hold no lock pause for some milliseconds before they take one; they do
 * not wait for the fork, so there is no deadlock. If a lock stays busy for seconds, because long work is
 * done under it, the fork goes on without it, and the lock is free in the child.
 */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "core/lock.h"
#include <sched.h>
#include <time.h>

enum {
    NAP_NS = 100000,
    MOST_TRIES = 50000, /* 5 s at least */
    GIVE_WAY = 100,     /* 10 ms at least */
    MOST_CHILDREN = 16,
};

/* All locks that were ever taken. Its own lock is held last, and for no longer than a step takes. */
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static gndi_lock *first;
static void (*in_child[MOST_CHILDREN])(void);
static int children;
static bool prepared;

static atomic_int forking;        /* threads that are about to fork */
static _Thread_local char myself; /* its address names the thread, in the child too */

static void nap(void) {
    nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
}

/* ---- forks ---------------------------------------------------------------------------------- */

static bool try_lock(gndi_lock *l) {
    if (l->spins) return !atomic_exchange_explicit(&l->busy, true, memory_order_acquire);
    return pthread_mutex_trylock(&l->mutex) == 0;
}

static void let_go(gndi_lock *l) {
    if (!l->taken) return;
    l->taken = false;
    if (l->spins)
        gndi_spin_give(l);
    else
        pthread_mutex_unlock(&l->mutex);
}

static bool is_mine(gndi_lock *l) {
    return atomic_load_explicit(&l->owner, memory_order_relaxed) == &myself;
}

/* Takes the list and all locks that this thread does not hold. If one is busy it takes none, unless the fork can
   wait no longer. */
static bool take_all(bool at_last) {
    pthread_mutex_lock(&list_lock);
    for (gndi_lock *l = first; l; l = l->next) {
        l->taken = try_lock(l);
        if (l->taken || at_last || is_mine(l)) continue;
        for (gndi_lock *before = first; before != l; before = before->next) let_go(before);
        pthread_mutex_unlock(&list_lock);
        return false;
    }
    return true;
}

static void before_fork(void) {
    atomic_fetch_add(&forking, 1);
    for (int tries = 0; !take_all(tries == MOST_TRIES); tries++) nap();
}

static void after_fork(void) {
    for (gndi_lock *l = first; l; l = l->next) let_go(l);
    pthread_mutex_unlock(&list_lock);
    atomic_fetch_sub(&forking, 1);
}

/* The child has no other thread that was about to fork. */
static void reset_in_child(void) {
    for (int i = 0; i < children; i++) in_child[i]();
    for (gndi_lock *l = first; l; l = l->next) {
        if (l->taken || is_mine(l)) continue;
        l->mutex = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
        atomic_store(&l->busy, false);
        atomic_store(&l->owner, NULL);
        l->depth = 0;
    }
    atomic_store(&forking, 1);
    after_fork();
}

/* With the list's lock. */
static void prepare(void) {
    if (!prepared) prepared = pthread_atfork(before_fork, after_fork, reset_in_child) == 0;
}

void gndi_at_fork(void (*child)(void)) {
    pthread_mutex_lock(&list_lock);
    prepare();
    if (children < MOST_CHILDREN) in_child[children++] = child;
    pthread_mutex_unlock(&list_lock);
}

static void list(gndi_lock *l) {
    pthread_mutex_lock(&list_lock);
    prepare();
    if (!atomic_load_explicit(&l->listed, memory_order_relaxed)) {
        l->taken = false;
        l->previous = NULL, l->next = first;
        if (first) first->previous = l;
        first = l;
        atomic_store_explicit(&l->listed, true, memory_order_release);
    }
    pthread_mutex_unlock(&list_lock);
}

/* A thread that holds a lock goes on, so that it releases it. */
static bool has_none(void) {
    pthread_mutex_lock(&list_lock);
    gndi_lock *l = first;
    while (l && !is_mine(l)) l = l->next;
    pthread_mutex_unlock(&list_lock);
    return !l;
}

static void give_way(void) {
    if (!has_none()) return;
    for (int naps = 0; naps < GIVE_WAY && atomic_load(&forking); naps++) nap();
}

/* ---- locks ---------------------------------------------------------------------------------- */

void gndi_lock_take(gndi_lock *l) {
    if (!atomic_load_explicit(&l->listed, memory_order_acquire)) list(l);
    if (atomic_load_explicit(&forking, memory_order_relaxed)) give_way();
    pthread_mutex_lock(&l->mutex);
    atomic_store_explicit(&l->owner, &myself, memory_order_relaxed);
}

void gndi_lock_give(gndi_lock *l) {
    atomic_store_explicit(&l->owner, NULL, memory_order_relaxed);
    pthread_mutex_unlock(&l->mutex);
}

void gndi_lock_take_again(gndi_lock *l) {
    if (is_mine(l))
        l->depth++;
    else
        gndi_lock_take(l);
}

void gndi_lock_give_again(gndi_lock *l) {
    if (l->depth > 0)
        l->depth--;
    else
        gndi_lock_give(l);
}

void gndi_lock_wait(gndi_lock *l, pthread_cond_t *condition) {
    atomic_store_explicit(&l->owner, NULL, memory_order_relaxed);
    pthread_cond_wait(condition, &l->mutex);
    atomic_store_explicit(&l->owner, &myself, memory_order_relaxed);
}

void gndi_lock_end(gndi_lock *l) {
    if (atomic_load_explicit(&l->listed, memory_order_acquire)) {
        pthread_mutex_lock(&list_lock);
        *(l->previous ? &l->previous->next : &first) = l->next;
        if (l->next) l->next->previous = l->previous;
        pthread_mutex_unlock(&list_lock);
    }
    pthread_mutex_destroy(&l->mutex);
}

void gndi_spin_begin(gndi_lock *l) {
    l->spins = true;
    list(l);
}

void gndi_spin_wait(gndi_lock *l) {
    int spins = 0;
    do
        while (atomic_load_explicit(&l->busy, memory_order_relaxed))
            if (++spins > 100) sched_yield();
    while (atomic_exchange_explicit(&l->busy, true, memory_order_acquire));
}

void gndi_once_slow(gndi_once *once, void (*function)(void)) {
    gndi_lock_take(&once->lock);
    if (!atomic_load_explicit(&once->done, memory_order_relaxed)) {
        function();
        atomic_store_explicit(&once->done, true, memory_order_release);
    }
    gndi_lock_give(&once->lock);
}
