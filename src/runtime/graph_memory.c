/*
 * graph_memory.c: the memory that belongs to a graph: blocks that were requested while it recorded.
 *
 * Blocks come from the device's pool, in the order of its default stream, since a stream that is captured cannot
 * allocate without making the allocation a part of each launch. A block that is released goes back to the graph and
 * serves the next request of its size there. While the graph lives no other array gets it: a launch may
 * write it at any time.
 */
#include "runtime/graph.h"
#include "runtime/poison.h"

gndi_graph_memory *gndi_graph_memory_new(gndi_device *d, const char *fn) {
    gndi_graph_memory *m = gndi_calloc(fn, sizeof *m);
    if (!m) return NULL;
    m->device = d;
    m->holders = 1;
    return m;
}

/* Makes the default stream wait for all that was submitted to use a block, and records that stream alone. */
static void settle(gndi_buffer *b) {
    gnd_stream *base = b->device->default_stream;
    if (gndi_order_write(base, b, "gnd_graph_begin")) return;
    gndi_submitted(base);
}

void gndi_graph_memory_begin(gndi_graph_memory *m) {
    gndi_lock_take(&m->lock);
    for (gndi_buffer *b = m->spare; b; b = b->context) settle(b);
    gndi_lock_give(&m->lock);
}

void gndi_graph_memory_end(gndi_graph_memory *m, const gnd_stream *s) {
    gnd_stream *base = m->device->default_stream;
    gndi_lock_take(&m->lock);
    for (int64_t i = 0; i < m->count; i++) {
        gndi_buffer *b = m->block[i];
        if (atomic_load_explicit(&b->writer, memory_order_acquire) != s->slot) continue;
        atomic_store_explicit(&b->writer_seq, atomic_load_explicit(&base->seq, memory_order_acquire),
                              memory_order_relaxed);
        atomic_store_explicit(&b->readers, 0, memory_order_relaxed);
        atomic_store_explicit(&b->writer, base->slot, memory_order_release);
    }
    gndi_lock_give(&m->lock);
}

gnd_status gndi_graph_memory_order(gndi_graph_memory *m, gnd_stream *s, const char *fn) {
    gnd_status status = GND_OK;
    gndi_lock_take(&m->lock);
    for (int64_t i = 0; i < m->count && !status; i++) status = gndi_order_write(s, m->block[i], fn);
    gndi_lock_give(&m->lock);
    return status;
}

/* ---- blocks --------------------------------------------------------------------------------- */

static gndi_buffer *take_spare(gndi_graph_memory *m, uint32_t class, size_t size) {
    gndi_lock_take(&m->lock);
    void **link = NULL;
    gndi_buffer *b = m->spare, *before = NULL;
    while (b && (b->pool_class != class || b->bytes != size)) before = b, b = b->context;
    if (b) {
        link = before ? &before->context : NULL;
        if (link)
            *link = b->context;
        else
            m->spare = b->context;
        m->holders++;
    }
    gndi_lock_give(&m->lock);
    return b;
}

static gnd_status list_block(gndi_graph_memory *m, gndi_buffer *b, const char *fn) {
    gnd_status status = GND_OK;
    gndi_lock_take(&m->lock);
    if (m->count == m->capacity) {
        const int64_t capacity = m->capacity ? 2 * m->capacity : 16;
        gndi_buffer **block = gndi_realloc(fn, m->block, (size_t)capacity * sizeof *block);
        if (block)
            m->block = block, m->capacity = capacity;
        else
            status = GND_ERROR_MEMORY;
    }
    if (!status) m->block[m->count++] = b, m->holders++, m->bytes += b->bytes;
    gndi_lock_give(&m->lock);
    return status;
}

gndi_buffer *gndi_graph_block(const char *fn, gnd_stream *s, uint32_t class, size_t size, size_t bytes) {
    gndi_graph_memory *m = s->capture->memory;
    gndi_buffer *b = take_spare(m, class, size);
    if (!b) {
        /* A graph's blocks serve one another, so they are of one kind. */
        const gnd_memory_kind kind = gndi_tls.memory_kind;
        gndi_tls.memory_kind = GND_MEMORY_DEVICE;
        b = gndi_buffer_fresh(s->device->default_stream, class, size, bytes, fn);
        gndi_tls.memory_kind = kind;
        if (!b) return NULL;
        if (list_block(m, b, fn)) {
            gndi_buffer_release(b);
            return NULL;
        }
        b->graph = m;
    }
    gndi_buffer_start(b, s->device, s->slot, atomic_load_explicit(&s->seq, memory_order_acquire));
    b->in_capture = true;
    b->used = bytes;
    gndi_poison_behind(b, b->bytes); /* a launch uses it for arrays of several sizes */
    return b;
}

void gndi_graph_block_moved(const gndi_buffer *from, gndi_buffer *to) {
    gndi_graph_memory *m = to->graph;
    gndi_lock_take(&m->lock);
    for (int64_t i = 0; i < m->count; i++)
        if (m->block[i] == from) m->block[i] = to;
    gndi_lock_give(&m->lock);
}

/* ---- the end -------------------------------------------------------------------------------- */

/* To the pool, in the order of what used it last. */
static void give_to_pool(gndi_buffer *b) {
    b->graph = NULL;
    b->in_capture = false;
    gndi_buffer_finish(b);
}

static void drop_holder(gndi_graph_memory *m) {
    gndi_lock_take(&m->lock);
    const bool last = --m->holders == 0;
    gndi_lock_give(&m->lock);
    if (!last) return;
    gndi_lock_end(&m->lock);
    gndi_free(m->block);
    gndi_free(m);
}

void gndi_graph_block_release(gndi_buffer *b) {
    gndi_graph_memory *m = b->graph;
    const uint32_t slot = atomic_load_explicit(&b->writer, memory_order_acquire);
    const gnd_stream *writer =
        slot < GNDI_MAX_STREAMS ? atomic_load_explicit(&b->device->streams[slot], memory_order_acquire) : NULL;
    if (!writer || !writer->capture) settle(b); /* a recording begins a block's use anew */
    gndi_lock_take(&m->lock);
    const bool closed = m->closed;
    if (!closed) b->context = m->spare, m->spare = b;
    gndi_lock_give(&m->lock);
    if (closed) give_to_pool(b);
    drop_holder(m);
}

void gndi_graph_memory_close(gndi_graph_memory *m) {
    gndi_lock_take(&m->lock);
    gndi_buffer *spare = m->spare;
    m->spare = NULL, m->closed = true, m->count = 0;
    gndi_lock_give(&m->lock);
    while (spare) {
        gndi_buffer *next = spare->context;
        give_to_pool(spare);
        spare = next;
    }
    drop_holder(m);
}
