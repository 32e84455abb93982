// channelize_kernels.cu: polyphase channelizers. A block computes a tile of frames: the sums of each branch of the
// filter, then the transforms of the frames, in shared memory, so that the signal is read and the channels are
// written once. Where the hop divides the number of channels, a thread computes the sums of one branch for eight
// frames whose elements overlap, and each element is loaded once for them.
#include "resample/cuda/channelize_params.h"
#include "fft/cuda/fft_block.cuh"
#include "kernels/cuda/products.cuh"

namespace gnd {

constexpr int THREADS = GNDI_CHANNELIZE_THREADS, FRAMES = GNDI_CHANNELIZE_FRAMES;

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

// The sums of a tile's frames, at to[frame][channel].
template <class T, class K>
GNDI_FN void framewise_sums(const gndi_channelize_params &p, const T *line, int64_t frame, complex<real_t<T>> *to) {
    const channel_finder channel(p, frame);
    const int channels = (int)p.channels, items = p.frames * channels;
    for (int e = (int)threadIdx.x; e < items; e += THREADS) {
        const int branch = e % channels, f = e / channels;
        to[f * channels + channel.of(branch, f)] = branch_sum<T, K>(p, line, branch, frame + f);
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
template <class T, class K>
GNDI_FN void sliding_sums(const gndi_channelize_params &p, const T *line, int64_t frame, complex<real_t<T>> *to) {
    const channel_finder channel(p, frame);
    const int channels = (int)p.channels, sets = p.frames / FRAMES, items = sets * channels;
    const bool whole = p.taps == p.branch_taps * p.channels && p.taps < INT32_MAX / 2;
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
            const T *x = line + at;
            const K *k = reinterpret_cast<const K *>(p.h) + branch;
#pragma unroll
            for (int r = 0; r < FRAMES; r++) window[r] = x[r * channels];
            slide(
                sum, window, (int)p.branch_taps, [&](int t) { return x[-t * channels]; },
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
        for (int r = 0; r < FRAMES; r++) to[(f + r * p.apart) * channels + c] = sum[r];
    }
}

// ---- kernels ------------------------------------------------------------------------------------

extern __shared__ __align__(16) char shared[];

// Blocks go through several tiles, with the same roots of unity.
template <class T, class K, bool slides> __global__ void __launch_bounds__(THREADS, sizeof(T) <= 8 ? 4 : 2)
    channels_kernel(const __grid_constant__ gndi_channelize_params p) {
    typedef complex<real_t<T>> C;
    const int n = (int)p.channels * p.frames;
    C *sums = reinterpret_cast<C *>(shared), *other = sums + n, *wave = other + n;
    fill_wave<THREADS>(wave, (int)p.channels);
    for (int64_t unit = blockIdx.x; unit < p.grid.lines * p.tiles; unit += gridDim.x) {
        const int64_t line = unit / p.tiles, tile = unit % p.tiles * p.frames;
        const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
        if constexpr (slides)
            sliding_sums<T, K>(p, x, p.frame_first + tile, sums);
        else
            framewise_sums<T, K>(p, x, p.frame_first + tile, sums);
        __syncthreads();
        const C *frames = transform<THREADS>(sums, other, wave, (int)p.channels, p.frames, p.factor, p.factors);
        C *out = reinterpret_cast<C *>(p.out + gndi_line_of_out(&p.grid, line)) + tile * p.channels;
        const int64_t left = (p.count - tile) * p.channels;
        for (int e = (int)threadIdx.x; e < n && e < left; e += THREADS) out[e] = frames[e];
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

template <class T, class K> static const void *kernel_of(int which) {
    switch (which) {
    case GNDI_CHANNELIZE_SLIDING: return (const void *)channels_kernel<T, K, true>;
    case GNDI_CHANNELIZE_FRAMEWISE: return (const void *)channels_kernel<T, K, false>;
    default: return (const void *)sums_kernel<T, K>;
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_channelize_kernel(int dtype, bool complex_taps, int which) {
    return gnd::with_taps(dtype, complex_taps,
                          [=](auto x, auto k) { return gnd::kernel_of<decltype(x), decltype(k)>(which); });
}
