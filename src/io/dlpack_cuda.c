/*
 * dlpack_cuda.c: synchronises gnd's streams with foreign ones when arrays are exchanged.
 */
#include "io/dlpack.h"
#include "runtime/cuda/runtime_cuda.h"

/* 1 and 2 are CUDA's own handles of its default streams. */
gnd_status gndi_dlpack_cuda_after(gnd_stream *s, int64_t foreign, const char *fn) {
    void *other = (void *)(intptr_t)foreign;
    gndi_cuda_bind(s->device);
    return gndi_cuda_check(gndi_cuda_order(s->native, other), fn, "making the consumer's stream wait for the array");
}

void gndi_dlpack_cuda_before(gnd_stream *s) {
    gndi_cuda_bind(s->device);
    if (gndi_cuda_order(cudaStreamLegacy, s->native)) cudaGetLastError();
}

void gndi_dlpack_cuda_wait(gndi_device *d) {
    gndi_cuda_bind(d);
    /* Waiting for the device would end the recording of a graph; the default stream comes after all streams that
       are not made to ignore it. */
    const bool records = atomic_load(&d->recordings) > 0;
    if (records ? cudaStreamSynchronize(cudaStreamLegacy) : cudaDeviceSynchronize()) cudaGetLastError();
}
