/*
 * object.c: kernels as objects.
 */
#include "user_kernel/kernel.h"

gnd_kernel *gndi_kernel_new(const char *fn, gndi_kernel_kind kind, const char *name, const char *body,
                            const gnd_kernel_options *options) {
    static const gnd_kernel_options none;
    if (!options) options = &none;
    if (!name) name = "kernel";
    if (!body) return gndi_raise(GND_ERROR_INVALID, fn, "the body is NULL"), NULL;
    if (!gndi_kernel_name_ok(fn, "the kernel's name", name, strlen(name)) || !gndi_check_brackets(fn, "body", body) ||
        !gndi_check_brackets(fn, "preamble", options->preamble ? options->preamble : ""))
        return NULL;
    if ((options->parallel || options->lanes) && kind != GNDI_KERNEL_CORES)
        return gndi_raise(GND_ERROR_INVALID, fn, "options.%s is for generalised ufuncs (gnd_guvectorize)",
                          options->parallel ? "parallel" : "lanes"),
               NULL;
    if (options->accumulator && kind != GNDI_KERNEL_REDUCTION)
        return gndi_raise(GND_ERROR_INVALID, fn, "options.accumulator is for reductions"), NULL;
    gnd_kernel *k = gndi_calloc(fn, sizeof *k);
    if (!k) return NULL;
    atomic_init(&k->refs, 1);
    k->kind = kind, k->contract = options->contract;
    strcpy(k->name, name);
    k->body = gndi_text_copy(fn, body);
    k->preamble = gndi_text_copy(fn, options->preamble);
    if (!k->body || !k->preamble) {
        gnd_kernel_release(k);
        return NULL;
    }
    k->counts = gndi_text_says(body, "i");
    k->indexes = gndi_text_says(body, "_ind");
    return gndi_owned("a kernel", k, fn);
}

static void release_variants(gnd_kernel *k) {
    while (k->variants) {
        gndi_kernel_variant *v = k->variants;
        k->variants = v->next;
        gndi_jit_release(v->module);
        gndi_free(v);
    }
}

void gnd_kernel_release(gnd_kernel *k) {
    if (!k || atomic_fetch_sub(&k->refs, 1) != 1) return;
    gndi_disowned(k);
    release_variants(k);
    if (k->function) k->release_function(k->function);
    char *const texts[] = {k->body, k->preamble, k->reduce, k->post, k->identity, k->accumulator};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) gndi_free(texts[t]);
    gndi_free(k->signature);
    gndi_lock_end(&k->lock);
    gndi_free(k);
}

const char *gnd_kernel_name(const gnd_kernel *kernel) {
    return kernel ? kernel->name : "";
}

const char *gnd_kernel_log(void) {
    return gndi_jit_log();
}

void gndi_kernel_call_start(gndi_kernel_call *c, gnd_kernel *k, const char *fn) {
    /* It is large, and strides need not be set. */
    memset(c, 0, offsetof(gndi_kernel_call, stride));
    c->kernel = k, c->fn = fn;
    c->contiguous = false, c->parallels = c->reduced = 0;
}

/* ---- for the tests --------------------------------------------------------------------------- */

static atomic_int tested_architecture;

void gndi_test_kernel_nvrtc(int architecture) {
    atomic_store(&tested_architecture, architecture);
}

int gndi_kernel_tested_architecture(void) {
    return atomic_load(&tested_architecture);
}
