/*
 * ufunc.c: an operator by its name, in the forms of NumPy's ufunc methods: which operator, which
 * dtype it computes in along an axis, and outer.
 */
#include "kernels/ops/fold_loop.h"
#include "elementwise/elementwise.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_outer
#undef gnd_outer_two

/* ---- outer ---------------------------------------------------------------------------------- */

/* `a` with `after` axes of size 1 behind its own; a new header over the same memory. */
static gnd_array *with_axes_behind(const char *fn, const gnd_array *a, int after) {
    int64_t shape[GND_MAX_DIMS], strides[GND_MAX_DIMS];
    const int ndim = a->ndim + after;
    for (int i = 0; i < ndim; i++) {
        shape[i] = i < a->ndim ? a->shape[i] : 1;
        strides[i] = i < a->ndim ? a->strides[i] : 0;
    }
    return gndi_array_view(fn, a, ndim, shape, strides, gndi_data(a), (gnd_dtype)a->dtype);
}

static gnd_status outer(const char *fn, const char *name, gnd_arg a, gnd_arg b, int results_wanted,
                        gnd_array **results) {
    gndi_ew_request request;
    memset(&request, 0, sizeof request);
    request.op = gndi_ufunc_find(fn, name);
    if (request.op == GNDI_OP_COUNT) return gndi_ew_pending();
    const gndi_op_info *info = &gndi_ops[request.op];
    if (info->nin != 2 || (info->flags & PARAMS))
        return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" is no operator of two arguments", name);
    if (info->nout != results_wanted)
        return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" has %s; call %s", name,
                          info->nout == 1 ? "one result" : "two results",
                          info->nout == 1 ? "gnd_outer" : "gnd_outer_two");
    request.fn = fn, request.args[0] = a, request.args[1] = b;
    gnd_array *view = NULL;
    const bool pair =
        a.kind == GND_ARG_ARRAY && b.kind == GND_ARG_ARRAY && !gndi_missing(a.array) && !gndi_missing(b.array);
    if (pair && b.array->ndim > 0) {
        if (a.array->ndim + b.array->ndim > GND_MAX_DIMS)
            return gndi_raise(GND_ERROR_SHAPE, fn, "shapes %s and %s make %d dimensions; an array has at most %d",
                              gndi_text_shape(a.array->ndim, a.array->shape),
                              gndi_text_shape(b.array->ndim, b.array->shape), a.array->ndim + b.array->ndim,
                              GND_MAX_DIMS);
        view = with_axes_behind(fn, a.array, b.array->ndim);
        if (!view) return gndi_ew_pending();
        request.args[0] = gnd_arg_array(view);
    }
    const gnd_status status = gndi_elementwise(&request, results);
    gnd_release(view);
    return status;
}

gnd_array *gnd_outer(const char *name, gnd_arg a, gnd_arg b) {
    gnd_array *results[GNDI_MAX_OUT] = {NULL, NULL};
    return outer("gnd_outer", name, a, b, 1, results) ? NULL : results[0];
}

gnd_status gnd_outer_two(gnd_array **first, gnd_array **second, const char *name, gnd_arg a, gnd_arg b) {
    gnd_array *results[GNDI_MAX_OUT] = {NULL, NULL};
    if (!first || !second) return gndi_raise_null("gnd_outer_two", first ? "second" : "first");
    const gnd_status status = outer("gnd_outer_two", name, a, b, 2, results);
    *first = results[0], *second = results[1];
    return status;
}
