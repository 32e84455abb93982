// random_cell_kernels.cu: states in device memory. That of a generator that was captured into a CUDA graph is set by
// the host, and a kernel advances it after each draw. The first states of XORWOW and MRG32k3a are computed there, a
// thread each: at most 16 leaps, of 160 steps of XORWOW.
#include "random/cuda/random_params.h"

namespace gnd {

__global__ void random_cell_kernel(const __grid_constant__ gndi_random_cell_params p) {
    if (p.words == 0) {
        *p.cell = p.state;
        return;
    }
    const uint64_t position = p.cell->position + p.offset;
    p.cell->position = gndi_aligned_position(position, p.words) + p.words * p.size - p.offset;
}

__global__ void __launch_bounds__(GNDI_RANDOM_THREADS)
    random_begin_kernel(const __grid_constant__ gndi_random_begin_plan p) {
    const uint32_t index = blockIdx.x * GNDI_RANDOM_THREADS + threadIdx.x;
    uint32_t v[GNDI_STATE_WORDS];
    gndi_random_first_state(&p, index, v);
    for (int i = 0; i < GNDI_STATE_WORDS; i++) p.states[i * GNDI_RANDOM_STATES + index] = v[i];
}

} // namespace gnd

extern "C" const void *gndi_cuda_random_begin_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::random_begin_kernel);
}

extern "C" const void *gndi_cuda_random_cell_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::random_cell_kernel);
}
