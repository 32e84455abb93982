// doubling_kernels.cu: polyphase filters that double the rate of many samples: a warp has tiles of its own, which come
// to shared memory and go from it by bulk copies, so that threads do little but multiply and add. A thread slides a
// window of registers over the elements for neighbouring periods, of which it makes both outputs. Products are added
// in the order of the kernel of windows (upfirdn_kernels.cu), and give its bits.
//
// 2,000 lines of 32,768 doubles and 41 taps are 1.57 GB, 393 us at 4.0 TB/s, and 2.9 * 10^9 products, 170 us: 427 us
// on an H200, where the traffic alone takes 415.
#include "resample/cuda/upfirdn_device.cuh"
#include "kernels/cuda/bulk_copies.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

// A warp's tile. Vectors of a lane: an odd number, so that lanes meet in few banks without gaps.
template <class T> struct doubling {
    static constexpr int LANES = 16 / (int)sizeof(T), OWN = 5, EACH = OWN * LANES;
    static constexpr int PERIODS = GNDI_DOUBLING_PERIODS, OUTPUTS = 2 * PERIODS;
    static_assert(PERIODS == WARP * EACH, "");
    struct __align__(16) vector {
        T lane[LANES];
    };

    const gndi_upfirdn_params &p;
    T *elements, *outputs; // of two tiles; of one
    bulk_arrival *arrivals;
    int lane, n; // n: elements that a tile's outputs are made of

    // Begins to load a tile. Whether that is a copy to wait for: of elements that are there, and aligned.
    __device__ __forceinline__ bool load(int64_t line, int64_t tile, int buffer) const {
        const int64_t first = p.first_period + tile * PERIODS - p.row_taps + p.ahead + p.first_base - p.x_first;
        const T *const x = line_of<T>(p, line);
        T *const to = elements + buffer * n;
        const bool copies =
            has_bulk_copies && first >= 0 && first + n <= p.length && reinterpret_cast<uint64_t>(x + first) % 16 == 0;
        if (!copies)
            for (int e = lane; e < n; e += WARP) to[e] = element(p, x, first + e);
        else if (lane == 0)
            bulk_load(to, x + first, n * (int)sizeof(T), arrivals + buffer);
        return copies;
    }

    // Both outputs of a lane's periods.
    __device__ __forceinline__ void add_up(int buffer, const T *table, T (&even)[EACH], T (&odd)[EACH]) const {
        const int start = (lane * EACH + p.row_taps) / LANES;
        const vector *row = reinterpret_cast<const vector *>(elements + buffer * n);
        const vector *even_taps = reinterpret_cast<const vector *>(table), *odd_taps = even_taps + p.row_taps / LANES;
        vector w[OWN + 1];
#pragma unroll
        for (int r = 0; r < EACH; r++) even[r] = odd[r] = T{};
#pragma unroll
        for (int i = 0; i < OWN; i++) w[i + 1] = row[start + i];
#pragma unroll(OWN + 1)
        for (int s = 0; s < p.row_taps / LANES; s++) {
            w[0] = row[start - s - 1];
            const vector a = even_taps[s], b = odd_taps[s];
#pragma unroll
            for (int u = 0; u < LANES; u++) {
#pragma unroll
                for (int r = 0; r < EACH; r++) {
                    const int e = r - u + LANES;
                    add_product(even[r], w[e / LANES].lane[e % LANES], a.lane[u]);
                    add_product(odd[r], w[e / LANES].lane[e % LANES], b.lane[u]);
                }
            }
#pragma unroll
            for (int i = OWN; i > 0; i--) w[i] = w[i - 1];
        }
    }

    __device__ __forceinline__ void store(int64_t line, int64_t tile, const T (&even)[EACH],
                                          const T (&odd)[EACH]) const {
        if (lane == 0) bulk_wait_read(false); // the outputs before these
        __syncwarp();
        vector *to = reinterpret_cast<vector *>(outputs) + lane * OWN * 2;
#pragma unroll
        for (int i = 0; i < 2 * OWN; i++) {
            vector v;
#pragma unroll
            for (int u = 0; u < LANES; u++) v.lane[u] = u % 2 ? odd[(i * LANES + u) / 2] : even[(i * LANES + u) / 2];
            to[i] = v;
        }
        bulk_fence();
        __syncwarp();
        const int64_t first = (p.first_period + tile * PERIODS) * 2 - p.out_first;
        T *const out = out_of<T>(p, line) + first;
        const int begin = first < 0 ? (int)-first : 0;
        const int end = p.count - first < OUTPUTS ? (int)(p.count - first) : OUTPUTS, bytes = end * (int)sizeof(T);
        if (has_bulk_copies && begin == 0 && (reinterpret_cast<uint64_t>(out) | (uint64_t)bytes) % 16 == 0) {
            if (lane == 0) bulk_store(out, outputs, bytes);
        } else {
            for (int e = begin + lane; e < end; e += WARP) out[e] = outputs[e];
        }
    }
};

template <class T> __global__ void __launch_bounds__(THREADS, 2)
    doubling_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    __shared__ bulk_arrival arrivals[THREADS / WARP][2];
    const int warp = (int)threadIdx.x / WARP, n = doubling<T>::PERIODS + p.row_taps;
    T *const table = reinterpret_cast<T *>(shared);
    T *const elements = table + 2 * p.row_taps + warp * (2 * n + doubling<T>::OUTPUTS);
    const doubling<T> of = {p, elements, elements + 2 * n, arrivals[warp], (int)threadIdx.x % WARP, n};
    if (of.lane < 2) bulk_init(of.arrivals + of.lane);
    start_early();
    fill_rows<T>(p, table);
    __syncthreads();
    const int64_t units = p.grid.lines * p.tiles, step = (int64_t)gridDim.x * (THREADS / WARP);
    const int64_t step_lines = step / p.tiles, step_tiles = step % p.tiles;
    int64_t unit = (int64_t)blockIdx.x * (THREADS / WARP) + warp, line = unit / p.tiles, tile = unit % p.tiles;
    int buffer = 0, parities = 0;
    bool copies = unit < units && of.load(line, tile, 0);
    for (; unit < units; unit += step) {
        int64_t next_line = line + step_lines, next_tile = tile + step_tiles;
        if (next_tile >= p.tiles) next_tile -= p.tiles, next_line++;
        const bool next_copies = unit + step < units && of.load(next_line, next_tile, buffer ^ 1);
        if (copies) bulk_wait(of.arrivals + buffer, parities >> buffer & 1), parities ^= 1 << buffer;
        __syncwarp();
        T even[doubling<T>::EACH], odd[doubling<T>::EACH];
        of.add_up(buffer, table, even, odd);
        of.store(line, tile, even, odd);
        line = next_line, tile = next_tile, copies = next_copies, buffer ^= 1;
    }
    if (of.lane == 0) bulk_wait_read(false); // a block's memory is there until it is read
}

} // namespace gnd

extern "C" const void *gndi_cuda_doubling_kernel(void) {
    return (const void *)gnd::doubling_kernel<double>;
}
