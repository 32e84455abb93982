/*
 * dlpack_cuda.c: synchronises gnd's streams with foreign ones when arrays are exchanged.
 */
#include "io/dlpack.h"
#include "runtime/cuda/runtime_cuda.h"

/* `later` waits for what is queued on `earlier` now. */
static cudaError_t order(cudaStream_t earlier, cudaStream_t later) {
    cudaEvent_t event;
    cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (error) return error;
    error = cudaEventRecord(event, earlier);
    if (!error) error = cudaStreamWaitEvent(later, event, 0);
    cudaEventDestroy(event); /* given back once it has been reached */
    return error;
}

/* 1 and 2 are CUDA's own handles of its default streams. */
gnd_status gndi_dlpack_cuda_after(gnd_stream *s, int64_t foreign, const char *fn) {
    cudaStream_t other = (cudaStream_t)(intptr_t)foreign;
    if (other == (cudaStream_t)s->native) return GND_OK;
    gndi_cuda_bind(s->device);
    return gndi_cuda_check((int)order(s->native, other), fn, "making the consumer's stream wait for the array");
}

void gndi_dlpack_cuda_before(gnd_stream *s) {
    gndi_cuda_bind(s->device);
    if (order(cudaStreamLegacy, s->native)) cudaGetLastError();
}

void gndi_dlpack_cuda_wait(gndi_device *d) {
    gndi_cuda_bind(d);
    if (cudaDeviceSynchronize()) cudaGetLastError();
}
