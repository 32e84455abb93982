// stft_device.cuh: what the kernels of short-time transforms share: samples, borders, trends, and bins that are read.
#ifndef GNDI_STFT_DEVICE_CUH
#define GNDI_STFT_DEVICE_CUH

#include "fft/cuda/fft_block.cuh"
#include "kernels/scalar/scalar_cast.h"
#include "spectral/cuda/stft_params.h"

namespace gnd {

constexpr int THREADS = GNDI_STFT_THREADS, WARP = 32, WARPS = THREADS / WARP;
constexpr double LEAST_SQUARES = 1e-10;

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

// Where lines of frames are: row number `row` of all lines' frames.
struct row_place {
    int64_t line, start; // start: the number of the frame's first sample
    GNDI_FN row_place of(const gndi_stft_plan &p, int64_t row) {
        row_place at;
        if (row >> 31 == 0 && p.count >> 31 == 0) { // a division of 32 bits is much faster
            at.line = (uint32_t)row / (uint32_t)p.count;
        } else {
            at.line = row / p.count;
        }
        at.start = (p.frame_first + row - at.line * p.count) * p.hop - p.extend;
        return at;
    }
};

template <class T> GNDI_FN const T *line_of(const gndi_stft_plan &q, int64_t line) {
    return reinterpret_cast<const T *>(q.x + gndi_line_of_x(&q.grid, line));
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
// Of `threads` neighbours of a warp, a power of two: in all of them.
GNDI_FN void add_up_warp(trend &s, int threads) {
    for (int width = threads / 2; width > 0; width /= 2) {
        const trend more = {__shfl_xor_sync(0xffffffff, s.re, width), __shfl_xor_sync(0xffffffff, s.im, width),
                            __shfl_xor_sync(0xffffffff, s.re_slope, width),
                            __shfl_xor_sync(0xffffffff, s.im_slope, width)};
        add_trend(s, more);
    }
}
// squares: the sum of those of the distances.
GNDI_FN void finish_trend(trend &s, const gndi_stft_plan &p, double squares) {
    const double n = (double)p.nperseg;
    const bool linear = p.trend == GNDI_TREND_LINEAR && squares > 0;
    s.re /= n, s.im /= n;
    s.re_slope = linear ? s.re_slope / squares : 0;
    s.im_slope = linear ? s.im_slope / squares : 0;
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

// ---- bins ---------------------------------------------------------------------------------------

// Bin k of a frame, times the response; of a real signal without imaginary parts that its spectrum would not have.
template <class R> GNDI_FN complex<R> bin(const gndi_istft_plan &q, const char *frame, int64_t k) {
    complex<R> v{};
    const int64_t at = gndi_stft_place(k, q.nfft, q.centered);
    if (at < q.bins) v = *reinterpret_cast<const complex<R> *>(frame + at * q.bin_step);
    if (q.response) v = times(v, reinterpret_cast<const complex<R> *>(q.response)[k]);
    if (q.half && (k == 0 || 2 * k == q.nfft)) v.im = 0;
    if (q.inner != 1 && gndi_stft_is_inner(k, q.nfft, q.half)) v.re /= (R)q.inner, v.im /= (R)q.inner;
    return v;
}

} // namespace gnd

#endif
