/*
 * memory.c: the functions of gnd/memory.h: statistics and limits of the pool, and pinned host memory.
 */
#include "runtime/runtime.h"

gnd_status gnd_memory_info(gnd_device device, size_t *free_bytes, size_t *total_bytes) {
    static const char fn[] = "gnd_memory_info";
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return GND_ERROR_DEVICE;
    size_t free_now = 0, total = 0;
    gnd_status status = d->backend->memory_info(d, &free_now, &total, fn);
    if (status) return status;
    if (free_bytes) *free_bytes = free_now;
    if (total_bytes) *total_bytes = total;
    return GND_OK;
}

gnd_status gnd_memory_stats_of(gnd_device device, gnd_memory_stats *out) {
    static const char fn[] = "gnd_memory_stats_of";
    if (!out) return gndi_raise(GND_ERROR_INVALID, fn, "no place to write the statistics to (out is NULL)");
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return GND_ERROR_DEVICE;
    gndi_pool_stats(d->pool, out);
    return GND_OK;
}

gnd_status gnd_memory_reset_peak(gnd_device device) {
    gndi_device *d = gndi_device_get(device, "gnd_memory_reset_peak");
    if (!d) return GND_ERROR_DEVICE;
    gndi_pool_reset_peak(d->pool);
    return GND_OK;
}

static void (*_Atomic forget_kept)(const gndi_device *d);

void gndi_memory_at_trim(void (*forget)(const gndi_device *d)) {
    forget_kept = forget;
}

gnd_status gnd_memory_trim(gnd_device device) {
    static const char fn[] = "gnd_memory_trim";
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return GND_ERROR_DEVICE;
    void (*const forget)(const gndi_device *) = forget_kept;
    if (forget) forget(d);
    gnd_status status = gndi_device_sync(d, fn);
    gndi_pool_trim(d->pool);
    return status;
}

gnd_status gnd_memory_set_limit(gnd_device device, size_t bytes) {
    gndi_device *d = gndi_device_get(device, "gnd_memory_set_limit");
    if (!d) return GND_ERROR_DEVICE;
    gndi_pool_set_limit(d->pool, bytes);
    return GND_OK;
}

/* ---- pinned host memory --------------------------------------------------------------------- */

/* The blocks of gnd_pinned_alloc, in which gnd_pinned_free looks up the device. Pinned memory is expensive and
   rarely allocated: a list is enough. */
typedef struct pinned {
    struct pinned *next;
    void *base;
    const gndi_backend *backend;
} pinned;

static pinned *pinned_first;
static gndi_lock pinned_lock;

void *gnd_pinned_alloc(size_t bytes) {
    static const char fn[] = "gnd_pinned_alloc";
    gnd_stream *s = gndi_stream_current(fn);
    pinned *p = s ? gndi_malloc(fn, sizeof *p) : NULL;
    if (!p) return NULL;
    p->backend = s->device->backend;
    p->base = gndi_alloc_should_fail() || bytes > SIZE_MAX >> 16
                  ? NULL
                  : p->backend->pinned_allocate(s->device, bytes ? bytes : 1);
    if (!p->base) {
        gndi_free(p);
        gndi_raise(GND_ERROR_MEMORY, fn, "no memory for %zu bytes of pinned host memory", bytes);
        return NULL;
    }
    gndi_lock_take(&pinned_lock);
    p->next = pinned_first;
    pinned_first = p;
    gndi_lock_give(&pinned_lock);
    return gndi_owned("a block of pinned memory", p->base, fn);
}

void gnd_pinned_free(void *pointer) {
    if (!pointer) return;
    gndi_lock_take(&pinned_lock);
    pinned **at = &pinned_first;
    while (*at && (*at)->base != pointer) at = &(*at)->next;
    pinned *p = *at;
    if (p) *at = p->next;
    gndi_lock_give(&pinned_lock);
    if (!p) {
        gndi_raise(GND_ERROR_INVALID, "gnd_pinned_free", "%p is no memory of gnd_pinned_alloc, or was freed already",
                   pointer);
        return;
    }
    gndi_disowned(p->base);
    p->backend->pinned_release(p->base);
    gndi_free(p);
}

bool gndi_is_pinned(gndi_device *d, const void *host, size_t bytes) {
    return bytes == 0 || d->backend->is_pinned(d, host, bytes);
}
