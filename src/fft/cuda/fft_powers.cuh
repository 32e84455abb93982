// fft_powers.cuh: powers |X|^2 of the spectra of long real lines of 2 M elements, in two launches: neighbours of x are
// complex numbers z, M = N1 N2 of them, of which columns_kernel has transformed the columns, to Z[k1][n2]. It has taken
// the level of each column off first, where a line's mean is to be taken off: that concerns row 0 of Z alone, and its
// levels are put back here less one of them. So nobody reads the line for its mean, which is in X[0] alone, a zero.
//
// A block has rows k1 and N1 - k1: their transforms are elements k = k1 + N1 k2 and M - k of that of z, and the powers
// X[k] of the row are N1 apart. The blocks of a cluster have neighbouring rows; they give each other the powers of a
// range of k2, so that each writes pieces of CLUSTER neighbours: pieces of one take more of the L2 cache's time than
// all of the rest.
//
// 2^24 elements: the launches read and write 134 and 101 MB, 55 us at 4.3 TB/s.
#ifndef GNDI_FFT_POWERS_CUH
#define GNDI_FFT_POWERS_CUH

#include "fft/cuda/fft_columns.cuh"
#include "kernels/cuda/cluster.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

// The powers that a block gets: of both its kinds of rows, from each block of the cluster, PART of a row. The gaps
// keep threads that read a piece in different banks.
template <int BITS> struct power_pieces {
    static constexpr int CLUSTER = GNDI_POWERS_CLUSTER, PART = (1 << BITS) / CLUSTER, PITCH = PART + 4;
    static constexpr int FLOATS = 2 * CLUSTER * PITCH;
    static_assert(FLOATS * 4 == GNDI_POWERS_PIECES(BITS), "");
    GNDI_FN int place(int side, int from, int i) { return (side * CLUSTER + from) * PITCH + i; }
};

// |X[k]|^2 but for a factor of 4, of Z[k] and Z[M - k]; root: exp(-i pi k / M).
GNDI_FN float power_of(columns::pair own, columns::pair other, columns::pair root) {
    const columns::pair sum = {own.x + other.x, own.y - other.y}, difference = {own.y + other.y, other.x - own.x};
    const columns::pair x = columns::add(sum, columns::multiply(difference, root));
    return x.x * x.x + x.y * x.y;
}

template <int BITS> __global__ void GNDI_CLUSTER(GNDI_POWERS_CLUSTER)
    __launch_bounds__(columns::column<BITS, 2>::THREADS, 1024 / columns::column<BITS, 2>::THREADS)
        power_rows_kernel(const __grid_constant__ gndi_powers_params p) {
    using column = columns::column<BITS, 2>;
    using pieces = power_pieces<BITS>;
    using columns::pair;
    extern __shared__ pair shared[];
    constexpr int N = column::N, PART = column::PART, CLUSTER = pieces::CLUSTER;
    float *const powers = reinterpret_cast<float *>(shared) + GNDI_ANALYTIC_SHARED(BITS) / 4;
    const pair *const roots = roots_of_unity.at;
    const uint32_t outer = p.outer, first = blockIdx.x, half = 1u << (outer - 1), rank = first % CLUSTER;
    const int lane = (int)threadIdx.x / PART;
    int t = (int)threadIdx.x % PART;
    // Rows 0 and N1 / 2 are their own mirror images.
    const bool alone = first == 0;
    const uint32_t row = lane == 0 ? first : alone ? half : (1u << outer) - first;
    const pair *const data = reinterpret_cast<const pair *>(p.work) + ((int64_t)row << BITS);
    pair v[column::EACH];
    cluster_arrive();
    start_early();
    column::template load<false, true>(v, t, reinterpret_cast<const char *>(data), sizeof(pair));
    if (p.levels && row == 0) {
        const pair *const levels = reinterpret_cast<const pair *>(p.levels);
        const float level = levels[0].x, factor = (float)(1 << outer);
#pragma unroll
        for (int q = 0; q < column::EACH; q++) {
            const pair own = levels[t + q * PART];
            v[q] = {v[q].x + factor * (own.x - level), v[q].y + factor * (own.y - level)};
        }
    }
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < column::EACH; q++) shared[lane * N + t + q * PART] = column::result(v, q, 1);
    __syncthreads();
    cluster_wait();             // the others have begun
    asm volatile("" : "+r"(t)); // numbers of elements, kept from step to step, would spill
    const pair *const mirror = shared + (alone ? lane : 1 - lane) * N;
    const int end = row == 0 ? N : N - 1;
#pragma unroll
    for (int q = 0; q < column::EACH; q++) {
        const int i = t + q * PART;
        const uint32_t k = row + ((uint32_t)i << outer);
        const pair own = column::result(v, q, 1), other = mirror[(end - i) & (N - 1)];
        float power = p.factor * power_of(own, other, columns::root_of(k, outer + BITS + 1, roots));
        if (k == 0) { // with X[M] beside it
            const float last = own.x - own.y;
            power *= p.levels ? 0 : p.end;
            p.out[(int64_t)N << outer] = 4 * p.factor * p.end * last * last;
        }
        static_assert(pieces::PART == 2 * PART, "a block's range of k2 is two elements of a thread");
        cluster_store(powers + pieces::place(lane, (int)rank, t + q % 2 * PART), q / 2, power);
    }
    cluster_arrive();
    cluster_wait();
    float *const out = p.out + ((int64_t)(rank * pieces::PART) << outer);
    const uint32_t base = first - rank;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < 2 * N; e += column::THREADS) {
        const int from = e % CLUSTER, i = e / CLUSTER % pieces::PART, side = e / N;
        const uint32_t k1 = base + from, of = side == 0 ? k1 : k1 == 0 ? half : (1u << outer) - k1;
        out[of + ((int64_t)i << outer)] = powers[pieces::place(side, from, i)];
    }
}

} // namespace gnd

#endif
