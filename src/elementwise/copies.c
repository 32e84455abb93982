/*
 * copies.c: copies of arrays, which are requests of the operator `copy`. Where the bytes lie as the result's do, they
 * are moved as they are.
 */
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "elementwise/record.h"
#include "elementwise/truths.h"

void gndi_copy_request(gndi_ew_request *r, const char *fn, gnd_arg in) {
    memset(r, 0, sizeof *r);
    r->op = GNDI_OP_copy, r->fn = fn, r->args[0] = in;
    r->casting = GND_UNSAFE;
}

/* Whether the bytes of `in`, as they lie, are the bytes of a dense `out`. */
static bool plain_move(const gnd_array *out, const gnd_array *in) {
    if (out->dtype != in->dtype || out->ndim != in->ndim || out->size == 0 || gndi_is_loose(in)) return false;
    bool both_c = gndi_is_c_contiguous(out) && gndi_is_c_contiguous(in);
    bool both_f = gndi_is_f_contiguous(out) && gndi_is_f_contiguous(in);
    if (!both_c && !both_f) return false;
    for (int i = 0; i < out->ndim; i++)
        if (out->shape[i] != in->shape[i]) return false;
    return out->buffer->device == in->buffer->device && !(out->flags & GNDI_READONLY) && !gndi_may_overlap(out, in);
}

/* Assigns an array as `r` says. Leading axes of size 1 that the output does not have fall away, as in
   NumPy's assignment. */
gnd_status gndi_assign_array(gndi_ew_request *r, const gnd_array *in) {
    int extra = in->ndim - r->out[0]->ndim;
    if (extra <= 0) return gndi_elementwise(r, NULL);
    for (int i = 0; i < extra; i++)
        if (in->shape[i] != 1) extra = i;
    gnd_array *trimmed = gndi_array_view(r->fn, in, in->ndim - extra, in->shape + extra, in->strides + extra,
                                         gndi_data(in), (gnd_dtype)in->dtype);
    if (!trimmed) return gndi_ew_pending();
    r->args[0] = gnd_arg_array(trimmed);
    const gnd_status status = gndi_elementwise(r, NULL);
    gnd_release(trimmed);
    return status;
}

static gnd_status move_plainly(const char *fn, gnd_array *out, const gnd_array *in) {
    gnd_stream *s = gndi_ew_stream(out, fn);
    if (!s) return gndi_ew_pending();
    gnd_status status = gndi_order_read(s, in->buffer, fn);
    if (!status) status = gndi_order_write(s, out->buffer, fn);
    if (!status)
        status = s->device->backend->copy_within(s, gndi_data(out), gndi_data(in),
                                                 (size_t)(out->size * gndi_itemsize(out)), fn);
    if (status) return status;
    gndi_submitted(s);
    return gndi_finish(s, fn);
}

gnd_status gndi_copy_into(const char *fn, gnd_array *out, const gnd_array *in) {
    if (gndi_missing(out) || gndi_missing(in)) return gndi_raise_null(fn, gndi_missing(out) ? "out" : "in");
    if (!gndi_tls.recorder && plain_move(out, in)) return move_plainly(fn, out, in);
    gndi_ew_request r;
    gndi_copy_request(&r, fn, gnd_arg_array(in));
    r.dtype = (gnd_dtype)out->dtype;
    r.out[0] = out;
    return gndi_assign_array(&r, in);
}

static bool has_broadcast_axes(const gnd_array *a) {
    for (int i = 0; i < a->ndim; i++)
        if (a->strides[i] == 0 && a->shape[i] > 1) return true;
    return false;
}

gnd_array *gndi_copy_as(const char *fn, const gnd_array *in, gnd_dtype dtype, char order) {
    if (gndi_missing(in)) return gndi_raise_null(fn, "x"), NULL;
    gndi_ew_request r;
    gnd_array *result = NULL;
    gndi_copy_request(&r, fn, gnd_arg_array(in));
    r.dtype = dtype, r.order = order;
    if (order != 'K' || (gndi_tls.recorder && gndi_is_recorded(in->size, 1, &in) && !has_broadcast_axes(in)))
        return gndi_elementwise(&r, &result) ? NULL : result;
    result = gndi_new_like(fn, in, dtype); /* K order with broadcast axes last, as NumPy's copies */
    if (!result) return NULL;
    r.out[0] = result;
    const bool plainly = !gndi_tls.recorder && plain_move(result, in);
    if (!(plainly ? move_plainly(fn, result, in) : gndi_elementwise(&r, NULL))) return result;
    gnd_release(result);
    return NULL;
}

/* Loose bool memory is read as uint8 and cast to bool. */
gnd_array *gndi_truths_of(const char *fn, const gnd_array *a) {
    gnd_array *bytes = gndi_bytes_of(fn, a);
    gnd_array *truths = bytes ? gndi_copy_as(fn, bytes, GND_BOOL, 'K') : NULL;
    gnd_release(bytes);
    return truths;
}
