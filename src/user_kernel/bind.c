/*
 * bind.c: binds the arguments of a call: resolves type variables and the signature, converts numbers to
 * elements, and converts loose bool arrays.
 */
#include "user_kernel/kernel.h"
#include "elementwise/truths.h"
#include <stdio.h>

static gnd_dtype dtype_of(gnd_arg arg) {
    return arg.kind == GND_ARG_ARRAY ? (gnd_dtype)arg.array->dtype : gndi_arg_default_dtype(arg);
}

/* ---- arguments in themselves ----------------------------------------------------------------- */

static gnd_status check_argument(const gndi_kernel_call *c, const gndi_kernel_param *p, gnd_arg arg) {
    if (arg.kind == GND_ARG_NONE)
        return gndi_raise(GND_ERROR_INVALID, c->fn, "%s: %s is GND_NONE; it needs an array%s", c->kernel->name, p->name,
                          p->raw ? "" : " or a number");
    if ((unsigned)arg.kind > GND_ARG_COMPLEX)
        return gndi_raise(GND_ERROR_INVALID, c->fn, "%s: %s has no valid kind (%d)", c->kernel->name, p->name,
                          (int)arg.kind);
    if (arg.kind == GND_ARG_ARRAY && gndi_missing(arg.array)) return gndi_raise_null(c->fn, p->name), gndi_ew_pending();
    if (arg.kind != GND_ARG_ARRAY && (p->raw || p->cores))
        return gndi_raise(GND_ERROR_INVALID, c->fn, "%s: %s is %s: it needs an array, not a number", c->kernel->name,
                          p->name, p->raw ? "raw" : "a parameter with core dimensions");
    return GND_OK;
}

static gnd_status check_devices(gndi_kernel_call *c, const gnd_arg *args) {
    const gnd_array *first = NULL;
    const char *called = NULL;
    gnd_status status = GND_OK;
    for (int k = 0; k < c->kernel->nin + c->kernel->nout && !status; k++) {
        const gnd_array *x = k >= c->kernel->nin             ? c->out[k - c->kernel->nin]
                             : args[k].kind == GND_ARG_ARRAY ? args[k].array
                                                             : NULL;
        if (!x) continue;
        const char *name = c->kernel->param[k].name;
        if (!first) first = x, called = name;
        status = gndi_check_together(c->fn, first, called, x, name);
    }
    if (status) return status;
    c->stream = first ? gndi_stream_on(first->buffer->device, c->fn) : gndi_stream_current(c->fn);
    return c->stream ? GND_OK : gndi_ew_pending();
}

/* ---- dtypes ---------------------------------------------------------------------------------- */

bool gndi_kernel_number_goes(gnd_arg arg, gnd_dtype dtype) {
    bool whole = arg.kind == GND_ARG_INT || arg.kind == GND_ARG_UINT;
    return (whole && gndi_dtype_is_int(dtype)) || gnd_can_cast(gndi_arg_default_dtype(arg), dtype, GND_SAME_KIND);
}

/* The first signature whose parameters all arguments reach safely. */
static gnd_status choose_signature(gndi_kernel_call *c, const gnd_arg *args) {
    const gnd_kernel *k = c->kernel;
    for (int s = 0; s < k->signatures; s++) {
        const gnd_dtype *types = k->signature + (size_t)s * GNDI_KERNEL_PARAMS;
        bool fits = true;
        for (int j = 0; j < k->nin && fits; j++)
            fits = args[j].kind == GND_ARG_ARRAY
                       ? gnd_can_cast((gnd_dtype)args[j].array->dtype, types[j], GND_SAFE)
                       : gndi_kernel_number_goes(args[j], types[j]) && gndi_ew_number_fits(args[j], types[j]);
        if (!fits) continue;
        for (int j = 0; j <= k->nin; j++) c->operand[j].type = types[j];
        return GND_OK;
    }
    char given[256] = "";
    size_t used = 0;
    for (int j = 0; j < k->nin && used < sizeof given - 32; j++)
        used += (size_t)snprintf(given + used, sizeof given - used, "%s%s%s", j ? ", " : "",
                                 args[j].kind == GND_ARG_ARRAY ? "" : "a number, ", gnd_dtype_name(dtype_of(args[j])));
    return gndi_raise(GND_ERROR_DTYPE, c->fn, "%s: none of the %d signatures takes (%s) without losing anything",
                      k->name, k->signatures, given);
}

/* What a type variable stands for: the arguments that have it, promoted; else given outputs. */
static gnd_status bind_variable(gndi_kernel_call *c, int variable, const gnd_arg *args,
                                const gnd_kernel_call_options *options) {
    const gnd_kernel *k = c->kernel;
    gnd_arg mine[GND_KERNEL_INPUTS];
    int count = 0;
    gnd_dtype bound = GND_DTYPE_NONE;
    for (int j = 0; j < k->nin; j++)
        if (!k->param[j].dtype && k->param[j].variable == variable) mine[count++] = args[j];
    if (count) {
        bound = gnd_result_type_n(count, mine);
        if (!bound) return gndi_ew_pending();
    }
    for (int j = k->nin; j < k->nin + k->nout && !bound; j++) {
        const int o = j - k->nin;
        if (k->param[j].dtype || k->param[j].variable != variable) continue;
        bound = c->out[o] ? (gnd_dtype)c->out[o]->dtype : options ? options->dtype[o] : 0;
        if (bound && !gndi_dtype_valid(bound))
            return gndi_raise(GND_ERROR_DTYPE, c->fn, "%s: there is no dtype number %d", k->name, (int)bound);
    }
    if (!bound)
        return gndi_raise(GND_ERROR_DTYPE, c->fn,
                          "%s: nothing decides what %s is: no input has it, and the output is not "
                          "given (nor options.dtype)",
                          k->name, k->variable[variable]);
    c->bound[variable] = bound;
    return GND_OK;
}

static gnd_status check_input(const gndi_kernel_call *c, int j, gnd_arg arg) {
    const gndi_kernel_param *p = &c->kernel->param[j];
    const gnd_dtype type = c->operand[j].type, from = dtype_of(arg);
    const bool exact = p->raw || p->cores;
    const bool ok = arg.kind != GND_ARG_ARRAY ? gndi_kernel_number_goes(arg, type)
                    : exact                   ? from == type
                                              : gnd_can_cast(from, type, GND_SAFE);
    if (ok) return GND_OK;
    return gndi_raise(
        GND_ERROR_DTYPE, c->fn, "%s: %s is %s%s, and the parameter %s; %s with gnd_astype", c->kernel->name, p->name,
        gnd_dtype_name(from), arg.kind == GND_ARG_ARRAY ? "" : ", a number", gnd_dtype_name(type),
        exact ? "arrays for the text are not converted on the way: convert it" : "it would lose something: convert it");
}

static gnd_status check_output(const gndi_kernel_call *c, int j) {
    const gndi_kernel_param *p = &c->kernel->param[j];
    const gnd_array *out = c->out[j - c->kernel->nin];
    const gnd_dtype type = c->operand[j].type;
    if (!out) {
        if (!p->raw) return GND_OK;
        return gndi_raise(GND_ERROR_INVALID, c->fn,
                          "%s: %s is a raw output: it must be given, its shape is nowhere else", c->kernel->name,
                          p->name);
    }
    if (out->flags & GNDI_READONLY)
        return gndi_raise(GND_ERROR_INVALID, c->fn,
                          "%s: the output %s %s is read-only, a broadcast view; write into a copy", c->kernel->name,
                          p->name, gndi_text_array(out));
    const bool exact = p->raw || p->cores;
    if (exact ? out->dtype == type : gnd_can_cast(type, (gnd_dtype)out->dtype, GND_SAME_KIND)) return GND_OK;
    return gndi_raise(GND_ERROR_DTYPE, c->fn, "%s: %s is computed in %s, and %s an output of %s", c->kernel->name,
                      p->name, gnd_dtype_name(type),
                      exact ? "is written by the text itself, so that it cannot go into"
                            : "casting \"same_kind\" does not allow",
                      gnd_dtype_name((gnd_dtype)out->dtype));
}

static gnd_status bind_types(gndi_kernel_call *c, const gnd_arg *args, const gnd_kernel_call_options *options) {
    const gnd_kernel *k = c->kernel;
    gnd_status status = GND_OK;
    if (k->signatures) return choose_signature(c, args);
    for (int v = 0; v < k->variables && !status; v++) status = bind_variable(c, v, args, options);
    for (int j = 0; j < k->nin + k->nout && !status; j++)
        c->operand[j].type = k->param[j].dtype ? k->param[j].dtype : c->bound[k->param[j].variable];
    return status;
}

gnd_status gndi_kernel_bind(gndi_kernel_call *c, int count, const gnd_arg *args,
                            const gnd_kernel_call_options *options) {
    const gnd_kernel *k = c->kernel;
    if (count != k->nin || (count && !args))
        return gndi_raise(GND_ERROR_INVALID, c->fn, "%s takes %d arguments; %d were given", k->name, k->nin, count);
    gnd_status status = GND_OK;
    c->count = k->nin + k->nout;
    for (int o = 0; o < k->nout && options; o++) {
        c->out[o] = options->out[o];
        if (gndi_optional_missing(c->fn, c->out[o], k->param[k->nin + o].name)) return gndi_ew_pending();
    }
    for (int j = 0; j < k->nin && !status; j++) status = check_argument(c, &k->param[j], args[j]);
    if (!status) status = check_devices(c, args);
    if (!status) status = bind_types(c, args, options);
    for (int j = 0; j < k->nin && !status; j++) {
        gndi_kernel_operand *x = &c->operand[j];
        status = check_input(c, j, args[j]);
        if (status) break;
        gnd_array *made = NULL;
        x->array = args[j].kind == GND_ARG_ARRAY ? gndi_truths(c->fn, args[j].array, &made) : NULL;
        if (made) c->temporary[c->temporaries++] = made;
        if (!x->array && args[j].kind == GND_ARG_ARRAY) return gndi_ew_pending();
        x->stored = x->array ? (gnd_dtype)x->array->dtype : x->type;
        x->view = k->param[j].raw || k->param[j].cores > 0;
        if (!x->array && !gndi_scalar_from_arg(c->fn, args[j], x->type, &x->value)) status = gndi_ew_pending();
    }
    for (int j = k->nin; j < c->count && !status; j++) {
        status = check_output(c, j);
        c->operand[j].written = true;
        c->operand[j].view = k->param[j].raw || k->param[j].cores > 0;
    }
    return status;
}
