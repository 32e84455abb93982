/*
 * event.c: events: points in a stream that the host or other streams wait for, and that measure the time
 * between them.
 */
#include "runtime/pending.h"
#include <math.h>

gnd_event *gnd_event_new(bool timing) {
    static const char fn[] = "gnd_event_new";
    gnd_stream *s = gndi_stream_current(fn);
    gnd_event *e = s ? gndi_calloc(fn, sizeof *e) : NULL;
    if (!e) return NULL;
    e->device = s->device;
    e->timing = timing;
    if (e->device->backend->event_open(e, fn)) {
        gndi_free(e);
        return NULL;
    }
    return gndi_owned("an event", e, fn);
}

void gnd_event_release(gnd_event *event) {
    if (!event) return;
    gndi_disowned(event);
    event->device->backend->event_close(event);
    gndi_free(event);
}

static gnd_status no_event(const char *fn) {
    return gndi_raise_null(fn, "event");
}

gnd_status gnd_event_record(gnd_event *event, gnd_stream *stream) {
    static const char fn[] = "gnd_event_record";
    if (!event) return no_event(fn);
    gnd_stream *s = stream ? stream : gndi_stream_current(fn);
    if (!s) return GND_ERROR_DEVICE;
    if (s->device != event->device)
        return gndi_raise(GND_ERROR_DEVICE, fn, "the event was made on %s but the stream is on %s",
                          gndi_text_device(event->device->id), gndi_text_device(s->device->id));
    gnd_status status = gndi_check_not_recording(s, "an event has no time in there", fn);
    if (!status) status = gndi_pending_flush(fn);
    if (!status) status = s->device->backend->event_record(event, s, fn);
    if (!status) atomic_store_explicit(&event->recorded, true, memory_order_release);
    return status;
}

gnd_status gnd_stream_wait_event(gnd_stream *stream, gnd_event *event) {
    static const char fn[] = "gnd_stream_wait_event";
    if (!event) return no_event(fn);
    gnd_stream *s = stream ? stream : gndi_stream_current(fn);
    if (!s) return GND_ERROR_DEVICE;
    if (!atomic_load_explicit(&event->recorded, memory_order_acquire)) return GND_OK;
    gnd_status status = gndi_check_not_recording(s, "only a launch can wait for an event", fn);
    if (!status) status = gndi_pending_flush(fn);
    if (status) return status;
    /* Events of the CPU have always passed; for a stream of the CPU the host waits. */
    if (event->device->backend->synchronous) return GND_OK;
    if (s->device->backend->synchronous) return event->device->backend->event_wait(event, fn);
    return s->device->backend->stream_wait_event(s, event, fn);
}

gnd_status gnd_event_sync(gnd_event *event) {
    static const char fn[] = "gnd_event_sync";
    if (!event) return no_event(fn);
    if (!atomic_load_explicit(&event->recorded, memory_order_acquire)) return GND_OK;
    gnd_status status = event->device->backend->event_wait(event, fn);
    gnd_status fault = gndi_collect_faults(event->device->default_stream, fn);
    return status ? status : fault;
}

bool gnd_event_done(gnd_event *event) {
    if (!event) return no_event("gnd_event_done"), false;
    return !atomic_load_explicit(&event->recorded, memory_order_acquire) || event->device->backend->event_done(event);
}

double gnd_event_elapsed(gnd_event *from, gnd_event *to) {
    static const char fn[] = "gnd_event_elapsed";
    if (!from || !to) return gndi_raise_null(fn, from ? "to" : "from"), NAN;
    double milliseconds = NAN;
    if (from->device != to->device)
        gndi_raise(GND_ERROR_DEVICE, fn, "one event is on %s, the other on %s", gndi_text_device(from->device->id),
                   gndi_text_device(to->device->id));
    else if (!from->timing || !to->timing)
        gndi_raise(GND_ERROR_INVALID, fn, "the %s event was made without timing; use gnd_event_new(true)",
                   from->timing ? "second" : "first");
    else if (!atomic_load(&from->recorded) || !atomic_load(&to->recorded))
        gndi_raise(GND_ERROR_INVALID, fn, "the %s event was never recorded",
                   atomic_load(&from->recorded) ? "second" : "first");
    else if (from->device->backend->event_wait(from, fn) || to->device->backend->event_wait(to, fn) ||
             from->device->backend->event_elapsed(from, to, &milliseconds, fn))
        milliseconds = NAN;
    return milliseconds;
}
