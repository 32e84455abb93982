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
    return gndi_clear_memory(fn, k->device, k->memory, k->memory->used);
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
    if (!gndi_check_chunk_shape(fn, stream, k ? k->device : NULL, k ? &k->channels : NULL,
                                k && k->framed ? k->width : 0, x))
        return false;
    if ((gnd_dtype)x->dtype == k->dtype || gndi_dtype_is_int(x->dtype) ||
        gnd_promote_types((gnd_dtype)x->dtype, k->dtype) == k->dtype)
        return true;
    gndi_raise(GND_ERROR_DTYPE, fn, "x has dtype %s, which the stream's, %s, does not hold",
               gnd_dtype_name((gnd_dtype)x->dtype), gnd_dtype_name(k->dtype));
    return false;
}

/* x in a plan; false if its channels lie in too many axes. */
static bool describe(gndi_chunk_plan *p, const gnd_array *x, int channels) {
    p->n = x->shape[x->ndim - 1], p->x_step = x->strides[x->ndim - 1];
    p->x_item = x->ndim == channels + 2 ? x->strides[channels] : 0;
    p->x = gndi_data(x);
    return gndi_grid_of(x, channels, &p->grid);
}

static void describe_kept(gndi_chunk_plan *p, const gndi_kept *k, const gnd_array *joined) {
    p->item = (int)gndi_dtype_sizes[k->dtype], p->width = k->width, p->keeps = k->keeps;
    p->kept = k->memory->base, p->joined = joined ? gndi_data(joined) : NULL;
}

static bool submit(const char *fn, const gndi_kept *k, gndi_chunk_plan *p, const gnd_array *x,
                   const gnd_array *joined) {
    gndi_buffer *const writes[] = {k->memory, joined ? joined->buffer : NULL};
    gnd_stream *s = gndi_work_begin_buffers(fn, 1, &x->buffer, 2, writes);
    describe_kept(p, k, joined);
    return s && gndi_work_end(s, s->device->backend->chunk(s, p, fn), fn) == GND_OK;
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

gnd_stream *gndi_work_begin_joined(const char *fn, const gndi_kept *k, const gnd_array *chunk, const gnd_array *x,
                                   const gnd_array *h, const gnd_array *out, gndi_chunk_plan *p) {
    if (!k) return gndi_work_begin(fn, 2, (const gnd_array *[]){x, h}, 1, (const gnd_array *[]){out});
    gndi_buffer *const reads[] = {chunk->buffer, h->buffer};
    gndi_buffer *const writes[] = {k->memory, x->buffer, out->buffer};
    describe_kept(p, k, x);
    describe(p, chunk, k->channels.ndim);
    return gndi_work_begin_buffers(fn, 2, reads, 3, writes);
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

/* ---- states ----------------------------------------------------------------------------------- */

gnd_array *gndi_kept_save(gndi_temporaries *s, const gndi_kept *k) {
    gnd_array *kept = gndi_kept_array(s, k);
    return s->failed ? NULL : gndi_temporaries_keep(s, gndi_copy_as(s->fn, kept, k->dtype, 'C'));
}

bool gndi_kept_restore(gndi_temporaries *s, const void *stream, const gndi_kept *k, const gnd_array *state,
                       int64_t fed) {
    if (!stream || gndi_missing(state)) return gndi_raise_null(s->fn, stream ? "state" : "stream"), false;
    if (fed < 0) return gndi_raise(GND_ERROR_VALUE, s->fn, "%lld elements were fed", (long long)fed), false;
    const gnd_array *kept = gndi_kept_array(s, k);
    if (!kept) return false;
    if (!gndi_same_shape(state, kept)) {
        gndi_raise(GND_ERROR_SHAPE, s->fn, "the state has shape %s; it must be %s",
                   gndi_text_shape(state->ndim, state->shape), gndi_text_shape(kept->ndim, kept->shape));
        return false;
    }
    if (k->framed) state = gndi_temporaries_keep(s, gndi_swapped(s->fn, state, k->channels.ndim, k->channels.ndim + 1));
    return state && gndi_check_chunk(s->fn, stream, k, state) &&
           gndi_join_chunk(s, k, gndi_chunk_of(s, k, state), NULL);
}
