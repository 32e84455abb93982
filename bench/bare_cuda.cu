// bare_cuda.cu: see bare_cuda.h.
#include "bare_cuda.h"
#include <cuda_runtime.h>

__global__ void null_kernel() {}

extern "C" int gndb_null_kernels(int count) {
    static cudaStream_t stream;
    if (!stream && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) return cudaGetLastError();
    for (int i = 0; i < count; i++) null_kernel<<<1, 32, 0, stream>>>();
    cudaStreamSynchronize(stream);
    return cudaGetLastError();
}

extern "C" int gndb_create_context() {
    return cudaFree(nullptr);
}
