/*
 * assign.c: moving elements without computing: copies in a layout of choice, casts, and assignment
 * into arrays and views. All of it is the operator `copy` on the elementwise engine.
 */
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "elementwise/record.h"
#include "elementwise/truths.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_fill
#undef gnd_copyto
#undef gnd_copyto_where

static void copy_request(gndi_ew_request *r, const char *fn, gnd_arg in) {
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
static gnd_status assign_array(gndi_ew_request *r, const gnd_array *in) {
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
    copy_request(&r, fn, gnd_arg_array(in));
    r.dtype = (gnd_dtype)out->dtype;
    r.out[0] = out;
    return assign_array(&r, in);
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
    copy_request(&r, fn, gnd_arg_array(in));
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

gnd_array *gnd_astype(const gnd_array *x, gnd_dtype dtype) {
    if (!gndi_dtype_valid((int)dtype))
        return gndi_fail(GND_ERROR_DTYPE, "gnd_astype", "there is no dtype number %d", (int)dtype);
    return gndi_copy_as("gnd_astype", x, dtype, 'K');
}

gnd_array *gnd_copy(const gnd_array *x) {
    return gndi_copy_as("gnd_copy", x, x ? (gnd_dtype)x->dtype : GND_DTYPE_NONE, 'K');
}

gnd_array *gnd_ascontiguous(const gnd_array *x) {
    if (gndi_missing(x)) return gndi_raise_null("gnd_ascontiguous", "x"), NULL;
    if (gndi_is_c_contiguous(x)) return gndi_array_alias("gnd_ascontiguous", x);
    return gndi_copy_as("gnd_ascontiguous", x, (gnd_dtype)x->dtype, 'C');
}

gnd_array *gnd_asfortran(const gnd_array *x) {
    if (gndi_missing(x)) return gndi_raise_null("gnd_asfortran", "x"), NULL;
    if (gndi_is_f_contiguous(x)) return gndi_array_alias("gnd_asfortran", x);
    return gndi_copy_as("gnd_asfortran", x, (gnd_dtype)x->dtype, 'F');
}

/* ---- assignment ----------------------------------------------------------------------------- */

/* A number into an array: NumPy's rule, which refuses integers that do not fit and complex numbers
   in real arrays, and truncates real numbers in integer arrays. */
static gnd_status assign_number(const char *fn, gnd_array *out, gnd_arg value) {
    if (value.kind == GND_ARG_COMPLEX && out->dtype < GND_COMPLEX64)
        return gndi_raise(GND_ERROR_DTYPE, fn, "a complex number does not go into an array of %s",
                          gnd_dtype_name((gnd_dtype)out->dtype));
    gndi_ew_request r;
    copy_request(&r, fn, value);
    r.dtype = (gnd_dtype)out->dtype;
    r.out[0] = out;
    return gndi_elementwise(&r, NULL);
}

gnd_status gnd_fill(gnd_array *out, gnd_arg value) {
    if (gndi_missing(out)) return gndi_raise_null("gnd_fill", "out");
    if (value.kind != GND_ARG_ARRAY && value.kind != GND_ARG_NONE) return assign_number("gnd_fill", out, value);
    if (value.kind == GND_ARG_ARRAY && gndi_missing(value.array)) return gndi_raise_null("gnd_fill", "value");
    if (value.kind == GND_ARG_ARRAY && value.array->size != 1)
        return gndi_raise(GND_ERROR_SHAPE, "gnd_fill",
                          "the value must be a number or an array of one element, not of shape %s; "
                          "gnd_copyto assigns arrays",
                          gndi_text_shape(value.array->ndim, value.array->shape));
    if (value.kind == GND_ARG_NONE) return gndi_raise(GND_ERROR_INVALID, "gnd_fill", "the value is GND_NONE");
    return gndi_copy_into("gnd_fill", out, value.array);
}

gnd_status gndi_assign(const char *fn, gnd_array *out, gnd_arg value) {
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    if (value.kind == GND_ARG_ARRAY) return gndi_copy_into(fn, out, value.array);
    if (value.kind == GND_ARG_NONE) return gndi_raise(GND_ERROR_INVALID, fn, "the value is GND_NONE");
    return assign_number(fn, out, value);
}

gnd_status gnd_copyto(gnd_array *out, gnd_arg value) {
    return gndi_assign("gnd_copyto", out, value);
}

gnd_status gnd_copyto_where(gnd_array *out, gnd_arg value, const gnd_array *where, gnd_casting casting) {
    if (gndi_missing(out) || gndi_missing(where))
        return gndi_raise_null("gnd_copyto_where", gndi_missing(out) ? "out" : "where");
    gndi_ew_request r;
    copy_request(&r, "gnd_copyto_where", value);
    r.dtype = (gnd_dtype)out->dtype;
    r.out[0] = out, r.where = where, r.casting = casting;
    const bool array = value.kind == GND_ARG_ARRAY && !gndi_missing(value.array);
    return array ? assign_array(&r, value.array) : gndi_elementwise(&r, NULL);
}
