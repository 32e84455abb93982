/*
 * fft_cache.c: the plans of a device in the order of their last use. There are usually tens of them, and the one
 * that is looked up is mostly the first, so a list with hashes is enough.
 */
#include "fft/fft_cache.h"
#include "fft/fft_plan.h"

/* Enough for hundreds of plans of usual sizes, or one of a prime length of some million. */
#define DEFAULT_LIMIT ((size_t)256 << 20)

typedef struct cache {
    gndi_lock lock;
    gndi_fft_entry *newest, *oldest;
    gndi_fft_cache_state state;
} cache;

/* The CPU's, then the GPUs'. */
static cache caches[1 + GNDI_MAX_GPUS];
static gndi_once once;

static void set_up(void) {
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        caches[i].state.limit = DEFAULT_LIMIT;
    }
}

static cache *cache_of(const gndi_device *d) {
    gndi_once_do(&once, set_up);
    return &caches[d->id.kind == GND_CPU ? 0 : 1 + d->id.index];
}

/* Lengths with small factors are split, and need the roots of the parts; others are transformed by a convolution of
   twice the length or more, whose other factor is a table. FFTW 3.3 holds at most 2 bytes an element for the former,
   and 12 to 80 for the latter, between 2^14 and 2^22 elements (measured). */
size_t gndi_fft_table_bytes(int64_t n, bool wide) {
    static const int factors[] = {2, 3, 5, 7, 11, 13};
    enum { MOST_ROOTS = 1 << 16, OF_CONVOLUTION = 4 };
    const size_t root = wide ? 16 : 8;
    int64_t rest = n;
    for (size_t i = 0; i < sizeof factors / sizeof *factors; i++)
        while (rest % factors[i] == 0) rest /= factors[i];
    if (rest == 1) return (size_t)(n < MOST_ROOTS ? n : MOST_ROOTS) * root;
    return (size_t)n * root * OF_CONVOLUTION;
}

/* FNV-1a, over words where keys consist of them. */
static uint64_t hash_of(const void *key, size_t bytes) {
    const unsigned char *p = key;
    uint64_t hash = UINT64_C(0xcbf29ce484222325), word;
    for (; bytes >= sizeof word; p += sizeof word, bytes -= sizeof word) {
        memcpy(&word, p, sizeof word);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
    }
    for (; bytes; bytes--) hash = (hash ^ *p++) * UINT64_C(0x100000001b3);
    return hash;
}

/* ---- the list; all under the cache's lock ----------------------------------------------------- */

static void unlink_entry(cache *c, gndi_fft_entry *e) {
    *(e->newer ? &e->newer->older : &c->newest) = e->older;
    *(e->older ? &e->older->newer : &c->oldest) = e->newer;
}

static void link_newest(cache *c, gndi_fft_entry *e) {
    e->newer = NULL, e->older = c->newest;
    *(c->newest ? &c->newest->newer : &c->oldest) = e;
    c->newest = e;
}

static gndi_fft_entry *find(cache *c, const void *key, size_t key_bytes, uint64_t hash) {
    for (gndi_fft_entry *e = c->newest; e; e = e->older) {
        if (e->hash != hash || e->key_bytes != key_bytes || memcmp(e->key, key, key_bytes)) continue;
        if (e != c->newest) unlink_entry(c, e), link_newest(c, e);
        e->users++;
        return e;
    }
    return NULL;
}

/* Evicts unused entries, the oldest first, until the rest is within the bound; they are chained to `evicted`, to be
   destroyed without the lock. */
static void shrink(cache *c, size_t limit, gndi_fft_entry **evicted) {
    for (gndi_fft_entry *e = c->oldest, *newer; e && c->state.bytes > limit; e = newer) {
        newer = e->newer;
        if (e->users) continue;
        unlink_entry(c, e);
        c->state.bytes -= e->bytes;
        c->state.plans--;
        e->older = *evicted, *evicted = e;
    }
}

static void destroy_all(gndi_fft_entry *evicted) {
    while (evicted) {
        gndi_fft_entry *next = evicted->older;
        evicted->destroy(evicted->plan);
        gndi_lock_end(&evicted->lock);
        gndi_free(evicted);
        evicted = next;
    }
}

/* ---- taking and giving ------------------------------------------------------------------------ */

gndi_fft_entry *gndi_fft_cache_peek(gndi_device *d, const void *key, size_t key_bytes) {
    cache *c = cache_of(d);
    const uint64_t hash = hash_of(key, key_bytes);
    gndi_lock_take(&c->lock);
    gndi_fft_entry *e = find(c, key, key_bytes, hash);
    c->state.hits += e != NULL;
    gndi_lock_give(&c->lock);
    return e;
}

gndi_fft_entry *gndi_fft_cache_take(gndi_device *d, const void *key, size_t key_bytes) {
    gndi_fft_entry *e = gndi_fft_cache_peek(d, key, key_bytes);
    if (e) return e;
    cache *c = cache_of(d);
    gndi_lock_take(&c->lock);
    c->state.misses++;
    gndi_lock_give(&c->lock);
    return NULL;
}

gndi_fft_entry *gndi_fft_cache_add(gndi_device *d, const void *key, size_t key_bytes, gndi_fft_handle plan,
                                   size_t bytes, size_t work, void (*destroy)(gndi_fft_handle plan), const char *fn) {
    cache *c = cache_of(d);
    gndi_fft_entry *e = gndi_calloc(fn, sizeof *e + key_bytes), *evicted = NULL;
    if (!e) {
        destroy(plan);
        return NULL;
    }
    e->plan = plan, e->work = work, e->device = d, e->destroy = destroy;
    e->hash = hash_of(key, key_bytes), e->bytes = bytes + sizeof *e + key_bytes;
    e->key_bytes = key_bytes;
    memcpy(e->key, key, key_bytes);
    gndi_lock_take(&c->lock);
    gndi_fft_entry *other = find(c, key, key_bytes, e->hash);
    if (other) {
        evicted = e, e = other;
    } else {
        e->users = 1;
        c->state.bytes += e->bytes, c->state.plans++;
        link_newest(c, e);
        shrink(c, c->state.limit, &evicted);
    }
    gndi_lock_give(&c->lock);
    destroy_all(evicted);
    return e;
}

void gndi_fft_cache_give(gndi_fft_entry *e) {
    cache *c = cache_of(e->device);
    gndi_fft_entry *evicted = NULL;
    gndi_lock_take(&c->lock);
    e->users--;
    if (gndi_unlikely(c->state.bytes > c->state.limit)) shrink(c, c->state.limit, &evicted);
    gndi_lock_give(&c->lock);
    if (gndi_unlikely(evicted != NULL)) destroy_all(evicted);
}

gnd_status gndi_fft_cache_pin(gndi_fft_pins *pins, gndi_fft_entry *e, const char *fn) {
    gndi_fft_entry **list = gndi_realloc(fn, pins->entry, (size_t)(pins->count + 1) * sizeof *pins->entry);
    if (!list) {
        gndi_fft_cache_give(e);
        return GND_ERROR_MEMORY;
    }
    pins->entry = list;
    pins->entry[pins->count++] = e;
    return GND_OK;
}

/* ---- state and bound --------------------------------------------------------------------------- */

gndi_fft_cache_state gndi_fft_cache_ask(gndi_device *d) {
    cache *c = cache_of(d);
    gndi_lock_take(&c->lock);
    const gndi_fft_cache_state state = c->state;
    gndi_lock_give(&c->lock);
    return state;
}

static void shrink_to(cache *c, size_t limit) {
    gndi_fft_entry *evicted = NULL;
    gndi_lock_take(&c->lock);
    shrink(c, limit, &evicted);
    gndi_lock_give(&c->lock);
    destroy_all(evicted);
}

void gndi_fft_cache_set_limit(gndi_device *d, size_t bytes) {
    cache *c = cache_of(d);
    gndi_lock_take(&c->lock);
    c->state.limit = bytes;
    gndi_lock_give(&c->lock);
    shrink_to(c, bytes);
}

void gndi_fft_cache_clear(gndi_device *d) {
    shrink_to(cache_of(d), 0);
}
