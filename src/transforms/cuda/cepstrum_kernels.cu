// cepstrum_kernels.cu: logarithms of magnitudes, an element a thread.
#include "kernels/scalar/scalar_math.h"
#include "transforms/cepstrum_plan.h"

namespace gnd {

enum { THREADS = 256 };

template <class V> __global__ void __launch_bounds__(THREADS)
    log_magnitude_kernel(const __grid_constant__ gndi_log_magnitude_plan p) {
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    V *z = static_cast<V *>(p.z);
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.count; i += threads) {
        const V v = z[i];
        if constexpr (sizeof(V) == 16) {
            z[i] = V{p.factor * m::log(m::hypot(v.x, v.y)), 0};
        } else {
            const double re = (double)v.x, im = (double)v.y;
            z[i] = V{(float)(p.factor / 2 * m::log(re * re + im * im)), 0};
        }
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_log_magnitude_kernel(bool wide) {
    return wide ? (const void *)gnd::log_magnitude_kernel<double2> : (const void *)gnd::log_magnitude_kernel<float2>;
}
