/*
 * chunk.c: what streams keep of a signal between its chunks, and a chunk joined to it (chunk_plan.h).
 */
#include "resample/chunk.h"
#include "resample/resample.h"
#include "array/view.h"
#include "elementwise/create.h"

/* ---- arrays ----------------------------------------------------------------------------------- */

gnd_array *gndi_array_over_buffer(gndi_temporaries *s, gndi_buffer *b, int ndim, const int64_t *shape,
                                  gnd_dtype dtype) {
    int64_t strides[GND_MAX_DIMS];
    if (s->failed) return NULL;
    gndi_c_strides(ndim, shape, gndi_dtype_sizes[dtype], strides);
    gndi_buffer_retain(b);
    return gndi_temporaries_keep(s, gndi_array_over(s->fn, b, ndim, shape, strides, b->base, dtype));
}

/* The shape of n elements of each channel. */
static int shape_of(const gndi_kept *k, int64_t n, int64_t *shape) {
    int ndim = k->channels.ndim;
    memcpy(shape, k->channels.dim, (size_t)ndim * sizeof *shape);
    shape[ndim++] = n;
    if (k->framed) shape[ndim++] = k->width;
    return ndim;
}

gnd_array *gndi_kept_lines(gndi_temporaries *s, const gndi_kept *k, int more, const int64_t *shape, gnd_dtype dtype) {
    int64_t all[GND_MAX_DIMS];
    const int ndim = k->channels.ndim;
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(k->device, s->fn);
    if (!stream) return gndi_temporaries_keep(s, NULL);
    memcpy(all, k->channels.dim, (size_t)ndim * sizeof *all);
    memcpy(all + ndim, shape, (size_t)more * sizeof *all);
    return gndi_temporaries_keep(s, gndi_array_new_on(s->fn, stream, ndim + more, all, dtype, GNDI_ORDER_C));
}

gnd_array *gndi_kept_array(gndi_temporaries *s, const gndi_kept *k) {
    int64_t shape[GND_MAX_DIMS];
    const int ndim = shape_of(k, k->keeps, shape);
    return gndi_array_over_buffer(s, k->memory, ndim, shape, k->dtype);
}

/* ---- memory ----------------------------------------------------------------------------------- */

gnd_status gndi_kept_clear(const char *fn, const gndi_kept *k) {
    gnd_stream *s = gndi_stream_on(k->device, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_write(s, k->memory, fn);
    if (!status && k->memory->bytes) status = s->device->backend->set_zero(s, k->memory->base, k->memory->bytes, fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

bool gndi_kept_new(gndi_temporaries *s, gndi_kept *k) {
    int64_t shape[GND_MAX_DIMS], size;
    const int ndim = shape_of(k, k->keeps, shape);
    gnd_stream *stream = s->failed ? NULL : gndi_stream_on(k->device, s->fn);
    if (!stream) return false;
    if (!gndi_shape_size(ndim, shape, &size) || size > INT64_MAX / 16) {
        gndi_raise(GND_ERROR_MEMORY, s->fn, "%s elements are too many to keep", gndi_text_shape(ndim, shape));
        return false;
    }
    k->memory = gndi_buffer_new(s->fn, stream, (size_t)(size * gndi_dtype_sizes[k->dtype]));
    return k->memory && gndi_kept_clear(s->fn, k) == GND_OK;
}

void gndi_kept_release(gndi_kept *k) {
    if (k->memory) gndi_buffer_release(k->memory);
    k->memory = NULL;
}

/* ---- chunks ----------------------------------------------------------------------------------- */

bool gndi_check_chunk(const char *fn, const void *stream, const gndi_kept *k, const gnd_array *x) {
    if (!stream) return gndi_raise_null(fn, "stream"), false;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), false;
    const int channels = k->channels.ndim;
    bool fits = x->ndim == channels + (k->framed ? 2 : 1);
    for (int d = 0; fits && d < channels; d++) fits = x->shape[d] == k->channels.dim[d];
    if (fits && k->framed) fits = x->shape[channels] == k->width;
    if (!fits && k->framed)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s; it must be that of the channels, %s, %lld bins and frames",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(channels, k->channels.dim), (long long)k->width);
    else if (!fits)
        gndi_raise(GND_ERROR_SHAPE, fn, "x has shape %s; it must be that of the channels, %s, and elements",
                   gndi_text_shape(x->ndim, x->shape), gndi_text_shape(channels, k->channels.dim));
    else if (x->buffer->device != k->device)
        gndi_raise(GND_ERROR_DEVICE, fn, "x is on %s, and the stream on %s", gndi_text_device(x->buffer->device->id),
                   gndi_text_device(k->device->id));
    else if ((gnd_dtype)x->dtype != k->dtype && !gndi_dtype_is_int(x->dtype) &&
             gnd_promote_types((gnd_dtype)x->dtype, k->dtype) != k->dtype)
        gndi_raise(GND_ERROR_DTYPE, fn, "x has dtype %s, which the stream's, %s, does not hold",
                   gnd_dtype_name((gnd_dtype)x->dtype), gnd_dtype_name(k->dtype));
    else
        return true;
    return false;
}

/* x in a plan; false if its channels lie in too many axes. */
static bool describe(gndi_chunk_plan *p, const gnd_array *x, int channels) {
    p->n = x->shape[x->ndim - 1], p->x_step = x->strides[x->ndim - 1];
    p->x_item = x->ndim == channels + 2 ? x->strides[channels] : 0;
    p->x = gndi_data(x);
    return gndi_grid_of(x, channels, &p->grid);
}

static bool submit(const char *fn, const gndi_kept *k, gndi_chunk_plan *p, const gnd_array *x,
                   const gnd_array *joined) {
    gnd_stream *s = gndi_stream_on(k->device, fn);
    p->item = (int)gndi_dtype_sizes[k->dtype], p->width = k->width, p->keeps = k->keeps;
    p->kept = k->memory->base, p->joined = joined ? gndi_data(joined) : NULL;
    if (!s || gndi_order_read(s, x->buffer, fn) || gndi_order_write(s, k->memory, fn)) return false;
    if (joined && gndi_order_write(s, joined->buffer, fn)) return false;
    if (s->device->backend->chunk(s, p, fn)) return false;
    gndi_submitted(s);
    return gndi_finish(s, fn) == GND_OK;
}

const gnd_array *gndi_chunk_of(gndi_temporaries *s, const gndi_kept *k, const gnd_array *x) {
    gndi_chunk_plan p;
    if (s->failed) return NULL;
    if ((gnd_dtype)x->dtype == k->dtype && describe(&p, x, k->channels.ndim)) return x;
    return gndi_temporaries_keep(s, gndi_copy_as(s->fn, x, k->dtype, 'C'));
}

bool gndi_join_chunk(gndi_temporaries *s, const gndi_kept *k, const gnd_array *x, const gnd_array *joined) {
    gndi_chunk_plan p;
    if (s->failed || (joined ? joined->size : k->keeps * x->size) == 0) return !s->failed;
    describe(&p, x, k->channels.ndim);
    s->failed = !submit(s->fn, k, &p, x, joined);
    return !s->failed;
}

void gndi_unjoin_chunk(const char *fn, const gndi_kept *k, const gnd_array *joined) {
    const int64_t item = gndi_dtype_sizes[k->dtype], element = k->width * item;
    const int axis = k->channels.ndim;
    if (joined->size == 0 || k->keeps == 0) return;
    gndi_chunk_plan p = {.n = k->keeps, .x = gndi_data(joined), .x_step = element, .x_item = item};
    p.grid = (gndi_line_grid){.ndim = 1, .lines = 1, .x_stride = {joined->shape[axis] * element}};
    for (int d = 0; d < axis; d++) p.grid.lines *= k->channels.dim[d];
    p.grid.shape[0] = p.grid.lines;
    submit(fn, k, &p, joined, NULL);
}
