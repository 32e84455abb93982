/*
 * library_tables.c: for each library of library_tables.h its file names, the package that has it, and how
 * to query its version.
 */
#include "libraries/library_tables.h"
#include <stdio.h>
#include <stdlib.h>

#define SYMBOL_NAME(result, name, arguments) #name,

/* The table, the names of its symbols, the library's description, and the function that
   gives it. `opens` is called once the table is filled; `may_lack` of its last members may be missing. */
#define LIBRARY(library, TABLE, label, use, from, ...)                                                                 \
    LIBRARY_THAT_OPENS(NULL, 0, library, TABLE, label, use, from, __VA_ARGS__)
#define LIBRARY_THAT_OPENS(opens, may_lack, library, TABLE, label, use, from, ...)                                     \
    static gndi_##library library##_table;                                                                             \
    static const char *const library##_symbols[] = {TABLE(SYMBOL_NAME) NULL};                                          \
    static const char *const library##_sonames[] = {__VA_ARGS__, NULL};                                                \
    static void library##_version(char *text, size_t capacity);                                                        \
    static gndi_library library##_library = {.name = label,                                                            \
                                             .purpose = use,                                                           \
                                             .package = from,                                                          \
                                             .sonames = library##_sonames,                                             \
                                             .symbols = library##_symbols,                                             \
                                             .optional = may_lack,                                                     \
                                             .table = (void **)&library##_table,                                       \
                                             .opened = opens,                                                          \
                                             .version = library##_version};                                            \
    const gndi_##library *gndi_##library##_get(const char *fn) {                                                       \
        return gndi_library_load(&library##_library, fn) ? NULL : &library##_table;                                    \
    }                                                                                                                  \
    static void library##_version(char *text, size_t capacity)

LIBRARY(driver, GNDI_DRIVER_TABLE, "CUDA driver", "kernels compiled at run time",
        "the NVIDIA driver (Debian: libcuda1)", "libcuda.so.1") {
    int v = 0;
    if (driver_table.cuDriverGetVersion(&v) == 0) snprintf(text, capacity, "CUDA %d.%d", v / 1000, v % 1000 / 10);
}

LIBRARY(nvrtc, GNDI_NVRTC_TABLE, "NVRTC", "kernels compiled at run time", "the CUDA toolkit (package cuda-nvrtc-13-0)",
        "libnvrtc.so.13", "libnvrtc.so.12") {
    int major = 0, minor = 0;
    if (nvrtc_table.nvrtcVersion(&major, &minor) == 0) snprintf(text, capacity, "%d.%d", major, minor);
}

LIBRARY(cublas, GNDI_CUBLAS_TABLE, "cuBLAS", "matrix products on the GPU", "the CUDA toolkit (package libcublas-13-0)",
        "libcublas.so.13", "libcublas.so.12") {
    int v[3] = {0}; /* major, minor, patch */
    for (int i = 0; i < 3; i++) cublas_table.cublasGetProperty(i, &v[i]);
    snprintf(text, capacity, "%d.%d.%d", v[0], v[1], v[2]);
}

LIBRARY(cusolver, GNDI_CUSOLVER_TABLE, "cuSOLVER", "linear algebra on the GPU",
        "the CUDA toolkit, 12.8 or later (package libcusolver-13-0)", "libcusolver.so.12", "libcusolver.so.11") {
    int v = 0;
    if (cusolver_table.cusolverGetVersion(&v) == 0)
        snprintf(text, capacity, "%d.%d.%d", v / 1000, v / 100 % 10, v % 100);
}

LIBRARY(cufft, GNDI_CUFFT_TABLE, "cuFFT", "Fourier transforms on the GPU", "the CUDA toolkit (package libcufft-13-0)",
        "libcufft.so.12", "libcufft.so.11") {
    int v = 0;
    if (cufft_table.cufftGetVersion(&v) == 0) snprintf(text, capacity, "%d.%d.%d", v / 1000, v / 100 % 10, v % 100);
}

LIBRARY(cufftjit, GNDI_CUFFTJIT_TABLE, "cuFFT callbacks",
        "factors within the kernels of planned Fourier transforms on the GPU",
        "the CUDA toolkit, 13.0 or later (packages libcufft-13-0 and libnvjitlink-13-0)", "libcufft.so.12") {
    int v = 0;
    if (cufftjit_table.cufftGetVersion(&v) == 0) snprintf(text, capacity, "%d.%d.%d", v / 1000, v / 100 % 10, v % 100);
}

LIBRARY(curand, GNDI_CURAND_TABLE, "cuRAND", "cuRAND's own sequences of random numbers",
        "the CUDA toolkit (package libcurand-13-0)", "libcurand.so.10") {
    int v = 0;
    if (curand_table.curandGetVersion(&v) == 0) snprintf(text, capacity, "%d.%d.%d", v / 1000, v / 100 % 10, v % 100);
}

/* OpenBLAS has threads of its own: as many as gnd has. */
static void openblas_opened(void);
LIBRARY_THAT_OPENS(openblas_opened, 0, openblas, GNDI_OPENBLAS_TABLE, "OpenBLAS",
                   "matrix products and linear algebra on the CPU", "OpenBLAS (Debian: libopenblas0)",
                   "libopenblas.so.0", "libopenblas.so") {
    /* "OpenBLAS 0.3.21 NO_AFFINITY ...": the second word. */
    char version[32] = "";
    if (sscanf(openblas_table.openblas_get_config(), "%*s %31s", version) == 1) snprintf(text, capacity, "%s", version);
}

static void openblas_opened(void) {
    openblas_table.openblas_set_num_threads(gndi_thread_count());
}

/* "(fftw-3.3.10 fftw_wisdom ...": FFTW tells its version in what it exports. */
static void fftw_version_of(char *wisdom, char *text, size_t capacity) {
    char version[32] = "";
    if (wisdom && sscanf(wisdom, "(fftw-%31[0-9.]", version) == 1) snprintf(text, capacity, "%s", version);
    free(wisdom);
}

/* FFTW's jobs go over gnd's threads, not over threads that it would start for each transform. */
typedef struct fftw_jobs {
    void *(*work)(char *);
    char *job;
    size_t bytes;
} fftw_jobs;

static void fftw_piece(void *context, int64_t begin, int64_t end) {
    const fftw_jobs *jobs = context;
    for (int64_t i = begin; i < end; i++) jobs->work(jobs->job + (size_t)i * jobs->bytes);
}

static void fftw_loop(void *(*work)(char *), char *job, size_t bytes, int count, void *unused) {
    (void)unused;
    fftw_jobs jobs = {work, job, bytes};
    gndi_parallel_for(count, 1, fftw_piece, &jobs);
}

static void fftw_opened(void);
LIBRARY_THAT_OPENS(fftw_opened, 2, fftw, GNDI_FFTW_TABLE, "FFTW", "Fourier transforms on the CPU, in double precision",
                   "FFTW, 3.3.8 or later (Debian: libfftw3-double3)", "libfftw3_threads.so.3") {
    fftw_version_of(fftw_table.fftw_export_wisdom_to_string(), text, capacity);
}

static void fftw_opened(void) {
    fftw_table.fftw_init_threads();
    fftw_table.fftw_make_planner_thread_safe();
    if (fftw_table.fftw_threads_set_callback) fftw_table.fftw_threads_set_callback(fftw_loop, NULL);
}

static void fftwf_opened(void);
LIBRARY_THAT_OPENS(fftwf_opened, 2, fftwf, GNDI_FFTWF_TABLE, "FFTW single",
                   "Fourier transforms on the CPU, in single precision",
                   "FFTW, 3.3.8 or later (Debian: libfftw3-single3)", "libfftw3f_threads.so.3") {
    fftw_version_of(fftwf_table.fftwf_export_wisdom_to_string(), text, capacity);
}

static void fftwf_opened(void) {
    fftwf_table.fftwf_init_threads();
    fftwf_table.fftwf_make_planner_thread_safe();
    if (fftwf_table.fftwf_threads_set_callback) fftwf_table.fftwf_threads_set_callback(fftw_loop, NULL);
}

LIBRARY(libzip, GNDI_LIBZIP_TABLE, "libzip", ".npz files", "libzip (Debian: libzip4)", "libzip.so.5", "libzip.so.4") {
    snprintf(text, capacity, "%s", libzip_table.zip_libzip_version());
}

LIBRARY(libpng, GNDI_LIBPNG_TABLE, "libpng", "PNG pictures", "libpng 1.6 (Debian: libpng16-16)", "libpng16.so.16") {
    snprintf(text, capacity, "%s", libpng_table.png_get_libpng_ver(NULL));
}

/* It does not tell its version: 3 has functions that 2 has not. */
LIBRARY_THAT_OPENS(NULL, 1, turbojpeg, GNDI_TURBOJPEG_TABLE, "TurboJPEG", "JPEG pictures",
                   "libjpeg-turbo 2 or 3 (Debian: libturbojpeg0)", "libturbojpeg.so.0") {
    snprintf(text, capacity, "%s", turbojpeg_table.tj3Init ? "3" : "2");
}

/* "LIBTIFF, Version 4.5.0\nCopyright ..." */
LIBRARY(libtiff, GNDI_LIBTIFF_TABLE, "libtiff", "TIFF pictures", "libtiff 4.5 or later (Debian: libtiff6)",
        "libtiff.so.6") {
    char version[32] = "";
    if (sscanf(libtiff_table.TIFFGetVersion(), "LIBTIFF, Version %31[0-9.]", version) == 1)
        snprintf(text, capacity, "%s", version);
}

LIBRARY(cjson, GNDI_CJSON_TABLE, "cJSON", "metadata of SigMF recordings", "cJSON 1.7.13 or later (Debian: libcjson1)",
        "libcjson.so.1") {
    snprintf(text, capacity, "%s", cjson_table.cJSON_Version());
}

gndi_library *const gndi_libraries[] = {
    &driver_library,    &nvrtc_library,    &cublas_library, &cusolver_library,
    &cufft_library,     &cufftjit_library, &curand_library, &openblas_library,
    &fftw_library,      &fftwf_library,    &libzip_library, &libpng_library,
    &turbojpeg_library, &libtiff_library,  &cjson_library,  NULL,
};
