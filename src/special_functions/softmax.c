/*
 * softmax.c: softmax, log_softmax and logsumexp, of operators and reductions inside a block of fusion: on a GPU one
 * launch, where rows are short enough for it.
 */
#include "elementwise/temporaries.h"
#include "reduce/reduce.h"
#include <gnd/fuse.h>
#include <gnd/special.h>
#include <gnd/view.h>
#include <math.h>

/* ---- a formula inside a block --------------------------------------------------------------- */

/* What a formula needs: the block, in whose scope its arrays are, the axes, and those with kept sizes of 1. */
typedef struct formula {
    gndi_temporaries steps;
    gnd_fuse_block block;
    gnd_axes axes, kept;
} formula;

static bool begin(formula *f, const char *fn, const char *name, const gnd_array *x, const gnd_axes *axes,
                  bool takes_keepdims) {
    f->steps.fn = fn, f->steps.failed = false, f->steps.count = 0;
    if (gndi_missing(x)) return gndi_raise_null(fn, name), false;
    const char *not_taken = axes->dtype                         ? "dtype"
                            : axes->where                       ? "where"
                            : axes->initial                     ? "initial"
                            : axes->out                         ? "out"
                            : axes->keepdims && !takes_keepdims ? "keepdims"
                                                                : NULL;
    if (not_taken) return gndi_raise(GND_ERROR_INVALID, fn, "takes no `%s`", not_taken), false;
    if (gndi_dtype_is_complex(x->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "%s has dtype %s; it must be real", name,
                          gnd_dtype_name((gnd_dtype)x->dtype)),
               false;
    f->axes = f->kept = *axes;
    f->kept.keepdims = true;
    GNDI_PARTS_OF(fn);
    return gnd_fuse_open(&f->block) != NULL;
}

/* Closes the block. Results that were moved out of it by gnd_keep() stay. */
static gnd_status end(formula *f, bool failed) {
    GNDI_PARTS_OF(f->steps.fn);
    const gnd_status closed = gnd_fuse_close(&f->block);
    return failed ? gndi_ew_pending() : closed;
}

static gnd_array *step(formula *f, gndi_op op, const gnd_array *a, const gnd_array *b) {
    gndi_ew_request request = {.op = op, .fn = f->steps.fn, .args = {gnd_arg_array(a)}};
    gnd_array *result = NULL;
    if (!a || f->steps.failed) return NULL;
    if (b) request.args[1] = gnd_arg_array(b);
    if (gndi_elementwise(&request, &result)) f->steps.failed = true;
    return result;
}
/* where(condition, a, b), one of them a number. */
static gnd_array *choose(formula *f, const gnd_array *condition, gnd_arg a, gnd_arg b) {
    gndi_ew_request request = {.op = GNDI_OP_where, .fn = f->steps.fn, .args = {gnd_arg_array(condition), a, b}};
    gnd_array *result = NULL;
    if (!condition || f->steps.failed) return NULL;
    if (gndi_elementwise(&request, &result)) f->steps.failed = true;
    return result;
}
static gnd_array *fold(formula *f, gndi_op op, const gnd_array *x, const gnd_axes *axes) {
    gnd_array *result = x && !f->steps.failed ? gndi_reduce_operator(f->steps.fn, op, x, axes) : NULL;
    if (!result) f->steps.failed = true;
    return result;
}

/* x less its largest element along the axes, or nothing where that is infinite and `guarded`. */
static gnd_array *less_largest(formula *f, const gnd_array *x, bool guarded) {
    gnd_array *largest = fold(f, GNDI_OP_maximum, x, &f->kept);
    if (guarded) largest = choose(f, step(f, GNDI_OP_isfinite, largest, NULL), gnd_arg_array(largest), gnd_arg_int(0));
    return step(f, GNDI_OP_subtract, x, largest);
}

/* ---- softmax -------------------------------------------------------------------------------- */

gnd_array *gnd_softmax(const gnd_array *x, gnd_axes axes) {
    formula f;
    if (!begin(&f, "gnd_softmax", "x", x, &axes, false)) return NULL;
    gnd_array *power = step(&f, GNDI_OP_exp, less_largest(&f, x, false), NULL);
    gnd_array *result = gnd_keep(step(&f, GNDI_OP_divide, power, fold(&f, GNDI_OP_add, power, &f.kept)));
    if (!end(&f, !result)) return result;
    gnd_release(result);
    return NULL;
}

gnd_array *gnd_log_softmax(const gnd_array *x, gnd_axes axes) {
    formula f;
    if (!begin(&f, "gnd_log_softmax", "x", x, &axes, false)) return NULL;
    gnd_array *less = less_largest(&f, x, true);
    gnd_array *sum = fold(&f, GNDI_OP_add, step(&f, GNDI_OP_exp, less, NULL), &f.kept);
    gnd_array *result = gnd_keep(step(&f, GNDI_OP_subtract, less, step(&f, GNDI_OP_log, sum, NULL)));
    if (!end(&f, !result)) return result;
    gnd_release(result);
    return NULL;
}

/* ---- logsumexp ------------------------------------------------------------------------------ */

/* Without factors: largest + log(n) + log(1 + rest / n), n being how many elements are the largest, and `rest` the sum
   of the others' powers, so that a small rest is not lost. */
static gnd_array *plain_sum(formula *f, const gnd_array *x) {
    gnd_array *largest = fold(f, GNDI_OP_maximum, x, &f->kept);
    gnd_array *is_largest = step(f, GNDI_OP_equal, x, largest);
    gnd_array *power = step(f, GNDI_OP_exp, step(f, GNDI_OP_subtract, x, largest), NULL);
    if (!power) return NULL;
    gnd_array *rest = fold(f, GNDI_OP_add, choose(f, is_largest, gnd_arg_int(0), gnd_arg_array(power)), &f->kept);
    gnd_array *ones = gndi_copy_as(f->steps.fn, is_largest, (gnd_dtype)power->dtype, 'K');
    gnd_array *count = fold(f, GNDI_OP_add, ones, &f->kept);
    gnd_array *tail = step(f, GNDI_OP_log1p, step(f, GNDI_OP_divide, rest, count), NULL);
    return step(f, GNDI_OP_add, step(f, GNDI_OP_add, tail, step(f, GNDI_OP_log, count, NULL)), largest);
}

/* With factors (b may be NULL): log |sum of b exp(a - largest)| + largest, and the sum's sign if that is wanted, else
   NaN where it is negative. Elements whose factor is 0 do not count, infinite ones neither. */
static gnd_array *scaled_sum(formula *f, const gnd_array *a, const gnd_array *b, gnd_array **sign) {
    gnd_array *largest = NULL;
    if (b) {
        const gndi_ew_request zero = {
            .op = GNDI_OP_equal, .fn = f->steps.fn, .args = {gnd_arg_array(b), gnd_arg_int(0)}};
        gnd_array *is_zero = NULL;
        if (gndi_elementwise(&zero, &is_zero)) return NULL;
        a = choose(f, is_zero, gnd_arg_real(-INFINITY), gnd_arg_array(a));
    }
    if (a && a->size > 0) {
        largest = fold(f, GNDI_OP_maximum, a, &f->kept);
        gnd_array *finite = step(f, GNDI_OP_isfinite, largest, NULL);
        if (finite) largest = choose(f, finite, gnd_arg_array(largest), gnd_arg_int(0));
        a = step(f, GNDI_OP_subtract, a, largest);
    }
    gnd_array *power = step(f, GNDI_OP_exp, a, NULL);
    gnd_array *sum = fold(f, GNDI_OP_add, b ? step(f, GNDI_OP_multiply, power, b) : power, &f->kept);
    if (sign) {
        *sign = gnd_keep(step(f, GNDI_OP_sign, sum, NULL));
        sum = step(f, GNDI_OP_absolute, sum, NULL);
    }
    gnd_array *result = step(f, GNDI_OP_log, sum, NULL);
    return largest ? step(f, GNDI_OP_add, result, largest) : result;
}

/* `kept` without the axes of size 1 that reductions have left, unless they are wanted; `kept` is released. */
static gnd_array *without_axes(gnd_array *kept, const gnd_axes *axes) {
    if (!kept || axes->keepdims || axes->count < 0) return kept;
    gnd_axes dropped = {.count = axes->count};
    memcpy(dropped.axis, axes->axis, sizeof dropped.axis);
    gnd_array *result = gnd_squeeze(kept, dropped);
    gnd_release(kept);
    return result;
}

static gnd_status logsumexp(const char *fn, const gnd_array *a, const gnd_array *b, const gnd_axes *axes,
                            gnd_array **value, gnd_array **sign) {
    GNDI_PARTS_OF(fn);
    formula f;
    *value = NULL;
    if (!begin(&f, fn, "a", a, axes, true)) return gndi_ew_pending();
    if (b && gndi_missing(b)) f.steps.failed = true, gndi_raise_null(fn, "b");
    if (!f.steps.failed && a->dtype < GND_FLOAT16) a = gndi_copy_as(fn, a, GND_FLOAT64, 'K');
    gnd_array *result = NULL;
    if (a && !f.steps.failed) result = b || sign || a->size == 0 ? scaled_sum(&f, a, b, sign) : plain_sum(&f, a);
    gnd_keep(result);
    const gnd_status status = end(&f, !result || f.steps.failed);
    if (status) {
        gnd_release(result);
        if (sign) gnd_release(*sign), *sign = NULL;
        return status;
    }
    *value = without_axes(result, axes);
    if (sign) *sign = without_axes(*sign, axes);
    return *value && (!sign || *sign) ? GND_OK : gndi_ew_pending();
}

gnd_array *gnd_logsumexp(const gnd_array *a, const gnd_array *b, gnd_axes axes) {
    gnd_array *value;
    return logsumexp("gnd_logsumexp", a, b, &axes, &value, NULL) ? NULL : value;
}

gnd_status gnd_logsumexp_sign(gnd_array **value, gnd_array **sign, const gnd_array *a, const gnd_array *b,
                              gnd_axes axes) {
    if (!value || !sign) return gndi_raise_null("gnd_logsumexp_sign", value ? "sign" : "value");
    *value = *sign = NULL;
    return logsumexp("gnd_logsumexp_sign", a, b, &axes, value, sign);
}
