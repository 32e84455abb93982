/*
 * even_steps_cuda.c: whether steps are even, on CUDA.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "statistics/cuda/even_steps_params.h"
#include "statistics/even_steps_plan.h"

const void *gndi_cuda_even_steps_kernel(int bytes); /* even_steps_kernels.cu */

static uint64_t infinity_of(gnd_dtype dtype) {
    switch ((int)dtype) {
    case GND_FLOAT16: return 0x7c00;
    case GND_BFLOAT16: return 0x7f80;
    case GND_FLOAT32:
    case GND_COMPLEX64: return 0x7f800000;
    default: return UINT64_C(0x7ff0000000000000);
    }
}

gnd_status gndi_cuda_even_steps(gnd_stream *s, const gndi_even_steps_plan *plan, const char *fn) {
    enum { EACH = 8, BLOCKS = 8 }; /* numbers of a thread at least, blocks of a processor at most */
    const gnd_dtype dtype = (gnd_dtype)plan->dtype;
    const int parts = gndi_dtype_is_complex(dtype) ? 2 : 1, bytes = gndi_dtype_sizes[dtype] / parts;
    gndi_even_steps_params p = {.steps = plan->steps,
                                .even = plan->even,
                                .words = plan->count * parts,
                                .infinity = infinity_of(dtype),
                                .parts = parts};
    const int64_t blocks =
        gndi_min(gndi_ceil_div(p.words, EACH * GNDI_EVEN_STEPS_THREADS), (int64_t)BLOCKS * s->device->processors);
    const cudaError_t error = cudaMemsetAsync(plan->even, true, sizeof(bool), (cudaStream_t)s->native);
    if (error) return gndi_cuda_check((int)error, fn, "clearing memory");
    if (p.words == 0) return GND_OK;
    return gndi_cuda_launch(s, gndi_cuda_even_steps_kernel(bytes), blocks, GNDI_EVEN_STEPS_THREADS, 0, &p, fn);
}
