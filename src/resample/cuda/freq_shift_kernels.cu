// freq_shift_kernels.cu: lines times a complex oscillation. A thread has the same elements of all lines of its share:
// their phases are computed once. Of float32 they are several, apart by the threads of a block: the first one's turns
// are exact, and those of the others are sums in float64, whose errors are far below a float's.
#include "resample/freq_shift_plan.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

GNDI_FN void wave(double turns, float *re, float *im) {
    sincospif((float)(-2 * turns), im, re);
}
GNDI_FN void wave(double turns, double *re, double *im) {
    sincospi(-2 * turns, im, re);
}

// The oscillation at element i and at the ones `step` further on, by which turns grow by turns_step.
template <class R, int EACH> GNDI_FN void waves(const gndi_freq_shift_plan &p, int64_t i, R *re, R *im) {
    const double first = gndi_shift_turns(i, p.freq, p.fs);
    wave(first, re, im);
#pragma unroll
    for (int e = 1; e < EACH; e++) {
        const double turns = fma((double)e, p.turns_step, first);
        wave(turns - rint(turns), re + e, im + e);
    }
}

GNDI_FN complex<float> times(float x, float re, float im) {
    return {x * re, x * im};
}
GNDI_FN complex<double> times(double x, double re, double im) {
    return {x * re, x * im};
}
template <class R> GNDI_FN complex<R> times(complex<R> x, R re, R im) {
    return {x.re * re - x.im * im, x.re * im + x.im * re};
}

// A thread's elements, `THREADS` apart, of which `n` are left in the line.
template <class T, int EACH> GNDI_FN void load(const T *x, int64_t n, T (&v)[EACH]) {
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e * GNDI_SHIFT_THREADS < n) v[e] = x[e * GNDI_SHIFT_THREADS];
}

template <class T> __global__ void __launch_bounds__(GNDI_SHIFT_THREADS)
    shift_kernel(const __grid_constant__ gndi_freq_shift_plan p) {
    typedef real_t<T> real;
    constexpr int THREADS = GNDI_SHIFT_THREADS, EACH = sizeof(real) == 4 ? GNDI_SHIFT_EACH : 1;
    const int64_t step = (int64_t)gridDim.x * (THREADS * EACH);
    for (int64_t i = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x; i < p.n; i += step) {
        int64_t line = blockIdx.y;
        T v[EACH]; // on their way while phases are computed
        load(reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line)) + i, p.n - i, v);
        real re[EACH], im[EACH];
        waves<real, EACH>(p, i, re, im);
        while (true) {
            complex<real> *out = reinterpret_cast<complex<real> *>(p.out + gndi_line_of_out(&p.grid, line)) + i;
#pragma unroll
            for (int e = 0; e < EACH; e++)
                if (e * THREADS < p.n - i) out[e * THREADS] = times(v[e], re[e], im[e]);
            line += gridDim.y;
            if (line >= p.grid.lines) break;
            load(reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line)) + i, p.n - i, v);
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
