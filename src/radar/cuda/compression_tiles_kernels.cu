// compression_tiles_kernels.cu: pulse compression by tiles that overlap (overlap-save). A block transforms a tile in
// registers and shared memory, multiplies it by the conjugate of the spectrum of the pulse, and transforms it back. A
// line is a circle: behind its last element is the first one. So x is read once, and the length of a pulse again for
// each tile. The same kernel makes the spectrum first, of the pulse as the only tile; until that is there, other blocks
// have transformed their first tile. Where what is left of a line behind whole tiles needs at most half of one, two
// lines share a tile: what each has there is far enough from the other's results.
//
// While a thread transforms the last elements of a tile back and stores them, its elements of the next one are on their
// way to where it has read them: to the elements of shared memory that no other thread uses then. They come to the L2
// cache before, while the tile is transformed.
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

// What a tile has: `results` from `begin` on of a line; of two lines, in halves of the tile, if it is shared.
struct place {
    uint32_t line, parts;
    int begin, results;
};
GNDI_FN place place_of(const gndi_compression_tiles_params &p, uint32_t unit) {
    uint32_t line = unit / p.each, rest = unit - line * p.each;
    if (p.lines) {
        const uint32_t whole = p.each / 2, lines = p.lines - 2 * line < 2 ? 1 : 2; // whole tiles of a line
        line *= 2;
        if (rest >= lines * whole) return {line, lines, (int)whole * p.step, p.n - (int)whole * p.step};
        if (rest >= whole) line++, rest -= whole;
    }
    const int begin = (int)rest * p.step, left = p.n - begin;
    return {line, 1, begin, left < p.step ? left : p.step};
}

// Element i of a tile in memory; false: it is 0. Behind the end of a line is its first element.
template <class R>
GNDI_FN bool find_element(const gndi_compression_tiles_params &p, const place &of, int i, const number<R> *&from) {
    uint32_t line = of.line;
    if (of.parts == 2 && i >= tiles<R>::N / 2) i -= tiles<R>::N / 2, line++;
    const int left = p.n - of.begin, j = i < left ? of.begin + i : i - left;
    from = static_cast<const number<R> *>(p.x) + line * p.x_line + j;
    return i < of.results + p.taps - 1 && j < p.samples;
}

// Begins to load a thread's elements of a tile.
template <class R>
GNDI_FN void begin_tile(number<R> *tile, const gndi_compression_tiles_params &p, uint32_t unit, int t) {
    using fft = typename tiles<R>::fft;
    const place of = place_of(p, unit);
    const int wanted = of.results + p.taps - 1;
    number<R> *const to = tile + fft::template first<0>(t);
    if (of.parts == 1 && of.begin + wanted <= p.samples) {
        const number<R> *const from = static_cast<const number<R> *>(p.x) + of.line * p.x_line + of.begin + t;
#pragma unroll
        for (int e = 0; e < fft::E; e++)
            copy_or_zero(to + fft::template element<0>(e), from + e * fft::THREADS, t + e * fft::THREADS < wanted);
        return;
    }
#pragma unroll 4
    for (int e = 0; e < fft::E; e++) {
        const number<R> *from;
        const bool there = find_element<R>(p, of, t + e * fft::THREADS, from);
        copy_or_zero(to + fft::template element<0>(e), from, there);
    }
}

// Begins to bring a tile to the L2 cache.
template <class R> GNDI_FN void fetch_tile(const gndi_compression_tiles_params &p, uint32_t unit, int t) {
    constexpr int STEP = 128 / sizeof(number<R>); // a cache line's
    const place of = place_of(p, unit);
#pragma unroll
    for (int i = 0; i < tiles<R>::N; i += STEP * tiles<R>::THREADS) {
        const number<R> *from;
        if (find_element<R>(p, of, i + t * STEP, from)) fetch_line(from);
    }
}

template <class R>
GNDI_FN void store_tile(const number<R> *v, const gndi_compression_tiles_params &p, uint32_t unit, int t) {
    using fft = typename tiles<R>::fft;
    const place of = place_of(p, unit);
    number<R> *out = static_cast<number<R> *>(p.out) + (int64_t)of.line * p.n + of.begin + t;
    if (of.parts == 1) {
#pragma unroll
        for (int e = 0; e < fft::E; e++)
            if (t + e * fft::THREADS < of.results) store_once(out + e * fft::THREADS, v[e]);
        return;
    }
#pragma unroll
    for (int e = 0; e < fft::E; e++) {
        const int i = e % (fft::E / 2) * fft::THREADS;
        if (t + i < of.results) store_once(out + (e < fft::E / 2 ? 0 : p.n) + i, v[e]);
    }
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
        if (p.fetches && unit + gridDim.x < p.units) fetch_tile<R>(p, unit + gridDim.x, t);
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
