/*
 * source.c: where arrays' memory comes from (gnd/memory.h): the device's own, its kinds, and allocators of the
 * program's; and the handler that is told of each piece. A buffer remembers its source, which gets it back.
 */
#include "runtime/runtime.h"
#include <stdlib.h>

static const gndi_memory_source kinds[] = {
    [GND_MEMORY_MANAGED] = {.kind = GND_MEMORY_MANAGED},
    [GND_MEMORY_PINNED] = {.kind = GND_MEMORY_PINNED},
    [GND_MEMORY_SHARED] = {.kind = GND_MEMORY_SHARED},
};

const gndi_memory_source *gndi_source_of_kind(gnd_memory_kind kind) {
    return &kinds[kind];
}

void *gndi_source_allocate(const gndi_memory_source *source, gnd_stream *s, size_t bytes) {
    gndi_device *d = s->device;
    if (gndi_likely(!source)) return d->backend->allocate(d, bytes, s);
    if (source->kind) return d->backend->kind_allocate(d, source->kind, bytes);
    return source->allocator.allocate(bytes, s->native, source->allocator.context);
}

void gndi_source_release(const gndi_memory_source *source, gnd_stream *s, void *p, size_t bytes) {
    gndi_device *d = s->device;
    if (gndi_likely(!source))
        d->backend->release(d, p, bytes, s);
    else if (source->kind)
        d->backend->kind_release(d, source->kind, p, bytes, s);
    else
        source->allocator.release(p, bytes, s->native, source->allocator.context);
}

/* ---- the program's choice -------------------------------------------------------------------- */

gnd_memory_kind gnd_memory_use(gnd_memory_kind kind) {
    const gnd_memory_kind before = gndi_tls.memory_kind;
    if ((unsigned)kind >= GND_MEMORY_FOREIGN)
        gndi_raise(GND_ERROR_INVALID, "gnd_memory_use", "%d is no kind of memory that arrays can be made in",
                   (int)kind);
    else
        gndi_tls.memory_kind = kind;
    return before;
}

gnd_memory_kind gnd_memory_kind_of(const gnd_array *a) {
    if (gndi_missing(a)) return gndi_raise_null("gnd_memory_kind_of", "a"), GND_MEMORY_DEVICE;
    gndi_data(a);
    return gndi_buffer_is_foreign(a->buffer) ? GND_MEMORY_FOREIGN
           : a->buffer->source               ? a->buffer->source->kind
                                             : GND_MEMORY_DEVICE;
}

gnd_status gnd_memory_set_allocator(gnd_device device, const gnd_allocator *allocator) {
    static const char fn[] = "gnd_memory_set_allocator";
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return GND_ERROR_DEVICE;
    gndi_memory_source *source = NULL;
    if (allocator) {
        if (!allocator->allocate || !allocator->release)
            return gndi_raise(GND_ERROR_INVALID, fn, "the allocator has no function to %s",
                              allocator->allocate ? "release" : "allocate");
        /* Kept for ever: buffers refer to it. */
        if (!(source = gndi_calloc(fn, sizeof *source))) return GND_ERROR_MEMORY;
        source->allocator = *allocator;
    }
    gndi_pool_set_source(d->pool, source);
    return GND_OK;
}

gnd_status gnd_memory_set_limit_share(gnd_device device, double share) {
    static const char fn[] = "gnd_memory_set_limit_share";
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return GND_ERROR_DEVICE;
    if (!(share >= 0 && share <= 1))
        return gndi_raise(GND_ERROR_VALUE, fn, "share is %g; it must be above 0 and at most 1, or 0 for no limit",
                          share);
    size_t total = 0;
    gnd_status status = d->backend->memory_info(d, NULL, &total, fn);
    if (status) return status;
    const double bytes = share * (double)total;
    gndi_pool_set_limit(d->pool, share == 0 ? 0 : bytes < 1 ? 1 : (size_t)bytes);
    return GND_OK;
}

/* ---- the handler ---------------------------------------------------------------------------- */

typedef struct listener {
    gnd_memory_handler handler;
    void *context;
} listener;

_Atomic(const void *) gndi_memory_listener;

void gnd_on_memory(gnd_memory_handler handler, void *context) {
    listener *l = NULL;
    if (handler) {
        /* Kept for ever: another thread may be calling it. */
        if (!(l = gndi_malloc("gnd_on_memory", sizeof *l))) return;
        *l = (listener){handler, context};
    }
    atomic_store_explicit(&gndi_memory_listener, l, memory_order_release);
}

void gndi_memory_tell(const gndi_buffer *b, bool released, bool reused) {
    const listener *l = atomic_load_explicit(&gndi_memory_listener, memory_order_acquire);
    if (!l) return;
    const gnd_memory_event event = {.device = b->device->id,
                                    .kind = b->source ? b->source->kind : GND_MEMORY_DEVICE,
                                    .released = released,
                                    .reused = reused,
                                    .pointer = b->base,
                                    .bytes = b->bytes};
    l->handler(&event, l->context);
}
