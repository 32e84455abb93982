/*
 * graph_cuda.c: CUDA graphs for gnd/graph.h: capturing a stream of the library's own, instantiating or updating the
 * executable graph, launching it.
 *
 * The capture is relaxed: the library orders what belongs into it by itself, and what it allocates meanwhile (the
 * blocks of the graph, on another stream) must not be refused, nor must other threads' calls.
 */
#include "runtime/cuda/runtime_cuda.h"

gnd_status gndi_cuda_capture_begin(gnd_stream *s, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check((int)cudaStreamBeginCapture(s->native, cudaStreamCaptureModeRelaxed), fn,
                           "beginning to record");
}

void gndi_cuda_capture_drop(gnd_stream *s) {
    cudaGraph_t graph = NULL;
    gndi_cuda_bind(s->device);
    if (cudaStreamEndCapture(s->native, &graph) != cudaSuccess) cudaGetLastError();
    if (graph && cudaGraphDestroy(graph) != cudaSuccess) cudaGetLastError();
}

/* Exchanges the work of an executable graph; false: its calls are other ones. */
static bool update(cudaGraphExec_t executable, cudaGraph_t graph) {
#if CUDART_VERSION >= 12000
    cudaGraphExecUpdateResultInfo result;
    memset(&result, 0, sizeof result);
    if (cudaGraphExecUpdate(executable, graph, &result) == cudaSuccess) return true;
#else
    cudaGraphNode_t node = NULL;
    enum cudaGraphExecUpdateResult result;
    if (cudaGraphExecUpdate(executable, graph, &node, &result) == cudaSuccess) return true;
#endif
    cudaGetLastError();
    return false;
}

static cudaError_t make_executable(cudaGraph_t graph, void **executable, bool *updated) {
    if (*executable && update(*executable, graph)) {
        *updated = true;
        return cudaSuccess;
    }
    cudaGraphExec_t fresh = NULL;
#if CUDART_VERSION >= 12000
    const cudaError_t error = cudaGraphInstantiate(&fresh, graph, 0);
#else
    const cudaError_t error = cudaGraphInstantiateWithFlags(&fresh, graph, 0);
#endif
    if (error) return error;
    if (*executable && cudaGraphExecDestroy(*executable) != cudaSuccess) cudaGetLastError();
    *executable = fresh;
    return cudaSuccess;
}

gnd_status gndi_cuda_capture_end(gnd_stream *s, void **executable, int64_t *nodes, bool *updated, const char *fn) {
    cudaGraph_t graph = NULL;
    size_t count = 0;
    gndi_cuda_bind(s->device);
    *updated = false;
    cudaError_t error = cudaStreamEndCapture(s->native, &graph);
    if (!error) error = cudaGraphGetNodes(graph, NULL, &count);
    if (!error) error = make_executable(graph, executable, updated);
    if (graph && cudaGraphDestroy(graph) != cudaSuccess) cudaGetLastError();
    *nodes = (int64_t)count;
    if (error) return gndi_cuda_check((int)error, fn, "making a graph of what was recorded");
    /* The first launch then costs what later ones do; without it the launch uploads the graph itself. */
    if (cudaGraphUpload(*executable, s->device->default_stream->native) != cudaSuccess) cudaGetLastError();
    return GND_OK;
}

gnd_status gndi_cuda_graph_launch(gnd_stream *s, void *executable, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check((int)cudaGraphLaunch(executable, s->native), fn, "launching a graph");
}

/* CUDA frees a graph that still runs when it is done. */
void gndi_cuda_graph_release(gndi_device *d, void *executable) {
    gndi_cuda_bind(d);
    if (cudaGraphExecDestroy(executable) != cudaSuccess) cudaGetLastError();
}
