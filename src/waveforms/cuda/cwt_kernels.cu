// cwt_kernels.cu: a signal convolved with many wavelets, by transforms of a block (fft_registers.cuh).
//
// spectra_kernel  A block transforms a line: a wavelet, or two real ones as the real and the imaginary part.
// tiles_kernel    A block transforms a tile of the signal, and keeps it. For each line of its group it multiplies and
//                 transforms back: of a real signal and two real wavelets the real part is the first one's result, and
//                 the imaginary part the second one's.
#include "fft/cuda/fft_registers.cuh"
#include "waveforms/cuda/cwt_params.h"

namespace gnd {
namespace cwt {

extern __shared__ __align__(16) char shared[];

template <class R> struct block {
    static constexpr bool WIDE = sizeof(R) == 8;
    static constexpr int N = GNDI_CWT_LENGTH(WIDE), EACH = GNDI_CWT_EACH, THREADS = GNDI_CWT_THREADS(WIDE);
    typedef register_fft<R, N> fft;
    static_assert(fft::E == EACH && fft::THREADS == THREADS && fft::ROOTS == GNDI_CWT_ROOTS(WIDE) &&
                      fft::PITCH == GNDI_CWT_FRAME(WIDE),
                  "");
};

// Number i of real or complex ones.
template <class R> GNDI_FN number<R> number_at(const void *from, bool is_complex, int64_t i) {
    if (is_complex) return static_cast<const number<R> *>(from)[i];
    return {static_cast<const R *>(from)[i], 0};
}

template <class R> __global__ void __launch_bounds__(block<R>::THREADS)
    spectra_kernel(const __grid_constant__ gndi_cwt_params p) {
    typedef block<R> of;
    typedef typename of::fft fft;
    const gndi_cwt_plan &q = p.plan;
    number<R> *frame = reinterpret_cast<number<R> *>(shared), *roots = frame + fft::PITCH;
    const int t = (int)threadIdx.x;
#pragma unroll 1
    for (int k = 1; k < of::EACH; k++) {
        double s, c;
        sincospi(-2.0 * (t * k) / of::N, &s, &c);
        const number<R> root = {(R)c, (R)s};
        roots[(k - 1) * of::THREADS + t] = root;
        if (blockIdx.x == 0) static_cast<number<R> *>(p.roots)[(k - 1) * of::THREADS + t] = root;
    }
    const int64_t row = (int64_t)blockIdx.x * (p.pairs ? 2 : 1) * q.columns;
    const bool two = p.pairs && 2 * (int64_t)blockIdx.x + 1 < q.count;
    number<R> v[of::EACH];
#pragma unroll
    for (int e = 0; e < of::EACH; e++) {
        const int i = t + e * of::THREADS;
        v[e] = {0, 0};
        if (i >= q.columns) continue;
        v[e] = number_at<R>(q.rows, q.complex_rows, row + i);
        if (two) v[e].im = static_cast<const R *>(q.rows)[row + q.columns + i];
        v[e].re *= (R)1 / of::N, v[e].im *= (R)1 / of::N;
    }
    __syncthreads();
    fft::template run<-1>(v, frame, roots, t);
    number<R> *out = static_cast<number<R> *>(p.spectra) + (int64_t)blockIdx.x * of::N + t;
#pragma unroll
    for (int e = 0; e < of::EACH; e++) out[e * of::THREADS] = v[e];
}

// Stores the results of a tile that begins with result `first`: one or two real rows, or a complex one.
template <class R>
GNDI_FN void store_line(const gndi_cwt_params &p, const number<R> *v, int64_t first, int line, int t) {
    typedef block<R> of;
    const gndi_cwt_plan &q = p.plan;
    const int64_t row = (int64_t)line * (p.pairs ? 2 : 1) * q.size, left = q.size - first;
    const bool two = p.pairs && 2 * line + 1 < q.count;
#pragma unroll
    for (int e = 0; e < of::EACH; e++) {
        const int i = t + e * of::THREADS - (int)(q.columns - 1);
        if (i < 0 || i >= left) continue;
        if (!p.pairs) {
            static_cast<number<R> *>(q.out)[row + first + i] = v[e];
            continue;
        }
        R *out = static_cast<R *>(q.out) + row + first + i;
        out[0] = v[e].re;
        if (two) out[q.size] = v[e].im;
    }
}

template <class R> __global__ void __launch_bounds__(block<R>::THREADS, 2)
    tiles_kernel(const __grid_constant__ gndi_cwt_params p) {
    typedef block<R> of;
    typedef typename of::fft fft;
    const gndi_cwt_plan &q = p.plan;
    number<R> *frame = reinterpret_cast<number<R> *>(shared);
    const number<R> *roots = static_cast<const number<R> *>(p.roots);
    const int t = (int)threadIdx.x, group = (int)(blockIdx.x / p.tiles);
    const int64_t first = (blockIdx.x - group * p.tiles) * p.valid;
    const int64_t begin = first + (q.columns - 1) / 2 - (q.columns - 1);
    number<R> x[of::EACH];
#pragma unroll
    for (int e = 0; e < of::EACH; e++) {
        const int64_t i = begin + t + e * of::THREADS;
        x[e] = {0, 0};
        if (i >= 0 && i < q.size) x[e] = number_at<R>(q.x, q.complex_x, i);
    }
    fft::template run<-1>(x, frame, roots, t);
    const int end = p.lines < (group + 1) * p.group ? p.lines : (group + 1) * p.group;
    for (int line = group * p.group; line < end; line++) {
        const number<R> *spectrum = static_cast<const number<R> *>(p.spectra) + (int64_t)line * of::N + t;
        number<R> v[of::EACH];
#pragma unroll
        for (int e = 0; e < of::EACH; e++) v[e] = x[e] * spectrum[e * of::THREADS];
        fft::template run<1>(v, frame, roots, t);
        store_line(p, v, first, line, t);
    }
}

} // namespace cwt
} // namespace gnd

// 0: the spectra of wavelets; 1: tiles of the signal.
extern "C" const void *gndi_cuda_cwt_kernel(int which, bool wide) {
    using namespace gnd::cwt;
    if (wide) return which ? (const void *)tiles_kernel<double> : (const void *)spectra_kernel<double>;
    return which ? (const void *)tiles_kernel<float> : (const void *)spectra_kernel<float>;
}
