// channelize_kernels.cu: polyphase channelizers. A block computes a tile of frames: the sums of each branch of the
// filter, then the transforms of the frames, in shared memory, so that the signal is read and the channels are
// written once. Where the hop divides the number of channels, a thread computes the sums of one branch for eight
// frames whose elements overlap, and each element is loaded once for them; 64, 128 or 256 channels of float32 or
// complex64 are transformed in registers then.
#include "resample/cuda/channelize_params.h"
#include "resample/cuda/chunk.cuh"
#include "fft/cuda/fft_block.cuh"
#include "kernels/cuda/early_start.cuh"
#include "kernels/cuda/products.cuh"

namespace gnd {

constexpr int THREADS = GNDI_CHANNELIZE_THREADS, FRAMES = GNDI_CHANNELIZE_FRAMES;

// ---- sums ---------------------------------------------------------------------------------------

// Elements that lie where they can be read at once, which complex ones need not.
template <class T> struct aligned {
    typedef T type;
    GNDI_FN T of(T v) { return v; }
};
template <class R> struct aligned<complex<R>> {
    typedef number<R> type;
    GNDI_FN complex<R> of(number<R> v) { return {v.re, v.im}; }
};
// Where the sums of a tile go: channel c of frame f.
template <class R> struct dense_frames {
    number<R> *to;
    int channels;
    GNDI_FN_MEMBER void operator()(int f, int c, complex<R> sum) const { to[f * channels + c] = {sum.re, sum.im}; }
};
template <class R, int N> struct register_frames {
    number<R> *to;
    GNDI_FN_MEMBER void operator()(int f, int c, complex<R> sum) const {
        to[f * register_fft<R, N>::PITCH + register_fft<R, N>::offset(c)] = {sum.re, sum.im};
    }
};

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
// The same of few channels, in the frame that is f frames behind number `frame`.
struct channel_finder {
    int channels, hop, first; // hop and frame modulo the channels
    __device__ __forceinline__ channel_finder(const gndi_channelize_params &p, int64_t frame)
        : channels((int)p.channels), hop((int)(p.hop % p.channels)), first((int)(frame % p.channels)) {}
    __device__ __forceinline__ int of(int branch, int f) const {
        const int c = branch - (first + f) % channels * hop % channels;
        return c < 0 ? c + channels : c;
    }
};

template <class T, class K>
GNDI_FN complex<real_t<T>> branch_sum(const gndi_channelize_params &p, const T *line, int64_t branch, int64_t frame) {
    complex<real_t<T>> sum{};
    const int64_t first = (frame + 1) * p.hop - 1 - branch - p.x_first;
    for (int64_t t = 0; t < p.branch_taps; t++)
        add_product(sum, element(p, line, first - t * p.channels), tap<K>(p, branch + t * p.channels));
    return sum;
}

// The sums of a tile's frames.
template <class T, class K, class Put>
GNDI_FN void framewise_sums(const gndi_channelize_params &p, const T *line, int64_t frame, const Put &put) {
    const channel_finder channel(p, frame);
    const int channels = (int)p.channels, items = p.frames * channels;
    for (int e = (int)threadIdx.x; e < items; e += THREADS) {
        const int branch = e % channels, f = e / channels;
        put(f, channel.of(branch, f), branch_sum<T, K>(p, line, branch, frame + f));
    }
}

// Sums of a branch for eight frames whose elements are shifted by the number of channels: window[r] is what the first
// tap of frame r meets; get_x(t) and get_tap(t) are element and tap number t further on.
template <class I, class S, class T, class X, class K>
GNDI_FN void slide(S (&sum)[FRAMES], T (&window)[FRAMES], I taps, X get_x, K get_tap) {
#pragma unroll 1
    for (I t = 0; t < taps; t += FRAMES) {
#pragma unroll
        for (int u = 0; u < FRAMES; u++) {
            if (t + u >= taps) break;
            const auto k = get_tap(t + u);
#pragma unroll
            for (int r = 0; r < FRAMES; r++) add_product(sum[r], window[(r - u + FRAMES) % FRAMES], k);
            if (t + u + 1 < taps) window[FRAMES - 1 - u] = get_x(t + u + 1);
        }
    }
}

// The same where frames p.apart apart have such elements: x[at] to x[at + 7 channels] are those of the first taps.
template <class T, class K, class Put>
GNDI_FN void sliding_sums(const gndi_channelize_params &p, const T *line, int64_t frame, int channels, const Put &put) {
    const channel_finder channel(p, frame);
    const int sets = p.frames / FRAMES, items = sets * channels;
    typedef typename aligned<T>::type E;
    const bool whole = p.taps == p.branch_taps * p.channels && p.taps < INT32_MAX / 2 &&
                       reinterpret_cast<uint64_t>(line) % sizeof(E) == 0;
    for (int e = (int)threadIdx.x; e < items; e += THREADS) {
        const int branch = e % channels, set = e / channels;
        const int f = set / p.apart * (p.apart * FRAMES) + set % p.apart; // the first frame
        const int64_t at = (frame + f + 1) * p.hop - 1 - branch - p.x_first;
        const int64_t back = (p.branch_taps - 1) * p.channels;
        complex<real_t<T>> sum[FRAMES];
        T window[FRAMES];
#pragma unroll
        for (int r = 0; r < FRAMES; r++) sum[r] = complex<real_t<T>>{};
        if (whole && at - back >= 0 && at + (FRAMES - 1) * p.channels < p.length) {
            const E *x = reinterpret_cast<const E *>(line + at);
            const K *k = reinterpret_cast<const K *>(p.h) + branch;
#pragma unroll
            for (int r = 0; r < FRAMES; r++) window[r] = aligned<T>::of(x[r * channels]);
            slide(
                sum, window, (int)p.branch_taps, [&](int t) { return aligned<T>::of(x[-t * channels]); },
                [&](int t) { return k[t * channels]; });
        } else {
#pragma unroll
            for (int r = 0; r < FRAMES; r++) window[r] = element(p, line, at + r * p.channels);
            slide(
                sum, window, p.branch_taps, [&](int64_t t) { return element(p, line, at - t * p.channels); },
                [&](int64_t t) { return tap<K>(p, branch + t * p.channels); });
        }
        const int c = channel.of(branch, f); // the same in all frames: p.apart hops are all channels
#pragma unroll
        for (int r = 0; r < FRAMES; r++) put(f + r * p.apart, c, sum[r]);
    }
}

// ---- kernels ------------------------------------------------------------------------------------

extern __shared__ __align__(16) char shared[];

// Where frames of a tile go: those that there are.
template <class R> struct channels_store {
    number<R> *to;
    int channels, frames;
    GNDI_FN channels_store of(const gndi_channelize_params &p, int64_t line, int64_t tile) {
        number<R> *const out = reinterpret_cast<number<R> *>(p.out + gndi_line_of_out(&p.grid, line));
        const int left = p.count - tile < p.frames ? (int)(p.count - tile) : p.frames;
        return {out + tile * p.channels, (int)p.channels, left};
    }
    GNDI_FN_MEMBER void operator()(int f, int c, number<R> z) const {
        if (f < frames) to[f * channels + c] = z;
    }
};

// Blocks go through several tiles, with the same roots of unity.
template <class T, class K, bool slides> __global__ void __launch_bounds__(THREADS, sizeof(T) <= 8 ? 4 : 2)
    channels_kernel(const __grid_constant__ gndi_channelize_params p) {
    typedef complex<real_t<T>> C;
    const int channels = (int)p.channels, n = channels * p.frames;
    C *sums = reinterpret_cast<C *>(shared), *other = sums + n, *wave = other + n;
    const dense_frames<real_t<T>> put = {reinterpret_cast<number<real_t<T>> *>(sums), channels};
    fill_wave<THREADS>(wave, channels);
    start_early();
    for (int64_t unit = blockIdx.x; unit < p.grid.lines * p.tiles; unit += gridDim.x) {
        const int64_t line = unit / p.tiles, tile = unit % p.tiles * p.frames;
        if (p.joins) join_line<T>(p.chunk, line);
        const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
        if constexpr (slides)
            sliding_sums<T, K>(p, x, p.frame_first + tile, channels, put);
        else
            framewise_sums<T, K>(p, x, p.frame_first + tile, put);
        __syncthreads();
        transform_to<THREADS>(channels_store<real_t<T>>::of(p, line, tile), sums, other, wave, channels, p.frames,
                              p.factor, p.factors);
    }
}

// The same of N channels, sliding, whose frames are transformed in registers.
template <class T, class K, int N> __global__ void __launch_bounds__(THREADS, 4)
    register_channels_kernel(const __grid_constant__ gndi_channelize_params p) {
    typedef real_t<T> R;
    typedef register_fft<R, N> fft;
    number<R> *const frames = reinterpret_cast<number<R> *>(shared), *const roots = frames + p.frames * fft::PITCH;
    const int t = (int)threadIdx.x % fft::THREADS;
    for (int i = (int)threadIdx.x; i < fft::ROOTS; i += THREADS) {
        double re, im;
        sincospi(-2.0 * ((i / fft::THREADS + 1) * (i % fft::THREADS)) / N, &im, &re);
        roots[i] = {(R)re, (R)im};
    }
    start_early();
    for (int64_t unit = blockIdx.x; unit < p.grid.lines * p.tiles; unit += gridDim.x) {
        const int64_t line = unit / p.tiles, tile = unit % p.tiles * p.frames;
        const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
        const channels_store<R> store = channels_store<R>::of(p, line, tile);
        sliding_sums<T, K>(p, x, p.frame_first + tile, N, register_frames<R, N>{frames});
        __syncthreads();
        for (int f = (int)threadIdx.x / fft::THREADS; f < p.frames; f += THREADS / fft::THREADS) {
            number<R> v[fft::E], *const frame = frames + f * fft::PITCH;
            fft::get(v, frame, t);
            fft::wait();
            fft::template run<1>(v, frame, roots, t);
#pragma unroll
            for (int e = 0; e < fft::E; e++) store(f, t + e * fft::THREADS, v[e]);
        }
        __syncthreads();
    }
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

// Sliding, of so many channels and with real taps; NULL: there is none.
template <class T> static const void *register_kernel_of(int64_t channels) {
    if constexpr (sizeof(real_t<T>) == sizeof(float)) {
        if (channels == 64) return (const void *)register_channels_kernel<T, float, 64>;
        if (channels == 128) return (const void *)register_channels_kernel<T, float, 128>;
        if (channels == 256) return (const void *)register_channels_kernel<T, float, 256>;
    }
    return nullptr;
}

template <class T, class K> static const void *kernel_of(int which) {
    switch (which) {
    case GNDI_CHANNELIZE_SLIDING: return (const void *)channels_kernel<T, K, true>;
    case GNDI_CHANNELIZE_FRAMEWISE: return (const void *)channels_kernel<T, K, false>;
    default: return (const void *)sums_kernel<T, K>;
    }
}

// Taps are of the dtype of x, or of its real one.
template <class T> static const void *kernel_for(bool complex_taps, int which, int64_t channels) {
    if (which == GNDI_CHANNELIZE_REGISTERS) return complex_taps ? nullptr : register_kernel_of<T>(channels);
    return complex_taps ? kernel_of<T, T>(which) : kernel_of<T, real_t<T>>(which);
}

} // namespace gnd

#ifdef GNDI_PART_floats
extern "C" const void *gndi_cuda_channelize_floats(bool complex_taps, int which, int64_t channels) {
    return gnd::kernel_for<float>(complex_taps, which, channels);
}
#endif
#ifdef GNDI_PART_doubles
extern "C" const void *gndi_cuda_channelize_doubles(bool complex_taps, int which, int64_t channels) {
    return gnd::kernel_for<double>(complex_taps, which, channels);
}
#endif
#ifdef GNDI_PART_complex_floats
extern "C" const void *gndi_cuda_channelize_complex_floats(bool complex_taps, int which, int64_t channels) {
    return gnd::kernel_for<gnd::complex<float>>(complex_taps, which, channels);
}
#endif
#ifdef GNDI_PART_complex_doubles
extern "C" const void *gndi_cuda_channelize_complex_doubles(bool complex_taps, int which, int64_t channels) {
    return gnd::kernel_for<gnd::complex<double>>(complex_taps, which, channels);
}
#endif
