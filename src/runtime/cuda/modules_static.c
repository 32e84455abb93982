/*
 * modules_static.c: for the static library, whose programs are linked without --wrap: what modules_cuda.c calls the
 * CUDA runtime's functions, by their own names. There the constructors of nvcc's objects call these themselves.
 */
#include <stddef.h>

#define FUNCTION(result, name, parameters, arguments)                                                                  \
    result name parameters;                                                                                            \
    result __real_##name parameters;                                                                                   \
    result __real_##name parameters {                                                                                  \
        return name arguments;                                                                                         \
    }

FUNCTION(void **, __cudaRegisterFatBinary, (void *binary), (binary))
FUNCTION(void, __cudaRegisterFatBinaryEnd, (void **handle), (handle))
FUNCTION(void, __cudaUnregisterFatBinary, (void **handle), (handle))
FUNCTION(void, __cudaRegisterFunction,
         (void **handle, const char *function, char *device_name, const char *name, int thread_limit, void *thread,
          void *block, void *block_size, void *grid_size, int *warp_size),
         (handle, function, device_name, name, thread_limit, thread, block, block_size, grid_size, warp_size))
FUNCTION(void, __cudaRegisterVar,
         (void **handle, char *shadow, char *device_name, const char *name, int external, size_t size, int constant,
          int global),
         (handle, shadow, device_name, name, external, size, constant, global))
