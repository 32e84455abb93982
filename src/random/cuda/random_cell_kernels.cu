// random_cell_kernels.cu: the state in device memory of a generator that was captured into a CUDA graph: the host sets
// it, and a kernel advances it after each draw.
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

} // namespace gnd

extern "C" const void *gndi_cuda_random_cell_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::random_cell_kernel);
}
