/*
 * pool.c: buffers, and the pool that keeps freed memory for the next one.
 *
 * Blocks are sorted into size classes: multiples of 512 bytes up to 4 KiB, then eight to a power of
 * two. Each stream has a bin for each class; a freed block goes into the bin of the stream after
 * whose work it is free, and the next buffer of that stream and class takes it at once. A freed
 * gndi_buffer is its own node in the bin, linked through `context`. On a GPU only small blocks are
 * kept here, since the driver's own pool is as fast for large ones; on the CPU (where all streams
 * share one set of bins) large ones too, because new pages cost more than most work on them.
 *
 * A stream that is being captured into a CUDA graph can neither wait for others nor take back memory from before
 * the capture: buffers whose release would need that are held back, and tried again when memory is next
 * requested from the backend. What the driver allocates for it is part of the graph, and is memory only from a launch
 * on: when it is freed it goes back to the driver, since the next array of its size may not be the graph's.
 */
#include "runtime/graph.h"
#include "runtime/pending.h"
#include "runtime/poison.h"
#include <stdio.h>
#include <stdlib.h>

enum { GRANULE_BITS = 9, GRANULE = 1 << GRANULE_BITS, CLASSES = 312 };
#define LARGEST_SIZE (SIZE_MAX >> 16) /* no memory is larger, and sums of a few cannot overflow */
#define CLASS_FOREIGN UINT32_MAX
#define CLASS_EMPTY (UINT32_MAX - 1)
#define CLASS_DIRECT (UINT32_MAX - 2) /* given back to the backend when freed */

typedef struct bin_set {
    gndi_buffer *first[CLASSES];
} bin_set;

struct gndi_pool {
    gndi_device *device;
    gndi_lock lock; /* a spin lock: held for a few dozen instructions */
    bin_set *bins[GNDI_MAX_STREAMS];
    gndi_buffer *held;        /* released, not processed yet; */
    gndi_buffer *held_blocks; /* blocks to be given back to the backend */
    size_t cache_limit;
    const gndi_memory_source *source; /* of new blocks; NULL: the device */
    gnd_memory_stats stats;
};

/* ---- size classes --------------------------------------------------------------------------- */

static inline uint32_t size_class(size_t bytes, size_t *size) {
    size_t last = (bytes - 1) >> GRANULE_BITS; /* granules needed, less one */
    if (last < 8) {
        *size = (last + 1) << GRANULE_BITS;
        return (uint32_t)last;
    }
    int shift = 60 - __builtin_clzll(last); /* log2(last) - 3: keeps four leading bits */
    size_t lead = last >> shift;            /* 8 .. 15 */
    *size = (lead + 1) << (shift + GRANULE_BITS);
    return (uint32_t)(8 * (size_t)(shift + 1) + lead - 8);
}

static inline void lock(gndi_pool *p) {
    gndi_spin_take(&p->lock);
}
static inline void unlock(gndi_pool *p) {
    gndi_spin_give(&p->lock);
}

static inline uint32_t bin_slot(const gndi_pool *p, const gnd_stream *s) {
    return p->device->backend->synchronous ? 0 : s->slot;
}

gndi_pool *gndi_pool_new(gndi_device *d, const char *fn) {
    gndi_pool *p = gndi_calloc(fn, sizeof *p);
    if (!p) return NULL;
    p->device = d;
    p->cache_limit = (size_t)256 << 20;
    /* On the CPU large blocks are kept too: up to a quarter of the memory. */
    if (d->backend->synchronous) {
        size_t total = 0;
        if (d->backend->memory_info(d, NULL, &total, fn)) {
            gndi_free(p);
            return NULL;
        }
        p->cache_limit = total / 4;
    }
    gndi_spin_begin(&p->lock);
    return p;
}

void gndi_pool_destroy(gndi_pool *p) {
    if (p) gndi_lock_end(&p->lock);
    gndi_free(p);
}

/* ---- giving memory back --------------------------------------------------------------------- */

static bool is_captured(const gndi_device *d, uint32_t slot) {
    if (!d->backend->stream_captured) return false;
    gnd_stream *s = atomic_load_explicit(&d->streams[slot], memory_order_acquire);
    return s && d->backend->stream_captured(s);
}

static void hold(gndi_pool *p, gndi_buffer **list, gndi_buffer *b) {
    lock(p);
    b->next = *list;
    *list = b;
    unlock(p);
}

static void release_block(gndi_pool *p, gndi_buffer *b) {
    gndi_device *d = p->device;
    if (gndi_unlikely(!b->in_capture && is_captured(d, b->home))) {
        hold(p, &p->held_blocks, b);
        return;
    }
    gnd_stream *home = atomic_load_explicit(&d->streams[b->home], memory_order_acquire);
    gndi_poison_behind(b, b->bytes);
    gndi_source_release(b->source, home, b->base, b->bytes);
    gndi_free(b);
}

/* Empties the bins; true if there was anything in them. */
static bool release_cached(gndi_pool *p) {
    gndi_buffer *list = NULL;
    lock(p);
    for (int slot = 0; slot < GNDI_MAX_STREAMS; slot++) {
        for (int c = 0; p->bins[slot] && c < CLASSES; c++) {
            gndi_buffer *b;
            while ((b = p->bins[slot]->first[c])) {
                p->bins[slot]->first[c] = b->context;
                b->context = list;
                list = b;
            }
        }
    }
    p->stats.cached = 0;
    unlock(p);
    bool any = list != NULL;
    while (list) {
        gndi_buffer *next = list->context;
        release_block(p, list);
        list = next;
    }
    return any;
}

/* Puts a freed block into its bin; false if it cannot be kept. */
static bool keep_block(gndi_pool *p, gndi_buffer *b, uint32_t slot) {
    if (b->pool_class == CLASS_DIRECT || b->bytes > p->cache_limit || b->source != p->source) return false;
    if (gndi_unlikely(b->in_capture && !b->source)) return false;
    if (gndi_unlikely(p->stats.cached + b->bytes > p->cache_limit)) {
        /* The cached blocks no longer fit the requests: empties the bins. */
        unlock(p);
        release_cached(p);
        lock(p);
    }
    bin_set *bins = p->bins[slot];
    if (gndi_unlikely(!bins)) {
        if (!(bins = calloc(1, sizeof *bins))) return false;
        p->bins[slot] = bins;
    }
    gndi_poison_behind(b, 0);
    b->context = bins->first[b->pool_class];
    bins->first[b->pool_class] = b;
    p->stats.cached += b->bytes;
    return true;
}

static void release_wrapped(gndi_buffer *b) {
    if (b->deleter) {
        if (!b->device->backend->synchronous) gndi_stream_wait(gndi_order_last(b), "gnd_release");
        b->deleter(b->base, b->context);
    }
    gndi_free(b);
}

void gndi_buffer_retain(gndi_buffer *b) {
    atomic_fetch_add_explicit(&b->refs, 1, memory_order_relaxed);
}

void gndi_buffer_finish(gndi_buffer *b) {
    if (gndi_unlikely(b->graph != NULL)) {
        gndi_graph_block_release(b);
        return;
    }
    if (gndi_unlikely(b->pool_class == CLASS_FOREIGN)) {
        release_wrapped(b);
        return;
    }
    if (b->pool_class == CLASS_EMPTY) {
        gndi_free(b);
        return;
    }
    gndi_pool *p = b->device->pool;
    gndi_memory_note(b, true, false);
    gnd_stream *last = gndi_order_last(b);
    b->home = last->slot;
    lock(p);
    p->stats.in_use -= b->bytes;
    p->stats.blocks--;
    bool kept = keep_block(p, b, bin_slot(p, last));
    unlock(p);
    if (!kept) release_block(p, b);
}

/* Whether a stream has to wait for another one, or the host for a stream, that is being captured. */
static bool waits_in_capture(const gndi_buffer *b) {
    const gndi_device *d = b->device;
    uint64_t used = atomic_load_explicit(&b->readers, memory_order_acquire) & ~GNDI_PENDING_READER;
    const bool several = used & (used - 1);
    const bool foreign = b->pool_class == CLASS_FOREIGN && b->deleter;
    if (gndi_likely(!several && !foreign) || !d->backend->stream_captured) return false;
    const uint32_t writer = atomic_load_explicit(&b->writer, memory_order_acquire);
    if (writer < GNDI_MAX_STREAMS) used |= UINT64_C(1) << writer;
    for (; used; used &= used - 1)
        if (is_captured(d, (uint32_t)__builtin_ctzll(used))) return true;
    return false;
}

void gndi_buffer_release(gndi_buffer *b) {
    if (!b || atomic_fetch_sub_explicit(&b->refs, 1, memory_order_acq_rel) != 1) return;
    if (gndi_unlikely(atomic_load_explicit(&b->writer, memory_order_relaxed) == GNDI_SLOT_PENDING))
        gndi_pending->forget(b);
    if (gndi_unlikely(waits_in_capture(b)))
        hold(b->device->pool, &b->device->pool->held, b);
    else
        gndi_buffer_finish(b);
}

/* Releases what was held back, if that is possible now. */
static void release_held(gndi_pool *p) {
    lock(p);
    gndi_buffer *held = p->held, *blocks = p->held_blocks;
    p->held = p->held_blocks = NULL;
    unlock(p);
    while (held) {
        gndi_buffer *next = held->next;
        if (waits_in_capture(held))
            hold(p, &p->held, held);
        else
            gndi_buffer_finish(held);
        held = next;
    }
    while (blocks) {
        gndi_buffer *next = blocks->next;
        release_block(p, blocks);
        blocks = next;
    }
}

/* ---- allocation ------------------------------------------------------------------------------ */

static const char *text_bytes(size_t bytes, char text[32]) {
    static const char *const unit[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    double value = (double)bytes;
    int u = 0;
    for (; value >= 1024 && u < 6; u++) value /= 1024;
    snprintf(text, 32, u ? "%.1f %s" : "%.0f %s", value, unit[u]);
    return text;
}

static void raise_no_memory(gndi_pool *p, const char *fn, size_t bytes, bool limited) {
    gndi_device *d = p->device;
    char asked[32], in_use[32], free_text[32], total_text[32], limit[32];
    lock(p);
    gnd_memory_stats now = p->stats;
    unlock(p);
    text_bytes(bytes, asked);
    text_bytes(now.in_use, in_use);
    if (limited) {
        gndi_raise(GND_ERROR_MEMORY, fn,
                   "no memory for %s on %s: arrays hold %s in %llu blocks, and "
                   "gnd_memory_set_limit allows %s",
                   asked, gndi_text_device(d->id), in_use, (unsigned long long)now.blocks,
                   text_bytes(now.limit, limit));
        return;
    }
    size_t free_bytes = 0, total = 0;
    if (d->backend->memory_info(d, &free_bytes, &total, fn)) return;
    gndi_raise(GND_ERROR_MEMORY, fn, "no memory for %s on %s: arrays hold %s in %llu blocks, and %s of %s are free",
               asked, gndi_text_device(d->id), in_use, (unsigned long long)now.blocks,
               text_bytes(free_bytes, free_text), text_bytes(total, total_text));
}

static bool over_limit(gndi_pool *p, size_t bytes) {
    lock(p);
    bool over = p->stats.limit && p->stats.in_use + p->stats.cached + bytes > p->stats.limit;
    unlock(p);
    return over;
}

/* Memory from the backend; cached blocks are released if necessary. */
static void *allocate_block(gndi_pool *p, gnd_stream *s, const gndi_memory_source *source, size_t bytes,
                            const char *fn) {
    gndi_device *d = p->device;
    release_held(p);
    bool limited = bytes > LARGEST_SIZE ? false : over_limit(p, bytes);
    if (limited) limited = !release_cached(p) || over_limit(p, bytes);
    void *base = NULL;
    if (!limited && bytes <= LARGEST_SIZE) {
        base = gndi_source_allocate(source, s, bytes);
        if (!base) {
            release_cached(p);
            d->backend->trim(d);
            base = gndi_source_allocate(source, s, bytes);
        }
    }
    if (!base) raise_no_memory(p, fn, bytes, limited);
    return base;
}

void gndi_buffer_start(gndi_buffer *b, gndi_device *d, uint32_t slot, uint64_t seq) {
    b->device = d;
    b->home = slot;
    b->deleter = NULL, b->opened = false;
    b->context = NULL;
    atomic_store_explicit(&b->loose, false, memory_order_relaxed);
    atomic_store_explicit(&b->refs, 1, memory_order_relaxed);
    atomic_store_explicit(&b->writer, slot, memory_order_relaxed);
    atomic_store_explicit(&b->writer_seq, seq, memory_order_relaxed);
    atomic_store_explicit(&b->readers, 0, memory_order_relaxed);
}

static void count_block(gndi_pool *p, size_t bytes) {
    p->stats.in_use += bytes;
    if (p->stats.in_use > p->stats.peak) p->stats.peak = p->stats.in_use;
    p->stats.blocks++;
    p->stats.allocations++;
}

/* A buffer over new memory. Other streams must be ordered after the allocation: it counts as an
 * operation. */
gndi_buffer *gndi_buffer_fresh(gnd_stream *s, uint32_t class, size_t size, size_t bytes, const char *fn) {
    gndi_pool *p = s->device->pool;
    gndi_buffer *b = gndi_malloc(fn, sizeof *b);
    if (!b) return NULL;
    b->source = gndi_unlikely(gndi_tls.memory_kind) ? gndi_source_of_kind(gndi_tls.memory_kind) : p->source;
    b->base = allocate_block(p, s, b->source, size, fn);
    if (!b->base) {
        gndi_free(b);
        return NULL;
    }
    b->bytes = size;
    b->used = bytes;
    b->pool_class = class;
    b->in_capture = is_captured(p->device, s->slot);
    b->graph = NULL;
    uint64_t seq = atomic_fetch_add_explicit(&s->seq, 1, memory_order_release) + 1;
    gndi_buffer_start(b, p->device, s->slot, seq);
    lock(p);
    count_block(p, size);
    unlock(p);
    gndi_poison_behind(b, bytes);
    gndi_memory_note(b, false, false);
    return b;
}

static gndi_buffer *empty_buffer(const char *fn, gndi_device *d, uint32_t slot) {
    gndi_buffer *b = gndi_malloc(fn, sizeof *b);
    if (!b) return NULL;
    b->base = NULL;
    b->bytes = b->used = 0;
    b->pool_class = CLASS_EMPTY;
    b->in_capture = false;
    b->graph = NULL, b->source = NULL;
    gndi_buffer_start(b, d, slot, 0);
    return b;
}

gndi_buffer *gndi_buffer_new(const char *fn, gnd_stream *s, size_t bytes) {
    gndi_device *d = s->device;
    gndi_pool *p = d->pool;
    if (gndi_unlikely(bytes == 0)) return empty_buffer(fn, d, s->slot);
    if (gndi_unlikely(gndi_alloc_should_fail())) {
        gndi_raise(GND_ERROR_MEMORY, fn, "no memory for %zu bytes on %s (a failure asked for by the tests)", bytes,
                   gndi_text_device(d->id));
        return NULL;
    }
    size_t size = bytes;
    uint32_t class = CLASS_DIRECT;
    if (bytes <= d->backend->pool_largest && gndi_likely(!gndi_tls.memory_kind))
        class = size_class(bytes, &size);
    else if (bytes <= LARGEST_SIZE)
        size = (bytes + GRANULE - 1) & ~(size_t)(GRANULE - 1);
    if (gndi_unlikely(s->capture != NULL)) return gndi_graph_block(fn, s, class, size, bytes);
    if (class != CLASS_DIRECT) {
        lock(p);
        bin_set *bins = p->bins[bin_slot(p, s)];
        gndi_buffer *b = bins ? bins->first[class] : NULL;
        if (gndi_likely(b != NULL)) {
            bins->first[class] = b->context;
            p->stats.cached -= size;
            p->stats.reused++;
            count_block(p, size);
            unlock(p);
            gndi_buffer_start(b, d, s->slot, atomic_load_explicit(&s->seq, memory_order_acquire));
            b->used = bytes;
            gndi_poison_behind(b, bytes);
            gndi_memory_note(b, false, true);
            return b;
        }
        unlock(p);
    }
    return gndi_buffer_fresh(s, class, size, bytes, fn);
}

const gndi_pending_hooks *gndi_pending;

void gndi_settle(gnd_array *a) {
    gndi_pending->settle(a);
}

gnd_status gndi_settle_address(gndi_buffer *b, const char *fn) {
    gnd_status status = GND_OK;
    if (atomic_load_explicit(&b->writer, memory_order_acquire) == GNDI_SLOT_PENDING)
        status = gndi_pending->write_out(b, fn);
    if (!status && (atomic_load_explicit(&b->readers, memory_order_acquire) & GNDI_PENDING_READER))
        status = gndi_pending->read_out(b, fn);
    return status;
}

gndi_buffer *gndi_buffer_pending(const char *fn, gnd_stream *s) {
    gndi_buffer *b = empty_buffer(fn, s->device, s->slot);
    if (b) atomic_store_explicit(&b->writer, GNDI_SLOT_PENDING, memory_order_relaxed);
    return b;
}

gnd_status gndi_buffer_fill(const char *fn, gndi_buffer *b, gnd_stream *s, size_t bytes) {
    gndi_buffer *memory = gndi_buffer_new(fn, s, bytes);
    if (!memory) return GND_ERROR_MEMORY;
    b->base = memory->base, b->bytes = memory->bytes, b->used = memory->used, b->home = memory->home;
    b->pool_class = memory->pool_class, b->in_capture = memory->in_capture, b->graph = memory->graph;
    b->source = memory->source;
    if (gndi_unlikely(b->graph != NULL)) gndi_graph_block_moved(memory, b);
    atomic_store_explicit(&b->writer_seq, atomic_load_explicit(&memory->writer_seq, memory_order_relaxed),
                          memory_order_relaxed);
    atomic_store_explicit(&b->writer, s->slot, memory_order_release);
    gndi_free(memory);
    return GND_OK;
}

gndi_buffer *gndi_buffer_wrap(const char *fn, gndi_device *d, void *base, size_t bytes, void (*deleter)(void *, void *),
                              void *context) {
    gnd_stream *s = gndi_stream_on(d, fn);
    /* While a graph is recorded, memory of others is from outside. */
    gndi_buffer *b = s ? empty_buffer(fn, d, s->capture ? 0 : s->slot) : NULL;
    if (!b) return NULL;
    b->base = base;
    b->bytes = b->used = bytes;
    b->pool_class = CLASS_FOREIGN;
    b->deleter = deleter;
    b->context = context;
    return b;
}

/* ---- for memory.c --------------------------------------------------------------------------- */

void gndi_pool_stats(gndi_pool *p, gnd_memory_stats *out) {
    lock(p);
    *out = p->stats;
    unlock(p);
}

void gndi_pool_reset_peak(gndi_pool *p) {
    lock(p);
    p->stats.peak = p->stats.in_use;
    unlock(p);
}

void gndi_pool_set_limit(gndi_pool *p, size_t bytes) {
    lock(p);
    p->stats.limit = bytes;
    unlock(p);
}

void gndi_pool_set_source(gndi_pool *p, const gndi_memory_source *source) {
    lock(p);
    p->source = source;
    unlock(p);
    release_cached(p);
}

bool gndi_buffer_is_foreign(const gndi_buffer *b) {
    return b->pool_class == CLASS_FOREIGN;
}

void gndi_pool_trim(gndi_pool *p) {
    release_held(p);
    release_cached(p);
    p->device->backend->trim(p->device);
}
