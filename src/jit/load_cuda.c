/*
 * load_cuda.c: loads, queries and launches GPU machine code through the driver API, whose error numbers are
 * those of the CUDA runtime.
 */
#include "jit/jit_parts.h"
#include "libraries/library_tables.h"
#include "runtime/cuda/runtime_cuda.h"

/* cuda.h's numbers: errors, and attributes of functions. */
enum { NO_CONTEXT = 201, NOT_FOUND = 500 };
enum { MOST_THREADS, SHARED_BYTES, LOCAL_BYTES = 3, REGISTERS, MOST_DYNAMIC_SHARED = 8 };

/* Loading allocates memory, which CUDA refuses while any thread captures a graph, unless one says that it knows
   what it does. */
static enum cudaStreamCaptureMode begin_relaxed(void) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaThreadExchangeStreamCaptureMode(&mode);
    return mode;
}
static void end_relaxed(enum cudaStreamCaptureMode before) {
    cudaThreadExchangeStreamCaptureMode(&before);
}

/* Makes the device's context the calling thread's: the driver's functions do not do that by themselves. */
static gnd_status bind(const char *fn, const gndi_device *device) {
    return gndi_cuda_check((int)cudaSetDevice(device->id.index), fn, "choosing a device");
}

gnd_status gndi_jit_cuda_architecture(const char *fn, gndi_device *device, int *architecture) {
    int major = 0, minor = 0;
    cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device->id.index);
    if (!error) error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device->id.index);
    *architecture = 10 * major + minor;
    return gndi_cuda_check((int)error, fn, "asking for its compute capability");
}

gnd_status gndi_jit_cuda_load(const char *fn, gndi_device *device, const void *code, void **library) {
    const gndi_driver *driver = gndi_driver_get(fn);
    if (!driver) return GND_ERROR_UNAVAILABLE;
    gnd_status status = bind(fn, device);
    if (status) return status;
    const enum cudaStreamCaptureMode before = begin_relaxed();
    status = gndi_cuda_check(driver->cuLibraryLoadData(library, code, NULL, NULL, 0, NULL, NULL, 0), fn,
                             "loading what was compiled");
    end_relaxed(before);
    return status;
}

void gndi_jit_cuda_unload(void *library) {
    const gndi_driver *driver = gndi_driver_get(NULL);
    if (driver) driver->cuLibraryUnload(library);
}

/* A kernel may have all the shared memory of a block that its own leaves; asked for here, once, so that
   launches need not. */
static void allow_shared_memory(const gndi_driver *driver, const gndi_device *device,
                                const gndi_jit_function *function) {
    driver->cuFuncSetAttribute(function->call, MOST_DYNAMIC_SHARED, device->shared_bytes - (int)function->shared_bytes);
}

gnd_status gndi_jit_cuda_find(const char *fn, gndi_device *device, void *library, const char *symbol,
                              gndi_jit_function *function) {
    const gndi_driver *driver = gndi_driver_get(fn);
    if (!driver) return GND_ERROR_UNAVAILABLE;
    gnd_status status = bind(fn, device);
    if (status) return status;
    void *kernel;
    int error = driver->cuLibraryGetKernel(&kernel, library, symbol);
    if (error == NOT_FOUND) return GND_ERROR_VALUE;
    const enum cudaStreamCaptureMode before = begin_relaxed();
    if (!error) error = driver->cuKernelGetFunction(&function->call, kernel);
    end_relaxed(before);
    int value[4] = {0};
    static const int attributes[4] = {MOST_THREADS, SHARED_BYTES, LOCAL_BYTES, REGISTERS};
    for (int i = 0; i < 4 && !error; i++) error = driver->cuFuncGetAttribute(&value[i], attributes[i], function->call);
    if (error) return gndi_cuda_check(error, fn, "looking for a kernel");
    function->max_threads = value[0], function->shared_bytes = (size_t)value[1];
    function->local_bytes = (size_t)value[2], function->registers = value[3];
    allow_shared_memory(driver, device, function);
    return GND_OK;
}

gnd_status gndi_jit_cuda_variable(const char *fn, gndi_device *device, void *library, const char *symbol,
                                  void **address, size_t *bytes) {
    const gndi_driver *driver = gndi_driver_get(fn);
    if (!driver) return GND_ERROR_UNAVAILABLE;
    const gnd_status status = bind(fn, device);
    if (status) return status;
    const int error = driver->cuLibraryGetGlobal(address, bytes, library, symbol);
    if (error == NOT_FOUND) return GND_ERROR_VALUE;
    return gndi_cuda_check(error, fn, "looking for a variable");
}

gnd_status gndi_jit_launch(const char *fn, gnd_stream *s, const gndi_jit_function *function, const unsigned grid[3],
                           const unsigned block[3], size_t shared_bytes, void **arguments) {
    const gndi_driver *driver = gndi_driver_get(fn);
    if (!driver) return GND_ERROR_UNAVAILABLE;
    gndi_cuda_bind(s->device);
    int error = 0;
    /* A thread that has not called CUDA yet has no context. */
    for (int attempt = 0; attempt < 2; attempt++) {
        error = driver->cuLaunchKernel(function->call, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                       (unsigned)shared_bytes, s->native, arguments, NULL);
        if (gndi_likely(error != NO_CONTEXT) || bind(fn, s->device)) break;
    }
    if (gndi_likely(error == 0)) return GND_OK;
    cudaGetLastError(); /* a failed device tells its error to whoever asks next, too */
    return gndi_cuda_check(error, fn, "starting a kernel");
}
