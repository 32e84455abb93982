// compression_tiles_kernels.cu: pulse compression by tiles that overlap (overlap-save). A block transforms a tile in
// registers and shared memory, multiplies it by the conjugate of the spectrum of the pulse, and transforms it back. A
// line is a circle: behind its last element is the first one. So x is read once, and the length of a pulse again for
// each tile. The same kernel makes the spectrum first, of the pulse as the only tile; until that is there, other blocks
// have transformed their first tile.
//
// While a thread transforms the last elements of a tile back and stores them, its elements of the next one are on their
// way to where it has read them: to the elements of shared memory that no other thread uses then.
#include "fft/cuda/overlap.cuh"
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_start.cuh"
#include "radar/cuda/compression_params.h"

namespace gnd {
namespace compression {

extern __shared__ __align__(16) double memory[];

template <class R> struct tiles {
    static constexpr bool WIDE = sizeof(R) == 8;
    static constexpr int N = GNDI_COMPRESSION_TILE(WIDE), EACH = GNDI_COMPRESSION_TILE_EACH(WIDE);
    static constexpr int KEPT = GNDI_COMPRESSION_TILE_KEPT(WIDE), BLOCKS = GNDI_COMPRESSION_TILE_BLOCKS(WIDE);
    typedef tile_fft<R, N, 1, EACH, true> fft;
    static constexpr int THREADS = fft::THREADS;
    static_assert(fft::SIZE + fft::ROOTS + KEPT * THREADS == GNDI_COMPRESSION_TILE_SHARED(WIDE), "");
};

// Begins to load a thread's elements of a tile.
template <class R>
GNDI_FN void begin_tile(number<R> *tile, const gndi_compression_tiles_params &p, uint32_t unit, int t) {
    using fft = typename tiles<R>::fft;
    const uint32_t line = unit / p.each;
    const int begin = (int)(unit - line * p.each) * p.step, n = p.n, left = n - begin;
    const int wanted = (left < p.step ? left : p.step) + p.taps - 1;
    const number<R> *const x = static_cast<const number<R> *>(p.x) + line * p.x_line;
    number<R> *const to = tile + fft::template first<0>(t);
    if (begin + wanted <= p.samples) {
        const number<R> *const from = x + begin + t;
#pragma unroll
        for (int e = 0; e < fft::E; e++)
            copy_or_zero(to + fft::template element<0>(e), from + e * fft::THREADS, t + e * fft::THREADS < wanted);
        return;
    }
#pragma unroll 4
    for (int e = 0; e < fft::E; e++) {
        const int i = t + e * fft::THREADS, j = i < left ? begin + i : i - left;
        copy_or_zero(to + fft::template element<0>(e), x + j, i < wanted && j < p.samples);
    }
}

template <class R>
GNDI_FN void store_tile(const number<R> *v, const gndi_compression_tiles_params &p, uint32_t unit, int t) {
    using fft = typename tiles<R>::fft;
    const uint32_t line = unit / p.each;
    const int begin = (int)(unit - line * p.each) * p.step, left = p.n - begin, wanted = left < p.step ? left : p.step;
    number<R> *const out = static_cast<number<R> *>(p.out) + (int64_t)line * p.n + begin + t;
#pragma unroll
    for (int e = 0; e < fft::E; e++)
        if (t + e * fft::THREADS < wanted) store_once(out + e * fft::THREADS, v[e]);
}

template <class R> __global__ void __launch_bounds__(tiles<R>::THREADS, tiles<R>::BLOCKS)
    tiles_kernel(const __grid_constant__ gndi_compression_tiles_params p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 // others have too little shared memory
    using fft = typename tiles<R>::fft;
    constexpr int E = fft::E, THREADS = fft::THREADS, KEPT = tiles<R>::KEPT;
    number<R> *const tile = reinterpret_cast<number<R> *>(memory), *const roots = tile + fft::SIZE;
    const int t = (int)threadIdx.x;
    number<R> *const kept = roots + fft::ROOTS + t; // of the spectrum
    number<R> *const spectrum = static_cast<number<R> *>(p.spectrum) + t;
    uint32_t unit = blockIdx.x;
    // Whoever reads x before the spectrum is there has to know that x is: the kernel before this one waited for it.
    if (!p.out) wait_with(reinterpret_cast<uint64_t>(p.x)), let_next_start();
    begin_tile<R>(tile, p, unit, t);
    fft::fill_roots(roots, t, THREADS);
    __syncthreads();
    for (bool first = true; unit < p.units; first = false) {
        number<R> v[E];
        wait_for_copies();
        fft::template get<0>(v, tile, t);
        fft::forward(v, tile, roots, t);
        if (!p.out) {
#    pragma unroll
            for (int e = 0; e < E; e++) spectrum[e * THREADS] = conj(scaled(v[e], p.scale));
            return;
        }
        if (first) {
            start_early();
#    pragma unroll
            for (int e = 0; e < KEPT; e++) kept[e * THREADS] = spectrum[e * THREADS];
        }
#    pragma unroll
        for (int e = 0; e < E; e++) v[e] = v[e] * (e < KEPT ? kept[e * THREADS] : spectrum[e * THREADS]);
        fft::back_first(v, tile, roots, t);
        const uint32_t now = unit;
        unit += gridDim.x;
        if (unit < p.units) begin_tile<R>(tile, p, unit, t);
        fft::back_last(v, roots, t);
        store_tile<R>(v, p, now, t);
    }
#endif
}

} // namespace compression
} // namespace gnd

extern "C" const void *gndi_cuda_compression_tiles_kernel(bool wide) {
    using namespace gnd::compression;
    return wide ? (const void *)tiles_kernel<double> : (const void *)tiles_kernel<float>;
}
