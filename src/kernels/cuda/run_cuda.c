/*
 * run_cuda.c: runs work that allocates all its memory before its first launch.
 */
#include "kernels/cuda/run_launch.h"
#include "runtime/cuda/runtime_cuda.h"

gnd_status gndi_cuda_carry_out(gnd_stream *s, const char *fn, gnd_status (*work)(gndi_cuda_run *run, const void *plan),
                               const void *plan) {
    static char anywhere;
    gndi_cuda_run run = {.stream = s, .fn = fn, .measures = true, .memory = &anywhere};
    gnd_status status = work(&run, plan);
    if (status) return status;
    gndi_buffer *buffer = run.most ? gndi_buffer_new(fn, s, run.most) : NULL;
    if (run.most && !buffer) return GND_ERROR_MEMORY;
    run.measures = false, run.memory = buffer ? buffer->base : NULL, run.used = 0;
    status = work(&run, plan);
    if (buffer) gndi_buffer_release(buffer);
    return status;
}

void *gndi_cuda_take(gndi_cuda_run *run, int64_t bytes) {
    enum { ALIGNMENT = 256 };
    void *taken = (void *)((uintptr_t)run->memory + run->used);
    run->used += (size_t)((bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
    if (run->used > run->most) run->most = run->used;
    return taken;
}

gnd_status gndi_cuda_run_launch(const gndi_cuda_run *run, const void *kernel, int64_t blocks, int threads,
                                size_t shared_bytes, void *params) {
    if (run->measures) return GND_OK;
    return gndi_cuda_launch(run->stream, kernel, blocks, threads, shared_bytes, params, run->fn);
}

gnd_status gndi_cuda_run_launch_early(const gndi_cuda_run *run, const void *kernel, int64_t blocks, int threads,
                                      size_t shared_bytes, void *params) {
    if (run->measures) return GND_OK;
    return gndi_cuda_launch_early(run->stream, kernel, blocks, threads, shared_bytes, params, run->fn);
}

gnd_status gndi_cuda_run_clear(const gndi_cuda_run *run, void *memory, size_t bytes) {
    if (run->measures) return GND_OK;
    const cudaError_t error = cudaMemsetAsync(memory, 0, bytes, (cudaStream_t)run->stream->native);
    return gndi_cuda_check((int)error, run->fn, "clearing memory");
}
