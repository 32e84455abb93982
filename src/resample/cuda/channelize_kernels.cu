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

// ---- kernels ------------------------------------------------------------------------------------

extern __shared__ __align__(16) char shared[];

template <class T, class K, bool slides> __global__ void __launch_bounds__(THREADS)
    channels_kernel(const __grid_constant__ gndi_channelize_params p) {
    typedef complex<real_t<T>> C;
    const int n = (int)p.channels * p.frames;
    C *sums = reinterpret_cast<C *>(shared), *other = sums + n, *wave = other + n;
    const int64_t line = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles * p.frames;
    const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
    fill_wave<THREADS>(wave, (int)p.channels);
    if constexpr (slides)
        sliding_sums<T, K>(p, x, p.frame_first + tile, sums);
    else
        framewise_sums<T, K>(p, x, p.frame_first + tile, sums);
    __syncthreads();
    const C *frames = transform<THREADS>(sums, other, wave, (int)p.channels, p.frames, p.factor, p.factors);
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
    return gnd::with_taps(dtype, complex_taps,
                          [=](auto x, auto k) { return gnd::kernel_of<decltype(x), decltype(k)>(which); });
}
