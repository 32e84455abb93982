/*
 * ipc.c: arrays that processes share (gnd/ipc.h). A handle holds the backend's token for the block of memory, and the
 * array's layout in it.
 */
#include "elementwise/item.h"
#include "io/file.h"
#include "runtime/runtime.h"

/* What is in a handle's words. */
typedef struct contents {
    char magic[8];
    int32_t kind, dtype, ndim, readonly;
    uint64_t bytes, offset; /* of the block; of element (0, ..., 0) in it */
    unsigned char token[GNDI_SHARED_TOKEN];
    int64_t shape[GND_MAX_DIMS];
    int64_t strides[GND_MAX_DIMS];
} contents;
_Static_assert(sizeof(contents) <= sizeof(gnd_ipc_handle), "a handle has room for its contents");

static const char magic[8] = "gnd-ipc";

gnd_status gnd_ipc_export(const gnd_array *a, gnd_ipc_handle *out) {
    static const char fn[] = "gnd_ipc_export";
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    if (!out) return gndi_raise_null(fn, "out");
    const char *data = gndi_data(a);
    gndi_buffer *b = a->buffer;
    if (a->size == 0 || !b->source || b->source->kind != GND_MEMORY_SHARED)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "the array, %s, is not in memory that can be shared; make it after "
                          "gnd_memory_use(GND_MEMORY_SHARED)",
                          gndi_text_array(a));
    contents c = {.kind = (int32_t)b->device->id.kind, .dtype = a->dtype, .ndim = a->ndim};
    memcpy(c.magic, magic, sizeof magic);
    c.readonly = (a->flags & GNDI_READONLY) != 0;
    c.bytes = b->bytes, c.offset = (uint64_t)(data - (const char *)b->base);
    for (int k = 0; k < a->ndim; k++) c.shape[k] = a->shape[k], c.strides[k] = a->strides[k];
    gnd_stream *s = gndi_stream_on(b->device, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_read(s, b, fn);
    if (!status) status = gndi_stream_wait(s, fn);
    if (!status) status = b->device->backend->share(b->device, b->base, c.token, fn);
    if (status) return status;
    memset(out, 0, sizeof *out);
    memcpy(out->words, &c, sizeof c);
    return GND_OK;
}

/* Whether a handle describes an array within its block. */
static bool is_sane(const contents *c) {
    int64_t size, low, high;
    if (memcmp(c->magic, magic, sizeof magic) != 0 || !gndi_dtype_valid(c->dtype)) return false;
    if (c->ndim < 0 || c->ndim > GND_MAX_DIMS || (c->kind != GND_CPU && c->kind != GND_GPU)) return false;
    if (!gndi_shape_size(c->ndim, c->shape, &size) || size == 0) return false;
    if (!gndi_byte_extent(c->ndim, c->shape, c->strides, gndi_dtype_sizes[c->dtype], &low, &high)) return false;
    if (c->bytes > INT64_MAX || c->offset > c->bytes) return false;
    return (int64_t)c->offset + low >= 0 && high <= (int64_t)(c->bytes - c->offset);
}

/* The block of an array that was opened. */
typedef struct opened {
    const gndi_backend *backend;
    void *base;
    size_t bytes;
} opened;

static void close_opened(void *data, void *context) {
    (void)data;
    opened *o = context;
    o->backend->close_shared(o->base, o->bytes);
    gndi_free(o);
}

static gnd_array *open_array(const char *fn, const contents *c, gndi_device *d) {
    opened *o = gndi_malloc(fn, sizeof *o);
    if (!o) return NULL;
    *o = (opened){.backend = d->backend, .bytes = (size_t)c->bytes};
    if (d->backend->open_shared(d, c->token, o->bytes, &o->base, fn)) {
        gndi_free(o);
        return NULL;
    }
    gnd_shape shape = {.ndim = c->ndim};
    memcpy(shape.dim, c->shape, (size_t)c->ndim * sizeof *c->shape);
    gnd_array *a =
        gndi_wrap_reached(fn, (char *)o->base + c->offset, &shape, c->strides, (gnd_dtype)c->dtype, d, close_opened, o);
    if (!a) close_opened(NULL, o);
    if (a && a->buffer) a->buffer->opened = true;
    if (a && c->readonly) a->flags |= GNDI_READONLY;
    return a;
}

/* What a handle says; false, and an error, if it is none. */
static bool read_handle(const char *fn, const gnd_ipc_handle *handle, contents *c) {
    if (!handle) return gndi_raise_null(fn, "handle"), false;
    memcpy(c, handle->words, sizeof *c);
    if (is_sane(c)) return true;
    return gndi_raise(GND_ERROR_INVALID, fn, "the bytes are no handle of gnd_ipc_export"), false;
}

gnd_array *gnd_ipc_open_on(const gnd_ipc_handle *handle, gnd_device device) {
    static const char fn[] = "gnd_ipc_open_on";
    contents c;
    if (!read_handle(fn, handle, &c)) return NULL;
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return NULL;
    if ((int32_t)d->id.kind != c.kind)
        return gndi_fail(GND_ERROR_DEVICE, fn, "the memory is of another kind of device than %s",
                         gndi_text_device(device));
    return open_array(fn, &c, d);
}

gnd_array *gnd_ipc_open(const gnd_ipc_handle *handle) {
    static const char fn[] = "gnd_ipc_open";
    contents c;
    if (!read_handle(fn, handle, &c)) return NULL;
    gnd_device id = {(gnd_device_kind)c.kind, 0};
    /* The device's own number in this process is known once there is one of its kind. */
    gndi_device *d = gndi_device_get(id, fn);
    if (!d || d->backend->shared_device(c.token, &id.index, fn) || !(d = gndi_device_get(id, fn))) return NULL;
    return open_array(fn, &c, d);
}
