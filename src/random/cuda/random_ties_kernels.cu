// random_ties_kernels.cu: reorders the indices of equal random keys: a thread for each key; few have anything to do.
#include "random/cuda/random_params.h"
#include "random/random_ties.h"

namespace gnd {

__global__ void __launch_bounds__(GNDI_RANDOM_THREADS) random_ties_kernel(const __grid_constant__ gndi_random_ties p) {
    const int64_t i = (int64_t)blockIdx.x * GNDI_RANDOM_THREADS + threadIdx.x;
    if (i >= p.rows * p.length) return;
    break_ties(p, state_of(p.engine), i);
}

} // namespace gnd

extern "C" const void *gndi_cuda_random_ties_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::random_ties_kernel);
}
