// freq_shift_kernels.cu: lines times a complex oscillation. A thread has one element of all lines of its share: the
// phase is computed once for them.
#include "resample/freq_shift_plan.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

GNDI_FN void wave(double turns, float *re, float *im) {
    sincospif((float)(-2 * turns), im, re);
}
GNDI_FN void wave(double turns, double *re, double *im) {
    sincospi(-2 * turns, im, re);
}

template <class T> __global__ void __launch_bounds__(256) shift_kernel(const __grid_constant__ gndi_freq_shift_plan p) {
    typedef real_t<T> real;
    const int64_t threads = (int64_t)gridDim.x * 256;
    for (int64_t i = (int64_t)blockIdx.x * 256 + threadIdx.x; i < p.n; i += threads) {
        real re, im;
        wave(gndi_shift_turns(i, p.freq, p.fs), &re, &im);
        for (int64_t line = blockIdx.y; line < p.grid.lines; line += gridDim.y) {
            const T x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line))[i];
            complex<real> *out = reinterpret_cast<complex<real> *>(p.out + gndi_line_of_out(&p.grid, line));
            complex<real> y;
            if constexpr (is_complex<T>) {
                y.re = x.re * re - x.im * im;
                y.im = x.re * im + x.im * re;
            } else {
                y.re = x * re, y.im = x * im;
            }
            out[i] = y;
        }
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_freq_shift_kernel(int dtype) {
    using namespace gnd;
    switch (dtype) {
    case dtype_of<float>: return (const void *)shift_kernel<float>;
    case dtype_of<double>: return (const void *)shift_kernel<double>;
    case dtype_of<complex<float>>: return (const void *)shift_kernel<complex<float>>;
    default: return (const void *)shift_kernel<complex<double>>;
    }
}
