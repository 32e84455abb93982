/*
 * reduce_types.c: the dtypes of a reduction: what its elements are cast to (loop), what the kernels
 * store (natural), and what a new result has (result). They differ where a reduction is computed
 * wider than its result, and where another dtype was asked for.
 */
#include "reduce/reduce.h"
#include "kernels/ops/fold_loop.h"

static bool is_inexact(int dtype) {
    return dtype >= GND_FLOAT16;
}
static gnd_dtype real_of(gnd_dtype dtype) {
    return gndi_letter_dtype('R', dtype);
}
static gnd_dtype complex_of(gnd_dtype real) {
    return real == GND_FLOAT64 ? GND_COMPLEX128 : GND_COMPLEX64;
}
/* A wider `out` shall have the digits that halves are computed with, and not their rounding. */
static bool shows_float32(const gndi_reduce_request *r, gnd_dtype dtype) {
    const gnd_array *out = r->axes->out;
    return gndi_dtype_is_half(dtype) && out && !gndi_dtype_is_half(out->dtype);
}

/* ---- one function a rule -------------------------------------------------------------------- */

static bool fold_dtypes(gndi_reduce_request *r) {
    const gnd_array *out = r->axes->out;
    const gnd_dtype given = out ? (gnd_dtype)out->dtype : GND_DTYPE_NONE;
    if (gndi_ufunc_fold_loop(r->fn, r->op, (gnd_dtype)r->x->dtype, r->axes->dtype, given, &r->loop)) return false;
    r->natural = r->result = r->loop;
    gndi_reduce_choose_reducer(r);
    return true;
}

static bool truth_dtypes(gndi_reduce_request *r) {
    const gnd_dtype asked = r->axes->dtype;
    r->loop = GND_BOOL;
    r->natural = r->result = r->reducer == GNDI_REDUCE_COUNT ? GND_INT64 : GND_BOOL;
    if (!asked || asked == r->natural) return true;
    gndi_raise(GND_ERROR_DTYPE, r->fn, "the result is always %s; dtype %s was asked for", gnd_dtype_name(r->natural),
               gnd_dtype_name(asked));
    return false;
}

static bool mean_dtypes(gndi_reduce_request *r) {
    const gnd_dtype asked = r->axes->dtype, in = (gnd_dtype)r->x->dtype;
    if (asked == GND_BOOL) { /* the sum is "or", which is all there is left to divide */
        r->loop = r->natural = r->result = GND_BOOL;
        r->reducer = GNDI_REDUCE_ANY;
        return true;
    }
    r->result = asked ? asked : is_inexact(in) ? in : GND_FLOAT64;
    r->loop = r->result;
    r->natural = gndi_dtype_is_int(r->loop) ? GND_FLOAT64 : r->loop;
    if (asked) return true;
    /* The sum of up to 2^31 integers of up to 32 bits is exact in 64. */
    if (!is_inexact(in) && gndi_dtype_sizes[in] <= 4 && r->x->size <= INT32_MAX)
        r->loop = gnd_dtype_kind(in) == 'u' ? GND_UINT64 : GND_INT64;
    if (shows_float32(r, in)) r->natural = r->loop = GND_FLOAT32;
    return true;
}

/* Real results of real or complex loops. */
static void real_dtypes(gndi_reduce_request *r, gnd_dtype asked) {
    const gnd_dtype in = (gnd_dtype)r->x->dtype;
    r->loop = asked ? asked : is_inexact(in) ? in : GND_FLOAT64;
    r->result = asked ? asked : real_of(r->loop);
    if (asked && gndi_dtype_is_complex(in) && !gndi_dtype_is_complex(asked))
        r->loop = complex_of(asked);
    else if (asked && gndi_dtype_is_complex(asked) && !gndi_dtype_is_complex(in))
        r->loop = real_of(asked);
    else if (shows_float32(r, r->loop))
        r->loop = GND_FLOAT32;
    r->natural = real_of(r->loop);
}

static bool variance_dtypes(gndi_reduce_request *r) {
    const gnd_dtype asked = r->axes->dtype;
    if (asked && !is_inexact(asked)) {
        gndi_raise(GND_ERROR_DTYPE, r->fn,
                   "dtype %s was asked for; deviations are computed in floating-point or complex "
                   "dtypes only (gnd_astype casts the result)",
                   gnd_dtype_name(asked));
        return false;
    }
    real_dtypes(r, asked);
    return true;
}

static bool range_dtypes(gndi_reduce_request *r) {
    const gnd_array *out = r->axes->out;
    r->loop = (gnd_dtype)r->x->dtype;
    if (out) r->loop = gnd_promote_types(r->loop, (gnd_dtype)out->dtype);
    r->natural = r->result = r->loop;
    if (r->loop != GND_BOOL) return true;
    gndi_raise(GND_ERROR_DTYPE, r->fn, "bool has no subtraction; gnd_any less gnd_all is what is meant, perhaps");
    return false;
}

bool gndi_reduce_choose_dtypes(gndi_reduce_request *r) {
    const gnd_dtype asked = r->axes->dtype;
    if (gndi_unlikely(asked && !gndi_dtype_valid((int)asked))) {
        gndi_raise(GND_ERROR_DTYPE, r->fn, "dtype %d is none of the dtypes", (int)asked);
        return false;
    }
    switch (r->rule) {
    case GNDI_RULE_FOLD: return fold_dtypes(r);
    case GNDI_RULE_TRUTH: return truth_dtypes(r);
    case GNDI_RULE_MEAN: return mean_dtypes(r);
    case GNDI_RULE_VARIANCE: return variance_dtypes(r);
    case GNDI_RULE_RANGE: return range_dtypes(r);
    case GNDI_RULE_NORM:
        real_dtypes(r, GND_DTYPE_NONE);
        if (r->reducer == GNDI_REDUCE_COUNT) r->loop = GND_BOOL, r->natural = GND_INT64;
        return true;
    case GNDI_RULE_INDEX:
        r->loop = (gnd_dtype)r->x->dtype;
        r->natural = r->result = GND_INT64;
        return true;
    case GNDI_RULE_PRODUCT:
        r->loop = asked ? asked : gnd_promote_types((gnd_dtype)r->x->dtype, (gnd_dtype)r->second->dtype);
        r->natural = r->result = r->loop;
        return true;
    }
    return false;
}

/* ---- operators ------------------------------------------------------------------------------ */

void gndi_reduce_choose_reducer(gndi_reduce_request *r) {
    const bool is_bool = r->loop == GND_BOOL;
    switch (r->op) {
    case GNDI_OP_add: r->reducer = is_bool ? GNDI_REDUCE_ANY : GNDI_REDUCE_SUM; return;
    case GNDI_OP_multiply: r->reducer = is_bool ? GNDI_REDUCE_ALL : GNDI_REDUCE_PRODUCT; return;
    case GNDI_OP_maximum: r->reducer = is_bool ? GNDI_REDUCE_ANY : GNDI_REDUCE_MAXIMUM; return;
    case GNDI_OP_minimum: r->reducer = is_bool ? GNDI_REDUCE_ALL : GNDI_REDUCE_MINIMUM; return;
    case GNDI_OP_logical_or: r->reducer = GNDI_REDUCE_ANY; return;
    case GNDI_OP_logical_and: r->reducer = GNDI_REDUCE_ALL; return;
    default: break;
    }
    r->reducer = GNDI_REDUCE_OPERATOR;
    if (r->op == GNDI_OP_fmax && !is_inexact(r->loop)) r->reducer = is_bool ? GNDI_REDUCE_ANY : GNDI_REDUCE_MAXIMUM;
    if (r->op == GNDI_OP_fmin && !is_inexact(r->loop)) r->reducer = is_bool ? GNDI_REDUCE_ALL : GNDI_REDUCE_MINIMUM;
    if (is_bool && r->op == GNDI_OP_bitwise_or) r->reducer = GNDI_REDUCE_ANY;
    if (is_bool && r->op == GNDI_OP_bitwise_and) r->reducer = GNDI_REDUCE_ALL;
}

/* A whole number in any dtype. */
static gndi_scalar whole(gnd_dtype dtype, int value) {
    gndi_scalar s;
    memset(&s, 0, sizeof s);
    switch (dtype) {
    case GND_BOOL: s.b = value != 0; break;
    case GND_FLOAT16: s.u16 = gnd_float_to_float16((float)value); break;
    case GND_BFLOAT16: s.u16 = gnd_float_to_bfloat16((float)value); break;
    case GND_FLOAT32:
    case GND_COMPLEX64: s.f32 = (float)value; break;
    case GND_FLOAT64:
    case GND_COMPLEX128: s.f64 = value; break;
    default: s.i64 = value; break; /* little-endian: right for the shorter ones too */
    }
    return s;
}

static gndi_scalar minus_infinity(gnd_dtype dtype) {
    gndi_scalar s;
    memset(&s, 0, sizeof s);
    switch (dtype) {
    case GND_FLOAT16: s.u16 = 0xfc00; break;
    case GND_BFLOAT16: s.u16 = 0xff80; break;
    case GND_FLOAT32: s.f32 = -__builtin_inff(); break;
    default: s.f64 = -__builtin_inf(); break;
    }
    return s;
}

bool gndi_reduce_identity(const gndi_reduce_request *r, gndi_scalar *start) {
    switch (r->reducer) {
    case GNDI_REDUCE_SUM: memset(start, 0, sizeof *start); return true;
    case GNDI_REDUCE_PRODUCT: *start = whole(r->loop, 1); return true;
    case GNDI_REDUCE_OPERATOR: break;
    case GNDI_REDUCE_MAXIMUM: /* |x| is never below 0 */
        memset(start, 0, sizeof *start);
        return r->map == GNDI_MAP_ABSOLUTE;
    default: memset(start, 0, sizeof *start); return false;
    }
    switch ((gndi_identity)gndi_ops[r->op].identity) {
    case ZERO:
    case FALSE_: *start = whole(r->loop, 0); return true;
    case ONE:
    case TRUE_: *start = whole(r->loop, 1); return true;
    case MINUS_ONE: *start = whole(r->loop, -1); return true;
    case MINUS_INF: *start = minus_infinity(r->loop); return true;
    case NONE: break;
    }
    memset(start, 0, sizeof *start);
    return false;
}
