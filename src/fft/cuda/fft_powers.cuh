// fft_powers.cuh: powers |X|^2 of the spectra of long real lines of 2 M elements, in two launches: neighbours of x are
// complex numbers z, M = N1 N2 of them, of which the first launch transforms the columns, to Z[k1][n2], and the second
// one the rows.
//
// columns  Where a line's mean is to be taken off, each column loses a level of its own first, about its mean. That
//          concerns row 0 of Z alone, to which the second launch gives the levels back less their mean. So nobody reads
//          the line for its mean. What is left of it is in Z[0], as large in its real as in its imaginary part, and
//          X[M] is their difference: it has to be small. (With the level of one column in place of the mean of all of
//          them X[M]^2 was off by 5e-6 of the largest power.)
// rows     A block has rows k1 and N1 - k1: their transforms are elements k = k1 + N1 k2 and M - k of that of z. With
//          s = Z[k] + conj(Z[M - k]) and d = -i (Z[k] - conj(Z[M - k])) exp(-i pi k / M), X[k] is (s + d) / 2 and
//          X[M - k] the conjugate of (s - d) / 2. The powers of a row are N1 apart. The blocks of a cluster have
//          neighbouring rows; they give each other the powers of a range of k2, so that each writes pieces of CLUSTER
//          neighbours: pieces of one take more of the L2 cache's time than all of the rest.
//
// 2^24 elements: the launches read and write 134 and 101 MB, 55 us at 4.3 TB/s. They take 122 us on an H200: 64 and 60,
// which is the time of the arithmetic and of shared memory. Blocks that take one tile after another, with the next
// one's elements on their way to shared memory, took 148.
#ifndef GNDI_FFT_POWERS_CUH
#define GNDI_FFT_POWERS_CUH

#include "fft/cuda/fft_columns.cuh"
#include "kernels/cuda/cluster.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {
namespace powers {

using columns::pair;
constexpr int EACH = GNDI_COLUMNS_EACH, THREADS = GNDI_POWERS_THREADS;
constexpr int ROW_BITS = GNDI_POWERS_BITS, CLUSTER = GNDI_POWERS_CLUSTER;
enum { WARP = 32 };

// ---- columns -----------------------------------------------------------------------------------

// Takes a level off each column, the mean of the elements that its first thread has; if one of a column is infinite,
// all of a line becomes NaN by it.
template <int SIDE> GNDI_FN void take_levels(pair *v, int t, int lane, pair *levels) {
    __shared__ pair level[SIDE];
    if (t == 0) {
        pair sum = v[0];
#pragma unroll
        for (int q = 1; q < EACH; q++) sum = columns::add(sum, v[q]);
        level[lane] = levels[lane] = {sum.x / EACH, sum.y / EACH};
    }
    __syncthreads();
    const pair own = level[lane];
#pragma unroll
    for (int q = 0; q < EACH; q++) v[q] = {v[q].x - own.x + (v[q].x - v[q].x), v[q].y - own.y + (v[q].y - v[q].y)};
}

template <int BITS> GNDI_FN void transform_columns(const gndi_power_columns_params &p, pair *shared) {
    constexpr int SIDE = GNDI_COLUMNS_SIDE(BITS), LINE = BITS + ROW_BITS;
    using column = columns::column<BITS, SIDE>;
    static_assert(column::THREADS == THREADS, "");
    __shared__ pair turns[EACH * SIDE]; // of a thread's elements against its first one
    const pair *const roots = roots_of_unity.at;
    const int lane = (int)threadIdx.x % SIDE, t = (int)threadIdx.x / SIDE;
    const uint32_t at = blockIdx.x * SIDE + lane;
    const char *from = p.in + (((int64_t)t << ROW_BITS) + at) * (int64_t)sizeof(pair);
    constexpr int64_t STEP = (int64_t)sizeof(pair) * column::PART << ROW_BITS;
    start_early();
    pair v[EACH];
#pragma unroll
    for (int q = 0; q < EACH; q++) v[q] = columns::load_once(from + q * STEP);
    if (t < EACH) turns[threadIdx.x] = columns::root_of((uint32_t)(t * column::PART) * at, LINE, roots);
    const pair turn = columns::root_of((uint32_t)t * at, LINE, roots);
    if (p.levels) take_levels<SIDE>(v, t, lane, reinterpret_cast<pair *>(p.levels) + (at - lane));
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    pair *const out = reinterpret_cast<pair *>(p.work) + ((int64_t)t << ROW_BITS) + at;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
        const pair by = columns::multiply(turn, turns[q * SIDE + lane]);
        out[(int64_t)(q * column::PART) << ROW_BITS] = columns::multiply(column::result(v, q, 1), by);
    }
}

// ---- rows --------------------------------------------------------------------------------------

using row = columns::column<ROW_BITS, 2, false>;
constexpr int N = row::N, PART = row::PART;
static_assert(row::THREADS == THREADS, "");

// The powers that a block gets: of both its kinds of rows, from each block of the cluster, SHARE of a row. The gaps
// keep threads that read a piece in different banks.
constexpr int SHARE = N / CLUSTER, PITCH = SHARE + 4;
static_assert(SHARE == 2 * PART, "a block's range of k2 is two elements of a thread");
static_assert(2 * CLUSTER * PITCH * 4 <= GNDI_POWERS_ROWS_SHARED, "");
static_assert(N * (int)sizeof(pair) <= GNDI_POWERS_ROWS_SHARED, "half of the elements of two rows");
GNDI_FN int place(int side, int from, int i) {
    return (side * CLUSTER + from) * PITCH + i;
}

// What the threads of row 0 have gets its levels back, less their mean.
GNDI_FN void give_levels(const gndi_powers_params &p, pair *v) {
    __shared__ float sums[PART / WARP];
    const bool own = (int)threadIdx.x < PART;
    const pair *const levels = reinterpret_cast<const pair *>(p.levels) + threadIdx.x % PART;
    const float level = reinterpret_cast<const float *>(p.levels)[0], factor = (float)(1 << p.outer);
    float sum = 0;
#pragma unroll 4
    for (int q = 0; q < EACH; q++) sum += (levels[q * PART].x - level) + (levels[q * PART].y - level);
#pragma unroll
    for (int step = WARP / 2; step; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (own && threadIdx.x % WARP == 0) sums[threadIdx.x / WARP] = sum;
    __syncthreads();
    if (!own) return;
    float mean = 0;
#pragma unroll
    for (int i = 0; i < PART / WARP; i++) mean += sums[i];
    mean /= 2 * N;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
        const pair z = levels[q * PART];
        v[q] = {v[q].x + factor * (z.x - level - mean), v[q].y + factor * (z.y - level - mean)};
    }
}

// exp(-2 pi i q / 32), q < 8
GNDI_FN pair eighth_turn(int q) {
    const float sine[9] = {
        0, 0.195090322f, 0.382683432f, 0.555570233f, 0.707106781f, 0.831469612f, 0.923879533f, 0.980785280f, 1};
    return {sine[8 - q], -sine[q]};
}

// |X[k]|^2 and |X[M - k]|^2 but for a factor of 4, of Z[k] and Z[M - k]; root: exp(-i pi k / M).
GNDI_FN pair powers_of(pair own, pair other, pair root) {
    const pair sum = {own.x + other.x, own.y - other.y}, difference = {own.y + other.y, other.x - own.x};
    const pair turned = columns::multiply(difference, root);
    const pair a = columns::add(sum, turned), b = columns::subtract(sum, turned);
    return {a.x * a.x + a.y * a.y, b.x * b.x + b.y * b.y};
}

// A block's rows.
struct rows_of {
    uint32_t first, second; // the same for lane 1
    bool alone;             // rows 0 and N1 / 2 are their own mirror images
    __device__ __forceinline__ rows_of(uint32_t number, uint32_t outer)
        : first(number), second(number == 0 ? 1u << (outer - 1) : (1u << outer) - number), alone(number == 0) {}
    __device__ __forceinline__ uint32_t of(int lane) const { return lane == 0 ? first : second; }
};
GNDI_FN const char *row_of(const gndi_powers_params &p, uint32_t number, int lane, int t) {
    const int64_t at = ((int64_t)rows_of(number, p.outer).of(lane) << ROW_BITS) + t;
    return p.work + at * (int64_t)sizeof(pair);
}

// The powers of a thread's first 8 elements, and of their mirror images, the second 8 of other threads.
GNDI_FN void make_powers(const gndi_powers_params &p, const pair *v, int t, int lane, rows_of rows, pair *shared,
                         pair *powers) {
#pragma unroll
    for (int q = EACH / 2; q < EACH; q++) shared[lane * (N / 2) + t + q * PART - N / 2] = row::result(v, q, 1);
    __syncthreads();
    const uint32_t k1 = rows.of(lane);
    const pair *const mirror = shared + (rows.alone ? lane : 1 - lane) * (N / 2) + (k1 == 0 ? N / 2 : N / 2 - 1) - t;
    const pair root = columns::root_of(k1 + ((uint32_t)t << p.outer), p.outer + ROW_BITS + 1, roots_of_unity.at);
#pragma unroll
    for (int q = 0; q < EACH / 2; q++) {
        const pair both = powers_of(row::result(v, q, 1), mirror[-q * PART], columns::multiply(root, eighth_turn(q)));
        powers[q] = {p.factor * both.x, p.factor * both.y};
    }
    if (k1 == 0 && t == 0) { // X[0] and X[M], and X[M / 2], whose elements are their own mirror images
        const pair z = row::result(v, 0, 1), middle = row::result(v, EACH / 2, 1);
        const float factor = 4 * p.factor, end = factor * p.end;
        powers[0] = {(p.levels ? 0 : end) * (z.x + z.y) * (z.x + z.y),
                     factor * (middle.x * middle.x + middle.y * middle.y)};
        p.out[(int64_t)N << p.outer] = end * (z.x - z.y) * (z.x - z.y);
    }
}

// Gives the powers to the blocks that write them.
GNDI_FN void send_powers(const pair *powers, int t, int lane, int rank, rows_of rows, float *pieces) {
    float *const own = pieces + place(lane, rank, t), *const other =
                                                          pieces + place(rows.alone ? lane : 1 - lane, rank, 0);
    const int last = (rows.of(lane) == 0 ? N : N - 1) - t; // the mirror image of element t
#pragma unroll
    for (int q = 0; q < EACH / 2; q++) {
        const int at = q == 0 && last == N ? N / 2 : last - q * PART;
        cluster_store(own + q % 2 * PART, q / 2, powers[q].x);
        cluster_store(other + at % SHARE, at / SHARE, powers[q].y);
    }
}

// Writes those of a range of k2 of all rows of the cluster.
GNDI_FN void write_powers(const gndi_powers_params &p, const float *pieces, uint32_t base, int rank) {
    const int from = (int)threadIdx.x % CLUSTER, i = (int)threadIdx.x / CLUSTER;
    const rows_of rows(base + from, p.outer);
#pragma unroll
    for (int side = 0; side < 2; side++) {
        float *const out = p.out + ((int64_t)(rank * SHARE + i) << p.outer) + rows.of(side);
        const float *const piece = pieces + place(side, from, i);
#pragma unroll
        for (int m = 0; m < SHARE; m += THREADS / CLUSTER) out[(int64_t)m << p.outer] = piece[m];
    }
}

GNDI_FN void transform_rows(const gndi_powers_params &p, pair *shared) {
    float *const pieces = reinterpret_cast<float *>(shared);
    const int lane = (int)threadIdx.x / PART, t = (int)threadIdx.x % PART, rank = (int)(blockIdx.x % CLUSTER);
    const rows_of rows(blockIdx.x, p.outer);
    const char *from = row_of(p, blockIdx.x, lane, t);
    start_early();
    pair v[EACH], both[EACH / 2];
#pragma unroll
    for (int q = 0; q < EACH; q++) v[q] = columns::load_once(from + q * (PART * (int)sizeof(pair)));
    if (rows.alone && p.levels) give_levels(p, v);
    row::all_stages<false>(v, t, lane, t, lane, shared);
    __syncthreads();
    make_powers(p, v, t, lane, rows, shared, both);
    cluster_arrive();
    cluster_wait(); // all have read what the pieces take the place of
    send_powers(both, t, lane, rank, rows, pieces);
    cluster_arrive();
    cluster_wait();
    write_powers(p, pieces, blockIdx.x - rank, rank);
}

} // namespace powers

template <int BITS> __global__ void __launch_bounds__(GNDI_POWERS_THREADS, 2)
    power_columns_kernel(const __grid_constant__ gndi_power_columns_params p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900 // as the rows
    extern __shared__ columns::pair shared[];
    powers::transform_columns<BITS>(p, shared);
#endif
}

__global__ void GNDI_CLUSTER(GNDI_POWERS_CLUSTER) __launch_bounds__(GNDI_POWERS_THREADS, 2)
    power_rows_kernel(const __grid_constant__ gndi_powers_params p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
    extern __shared__ columns::pair shared[];
    powers::transform_rows(p, shared);
#endif
}

} // namespace gnd

#endif
