// splines_kernels.cu: splines at points, a point a thread. Neighbours read the same coefficients, from the cache.
#include "splines/spline_ops.h"

namespace gnd {
namespace splines {

enum { THREADS = 256 };

template <bool quadratic, class C, class P> __global__ void __launch_bounds__(THREADS)
    spline_kernel(const __grid_constant__ gndi_spline_plan p) {
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.count; i += threads) put<quadratic, C, P>(p, i);
}

template <bool quadratic, class C> static const void *of_points(int dtype) {
    return dtype == GND_FLOAT32 ? (const void *)spline_kernel<quadratic, C, float>
                                : (const void *)spline_kernel<quadratic, C, double>;
}
template <bool quadratic> static const void *of_coefficients(int dtype, int points) {
    return dtype == GND_FLOAT32 ? of_points<quadratic, float>(points) : of_points<quadratic, double>(points);
}

} // namespace splines
} // namespace gnd

// For blocks of 256 threads.
extern "C" const void *gndi_cuda_spline_kernel(bool quadratic, int coefficients, int points) {
    using namespace gnd::splines;
    return quadratic ? of_coefficients<true>(coefficients, points) : of_coefficients<false>(coefficients, points);
}
