/*
 * gnd/library.h: how gnd was built, and the libraries that it loads at run time.
 *
 * cuBLAS, cuSOLVER, cuFFT, OpenBLAS, FFTW and the like are opened by the first function that needs them,
 * since opening some takes longer than a whole small program. A function whose library is missing fails with
 * GND_ERROR_UNAVAILABLE and names the package that has it. They are looked for where the system's loader
 * looks, then in the lib64 folders of CUDA_HOME, CUDA_PATH and /usr/local/cuda. GND_WITHOUT=cuBLAS,FFTW in
 * the environment makes gnd do without the libraries named.
 *
 * Kernels that are compiled while a program runs (gnd/fuse.h, gnd/kernel.h, gnd/module.h) are made by NVRTC,
 * on the CPU by $CXX, else c++, g++ or clang++. Compiled kernels are cached in $XDG_CACHE_HOME/gnd, else
 * ~/.cache/gnd, up to GND_CACHE_BYTES (256 MiB); the least recently used are evicted first. Any number of
 * processes may share the cache. GND_CACHE=off disables it. For safety, a directory that group or others may
 * write, or that belongs to another user (root excepted), is not used.
 */
#ifndef GND_LIBRARY_H
#define GND_LIBRARY_H

#include <gnd/base.h>

GND_BEGIN

/** How the running library was built. All texts live forever. */
typedef struct gnd_build {
    const char *version;           /**< "0.1.0" */
    const char *compiler;          /**< "gcc 12.2.0" */
    const char *type;              /**< Meson's build type: "release" */
    const char *cuda;              /**< the CUDA toolkit's version, "13.0"; "" without CUDA */
    const char *gpu_architectures; /**< compiled for, with blanks between: "80 90"; "" without CUDA */
    const char *cpu_sets;          /**< instruction sets of the CPU kernels: "baseline v3 v4" */
    bool nvtx;                     /**< gnd_nvtx (gnd/nvtx.h) can show ranges */
    void *reserved[4];
} gnd_build;

/** How the library that is running was built. */
GND_API const gnd_build *gnd_build_info(void);

/** A library gnd can use. */
typedef struct gnd_library_info {
    const char *name;    /**< "cuBLAS" */
    const char *purpose; /**< what gnd uses it for */
    const char *package; /**< where to get it */
    bool found;          /**< it is loaded and usable */
    char version[64];    /**< as the library itself says; empty if it was not found */
    char path[256];      /**< the file it was loaded from; empty if it was not found */
    char problem[256];   /**< why it cannot be used; empty if it was found */
    void *reserved[4];
} gnd_library_info;

/** How many libraries gnd can use. */
GND_API int gnd_library_count(void);

/**
 * Loads library `index`, 0 to gnd_library_count() - 1 (up to 0.2 s for some), and fills `out` with its
 * properties. A library that is missing is no error here. GND_ERROR_INDEX for another index.
 */
GND_API gnd_status gnd_library_info_of(int index, gnd_library_info *out);

/**
 * Loads a library now, "cuBLAS" for instance, instead of at its first use. Does nothing if it is already
 * loaded. GND_ERROR_UNAVAILABLE if it is missing (the message names the package); GND_ERROR_INVALID for an
 * unknown name.
 */
GND_API gnd_status gnd_library_load(const char *name);

GND_END

#endif
