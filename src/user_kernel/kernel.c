/*
 * kernel.c: functions shared by calls of all kinds of kernels.
 */
#include "user_kernel/kernel.h"
#include <stdio.h>

/* ---- calls ----------------------------------------------------------------------------------- */

static gnd_status check_kernel(const char *fn, const gnd_kernel *k) {
    if (!k) {
        if (!gnd_error()) gndi_raise(GND_ERROR_INVALID, fn, "the kernel is NULL");
        return gndi_ew_pending();
    }
    if (k->kind == GNDI_KERNEL_LAUNCHED)
        return gndi_raise(GND_ERROR_INVALID, fn,
                          "%s is a function of a module: gnd_launch takes it, with a grid and a block", k->name);
    return GND_OK;
}

gnd_status gndi_kernel_apply(const char *fn, gnd_array **results, gnd_kernel *k, int count, const gnd_arg *args,
                             const gnd_kernel_call_options *options) {
    gndi_kernel_call c;
    gndi_kernel_call_start(&c, k, fn);
    gnd_status status = gndi_kernel_bind(&c, count, args, options);
    if (!status) status = gndi_kernel_shape(&c, options);
    if (!status && c.ndim + k->parallels > GND_MAX_DIMS)
        status = gndi_raise(GND_ERROR_SHAPE, fn, "%s: %d loop axes and %d parallel ones are more than %d", k->name,
                            c.ndim, k->parallels, GND_MAX_DIMS);
    if (!status) {
        gndi_kernel_plan(&c);
        if (c.size) status = gndi_kernel_run(&c);
    }
    gnd_array *also[GND_KERNEL_OUTPUTS] = {0}; /* references to given outputs */
    for (int o = 0; o < k->nout && results && !status; o++)
        if (!c.made[o] && !(also[o] = gndi_array_alias(fn, c.out[o]))) status = gndi_ew_pending();
    gndi_kernel_call_end(&c, status);
    for (int o = 0; o < k->nout && results; o++)
        if (status)
            gnd_release(also[o]);
        else
            results[o] = c.made[o] ? c.out[o] : also[o];
    return status;
}

gnd_status gnd_kernel_apply(gnd_array **results, gnd_kernel *kernel, int count, const gnd_arg *args,
                            const gnd_kernel_call_options *options) {
    static const char fn[] = "gnd_kernel_apply";
    gnd_status status = check_kernel(fn, kernel);
    if (status) return status;
    for (int o = 0; o < kernel->nout && !results; o++)
        if (!options || !options->out[o])
            return gndi_raise(GND_ERROR_INVALID, fn, "%s: results is NULL, and the output %s is not given",
                              kernel->name, kernel->param[kernel->nin + o].name);
    for (int o = kernel->nout; options && o < GND_KERNEL_OUTPUTS; o++)
        if (options->out[o])
            return gndi_raise(GND_ERROR_INVALID, fn, "%s has %d outputs; options.out[%d] is given", kernel->name,
                              kernel->nout, o);
    if (kernel->kind != GNDI_KERNEL_REDUCTION) return gndi_kernel_apply(fn, results, kernel, count, args, options);
    gnd_axes axes = {.out = options ? options->out[0] : NULL};
    gnd_array *result;
    if (options && options->shape)
        return gndi_raise(GND_ERROR_INVALID, fn, "%s: a reduction takes no shape", kernel->name);
    status = gndi_kernel_apply_reduction(fn, &result, kernel, count, args, &axes);
    if (status) return status;
    if (results)
        results[0] = result;
    else
        gnd_release(result);
    return GND_OK;
}

static gnd_status check_one_output(const char *fn, const gnd_kernel *k) {
    gnd_status status = check_kernel(fn, k);
    if (status || k->nout == 1) return status;
    return gndi_raise(GND_ERROR_INVALID, fn, "%s has %d outputs: gnd_kernel_apply gives them", k->name, k->nout);
}

static gnd_status call(const char *fn, gnd_array *out, gnd_array **result, gnd_kernel *k, int count,
                       const gnd_arg *args) {
    gnd_status status = check_one_output(fn, k);
    if (status) return status;
    if (k->kind == GNDI_KERNEL_REDUCTION) {
        gnd_axes axes = {.out = out};
        return gndi_kernel_apply_reduction(fn, result, k, count, args, &axes);
    }
    gnd_kernel_call_options options = {.out = {out}};
    return gndi_kernel_apply(fn, result, k, count, args, &options);
}

gnd_array *gnd_kernel_call(gnd_kernel *kernel, int count, const gnd_arg *args) {
    gnd_array *result;
    return call("gnd_kernel_call", NULL, &result, kernel, count, args) ? NULL : result;
}

gnd_status gnd_kernel_call_into(gnd_array *out, gnd_kernel *kernel, int count, const gnd_arg *args) {
    static const char fn[] = "gnd_kernel_call_into";
    if (gndi_missing(out)) return gndi_raise_null(fn, "out");
    gnd_array *result = NULL;
    gnd_status status = call(fn, out, &result, kernel, count, args);
    if (!status) gnd_release(result);
    return status;
}

gnd_array *gnd_kernel_reduce(gnd_kernel *kernel, int count, const gnd_arg *args, gnd_axes axes) {
    static const char fn[] = "gnd_kernel_reduce";
    if (check_kernel(fn, kernel)) return NULL;
    if (kernel->kind != GNDI_KERNEL_REDUCTION)
        return gndi_fail(GND_ERROR_INVALID, fn, "%s is no reduction: gnd_kernel_call takes it", kernel->name);
    gnd_array *result;
    return gndi_kernel_apply_reduction(fn, &result, kernel, count, args, &axes) ? NULL : result;
}
