/*
 * nvrtc.c: compiles CUDA C++ to GPU machine code with NVRTC. That needs neither a GPU nor its driver.
 */
#include "jit/jit_headers.h"
#include "jit/jit_parts.h"
#include "libraries/library_tables.h"
#include <stdio.h>
#include <stdlib.h>

enum { NVRTC_OK = 0, NVRTC_OUT_OF_MEMORY = 1, NVRTC_BUILTINS_MISSING = 7 };

/* The standard headers that gnd's own include. */
static const char stdint_text[] = "#pragma once\n"
                                  "typedef signed char int8_t;\n"
                                  "typedef unsigned char uint8_t;\n"
                                  "typedef short int16_t;\n"
                                  "typedef unsigned short uint16_t;\n"
                                  "typedef int int32_t;\n"
                                  "typedef unsigned int uint32_t;\n"
                                  "typedef long int64_t;\n"
                                  "typedef unsigned long uint64_t;\n"
                                  "typedef long intptr_t;\n"
                                  "typedef unsigned long uintptr_t;\n"
                                  "#define INT8_MIN (-128)\n#define INT8_MAX 127\n"
                                  "#define UINT8_MAX 255\n"
                                  "#define INT16_MIN (-32768)\n#define INT16_MAX 32767\n"
                                  "#define UINT16_MAX 65535\n"
                                  "#define INT32_MIN (-2147483647 - 1)\n"
                                  "#define INT32_MAX 2147483647\n"
                                  "#define UINT32_MAX 4294967295u\n"
                                  "#define INT64_MIN (-9223372036854775807l - 1)\n"
                                  "#define INT64_MAX 9223372036854775807l\n"
                                  "#define UINT64_MAX 18446744073709551615ul\n";

/* ---- what texts may include ----------------------------------------------------------------- */

/* Headers include one another by their names in src, or by their own alone. */
typedef struct included {
    int count;
    const char **names, **texts;
} included;

static gnd_status list_included(const char *fn, included *list) {
    enum { STANDARD = 2 };
    const size_t capacity = (size_t)(2 * gndi_jit_header_count + STANDARD);
    list->names = gndi_malloc(fn, 2 * capacity * sizeof *list->names);
    if (!list->names) return GND_ERROR_MEMORY;
    list->texts = list->names + capacity;
    list->count = 0;
    for (int i = 0; i < gndi_jit_header_count; i++) {
        const char *name = gndi_jit_headers[i].name, *slash = strrchr(name, '/');
        list->names[list->count] = name;
        list->texts[list->count++] = gndi_jit_headers[i].text;
        if (!slash) continue;
        list->names[list->count] = slash + 1;
        list->texts[list->count++] = gndi_jit_headers[i].text;
    }
    list->names[list->count] = "stdint.h";
    list->texts[list->count++] = stdint_text;
    list->names[list->count] = "stdbool.h";
    list->texts[list->count++] = "";
    return GND_OK;
}

/* ---- architectures -------------------------------------------------------------------------- */

/* The best that NVRTC can do for a GPU: its machine code, or, of a GPU that is newer than NVRTC, PTX. 0 if
   it is too old. */
static int choose_architecture(const gndi_nvrtc *nvrtc, int architecture, bool *ptx) {
    int count = 0, best = 0;
    *ptx = false;
    if (nvrtc->nvrtcGetNumSupportedArchs(&count) || count <= 0) return architecture;
    int *known = gndi_malloc(NULL, (size_t)count * sizeof *known);
    if (!known || nvrtc->nvrtcGetSupportedArchs(known)) {
        gndi_free(known);
        return architecture;
    }
    for (int i = 0; i < count; i++)
        if (known[i] <= architecture && known[i] > best) best = known[i];
    gndi_free(known);
    *ptx = best != architecture;
    return best;
}

gnd_status gndi_jit_nvrtc_about(const char *fn, int architecture, gndi_text *key) {
    const gndi_nvrtc *nvrtc = gndi_nvrtc_get(fn);
    if (!nvrtc) return GND_ERROR_UNAVAILABLE;
    int major = 0, minor = 0;
    nvrtc->nvrtcVersion(&major, &minor);
    gndi_text_add(key, "NVRTC %d.%d sm_%d", major, minor, architecture);
    gndi_text_add_field(key, "");
    return GND_OK;
}

/* ---- compiling ------------------------------------------------------------------------------ */

/* What went wrong, with what NVRTC says of it. */
static gnd_status raise_nvrtc(const char *fn, const gndi_nvrtc *nvrtc, void *program, int result,
                              const gndi_jit_source *source) {
    if (result == NVRTC_OUT_OF_MEMORY)
        return gndi_raise(GND_ERROR_MEMORY, fn, "NVRTC is out of memory, compiling %s", source->name);
    if (result == NVRTC_BUILTINS_MISSING)
        return gndi_raise(GND_ERROR_UNAVAILABLE, fn,
                          "NVRTC does not find its own libnvrtc-builtins, which comes with the "
                          "CUDA toolkit (package cuda-nvrtc-13-0)");
    size_t bytes = 0;
    char *log = NULL;
    if (!nvrtc->nvrtcGetProgramLogSize(program, &bytes) && bytes > 1) log = gndi_calloc(fn, bytes + 1);
    if (log && nvrtc->nvrtcGetProgramLog(program, log)) *log = 0;
    const gnd_status status = gndi_jit_raise_log(fn, source, log && *log ? log : nvrtc->nvrtcGetErrorString(result));
    gndi_free(log);
    return status;
}

static int get_code(const gndi_nvrtc *nvrtc, void *program, bool ptx, char **code, size_t *bytes) {
    int result = ptx ? nvrtc->nvrtcGetPTXSize(program, bytes) : nvrtc->nvrtcGetCUBINSize(program, bytes);
    if (result) return result;
    *code = gndi_malloc(NULL, *bytes);
    if (!*code) return NVRTC_OUT_OF_MEMORY;
    return ptx ? nvrtc->nvrtcGetPTX(program, *code) : nvrtc->nvrtcGetCUBIN(program, *code);
}

static gnd_status read_image(const char *fn, const gndi_nvrtc *nvrtc, void *program, bool ptx,
                             const gndi_jit_source *source, gndi_jit_image *image) {
    gndi_text symbols = {0};
    char *code = NULL;
    size_t bytes = 0;
    int result = 0;
    for (int i = 0; i < source->name_count && !result; i++) {
        const char *symbol = NULL;
        result = nvrtc->nvrtcGetLoweredName(program, source->names[i], &symbol);
        if (!result) gndi_text_add_field(&symbols, symbol);
    }
    if (!result) result = get_code(nvrtc, program, ptx, &code, &bytes);
    const gnd_status status = result ? raise_nvrtc(fn, nvrtc, program, result, source)
                                     : gndi_jit_make_image(fn, &symbols, code, bytes, image);
    gndi_free(code);
    gndi_text_free(&symbols);
    return status;
}

/* Contraction: where texts are gnd's own, functors were compiled with it ahead of time, too, and what is not
   to be contracted says so (m::mul). It is the source's to choose. */
static gnd_status compile(const char *fn, const gndi_nvrtc *nvrtc, void *program, int architecture, bool ptx,
                          const gndi_jit_source *source, gndi_jit_image *image) {
    enum { ALWAYS = 8 };
    char target[32];
    snprintf(target, sizeof target, "-arch=%s_%d", ptx ? "compute" : "sm", architecture);
    const char *always[ALWAYS] = {target,
                                  "-std=c++17",
                                  "-default-device",
                                  "-ftz=false",
                                  "-prec-div=true",
                                  "-prec-sqrt=true",
                                  source->contract ? "-fmad=true" : "-fmad=false",
                                  "-w"};
    const char **options = gndi_malloc(fn, (size_t)(ALWAYS + source->option_count) * sizeof *options);
    if (!options) return GND_ERROR_MEMORY;
    memcpy(options, always, sizeof always);
    for (int i = 0; i < source->option_count; i++) options[ALWAYS + i] = source->options[i];
    int result = 0;
    for (int i = 0; i < source->name_count && !result; i++)
        result = nvrtc->nvrtcAddNameExpression(program, source->names[i]);
    if (!result) result = nvrtc->nvrtcCompileProgram(program, ALWAYS + source->option_count, options);
    gndi_free(options);
    if (result) return raise_nvrtc(fn, nvrtc, program, result, source);
    return read_image(fn, nvrtc, program, ptx, source, image);
}

gnd_status gndi_jit_nvrtc(const char *fn, int architecture, const gndi_jit_source *source, gndi_jit_image *image) {
    const gndi_nvrtc *nvrtc = gndi_nvrtc_get(fn);
    if (!nvrtc) return GND_ERROR_UNAVAILABLE;
    bool ptx;
    const int chosen = choose_architecture(nvrtc, architecture, &ptx);
    if (!chosen)
        return gndi_raise(GND_ERROR_UNAVAILABLE, fn,
                          "this NVRTC does not compile for GPUs of compute capability %d.%d any "
                          "more; one of an older CUDA toolkit does",
                          architecture / 10, architecture % 10);
    included headers;
    gnd_status status = list_included(fn, &headers);
    if (status) return status;
    void *program = NULL;
    const int result =
        nvrtc->nvrtcCreateProgram(&program, source->text, source->name, headers.count, headers.texts, headers.names);
    status = result ? raise_nvrtc(fn, nvrtc, program, result, source)
                    : compile(fn, nvrtc, program, chosen, ptx, source, image);
    if (program) nvrtc->nvrtcDestroyProgram(&program);
    gndi_free(headers.names);
    return status;
}
