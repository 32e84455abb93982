/*
 * jit.h: source text, compiled while the program runs, to code that can be called. On a GPU NVRTC makes
 * it, on the CPU the system's C++ compiler.
 *
 *     const char *names[] = {"scale<float>"};
 *     gndi_jit_source source = {.name = "gnd_kernel scale", .text = text, .names = names, .name_count = 1};
 *     gndi_jit_module *module;
 *     gndi_jit_function scale;
 *     status = gndi_jit_compile(fn, device, &source, &module);
 *     if (!status) status = gndi_jit_find(fn, module, "scale<float>", &scale);
 *     if (!status) status = gndi_jit_launch(fn, stream, &scale, grid, block, 0, arguments);
 *
 * The text is C++17 (CUDA C++ on a GPU) and may include gnd's own headers for kernels, by their names in
 * src: "kernels/scalar/scalar_ops.h" and what it includes, "reduce/reduce_ops.h", "random/random_engines.h".
 * There are no standard headers on a GPU, but <stdint.h> and <stdbool.h>. `#line 1 "name"` in front of a
 * user's lines makes the compiler's messages name them.
 *
 * What was compiled is kept in memory and in a directory (jit_cache.h). No function here waits for work on
 * a device; compiling takes 0.1 to 2 s.
 */
#ifndef GNDI_JIT_H
#define GNDI_JIT_H

#include "runtime/runtime.h"

typedef struct gndi_jit_source {
    const char *text;
    const char *name; /* what messages call it, and what the compiler calls the text's file */
    /* Functions and variables to look up later that are not extern "C": expressions as in C++,
       "kernel<float, 4>" for a function, "&table" for a variable (one of __constant__ or __device__
       memory on a GPU). */
    const char *const *names;
    int name_count;
    const char *const *options; /* for the compiler, besides those it always gets: "-DN=4" */
    int option_count;
    bool contract; /* a product and a sum may round once, where the text does not say m::mul and m::add */
    bool own;      /* its variables are nobody else's: loaded anew, though not compiled anew */
} gndi_jit_source;

typedef struct gndi_jit_module gndi_jit_module;

/* Compiles, or finds what was compiled before, and loads it for the device. GND_ERROR_VALUE with the
   compiler's words if the text is wrong, GND_ERROR_UNAVAILABLE if there is no compiler. Equal sources give
   the same module, unless it is to be the caller's own. Whoever asks while another thread compiles the
   same waits for that. */
gnd_status gndi_jit_compile(const char *fn, gndi_device *device, const gndi_jit_source *source,
                            gndi_jit_module **module);
/* Modules that nobody holds are kept for a while, and their code with them. NULL: nothing. */
void gndi_jit_release(gndi_jit_module *module);
/* All that the compiler said when the calling thread's last compilation failed: an error's sentence has
   room for the beginning only. "" if none has. Valid until the next one. */
const char *gndi_jit_log(void);

/* A function, good for as long as the module is held. */
typedef struct gndi_jit_function {
    void *call; /* on the CPU a function pointer; on a GPU what gndi_jit_launch takes */
    /* Of a kernel on a GPU; else 0. */
    int max_threads;     /* in a block */
    int registers;       /* a thread's */
    size_t shared_bytes; /* the static part */
    size_t local_bytes;  /* a thread's, beyond registers */
} gndi_jit_function;

/* By a name of the source's list or an extern "C" name. GND_ERROR_VALUE if there is none. */
gnd_status gndi_jit_find(const char *fn, gndi_jit_module *module, const char *name, gndi_jit_function *function);
/* A variable's address (on a GPU: the device's) and size; "&table", or the name of an extern "C" one. The
   size is 0 on the CPU for one that is not in the list. */
gnd_status gndi_jit_variable(const char *fn, gndi_jit_module *module, const char *name, void **address, size_t *bytes);

/* Launches a kernel on a stream of the device that its module was loaded for. `arguments`: the address of
   each. More dynamic shared memory than a kernel may have unasked is asked for. GPUs only: on the CPU
   callers call. */
gnd_status gndi_jit_launch(const char *fn, gnd_stream *s, const gndi_jit_function *function, const unsigned grid[3],
                           const unsigned block[3], size_t shared_bytes, void **arguments);

/* The same in the background, on a thread of its own, one after the other. NULL if it cannot even be
   tried (no memory, no thread, a hundred waiting). The source is copied. */
typedef struct gndi_jit_job gndi_jit_job;
gndi_jit_job *gndi_jit_background(gndi_device *device, const gndi_jit_source *source);
/* Whether it has been tried; then *module is what gndi_jit_compile would have given, NULL if it failed, and
   the job is gone. No error is raised. */
bool gndi_jit_done(gndi_jit_job *job, gndi_jit_module **module);
/* Waits until all jobs have been tried. */
void gndi_jit_settle(void);

/* The size of what NVRTC makes of a source for an architecture (90 is sm_90), as gndi_jit_compile would; 0 and an
   error if it fails. */
size_t gndi_jit_nvrtc_size(const char *fn, int architecture, const gndi_jit_source *source);

#endif
