// stft_kernels.cu: short-time Fourier transforms and their inverses.
//
// stft_kernel     A block reads the samples of some frames, times their window, to shared memory, transforms them there
//                 and writes their bins.
// frames_kernel   The same for cuFFT: a block writes a frame to a row of memory.
// inverse_kernel  A block reads the bins of some frames and transforms them back, to rows of memory.
// spectra_kernel  The same for cuFFT: a block writes a frame's bins to a row.
// overlap_kernel  A thread adds up a sample's frames, in their order.
#include "spectral/cuda/stft_params.h"
#include "fft/cuda/fft_block.cuh"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

constexpr int THREADS = GNDI_STFT_THREADS, WARP = 32, WARPS = THREADS / WARP;
constexpr double LEAST_SQUARES = 1e-10;

extern __shared__ __align__(16) char shared[];

// ---- samples ------------------------------------------------------------------------------------

template <class T> GNDI_FN T twice_less(T edge, T mirror) {
    if constexpr (is_complex<T>) {
        T v;
        v.re = 2 * edge.re - mirror.re, v.im = 2 * edge.im - mirror.im;
        return v;
    } else {
        return 2 * edge - mirror;
    }
}

// Sample t of a line, of which x[0] is number x_first.
template <class T> GNDI_FN T sample(const gndi_stft_plan &p, const T *x, int64_t t) {
    x -= p.x_first;
    if (t >= 0 && t < p.total) return x[t];
    if (t < -p.extend || (t >= 0 && t - p.total >= p.extend)) return T{};
    const int64_t edge = t < 0 ? 0 : p.total - 1, mirror = t < 0 ? -t : 2 * edge - t;
    switch (p.border) {
    case GNDI_BORDER_NEAREST: return x[edge];
    case GNDI_BORDER_MIRROR: return x[mirror];
    case GNDI_BORDER_ANTIREFLECT: return twice_less(x[edge], x[mirror]);
    default: return T{};
    }
}

template <class T> GNDI_FN complex<real_t<T>> as_complex(T v) {
    complex<real_t<T>> c;
    if constexpr (is_complex<T>)
        c = v;
    else
        c.re = v, c.im = 0;
    return c;
}
template <class R> GNDI_FN complex<R> scaled(complex<R> v, R by) {
    v.re *= by, v.im *= by;
    return v;
}
template <class R> GNDI_FN complex<R> conjugate(complex<R> v) {
    v.im = 0 - v.im;
    return v;
}

// ---- trends -------------------------------------------------------------------------------------

// Sums of a frame's elements, and of these times their distance from its middle; then the mean and the slope.
struct trend {
    double re, im, re_slope, im_slope;
};
template <class R> GNDI_FN void add_element(trend &s, complex<R> v, double distance) {
    s.re += v.re, s.im += v.im;
    s.re_slope += distance * v.re, s.im_slope += distance * v.im;
}
GNDI_FN void add_trend(trend &s, const trend &more) {
    s.re += more.re, s.im += more.im, s.re_slope += more.re_slope, s.im_slope += more.im_slope;
}
GNDI_FN void add_up_warp(trend &s) {
    for (int width = WARP / 2; width > 0; width /= 2) {
        const trend more = {__shfl_xor_sync(0xffffffff, s.re, width), __shfl_xor_sync(0xffffffff, s.im, width),
                            __shfl_xor_sync(0xffffffff, s.re_slope, width),
                            __shfl_xor_sync(0xffffffff, s.im_slope, width)};
        add_trend(s, more);
    }
}
GNDI_FN void finish_trend(trend &s, const gndi_stft_params &p) {
    const double n = (double)p.plan.nperseg;
    const bool linear = p.plan.trend == GNDI_TREND_LINEAR && p.squares > 0;
    s.re /= n, s.im /= n;
    s.re_slope = linear ? s.re_slope / p.squares : 0;
    s.im_slope = linear ? s.im_slope / p.squares : 0;
}
template <class R> GNDI_FN complex<R> without(complex<R> v, const trend &s, double distance) {
    v.re = (R)((double)v.re - s.re - s.re_slope * distance);
    v.im = (R)((double)v.im - s.im - s.im_slope * distance);
    return v;
}

// By a warp, of a frame in shared memory, which gets its window then.
template <class R> GNDI_FN void take_trend(const gndi_stft_params &p, complex<R> *v, const R *window) {
    const int n = (int)p.plan.nperseg, lane = (int)threadIdx.x % WARP;
    const double middle = 0.5 * (double)(n - 1);
    trend s = {0, 0, 0, 0};
    for (int i = lane; i < n; i += WARP) add_element(s, v[i], i - middle);
    add_up_warp(s);
    finish_trend(s, p);
    for (int i = lane; i < n; i += WARP) {
        v[i] = without(v[i], s, i - middle);
        if (window) v[i] = scaled(v[i], window[i]);
    }
}

// By a block, of a frame in memory: in all threads.
template <class T> GNDI_FN trend find_trend(const gndi_stft_params &p, const T *x, int64_t start) {
    __shared__ trend of_warp[WARPS];
    const double middle = 0.5 * (double)(p.plan.nperseg - 1);
    trend s = {0, 0, 0, 0};
    for (int64_t i = threadIdx.x; i < p.plan.nperseg; i += THREADS)
        add_element(s, as_complex(sample(p.plan, x, start + i)), (double)i - middle);
    add_up_warp(s);
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = s;
    __syncthreads();
    s = of_warp[0];
    for (int w = 1; w < WARPS; w++) add_trend(s, of_warp[w]);
    finish_trend(s, p);
    return s;
}

// ---- transforms ---------------------------------------------------------------------------------

// Transforms have exp(+ ...): a frame is transformed as its conjugate.
template <class T> __global__ void __launch_bounds__(THREADS) stft_kernel(const __grid_constant__ gndi_stft_params p) {
    typedef real_t<T> R;
    const gndi_stft_plan &q = p.plan;
    const int n = (int)q.nfft, all = n * p.t.frames;
    complex<R> *frames = reinterpret_cast<complex<R> *>(shared), *other = frames + all, *wave = other + all;
    const int64_t line = blockIdx.x / p.t.tiles, tile = blockIdx.x % p.t.tiles * p.t.frames;
    const int there = q.count - tile < p.t.frames ? (int)(q.count - tile) : p.t.frames;
    const int64_t start = (q.frame_first + tile) * q.hop - q.extend;
    const T *x = reinterpret_cast<const T *>(q.x + gndi_line_of_x(&q.grid, line));
    const R *window = reinterpret_cast<const R *>(q.window);
    fill_wave<THREADS>(wave, n);
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int f = e / n, i = e % n;
        complex<R> v{};
        if (f < there && i < q.nperseg) {
            v = conjugate(as_complex(sample(q, x, start + f * q.hop + i)));
            if (window && q.trend == GNDI_TREND_NONE) v = scaled(v, window[i]);
        }
        frames[e] = v;
    }
    __syncthreads();
    if (q.trend != GNDI_TREND_NONE) {
        for (int f = (int)threadIdx.x / WARP; f < there; f += WARPS) take_trend(p, frames + f * n, window);
        __syncthreads();
    }
    const complex<R> *spectra = transform<THREADS>(frames, other, wave, n, p.t.frames, p.t.factor, p.t.factors);
    const int bins = (int)gndi_stft_bins(n, q.half);
    complex<R> *out = reinterpret_cast<complex<R> *>(q.out) + (line * q.count + tile) * bins;
    for (int e = (int)threadIdx.x; e < there * bins; e += THREADS) out[e] = conjugate(spectra[e / bins * n + e % bins]);
}

template <class T> __global__ void __launch_bounds__(THREADS)
    frames_kernel(const __grid_constant__ gndi_stft_params p) {
    typedef real_t<T> R;
    const gndi_stft_plan &q = p.plan;
    const int64_t row = p.row_first + blockIdx.x, line = row / q.count;
    const int64_t start = (q.frame_first + row % q.count) * q.hop - q.extend;
    const T *x = reinterpret_cast<const T *>(q.x + gndi_line_of_x(&q.grid, line));
    const R *window = reinterpret_cast<const R *>(q.window);
    R *to = reinterpret_cast<R *>(p.rows) + blockIdx.x * q.nfft * (q.half ? 1 : 2);
    const double middle = 0.5 * (double)(q.nperseg - 1);
    trend s = {0, 0, 0, 0};
    if (q.trend != GNDI_TREND_NONE) s = find_trend(p, x, start);
    for (int64_t i = threadIdx.x; i < q.nfft; i += THREADS) {
        complex<R> v{};
        if (i < q.nperseg) {
            v = as_complex(sample(q, x, start + i));
            if (q.trend != GNDI_TREND_NONE) v = without(v, s, (double)i - middle);
            if (window) v = scaled(v, window[i]);
        }
        if (q.half)
            to[i] = v.re;
        else
            to[2 * i] = v.re, to[2 * i + 1] = v.im;
    }
}

// ---- inverses -----------------------------------------------------------------------------------

// Bin k of a frame, times the response; of a real signal without imaginary parts that its spectrum would not have.
template <class R> GNDI_FN complex<R> bin(const gndi_istft_plan &q, const char *frame, int64_t k) {
    complex<R> v{};
    if (k < q.bins) v = *reinterpret_cast<const complex<R> *>(frame + k * q.bin_step);
    if (q.response) v = times(v, reinterpret_cast<const complex<R> *>(q.response)[k]);
    if (q.half && (k == 0 || 2 * k == q.nfft)) v.im = 0;
    return v;
}

// Samples skip .. of some frames, transformed back, which no other frames have, to their places.
template <class R>
GNDI_FN void store_samples(const gndi_istft_plan &q, const complex<R> *frames, int64_t line, int64_t first, int count) {
    const int n = (int)q.nfft, hop = (int)q.hop, skip = (int)q.skip;
    R *out = reinterpret_cast<R *>(q.out) + line * q.count * (q.half ? 1 : 2);
    for (int e = (int)threadIdx.x; e < count * hop; e += THREADS) {
        const int64_t at = first * hop + e + skip - q.out_first;
        if (at < 0 || at >= q.count) continue;
        const complex<R> v = frames[e / hop * n + e % hop + skip];
        if (q.half)
            out[at] = v.re;
        else
            reinterpret_cast<complex<R> *>(out)[at] = v;
    }
}

template <class R> __global__ void __launch_bounds__(THREADS)
    inverse_kernel(const __grid_constant__ gndi_istft_params p) {
    const gndi_istft_plan &q = p.plan;
    const int n = (int)q.nfft, all = n * p.t.frames;
    complex<R> *frames = reinterpret_cast<complex<R> *>(shared), *other = frames + all, *wave = other + all;
    const int64_t line = blockIdx.x / p.t.tiles, tile = blockIdx.x % p.t.tiles * p.t.frames;
    const int there = p.frames - tile < p.t.frames ? (int)(p.frames - tile) : p.t.frames;
    const char *z = q.z + gndi_line_of_x(&q.grid, line) + (p.first + tile - q.frame_first) * q.frame_step;
    fill_wave<THREADS>(wave, n);
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int f = e / n, k = e % n;
        complex<R> v{};
        if (f < there) {
            const bool mirrored = q.half && k > n / 2;
            v = bin<R>(q, z + f * q.frame_step, mirrored ? n - k : k);
            if (mirrored) v = conjugate(v);
        }
        frames[e] = v;
    }
    __syncthreads();
    const complex<R> *samples = transform<THREADS>(frames, other, wave, n, p.t.frames, p.t.factor, p.t.factors);
    if (p.direct) {
        store_samples(q, samples, line, p.first + tile, there);
        return;
    }
    const int pitch = (int)p.pitch;
    R *to = reinterpret_cast<R *>(p.work) + (line * p.frames + tile) * pitch * (q.half ? 1 : 2);
    for (int e = (int)threadIdx.x; e < there * pitch; e += THREADS) {
        const complex<R> v = samples[e / pitch * n + e % pitch];
        if (q.half)
            to[e] = v.re;
        else
            reinterpret_cast<complex<R> *>(to)[e] = v;
    }
}

template <class R> __global__ void __launch_bounds__(THREADS)
    spectra_kernel(const __grid_constant__ gndi_istft_params p) {
    const gndi_istft_plan &q = p.plan;
    const int64_t row = p.row_first + blockIdx.x, line = row / p.frames, bins = gndi_stft_bins(q.nfft, q.half);
    const int64_t f = p.first + row % p.frames - q.frame_first;
    const char *z = q.z + gndi_line_of_x(&q.grid, line) + f * q.frame_step;
    complex<R> *to = reinterpret_cast<complex<R> *>(p.rows) + blockIdx.x * bins;
    for (int64_t k = threadIdx.x; k < bins; k += THREADS) to[k] = bin<R>(q, z, k);
}

// R or complex<R> in T.
template <class T> __global__ void __launch_bounds__(THREADS)
    overlap_kernel(const __grid_constant__ gndi_istft_params p) {
    typedef real_t<T> R;
    const gndi_istft_plan &q = p.plan;
    const R *window = reinterpret_cast<const R *>(q.window), *squares = reinterpret_cast<const R *>(q.squares);
    const int64_t pieces = (p.out_count + GNDI_STFT_OUTPUTS - 1) / GNDI_STFT_OUTPUTS;
    const int64_t line = blockIdx.x / pieces, begin = blockIdx.x % pieces * GNDI_STFT_OUTPUTS;
    const int64_t end = begin + GNDI_STFT_OUTPUTS < p.out_count ? begin + GNDI_STFT_OUTPUTS : p.out_count;
    const T *work = reinterpret_cast<const T *>(p.work) + line * p.frames * p.pitch;
    T *out = reinterpret_cast<T *>(q.out) + line * q.count + p.out_begin;
    for (int64_t i = begin + threadIdx.x; i < end; i += THREADS) {
        const int64_t t = q.out_first + p.out_begin + i;
        int64_t from, to;
        gndi_istft_frames(&q, t, t, &from, &to);
        complex<R> sum{};
        R norm = 0;
        for (int64_t f = from; f < to; f++) {
            const int64_t at = t - f * q.hop;
            const complex<R> v = as_complex(work[(f - p.first) * p.pitch + at]);
            const R w = window ? window[at] : (R)1;
            sum.re += v.re * w, sum.im += v.im * w;
            if (squares) norm += squares[at];
        }
        if (squares && norm > (R)LEAST_SQUARES) sum.re /= norm, sum.im /= norm;
        if constexpr (is_complex<T>)
            out[i] = sum;
        else
            out[i] = sum.re;
    }
}

template <class T> static const void *stft_kernel_of(bool blocks) {
    return blocks ? (const void *)stft_kernel<T> : (const void *)frames_kernel<T>;
}

} // namespace gnd

// Of samples of a dtype: blocks transform frames, or leave them to cuFFT.
extern "C" const void *gndi_cuda_stft_kernel(int dtype, bool blocks) {
    using namespace gnd;
    switch (dtype) {
    case dtype_of<float>: return stft_kernel_of<float>(blocks);
    case dtype_of<double>: return stft_kernel_of<double>(blocks);
    case dtype_of<complex<float>>: return stft_kernel_of<complex<float>>(blocks);
    default: return stft_kernel_of<complex<double>>(blocks);
    }
}

extern "C" const void *gndi_cuda_istft_kernel(bool wide, bool blocks) {
    using namespace gnd;
    if (wide) return blocks ? (const void *)inverse_kernel<double> : (const void *)spectra_kernel<double>;
    return blocks ? (const void *)inverse_kernel<float> : (const void *)spectra_kernel<float>;
}

extern "C" const void *gndi_cuda_overlap_kernel(bool wide, bool half) {
    using namespace gnd;
    if (wide) return half ? (const void *)overlap_kernel<double> : (const void *)overlap_kernel<complex<double>>;
    return half ? (const void *)overlap_kernel<float> : (const void *)overlap_kernel<complex<float>>;
}
