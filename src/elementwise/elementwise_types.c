/*
 * elementwise_types.c: from arguments to a loop, as NumPy 2's ufuncs do it. Arrays are promoted
 * together, C numbers are weak, and the operator's first loop that holds the result safely is
 * taken. Integers of different signs are compared exactly, and so are numbers outside an array's
 * dtype.
 */
#include "elementwise/elementwise.h"
#include <math.h>

/* ---- numbers -------------------------------------------------------------------------------- */

static bool is_integer_number(gnd_arg a) {
    return a.kind == GND_ARG_INT || a.kind == GND_ARG_UINT;
}

/* The largest value of an integer dtype; the smallest is 0 or -max - 1. */
static uint64_t integer_max(gnd_dtype dtype) {
    int bits = 8 * gndi_dtype_sizes[dtype];
    bool is_signed = gnd_dtype_kind(dtype) == 'i';
    return UINT64_MAX >> (64 - bits + is_signed);
}

bool gndi_ew_number_fits(gnd_arg number, gnd_dtype dtype) {
    if (!gndi_dtype_is_int(dtype) || !is_integer_number(number)) return true;
    uint64_t max = integer_max(dtype);
    if (number.kind == GND_ARG_UINT || number.i >= 0) return number.u <= max;
    return gnd_dtype_kind(dtype) == 'i' && number.i >= -(int64_t)max - 1;
}

static bool is_below(gnd_arg number) {
    return number.kind == GND_ARG_INT && number.i < 0;
}

/* The smallest or largest value of an integer dtype, as a number. */
static gnd_arg integer_limit(gnd_dtype dtype, bool smallest) {
    bool is_signed = gnd_dtype_kind(dtype) == 'i';
    if (!smallest) return gnd_arg_uint(integer_max(dtype));
    return gnd_arg_int(is_signed ? -(int64_t)integer_max(dtype) - 1 : 0);
}

/* ---- comparisons ---------------------------------------------------------------------------- */

static bool is_comparison(gndi_op op) {
    return op >= GNDI_OP_equal && op <= GNDI_OP_greater_equal;
}

static gndi_op mirrored(gndi_op op) {
    switch (op) {
    case GNDI_OP_less: return GNDI_OP_greater;
    case GNDI_OP_less_equal: return GNDI_OP_greater_equal;
    case GNDI_OP_greater: return GNDI_OP_less;
    case GNDI_OP_greater_equal: return GNDI_OP_less_equal;
    default: return op;
    }
}

static gndi_op signed_against_unsigned(gndi_op op) {
    return (gndi_op)(GNDI_OP_equal_iu + (op - GNDI_OP_equal));
}

/*
 * An integer array against an integer that its dtype cannot hold: the answer is the same for all elements: that of a
 * comparison with the dtype's limit (x < 300 for uint8: x <= 255).
 */
static void compare_with_limit(gndi_ew_types *t, gnd_dtype dtype) {
    if (!is_integer_number(t->args[1])) { /* the number on the right */
        gnd_arg number = t->args[0];
        t->args[0] = t->args[1], t->args[1] = number;
        t->swapped = !t->swapped;
        t->op = mirrored(t->op);
    }
    bool below = is_below(t->args[1]), answer;
    switch (t->op) {
    case GNDI_OP_less:
    case GNDI_OP_less_equal: answer = !below; break;
    case GNDI_OP_greater:
    case GNDI_OP_greater_equal: answer = below; break;
    default: answer = t->op == GNDI_OP_not_equal;
    }
    t->op = answer ? GNDI_OP_greater_equal : GNDI_OP_less;
    t->args[1] = integer_limit(dtype, true);
}

/* ---- the common dtype ----------------------------------------------------------------------- */

/* Promotes the T arguments of the operator. */
static gnd_dtype common_dtype(const gndi_op_info *info, const gnd_arg *args) {
    gnd_dtype common = GND_DTYPE_NONE;
    for (int i = 0; i < info->nin; i++)
        if (args[i].kind == GND_ARG_ARRAY && info->in[i] == 'T') {
            gnd_dtype d = (gnd_dtype)args[i].array->dtype;
            common = common ? gnd_promote_types(common, d) : d;
        }
    bool arrays = common != GND_DTYPE_NONE;
    for (int i = 0; i < info->nin; i++)
        if (args[i].kind != GND_ARG_ARRAY && info->in[i] == 'T') {
            if (arrays) {
                common = gndi_promote_weak(common, args[i]);
            } else { /* nothing but numbers: each has the dtype it has alone */
                gnd_dtype d = gndi_arg_default_dtype(args[i]);
                common = common ? gnd_promote_types(common, d) : d;
            }
        }
    return common;
}

/*
 * The loop of an operator without integer loops: the first that holds each argument safely, which
 * may be narrower than one that holds their common dtype (int8 and uint8: float16, not int16's
 * float32).
 */
static gnd_dtype loop_of_each(gndi_op op, const gnd_arg *args, gnd_dtype common) {
    const gndi_op_info *info = &gndi_ops[op];
    gnd_dtype loop = GND_DTYPE_NONE, arrays = GND_DTYPE_NONE;
    if (info->nin != 2 || !gndi_dtype_is_int((int)common) || (info->loops & (GNDI_BIT(common) | GNDI_L_REST_TO_F64)))
        return gndi_op_loop(op, common);
    for (int i = 0; i < info->nin; i++) {
        if (args[i].kind != GND_ARG_ARRAY || info->in[i] != 'T') continue;
        gnd_dtype own = (gnd_dtype)args[i].array->dtype, d = gndi_op_loop(op, own);
        if (!d) return GND_DTYPE_NONE;
        arrays = arrays ? gnd_promote_types(arrays, own) : own;
        loop = loop ? gnd_promote_types(loop, d) : d;
    }
    return arrays == common ? loop : gndi_op_loop(op, common); /* otherwise a number made it wider */
}

/* The dtypes of the arguments, for a message: "uint8 and float32". */
static const char *argument_dtypes(const gndi_op_info *info, const gnd_arg *args, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < info->nin && used < capacity; i++) {
        const char *name = args[i].kind == GND_ARG_ARRAY     ? gnd_dtype_name((gnd_dtype)args[i].array->dtype)
                           : args[i].kind == GND_ARG_BOOL    ? "a bool"
                           : args[i].kind == GND_ARG_REAL    ? "a real number"
                           : args[i].kind == GND_ARG_COMPLEX ? "a complex number"
                                                             : "an integer";
        int n = snprintf(text + used, capacity - used, "%s%s", i == 0 ? "" : i == info->nin - 1 ? " and " : ", ", name);
        used += n > 0 ? (size_t)n : 0;
    }
    return text;
}

/* The dtypes an operator computes in, for a message: "int8, ..., float64". */
static const char *loop_names(const gndi_op_info *info, char *text, size_t capacity) {
    size_t used = 0;
    text[0] = 0;
    for (int d = 1; d < GND_DTYPE_COUNT && used < capacity; d++)
        if (info->loops & GNDI_BIT(d)) {
            int n = snprintf(text + used, capacity - used, "%s%s", used ? ", " : "", gnd_dtype_name((gnd_dtype)d));
            used += n > 0 ? (size_t)n : 0;
        }
    return text;
}

static gnd_status refuse_dtype(const gndi_ew_request *r, gnd_dtype common) {
    const gndi_op_info *info = &gndi_ops[r->op];
    char given[96], loops[192];
    if (common == GND_BOOL) {
        const char *instead = r->op == GNDI_OP_subtract   ? "use gnd_bitwise_xor or gnd_logical_xor"
                              : r->op == GNDI_OP_negative ? "use gnd_invert or gnd_logical_not"
                                                          : "convert with gnd_astype first";
        return gndi_raise(GND_ERROR_DTYPE, r->fn, "is not defined for bool; %s", instead);
    }
    return gndi_raise(GND_ERROR_DTYPE, r->fn,
                      "is not defined for %s; it computes in %s, and takes what can be cast to one "
                      "of them safely",
                      argument_dtypes(info, r->args, given, sizeof given), loop_names(info, loops, sizeof loops));
}

/* ---- dtype= and casting= -------------------------------------------------------------------- */

/* The loop that gives outputs of r->dtype; NONE if there is none. */
static gnd_dtype loop_for_output(const gndi_ew_request *r, gnd_dtype natural) {
    const gndi_op_info *info = &gndi_ops[r->op];
    switch (info->out[0]) {
    case 'T': return info->loops & GNDI_BIT(r->dtype) ? r->dtype : GND_DTYPE_NONE;
    case 'R':
        if (natural >= GND_COMPLEX64) {
            if (r->dtype == GND_FLOAT32) return GND_COMPLEX64;
            if (r->dtype == GND_FLOAT64) return GND_COMPLEX128;
        }
        return info->loops & GNDI_BIT(r->dtype) && r->dtype < GND_COMPLEX64 ? r->dtype : GND_DTYPE_NONE;
    default: return natural && gndi_letter_dtype(info->out[0], natural) == r->dtype ? natural : GND_DTYPE_NONE;
    }
}

static const char *casting_name(gnd_casting casting) {
    static const char *const names[] = {"same_kind", "no", "equiv", "safe", "unsafe"};
    return names[casting];
}

static gnd_status check_inputs(const gndi_ew_request *r, const gndi_ew_types *t) {
    const gndi_op_info *info = &gndi_ops[t->op];
    for (int i = 0; i < info->nin; i++) {
        if (info->in[i] == 'B') continue; /* a condition: any dtype, by its truth */
        bool array = t->args[i].kind == GND_ARG_ARRAY;
        gnd_dtype from = array ? (gnd_dtype)t->args[i].array->dtype : gndi_arg_default_dtype(t->args[i]);
        /* A weak number becomes any dtype of its kind or a higher one. */
        bool ok = array ? gnd_can_cast(from, t->in[i], r->casting)
                        : r->casting == GND_UNSAFE || gnd_can_cast(from, t->in[i], GND_SAME_KIND) ||
                              (is_integer_number(t->args[i]) && gndi_dtype_is_int(t->in[i]));
        if (!ok)
            return gndi_raise(GND_ERROR_DTYPE, r->fn,
                              "argument %d is %s and would have to be cast to %s, which casting "
                              "\"%s\" does not allow",
                              t->swapped ? 2 - i : i + 1, gnd_dtype_name(from), gnd_dtype_name(t->in[i]),
                              casting_name(r->casting));
    }
    return GND_OK;
}

static gnd_status check_outputs(const gndi_ew_request *r, const gndi_ew_types *t) {
    for (int i = 0; i < gndi_ops[t->op].nout; i++) {
        if (!r->out[i] || gnd_can_cast(t->out[i], (gnd_dtype)r->out[i]->dtype, r->casting)) continue;
        return gndi_raise(
            GND_ERROR_DTYPE, r->fn, "computes %s, which casting \"%s\" does not allow into an output of %s",
            gnd_dtype_name(t->out[i]), casting_name(r->casting), gnd_dtype_name((gnd_dtype)r->out[i]->dtype));
    }
    return GND_OK;
}

/* ldexp's exponent: any integer that int64 holds. */
static gnd_status check_exponent(const gndi_ew_request *r) {
    gnd_arg e = r->args[1];
    gnd_dtype d = e.kind == GND_ARG_ARRAY ? (gnd_dtype)e.array->dtype : gndi_arg_default_dtype(e);
    if (gnd_can_cast(d, GND_INT64, GND_SAFE)) return GND_OK;
    return gndi_raise(GND_ERROR_DTYPE, r->fn, "needs integer exponents that fit int64, not %s", gnd_dtype_name(d));
}

/* An integer to a negative power that is one number. Without elements it is no error. */
static gnd_status check_power(const gndi_ew_request *r, const gndi_ew_types *t) {
    if (!gndi_dtype_is_int(t->loop) || !is_below(t->args[1])) return GND_OK;
    if (t->args[0].kind == GND_ARG_ARRAY && t->args[0].array->size == 0) return GND_OK;
    return gndi_raise(GND_ERROR_VALUE, r->fn,
                      "integers to negative integer powers are not allowed (power %lld of %s); "
                      "use gnd_float_power or a float dtype",
                      (long long)t->args[1].i, gnd_dtype_name(t->loop));
}

/*
 * NumPy's fast paths of np.power for one number as exponent, and x^3. Complex numbers have rules about zero:
 * scalar_elementary.h. In 16 bits NumPy has no such paths, which shows at -0 and -infinity to the power 0.5.
 */
gndi_op gndi_ew_power_by(gnd_dtype loop, gnd_arg exponent) {
    const bool is_float = gndi_dtype_is_float(loop), is_complex = gndi_dtype_is_complex(loop);
    double e;
    switch (exponent.kind) {
    case GND_ARG_BOOL:
    case GND_ARG_INT: e = (double)exponent.i; break;
    case GND_ARG_UINT: e = (double)exponent.u; break;
    case GND_ARG_REAL: e = exponent.re; break;
    case GND_ARG_COMPLEX: e = exponent.im == 0 ? exponent.re : NAN; break;
    default: return GNDI_OP_power;
    }
    if (loop == GND_FLOAT32) e = (float)e;
    if (e == 0) return GNDI_OP_one;
    if (is_complex) return GNDI_OP_power;
    if (e == 1) return GNDI_OP_positive;
    if (e == 2) return GNDI_OP_square;
    if (e == 3) return GNDI_OP_cube;
    if (is_float && e == -1) return GNDI_OP_reciprocal;
    if (is_float && e == 0.5) return loop >= GND_FLOAT32 ? GNDI_OP_sqrt : GNDI_OP_root;
    return GNDI_OP_power;
}

/* ---- resolution ----------------------------------------------------------------------------- */

static void resolve_comparison(gndi_ew_types *t, gnd_dtype *common) {
    bool array0 = t->args[0].kind == GND_ARG_ARRAY, array1 = t->args[1].kind == GND_ARG_ARRAY;
    if (array0 && array1 && *common == GND_FLOAT64) {
        char k0 = gnd_dtype_kind((gnd_dtype)t->args[0].array->dtype);
        char k1 = gnd_dtype_kind((gnd_dtype)t->args[1].array->dtype);
        if (!(k0 == 'i' && k1 == 'u') && !(k0 == 'u' && k1 == 'i')) return;
        if (k0 == 'u') {
            gnd_arg first = t->args[0];
            t->args[0] = t->args[1], t->args[1] = first;
            t->swapped = true;
            t->op = mirrored(t->op);
        }
        t->op = signed_against_unsigned(t->op);
        *common = GND_INT64;
    } else if (array0 != array1 && gndi_dtype_is_int(*common)) {
        if (!gndi_ew_number_fits(t->args[array0 ? 1 : 0], *common)) compare_with_limit(t, *common);
    } else if (!array0 && !array1 && *common == GND_FLOAT64 && is_integer_number(t->args[0]) &&
               is_integer_number(t->args[1])) {
        /* Two C integers of which one is above 2^63: only the signed one can be the smaller. */
        if (!gndi_ew_number_fits(t->args[0], GND_INT64)) {
            gnd_arg first = t->args[0];
            t->args[0] = t->args[1], t->args[1] = first;
            t->swapped = true;
            t->op = mirrored(t->op);
        }
        t->op = signed_against_unsigned(t->op);
        *common = GND_INT64;
    }
}

/* clip's bounds may lie outside the array's dtype: the dtype's limit then gives the same result. */
static void fit_bounds(gndi_ew_types *t) {
    for (int i = 1; i < gndi_ops[t->op].nin; i++)
        if (t->args[i].kind != GND_ARG_ARRAY && !gndi_ew_number_fits(t->args[i], t->loop))
            t->args[i] = integer_limit(t->loop, is_below(t->args[i]));
}

/* The logical operators take numbers by their truth, whatever the array's dtype can hold. */
static gnd_arg truth_of(gnd_arg a) {
    switch (a.kind) {
    case GND_ARG_INT:
    case GND_ARG_UINT: return gnd_arg_bool(a.u != 0);
    case GND_ARG_REAL: return gnd_arg_bool(a.re != 0);
    case GND_ARG_COMPLEX: return gnd_arg_bool(a.re != 0 || a.im != 0);
    default: return a;
    }
}

gnd_status gndi_ew_resolve(const gndi_ew_request *r, gndi_ew_types *t) {
    bool logical = r->op >= GNDI_OP_logical_and && r->op <= GNDI_OP_logical_xor;
    t->op = r->op, t->swapped = false;
    for (int i = 0; i < GNDI_MAX_IN; i++) t->args[i] = logical ? truth_of(r->args[i]) : r->args[i];
    gnd_dtype common = common_dtype(&gndi_ops[r->op], t->args);
    if (is_comparison(r->op) && !r->dtype) resolve_comparison(t, &common);

    t->loop = loop_of_each(t->op, t->args, common);
    if (r->dtype) {
        gnd_dtype loop = loop_for_output(r, t->loop);
        if (!loop) {
            char given[96];
            return gndi_raise(GND_ERROR_DTYPE, r->fn, "has no loop that gives %s from %s", gnd_dtype_name(r->dtype),
                              argument_dtypes(&gndi_ops[r->op], r->args, given, sizeof given));
        }
        t->loop = loop;
    }
    if (!t->loop) return refuse_dtype(r, common);

    const gndi_op_info *info = &gndi_ops[t->op];
    for (int i = 0; i < info->nin; i++) t->in[i] = gndi_letter_dtype(info->in[i], t->loop);
    for (int i = 0; i < info->nout; i++) t->out[i] = gndi_letter_dtype(info->out[i], t->loop);

    gnd_status status = r->op == GNDI_OP_ldexp ? check_exponent(r) : GND_OK;
    if (!status) status = check_inputs(r, t);
    if (!status) status = check_outputs(r, t);
    if (!status && r->op == GNDI_OP_power) status = check_power(r, t);
    if (!status && (r->op == GNDI_OP_clip || r->clips)) fit_bounds(t);
    return status;
}
