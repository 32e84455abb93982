/*
 * reduce.c: the public reductions: which dtype they compute in and give, and what they refuse.
 */
#include "math/reduce.h"

/* What a public function is. */
typedef struct reduction {
    const char *fn, *operator; /* "gnd_max", "maximum" */
    gndi_reducer reducer;
    bool mean;
} reduction;

/* ---- dtypes --------------------------------------------------------------------------------- */

static bool is_signed(int dtype) {
    return gnd_dtype_kind((gnd_dtype)dtype) == 'i';
}
static bool is_half(int dtype) {
    return dtype == GND_FLOAT16 || dtype == GND_BFLOAT16;
}

/* bool and integers add up in the 64-bit integer of their kind. */
static gnd_dtype wide_dtype(int dtype) {
    if (dtype == GND_BOOL || is_signed(dtype)) return GND_INT64;
    return gndi_dtype_is_int(dtype) ? GND_UINT64 : (gnd_dtype)dtype;
}

static void mean_dtypes(gndi_reduce_request *r, gnd_dtype given) {
    const int in = r->x->dtype;
    const bool integer = in == GND_BOOL || gndi_dtype_is_int(in);
    if (given) {
        r->loop = given;
        r->result = given;
        r->natural = gndi_dtype_is_int(given) ? GND_FLOAT64 : given;
        if (given == GND_BOOL) r->reducer = GNDI_REDUCE_ANY, r->mean = false;
        return;
    }
    r->result = integer ? GND_FLOAT64 : (gnd_dtype)in;
    r->natural = r->loop = r->result;
    /* The sum of up to 2^31 integers of up to 32 bits is exact in 64. */
    if (integer && gndi_dtype_sizes[in] <= 4 && r->x->size <= INT32_MAX) r->loop = wide_dtype(in);
    /* A wider `out` shall have the float32 sum's own digits. */
    const gnd_array *out = r->axes->out;
    if (is_half(in) && out && !is_half(out->dtype)) r->natural = r->loop = GND_FLOAT32;
}

static bool choose_dtypes(gndi_reduce_request *r) {
    const gnd_array *x = r->x, *out = r->axes->out;
    const gnd_dtype asked = r->axes->dtype;
    if (asked && !gndi_dtype_valid(asked)) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "dtype %d is none of the dtypes", (int)asked);
        return false;
    }
    if (r->mean) {
        mean_dtypes(r, asked);
        return true;
    }
    gnd_dtype given = asked ? asked : out ? (gnd_dtype)out->dtype : GND_DTYPE_NONE;
    switch (r->reducer) {
    case GNDI_REDUCE_SUM:
    case GNDI_REDUCE_PRODUCT: r->loop = given ? given : wide_dtype(x->dtype); break;
    case GNDI_REDUCE_MINIMUM:
    case GNDI_REDUCE_MAXIMUM: r->loop = given ? given : (gnd_dtype)x->dtype; break;
    default:
        r->loop = GND_BOOL;
        r->natural = r->result = r->reducer == GNDI_REDUCE_COUNT ? GND_INT64 : GND_BOOL;
        if (asked && asked != r->natural) {
            gndi_raise(GND_ERROR_DTYPE, r->fn, "the result is always %s; dtype %s was asked for",
                       gnd_dtype_name(r->natural), gnd_dtype_name(asked));
            return false;
        }
        return true;
    }
    r->natural = r->result = r->loop;
    /* In bool, + and max are "or", * and min are "and". */
    if (r->loop == GND_BOOL)
        r->reducer = r->reducer == GNDI_REDUCE_SUM || r->reducer == GNDI_REDUCE_MAXIMUM
                         ? GNDI_REDUCE_ANY
                         : GNDI_REDUCE_ALL;
    return true;
}

/* ---- checks --------------------------------------------------------------------------------- */

static bool choose_axes(gndi_reduce_request *r) {
    const gnd_array *x = r->x;
    const gnd_axes *axes = r->axes;
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

static bool same_device(const gndi_reduce_request *r, const gnd_array *a, const char *what) {
    if (a->buffer->device == r->x->buffer->device) return true;
    gndi_raise(GND_ERROR_DEVICE, r->fn, "x is %s, but %s is %s; gnd_to_device moves arrays",
               gndi_text_array(r->x), what, gndi_text_array(a));
    return false;
}

static bool check_out(const gndi_reduce_request *r) {
    const gnd_array *out = r->axes->out;
    if (!out) return true;
    if (out->ndim != r->ndim ||
        memcmp(out->shape, r->shape, (size_t)r->ndim * sizeof *r->shape) != 0) {
        gndi_raise(GND_ERROR_SHAPE, r->fn, "out has shape %s, the result %s",
                   gndi_text_shape(out->ndim, out->shape), gndi_text_shape(r->ndim, r->shape));
        return false;
    }
    if (out->flags & GNDI_READONLY) {
        gndi_raise(GND_ERROR_INVALID, r->fn, "out is read-only (a broadcast view)");
        return false;
    }
    return same_device(r, out, "out");
}

static bool check_where(const gndi_reduce_request *r) {
    const gnd_array *where = r->axes->where, *x = r->x;
    if (!where) return true;
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
    return same_device(r, where, "where");
}

static bool check_initial(const gndi_reduce_request *r, const reduction *what) {
    const gnd_array *initial = r->axes->initial;
    if (!initial) return true;
    if (what->mean || what->reducer == GNDI_REDUCE_COUNT) {
        gndi_raise(GND_ERROR_INVALID, r->fn, "takes no initial value");
        return false;
    }
    if (initial->ndim != 0) {
        gndi_raise(GND_ERROR_SHAPE, r->fn, "initial has shape %s; it must be 0-d",
                   gndi_text_shape(initial->ndim, initial->shape));
        return false;
    }
    return same_device(r, initial, "initial");
}

/* The smallest and largest of nothing exist only with an `initial`. */
static bool check_identity(const gndi_reduce_request *r, const reduction *what) {
    if (what->reducer != GNDI_REDUCE_MINIMUM && what->reducer != GNDI_REDUCE_MAXIMUM) return true;
    if (r->axes->initial) return true;
    if (r->axes->where) {
        gndi_raise(GND_ERROR_VALUE, r->fn,
                   "reduction operation '%s' does not have an identity, so to use a where mask one "
                   "has to give initial",
                   what->operator);
        return false;
    }
    bool nothing = false; /* refused even if there is no output either */
    for (int i = 0; i < r->x->ndim; i++) nothing |= r->reduced >> i & 1 && r->x->shape[i] == 0;
    if (!nothing) return true;
    gndi_raise(GND_ERROR_VALUE, r->fn,
               "zero-size array of shape %s to reduction operation %s which has no identity; give "
               "initial",
               gndi_text_shape(r->x->ndim, r->x->shape), what->operator);
    return false;
}

static gnd_array *reduce(const reduction *what, const gnd_array *x, const gnd_axes *axes) {
    gndi_reduce_request r;
    r.fn = what->fn;
    if (gndi_unlikely(!x)) return gndi_raise_null(r.fn, "x"), NULL;
    r.x = x, r.axes = axes, r.reducer = what->reducer, r.mean = what->mean;
    if (!choose_axes(&r) || !choose_dtypes(&r) || !check_out(&r) || !check_where(&r) ||
        !check_initial(&r, what) || !check_identity(&r, what))
        return NULL;
    return gndi_reduce_run(&r);
}

/* ---- public functions ----------------------------------------------------------------------- */

gnd_array *gnd_sum(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_sum", "add", GNDI_REDUCE_SUM, false}, x, &axes);
}
gnd_array *gnd_prod(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_prod", "multiply", GNDI_REDUCE_PRODUCT, false}, x, &axes);
}
gnd_array *gnd_min(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_min", "minimum", GNDI_REDUCE_MINIMUM, false}, x, &axes);
}
gnd_array *gnd_max(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_max", "maximum", GNDI_REDUCE_MAXIMUM, false}, x, &axes);
}
gnd_array *gnd_amin(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_amin", "minimum", GNDI_REDUCE_MINIMUM, false}, x, &axes);
}
gnd_array *gnd_amax(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_amax", "maximum", GNDI_REDUCE_MAXIMUM, false}, x, &axes);
}
gnd_array *gnd_mean(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_mean", "add", GNDI_REDUCE_SUM, true}, x, &axes);
}
gnd_array *gnd_any(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_any", "logical_or", GNDI_REDUCE_ANY, false}, x, &axes);
}
gnd_array *gnd_all(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_all", "logical_and", GNDI_REDUCE_ALL, false}, x, &axes);
}
gnd_array *gnd_count_nonzero(const gnd_array *x, gnd_axes axes) {
    return reduce(&(reduction){"gnd_count_nonzero", "add", GNDI_REDUCE_COUNT, false}, x, &axes);
}

gnd_array *gnd_reduce(const char *name, const gnd_array *x, gnd_axes axes) {
    static const reduction reductions[] = {
        {"gnd_reduce", "add", GNDI_REDUCE_SUM, false},
        {"gnd_reduce", "multiply", GNDI_REDUCE_PRODUCT, false},
        {"gnd_reduce", "minimum", GNDI_REDUCE_MINIMUM, false},
        {"gnd_reduce", "maximum", GNDI_REDUCE_MAXIMUM, false},
        {"gnd_reduce", "logical_or", GNDI_REDUCE_ANY, false},
        {"gnd_reduce", "logical_and", GNDI_REDUCE_ALL, false},
    };
    if (!name) return gndi_raise_null("gnd_reduce", "name"), NULL;
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (strcmp(name, reductions[i].operator) == 0) return reduce(&reductions[i], x, &axes);
    return gndi_fail(GND_ERROR_INVALID, "gnd_reduce",
                     "no reduction is called \"%s\"; there are add, multiply, minimum, maximum, "
                     "logical_or and logical_and",
                     name);
}
