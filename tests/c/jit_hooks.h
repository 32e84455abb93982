/*
 * jit_hooks.h: what the tests ask of src/jit, for programs that link the static library.
 */
#ifndef GND_TESTS_JIT_HOOKS_H
#define GND_TESTS_JIT_HOOKS_H

#include "jit/jit.h"
#include "runtime/runtime.h"

/* On the CPU: a source's function, or its variable ("&table") and its size; *module is to be given to
   gndi_jit_release. */
static inline void *jit_host(const char *fn, const gndi_jit_source *source, const char *name, size_t *bytes,
                             gndi_jit_module **module) {
    gndi_jit_function function = {0};
    void *variable = NULL;
    gndi_device *device = gndi_device_get(gnd_cpu(), fn);
    *module = NULL;
    if (!device || gndi_jit_compile(fn, device, source, module)) return NULL;
    if (*name == '&')
        gndi_jit_variable(fn, *module, name, &variable, bytes);
    else
        gndi_jit_find(fn, *module, name, &function);
    return *name == '&' ? variable : function.call;
}

/* The same in the background, and waits for it. */
static inline void *jit_background(const gndi_jit_source *source, const char *name, gndi_jit_module **module) {
    gndi_jit_function function = {0};
    gndi_device *device = gndi_device_get(gnd_cpu(), "jit_background");
    gndi_jit_job *job = device ? gndi_jit_background(device, source) : NULL;
    *module = NULL;
    gndi_jit_settle();
    if (!job || !gndi_jit_done(job, module) || !*module) return NULL;
    gndi_jit_find("jit_background", *module, name, &function);
    return function.call;
}

#endif
