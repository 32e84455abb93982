/*
 * pieces.c: copies arrays to and from files in pieces, through one buffer of host memory. On the CPU, where
 * arrays are host memory, they are copied directly.
 */
#include "io/file.h"

#define PIECE_BYTES ((size_t)32 << 20)

/* ---- out of an array ------------------------------------------------------------------------ */

/* Along which axis a piece is cut, so that what is behind one index of it fits the buffer. */
static void choose_axis(gndi_pieces *p, size_t capacity) {
    const gnd_array *a = p->array;
    size_t inner = (size_t)gndi_itemsize(a);
    for (p->axis = a->ndim ? a->ndim - 1 : 0; p->axis > 0; p->axis--) {
        if (inner * (size_t)a->shape[p->axis] > capacity) break;
        inner *= (size_t)a->shape[p->axis];
    }
    p->rows = (int64_t)(capacity / inner);
}

gnd_status gndi_pieces_begin(gndi_pieces *p, const char *fn, const gnd_array *a) {
    *p = (gndi_pieces){.fn = fn, .array = a};
    size_t bytes = (size_t)(a->size * gndi_itemsize(a));
    if ((p->done = bytes == 0)) return GND_OK;
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    if (!s) return gndi_ew_pending();
    if (s->device->id.kind == GND_CPU && gndi_is_c_contiguous(a)) {
        gnd_status status = gndi_order_read(s, a->buffer, fn);
        return status != GND_OK ? status : gndi_stream_wait(s, fn);
    }
    size_t capacity = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    if (!(p->buffer = gndi_malloc(fn, capacity))) return gndi_ew_pending();
    choose_axis(p, capacity);
    return GND_OK;
}

/* The piece that begins at p->at, as an array. */
static gnd_array *piece_of(gndi_pieces *p) {
    const gnd_array *a = p->array;
    int64_t shape[GND_MAX_DIMS];
    char *data = gndi_data(a);
    int ndim = a->ndim - p->axis;
    for (int k = 0; k <= p->axis && ndim > 0; k++) data += p->at[k] * a->strides[k];
    memcpy(shape, a->shape + p->axis, (size_t)ndim * sizeof *shape);
    if (ndim > 0) {
        shape[0] -= p->at[p->axis];
        if (shape[0] > p->rows) shape[0] = p->rows;
    }
    return gndi_array_view(p->fn, a, ndim, shape, a->strides + p->axis, data, (gnd_dtype)a->dtype);
}

/* Moves on by a piece of `rows` rows. */
static void step(gndi_pieces *p, int64_t rows) {
    const gnd_array *a = p->array;
    if (a->ndim == 0) {
        p->done = true;
        return;
    }
    int k = p->axis;
    p->at[k] += rows;
    while (p->at[k] >= a->shape[k]) {
        p->at[k] = 0;
        if (k == 0) {
            p->done = true;
            return;
        }
        p->at[--k]++;
    }
}

gnd_status gndi_pieces_next(gndi_pieces *p, const char **bytes, size_t *count) {
    *bytes = p->buffer, *count = 0;
    if (p->done) return GND_OK;
    if (!p->buffer) {
        *bytes = gndi_data(p->array);
        *count = (size_t)(p->array->size * gndi_itemsize(p->array));
        p->done = true;
        return GND_OK;
    }
    gnd_array *piece = piece_of(p);
    if (!piece) return gndi_ew_pending();
    size_t size = (size_t)(piece->size * gndi_itemsize(piece));
    gnd_status status = gnd_to_host(piece, p->buffer, size);
    if (status == GND_OK) {
        *count = size;
        step(p, piece->ndim ? piece->shape[0] : 1);
    }
    gnd_release(piece);
    return status;
}

void gndi_pieces_end(gndi_pieces *p) {
    gndi_free(p->buffer);
    p->buffer = NULL;
}

gnd_status gndi_write_array(gndi_output *out, const gnd_array *a) {
    gndi_pieces p;
    const char *bytes;
    size_t count;
    gnd_status status = gndi_pieces_begin(&p, out->fn, a);
    while (status == GND_OK && (status = gndi_pieces_next(&p, &bytes, &count)) == GND_OK && count)
        status = gndi_output_write(out, bytes, count);
    gndi_pieces_end(&p);
    return status;
}

/* ---- into an array -------------------------------------------------------------------------- */

gnd_status gndi_read_array(gndi_source *source, gnd_array *a,
                           void (*tidy)(const void *context, char *data, size_t bytes), const void *context) {
    const char *fn = source->fn;
    size_t bytes = (size_t)(a->size * gndi_itemsize(a)), piece = bytes < PIECE_BYTES ? bytes : PIECE_BYTES;
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    if (!s) return gndi_ew_pending();
    bool direct = s->device->id.kind == GND_CPU;
    char *buffer = direct ? NULL : gndi_malloc(fn, piece ? piece : 1);
    if (!direct && !buffer) return gndi_ew_pending();
    gndi_source_allow(source, bytes);
    gnd_status status = gndi_check_not_recording(s, "a file is read once", fn);
    if (!status) status = gndi_order_write(s, a->buffer, fn);
    for (size_t done = 0; done < bytes && status == GND_OK; done += piece) {
        if (piece > bytes - done) piece = bytes - done;
        char *to = direct ? gndi_data(a) + done : buffer;
        if ((status = gndi_source_read(source, to, piece, "data")) != GND_OK) break;
        if (tidy) tidy(context, to, piece);
        if (!direct) status = s->device->backend->copy_in(s, gndi_data(a) + done, buffer, piece, false, fn);
    }
    gndi_free(buffer);
    gndi_submitted(s);
    return status != GND_OK ? status : gndi_finish(s, fn);
}

gnd_array *gndi_array_of_bytes(const char *fn, const void *data, int ndim, const int64_t *shape, gnd_dtype dtype) {
    gnd_array *a = gndi_array_new(fn, ndim, shape, dtype, GNDI_ORDER_C);
    if (!a || a->size == 0) return a;
    gnd_stream *s = gndi_stream_on(a->buffer->device, fn);
    gnd_status status = s ? gndi_order_write(s, a->buffer, fn) : gndi_ew_pending();
    if (status == GND_OK) {
        status = s->device->backend->copy_in(s, gndi_data(a), data, (size_t)(a->size * gndi_itemsize(a)), false, fn);
        gndi_submitted(s);
    }
    if (status == GND_OK) status = gndi_finish(s, fn);
    if (status == GND_OK) return a;
    gnd_release(a);
    return NULL;
}

/* ---- byte order ----------------------------------------------------------------------------- */

bool gndi_is_big_endian(void) {
    const uint16_t one = 1;
    return *(const uint8_t *)&one == 0;
}

void gndi_swap_bytes(char *data, size_t bytes, size_t word) {
    for (char *end = data + bytes; data < end; data += word)
        for (size_t k = 0; k < word / 2; k++) {
            char kept = data[k];
            data[k] = data[word - 1 - k];
            data[word - 1 - k] = kept;
        }
}
