/*
 * elementwise.c: creates elementwise kernels, scalar functions and generalised ufuncs.
 */
#include "user_kernel/kernel.h"

/* The kernel, or NULL after a failure. */
static gnd_kernel *finished(gnd_kernel *k, bool good) {
    if (good) return k;
    gnd_kernel_release(k);
    return NULL;
}

static bool parse_lists(const char *fn, gnd_kernel *k, const char *inputs, const char *outputs) {
    if (!gndi_kernel_parse_params(fn, k, "inputs", inputs, &k->nin, 0, GND_KERNEL_INPUTS) ||
        !gndi_kernel_parse_params(fn, k, "outputs", outputs, &k->nout, k->nin, GND_KERNEL_OUTPUTS))
        return false;
    if (k->nout == 0) return gndi_raise(GND_ERROR_INVALID, fn, "the list of outputs is empty: a kernel has one"), false;
    return true;
}

gnd_kernel *gnd_kernel_elementwise(const char *inputs, const char *outputs, const char *body, const char *name,
                                   const gnd_kernel_options *options) {
    static const char fn[] = "gnd_kernel_elementwise";
    gnd_kernel *k = gndi_kernel_new(fn, GNDI_KERNEL_ELEMENTS, name, body, options);
    return k ? finished(k, parse_lists(fn, k, inputs, outputs)) : NULL;
}

gnd_kernel *gnd_vectorize(const char *signatures, const char *body, const char *name,
                          const gnd_kernel_options *options) {
    static const char fn[] = "gnd_vectorize";
    gnd_kernel *k = gndi_kernel_new(fn, GNDI_KERNEL_ELEMENTS, name, body, options);
    if (!k) return NULL;
    k->counts = k->indexes = false; /* a function of numbers knows of no index */
    k->expression = !gndi_text_says(body, ";") && !gndi_text_says(body, "return");
    return finished(k, gndi_kernel_parse_signatures(fn, k, signatures));
}

static bool check_lanes(const char *fn, gnd_kernel *k, const gnd_kernel_options *options) {
    k->lanes = options ? options->lanes : 0;
    if (k->lanes >= 0 && k->lanes <= 1024 && (k->lanes & (k->lanes - 1)) == 0) return true;
    return gndi_raise(GND_ERROR_INVALID, fn, "options.lanes is %d; powers of two up to 1024 are possible", k->lanes),
           false;
}

/* The body runs several times for a core: there is no one to store an output without one. */
static bool check_parallel(const char *fn, const gnd_kernel *k) {
    for (int j = k->nin; j < k->nin + k->nout && k->parallels; j++)
        if (k->param[j].cores == 0)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "options.parallel needs core dimensions of all outputs; %s has none", k->param[j].name),
                   false;
    return true;
}

static bool check_no_raw(const char *fn, const gnd_kernel *k) {
    for (int j = 0; j < k->nin + k->nout; j++)
        if (k->param[j].raw)
            return gndi_raise(GND_ERROR_INVALID, fn,
                              "%s is raw: parameters of a generalised ufunc have core dimensions", k->param[j].name),
                   false;
    return true;
}

gnd_kernel *gnd_guvectorize(const char *signature, const char *inputs, const char *outputs, const char *body,
                            const char *name, const gnd_kernel_options *options) {
    static const char fn[] = "gnd_guvectorize";
    gnd_kernel *k = gndi_kernel_new(fn, GNDI_KERNEL_CORES, name, body, options);
    if (!k) return NULL;
    return finished(k, parse_lists(fn, k, inputs, outputs) && check_no_raw(fn, k) &&
                           gndi_kernel_parse_cores(fn, k, signature) &&
                           gndi_kernel_parse_parallel(fn, k, options ? options->parallel : NULL) &&
                           check_parallel(fn, k) && check_lanes(fn, k, options));
}
