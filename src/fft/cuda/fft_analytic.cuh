// fft_analytic.cuh: analytic signals x + i H(x) of long real lines of 2 M elements, in three launches: neighbours of x
// are complex numbers z, M = N1 N2 of them, of which columns_kernel has transformed the columns, to Z[k1][n2].
//
// rows     A block has rows k1 and N1 - k1: their transforms are elements k = k1 + N1 k2 and M - k of that of z. With
//          a = pi k / M, H(x) as complex numbers has i sin(a) Z[k] + cos(a) conj(Z[M - k]) there, and 0 where k is 0
//          (x's even and odd elements have E = (Z[k] + conj(Z[M - k])) / 2 and O = (Z[k] - conj(Z[M - k])) / 2i; X is
//          E + exp(-ia) O, and H's are -i exp(-ia) O and -i exp(ia) E). These rows are transformed back at once.
// columns  They are transformed back, and written beside x.
//
// 2^24 elements: the launches read and write 134, 134 and 268 MB, 125 us at 4.3 TB/s.
#ifndef GNDI_FFT_ANALYTIC_CUH
#define GNDI_FFT_ANALYTIC_CUH

#include "fft/cuda/fft_columns.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

template <int BITS>
__global__ void __launch_bounds__(columns::column<BITS, 2>::THREADS, 1024 / columns::column<BITS, 2>::THREADS)
    analytic_rows_kernel(const __grid_constant__ gndi_analytic_params p) {
    using column = columns::column<BITS, 2>;
    using columns::pair;
    extern __shared__ pair shared[];
    constexpr int N = column::N, PART = column::PART;
    const pair *const roots = roots_of_unity.at;
    const uint32_t outer = p.outer, line = blockIdx.x >> (outer - 1), first = blockIdx.x & ((1u << (outer - 1)) - 1);
    const int lane = (int)threadIdx.x / PART;
    int t = (int)threadIdx.x % PART;
    // Rows 0 and N1 / 2 are their own mirror images.
    const bool alone = first == 0;
    const uint32_t row = lane == 0 ? first : alone ? 1u << (outer - 1) : (1u << outer) - first;
    pair *const data = reinterpret_cast<pair *>(p.work) + ((((int64_t)line << outer) + row) << BITS);
    pair v[column::EACH], w[column::EACH];
    start_early();
    column::template load<false, true>(v, t, reinterpret_cast<const char *>(data), sizeof(pair));
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < column::EACH; q++) shared[lane * N + t + q * PART] = column::result(v, q, 1);
    __syncthreads();
    asm volatile("" : "+r"(t)); // numbers of elements, kept from step to step, would spill
    const pair *const mirror = shared + (alone ? lane : 1 - lane) * N;
    const int end = row == 0 ? N : N - 1;
#pragma unroll
    for (int q = 0; q < column::EACH; q++) {
        const int i = t + q * PART;
        const uint32_t k = row + ((uint32_t)i << outer);
        const pair own = column::result(v, q, 1), other = mirror[(end - i) & (N - 1)];
        const pair root = columns::root_of(k, outer + BITS + 1, roots); // cos(a), -sin(a)
        const pair z = {root.y * own.y + root.x * other.x, -root.y * own.x - root.x * other.y};
        w[q] = k == 0 ? pair{0, 0} : columns::swap_if(true, z);
    }
    asm volatile("" : "+r"(t));
    column::template all_stages<true>(w, t, lane, t, lane, shared);
#pragma unroll
    for (int q = 0; q < column::EACH; q++) {
        const uint32_t i = (uint32_t)(t + q * PART);
        const pair z = columns::multiply(column::result(w, q, 1), columns::root_of(i * row, outer + BITS, roots));
        data[i] = columns::swap_if(true, z);
    }
}

template <int BITS, int SIDE>
__global__ void __launch_bounds__(columns::column<BITS, SIDE>::THREADS, 1024 / columns::column<BITS, SIDE>::THREADS)
    analytic_columns_kernel(const __grid_constant__ gndi_analytic_params p) {
    using column = columns::column<BITS, SIDE>;
    using columns::pair;
    extern __shared__ pair shared[];
    const uint32_t tiles = (1u << p.inner) / SIDE, line = blockIdx.x / tiles;
    const int lane = (int)threadIdx.x % SIDE, t = (int)threadIdx.x / SIDE;
    const int64_t at = ((int64_t)line << (BITS + p.inner)) + (blockIdx.x - line * tiles) * SIDE + lane;
    pair v[column::EACH];
    start_early();
    column::template load<true, true>(v, t, p.work + at * (int64_t)sizeof(pair), (int64_t)sizeof(pair) << p.inner);
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    const char *const x = p.x + at * (int64_t)sizeof(pair);
    float4 *const out = reinterpret_cast<float4 *>(p.out) + at;
#pragma unroll
    for (int q = 0; q < column::EACH; q++) {
        const int64_t i = (int64_t)(t + q * column::PART) << p.inner;
        const pair own = columns::load_once(x + i * (int64_t)sizeof(pair)), h = column::result(v, q, p.factor);
        __stcs(out + i, float4{own.x, h.y, own.y, h.x});
    }
}

} // namespace gnd

#endif
