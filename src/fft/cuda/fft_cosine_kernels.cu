// fft_cosine_kernels.cu: the kernels before and after the Fourier transforms of cosine and sine transforms: a thread
// computes an element. Indices have 32 bits where these suffice, which divide faster.
#include "fft/cuda/fft_cosine.cuh"

namespace gnd {

template <class T, class Index> __global__ void __launch_bounds__(GNDI_DCT_THREADS)
    before_kernel(const __grid_constant__ gndi_dct_params p) {
    const Index e = (Index)blockIdx.x * GNDI_DCT_THREADS + threadIdx.x;
    if (e < (Index)p.total) dct::make_before<T, Index>(p, e);
}

template <class T, class Index> __global__ void __launch_bounds__(GNDI_DCT_THREADS)
    behind_kernel(const __grid_constant__ gndi_dct_params p) {
    const Index e = (Index)blockIdx.x * GNDI_DCT_THREADS + threadIdx.x;
    if (e < (Index)p.total) dct::make_behind<T, Index>(p, e);
}

template <class T, class Index> static const void *kernel_of(bool behind) {
    return behind ? reinterpret_cast<const void *>(&behind_kernel<T, Index>)
                  : reinterpret_cast<const void *>(&before_kernel<T, Index>);
}

} // namespace gnd

extern "C" const void *gndi_cuda_dct_kernel(bool behind, bool wide, bool many) {
    if (wide) return many ? gnd::kernel_of<double, uint64_t>(behind) : gnd::kernel_of<double, uint32_t>(behind);
    return many ? gnd::kernel_of<float, uint64_t>(behind) : gnd::kernel_of<float, uint32_t>(behind);
}
