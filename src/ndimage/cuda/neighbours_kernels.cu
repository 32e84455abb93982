// neighbours_kernels.cu: windows of any shape: a thread for each output, which reads through the cache.
#include "ndimage/neighbours_ops.h"

namespace gnd {
namespace neighbours {

enum { THREADS = 256 };

template <class T, int kind> __global__ void __launch_bounds__(THREADS)
    neighbours_kernel(const __grid_constant__ plan_t p) {
    const int64_t output = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t outputs = 1;
    for (int a = 0; a < p.ndim; a++) outputs *= p.out_shape[a];
    if (output >= outputs) return;
    if constexpr (kind == GNDI_NEIGHBOURS_EXTEND)
        extend<T>(p, output);
    else
        extreme<kind, T>(p, output);
}

template <int kind> static const void *kernel_of(int dtype) {
    if (dtype == GND_UINT8) return (const void *)neighbours_kernel<uint8_t, kind>;
    if (dtype == GND_FLOAT32) return (const void *)neighbours_kernel<float, kind>;
    return (const void *)neighbours_kernel<double, kind>;
}

} // namespace neighbours
} // namespace gnd

extern "C" const void *gndi_cuda_neighbours_kernel(int kind, int dtype) {
    using namespace gnd::neighbours;
    if (kind == GNDI_NEIGHBOURS_MAXIMUM) return kernel_of<GNDI_NEIGHBOURS_MAXIMUM>(dtype);
    if (kind == GNDI_NEIGHBOURS_MINIMUM) return kernel_of<GNDI_NEIGHBOURS_MINIMUM>(dtype);
    switch (dtype) {
    case GND_UINT8: return (const void *)neighbours_kernel<uint8_t, GNDI_NEIGHBOURS_EXTEND>;
    case GND_UINT16: return (const void *)neighbours_kernel<uint16_t, GNDI_NEIGHBOURS_EXTEND>;
    case GND_UINT32: return (const void *)neighbours_kernel<uint32_t, GNDI_NEIGHBOURS_EXTEND>;
    default: return (const void *)neighbours_kernel<uint64_t, GNDI_NEIGHBOURS_EXTEND>;
    }
}
