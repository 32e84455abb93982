// vector_strength_kernels.cu: vector strengths: a block adds up a part of the events for one period; a second launch
// adds up the parts.
#include "kernels/cuda/report_fault.cuh"
#include "transforms/cuda/block_sum.cuh"
#include "transforms/cuda/periods_params.h"
#include "transforms/vector_strength_ops.h"

namespace gnd {
namespace periods {

enum { THREADS = GNDI_EVENTS_THREADS };

template <class E, class T> __global__ void __launch_bounds__(THREADS)
    events_kernel(const __grid_constant__ gndi_vector_strength_params p) {
    const int64_t period = blockIdx.x / p.parts, part = blockIdx.x % p.parts, begin = part * p.length;
    const int64_t end = begin + p.length < p.plan.events_count ? begin + p.length : p.plan.events_count;
    const double quarters = 4 / period_at<T>(p.plan, period);
    const E *events = static_cast<const E *>(p.plan.events);
    double cosines = 0, sines = 0;
#pragma unroll 4
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS) {
        T s, c;
        phases::sincos_of(quarters, (double)events[i], &s, &c);
        cosines += (double)c, sines += (double)s;
    }
    cosines = block_sum<THREADS>(cosines);
    sines = block_sum<THREADS>(sines);
    if (threadIdx.x == 0) p.sums[2 * blockIdx.x] = cosines, p.sums[2 * blockIdx.x + 1] = sines;
}

template <class T> __global__ void __launch_bounds__(THREADS)
    strength_kernel(const __grid_constant__ gndi_vector_strength_params p) {
    const int64_t period = blockIdx.x;
    const double *sums = p.sums + 2 * period * p.parts;
    double cosines = 0, sines = 0;
    for (int64_t i = threadIdx.x; i < p.parts; i += THREADS) cosines += sums[2 * i], sines += sums[2 * i + 1];
    cosines = block_sum<THREADS>(cosines);
    sines = block_sum<THREADS>(sines);
    if (threadIdx.x > 0) return;
    if (period_at<T>(p.plan, period) <= 0) report_fault(p.fault, GNDI_FAULT_PERIOD, period, 0, 0);
    put_strength<T>(p.plan, period, cosines, sines);
}

} // namespace periods
} // namespace gnd

extern "C" const void *gndi_cuda_vector_strength_kernel(int dtype, int events_dtype, bool finishes) {
    using namespace gnd::periods;
    if (dtype == GND_FLOAT32)
        return finishes ? (const void *)strength_kernel<float> : (const void *)events_kernel<float, float>;
    if (finishes) return (const void *)strength_kernel<double>;
    return events_dtype == GND_FLOAT32 ? (const void *)events_kernel<float, double>
                                       : (const void *)events_kernel<double, double>;
}
