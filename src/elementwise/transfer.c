/*
 * transfer.c: arrays in and out of host memory and from device to device.
 *
 * Backends move dense blocks only. An array with another layout is packed on its own device by the
 * elementwise engine, and only its own elements are moved.
 * On the CPU the host's memory is wrapped as an array instead, and the elements go straight there.
 */
#include "core/loose.h"
#include "elementwise/elementwise.h"

static int64_t bytes_of(const gnd_array *a) {
    return a->size * gndi_itemsize(a);
}

static bool on_cpu(const gndi_device *d) {
    return d->backend->synchronous;
}

/* Whether host memory is used in place, for a copy that may be recorded: that names its addresses like any copy. */
static bool in_place(const char *fn, gndi_device *d) {
    const gnd_stream *s = on_cpu(d) ? gndi_stream_on(d, fn) : NULL;
    return s && !s->capture;
}

static bool aligned(const void *p, gnd_dtype dtype) {
    return (uintptr_t)p % gndi_dtype_sizes[dtype] == 0;
}

/* ---- dense blocks --------------------------------------------------------------------------- */

/* Host memory into a dense array. */
static gnd_status move_in(const char *fn, gnd_array *a, const void *host, bool pinned) {
    if (a->size == 0) return GND_OK;
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_write(s, a->buffer, fn);
    if (!status) status = s->device->backend->copy_in(s, gndi_data(a), host, (size_t)bytes_of(a), pinned, fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

/* A dense array into host memory; waits unless `pinned`. */
static gnd_status move_out(const char *fn, const gnd_array *a, void *host, bool pinned) {
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    if (!s) return gndi_ew_pending();
    if (a->size == 0) return pinned ? GND_OK : gndi_stream_wait(s, fn);
    gnd_status status = gndi_order_read(s, a->buffer, fn);
    if (!status) status = s->device->backend->copy_out(s, host, gndi_data(a), (size_t)bytes_of(a), pinned, fn);
    if (status) return status;
    gndi_submitted(s);
    return pinned ? gndi_finish(s, fn) : gndi_collect_faults(s, fn);
}

/* Between GPUs: each side's stream comes after the other's, so that neither array is touched again
   before the copy is done. */
static gnd_status move_across(const char *fn, gnd_array *to, const gnd_array *from) {
    gnd_stream *source = gndi_stream_on(from->buffer->device, fn);
    gnd_stream *s = source ? gndi_stream_on(to->buffer->device, fn) : NULL;
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_read(source, from->buffer, fn);
    if (!status) status = gndi_order_after(s, source, fn);
    if (!status) status = gndi_order_write(s, to->buffer, fn);
    if (!status)
        status =
            s->device->backend->copy_peer(s, gndi_data(to), gndi_data(from), source->device, (size_t)bytes_of(to), fn);
    if (status) return status;
    gndi_submitted(s);
    status = gndi_order_after(source, s, fn);
    gndi_submitted(source);
    return status ? status : gndi_finish(s, fn);
}

/* A dense array into a dense array of another device with the same shape and dtype. */
static gnd_status move_between(const char *fn, gnd_array *to, const gnd_array *from) {
    if (to->size == 0) return GND_OK;
    gndi_pass_loose(to->buffer, from);
    if (on_cpu(from->buffer->device)) return move_in(fn, to, gndi_data(from), false);
    if (on_cpu(to->buffer->device)) return move_out(fn, from, gndi_data(to), false);
    return move_across(fn, to, from);
}

/* `a` itself, or a dense copy of it in C order that *temporary then holds for release. */
static const gnd_array *packed(const char *fn, const gnd_array *a, gnd_array **temporary) {
    *temporary = NULL;
    if (gndi_is_c_contiguous(a)) return a;
    return *temporary = gndi_copy_as(fn, a, (gnd_dtype)a->dtype, 'C');
}

/* ---- host memory as an array ---------------------------------------------------------------- */

/* A borrowed view of host memory, for use inside a call; NULL strides: dense in C order. */
static gnd_array *host_view(const char *fn, void *host, int ndim, const int64_t *shape, const int64_t *strides,
                            gnd_dtype dtype) {
    gndi_device *cpu = gndi_device_get(gnd_cpu(), fn);
    gndi_buffer *b = cpu ? gndi_buffer_wrap(fn, cpu, host, 0, NULL, NULL) : NULL;
    return b ? gndi_array_over(fn, b, ndim, shape, strides, host, dtype) : NULL;
}

/* Elements of any alignment into a dense block, one by one. */
static char *pack_bytes(char *to, const char *from, int ndim, const int64_t *shape, const int64_t *strides,
                        size_t itemsize) {
    if (ndim == 0) {
        memcpy(to, from, itemsize);
        return to + itemsize;
    }
    for (int64_t i = 0; i < shape[0]; i++)
        to = pack_bytes(to, from + i * strides[0], ndim - 1, shape + 1, strides + 1, itemsize);
    return to;
}

static bool all_aligned(const void *p, int ndim, const int64_t *shape, const int64_t *strides, gnd_dtype dtype) {
    bool good = aligned(p, dtype);
    for (int i = 0; i < ndim; i++) good = good && (shape[i] == 1 || strides[i] % gndi_dtype_sizes[dtype] == 0);
    return good;
}

/* Host memory there must be, unless nothing is to be moved. */
static gnd_status check_host(const char *fn, const void *host, int64_t size, const char *argument) {
    if (host || size == 0) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "%s is NULL but %lld elements are to be moved", argument, (long long)size);
}

static gnd_status check_pinned(const char *fn, const gnd_array *a, const void *host, const char *argument) {
    if (gndi_is_pinned(a->buffer->device, host, (size_t)bytes_of(a))) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn,
                      "%s is not pinned memory; allocate it with gnd_pinned_alloc, or use the function "
                      "without _async",
                      argument);
}

static gnd_status check_bytes(const char *fn, const gnd_array *a, size_t bytes) {
    if (bytes == (size_t)bytes_of(a)) return GND_OK;
    return gndi_raise(GND_ERROR_SHAPE, fn, "the array, %s, takes %lld bytes, not %zu", gndi_text_array(a),
                      (long long)bytes_of(a), bytes);
}

/* ---- into an array -------------------------------------------------------------------------- */

static gnd_array *from_host(const char *fn, const void *data, const gnd_shape *shape, gnd_dtype dtype, bool async) {
    int64_t size = 0;
    if (shape->ndim >= 0 && shape->ndim <= GND_MAX_DIMS && gndi_shape_size(shape->ndim, shape->dim, &size) &&
        check_host(fn, data, size, "data"))
        return NULL;
    gnd_array *a = gndi_array_new(fn, shape->ndim, shape->dim, dtype, GNDI_ORDER_C);
    if (!a) return NULL;
    if ((async && check_pinned(fn, a, data, "data")) || move_in(fn, a, data, async)) {
        gnd_release(a);
        return NULL;
    }
    return a;
}

gnd_array *gnd_from_host(const void *data, gnd_shape shape, gnd_dtype dtype) {
    return from_host("gnd_from_host", data, &shape, dtype, false);
}

gnd_array *gnd_from_host_async(const void *data, gnd_shape shape, gnd_dtype dtype) {
    return from_host("gnd_from_host_async", data, &shape, dtype, true);
}

gnd_array *gnd_from_host_strided(const void *data, gnd_shape shape, const int64_t *strides, gnd_dtype dtype) {
    static const char fn[] = "gnd_from_host_strided";
    if (!strides && shape.ndim > 0)
        return gndi_fail(GND_ERROR_INVALID, fn, "strides is NULL; use gnd_from_host for dense data");
    gnd_stream *s = gndi_stream_current(fn);
    if (!s || gndi_check_not_recording(s, "the host's memory is not pinned", fn)) return NULL;
    gndi_device *cpu = gndi_device_get(gnd_cpu(), fn);
    if (!cpu) return NULL;
    /* The CPU's new array checks shape and dtype; it is the result there, and is what moves on to
       a GPU. */
    gnd_array *dense = gndi_array_new_on(fn, gndi_stream_on(cpu, fn), shape.ndim, shape.dim, dtype, GNDI_ORDER_C);
    if (!dense) return NULL;
    gnd_status status = check_host(fn, data, dense->size, "data");
    if (!status && dense->size > 0 && !gndi_strides_sane(data, shape.ndim, shape.dim, strides))
        status = gndi_raise(GND_ERROR_INVALID, fn, "strides %s reach farther than any memory",
                            gndi_text_shape(shape.ndim, strides));
    if (!status && dense->size > 0) {
        if (all_aligned(data, shape.ndim, shape.dim, strides, dtype)) {
            gnd_array *view = host_view(fn, (void *)(uintptr_t)data, shape.ndim, shape.dim, strides, dtype);
            status = view ? gndi_copy_into(fn, dense, view) : gndi_ew_pending();
            gnd_release(view);
        } else {
            pack_bytes(gndi_data(dense), data, shape.ndim, shape.dim, strides, gndi_dtype_sizes[dtype]);
        }
    }
    gnd_array *result = dense;
    if (!status && s->device != cpu) {
        result = from_host(fn, gndi_data(dense), &shape, dtype, false);
        if (!result) status = gndi_ew_pending();
    }
    if (status || result != dense) gnd_release(dense);
    return status ? NULL : result;
}

static gnd_status copy_from_host(const char *fn, gnd_array *a, const void *source, size_t bytes, bool async) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    gnd_status status = check_bytes(fn, a, bytes);
    if (!status) status = check_host(fn, source, a->size, "source");
    if (!status && a->flags & GNDI_READONLY)
        status = gndi_raise(GND_ERROR_INVALID, fn, "the array, %s, is a read-only view; write into a copy",
                            gndi_text_array(a));
    if (!status && async) status = check_pinned(fn, a, source, "source");
    if (status || a->size == 0) return status;
    if (gndi_is_c_contiguous(a)) return move_in(fn, a, source, async);

    gndi_device *d = a->buffer->device;
    gnd_array *dense;
    if (in_place(fn, d) && aligned(source, (gnd_dtype)a->dtype)) {
        dense = host_view(fn, (void *)(uintptr_t)source, a->ndim, a->shape, NULL, (gnd_dtype)a->dtype);
    } else {
        gnd_stream *s = gndi_stream_on(d, fn);
        dense = s ? gndi_array_new_on(fn, s, a->ndim, a->shape, (gnd_dtype)a->dtype, GNDI_ORDER_C) : NULL;
        if (dense) status = move_in(fn, dense, source, async);
    }
    if (!dense) return gndi_ew_pending();
    if (!status) status = gndi_copy_into(fn, a, dense);
    gnd_release(dense);
    return status;
}

gnd_status gnd_copy_from_host(gnd_array *a, const void *source, size_t bytes) {
    return copy_from_host("gnd_copy_from_host", a, source, bytes, false);
}

gnd_status gnd_copy_from_host_async(gnd_array *a, const void *source, size_t bytes) {
    return copy_from_host("gnd_copy_from_host_async", a, source, bytes, true);
}

/* ---- out of an array ------------------------------------------------------------------------ */

static gnd_status to_host(const char *fn, const gnd_array *a, void *destination, size_t bytes, bool async) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a");
    gnd_status status = check_bytes(fn, a, bytes);
    if (!status) status = check_host(fn, destination, a->size, "destination");
    if (!status && async) status = check_pinned(fn, a, destination, "destination");
    if (status) return status;
    if (!gndi_is_c_contiguous(a) && in_place(fn, a->buffer->device) && aligned(destination, (gnd_dtype)a->dtype)) {
        gnd_array *host = host_view(fn, destination, a->ndim, a->shape, NULL, (gnd_dtype)a->dtype);
        if (!host) return gndi_ew_pending();
        status = gndi_copy_into(fn, host, a);
        gnd_release(host);
        return status ? status : gndi_collect_faults(a->buffer->device->default_stream, fn);
    }
    gnd_array *temporary;
    const gnd_array *dense = packed(fn, a, &temporary);
    if (!dense) return gndi_ew_pending();
    status = move_out(fn, dense, destination, async);
    gnd_release(temporary);
    return status;
}

gnd_status gnd_to_host(const gnd_array *a, void *destination, size_t bytes) {
    return to_host("gnd_to_host", a, destination, bytes, false);
}

gnd_status gnd_to_host_async(const gnd_array *a, void *destination, size_t bytes) {
    return to_host("gnd_to_host_async", a, destination, bytes, true);
}

/* ---- from device to device ------------------------------------------------------------------ */

static gnd_status check_across(const char *fn) {
    const gnd_stream *s = gndi_stream_current(fn);
    return s ? gndi_check_not_recording(s, "arrays of two devices have no common order in there", fn) : GND_OK;
}

gnd_array *gndi_to_device(const char *fn, const gnd_array *a, gnd_device device) {
    if (gndi_missing(a)) return gndi_raise_null(fn, "a"), NULL;
    gndi_device *d = gndi_device_get(device, fn);
    if (!d) return NULL;
    if (d == a->buffer->device) return gndi_array_alias(fn, a);
    if (check_across(fn)) return NULL;
    gnd_stream *s = gndi_stream_on(d, fn);
    gnd_array *temporary = NULL, *result = NULL;
    const gnd_array *dense = s ? packed(fn, a, &temporary) : NULL;
    if (dense) result = gndi_array_new_on(fn, s, a->ndim, a->shape, (gnd_dtype)a->dtype, GNDI_ORDER_C);
    if (result && move_between(fn, result, dense)) {
        gnd_release(result);
        result = NULL;
    }
    gnd_release(temporary);
    return result;
}

gnd_array *gnd_to_device(const gnd_array *a, gnd_device device) {
    return gndi_to_device("gnd_to_device", a, device);
}

static gnd_status check_alike(const char *fn, const gnd_array *to, const gnd_array *from) {
    bool same = to->ndim == from->ndim;
    for (int i = 0; same && i < to->ndim; i++) same = to->shape[i] == from->shape[i];
    if (!same)
        return gndi_raise(GND_ERROR_SHAPE, fn, "destination has shape %s but source has shape %s",
                          gndi_text_shape(to->ndim, to->shape), gndi_text_shape(from->ndim, from->shape));
    if (to->dtype != from->dtype)
        return gndi_raise(GND_ERROR_DTYPE, fn, "destination has dtype %s but source has dtype %s; cast with gnd_astype",
                          gnd_dtype_name((gnd_dtype)to->dtype), gnd_dtype_name((gnd_dtype)from->dtype));
    if (to->flags & GNDI_READONLY)
        return gndi_raise(GND_ERROR_INVALID, fn, "destination, %s, is a read-only view; write into a copy",
                          gndi_text_array(to));
    return GND_OK;
}

gnd_status gnd_transfer(gnd_array *destination, const gnd_array *source) {
    static const char fn[] = "gnd_transfer";
    if (!destination) return gndi_raise_null(fn, "destination");
    if (gndi_missing(source)) return gndi_raise_null(fn, "source");
    gnd_status status = check_alike(fn, destination, source);
    if (status || destination->size == 0) return status;
    if (destination->buffer->device == source->buffer->device) return gndi_copy_into(fn, destination, source);
    if ((status = check_across(fn)) != GND_OK) return status;

    gnd_array *temporary, *landing = destination;
    const gnd_array *dense = packed(fn, source, &temporary);
    if (!dense) return gndi_ew_pending();
    if (!gndi_is_c_contiguous(destination)) {
        gnd_stream *s = gndi_stream_on(destination->buffer->device, fn);
        landing =
            s ? gndi_array_new_on(fn, s, source->ndim, source->shape, (gnd_dtype)source->dtype, GNDI_ORDER_C) : NULL;
    }
    status = landing ? move_between(fn, landing, dense) : gndi_ew_pending();
    if (!status && landing != destination) status = gndi_copy_into(fn, destination, landing);
    if (landing != destination) gnd_release(landing);
    gnd_release(temporary);
    return status;
}
