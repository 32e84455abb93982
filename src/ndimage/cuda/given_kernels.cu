// given_kernels.cu: splines of order 1 at given coordinates, of the most usual kind: a plane of float32 of at least two
// rows and columns, float32 coordinates, no pad, results that are not rounded.
//
// A coordinate must be there before its coefficients can be asked for, so a point waits for memory twice. A block makes
// tiles of points, one after the other, and copies the coordinates of the next tile to shared memory while it works at
// one: then the points of a tile wait for coefficients alone. Of 4096 x 4096 points near their own indices 268 MB move:
// 73 us on an H200, where their copy takes 64.
//
// Points anywhere in a plane that the L2 cache does not hold wait for memory at nearly every coefficient. The plane is
// then cut into bands of rows that the cache holds, and each block goes through its tiles once a band, and puts the
// points of that band: 400 us instead of 550.
#include "kernels/cuda/async_copy.cuh"
#include "ndimage/cuda/ndimage_params.h"
#include "ndimage/sample_ops.h"

namespace gnd {
namespace sample {

typedef gndi_cuda_sample_params params_t;
enum { THREADS = 256, EACH = GNDI_CUDA_SAMPLE_EACH, TILE = THREADS * EACH, PACK = 4, WARP = 32 };
static_assert(EACH == PACK, "a thread copies one pack of each axis");
struct alignas(16) pack_t {
    float v[PACK];
};

// Output o, at (c0, c1), which needs elements beyond the ends.
static __device__ __noinline__ void put_at_the_ends(const plan_t &p, int64_t o, float c0, float c1) {
    const double c[2] = {c0, c1};
    static_cast<float *>(p.out)[o] = at_two<float, 1>(p, static_cast<const float *>(p.x), c);
}

// Begins the copies of a tile's coordinates, from output `first` on.
GNDI_FN void copy_tile(const params_t &p, int64_t first, float (&tile)[2][TILE]) {
    const int32_t t = (int32_t)threadIdx.x, left = (int32_t)min(p.plan.count - first, (int64_t)TILE);
    const float *from = static_cast<const float *>(p.plan.coordinates) + first;
#pragma unroll 1
    for (int axis = 0; axis < 2; axis++, from += p.plan.count) {
        float *const to = tile[axis];
        if (!p.packs) {
#pragma unroll 1
            for (int32_t i = t; i < left; i += THREADS) copy_element(to + i, from + i);
        } else if (PACK * t < left) {
            copy_element(reinterpret_cast<pack_t *>(to + PACK * t), from + PACK * t);
        }
    }
}

// Whether points that follow each other lie in different bands, as points anywhere do: of 256 pairs a quarter or more.
// All blocks see the same pairs.
GNDI_FN bool scattered(const params_t &p) {
    const float *const rows = static_cast<const float *>(p.plan.coordinates);
    const int64_t first = p.plan.count / THREADS * threadIdx.x, second = min(first + WARP, p.plan.count - 1);
    return __syncthreads_count((int32_t)rows[first] / p.height != (int32_t)rows[second] / p.height) >= THREADS / 4;
}

// The points of a tile, from output `first` on; banded: those whose rows are from `from` to before `to`. In all modes
// points between the first and the last element get a sum of four elements; at the last one, where the second element's
// weight is 0, of the last two. constant: all others get the fill. Otherwise what is between the last element and its
// repetition depends on the mode, as what is outside.
template <bool constant, bool banded>
GNDI_FN void put_tile(const plan_t &p, int64_t first, const float (&tile)[2][TILE], int32_t from, int32_t to) {
    const int32_t t = (int32_t)threadIdx.x, left = (int32_t)min(p.count - first, (int64_t)TILE);
    const int32_t columns = (int32_t)p.x_shape[1], last_row = (int32_t)p.x_shape[0] - 1;
    int32_t at[EACH];
    float down[EACH], along[EACH], value[EACH][2][2];
    uint32_t inner = 0, ours = banded ? 0 : ~0u; // which get a sum of coefficients; which are of these rows
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const float c0 = tile[0][t + e * THREADS], c1 = tile[1][t + e * THREADS];
        bool good = (c0 >= 0) & (c1 >= 0);
        if (constant)
            good = good & (c0 <= (float)last_row) & (c1 <= (float)(columns - 1));
        else
            good = good & (c0 < (float)last_row) & (c1 < (float)(columns - 1));
        int32_t row = good ? (int32_t)c0 : 0, column = good ? (int32_t)c1 : 0;
        if (banded) {
            const int32_t its = min(max((int32_t)c0, 0), last_row);
            const bool here = (its >= from) & (its < to);
            ours |= (uint32_t)here << e, good = good & here;
        }
        if (constant) row = min(row, last_row - 1), column = min(column, columns - 2);
        down[e] = c0 - (float)row, along[e] = c1 - (float)column;
        at[e] = row * columns + column;
        inner |= (uint32_t)good << e;
    }
    const float *const x = static_cast<const float *>(p.x);
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        if (banded && !(inner >> e & 1)) continue;
        const float *const above = x + at[e], *const below = above + columns;
        value[e][0][0] = above[0], value[e][0][1] = above[1], value[e][1][0] = below[0], value[e][1][1] = below[1];
    }
    float *const out = static_cast<float *>(p.out) + first + t;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const float above = (1 - along[e]) * value[e][0][0] + along[e] * value[e][0][1];
        const float below = (1 - along[e]) * value[e][1][0] + along[e] * value[e][1][1];
        const float sum = (1 - down[e]) * above + down[e] * below;
        const bool good = inner >> e & 1;
        if (t + e * THREADS < left && (good || (constant && (ours >> e & 1))))
            __stcs(out + e * THREADS, good ? sum : (float)p.fill);
    }
    if constexpr (!constant) {
#pragma unroll 1
        for (int32_t i = t, others = ours & ~inner; i < left; i += THREADS, others >>= 1)
            if (others & 1) put_at_the_ends(p, first + i, tile[0][i], tile[1][i]);
    }
}

template <bool constant, bool banded>
GNDI_FN void put_tiles(const params_t &p, float (&tiles)[2][2][TILE], int32_t from, int32_t to) {
    const int32_t tile_count = (int32_t)((p.plan.count + TILE - 1) / TILE), step = (int32_t)gridDim.x;
    int next = 0;
    for (int32_t tile = (int32_t)blockIdx.x - step; tile < tile_count; tile += step, next ^= 1) {
        wait_for_copies();
        __syncthreads(); // all copies of this tile have come, and all threads are done with the one before
        if (tile + step < tile_count) copy_tile(p, (int64_t)(tile + step) * TILE, tiles[next]);
        if (tile >= 0) put_tile<constant, banded>(p.plan, (int64_t)tile * TILE, tiles[next ^ 1], from, to);
    }
}

template <bool constant> static __global__ void __launch_bounds__(THREADS, GNDI_CUDA_SAMPLE_BLOCKS)
    given_kernel(const __grid_constant__ params_t p) {
    __shared__ __align__(16) float tiles[2][2][TILE];
    const int32_t rows = (int32_t)p.plan.x_shape[0];
    if (p.height < rows && scattered(p)) {
        for (int32_t from = 0; from < rows; from += p.height)
            put_tiles<constant, true>(p, tiles, from, from + p.height);
    } else {
        put_tiles<constant, false>(p, tiles, 0, rows);
    }
}

} // namespace sample
} // namespace gnd

extern "C" const void *gndi_cuda_sample_given_kernel(bool constant) {
    using namespace gnd::sample;
    return constant ? (const void *)given_kernel<true> : (const void *)given_kernel<false>;
}
