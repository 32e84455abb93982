/*
 * memory_cuda.c: kinds of memory besides the pool's: managed, pinned, and memory that other processes can open.
 */
#include "runtime/cuda/runtime_cuda.h"
#include <stdio.h>

void *gndi_cuda_kind_allocate(gndi_device *d, gnd_memory_kind kind, size_t bytes) {
    void *p = NULL;
    gndi_cuda_bind(d);
    cudaError_t error;
    if (kind == GND_MEMORY_MANAGED)
        error = cudaMallocManaged(&p, bytes, cudaMemAttachGlobal);
    else if (kind == GND_MEMORY_PINNED)
        error = cudaHostAlloc(&p, bytes, cudaHostAllocMapped | cudaHostAllocPortable);
    else
        error = cudaMalloc(&p, bytes); /* the pool's cannot be exported */
    if (error == cudaSuccess) return p;
    cudaGetLastError();
    return NULL;
}

void gndi_cuda_kind_release(gndi_device *d, gnd_memory_kind kind, void *p, size_t bytes, gnd_stream *s) {
    (void)bytes;
    gndi_cuda_bind(d);
    if (cudaStreamSynchronize(s->native) != cudaSuccess) cudaGetLastError();
    if ((kind == GND_MEMORY_PINNED ? cudaFreeHost(p) : cudaFree(p)) != cudaSuccess) cudaGetLastError();
}

/* ---- other processes ------------------------------------------------------------------------- */

/* What a token holds: CUDA's handle, and which GPU it is of, since processes may number them differently. */
typedef struct token {
    cudaIpcMemHandle_t handle;
    char bus[32];
} token;
_Static_assert(sizeof(token) <= GNDI_SHARED_TOKEN, "a token has room for CUDA's handle");

gnd_status gndi_cuda_share(gndi_device *d, const void *base, void *out, const char *fn) {
    token t;
    memset(&t, 0, sizeof t);
    gndi_cuda_bind(d);
    cudaError_t error = cudaIpcGetMemHandle(&t.handle, (void *)(uintptr_t)base);
    if (!error) error = cudaDeviceGetPCIBusId(t.bus, sizeof t.bus, d->id.index);
    if (!error) memcpy(out, &t, sizeof t);
    return gndi_cuda_check((int)error, fn, "asking for a handle of the memory");
}

gnd_status gndi_cuda_shared_device(const void *from, int *index, const char *fn) {
    token t;
    memcpy(&t, from, sizeof t);
    t.bus[sizeof t.bus - 1] = 0;
    const cudaError_t error = cudaDeviceGetByPCIBusId(index, t.bus);
    if (!error) return GND_OK;
    cudaGetLastError();
    return gndi_raise(GND_ERROR_DEVICE, fn, "the array's GPU, %s, is not there for this process", t.bus);
}

gnd_status gndi_cuda_open_shared(gndi_device *d, const void *from, size_t bytes, void **base, const char *fn) {
    token t;
    (void)bytes;
    memcpy(&t, from, sizeof t);
    gndi_cuda_bind(d);
    return gndi_cuda_check((int)cudaIpcOpenMemHandle(base, t.handle, cudaIpcMemLazyEnablePeerAccess), fn,
                           "opening the memory of another process");
}

void gndi_cuda_close_shared(void *base, size_t bytes) {
    (void)bytes;
    if (cudaIpcCloseMemHandle(base) != cudaSuccess) cudaGetLastError();
}
