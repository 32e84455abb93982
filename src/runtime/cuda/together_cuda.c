/*
 * together_cuda.c: kernels whose blocks wait for each other: all of them, which have to run at once, one on each
 * multiprocessor, with the shared memory that it asks for; or the few of a cluster, which the hardware starts together.
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

/* ---- clusters --------------------------------------------------------------------------------- */

static cudaLaunchAttribute cluster_of(int blocks) {
    cudaLaunchAttribute a = {.id = cudaLaunchAttributeClusterDimension};
    a.val.clusterDim.x = (unsigned)blocks, a.val.clusterDim.y = a.val.clusterDim.z = 1;
    return a;
}
static cudaLaunchConfig_t clusters_of(const gnd_stream *s, int64_t clusters, int blocks, int threads,
                                      size_t shared_bytes, cudaLaunchAttribute *of) {
    *of = cluster_of(blocks);
    const dim3 grid = {(unsigned)(clusters * blocks), 1, 1}, block = {(unsigned)threads, 1, 1};
    return (cudaLaunchConfig_t){grid, block, shared_bytes, s->native, of, 1};
}

int64_t gndi_cuda_clusters_at_once(const gnd_stream *s, const void *kernel, int blocks, int threads,
                                   size_t shared_bytes) {
    enum { SINCE = 90 };
    if (gndi_cuda_shared_together(s->device, kernel, SINCE) < (int64_t)shared_bytes) return 0;
    cudaLaunchAttribute of;
    const cudaLaunchConfig_t how = clusters_of(s, 1, blocks, threads, shared_bytes, &of);
    int clusters = 0;
    const cudaError_t error = cudaOccupancyMaxActiveClusters(&clusters, kernel, &how);
    if (error) cudaGetLastError();
    return error ? 0 : clusters;
}

gnd_status gndi_cuda_launch_clusters(gnd_stream *s, const void *kernel, int64_t clusters, int blocks, int threads,
                                     size_t shared_bytes, void *params, const char *fn) {
    void *arguments[] = {params};
    cudaLaunchAttribute of;
    const cudaLaunchConfig_t how = clusters_of(s, clusters, blocks, threads, shared_bytes, &of);
    const cudaError_t error = cudaLaunchKernelExC(&how, kernel, arguments);
    if (error == cudaSuccess) return GND_OK;
    cudaGetLastError(); /* the error is reported here, and must not be reported again */
    return gndi_cuda_check((int)error, fn, "starting a kernel");
}
