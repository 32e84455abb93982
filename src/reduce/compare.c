/*
 * compare.c: whether whole arrays are equal, or real: an elementwise comparison, reduced by "all are", and
 * the one bool read by the host.
 */
#include "array/view.h"
#include "elementwise/create.h"
#include "elementwise/elementwise.h"
#include "elementwise/item.h"
#include "reduce/reduce.h"

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_array_equiv
#undef gnd_allclose
#undef gnd_iscomplex
#undef gnd_isreal

static bool check(const char *fn, const char *name, gnd_arg arg) {
    if (arg.kind != GND_ARG_ARRAY || !gndi_missing(arg.array)) return true;
    gndi_raise_null(fn, name);
    return false;
}

gnd_status gndi_all_true(const char *fn, gnd_array *mask, bool *answer) {
    const gnd_axes axes = {.count = 0};
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, mask, &axes, GNDI_REDUCE_ALL, GNDI_OP_logical_and, GNDI_RULE_TRUTH, 0);
    gnd_array *all = gndi_reduce(&r);
    const gnd_status status = all ? gndi_read(fn, all, answer) : gndi_ew_pending();
    gnd_release(all);
    gnd_release(mask);
    return status;
}

static bool compare(const gndi_ew_request *request) {
    gnd_array *mask = NULL;
    bool all = false;
    if (gndi_elementwise(request, &mask)) return false;
    return !gndi_all_true(request->fn, mask, &all) && all;
}

bool gnd_array_equal(const gnd_array *a, const gnd_array *b, bool equal_nan) {
    static const char fn[] = "gnd_array_equal";
    gndi_ew_request request = {.op = GNDI_OP_equal, .fn = fn, .args = {gnd_arg_array(a), gnd_arg_array(b)}};
    if (!check(fn, "a", request.args[0]) || !check(fn, "b", request.args[1])) return false;
    if (!gndi_same_shape(a, b)) return false;
    /* Close with no tolerance is equal. Integers have no NaN, and may not fit a float. */
    if (equal_nan && (a->dtype >= GND_FLOAT16 || b->dtype >= GND_FLOAT16)) {
        request.op = GNDI_OP_isclose;
        request.params[2] = 1;
    }
    return compare(&request);
}

bool gnd_array_equiv(gnd_arg a, gnd_arg b) {
    static const char fn[] = "gnd_array_equiv";
    const gndi_ew_request request = {.op = GNDI_OP_equal, .fn = fn, .args = {a, b}};
    int ndim = 0;
    int64_t shape[GND_MAX_DIMS];
    if (!check(fn, "a", a) || !check(fn, "b", b)) return false;
    for (int i = 0; i < 2; i++) {
        const gnd_array *x = request.args[i].array;
        if (request.args[i].kind == GND_ARG_ARRAY && !gndi_broadcast(&ndim, shape, x->ndim, x->shape)) return false;
    }
    return compare(&request);
}

bool gnd_allclose(gnd_arg a, gnd_arg b, double rtol, double atol, bool equal_nan) {
    static const char fn[] = "gnd_allclose";
    const gndi_ew_request request = {
        .op = GNDI_OP_isclose, .fn = fn, .args = {a, b}, .params = {rtol, atol, equal_nan}};
    if (!check(fn, "a", a) || !check(fn, "b", b)) return false;
    return compare(&request);
}

/* ---- real and complex ----------------------------------------------------------------------- */

/* Whether the imaginary part differs from 0, or whether it does not. */
static gnd_array *compare_imaginary(const char *fn, gnd_arg x, bool differs) {
    if (!check(fn, "x", x)) return NULL;
    if (x.kind == GND_ARG_NONE) return gndi_fail(GND_ERROR_INVALID, fn, "x is GND_NONE");
    if (x.kind != GND_ARG_ARRAY)
        return gndi_filled(fn, gndi_array_new(fn, 0, NULL, GND_BOOL, GNDI_ORDER_C),
                           gnd_arg_bool((x.kind == GND_ARG_COMPLEX && x.im != 0) == differs));
    if (!gndi_dtype_is_complex(x.array->dtype))
        return gndi_filled(fn, gndi_new_like(fn, x.array, GND_BOOL), gnd_arg_bool(!differs));
    gnd_array *imaginary = gndi_complex_part(fn, x.array, true), *result = NULL;
    const gndi_ew_request r = {.op = differs ? GNDI_OP_not_equal : GNDI_OP_equal,
                               .fn = fn,
                               .args = {gnd_arg_array(imaginary), gnd_arg_int(0)}};
    if (imaginary) gndi_elementwise(&r, &result);
    gnd_release(imaginary);
    return result;
}

gnd_array *gnd_iscomplex(gnd_arg x) {
    return compare_imaginary("gnd_iscomplex", x, true);
}

gnd_array *gnd_isreal(gnd_arg x) {
    return compare_imaginary("gnd_isreal", x, false);
}

gnd_array *gnd_real_if_close(const gnd_array *x, double tol) {
    static const char fn[] = "gnd_real_if_close";
    bool close = false;
    gnd_array *size = NULL, *near = NULL;
    if (gndi_missing(x)) return gndi_raise_null(fn, "x"), NULL;
    if (!gndi_dtype_is_complex(x->dtype)) return gndi_array_alias(fn, x);
    if (tol > 1) tol *= gnd_finfo((gnd_dtype)x->dtype).eps;
    gnd_array *imaginary = gndi_complex_part(fn, x, true);
    gndi_ew_request r = {.op = GNDI_OP_absolute, .fn = fn, .args = {gnd_arg_array(imaginary)}};
    gnd_status status = imaginary ? gndi_elementwise(&r, &size) : gndi_ew_pending();
    r = (gndi_ew_request){.op = GNDI_OP_less, .fn = fn, .args = {gnd_arg_array(size), gnd_arg_real(tol)}};
    if (!status) status = gndi_elementwise(&r, &near);
    if (!status) status = gndi_all_true(fn, near, &close);
    gnd_release(size), gnd_release(imaginary);
    if (status) return NULL;
    return close ? gndi_complex_part(fn, x, false) : gndi_array_alias(fn, x);
}

/* ---- finite ------------------------------------------------------------------------------- */

gnd_array *gnd_asarray_chkfinite(const gnd_array *x, const gnd_asarray_options *options) {
    static const char fn[] = "gnd_asarray_chkfinite";
    gnd_array *result = gndi_asarray(fn, x, options), *finite = NULL;
    if (!result || result->dtype < GND_FLOAT16) return result;
    const gndi_ew_request request = {.op = GNDI_OP_isfinite, .fn = fn, .args = {gnd_arg_array(result)}};
    if (!gndi_elementwise(&request, &finite)) {
        bool all = false;
        gnd_status status = gndi_all_true(fn, finite, &all);
        if (!status && all) return result;
        if (!status) gndi_raise(GND_ERROR_VALUE, fn, "x has NaN or an infinity among its elements");
    }
    gnd_release(result);
    return NULL;
}
