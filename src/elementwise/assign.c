/*
 * assign.c: the public functions that move elements without computing: copies in a layout of choice, casts, and
 * assignment into arrays and views. All of it is the operator `copy` on the elementwise engine (elementwise_run.c).
 */
#include "elementwise/elementwise.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_fill
#undef gnd_copyto
#undef gnd_copyto_where

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
    gndi_copy_request(&r, fn, value);
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
    gndi_copy_request(&r, "gnd_copyto_where", value);
    r.dtype = (gnd_dtype)out->dtype;
    r.out[0] = out, r.where = where, r.casting = casting;
    const bool array = value.kind == GND_ARG_ARRAY && !gndi_missing(value.array);
    return array ? gndi_assign_array(&r, value.array) : gndi_elementwise(&r, NULL);
}
