// channelize_kernels.cu: polyphase channelizers. A block computes a tile of frames: the sums of each branch of the
// filter, then the transforms of the frames, in shared memory, so that the signal is read and the channels are
// written once. Where the hop divides the number of channels, a thread computes the sums of one branch for eight
// frames whose elements overlap, and each element is loaded once for them.
#include "resample/cuda/channelize_params.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

constexpr int THREADS = GNDI_CHANNELIZE_THREADS, FRAMES = GNDI_CHANNELIZE_FRAMES;

template <class R> GNDI_FN complex<R> times(complex<R> a, complex<R> b) {
    complex<R> c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}
template <class R> GNDI_FN complex<R> plus(complex<R> a, complex<R> b) {
    a.re += b.re, a.im += b.im;
    return a;
}
template <class R> GNDI_FN complex<R> minus(complex<R> a, complex<R> b) {
    a.re -= b.re, a.im -= b.im;
    return a;
}

// sum += x k, where any of x and k may be real.
template <class R> GNDI_FN void add_product(complex<R> &sum, R x, R k) {
    sum.re += x * k;
}
template <class R> GNDI_FN void add_product(complex<R> &sum, complex<R> x, R k) {
    sum.re += x.re * k;
    sum.im += x.im * k;
}
template <class R> GNDI_FN void add_product(complex<R> &sum, complex<R> x, complex<R> k) {
    sum.re += x.re * k.re;
    sum.re -= x.im * k.im;
    sum.im += x.re * k.im;
    sum.im += x.im * k.re;
}

// ---- sums ---------------------------------------------------------------------------------------

template <class T> GNDI_FN T element(const gndi_channelize_params &p, const T *line, int64_t i) {
    return i >= 0 && i < p.length ? line[i] : T{};
}
template <class K> GNDI_FN K tap(const gndi_channelize_params &p, int64_t i) {
    return i < p.taps ? reinterpret_cast<const K *>(p.h)[i] : K{};
}
// The channel that a branch belongs to in a frame.
GNDI_FN int64_t channel_of(const gndi_channelize_params &p, int64_t branch, int64_t frame) {
    const int64_t c = (branch - frame % p.channels * p.hop) % p.channels;
    return c < 0 ? c + p.channels : c;
}

template <class T, class K>
GNDI_FN complex<real_t<T>> branch_sum(const gndi_channelize_params &p, const T *line, int64_t branch, int64_t frame) {
    complex<real_t<T>> sum{};
    const int64_t first = (frame + 1) * p.hop - 1 - branch - p.x_first;
    for (int64_t t = 0; t < p.branch_taps; t++)
        add_product(sum, element(p, line, first - t * p.channels), tap<K>(p, branch + t * p.channels));
    return sum;
}

// The sums of a tile's frames, at to[frame][channel].
template <class T, class K>
GNDI_FN void framewise_sums(const gndi_channelize_params &p, const T *line, int64_t frame, complex<real_t<T>> *to) {
    const int channels = (int)p.channels, items = p.frames * channels;
    for (int e = (int)threadIdx.x; e < items; e += THREADS) {
        const int branch = e % channels, f = e / channels;
        to[f * channels + channel_of(p, branch, frame + f)] = branch_sum<T, K>(p, line, branch, frame + f);
    }
}

// The same where frames p.apart apart have elements that are shifted by the number of channels: x[at] to x[at + 7
// channels] are those of the first taps.
template <class T, class K>
GNDI_FN void sliding_sums(const gndi_channelize_params &p, const T *line, int64_t frame, complex<real_t<T>> *to) {
    const int channels = (int)p.channels, sets = p.frames / FRAMES, items = sets * channels;
    for (int e = (int)threadIdx.x; e < items; e += THREADS) {
        const int branch = e % channels, set = e / channels;
        const int f = set / p.apart * (p.apart * FRAMES) + set % p.apart; // the first frame
        const int64_t at = (frame + f + 1) * p.hop - 1 - branch - p.x_first;
        const int64_t back = (p.branch_taps - 1) * p.channels;
        const bool inside = at - back >= 0 && at + (FRAMES - 1) * p.channels < p.length;
        complex<real_t<T>> sum[FRAMES];
        T window[FRAMES];
#pragma unroll
        for (int r = 0; r < FRAMES; r++) {
            sum[r] = complex<real_t<T>>{};
            window[r] = element(p, line, at + r * p.channels);
        }
        for (int64_t t = 0; t < p.branch_taps; t += FRAMES) {
#pragma unroll
            for (int u = 0; u < FRAMES; u++) {
                if (t + u >= p.branch_taps) break;
                const K k = tap<K>(p, branch + (t + u) * p.channels);
#pragma unroll
                for (int r = 0; r < FRAMES; r++) add_product(sum[r], window[(r - u + FRAMES) % FRAMES], k);
                const int64_t next = at - (t + u + 1) * p.channels;
                if (t + u + 1 < p.branch_taps) window[FRAMES - 1 - u] = inside ? line[next] : element(p, line, next);
            }
        }
        const int64_t c = channel_of(p, branch, frame + f);
#pragma unroll
        for (int r = 0; r < FRAMES; r++) to[(f + r * p.apart) * channels + c] = sum[r];
    }
}

// ---- transforms ---------------------------------------------------------------------------------

// One pass of Stockham's transform of all frames: radix r, after radices whose product is `stride`. Element b + j n / r
// of the input goes to outputs that are `stride` apart. wave[k] = exp(2 pi i k / n).
template <int r, class R>
GNDI_FN void radix_pass(const complex<R> *from, complex<R> *to, const complex<R> *wave, int n, int stride, int all) {
    const int part = n / r;
    for (int e = (int)threadIdx.x; e < all / r; e += THREADS) {
        const int frame = e / part, b = e % part, q = b % stride, turn = b - q; // turn = p * stride
        complex<R> x[r], y[r];
#pragma unroll
        for (int j = 0; j < r; j++) x[j] = from[frame * n + b + j * part];
        if constexpr (r == 4) {
            const complex<R> a = plus(x[0], x[2]), c = minus(x[0], x[2]), d = plus(x[1], x[3]), f = minus(x[1], x[3]);
            complex<R> g; // f times i
            g.re = -f.im, g.im = f.re;
            y[0] = plus(a, d), y[1] = plus(c, g), y[2] = minus(a, d), y[3] = minus(c, g);
        } else if constexpr (r == 2) {
            y[0] = plus(x[0], x[1]), y[1] = minus(x[0], x[1]);
        } else {
#pragma unroll
            for (int k = 0; k < r; k++) {
                y[k] = x[0];
#pragma unroll
                for (int j = 1; j < r; j++) y[k] = plus(y[k], times(x[j], wave[j * k % r * part]));
            }
        }
        complex<R> *out = to + frame * n + turn * r + q;
        out[0] = y[0];
#pragma unroll
        for (int k = 1; k < r; k++) out[k * stride] = times(y[k], wave[turn * k]);
    }
}

// The same for any radix, an output at a time.
template <class R> GNDI_FN void any_pass(const complex<R> *from, complex<R> *to, const complex<R> *wave, int n,
                                         int stride, int r, int all) {
    const int part = n / r;
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int frame = e / n, k = e % n / part, b = e % part, q = b % stride, turn = b - q;
        complex<R> sum = from[frame * n + b];
        for (int j = 1; j < r; j++) sum = plus(sum, times(from[frame * n + b + j * part], wave[j * k % r * part]));
        to[frame * n + turn * r + q + k * stride] = times(sum, wave[turn * k]);
    }
}

template <class R> GNDI_FN void fill_wave(complex<R> *wave, int n) {
    for (int k = (int)threadIdx.x; k < n; k += THREADS) {
        double re, im;
        sincospi(2.0 * k / n, &im, &re);
        wave[k].re = (R)re, wave[k].im = (R)im;
    }
}

// All passes; where the result is.
template <class R> GNDI_FN complex<R> *transform(const gndi_channelize_params &p, complex<R> *from, complex<R> *to,
                                                 const complex<R> *wave) {
    const int n = (int)p.channels, all = n * p.frames;
    int stride = 1;
    for (int pass = 0; pass < p.factors; pass++) {
        const int r = p.factor[pass];
        switch (r) {
        case 4: radix_pass<4>(from, to, wave, n, stride, all); break;
        case 2: radix_pass<2>(from, to, wave, n, stride, all); break;
        case 3: radix_pass<3>(from, to, wave, n, stride, all); break;
        case 5: radix_pass<5>(from, to, wave, n, stride, all); break;
        default: any_pass(from, to, wave, n, stride, r, all); break;
        }
        stride *= r;
        complex<R> *const other = from;
        from = to, to = other;
        __syncthreads();
    }
    return from;
}

// ---- kernels ------------------------------------------------------------------------------------

extern __shared__ __align__(16) char shared[];

template <class T, class K, bool slides> __global__ void __launch_bounds__(THREADS)
    channels_kernel(const __grid_constant__ gndi_channelize_params p) {
    typedef complex<real_t<T>> C;
    const int n = (int)p.channels * p.frames;
    C *sums = reinterpret_cast<C *>(shared), *other = sums + n, *wave = other + n;
    const int64_t line = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles * p.frames;
    const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
    fill_wave(wave, (int)p.channels);
    if constexpr (slides)
        sliding_sums<T, K>(p, x, p.frame_first + tile, sums);
    else
        framewise_sums<T, K>(p, x, p.frame_first + tile, sums);
    __syncthreads();
    const C *frames = transform(p, sums, other, wave);
    C *out = reinterpret_cast<C *>(p.out + gndi_line_of_out(&p.grid, line)) + tile * p.channels;
    const int64_t left = (p.count - tile) * p.channels;
    for (int e = (int)threadIdx.x; e < n && e < left; e += THREADS) out[e] = frames[e];
}

template <class T, class K> __global__ void __launch_bounds__(THREADS)
    sums_kernel(const __grid_constant__ gndi_channelize_params p) {
    const int64_t all = p.grid.lines * p.count * p.channels, threads = (int64_t)gridDim.x * THREADS;
    for (int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x; e < all; e += threads) {
        const int64_t branch = e % p.channels, f = e / p.channels % p.count, line = e / p.channels / p.count;
        const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
        complex<real_t<T>> *out = reinterpret_cast<complex<real_t<T>> *>(p.out + gndi_line_of_out(&p.grid, line));
        out[f * p.channels + channel_of(p, branch, p.frame_first + f)] =
            branch_sum<T, K>(p, x, branch, p.frame_first + f);
    }
}

template <class T, class K> static const void *kernel_of(int which) {
    switch (which) {
    case GNDI_CHANNELIZE_SLIDING: return (const void *)channels_kernel<T, K, true>;
    case GNDI_CHANNELIZE_FRAMEWISE: return (const void *)channels_kernel<T, K, false>;
    default: return (const void *)sums_kernel<T, K>;
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_channelize_kernel(int dtype, bool complex_taps, int which) {
    using namespace gnd;
    switch (dtype) {
    case dtype_of<float>: return kernel_of<float, float>(which);
    case dtype_of<double>: return kernel_of<double, double>(which);
    case dtype_of<complex<float>>:
        return complex_taps ? kernel_of<complex<float>, complex<float>>(which)
                            : kernel_of<complex<float>, float>(which);
    default:
        return complex_taps ? kernel_of<complex<double>, complex<double>>(which)
                            : kernel_of<complex<double>, double>(which);
    }
}
