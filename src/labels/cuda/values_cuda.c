/*
 * values_cuda.c: the steps of value_indices on CUDA.
 */
#include "labels/cuda/values_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_values_kernel(int64_t bytes); /* values_kernels.cu */

gnd_status gndi_cuda_values(gnd_stream *s, const gndi_values_plan *plan, const char *fn) {
    enum { BLOCKS = 16 }; /* of a processor at most */
    gndi_values_plan p = *plan;
    const int64_t blocks =
        gndi_min(gndi_ceil_div(p.count, GNDI_VALUES_THREADS), (int64_t)BLOCKS * s->device->processors);
    if (p.count == 0) return GND_OK;
    return gndi_cuda_launch(s, gndi_cuda_values_kernel(p.bytes), blocks, GNDI_VALUES_THREADS, 0, &p, fn);
}
