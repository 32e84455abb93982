/*
 * table_cuda.c: the table of GPUs. Its hooks make the stream's device current first.
 */
#include "backend/table.h"
#include "linalg/cuda/blas_cuda.h"
#include "runtime/cuda/runtime_cuda.h"

#define HOOK(name, type)                                                                                               \
    static gnd_status bound_##name(gnd_stream *s, const type *plan, const char *fn) {                                  \
        gndi_cuda_bind(s->device);                                                                                     \
        return gndi_cuda_##name(s, plan, fn);                                                                          \
    }
#define HOOK_GPU(name, type) HOOK(name, type)
#include "runtime/hooks.def"
#undef HOOK
#undef HOOK_GPU

void gndi_fill_cuda_table(gndi_backend *table) {
    *table = gndi_cuda_device_functions;
#define HOOK(name, type) table->name = bound_##name;
#define HOOK_GPU(name, type) HOOK(name, type)
#include "runtime/hooks.def"
    table->load = gndi_cuda_fuse_load;
    table->lose = gndi_lose_table;
    table->capture_prepare = gndi_cuda_handles_prepare;
    table->fft_gathers = gndi_cuda_fft_gathers;
    table->scan_starts = gndi_cuda_scan_starts;
    table->fuse_executor = gndi_cuda_fuse_executor;
    table->describe_fault = gndi_describe_fault;
}
