/*
 * native.c: streams that belong to others (gnd/stream.h). A wrapped one lends its native queue to a slot; the slot's
 * own queue waits for it in the end and takes over again, so that what buffers have recorded of the slot stays true.
 */
#include "runtime/pending.h"

gnd_stream *gnd_stream_wrap(void *native) {
    static const char fn[] = "gnd_stream_wrap";
    gnd_stream *current = gndi_stream_current(fn);
    gnd_stream *s = current ? gndi_stream_new_on(current->device, false, fn) : NULL;
    if (s && s->device->backend->stream_adopt(s, native, fn)) {
        gndi_stream_give_back(s);
        return NULL;
    }
    return gndi_owned("a stream", s, fn);
}

static gnd_stream *stream_for(gnd_stream *stream, const char *fn) {
    gnd_stream *s = stream ? stream : gndi_stream_current(fn);
    if (!s || gndi_check_not_recording(s, "only a launch can be ordered with other streams", fn)) return NULL;
    if (gndi_unlikely(!atomic_load_explicit(&s->in_use, memory_order_relaxed))) {
        gndi_raise(GND_ERROR_INVALID, fn, "the stream was released already");
        return NULL;
    }
    return gndi_pending_flush(fn) ? NULL : s;
}

static gnd_status failed(void) {
    return gnd_error() ? gnd_error()->code : GND_ERROR_INVALID;
}

/* What waits is an operation of the stream: others that come after it must wait for it. */
static gnd_status wait_native(gnd_stream *s, void *native, const char *fn) {
    const gnd_status status = s->device->backend->stream_wait_native(s, native, fn);
    if (!status) gndi_submitted(s);
    return status;
}

gnd_status gnd_stream_wait_native(gnd_stream *stream, void *native) {
    static const char fn[] = "gnd_stream_wait_native";
    gnd_stream *s = stream_for(stream, fn);
    return s ? wait_native(s, native, fn) : failed();
}

gnd_status gnd_native_wait_stream(void *native, gnd_stream *stream) {
    static const char fn[] = "gnd_native_wait_stream";
    gnd_stream *s = stream_for(stream, fn);
    return s ? s->device->backend->native_wait_stream(native, s, fn) : failed();
}

/* ---- arrays --------------------------------------------------------------------------------- */

static gnd_stream *stream_of(const gnd_array *a, bool writes, const char *fn) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    if (writes && a->flags & GNDI_READONLY) {
        gndi_raise(GND_ERROR_INVALID, fn, "the array, %s, is a read-only view", gndi_text_array(a));
        return NULL;
    }
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    if (!s || !(s = stream_for(s, fn))) return NULL;
    gndi_data(a);
    return s;
}

gnd_status gnd_native_begin(void *native, const gnd_array *a, bool writes) {
    static const char fn[] = "gnd_native_begin";
    gnd_stream *s = stream_of(a, writes, fn);
    if (!s) return failed();
    gnd_status status = writes ? gndi_order_write(s, a->buffer, fn) : gndi_order_read(s, a->buffer, fn);
    gndi_submitted(s);
    return status ? status : s->device->backend->native_wait_stream(native, s, fn);
}

gnd_status gnd_native_end(void *native, const gnd_array *a, bool writes) {
    static const char fn[] = "gnd_native_end";
    gnd_stream *s = stream_of(a, writes, fn);
    if (!s) return failed();
    gnd_status status = writes ? gndi_order_write(s, a->buffer, fn) : gndi_order_read(s, a->buffer, fn);
    return status ? status : wait_native(s, native, fn);
}
