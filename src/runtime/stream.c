/*
 * stream.c: streams, and the current stream of each thread.
 *
 * A device has GNDI_MAX_STREAMS slots, and a stream keeps its slot for ever. gnd_stream_new reuses released
 * streams with their native queue and operation count, so a slot recorded by a buffer or another stream
 * always refers to a live stream.
 */
#include "runtime/pending.h"
#include <gnd/fuse.h>

_Thread_local _Alignas(64) gndi_thread gndi_tls = {.most = UINT64_MAX, .most_in_block = UINT64_MAX};

/* Its first members, for blocks in the user's code. */
extern __thread gnd_fuse_thread gnd_fuse_thread_ __attribute__((alias("gndi_tls")));
#define SAME_OFFSET(member)                                                                                            \
    _Static_assert(offsetof(gnd_fuse_thread, member) == offsetof(gndi_thread, member), "gnd_fuse_thread")
SAME_OFFSET(scope);
SAME_OFFSET(most);
SAME_OFFSET(most_in_block);

static gndi_lock slots_lock;

/* A released stream, of this kind or of any; idle if possible, since new work should not queue behind old work. */
static gnd_stream *reuse_stream(gndi_device *d, bool urgent, bool any) {
    gnd_stream *busy = NULL;
    for (int slot = 1; slot < GNDI_MAX_STREAMS; slot++) {
        gnd_stream *s = atomic_load_explicit(&d->streams[slot], memory_order_relaxed);
        if (!s) break;
        if (atomic_load_explicit(&s->in_use, memory_order_relaxed) || s->records) continue;
        if (!any && s->urgent != urgent) continue;
        if (d->backend->stream_idle(s)) return s;
        busy = s;
    }
    return busy;
}

static gnd_stream *open_stream(gndi_device *d, int slot, bool urgent, const char *fn) {
    gnd_stream *s = gndi_calloc(fn, sizeof *s);
    if (!s) return NULL;
    s->device = d;
    s->slot = (uint32_t)slot;
    s->urgent = urgent;
    if (d->backend->stream_open(s, fn)) {
        gndi_free(s);
        return NULL;
    }
    atomic_store_explicit(&d->streams[slot], s, memory_order_release);
    return s;
}

gnd_stream *gndi_stream_new_on(gndi_device *d, bool urgent, const char *fn) {
    gndi_lock_take(&slots_lock);
    int slot = 0;
    while (slot < GNDI_MAX_STREAMS && atomic_load_explicit(&d->streams[slot], memory_order_relaxed)) slot++;
    gnd_stream *s = reuse_stream(d, urgent, false);
    /* While there are free slots, a new stream is preferred to a busy released one. */
    if (slot < GNDI_MAX_STREAMS && (!s || !d->backend->stream_idle(s)))
        s = open_stream(d, slot, urgent, fn);
    else if (!s && !(s = reuse_stream(d, urgent, true)))
        gndi_raise(GND_ERROR_UNAVAILABLE, fn, "%d streams are alive on %s already, the most there can be; release some",
                   GNDI_MAX_STREAMS, gndi_text_device(d->id));
    if (s) atomic_store_explicit(&s->in_use, true, memory_order_relaxed);
    gndi_lock_give(&slots_lock);
    return s;
}

/* A free one that is used for nothing else, or a new one. */
static gnd_stream *find_to_record(gndi_device *d, const char *fn) {
    for (int slot = 1; slot < GNDI_MAX_STREAMS; slot++) {
        gnd_stream *s = atomic_load_explicit(&d->streams[slot], memory_order_relaxed);
        if (!s) {
            s = open_stream(d, slot, false, fn);
            if (s) s->records = true;
            return s;
        }
        if (s->records && !atomic_load_explicit(&s->in_use, memory_order_relaxed)) return s;
    }
    gndi_raise(GND_ERROR_UNAVAILABLE, fn, "%d streams were made on %s, the most there can be, and a graph needs one",
               GNDI_MAX_STREAMS, gndi_text_device(d->id));
    return NULL;
}

gnd_stream *gndi_stream_to_record(gndi_device *d, const char *fn) {
    gndi_lock_take(&slots_lock);
    gnd_stream *s = find_to_record(d, fn);
    if (s) atomic_store_explicit(&s->in_use, true, memory_order_relaxed);
    gndi_lock_give(&slots_lock);
    return s;
}

void gndi_stream_give_back(gnd_stream *s) {
    gndi_lock_take(&slots_lock);
    atomic_store_explicit(&s->in_use, false, memory_order_relaxed);
    gndi_lock_give(&slots_lock);
}

static gnd_stream *stream_new(const char *fn, bool urgent) {
    gnd_stream *current = gndi_stream_current(fn);
    gnd_stream *s = current ? gndi_stream_new_on(current->device, urgent, fn) : NULL;
    return gndi_owned("a stream", s, fn);
}

gnd_stream *gnd_stream_new(void) {
    return stream_new("gnd_stream_new", false);
}

gnd_stream *gnd_stream_new_high_priority(void) {
    return stream_new("gnd_stream_new_high_priority", true);
}

void gnd_stream_release(gnd_stream *stream) {
    if (!stream || stream->slot == 0 || stream->records) return;
    gndi_disowned(stream);
    if (gndi_tls.stream == stream) gndi_stream_make_current(stream->device->default_stream);
    if (stream->wrapped) stream->device->backend->stream_return(stream);
    gndi_stream_give_back(stream);
}

/* ---- the current stream --------------------------------------------------------------------- */

gnd_stream *gndi_stream_slow(const char *fn) {
    if (gndi_tls.stream) return gndi_tls.stream;
    gndi_device *d = gndi_device_default(fn);
    if (!d) return NULL;
    return gndi_stream_make_current(d->default_stream);
}

gnd_stream *gndi_stream_on(gndi_device *d, const char *fn) {
    gnd_stream *s = gndi_tls.stream;
    if (gndi_likely(s && s->device == d)) return s;
    d = gndi_device_get(d->id, fn);
    return d ? d->default_stream : NULL;
}

/* Resolves the argument of a public function that takes a stream or NULL; NULL and an error if it is not a
   stream. */
static gnd_stream *resolve(gnd_stream *stream, const char *fn) {
    if (!stream) return gndi_stream_current(fn);
    if (gndi_likely(atomic_load_explicit(&stream->in_use, memory_order_relaxed))) return stream;
    gndi_raise(GND_ERROR_INVALID, fn, "the stream was released already");
    return NULL;
}

gnd_status gnd_use_stream(gnd_stream *stream) {
    gnd_stream *s = resolve(stream, "gnd_use_stream");
    if (!s) return GND_ERROR_INVALID;
    gndi_stream_make_current(stream ? s : s->device->default_stream);
    return GND_OK;
}

gnd_stream *gnd_current_stream(void) {
    return gndi_stream_current("gnd_current_stream");
}

gnd_device gnd_stream_device(const gnd_stream *stream) {
    return stream ? stream->device->id : gnd_current_device();
}

gnd_stream_guard gnd_stream_guard_begin_(gnd_stream *stream) {
    gnd_stream_guard guard = {gndi_tls.stream, 1};
    if (stream) gnd_use_stream(stream);
    return guard;
}

gnd_stream_guard gnd_device_guard_begin_(gnd_device device) {
    gnd_stream_guard guard = {gndi_tls.stream, 1};
    gnd_use(device);
    return guard;
}

void gnd_stream_guard_end_(gnd_stream_guard *guard) {
    /* The previous stream may have been released inside the block. */
    gnd_stream *s = guard->previous;
    if (s && !atomic_load_explicit(&s->in_use, memory_order_relaxed)) s = s->device->default_stream;
    gndi_stream_make_current(s);
}

/* ---- waiting and asking --------------------------------------------------------------------- */

gnd_status gnd_stream_sync(gnd_stream *stream) {
    gnd_stream *s = resolve(stream, "gnd_stream_sync");
    if (!s) return GND_ERROR_INVALID;
    gnd_status status = gndi_pending_flush("gnd_stream_sync");
    gnd_status waited = gndi_stream_wait(s, "gnd_stream_sync");
    return status ? status : waited;
}

bool gnd_stream_done(gnd_stream *stream) {
    gnd_stream *s = resolve(stream, "gnd_stream_done");
    if (!s || gndi_check_not_recording(s, "nothing of it runs yet", "gnd_stream_done")) return false;
    return !gndi_pending_flush("gnd_stream_done") && s->device->backend->stream_idle(s);
}

void *gnd_stream_native(gnd_stream *stream) {
    gnd_stream *s = resolve(stream, "gnd_stream_native");
    return s && !gndi_pending_flush("gnd_stream_native") ? s->native : NULL;
}
