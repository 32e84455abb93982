// block_sum.cuh: sums of doubles over a block, the same bits on every run.
#pragma once
#include "kernels/scalar/scalar_types.h"

namespace gnd {
namespace periods {

// The sum over all threads of a block, in thread 0. Every thread of the block calls it.
template <int threads> __device__ __forceinline__ double block_sum(double v) {
    __shared__ double of_warps[threads / 32];
    const int lane = (int)threadIdx.x % 32, warp = (int)threadIdx.x / 32;
#pragma unroll
    for (int width = 16; width > 0; width /= 2) v += __shfl_xor_sync(0xffffffffu, v, width);
    __syncthreads();
    if (lane == 0) of_warps[warp] = v;
    __syncthreads();
    v = of_warps[0];
#pragma unroll
    for (int w = 1; w < threads / 32; w++) v += of_warps[w];
    return v;
}

} // namespace periods
} // namespace gnd
