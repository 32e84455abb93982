// means_kernels.cu: sums of the powers of frames of 2^n elements, or of the products of two signals' frames, in one
// launch: a block has a part of a line's frames. Two real frames are one complex one, of which sums of bin k and of its
// mirror image are those of both frames; so powers are added up in the registers that the transform ends in.
#include "kernels/cuda/early_start.cuh"
#include "spectral/cuda/stft_registers.cuh"

namespace gnd {

// Adds the powers of v, or its products with w.
template <class R> GNDI_FN void add_bin(R &sum, number<R> v, number<R>) {
    sum += v.re * v.re + v.im * v.im;
}
template <class R> GNDI_FN void add_bin(number<R> &sum, number<R> v, number<R> w) {
    sum.re += v.re * w.re + v.im * w.im;
    sum.im += v.re * w.im - v.im * w.re;
}
// Blocks at a time for sums of type Sum: gndi_stft_register_means. Products of doubles would spill as three.
template <class R, int N, class Sum>
constexpr int resident = sizeof(Sum) > sizeof(double) ? 2 : register_block<R, N>::RESIDENT;

// Sums: R or number<R>.
template <class R, int N, class Sum>
__global__ void __launch_bounds__(register_block<R, N>::THREADS, resident<R, N, Sum>)
    sums_of_frames_kernel(const __grid_constant__ gndi_sums_params p) {
    typedef register_block<R, N> block;
    typedef typename block::fft fft;
    constexpr bool products = sizeof(Sum) > sizeof(R);
    const gndi_stft_plan &q = p.plan;
    const block m = block::of(false);
    const int share = (int)threadIdx.x / block::SHARE;
    int t = (int)threadIdx.x % block::SHARE;
    const int64_t line = blockIdx.x / p.parts, part = blockIdx.x % p.parts;
    const int64_t units = p.pairs ? (q.count + 1) / 2 : q.count, first = line * q.count;
    number<R> *const frame = m.frames + share * fft::PITCH;
    Sum sums[block::E] = {};
    m.fill(false);
    start_early();
    for (int64_t tile = part * block::FRAMES; tile < units; tile += p.parts * block::FRAMES) {
        asm volatile("" : "+r"(t)); // what depends on it is computed for each frame: kept, it would spill
        const bool there = tile + share < units;
        const int64_t unit = there ? tile + share : 0, f = p.pairs ? 2 * unit : unit;
        const bool two = p.pairs && f + 1 < q.count;
        const row_place a = row_place::of(q, first + f), b = row_place::of(q, two ? first + f + 1 : first + f);
        number<R> v[block::E], w[products ? block::E : 1];
#pragma unroll 1
        for (int signal = 0; signal < (products ? 2 : 1); signal++) {
            const register_reader<R, N, false> reader = {signal ? p.other : p.plan, p.squares, p.source};
#pragma unroll
            for (int e = 0; e < (products ? block::E : 0); e++) w[e] = v[e];
            reader.load(a, b, two, v, frame, t);
            fft::template run<-1>(v, frame, m.roots, t);
        }
#pragma unroll
        for (int e = 0; e < block::E; e++)
            if (there) add_bin(sums[e], products ? w[e] : v[e], v[e]);
    }
    // The sums of a block's frames, in their order.
    Sum *const all = reinterpret_cast<Sum *>(m.frames);
    __syncthreads();
#pragma unroll
    for (int e = 0; e < block::E; e++) all[share * N + t + e * block::SHARE] = sums[e];
    __syncthreads();
    Sum *const to = reinterpret_cast<Sum *>(p.sums) + (int64_t)blockIdx.x * N;
    for (int k = (int)threadIdx.x; k < N; k += block::THREADS) {
        Sum sum = all[k];
        for (int f = 1; f < block::FRAMES; f++) sum = sum + all[f * N + k];
        to[k] = sum;
    }
}

template <class R, class Sum> static const void *sums_of_frames_kernel_of(int n) {
    switch (n) {
    case 32: return (const void *)sums_of_frames_kernel<R, 32, Sum>;
    case 64: return (const void *)sums_of_frames_kernel<R, 64, Sum>;
    case 128: return (const void *)sums_of_frames_kernel<R, 128, Sum>;
    case 256: return (const void *)sums_of_frames_kernel<R, 256, Sum>;
    case 512: return (const void *)sums_of_frames_kernel<R, 512, Sum>;
    case 1024: return (const void *)sums_of_frames_kernel<R, 1024, Sum>;
    case 2048: return (const void *)sums_of_frames_kernel<R, 2048, Sum>;
    default:
        if constexpr (sizeof(R) == 4)
            return (const void *)sums_of_frames_kernel<R, 4096, Sum>;
        else
            return nullptr;
    }
}

} // namespace gnd

#ifdef GNDI_PART_powers_floats
extern "C" const void *gndi_cuda_powers_floats(int n) {
    return gnd::sums_of_frames_kernel_of<float, float>(n);
}
#endif
#ifdef GNDI_PART_powers_doubles
extern "C" const void *gndi_cuda_powers_doubles(int n) {
    return gnd::sums_of_frames_kernel_of<double, double>(n);
}
#endif
#ifdef GNDI_PART_products_floats
extern "C" const void *gndi_cuda_products_floats(int n) {
    return gnd::sums_of_frames_kernel_of<float, gnd::number<float>>(n);
}
#endif
#ifdef GNDI_PART_products_doubles
extern "C" const void *gndi_cuda_products_doubles(int n) {
    return gnd::sums_of_frames_kernel_of<double, gnd::number<double>>(n);
}
#endif
