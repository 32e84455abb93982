/*
 * fft_cache.h: plans of libraries (FFTW, cuFFT), which take long to make and are made once: a cache for each
 * device, bounded in bytes, which evicts the least recently used plan.
 *
 *     gndi_fft_entry *e = gndi_fft_cache_take(d, &key, sizeof key);
 *     if (!e) e = gndi_fft_cache_add(d, &key, sizeof key, made, bytes, destroy, fn);
 *     ... run e->plan ...
 *     gndi_fft_cache_give(e);
 */
#ifndef GNDI_FFT_CACHE_H
#define GNDI_FFT_CACHE_H

#include "runtime/runtime.h"

typedef union gndi_fft_handle {
    void *pointer;
    int number;
} gndi_fft_handle;

/* Entries in use stay, even beyond the bound. */
typedef struct gndi_fft_entry {
    gndi_fft_handle plan;
    size_t work;        /* bytes of workspace for a run */
    gndi_lock lock;     /* for libraries whose plans one thread at a time may run */
    atomic_bool slower; /* than another plan of the same transform: not to be used */
    /* fft_cache.c's own */
    struct gndi_fft_entry *newer, *older;
    gndi_device *device;
    void (*destroy)(gndi_fft_handle plan);
    uint64_t hash;
    size_t bytes, key_bytes;
    int users;
    unsigned char key[];
} gndi_fft_entry;

/* An estimate of the memory that a plan's tables take for an axis. */
size_t gndi_fft_table_bytes(int64_t n, bool wide);

/* The plan of a key, or NULL. A plan that is taken must be given back. */
gndi_fft_entry *gndi_fft_cache_take(gndi_device *d, const void *key, size_t key_bytes);
/* The same for a plan that may be absent, which does not count as a miss. */
gndi_fft_entry *gndi_fft_cache_peek(gndi_device *d, const void *key, size_t key_bytes);
/* Inserts a plan, which holds `bytes` of memory, and takes it. If another thread was faster, this plan is destroyed,
   and the other's returned. Without memory, NULL and an error, and the plan is destroyed. */
gndi_fft_entry *gndi_fft_cache_add(gndi_device *d, const void *key, size_t key_bytes, gndi_fft_handle plan,
                                   size_t bytes, size_t work, void (*destroy)(gndi_fft_handle plan), const char *fn);
void gndi_fft_cache_give(gndi_fft_entry *e);

/* Records an entry as pinned, instead of giving it back. */
struct gndi_fft_pins;
gnd_status gndi_fft_cache_pin(struct gndi_fft_pins *pins, gndi_fft_entry *e, const char *fn);

/* What the cache holds, and its bound. */
typedef struct gndi_fft_cache_state {
    int64_t plans, hits, misses;
    size_t bytes, limit;
} gndi_fft_cache_state;
gndi_fft_cache_state gndi_fft_cache_ask(gndi_device *d);
void gndi_fft_cache_set_limit(gndi_device *d, size_t bytes);
void gndi_fft_cache_clear(gndi_device *d);

#endif
