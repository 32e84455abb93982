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

extern "C" int gndb_null_graph(int count, void *stream) {
    static cudaGraphExec_t executable;
    if (!executable) {
        cudaStream_t captured;
        cudaGraph_t graph;
        if (cudaStreamCreateWithFlags(&captured, cudaStreamNonBlocking) != cudaSuccess) return cudaGetLastError();
        null_kernel<<<1, 32, 0, captured>>>(); // loaded before the capture
        cudaStreamSynchronize(captured);
        cudaStreamBeginCapture(captured, cudaStreamCaptureModeThreadLocal);
        for (int i = 0; i < count; i++) null_kernel<<<1, 32, 0, captured>>>();
        if (cudaStreamEndCapture(captured, &graph) != cudaSuccess) return cudaGetLastError();
#if CUDART_VERSION >= 12000
        cudaGraphInstantiate(&executable, graph, 0);
#else
        cudaGraphInstantiateWithFlags(&executable, graph, 0);
#endif
        cudaGraphDestroy(graph);
    }
    cudaGraphLaunch(executable, static_cast<cudaStream_t>(stream));
    return cudaGetLastError();
}

extern "C" int gndb_create_context() {
    return cudaFree(nullptr);
}
