/*
 * native_cuda.c: gnd's streams and those of others: which waits for which, and slots that work on a foreign one.
 */
#include "runtime/cuda/runtime_cuda.h"

int gndi_cuda_order(void *earlier, void *later) {
    if (earlier == later) return cudaSuccess;
    cudaEvent_t event;
    cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
    if (error) return (int)error;
    error = cudaEventRecord(event, earlier);
    if (!error) error = cudaStreamWaitEvent(later, event, 0);
    cudaEventDestroy(event); /* given back once it has been reached */
    return (int)error;
}

gnd_status gndi_cuda_stream_wait_native(gnd_stream *s, void *native, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check(gndi_cuda_order(native, s->native), fn, "making a stream wait for one of others");
}

gnd_status gndi_cuda_native_wait_stream(void *native, gnd_stream *s, const char *fn) {
    gndi_cuda_bind(s->device);
    return gndi_cuda_check(gndi_cuda_order(s->native, native), fn, "making a stream of others wait");
}

/* Whether it is a stream of this device, as far as this CUDA tells. */
static gnd_status check_native(const gnd_stream *s, void *native, const char *fn) {
    unsigned flags = 0;
    cudaError_t error = cudaStreamGetFlags(native, &flags);
    int device = s->device->id.index;
#if CUDART_VERSION >= 12080
    if (!error && native != NULL && native != cudaStreamLegacy && native != cudaStreamPerThread)
        error = cudaStreamGetDevice(native, &device);
#endif
    if (error) {
        cudaGetLastError();
        return gndi_raise(GND_ERROR_INVALID, fn, "%p is no cudaStream_t of %s: CUDA reports: %s", native,
                          gndi_text_device(s->device->id), cudaGetErrorString(error));
    }
    if (device == s->device->id.index) return GND_OK;
    return gndi_raise(GND_ERROR_INVALID, fn, "the stream is on gpu:%d, and the current device is %s", device,
                      gndi_text_device(s->device->id));
}

gnd_status gndi_cuda_stream_adopt(gnd_stream *s, void *native, const char *fn) {
    gndi_cuda_bind(s->device);
    gnd_status status = check_native(s, native, fn);
    if (!status) status = gndi_cuda_native_wait_stream(native, s, fn);
    if (status) return status;
    s->own = s->native, s->native = native;
    s->wrapped = true;
    return GND_OK;
}

void gndi_cuda_stream_return(gnd_stream *s) {
    gndi_cuda_bind(s->device);
    /* If the order cannot be queued, the foreign stream is waited for. */
    if (gndi_cuda_order(s->native, s->own) != cudaSuccess) {
        cudaGetLastError();
        if (cudaStreamSynchronize(s->native) != cudaSuccess) cudaGetLastError();
    }
    s->native = s->own, s->own = NULL;
    s->wrapped = false;
}
