/*
 * modules_cuda.c: registers nvcc's objects with the CUDA runtime when one of their kernels is first used.
 *
 * nvcc generates a constructor for each object, which tells the CUDA runtime where the object's machine code is, and
 * which kernels and variables it has. 500 of them took 5 to 8 ms of each process that links the library. The linker
 * replaces what they call by the functions here (--wrap, src/meson.build), which note it. In programs that link the
 * static library the constructors call the runtime: no module is noted, and all are registered.
 */
#include "runtime/cuda/runtime_cuda.h"

/* An object of nvcc's, and what its constructor says of it. */
typedef struct module {
    void *binary;
    int first_kernel, kernels, first_variable, variables;
    bool registered;
} module;

typedef struct kernel {
    const char *function; /* by its address the host knows the kernel */
    const char *name;
    int thread_limit, module;
} kernel;

typedef struct variable {
    char *shadow; /* the host's */
    const char *name;
    size_t size;
    int external, constant, global, module;
} variable;

/* Constructors run before anything can be allocated or fail. What does not fit is registered at once. */
enum { MOST_MODULES = 2048, MOST_KERNELS = 32768, MOST_VARIABLES = 32768 };
static module modules[MOST_MODULES];
static kernel kernels[MOST_KERNELS];
static variable variables[MOST_VARIABLES];
static int module_count, kernel_count, variable_count;

/* ---- the CUDA runtime's functions, which only nvcc's output declares -------------------------- */

void **__real___cudaRegisterFatBinary(void *binary);
void __real___cudaRegisterFatBinaryEnd(void **handle);
void __real___cudaUnregisterFatBinary(void **handle);
void __real___cudaRegisterFunction(void **handle, const char *function, char *device_name, const char *name,
                                   int thread_limit, uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size,
                                   int *warp_size);
void __real___cudaRegisterVar(void **handle, char *shadow, char *device_name, const char *name, int external,
                              size_t size, int constant, int global);

static void register_kernel(void **handle, const kernel *k) {
    __real___cudaRegisterFunction(handle, k->function, (char *)(uintptr_t)k->name, k->name, k->thread_limit, NULL, NULL,
                                  NULL, NULL, NULL);
}

static void register_variable(void **handle, const variable *v) {
    __real___cudaRegisterVar(handle, v->shadow, (char *)(uintptr_t)v->name, v->name, v->external, v->size, v->constant,
                             v->global);
}

static void register_module(module *m) {
    if (m->registered) return;
    m->registered = true;
    void **handle = __real___cudaRegisterFatBinary(m->binary);
    for (int i = 0; i < m->kernels; i++) register_kernel(handle, &kernels[m->first_kernel + i]);
    for (int i = 0; i < m->variables; i++) register_variable(handle, &variables[m->first_variable + i]);
    __real___cudaRegisterFatBinaryEnd(handle);
}

/* ---- what constructors call ------------------------------------------------------------------- */

/* The handle of a module that is noted is its address. */
static module *noted(void **handle) {
    const uintptr_t at = (uintptr_t)handle, first = (uintptr_t)modules;
    return at >= first && at < first + sizeof modules ? (module *)(void *)handle : NULL;
}

void **__wrap___cudaRegisterFatBinary(void *binary);
void **__wrap___cudaRegisterFatBinary(void *binary) {
    enum { MOST_OF_ONE = 1024 }; /* kernels or variables of an object */
    if (module_count == MOST_MODULES || kernel_count > MOST_KERNELS - MOST_OF_ONE ||
        variable_count > MOST_VARIABLES - MOST_OF_ONE)
        return __real___cudaRegisterFatBinary(binary);
    module *m = &modules[module_count++];
    *m = (module){.binary = binary, .first_kernel = kernel_count, .first_variable = variable_count};
    return (void **)(void *)m;
}

void __wrap___cudaRegisterFunction(void **handle, const char *function, char *device_name, const char *name,
                                   int thread_limit, uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size,
                                   int *warp_size);
void __wrap___cudaRegisterFunction(void **handle, const char *function, char *device_name, const char *name,
                                   int thread_limit, uint3 *thread, uint3 *block, dim3 *block_size, dim3 *grid_size,
                                   int *warp_size) {
    module *m = noted(handle);
    if (!m) {
        __real___cudaRegisterFunction(handle, function, device_name, name, thread_limit, thread, block, block_size,
                                      grid_size, warp_size);
    } else if (kernel_count < MOST_KERNELS) {
        kernels[kernel_count++] = (kernel){function, name, thread_limit, (int)(m - modules)};
        m->kernels++;
    }
}

void __wrap___cudaRegisterVar(void **handle, char *shadow, char *device_name, const char *name, int external,
                              size_t size, int constant, int global);
void __wrap___cudaRegisterVar(void **handle, char *shadow, char *device_name, const char *name, int external,
                              size_t size, int constant, int global) {
    module *m = noted(handle);
    if (!m) {
        __real___cudaRegisterVar(handle, shadow, device_name, name, external, size, constant, global);
    } else if (variable_count < MOST_VARIABLES) {
        variables[variable_count++] = (variable){shadow, name, size, external, constant, global, (int)(m - modules)};
        m->variables++;
    }
}

void __wrap___cudaRegisterFatBinaryEnd(void **handle);
void __wrap___cudaRegisterFatBinaryEnd(void **handle) {
    if (!noted(handle)) __real___cudaRegisterFatBinaryEnd(handle);
}

/* Modules that were noted stay registered until the driver frees them: functions that the program has registered for
   its end may still launch kernels. */
void __wrap___cudaUnregisterFatBinary(void **handle);
void __wrap___cudaUnregisterFatBinary(void **handle) {
    if (!noted(handle)) __real___cudaUnregisterFatBinary(handle);
}

/* ---- use ---------------------------------------------------------------------------------------- */

static gndi_lock lock;

typedef enum symbol_kind { NOT_NOTED, IS_KERNEL, IS_VARIABLE } symbol_kind;

static symbol_kind find_and_register(const void *symbol) {
    for (int i = 0; i < kernel_count; i++)
        if (kernels[i].function == symbol) return register_module(&modules[kernels[i].module]), IS_KERNEL;
    for (int i = 0; i < variable_count; i++)
        if (variables[i].shadow == symbol) return register_module(&modules[variables[i].module]), IS_VARIABLE;
    return NOT_NOTED;
}

/* The runtime loads a symbol at its first use, which would invalidate a capture of the program's own, unless the thread
   is relaxed about it. Loading may wait for the GPU's work, which may wait for another thread's: no lock is held. What
   fails now is reported by the use that follows. */
static void load(const void *symbol, symbol_kind kind) {
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    struct cudaFuncAttributes attributes;
    size_t size;
    if (kind == NOT_NOTED) return;
    cudaThreadExchangeStreamCaptureMode(&mode);
    if (kind == IS_KERNEL ? cudaFuncGetAttributes(&attributes, symbol) : cudaGetSymbolSize(&size, symbol))
        cudaGetLastError();
    cudaThreadExchangeStreamCaptureMode(&mode);
}

/* Symbols that are loaded, two to a bucket, the latest first. A third one in a bucket is looked for among all kernels
   at each use, tens of microseconds: so there are many buckets, 64 KB that no file has. */
enum { LOG_BUCKETS = 12 };
static const void *_Atomic known[1 << LOG_BUCKETS][2];

void gndi_cuda_use(const void *symbol) {
    const void *_Atomic *bucket = known[(uint64_t)(uintptr_t)symbol * 0x9e3779b97f4a7c15u >> (64 - LOG_BUCKETS)];
    if (gndi_likely(atomic_load_explicit(&bucket[0], memory_order_acquire) == symbol)) return;
    if (atomic_load_explicit(&bucket[1], memory_order_acquire) == symbol) return;
    gndi_lock_take(&lock);
    const symbol_kind kind = find_and_register(symbol);
    gndi_lock_give(&lock);
    load(symbol, kind);
    gndi_lock_take(&lock);
    atomic_store_explicit(&bucket[1], atomic_load_explicit(&bucket[0], memory_order_relaxed), memory_order_release);
    atomic_store_explicit(&bucket[0], symbol, memory_order_release);
    gndi_lock_give(&lock);
}
