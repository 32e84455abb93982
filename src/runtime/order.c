/*
 * order.c: orders streams that use the same memory, without the user's help.
 *
 * A buffer records the stream that wrote it last, the number of that operation in its stream, and the
 * streams that have read it since. A reader waits for the writer, a writer for the last writer and all
 * readers. Each stream records the last operation of each other stream it has waited for, so a wait is
 * issued once, not for each buffer.
 *
 * Operations are numbered without a lock (runtime.h): a number is taken before submitting and counted
 * after. Two threads that submit to one stream at the same time may take the same number. Other streams
 * may then wrongly record the second operation as waited for; gndi_submitted_late() detects this and
 * clears their records.
 */
#include "runtime/graph.h"
#include "runtime/pending.h"

static uint64_t sequence(gnd_stream *s) {
    return atomic_load_explicit(&s->seq, memory_order_acquire);
}

/* What a stream records has not happened: no other work can come after it. */
static gnd_status check_graph(const gnd_stream *other, const char *fn) {
    return gndi_check_not_recording(other, "an array that was made there holds nothing before the graph is launched",
                                    fn);
}

/* `s` waits for stream `slot` of its device unless it has already waited for operation `number`. */
static gnd_status wait_for(gnd_stream *s, uint32_t slot, uint64_t number, const char *fn) {
    gndi_device *d = s->device;
    gnd_stream *other = atomic_load_explicit(&d->streams[slot], memory_order_acquire);
    if (other == s || !other) return GND_OK;
    if (gndi_unlikely(other->capture != NULL)) return check_graph(other, fn);
    if (atomic_load_explicit(&s->waited[slot], memory_order_acquire) >= number) return GND_OK;
    gndi_lock_take(&d->order_lock);
    uint64_t covered = sequence(other);
    gnd_status status = d->backend->stream_wait_stream(s, other, fn);
    if (!status) atomic_store_explicit(&s->waited[slot], covered, memory_order_release);
    gndi_lock_give(&d->order_lock);
    return status;
}

/* The numbers of readers' operations are not recorded: waits for everything submitted to their streams so far. */
static gnd_status wait_for_readers(gnd_stream *s, uint64_t readers, const char *fn) {
    gnd_status status = GND_OK;
    for (readers &= ~GNDI_PENDING_READER; readers && !status; readers &= readers - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(readers);
        gnd_stream *other = atomic_load_explicit(&s->device->streams[slot], memory_order_acquire);
        if (other && other != s) status = wait_for(s, slot, sequence(other), fn);
    }
    return status;
}

/* Recorded operations that use this memory are submitted first. */
static gnd_status settle_buffer(gndi_buffer *b, bool write, const char *fn) {
    gnd_status status = GND_OK;
    if (atomic_load_explicit(&b->writer, memory_order_acquire) == GNDI_SLOT_PENDING)
        status = gndi_pending->write_out(b, fn);
    if (!status && write && (atomic_load_explicit(&b->readers, memory_order_acquire) & GNDI_PENDING_READER))
        status = gndi_pending->read_out(b, fn);
    if (status || atomic_load_explicit(&b->writer, memory_order_acquire) != GNDI_SLOT_FAILED) return status;
    return gndi_raise(GND_ERROR_MEMORY, fn,
                      "an array's elements were never computed: what a fused block recorded failed");
}

gnd_status gndi_order_slow(gnd_stream *s, gndi_buffer *b, bool write, const char *fn) {
    if (b->device != s->device)
        return gndi_raise(GND_ERROR_DEVICE, fn, "an array is on %s but the stream works on %s",
                          gndi_text_device(b->device->id), gndi_text_device(s->device->id));
    gnd_status pending = settle_buffer(b, write, fn);
    if (pending) return pending;
    const uint32_t writer = atomic_load_explicit(&b->writer, memory_order_acquire);
    if (gndi_unlikely(s->capture != NULL) && writer != s->slot) return gndi_graph_note(s->capture, b, write, fn);
    uint64_t own = UINT64_C(1) << s->slot;
    uint64_t readers = atomic_load_explicit(&b->readers, memory_order_acquire) & ~own;
    if (s->device->backend->synchronous) {
        const gnd_stream *other = writer < GNDI_MAX_STREAMS ? atomic_load(&s->device->streams[writer]) : NULL;
        if (other && other != s && other->capture) return check_graph(other, fn);
    } else {
        gnd_status status = wait_for(s, atomic_load_explicit(&b->writer, memory_order_acquire),
                                     atomic_load_explicit(&b->writer_seq, memory_order_acquire), fn);
        if (!status && write) status = wait_for_readers(s, readers, fn);
        if (status) return status;
    }
    if (write) {
        atomic_store_explicit(&b->writer_seq, gndi_order_next(s), memory_order_relaxed);
        atomic_store_explicit(&b->readers, 0, memory_order_relaxed);
        atomic_store_explicit(&b->writer, s->slot, memory_order_release);
    } else {
        atomic_fetch_or_explicit(&b->readers, own, memory_order_release);
    }
    return GND_OK;
}

/* Numbers from `pending` on of stream `s` were given out before another thread's operation was
   counted: streams that recorded a wait for them may have waited too early. */
void gndi_submitted_late(gnd_stream *s, uint64_t pending) {
    gndi_device *d = s->device;
    if (d->backend->synchronous) return;
    gndi_lock_take(&d->order_lock);
    for (int slot = 0; slot < GNDI_MAX_STREAMS; slot++) {
        gnd_stream *other = atomic_load_explicit(&d->streams[slot], memory_order_acquire);
        if (other && atomic_load_explicit(&other->waited[s->slot], memory_order_relaxed) >= pending)
            atomic_store_explicit(&other->waited[s->slot], pending - 1, memory_order_release);
    }
    gndi_lock_give(&d->order_lock);
}

gnd_status gndi_order_after(gnd_stream *s, gnd_stream *other, const char *fn) {
    if (s == other || s->device->backend->synchronous) return GND_OK;
    if (s->device == other->device) return wait_for(s, other->slot, sequence(other), fn);
    /* Streams of two devices keep no record of each other. */
    gndi_lock_take(&other->device->order_lock);
    gnd_status status = s->device->backend->stream_wait_stream(s, other, fn);
    gndi_lock_give(&other->device->order_lock);
    return status;
}

/*
 * A buffer without references. With at most one reader, that reader (or else the writer) has waited for all
 * earlier users, and nothing needs to be issued: the memory can be reused on that stream. With several
 * readers one of them is made to wait for the others.
 */
gnd_stream *gndi_order_last(gndi_buffer *b) {
    gndi_device *d = b->device;
    uint64_t readers = atomic_load_explicit(&b->readers, memory_order_acquire) & ~GNDI_PENDING_READER;
    uint32_t slot = atomic_load_explicit(&b->writer, memory_order_acquire);
    if (gndi_unlikely(slot >= GNDI_MAX_STREAMS)) slot = b->home; /* it should have been written, but was not */
    if (readers && !(readers >> slot & 1)) slot = (uint32_t)__builtin_ctzll(readers);
    gnd_stream *last = atomic_load_explicit(&d->streams[slot], memory_order_acquire);
    readers &= ~(UINT64_C(1) << slot);
    if (readers && !d->backend->synchronous) {
        wait_for_readers(last, readers, "gnd_release");
        atomic_fetch_add_explicit(&last->seq, 1, memory_order_release); /* the wait is an operation */
    }
    return last;
}
