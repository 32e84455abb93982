/*
 * reduce_check.c: checks the arguments of a reduction: axes, unsupported options, `out`, `where` and
 * `initial` that do not fit, and empty slices.
 */
#include "reduce/reduce.h"

bool gndi_reduce_choose_axes(gndi_reduce_request *r) {
    const gnd_array *x = r->x;
    const gnd_axes *axes = r->axes;
    if (gndi_optional_missing(r->fn, axes->where, "where") || gndi_optional_missing(r->fn, axes->initial, "initial") ||
        gndi_optional_missing(r->fn, axes->out, "out"))
        return false;
    /* NumPy lets a 0-d array be reduced over axis 0 or -1. */
    if (x->ndim == 0 && axes->count == 1 && (axes->axis[0] == 0 || axes->axis[0] == -1))
        r->reduced = 0;
    else if (!gndi_normalize_axes(r->fn, axes, x->ndim, &r->reduced))
        return false;
    r->ndim = 0;
    for (int i = 0; i < x->ndim; i++) {
        const bool is_reduced = r->reduced >> i & 1;
        if (!is_reduced)
            r->shape[r->ndim++] = x->shape[i];
        else if (axes->keepdims)
            r->shape[r->ndim++] = 1;
    }
    return true;
}

static bool check_taken(const gndi_reduce_request *r) {
    const gnd_axes *axes = r->axes;
    const char *not_taken = NULL;
    if (axes->dtype && !(r->takes & GNDI_TAKES_DTYPE)) not_taken = "dtype";
    if (axes->where && !(r->takes & GNDI_TAKES_WHERE)) not_taken = "where";
    if (axes->initial && !(r->takes & GNDI_TAKES_INITIAL)) not_taken = "initial";
    if (!not_taken) return true;
    gndi_raise(GND_ERROR_INVALID, r->fn, "takes no `%s`", not_taken);
    return false;
}

static bool check_where(const gndi_reduce_request *r) {
    const gnd_array *where = r->axes->where, *x = r->x;
    if (where->dtype != GND_BOOL) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "where has dtype %s; it must be bool",
                   gnd_dtype_name((gnd_dtype)where->dtype));
        return false;
    }
    bool fits = where->ndim <= x->ndim;
    for (int i = 0; fits && i < where->ndim; i++)
        fits = where->shape[i] == 1 || where->shape[i] == x->shape[x->ndim - where->ndim + i];
    if (!fits) {
        gndi_raise(GND_ERROR_SHAPE, r->fn, "where of shape %s does not broadcast to x of shape %s",
                   gndi_text_shape(where->ndim, where->shape), gndi_text_shape(x->ndim, x->shape));
        return false;
    }
    return !gndi_check_together(r->fn, r->x, "x", where, "where");
}

static bool check_initial(const gndi_reduce_request *r) {
    const gnd_array *initial = r->axes->initial;
    if (initial->ndim != 0) {
        gndi_raise(GND_ERROR_SHAPE, r->fn, "initial has shape %s; it must be 0-d",
                   gndi_text_shape(initial->ndim, initial->shape));
        return false;
    }
    return !gndi_check_together(r->fn, r->x, "x", initial, "initial");
}

/* Whether the reduction of nothing has a value. */
static bool has_identity(const gndi_reduce_request *r) {
    if (r->axes->initial) return true;
    switch (r->rule) {
    case GNDI_RULE_FOLD: return gndi_ops[r->op].identity != NONE;
    case GNDI_RULE_RANGE:
    case GNDI_RULE_INDEX: return false;
    case GNDI_RULE_NORM: return r->reducer != GNDI_REDUCE_MINIMUM;
    default: return true;
    }
}

/* The value of nothing, where there is none: refused even if there is no output either. */
static bool check_nothing(const gndi_reduce_request *r) {
    const char *name = gndi_ops[r->op].name;
    if (has_identity(r)) return true;
    if (r->axes->where) {
        gndi_raise(GND_ERROR_VALUE, r->fn,
                   "reduction operation '%s' does not have an identity, so to use a where mask one "
                   "has to give initial",
                   name);
        return false;
    }
    bool nothing = false;
    for (int i = 0; i < r->x->ndim; i++) nothing |= r->reduced >> i & 1 && r->x->shape[i] == 0;
    if (!nothing) return true;
    const char *shape = gndi_text_shape(r->x->ndim, r->x->shape);
    if (r->rule == GNDI_RULE_INDEX)
        gndi_raise(GND_ERROR_VALUE, r->fn, "there is nothing along the axes of x of shape %s to find the position of",
                   shape);
    else
        gndi_raise(GND_ERROR_VALUE, r->fn,
                   "zero-size array of shape %s to reduction operation %s which has no identity%s", shape, name,
                   r->takes & GNDI_TAKES_INITIAL ? "; give initial" : "");
    return false;
}

/* An operator whose order matters has none between two axes. */
static bool check_order(const gndi_reduce_request *r) {
    if (r->reducer != GNDI_REDUCE_OPERATOR || gndi_ops[r->op].flags & ASSOCIATIVE) return true;
    if (__builtin_popcount(r->reduced) <= 1) return true;
    gndi_raise(GND_ERROR_VALUE, r->fn,
               "reduction operation '%s' is not reorderable, so at most one axis may be specified",
               gndi_ops[r->op].name);
    return false;
}

bool gndi_reduce_check(const gndi_reduce_request *r) {
    const gnd_axes *axes = r->axes;
    if (!check_taken(r)) return false;
    if (axes->out && !gndi_check_out(r->fn, r->x, axes->out, r->ndim, r->shape)) return false;
    if (axes->where && !check_where(r)) return false;
    if (axes->initial && !check_initial(r)) return false;
    return check_order(r) && check_nothing(r);
}
