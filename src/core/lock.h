/*
 * lock.h: the locks and once-controls of the library. A thread that forks takes all of them first, so that
 * no lock of the child is held by a thread that does not exist there, and guarded data is consistent (lock.c).
 */
#ifndef GNDI_LOCK_H
#define GNDI_LOCK_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

/* All zero: a lock that is free. It is listed for forks when it is first taken. */
typedef struct gndi_lock {
    pthread_mutex_t mutex;
    atomic_bool busy; /* of a spin lock, instead of the mutex */
    bool spins;
    bool taken;         /* by the thread that forks */
    atomic_bool listed; /* and then next and previous are in use */
    struct gndi_lock *next, *previous;
    const void *_Atomic owner; /* the thread that has it */
    int depth;                 /* how many times more than once: gndi_lock_take_again */
} gndi_lock;

void gndi_lock_take(gndi_lock *lock);
void gndi_lock_give(gndi_lock *lock);
/* The same, where the thread may have the lock already. */
void gndi_lock_take_again(gndi_lock *lock);
void gndi_lock_give_again(gndi_lock *lock);
/* Waits for a condition; the lock is released meanwhile. */
void gndi_lock_wait(gndi_lock *lock, pthread_cond_t *condition);
/* Before the memory of a lock is freed. */
void gndi_lock_end(gndi_lock *lock);

/* A spin lock, to be held for a few dozen instructions, and never across a call that may take long. */
void gndi_spin_begin(gndi_lock *lock); /* makes a lock a spin lock; end it with gndi_lock_end */
void gndi_spin_wait(gndi_lock *lock);
static inline void gndi_spin_take(gndi_lock *lock) {
    if (__builtin_expect(atomic_exchange_explicit(&lock->busy, true, memory_order_acquire), 0)) gndi_spin_wait(lock);
}
static inline void gndi_spin_give(gndi_lock *lock) {
    atomic_store_explicit(&lock->busy, false, memory_order_release);
}

/* What is done once, by the first thread that comes; others wait. All zero: not done yet. */
typedef struct gndi_once {
    gndi_lock lock;
    atomic_bool done;
} gndi_once;
void gndi_once_slow(gndi_once *once, void (*function)(void));
static inline void gndi_once_do(gndi_once *once, void (*function)(void)) {
    if (__builtin_expect(!atomic_load_explicit(&once->done, memory_order_acquire), 0)) gndi_once_slow(once, function);
}

/* Has a function called in each forked child, before the locks are free again: it takes none. Called once
   for each function. */
void gndi_at_fork(void (*child)(void));

#endif
