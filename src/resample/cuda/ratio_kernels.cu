// ratio_kernels.cu: polyphase filters that change the rate of many samples by a ratio of two small numbers, 2 / 1 of
// doubles and 3 / 2 of floats: a warp has tiles of its own, which come to shared memory and go from it by bulk copies,
// so that threads do little but multiply and add. A thread slides a window of registers over the elements for
// neighbouring periods, of which it makes all outputs: it has every vector of elements for all phases. Products are
// added in the order of the kernel of windows (upfirdn_kernels.cu), and give its bits.
//
// 2,000 lines of 32,768 doubles and 41 taps are 1.57 GB, 393 us at 4.0 TB/s, and 2.9 * 10^9 products, 170 us: 427 us
// on an H200, where the traffic alone takes 415. 10^7 floats and 61 taps by 3 / 2 are 100 MB, 25 us, and 0.36 * 10^9
// products, 14 us; the kernel of windows takes 68.
#include "resample/cuda/upfirdn_device.cuh"
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/bulk_copies.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

// A warp's tile. Vectors of a lane: an odd number, so that lanes meet in few banks without gaps.
template <class T, int UP, int DOWN> struct ratio {
    static constexpr int LANES = 16 / (int)sizeof(T), COLUMNS = LANES / DOWN; // COLUMNS: periods of a vector
    static constexpr int OWN = 5, EACH = OWN * COLUMNS;                       // vectors and periods of a lane
    static constexpr int PERIODS = GNDI_RATIO_PERIODS, OUTPUTS = UP * PERIODS;
    static_assert(PERIODS == WARP * EACH && LANES % DOWN == 0, "");
    struct __align__(16) vector {
        T lane[LANES];
    };
    struct __align__(COLUMNS * sizeof(T)) tap_pair {
        T lane[COLUMNS];
    };
    // A lane's outputs are stored in such pieces.
    static constexpr int PIECE = UP * EACH % LANES ? LANES / 2 : LANES;
    struct __align__(PIECE * sizeof(T)) piece {
        T lane[PIECE];
    };
    static_assert(UP * EACH % PIECE == 0, "");

    const gndi_upfirdn_params &p;
    T *elements, *outputs; // of two tiles; of one
    bulk_arrival *arrivals;
    int lane, n; // n: elements that a tile's outputs are made of

    // Begins to load a tile: by a bulk copy, if that is the result, or by a lane's copies, or at once near the ends.
    __device__ __forceinline__ bool load(int64_t line, int64_t tile, int buffer) const {
        const int64_t period = p.first_period + tile * PERIODS - p.row_taps + p.ahead;
        const int64_t first = period * DOWN + p.first_base - p.x_first;
        const T *const x = line_of<T>(p, line), *const from = x + first;
        T *const to = elements + buffer * n;
        const uint64_t address = reinterpret_cast<uint64_t>(from);
        if (first < 0 || first + n > p.length) {
            for (int e = lane; e < n; e += WARP) to[e] = element(p, x, first + e);
        } else if (has_bulk_copies && address % 16 == 0) {
            if (lane == 0) bulk_load(to, from, n * (int)sizeof(T), arrivals + buffer);
            return true;
        } else if (address % 8 == 0) {
            const int count = n * (int)sizeof(T) / 8;
#pragma unroll 4
            for (int e = lane; e < count; e += WARP)
                copy_element(reinterpret_cast<double *>(to) + e, reinterpret_cast<const double *>(from) + e);
        } else {
#pragma unroll 4
            for (int e = lane; e < n; e += WARP) copy_element(to + e, from + e);
        }
        return false;
    }

    // The outputs of a lane's periods: sum[q] are those of phase q.
    __device__ __forceinline__ void add_up(int buffer, const T *table, T (&sum)[UP][EACH]) const {
        const vector *row = reinterpret_cast<const vector *>(elements + buffer * n);
        row += (lane * EACH + p.row_taps) / COLUMNS;
        const tap_pair *const taps = reinterpret_cast<const tap_pair *>(table);
        const int steps = p.row_taps / COLUMNS;
#pragma unroll
        for (int q = 0; q < UP; q++)
#pragma unroll
            for (int r = 0; r < EACH; r++) sum[q][r] = T{};
#pragma unroll
        for (int residue = 0; residue < DOWN; residue++) {
            vector w[OWN + 1];
#pragma unroll
            for (int i = 0; i < OWN; i++) w[i + 1] = row[i];
#pragma unroll(OWN + 1)
            for (int s = 0; s < steps; s++) {
                w[0] = row[-s - 1];
                tap_pair k[UP];
#pragma unroll
                for (int q = 0; q < UP; q++) k[q] = taps[(q * DOWN + residue) * steps + s];
#pragma unroll
                for (int u = 0; u < COLUMNS; u++) {
#pragma unroll
                    for (int r = 0; r < EACH; r++) {
                        const int e = r - u + COLUMNS;
                        const T x = w[e / COLUMNS].lane[e % COLUMNS * DOWN + residue];
#pragma unroll
                        for (int q = 0; q < UP; q++) add_product(sum[q][r], x, k[q].lane[u]);
                    }
                }
#pragma unroll
                for (int i = OWN; i > 0; i--) w[i] = w[i - 1];
            }
        }
    }

    __device__ __forceinline__ void store(int64_t line, int64_t tile, const T (&sum)[UP][EACH]) const {
        if (lane == 0) bulk_wait_read(false); // the outputs before these
        __syncwarp();
        piece *const to = reinterpret_cast<piece *>(outputs) + lane * (UP * EACH / PIECE);
#pragma unroll
        for (int i = 0; i < UP * EACH / PIECE; i++) {
            piece v;
#pragma unroll
            for (int u = 0; u < PIECE; u++) v.lane[u] = sum[(i * PIECE + u) % UP][(i * PIECE + u) / UP];
            to[i] = v;
        }
        bulk_fence();
        __syncwarp();
        const int64_t first = (p.first_period + tile * PERIODS) * UP - p.out_first;
        T *const out = out_of<T>(p, line) + first;
        const int begin = first < 0 ? (int)-first : 0;
        const int end = p.count - first < OUTPUTS ? (int)(p.count - first) : OUTPUTS, bytes = end * (int)sizeof(T);
        if (has_bulk_copies && begin == 0 && (reinterpret_cast<uint64_t>(out) | (uint64_t)bytes) % 16 == 0) {
            if (lane == 0) bulk_store(out, outputs, bytes);
        } else {
#pragma unroll 4
            for (int e = begin + lane; e < end; e += WARP) out[e] = outputs[e];
        }
    }
};

template <class T, int UP, int DOWN> __global__ void __launch_bounds__(THREADS, GNDI_RATIO_RESIDENT(sizeof(T)))
    ratio_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    typedef ratio<T, UP, DOWN> tiles;
    __shared__ bulk_arrival arrivals[THREADS / WARP][2];
    const int warp = (int)threadIdx.x / WARP, n = (tiles::PERIODS + p.row_taps) * DOWN;
    T *const table = reinterpret_cast<T *>(shared);
    T *const elements = table + UP * DOWN * p.row_taps + warp * (2 * n + tiles::OUTPUTS);
    const tiles of = {p, elements, elements + 2 * n, arrivals[warp], (int)threadIdx.x % WARP, n};
    if (of.lane < 2) bulk_init(of.arrivals + of.lane);
    start_early();
    fill_rows<T>(p, table);
    __syncthreads();
    const int64_t units = p.grid.lines * p.tiles, step = (int64_t)gridDim.x * (THREADS / WARP);
    const int64_t step_lines = step / p.tiles, step_tiles = step % p.tiles;
    int64_t unit = (int64_t)blockIdx.x * (THREADS / WARP) + warp, line = unit / p.tiles, tile = unit % p.tiles;
    int buffer = 0, parities = 0;
    bool copies = unit < units && of.load(line, tile, 0);
    commit_copies();
    for (; unit < units; unit += step) {
        int64_t next_line = line + step_lines, next_tile = tile + step_tiles;
        if (next_tile >= p.tiles) next_tile -= p.tiles, next_line++;
        const bool next_copies = unit + step < units && of.load(next_line, next_tile, buffer ^ 1);
        commit_copies();
        wait_for_earlier_copies();
        if (copies) bulk_wait(of.arrivals + buffer, parities >> buffer & 1), parities ^= 1 << buffer;
        __syncwarp();
        T sum[UP][tiles::EACH];
        of.add_up(buffer, table, sum);
        of.store(line, tile, sum);
        line = next_line, tile = next_tile, copies = next_copies, buffer ^= 1;
    }
    if (of.lane == 0) bulk_wait_read(false); // a block's memory is there until it is read
}

} // namespace gnd

// Of doubles, by 2 / 1, or of floats, by 3 / 2.
extern "C" const void *gndi_cuda_ratio_kernel(bool wide) {
    return wide ? (const void *)gnd::ratio_kernel<double, 2, 1> : (const void *)gnd::ratio_kernel<float, 3, 2>;
}
