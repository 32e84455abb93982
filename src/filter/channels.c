/*
 * channels.c: the channels and the memory of streams that take a signal in chunks (channels.h).
 */
#include "filter/channels.h"
#include "elementwise/elementwise.h"

bool gndi_check_channels_shape(const char *fn, const gnd_shape *channels, int64_t *lines) {
    if (channels->ndim < 0 || channels->ndim > GND_MAX_DIMS - 2)
        gndi_raise(GND_ERROR_SHAPE, fn, "channels have %d dimensions; at most %d fit", channels->ndim,
                   GND_MAX_DIMS - 2);
    else if (!gndi_shape_size(channels->ndim, channels->dim, lines))
        gndi_raise(GND_ERROR_SHAPE, fn, "the channels' shape is %s", gndi_text_shape(channels->ndim, channels->dim));
    else
        return true;
    return false;
}

bool gndi_check_chunk_shape(const char *fn, const void *stream, const gndi_device *device, const gnd_shape *channels,
                            int64_t bins, const gnd_array *x) {
    if (!stream) return gndi_raise_null(fn, "stream"), false;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    const int axes = channels->ndim;
    bool fits = x->ndim == axes + (bins ? 2 : 1);
    for (int d = 0; fits && d < axes; d++) fits = x->shape[d] == channels->dim[d];
    if (fits && bins) fits = x->shape[axes] == bins;
    if (!fits && bins)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s; it must be that of the channels, %s, %lld bins and frames",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(axes, channels->dim), (long long)bins);
    else if (!fits)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s; it must be that of the channels, %s, and elements",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(axes, channels->dim));
    else if (x->buffer->device != device)
        gndi_raise(GND_ERROR_DEVICE, fn, "x is on %s, and the stream on %s", gndi_text_device(x->buffer->device->id),
                   gndi_text_device(device->id));
    else
        return true;
    return false;
}

gnd_status gndi_clear_memory(const char *fn, gndi_device *device, gndi_buffer *memory, size_t bytes) {
    gnd_stream *s = gndi_stream_on(device, fn);
    gnd_status status = s ? gndi_order_write(s, memory, fn) : gndi_ew_pending();
    if (!status && bytes) status = s->device->backend->set_zero(s, memory->base, bytes, fn);
    return gndi_work_end(s, status, fn);
}
