// halves_kernels.cu: sums of the powers of real frames of which neighbours have half of their samples in common, as
// Welch's have by default. A group of threads goes through some frames of a line, two of them at a time as one complex
// frame: of their three halves it has the first one in registers from the frames before, so that each sample is read
// once, and its sums for the means, which the trends are, are added up once.
//
// Of the products of two signals, two groups are a pair: one has the frames of x, the other those of y. Behind their
// transforms each gives the other half of its bins, through shared memory, and adds up the products of the other half:
// half as many sums, of two numbers each, as powers have. (x and y as one complex frame would be a transform less, but
// the rounding errors of a loud signal would be those of a quiet one.)
//
// 10^8 doubles in frames of 1,024 are 800 MB, 200 us at 4.0 TB/s, and about 4.2 * 10^9 operations, 250 us.
#include "kernels/cuda/early_start.cuh"
#include "spectral/cuda/stft_registers.cuh"

namespace gnd {

// A block's groups of threads, each of which has a frame of N elements at a time. Of doubles, blocks with more threads
// would have too few registers.
template <class R, int N> struct halves_block {
    typedef register_fft<R, N> fft;
    static constexpr int THREADS = 256, RESIDENT = sizeof(R) == 8 ? 1 : 2; // RESIDENT: blocks of a multiprocessor
    static constexpr int SHARE = fft::THREADS, FRAMES = THREADS / SHARE, E = fft::E, HALF = E / 2;
    static constexpr int SHARED = fft::ROOTS + FRAMES * fft::PITCH; // numbers

    // Waits for the other group of a pair, too. Barriers 1 .. FRAMES are those of groups.
    static __device__ __forceinline__ void wait_for_pair() {
        if constexpr (2 * SHARE <= WARP)
            __syncwarp();
        else
            asm volatile("bar.sync %0, %1;" ::"r"(1 + FRAMES + (int)threadIdx.x / (2 * SHARE)), "n"(2 * SHARE)
                         : "memory");
    }
};

template <int W> GNDI_FN void add_up_tree(double *s) {
#pragma unroll
    for (int e = 0; e < W; e++) s[e] += s[e + W];
    if constexpr (W > 1) add_up_tree<W / 2>(s);
}
// The sums of two halves: of a thread's elements, and of these in all threads of a group.
template <class R, int N> GNDI_FN double sum_of_elements(const R *v) {
    constexpr int HALF = halves_block<R, N>::HALF;
    double s[HALF];
#pragma unroll
    for (int e = 0; e < HALF; e++) s[e] = (double)v[e];
    add_up_tree<HALF / 2>(s);
    return s[0];
}
template <class R, int N> GNDI_FN void add_up_group(double &a, double &b) {
    constexpr int SHARE = halves_block<R, N>::SHARE, THREADS = halves_block<R, N>::THREADS;
#pragma unroll
    for (int width = (SHARE < WARP ? SHARE : WARP) / 2; width > 0; width /= 2) {
        a += __shfl_xor_sync(0xffffffff, a, width);
        b += __shfl_xor_sync(0xffffffff, b, width);
    }
    if constexpr (SHARE > WARP) {
        __shared__ double of_warp[THREADS / WARP][2];
        const int first = (int)threadIdx.x / SHARE * (SHARE / WARP);
        if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP][0] = a, of_warp[threadIdx.x / WARP][1] = b;
        register_fft<R, N>::wait();
        a = of_warp[first][0], b = of_warp[first][1];
#pragma unroll
        for (int w = 1; w < SHARE / WARP; w++) a += of_warp[first + w][0], b += of_warp[first + w][1];
    }
}

// Takes off a mean in double precision, of which floats have two parts.
struct part_of_mean {
    double whole;
    float high, low;
    GNDI_FN part_of_mean of(double mean) {
        const float high = (float)mean;
        return {mean, high, (float)(mean - (double)high)};
    }
    GNDI_FN_MEMBER float from(float x) const { return (x - high) - low; }
    GNDI_FN_MEMBER double from(double x) const { return x - whole; }
};

// Sums the products of a group's half of the bins: conj(x) y by the pair's first group, which has the first half and
// v = x, and conj(y) x by the other.
template <class R, int N>
GNDI_FN void add_products(number<R> *sums, const number<R> *v, number<R> *frame, int t, bool second, bool there) {
    typedef halves_block<R, N> block;
    typedef typename block::fft fft;
    constexpr int H = block::HALF, SHARE = block::SHARE;
    const number<R> *const other = frame + (second ? -fft::PITCH : fft::PITCH);
    const int given = t + (second ? 0 : H * SHARE), own = t + (second ? H * SHARE : 0);
#pragma unroll
    for (int e = 0; e < H; e++) frame[fft::offset(given + e * SHARE)] = second ? v[e] : v[e + H];
    block::wait_for_pair();
#pragma unroll
    for (int e = 0; e < H; e++) {
        const number<R> a = second ? v[e + H] : v[e], b = other[fft::offset(own + e * SHARE)];
        if (there) sums[e].re += a.re * b.re + a.im * b.im, sums[e].im += a.re * b.im - a.im * b.re;
    }
    block::wait_for_pair();
}

// Sum: R for powers, number<R> for products.
template <class R, int N, class Sum>
__global__ void __launch_bounds__(halves_block<R, N>::THREADS, halves_block<R, N>::RESIDENT)
    halves_kernel(const __grid_constant__ gndi_sums_params p) {
    typedef halves_block<R, N> block;
    typedef typename block::fft fft;
    constexpr bool PRODUCTS = sizeof(Sum) > sizeof(R);
    constexpr int E = block::E, H = block::HALF, SHARE = block::SHARE, HOP = N / 2;
    constexpr int FRAMES = block::FRAMES / (PRODUCTS ? 2 : 1); // groups, or pairs of them
    const gndi_stft_plan &q = p.plan;
    number<R> *const roots = reinterpret_cast<number<R> *>(shared), *const frames = roots + fft::ROOTS;
    const int share = (int)threadIdx.x / SHARE;
    const int which = PRODUCTS ? share / 2 : share;
    const bool second = PRODUCTS && share % 2;
    int t = (int)threadIdx.x % SHARE;
    number<R> *const frame = frames + share * fft::PITCH;
    for (int i = (int)threadIdx.x; i < fft::ROOTS; i += block::THREADS)
        roots[i] = register_block<R, N>::root(-2.0 * ((i / SHARE + 1) * (i % SHARE)) / N);
    __syncthreads();
    start_early();
    // A group's units of two frames; of the last one of a line the second frame may be missing.
    const int64_t line = blockIdx.x / p.parts, me = blockIdx.x % p.parts * FRAMES + which;
    const int64_t units = (q.count + 1) / 2, groups = p.parts * FRAMES, begin = me * units / groups;
    int left = (int)((me + 1) * units / groups - begin);
    const int alone = q.count % 2 && me + 1 == groups ? 1 : 0;
    const R *x = (second ? line_of<R>(p.other, line) : line_of<R>(q, line)) +
                 ((q.frame_first + 2 * begin) * HOP - q.extend - q.x_first + t);
    const bool trend = q.trend != GNDI_TREND_NONE;
    const auto load = [&](R *to, const R *from, bool there) {
#pragma unroll
        for (int e = 0; e < H; e++) to[e] = there ? from[e * SHARE] : (R)0;
    };
    Sum sums[PRODUCTS ? H : E] = {};
    R a[H], b[H], c[H];
    double of_a = 0, none = 0;
    load(a, x, left > 0);
    if (trend) {
        of_a = sum_of_elements<R, N>(a);
        add_up_group<R, N>(of_a, none);
        fft::wait();
    }
    load(b, x + HOP, left > 0), load(c, x + 2 * HOP, left > alone);
#pragma unroll 1
    while (SHARE < WARP ? __any_sync(0xffffffff, left > 0) : left > 0) {
        asm volatile("" : "+r"(t)); // what depends on it is computed for each frame: kept, it would spill
        const bool there = left > 0, two = left > alone;
        part_of_mean one = {}, other = {};
        if (trend) {
            double of_b = sum_of_elements<R, N>(b), of_c = sum_of_elements<R, N>(c);
            add_up_group<R, N>(of_b, of_c);
            one = part_of_mean::of((of_a + of_b) / N), other = part_of_mean::of(two ? (of_b + of_c) / N : 0);
            of_a = of_c;
        }
        const R *window = reinterpret_cast<const R *>(q.window) + t;
        number<R> v[E];
#pragma unroll
        for (int e = 0; e < E; e++) {
            const R w = window[e * SHARE];
            v[e].re = one.from(e < H ? a[e % H] : b[e % H]) * w;
            v[e].im = two ? other.from(e < H ? b[e % H] : c[e % H]) * w : (R)0;
        }
#pragma unroll
        for (int e = 0; e < H; e++) a[e] = c[e];
        left--, x += N;
        load(b, x + HOP, left > 0), load(c, x + 2 * HOP, left > alone);
        fft::template run<-1>(v, frame, roots, t);
        if constexpr (PRODUCTS) {
            add_products<R, N>(sums, v, frame, t, second, there);
        } else {
#pragma unroll
            for (int e = 0; e < E; e++)
                if (there) sums[e] += v[e].re * v[e].re + v[e].im * v[e].im;
        }
    }
    // The sums of a block's groups, in their order.
    Sum *const all = reinterpret_cast<Sum *>(frames);
    __syncthreads();
    if constexpr (PRODUCTS) {
#pragma unroll
        for (int e = 0; e < H; e++)
            all[which * N + t + (second ? e + H : e) * SHARE] = second ? conj(sums[e]) : sums[e];
    } else {
#pragma unroll
        for (int e = 0; e < E; e++) all[share * N + t + e * SHARE] = sums[e];
    }
    __syncthreads();
    Sum *const to = reinterpret_cast<Sum *>(p.sums) + (int64_t)blockIdx.x * N;
    for (int k = (int)threadIdx.x; k < N; k += block::THREADS) {
        Sum sum = all[k];
        for (int f = 1; f < FRAMES; f++) sum = sum + all[f * N + k];
        to[k] = sum;
    }
}

template <class R, int N, class Sum> static gndi_means_kernel kernel_of() {
    typedef halves_block<R, N> block;
    return {(const void *)halves_kernel<R, N, Sum>, block::THREADS, block::FRAMES / (sizeof(Sum) > sizeof(R) ? 2 : 1),
            block::RESIDENT, block::SHARED * (int)sizeof(number<R>)};
}
template <class R, class Sum> static gndi_means_kernel kernel_of(int n) {
    switch (n) {
    case 256: return kernel_of<R, 256, Sum>();
    case 512: return kernel_of<R, 512, Sum>();
    case 1024: return kernel_of<R, 1024, Sum>();
    default: return kernel_of<R, 2048, Sum>();
    }
}

} // namespace gnd

extern "C" gndi_means_kernel gndi_cuda_halves_kernel(bool wide, bool products, int n) {
    if (products) return gnd::kernel_of<float, gnd::number<float>>(n);
    return wide ? gnd::kernel_of<double, double>(n) : gnd::kernel_of<float, float>(n);
}
