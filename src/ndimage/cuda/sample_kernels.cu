// sample_kernels.cu: splines at coordinates: a thread for each output, which reads through the cache. Coordinates are
// double; neighbouring threads have neighbouring outputs, whose coefficients are mostly in the same lines of the cache.
#include "ndimage/sample_ops.h"

namespace gnd {
namespace sample {

enum { THREADS = 256 };

template <class T, int order, bool two> __global__ void __launch_bounds__(THREADS)
    sample_kernel(const __grid_constant__ plan_t p) {
    const int64_t o = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (o < p.count) put<T, order, two>(p, o);
}

template <class T, bool two> static const void *of_order(int order) {
    switch (order) {
    case 0: return (const void *)sample_kernel<T, 0, two>;
    case 1: return (const void *)sample_kernel<T, 1, two>;
    case 2: return (const void *)sample_kernel<T, 2, two>;
    case 3: return (const void *)sample_kernel<T, 3, two>;
    case 4: return (const void *)sample_kernel<T, 4, two>;
    default: return (const void *)sample_kernel<T, 5, two>;
    }
}

} // namespace sample
} // namespace gnd

extern "C" const void *gndi_cuda_sample_kernel(int dtype, int order, bool two) {
    using namespace gnd::sample;
    if (dtype == GND_FLOAT32) return two ? of_order<float, true>(order) : of_order<float, false>(order);
    return two ? of_order<double, true>(order) : of_order<double, false>(order);
}
