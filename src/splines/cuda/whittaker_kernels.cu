// whittaker_kernels.cu: Whittaker-Henderson smoothing, a thread a line. Factors of neighbouring lines lie side by side.
#include "splines/whittaker_ops.h"

namespace gnd {
namespace splines {

enum { THREADS = 64 };

__global__ void __launch_bounds__(THREADS) whittaker_kernel(const __grid_constant__ gndi_whittaker_plan p) {
    const int64_t slot = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (slot < p.slots) smooth_slot(p, slot, p.work + slot, p.slots);
}

} // namespace splines
} // namespace gnd

// For blocks of 64 threads.
extern "C" const void *gndi_cuda_whittaker_kernel(void) {
    return (const void *)gnd::splines::whittaker_kernel;
}
