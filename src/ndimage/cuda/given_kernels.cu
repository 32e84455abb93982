// given_kernels.cu: splines of order 1 at given coordinates, of the most usual kind: a plane of float32 of at least two
// rows and columns, float32 coordinates, no pad, results that are not rounded.
//
// A coordinate must be there before its coefficients can be asked for, so a point waits for memory twice. A block makes
// tiles of points, one after the other, and copies the coordinates of the next tile to shared memory while it works at
// one: then the points of a tile wait for coefficients alone. Of 4096 x 4096 points near their own indices 268 MB move:
// 68 us on an H200, where their copy takes 64, and without copies ahead 74.
#include "kernels/cuda/async_copy.cuh"
#include "ndimage/cuda/ndimage_params.h"
#include "ndimage/sample_ops.h"

namespace gnd {
namespace sample {

typedef gndi_cuda_sample_params params_t;
enum { THREADS = 256, EACH = GNDI_CUDA_SAMPLE_EACH, TILE = THREADS * EACH, PACK = 4 };
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
#pragma unroll
    for (int axis = 0; axis < 2; axis++, from += p.plan.count) {
        if (p.packs) {
            float *const to = &tile[axis][PACK * t];
            if (PACK * t < left) copy_element(reinterpret_cast<pack_t *>(to), from + PACK * t);
            continue;
        }
#pragma unroll
        for (int e = 0; e < EACH; e++)
            if (t + e * THREADS < left) copy_element(&tile[axis][t + e * THREADS], from + t + e * THREADS);
    }
}

// The points of a tile, from output `first` on.
GNDI_FN void put_tile(const plan_t &p, int64_t first, const float (&tile)[2][TILE]) {
    const int32_t t = (int32_t)threadIdx.x, left = (int32_t)min(p.count - first, (int64_t)TILE);
    const int32_t columns = (int32_t)p.x_shape[1];
    const float last[2] = {(float)(p.x_shape[0] - 1), (float)(columns - 1)};
    float part[2][EACH], value[EACH][2][2];
    const float *at[EACH];
    uint32_t inner = 0, others = 0; // points between four elements; those with elements beyond the ends
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const float c0 = tile[0][t + e * THREADS], c1 = tile[1][t + e * THREADS];
        const bool good = (c0 >= 0) & (c0 < last[0]) & (c1 >= 0) & (c1 < last[1]);
        const bool filled =
            p.mode == GND_IMAGE_CONSTANT && !((c0 >= 0) & (c0 <= last[0]) & (c1 >= 0) & (c1 <= last[1]));
        const int32_t row = good ? (int32_t)c0 : 0, column = good ? (int32_t)c1 : 0;
        part[0][e] = c0 - (float)row, part[1][e] = c1 - (float)column;
        at[e] = static_cast<const float *>(p.x) + (row * columns + column);
        inner |= (uint32_t)good << e;
        others |= (uint32_t)(!good & !filled & (t + e * THREADS < left)) << e;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const float *const above = at[e], *const below = above + columns;
        value[e][0][0] = above[0], value[e][0][1] = above[1], value[e][1][0] = below[0], value[e][1][1] = below[1];
    }
    float *const out = static_cast<float *>(p.out) + first + t;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const float down[2] = {1 - part[0][e], part[0][e]}, along[2] = {1 - part[1][e], part[1][e]};
        float sum = 0;
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float row = 0;
#pragma unroll
            for (int k = 0; k < 2; k++) row += along[k] * value[e][r][k];
            sum += down[r] * row;
        }
        if (t + e * THREADS < left && !(others >> e & 1))
            __stcs(out + e * THREADS, inner >> e & 1 ? sum : (float)p.fill);
    }
#pragma unroll 1
    for (int32_t i = t; others; others >>= 1, i += THREADS)
        if (others & 1) put_at_the_ends(p, first + i, tile[0][i], tile[1][i]);
}

static __global__ void __launch_bounds__(THREADS, GNDI_CUDA_SAMPLE_BLOCKS)
    given_kernel(const __grid_constant__ params_t p) {
    __shared__ __align__(16) float tiles[2][2][TILE];
    const int64_t step = (int64_t)gridDim.x * TILE;
    int64_t first = (int64_t)blockIdx.x * TILE;
    copy_tile(p, first, tiles[0]);
    for (int which = 0; first < p.plan.count; first += step, which ^= 1) {
        wait_for_copies();
        __syncthreads(); // all copies of this tile have come, and all threads are done with the one before
        if (first + step < p.plan.count) copy_tile(p, first + step, tiles[which ^ 1]);
        put_tile(p.plan, first, tiles[which]);
    }
}

} // namespace sample
} // namespace gnd

extern "C" const void *gndi_cuda_sample_given_kernel(void) {
    return (const void *)gnd::sample::given_kernel;
}
