/*
 * reduce_nan.c: reductions that ignore NaN. The kernels skip NaN themselves; a mask is needed only where
 * elements are cast to a dtype without NaN.
 */
#include "elementwise/elementwise.h"
#include "reduce/reduce.h"

static bool is_inexact(int dtype) {
    return dtype >= GND_FLOAT16;
}

/* A new mask: `where`, and not NaN. */
static gnd_array *mask_of_numbers(const char *fn, const gnd_array *x, const gnd_array *where) {
    gnd_array *mask = NULL;
    gndi_ew_request not_nan = {
        .op = GNDI_OP_equal,
        .fn = fn,
        .args = {gnd_arg_array(x), gnd_arg_array(x)},
    };
    if (gndi_elementwise(&not_nan, &mask)) return NULL;
    if (!where) return mask;
    gndi_ew_request both = {
        .op = GNDI_OP_logical_and,
        .fn = fn,
        .args = {gnd_arg_array(mask), gnd_arg_array(where)},
        .out = {mask},
    };
    if (gndi_elementwise(&both, NULL) == GND_OK) return mask;
    gnd_release(mask);
    return NULL;
}

/* The same reduction with NaN masked out. */
static gnd_array *reduce_masked(gndi_reduce_request *r) {
    gnd_axes masked = *r->axes;
    gnd_array *mask = mask_of_numbers(r->fn, r->x, masked.where);
    if (!mask) return NULL;
    masked.where = mask;
    r->axes = &masked, r->map = GNDI_MAP_NONE;
    gnd_array *result = gndi_reduce_run(r);
    gnd_release(mask);
    return result;
}

/* What is computed of numbers that can be NaN must be able to show it. */
static bool check_inexact(const gndi_reduce_request *r) {
    const gnd_array *out = r->axes->out;
    if (r->rule != GNDI_RULE_MEAN && r->rule != GNDI_RULE_VARIANCE) return true;
    if (out && !is_inexact(out->dtype)) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "x is %s, so out must be floating-point or complex; it is %s",
                   gnd_dtype_name((gnd_dtype)r->x->dtype), gnd_dtype_name((gnd_dtype)out->dtype));
        return false;
    }
    if (is_inexact(r->result)) return true;
    gndi_raise(GND_ERROR_DTYPE, r->fn, "x is %s, so dtype must be floating-point or complex, not %s",
               gnd_dtype_name((gnd_dtype)r->x->dtype), gnd_dtype_name(r->result));
    return false;
}

static gnd_array *skip_nan(gndi_reduce_request *r) {
    if (gndi_missing(r->x) || !is_inexact(r->x->dtype)) return gndi_reduce(r);
    r->map = GNDI_MAP_SKIP_NAN;
    if (!gndi_reduce_choose_axes(r) || !gndi_reduce_choose_dtypes(r) || !gndi_reduce_check(r) || !check_inexact(r))
        return NULL;
    const bool loses_nan =
        !is_inexact(r->loop) || (gndi_dtype_is_complex(r->x->dtype) && !gndi_dtype_is_complex(r->loop));
    return loses_nan ? reduce_masked(r) : gndi_reduce_run(r);
}

static gnd_array *fold(const char *fn, const gnd_array *x, const gnd_axes *axes, gndi_op op) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_OPERATOR, op, GNDI_RULE_FOLD, GNDI_TAKES_ALL);
    return skip_nan(&r);
}
gnd_array *gnd_nansum(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_nansum", x, &axes, GNDI_OP_add);
}
gnd_array *gnd_nanprod(const gnd_array *x, gnd_axes axes) {
    return fold("gnd_nanprod", x, &axes, GNDI_OP_multiply);
}

/* fmin and fmax pass NaN over by themselves. */
static gnd_array *extreme(const char *fn, const gnd_array *x, const gnd_axes *axes, gndi_op op) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_OPERATOR, op, GNDI_RULE_FOLD, GNDI_TAKES_WHERE | GNDI_TAKES_INITIAL);
    return gndi_reduce(&r);
}
gnd_array *gnd_nanmin(const gnd_array *x, gnd_axes axes) {
    return extreme("gnd_nanmin", x, &axes, GNDI_OP_fmin);
}
gnd_array *gnd_nanmax(const gnd_array *x, gnd_axes axes) {
    return extreme("gnd_nanmax", x, &axes, GNDI_OP_fmax);
}

static gnd_array *nan_index(const char *fn, const gnd_array *x, const gnd_axes *axes, gndi_reducer reducer,
                            gndi_op op) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, reducer, op, GNDI_RULE_INDEX, 0);
    return skip_nan(&r);
}
gnd_array *gnd_nanargmin(const gnd_array *x, gnd_axes axes) {
    return nan_index("gnd_nanargmin", x, &axes, GNDI_REDUCE_ARGMIN, GNDI_OP_minimum);
}
gnd_array *gnd_nanargmax(const gnd_array *x, gnd_axes axes) {
    return nan_index("gnd_nanargmax", x, &axes, GNDI_REDUCE_ARGMAX, GNDI_OP_maximum);
}

gnd_array *gnd_nanmean(const gnd_array *x, gnd_axes axes) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, "gnd_nanmean", x, &axes, GNDI_REDUCE_MEAN, GNDI_OP_add, GNDI_RULE_MEAN,
                      GNDI_TAKES_DTYPE | GNDI_TAKES_WHERE);
    return skip_nan(&r);
}

static gnd_array *deviation(const char *fn, const gnd_array *x, const gnd_axes *axes, double ddof,
                            gndi_reduce_finish finish) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_VARIANCE, GNDI_OP_add, GNDI_RULE_VARIANCE,
                      GNDI_TAKES_DTYPE | GNDI_TAKES_WHERE);
    r.finish = finish, r.ddof = ddof;
    return skip_nan(&r);
}
gnd_array *gnd_nanvar(const gnd_array *x, gnd_axes axes, double ddof) {
    return deviation("gnd_nanvar", x, &axes, ddof, GNDI_FINISH_NONE);
}
gnd_array *gnd_nanstd(const gnd_array *x, gnd_axes axes, double ddof) {
    return deviation("gnd_nanstd", x, &axes, ddof, GNDI_FINISH_SQRT);
}
