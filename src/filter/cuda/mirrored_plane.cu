// mirrored_plane.cu: mirrored filters of first order along both axes of planes, in one launch.
//
// A block has a tile of 64 rows and up to 120 columns in shared memory, with a halo all around. A thread takes a column
// down and up, all columns of the tile side by side, and then a row forward and backward, 16 bytes at a time: the pitch
// is an odd number of packs, so that neighbouring rows are in different banks. What came before a halo is too small to
// be noticed. 4096 x 4096 floats are 134 MB, 34 us at 4.0 TB/s; the halos add 1.3 times as much from the second-level
// cache. The bound is the latency of the recursions (80 us on an H200; a launch for each axis took 168).
#include "filter/cuda/mirrored_params.h"
#include "filter/mirrored_ops.h"
#include "kernels/cuda/async_copy.cuh"

namespace gnd {
namespace mirrored {

typedef gndi_mirrored_plane_params params_t;
enum { THREADS = GNDI_MIRRORED_THREADS, ROWS = GNDI_MIRRORED_PLANE_ROWS, PACK = 4, PITCH = THREADS + PACK, FEW = 16 };
static_assert(PITCH / PACK % 2 == 1, "rows of packs in different banks");

struct alignas(16) pack {
    float v[PACK];
};

// A line of the tile, and the state of its filter. The array's ends are at its first and last element, if it has them.
template <bool along> struct line {
    const params_t &p;
    float *at;
    float before, earlier; // the two last results

    __device__ __forceinline__ float &element(int i) { return at[along ? i : i * PITCH]; }
    __device__ __forceinline__ float forward(float x) {
        earlier = before, before = p.gain * x + p.a2 * before;
        return before;
    }
    __device__ __forceinline__ float backward(float u) {
        before = p.gain_back * u + p.a2 * before;
        return before;
    }
    __device__ __forceinline__ void load(int i, float *w) {
#pragma unroll
        for (int k = 0; k < FEW; k += along ? PACK : 1) {
            if (along)
                *reinterpret_cast<pack *>(w + k) = *reinterpret_cast<const pack *>(at + i + k);
            else
                w[k] = element(i + k);
        }
    }
    __device__ __forceinline__ void store(int i, const float *w) {
#pragma unroll
        for (int k = 0; k < FEW; k += along ? PACK : 1) {
            if (along)
                *reinterpret_cast<pack *>(at + i + k) = *reinterpret_cast<const pack *>(w + k);
            else
                element(i + k) = w[k];
        }
    }

    // Elements begin to end - 1, upward or downward; packs begin at multiples of 4.
    template <bool up, bool writes> __device__ __forceinline__ void one(int i) {
        const float v = up ? forward(element(i)) : backward(element(i));
        if (writes) element(i) = v;
    }
    template <bool writes> __device__ __forceinline__ void go_up(int begin, int end) {
        int i = begin;
        for (; i < end && along && i % PACK != 0; i++) one<true, writes>(i);
        for (; i + FEW <= end; i += FEW) {
            alignas(16) float w[FEW];
            load(i, w);
#pragma unroll
            for (int k = 0; k < FEW; k++) w[k] = forward(w[k]);
            if (writes) store(i, w);
        }
        for (; i < end; i++) one<true, writes>(i);
    }
    template <bool writes> __device__ __forceinline__ void go_down(int begin, int end) {
        int i = end;
        for (; i > begin && along && i % PACK != 0; i--) one<false, writes>(i - 1);
        for (; i - FEW >= begin; i -= FEW) {
            alignas(16) float w[FEW];
            load(i - FEW, w);
#pragma unroll
            for (int k = FEW - 1; k >= 0; k--) w[k] = backward(w[k]);
            if (writes) store(i - FEW, w);
        }
        for (; i > begin; i--) one<false, writes>(i - 1);
    }

    // Of `length` elements those from own to behind - 1 are results.
    __device__ __forceinline__ void filter(int own, int behind, int length, bool begins, bool ends) {
        before = earlier = 0;
        if (begins) {
            double first[2];
            plan_t plan; // what first_of reads
            plan.order = 1, plan.a2 = p.a2_double, plan.a3 = 0, plan.first[0] = p.first, plan.start[0] = p.start;
            first_of(
                plan, [&](int64_t k) { return (double)element((int)k); }, first);
            element(0) = before = (float)first[0];
        }
        go_up<false>(begins, own);
        go_up<true>(own > begins ? own : begins, length);
        int rest = length;
        if (ends)
            element(--rest) = before = (float)(p.last * (double)before + p.last_before * (double)earlier);
        else
            before = 0;
        go_down<false>(behind < rest ? behind : rest, rest);
        go_down<true>(own, behind < rest ? behind : rest);
    }
};

// Rows and columns of the tile in the array: what it has, and which are its results.
struct extent {
    int low, own, behind, high;
    __device__ __forceinline__ extent(int begin, int count, int halo, int n)
        : low(begin > halo ? begin - halo : 0), own(begin), behind(begin + count < n ? begin + count : n),
          high(begin + count + halo < n ? begin + count + halo : n) {}
};

__global__ void __launch_bounds__(THREADS) plane_kernel(const __grid_constant__ params_t p) {
    extern __shared__ __align__(16) float shared[];
    const uint32_t segments = (uint32_t)p.segments, bands = (uint32_t)p.bands, line_of_tiles = blockIdx.x / segments;
    const uint32_t plane = line_of_tiles / bands;
    const extent rows((int)(line_of_tiles - plane * bands) * ROWS, ROWS, p.halo, p.rows);
    const extent columns((int)(blockIdx.x - line_of_tiles * segments) * p.width, p.width, (THREADS - p.width) / 2,
                         p.columns);
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32, wide = columns.high - columns.low;
    const float *x = p.x + ((int64_t)plane * p.rows + rows.low) * p.columns + columns.low;
    float *y = p.y + ((int64_t)plane * p.rows + rows.own) * p.columns + columns.own;
    for (int r = warp; r < rows.high - rows.low; r += THREADS / 32) {
        const float *from = x + (int64_t)r * p.columns;
        float *to = shared + r * PITCH;
        if (p.packs && lane * PACK < wide) copy_element(reinterpret_cast<pack *>(to + lane * PACK), from + lane * PACK);
        for (int c = lane; c < wide && !p.packs; c += 32) copy_element(to + c, from + c);
    }
    wait_for_copies();
    __syncthreads();
    if ((int)threadIdx.x < wide) {
        line<false> l = {p, shared + threadIdx.x, 0, 0};
        l.filter(rows.own - rows.low, rows.behind - rows.low, rows.high - rows.low, rows.low == 0, rows.high == p.rows);
    }
    __syncthreads();
    float *own = shared + (rows.own - rows.low) * PITCH;
    if ((int)threadIdx.x < rows.behind - rows.own) {
        line<true> l = {p, own + threadIdx.x * PITCH, 0, 0};
        l.filter(columns.own - columns.low, columns.behind - columns.low, wide, columns.low == 0,
                 columns.high == p.columns);
    }
    __syncthreads();
    own += columns.own - columns.low;
    for (int r = warp; r < rows.behind - rows.own; r += THREADS / 32) {
        float *to = y + (int64_t)r * p.columns;
        if (p.packs && lane * PACK < columns.behind - columns.own)
            *reinterpret_cast<pack *>(to + lane * PACK) =
                *reinterpret_cast<const pack *>(own + r * PITCH + lane * PACK);
        for (int c = lane; c < columns.behind - columns.own && !p.packs; c += 32) to[c] = own[r * PITCH + c];
    }
}

} // namespace mirrored
} // namespace gnd

extern "C" const void *gndi_cuda_mirrored_plane_kernel(void) {
    return (const void *)gnd::mirrored::plane_kernel;
}
