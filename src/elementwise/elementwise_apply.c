/*
 * elementwise_apply.c: the full form by name, gnd_apply, and the operators that take numbers beside
 * their arguments (round, isclose, nan_to_num, angle).
 */
#include "array/view.h"
#include "elementwise/elementwise.h"
#include <math.h>

/* Defined here as functions; their macros wrap the arguments. */
#undef gnd_nan_to_num
#undef gnd_nan_to_num_into

/* ---- parameters ----------------------------------------------------------------------------- */

static gnd_status number_of(const char *fn, const char *what, gnd_arg a, double otherwise, double *value) {
    switch (a.kind) {
    case GND_ARG_NONE: *value = otherwise; return GND_OK;
    case GND_ARG_BOOL:
    case GND_ARG_INT: *value = (double)a.i; return GND_OK;
    case GND_ARG_UINT: *value = (double)a.u; return GND_OK;
    case GND_ARG_REAL: *value = a.re; return GND_OK;
    default:
        return gndi_raise(GND_ERROR_INVALID, fn, "%s must be a real C number, not %s", what,
                          a.kind == GND_ARG_ARRAY ? "an array" : "a complex number");
    }
}

/* The number of decimals: whole, and cut to where powers of ten are infinite or 0 anyway, so that
   kernels may take it for an int. */
static gnd_status decimals_of(const char *fn, gnd_arg a, double *decimals) {
    gnd_status status = number_of(fn, "decimals", a, 0, decimals);
    if (status) return status;
    if (*decimals != trunc(*decimals)) /* NaN too */
        return gndi_raise(GND_ERROR_VALUE, fn, "decimals must be a whole number, not %g", *decimals);
    *decimals = fmax(-999, fmin(999, *decimals));
    return GND_OK;
}

/* The parameters of an operator from the arguments after its operands; NONE is the default. */
static gnd_status set_params(gndi_ew_request *r, const gnd_arg *extra) {
    double *p = r->params;
    gnd_status status = GND_OK;
    switch (r->op) {
    case GNDI_OP_round: return decimals_of(r->fn, extra[0], &p[0]);
    case GNDI_OP_angle: return number_of(r->fn, "degrees", extra[0], 0, &p[0]);
    case GNDI_OP_isclose:
        status = number_of(r->fn, "rtol", extra[0], 1e-5, &p[0]);
        if (!status) status = number_of(r->fn, "atol", extra[1], 1e-8, &p[1]);
        if (!status) status = number_of(r->fn, "equal_nan", extra[2], 0, &p[2]);
        return status;
    case GNDI_OP_nan_to_num: /* p[3] says which are given; else the loop's own limits are taken */
        for (int i = 0; i < 3; i++) p[3] += extra[i].kind != GND_ARG_NONE ? (double)(1 << i) : 0;
        status = number_of(r->fn, "nan", extra[0], 0, &p[0]);
        if (!status) status = number_of(r->fn, "posinf", extra[1], 0, &p[1]);
        if (!status) status = number_of(r->fn, "neginf", extra[2], 0, &p[2]);
        return status;
    default: return GND_OK;
    }
}

/* How many parameters an operator takes after its operands. */
static int param_count(gndi_op op) {
    switch (op) {
    case GNDI_OP_round:
    case GNDI_OP_angle: return 1;
    case GNDI_OP_isclose:
    case GNDI_OP_nan_to_num: return 3;
    default: return 0;
    }
}

static gnd_array *with_params(gndi_op op, gnd_array *out, const gnd_arg *args, const gnd_arg *extra,
                              gnd_status *status) {
    gndi_ew_request r;
    gnd_array *result = NULL;
    memset(&r, 0, sizeof r);
    r.op = op, r.fn = out ? gndi_ops[op].fn_into : gndi_ops[op].fn, r.out[0] = out;
    for (int i = 0; i < gndi_ops[op].nin; i++) r.args[i] = args[i];
    *status = set_params(&r, extra);
    if (!*status) *status = gndi_elementwise(&r, &result);
    return result;
}

/* Both forms of a function with parameters. */
#define FORMS(name, formal, formal_into, operands, parameters)                                                         \
    gnd_array *(gnd_##name)formal {                                                                                    \
        gnd_status status;                                                                                             \
        return with_params(GNDI_OP_##name, NULL, operands, parameters, &status);                                       \
    }                                                                                                                  \
    gnd_status(gnd_##name##_into) formal_into {                                                                        \
        gnd_status status;                                                                                             \
        if (gndi_missing(out)) return gndi_raise_null(gndi_ops[GNDI_OP_##name].fn_into, "out");                        \
        with_params(GNDI_OP_##name, out, operands, parameters, &status);                                               \
        return status;                                                                                                 \
    }
#define LIST(...) ((const gnd_arg[]){__VA_ARGS__})

// gnd_round(), gnd_round_into()
FORMS(round, (gnd_arg x, int decimals), (gnd_array * out, gnd_arg x, int decimals), LIST(x),
      LIST(gnd_arg_int(decimals)))
// gnd_angle(), gnd_angle_into()
FORMS(angle, (gnd_arg z, bool degrees), (gnd_array * out, gnd_arg z, bool degrees), LIST(z),
      LIST(gnd_arg_bool(degrees)))
// gnd_isclose(), gnd_isclose_into()
FORMS(isclose, (gnd_arg x, gnd_arg y, double rtol, double atol, bool equal_nan),
      (gnd_array * out, gnd_arg x, gnd_arg y, double rtol, double atol, bool equal_nan), LIST(x, y),
      LIST(gnd_arg_real(rtol), gnd_arg_real(atol), gnd_arg_bool(equal_nan)))

/* ---- nan_to_num ----------------------------------------------------------------------------- */

/* part[...] = value where x's part is NaN, or one of the infinities. */
static gnd_status replace(const char *fn, gnd_array *part, const gnd_array *x, gndi_op is, gnd_arg value) {
    gnd_array *where = NULL;
    gndi_ew_request r = {.op = is, .fn = fn, .args = {gnd_arg_array(x)}};
    gnd_status status = gndi_elementwise(&r, &where);
    r = (gndi_ew_request){
        .op = GNDI_OP_copy, .fn = fn, .args = {value}, .out = {part}, .where = where, .dtype = (gnd_dtype)part->dtype};
    if (!status) status = gndi_elementwise(&r, NULL);
    gnd_release(where);
    return status;
}

static gnd_status replace_in_part(const char *fn, gnd_array *result, const gnd_array *x, bool imaginary,
                                  const gnd_arg *values) {
    static const uint8_t is[] = {GNDI_OP_isnan, GNDI_OP_isposinf, GNDI_OP_isneginf};
    gnd_array *to = gndi_complex_part(fn, result, imaginary);
    gnd_array *from = to ? gndi_complex_part(fn, x, imaginary) : NULL;
    gnd_status status = from ? GND_OK : gndi_ew_pending();
    for (int i = 0; i < 3 && !status; i++)
        if (values[i].kind == GND_ARG_ARRAY) status = replace(fn, to, from, is[i], values[i]);
    gnd_release(from), gnd_release(to);
    return status;
}

/* A new array for values of which some are arrays: these are assigned after the numbers. */
static gnd_array *replaced_by_arrays(const char *fn, gnd_arg x, const gnd_arg *values) {
    gnd_arg numbers[3];
    gnd_array *given = NULL, *result = NULL;
    gndi_ew_request r = {.op = GNDI_OP_nan_to_num, .fn = fn, .args = {x}};
    for (int i = 0; i < 3; i++) {
        const bool is_array = values[i].kind == GND_ARG_ARRAY;
        if (is_array && gndi_missing(values[i].array)) return gndi_raise_null(fn, "a replacement"), NULL;
        numbers[i] = is_array ? gnd_arg_none() : values[i];
    }
    if (set_params(&r, numbers) || gndi_elementwise(&r, &result)) return NULL;
    gnd_status status = GND_OK;
    if (result->dtype >= GND_FLOAT16) {
        if (x.kind != GND_ARG_ARRAY) { /* a number as an array */
            const gndi_ew_request copy = {.op = GNDI_OP_copy, .fn = fn, .args = {x}};
            status = gndi_elementwise(&copy, &given);
        }
        const gnd_array *from = given ? given : x.array;
        if (!status) status = replace_in_part(fn, result, from, false, values);
        if (!status && gndi_dtype_is_complex(result->dtype)) status = replace_in_part(fn, result, from, true, values);
    }
    gnd_release(given);
    if (!status) return result;
    gnd_release(result);
    return NULL;
}

static bool any_array(const gnd_arg *values) {
    return values[0].kind == GND_ARG_ARRAY || values[1].kind == GND_ARG_ARRAY || values[2].kind == GND_ARG_ARRAY;
}

gnd_array *gnd_nan_to_num(gnd_arg x, gnd_arg nan_value, gnd_arg posinf, gnd_arg neginf) {
    const gnd_arg values[] = {nan_value, posinf, neginf};
    gnd_status status;
    return any_array(values) ? replaced_by_arrays("gnd_nan_to_num", x, values)
                             : with_params(GNDI_OP_nan_to_num, NULL, &x, values, &status);
}

gnd_status gnd_nan_to_num_into(gnd_array *out, gnd_arg x, gnd_arg nan_value, gnd_arg posinf, gnd_arg neginf) {
    static const char fn[] = "gnd_nan_to_num_into";
    const gnd_arg values[] = {nan_value, posinf, neginf};
    gnd_status status;
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    if (!any_array(values)) {
        with_params(GNDI_OP_nan_to_num, out, &x, values, &status);
        return status;
    }
    gnd_array *result = replaced_by_arrays(fn, x, values);
    if (!result) return gndi_ew_pending();
    const gndi_ew_request copy = {
        .op = GNDI_OP_copy, .fn = fn, .args = {gnd_arg_array(result)}, .out = {out}, .dtype = (gnd_dtype)out->dtype};
    status = gndi_elementwise(&copy, NULL);
    gnd_release(result);
    return status;
}

/* ---- by name -------------------------------------------------------------------------------- */

static gnd_status check_options(const char *fn, const gnd_apply_options *o) {
    if (o->dtype && !gndi_dtype_valid((int)o->dtype))
        return gndi_raise(GND_ERROR_DTYPE, fn, "there is no dtype number %d", (int)o->dtype);
    if (o->order && !strchr("KCFA", o->order))
        return gndi_raise(GND_ERROR_INVALID, fn, "order must be 'K', 'C', 'F' or 'A', not '%c'", o->order);
    return GND_OK;
}

static gnd_status apply(const char *fn, const char *name, int nargs, const gnd_arg *args,
                        const gnd_apply_options *options, int nout, gnd_array **results) {
    if (!name || (nargs > 0 && !args)) return gndi_raise_null(fn, name ? "args" : "name");
    gndi_op op = gndi_op_find(name);
    if (op == GNDI_OP_COUNT || (gndi_ops[op].flags & INTERNAL))
        return gndi_raise(GND_ERROR_INVALID, fn, "there is no operator called \"%s\"", name);
    const gndi_op_info *info = &gndi_ops[op];
    if (info->nout != nout)
        return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" has %s; call %s", name,
                          info->nout == 1 ? "one result" : "two results",
                          info->nout == 1 ? "gnd_apply" : "gnd_apply_two");
    int most = info->nin + param_count(op);
    if (nargs < info->nin || nargs > most)
        return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" takes %d%s argument%s, not %d", name, info->nin,
                          most > info->nin ? " or more" : "", info->nin == 1 ? "" : "s", nargs);
    gndi_ew_request r;
    memset(&r, 0, sizeof r);
    r.op = op, r.fn = fn;
    if (options) {
        gnd_status status = check_options(fn, options);
        if (status) return status;
        r.where = options->where, r.dtype = options->dtype, r.casting = options->casting;
        r.order = options->order, r.out[0] = options->out[0], r.out[1] = options->out[1];
        if (gndi_optional_missing(fn, r.where, "where") || gndi_optional_missing(fn, r.out[0], "out[0]") ||
            gndi_optional_missing(fn, r.out[1], "out[1]"))
            return gndi_ew_pending();
        if (nout == 1 && r.out[1])
            return gndi_raise(GND_ERROR_INVALID, fn, "\"%s\" has one result; out[1] must be NULL", name);
    }
    gnd_arg extra[3] = {GND_NONE, GND_NONE, GND_NONE};
    for (int i = 0; i < info->nin; i++) r.args[i] = args[i];
    for (int i = info->nin; i < nargs; i++) extra[i - info->nin] = args[i];
    gnd_status status = set_params(&r, extra);
    /* New references to given outputs are made first, since nothing may fail once work has begun. */
    gnd_array *made[GNDI_MAX_OUT] = {NULL, NULL};
    for (int o = 0; o < nout && !status; o++)
        if (r.out[o] && !(made[o] = gndi_array_alias(fn, r.out[o]))) status = gndi_ew_pending();
    if (!status) status = gndi_elementwise(&r, results);
    for (int o = 0; o < nout; o++) {
        if (!r.out[o]) continue;
        if (status)
            gnd_release(made[o]);
        else
            results[o] = made[o];
    }
    return status;
}

gnd_array *gnd_apply(const char *name, int nargs, const gnd_arg *args, const gnd_apply_options *options) {
    gnd_array *result = NULL;
    return apply("gnd_apply", name, nargs, args, options, 1, &result) ? NULL : result;
}

gnd_status gnd_apply_two(gnd_array **first, gnd_array **second, const char *name, int nargs, const gnd_arg *args,
                         const gnd_apply_options *options) {
    gnd_array *results[2] = {NULL, NULL};
    if (!first || !second) return gndi_raise_null("gnd_apply_two", first ? "second" : "first");
    gnd_status status = apply("gnd_apply_two", name, nargs, args, options, 2, results);
    *first = results[0], *second = results[1];
    return status;
}
