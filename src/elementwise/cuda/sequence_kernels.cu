// sequence_kernels.cu: first + i * step for each dtype, an element a thread. Floating numbers are
// computed in float64, product and sum rounded separately, and cast once.
#include "elementwise/cuda/sequence_params.h"
#include "kernels/scalar/scalar_cast.h"
#include "kernels/scalar/scalar_math.h"

namespace gnd {

enum { THREADS = 256 };

template <class S> GNDI_FN S element_at(const gndi_sequence_params &p, uint64_t i) {
    if constexpr (is_bool<S>) {
        return p.first + i * p.step != 0;
    } else if constexpr (is_int<S>) {
        return (S)(p.first + i * p.step);
    } else {
        const double re = m::add(p.re, m::mul((double)i, p.dre));
        if constexpr (is_complex<S>) {
            typedef real_t<S> R;
            return S{(R)re, (R)m::add(p.im, m::mul((double)i, p.dim))};
        } else {
            return cast<S>(re);
        }
    }
}

template <class S> __global__ void __launch_bounds__(THREADS)
    sequence_kernel(const __grid_constant__ gndi_sequence_params p) {
    const uint64_t i = (uint64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.n) return;
    S x = element_at<S>(p, i);
    if (p.last_given && i == p.n - 1) memcpy(&x, p.last, sizeof x);
    static_cast<S *>(p.out)[i] = x;
}

} // namespace gnd

// The kernel of a dtype, for blocks of 256 threads.
extern "C" const void *gndi_cuda_sequence_kernel(int dtype) {
    switch (dtype) {
#define KERNEL(number)                                                                                                 \
    case number: return reinterpret_cast<const void *>(&gnd::sequence_kernel<gnd::storage_of<number>>);
        KERNEL(1)
        KERNEL(2)
        KERNEL(3)
        KERNEL(4)
        KERNEL(5)
        KERNEL(6)
        KERNEL(7)
        KERNEL(8)
        KERNEL(9)
        KERNEL(10)
        KERNEL(11)
        KERNEL(12)
        KERNEL(13)
        KERNEL(14)
        KERNEL(15)
#undef KERNEL
    }
    return nullptr;
}
