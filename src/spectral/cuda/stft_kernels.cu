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

template <class V, class R> GNDI_FN V as(complex<R> v) {
    if constexpr (is_complex<V>)
        return v;
    else
        return v.re;
}

// By a warp, of a frame in shared memory, of real or complex numbers, which gets its window then.
template <class V, class R> GNDI_FN void take_trend(const gndi_stft_params &p, V *v, const R *window) {
    const int n = (int)p.plan.nperseg, lane = (int)threadIdx.x % WARP;
    const double middle = 0.5 * (double)(n - 1);
    trend s = {0, 0, 0, 0};
    for (int i = lane; i < n; i += WARP) add_element(s, as_complex(v[i]), i - middle);
    add_up_warp(s);
    finish_trend(s, p);
    for (int i = lane; i < n; i += WARP) {
        complex<R> x = without(as_complex(v[i]), s, i - middle);
        if (window) x = scaled(x, window[i]);
        v[i] = as<V>(x);
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

// The threads of a block by the frames they work on: groups of 2^t.group of them, an index for each.
struct share {
    int frame, frames, index, step;
    GNDI_FN share of(const gndi_stft_tiles &t) {
        const int tid = (int)threadIdx.x;
        return {tid >> t.group, THREADS >> t.group, tid & ((1 << t.group) - 1), 1 << t.group};
    }
};

// A block's memory: frames twice, the roots of their transforms, and those between them.
template <class R> struct block_memory {
    complex<R> *frames, *other, *wave, *turns;
    GNDI_FN block_memory of(const gndi_stft_tiles &t) {
        complex<R> *const memory = reinterpret_cast<complex<R> *>(shared), *const end =
                                                                               memory + 2 * t.length * t.frames;
        return {memory, memory + t.length * t.frames, end, end + t.length};
    }
};

// turns[k] = exp(pi i k / n): where a real frame is transformed as n complex numbers.
template <class R> GNDI_FN void fill_turns(complex<R> *turns, int n) {
    for (int k = (int)threadIdx.x; k < n; k += THREADS) {
        double re, im;
        sincospi((double)k / n, &im, &re);
        turns[k].re = (R)re, turns[k].im = (R)im;
    }
}

template <class R> GNDI_FN complex<R> *transform_frames(const gndi_stft_tiles &t, const block_memory<R> &m) {
    return transform<THREADS>(m.frames, m.other, m.wave, t.length, t.frames, t.factor, t.factors);
}

// The samples of a block's frames, of real or complex numbers, times their window and without their trend; of complex
// ones the conjugates, since transforms have exp(+ ...).
template <class T, class V>
GNDI_FN void load_frames(const gndi_stft_params &p, const T *x, int64_t start, int there, V *frames) {
    typedef real_t<T> R;
    const gndi_stft_plan &q = p.plan;
    const R *window = reinterpret_cast<const R *>(q.window), *now = q.trend == GNDI_TREND_NONE ? window : nullptr;
    const share s = share::of(p.t);
    const int n = (int)q.nfft, nperseg = (int)q.nperseg;
    for (int f = s.frame; f < p.t.frames; f += s.frames) {
        const int64_t first = start + f * q.hop;
        const bool inside = first >= 0 && first + nperseg <= q.total;
        const T *from = x + (first - q.x_first);
        for (int i = s.index; i < n; i += s.step) {
            complex<R> v{};
            if (f < there && i < nperseg) {
                v = conjugate(as_complex(inside ? from[i] : sample(q, x, first + i)));
                if (now) v = scaled(v, now[i]);
            }
            frames[f * n + i] = as<V>(v);
        }
    }
    __syncthreads();
    if (q.trend == GNDI_TREND_NONE) return;
    for (int f = (int)threadIdx.x / WARP; f < there; f += WARPS) take_trend(p, frames + f * n, window);
    __syncthreads();
}

template <class T> __global__ void __launch_bounds__(THREADS) stft_kernel(const __grid_constant__ gndi_stft_params p) {
    typedef real_t<T> R;
    const gndi_stft_plan &q = p.plan;
    const block_memory<R> m = block_memory<R>::of(p.t);
    const share s = share::of(p.t);
    const int64_t line = blockIdx.x / p.t.tiles, tile = blockIdx.x % p.t.tiles * p.t.frames;
    const int there = q.count - tile < p.t.frames ? (int)(q.count - tile) : p.t.frames;
    const T *x = reinterpret_cast<const T *>(q.x + gndi_line_of_x(&q.grid, line));
    const int n = (int)q.nfft, bins = (int)gndi_stft_bins(n, q.half), half = n / 2;
    complex<R> *out = reinterpret_cast<complex<R> *>(q.out) + (line * q.count + tile) * bins;
    fill_wave<THREADS>(m.wave, p.t.length);
    if (p.t.packed) { // two real samples are a complex number
        fill_turns(m.turns, half);
        if constexpr (!is_complex<T>)
            load_frames(p, x, (q.frame_first + tile) * q.hop - q.extend, there, reinterpret_cast<R *>(m.frames));
    } else {
        load_frames(p, x, (q.frame_first + tile) * q.hop - q.extend, there, m.frames);
    }
    const complex<R> *spectra = transform_frames(p.t, m);
    for (int f = s.frame; f < there; f += s.frames) {
        const complex<R> *z = spectra + f * p.t.length;
        for (int k = s.index; k < bins; k += s.step) {
            complex<R> v;
            if (p.t.packed) { // z = even + i odd, and the result even + turn odd
                const complex<R> a = z[k < half ? k : 0], b = conjugate(z[k > 0 ? half - k : 0]);
                const complex<R> even = scaled(plus(a, b), (R)0.5), d = scaled(minus(a, b), (R)0.5);
                complex<R> odd, turn;
                odd.re = d.im, odd.im = -d.re;
                turn.re = -1, turn.im = 0;
                if (k < half) turn = m.turns[k];
                v = plus(even, times(turn, odd));
            } else {
                v = z[k];
            }
            out[f * bins + k] = conjugate(v);
        }
    }
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

// The bins of a block's frames, as transforms back want them.
template <class R>
GNDI_FN void load_spectra(const gndi_istft_params &p, const char *z, int there, const block_memory<R> &m) {
    const gndi_istft_plan &q = p.plan;
    const share s = share::of(p.t);
    const int n = (int)q.nfft, length = p.t.length, half = n / 2;
    for (int f = s.frame; f < p.t.frames; f += s.frames) {
        const char *frame = z + f * q.frame_step;
        for (int k = s.index; k < length; k += s.step) {
            complex<R> v{};
            if (f < there && p.t.packed) { // even + i odd, of bins k and k + n / 2
                const complex<R> a = bin<R>(q, frame, k), b = conjugate(bin<R>(q, frame, half - k));
                const complex<R> odd = times(minus(a, b), m.turns[k]);
                v = plus(a, b);
                v.re -= odd.im, v.im += odd.re;
            } else if (f < there) {
                const bool mirrored = q.half && k > half;
                v = bin<R>(q, frame, mirrored ? n - k : k);
                if (mirrored) v = conjugate(v);
            }
            m.frames[f * length + k] = v;
        }
    }
    __syncthreads();
}

template <class R> __global__ void __launch_bounds__(THREADS)
    inverse_kernel(const __grid_constant__ gndi_istft_params p) {
    const gndi_istft_plan &q = p.plan;
    const block_memory<R> m = block_memory<R>::of(p.t);
    const share s = share::of(p.t);
    const int64_t line = blockIdx.x / p.t.tiles, tile = blockIdx.x % p.t.tiles * p.t.frames;
    const int there = p.frames - tile < p.t.frames ? (int)(p.frames - tile) : p.t.frames;
    fill_wave<THREADS>(m.wave, p.t.length);
    if (p.t.packed) fill_turns(m.turns, p.t.length);
    __syncthreads();
    load_spectra(p, q.z + gndi_line_of_x(&q.grid, line) + (p.first + tile - q.frame_first) * q.frame_step, there, m);
    const complex<R> *samples = transform_frames(p.t, m);
    /* To rows, or where each sample is of one frame alone to their positions. */
    const int first = p.direct ? (int)q.skip : 0, end = (int)(p.direct ? q.nperseg : p.pitch);
    char *const to = p.direct ? q.out : p.work;
    for (int f = s.frame; f < there; f += s.frames) {
        const int64_t number = p.first + tile + f,
                      begin = p.direct ? number * q.hop - q.out_first : (line * p.frames + tile + f) * p.pitch;
        const int64_t offset = p.direct ? line * q.count : 0, most = p.direct ? q.count : INT64_MAX;
        const complex<R> *frame = samples + f * p.t.length;
        for (int i = first + s.index; i < end; i += s.step) {
            const int64_t at = begin + i;
            if (at < 0 || at >= most) continue;
            if (p.t.packed)
                reinterpret_cast<R *>(to)[offset + at] = reinterpret_cast<const R *>(frame)[i];
            else if (q.half)
                reinterpret_cast<R *>(to)[offset + at] = frame[i].re;
            else
                reinterpret_cast<complex<R> *>(to)[offset + at] = frame[i];
        }
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
