/*
 * jit_parts.h: what the files of src/jit share: compilers, which make an *image* of a source, and
 * loaders, which make code of an image.
 *
 * An image is what is kept in the cache: the symbols that stand for the source's names, each with its
 * zero, and behind them what the loader takes (a cubin or PTX; a shared library).
 */
#ifndef GNDI_JIT_PARTS_H
#define GNDI_JIT_PARTS_H

#include "jit/jit.h"
#include "jit/text.h"

typedef struct gndi_jit_image {
    void *data;
    size_t bytes;
} gndi_jit_image;

/* Where the symbols end, and the rest. */
typedef struct gndi_jit_image_head {
    uint64_t symbol_bytes;
} gndi_jit_image_head;

/* An image of the symbols written so far and of `bytes` at `code`. */
gnd_status gndi_jit_make_image(const char *fn, const gndi_text *symbols, const void *code, size_t bytes,
                               gndi_jit_image *image);
const char *gndi_jit_image_symbols(const gndi_jit_image *image);
const void *gndi_jit_image_code(const gndi_jit_image *image, size_t *bytes);
/* Whether the numbers in it fit its size: it may come from a file. */
bool gndi_jit_image_sound(const gndi_jit_image *image);

/* Raises what a compiler said, and keeps it for gndi_jit_log. */
gnd_status gndi_jit_raise_log(const char *fn, const gndi_jit_source *source, const char *log);

/* nvrtc.c: for an architecture (90: sm_90). `about` adds what the image depends on but the source. */
gnd_status gndi_jit_nvrtc_about(const char *fn, int architecture, gndi_text *key);
gnd_status gndi_jit_nvrtc(const char *fn, int architecture, const gndi_jit_source *source, gndi_jit_image *image);

/* compiler.c: the system's, for this machine. */
gnd_status gndi_jit_compiler_about(const char *fn, gndi_text *key);
gnd_status gndi_jit_compiler(const char *fn, const gndi_jit_source *source, gndi_jit_image *image);
gnd_status gndi_jit_host_load(const char *fn, const void *code, size_t bytes, void **library);
void gndi_jit_host_unload(void *library);

/* Takes the disk cache or the compiler: the image of a source for an architecture, 0: for the CPU. */
gnd_status gndi_jit_image_of(const char *fn, int architecture, const gndi_jit_source *source, const gndi_text *key,
                             gndi_jit_image *image);
/* All that the image depends on. */
gnd_status gndi_jit_key(const char *fn, int architecture, const gndi_jit_source *source, gndi_text *key);

#ifdef GNDI_WITH_CUDA
/* load_cuda.c. Where a symbol is not found: GND_ERROR_VALUE, and nothing is raised. */
gnd_status gndi_jit_cuda_architecture(const char *fn, gndi_device *device, int *architecture);
gnd_status gndi_jit_cuda_load(const char *fn, gndi_device *device, const void *code, void **library);
void gndi_jit_cuda_unload(void *library);
gnd_status gndi_jit_cuda_find(const char *fn, gndi_device *device, void *library, const char *symbol,
                              gndi_jit_function *function);
gnd_status gndi_jit_cuda_variable(const char *fn, gndi_device *device, void *library, const char *symbol,
                                  void **address, size_t *bytes);
#endif

#endif
