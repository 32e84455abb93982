/*
 * test_hooks.c: functions for the tests, declared at the end of jit.h.
 */
#include "jit/jit_parts.h"

size_t gndi_test_jit_nvrtc(const char *fn, int architecture, const gndi_jit_source *source) {
    gndi_text key = {0};
    gndi_jit_image image = {0};
    gnd_status status = gndi_jit_key(fn, architecture, source, &key);
    if (!status) status = gndi_jit_image_of(fn, architecture, source, &key, &image);
    size_t bytes = 0;
    if (!status) gndi_jit_image_code(&image, &bytes);
    gndi_free(image.data);
    gndi_text_free(&key);
    return bytes;
}

void *gndi_test_jit_host(const char *fn, const gndi_jit_source *source, const char *name, size_t *bytes,
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

void *gndi_test_jit_background(const gndi_jit_source *source, const char *name, gndi_jit_module **module) {
    static const char fn[] = "gndi_test_jit_background";
    gndi_jit_function function = {0};
    gndi_device *device = gndi_device_get(gnd_cpu(), fn);
    gndi_jit_job *job = device ? gndi_jit_background(device, source) : NULL;
    *module = NULL;
    gndi_jit_settle();
    if (!job || !gndi_jit_done(job, module) || !*module) return NULL;
    gndi_jit_find(fn, *module, name, &function);
    return function.call;
}

void gndi_test_jit_release(gndi_jit_module *module) {
    gndi_jit_release(module);
}

const char *gndi_test_jit_log(void) {
    return gndi_jit_log();
}
