/*
 * together_cuda.c: kernels whose blocks wait for each other, so that all of them have to run at once. Such a kernel has
 * one block on each multiprocessor, with the shared memory that it asks for.
 */
#include "runtime/cuda/runtime_cuda.h"

int64_t gndi_cuda_shared_together(const gndi_device *d, const void *kernel, int since) {
    struct cudaFuncAttributes own;
    int together = 0;
    gndi_cuda_use(kernel);
    cudaError_t error = cudaFuncGetAttributes(&own, kernel);
    if (!error) error = cudaDeviceGetAttribute(&together, cudaDevAttrCooperativeLaunch, d->id.index);
    if (error) return cudaGetLastError(), 0;
    const int64_t most = d->shared_bytes - (int64_t)own.sharedSizeBytes;
    if (!together || own.ptxVersion < since || most <= 0) return 0;
    if (own.maxDynamicSharedSizeBytes < most)
        error = cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)most);
    if (error) cudaGetLastError();
    return error ? 0 : most;
}

bool gndi_cuda_launch_together(gnd_stream *s, const void *kernel, int64_t blocks, int threads, size_t shared_bytes,
                               void *params) {
    void *arguments[] = {params};
    const dim3 grid = {(unsigned)blocks, 1, 1}, block = {(unsigned)threads, 1, 1};
    const cudaError_t error = cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared_bytes, s->native);
    if (error) cudaGetLastError();
    return error == cudaSuccess;
}
