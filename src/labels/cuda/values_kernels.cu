// values_kernels.cu: the steps of value_indices. Elements are compared as words, so that one function serves all dtypes
// of a size.
#include "labels/cuda/values_params.h"

namespace gnd {
namespace values {

typedef gndi_values_plan params_t;

template <class Word> static __device__ __forceinline__ void differ(const params_t &p, int64_t i) {
    static_cast<bool *>(p.out)[i] = static_cast<const Word *>(p.x)[i] != (Word)p.ignored;
}

template <class Word> static __device__ __forceinline__ void take(const params_t &p, int64_t i) {
    int64_t at = p.at[i];
    if (p.through) at = p.through[at];
    static_cast<Word *>(p.out)[i] = static_cast<const Word *>(p.x)[at];
}

// Divisions of 32 bits, where they do, take a quarter of the time.
template <class Position> static __device__ __forceinline__ void place(const params_t &p, Position at, int64_t i) {
#pragma unroll 1
    for (int axis = p.ndim - 1; axis > 0; axis--) {
        const Position above = at / (Position)p.shape[axis];
        p.indices[axis * p.count + i] = (int64_t)(at - above * (Position)p.shape[axis]);
        at = above;
    }
    p.indices[i] = (int64_t)at;
}

template <class Word> static __device__ __forceinline__ void mark(const params_t &p, int64_t i) {
    const Word *x = static_cast<const Word *>(p.x);
    const int64_t at = p.at[i];
    static_cast<bool *>(p.out)[i] = i == 0 || x[at] != x[p.at[i - 1]];
    if (p.all <= UINT32_MAX)
        place(p, (uint32_t)at, i);
    else
        place(p, (uint64_t)at, i);
}

template <class Word> __global__ void __launch_bounds__(GNDI_VALUES_THREADS)
    step_kernel(const __grid_constant__ params_t p) {
    const int64_t all = (int64_t)gridDim.x * GNDI_VALUES_THREADS;
    for (int64_t i = (int64_t)blockIdx.x * GNDI_VALUES_THREADS + threadIdx.x; i < p.count; i += all) {
        if (p.step == GNDI_VALUES_DIFFER)
            differ<Word>(p, i);
        else if (p.step == GNDI_VALUES_TAKE)
            take<Word>(p, i);
        else
            mark<Word>(p, i);
    }
}

} // namespace values
} // namespace gnd

/* Of elements of 1, 2, 4 or 8 bytes, for blocks of GNDI_VALUES_THREADS threads. */
extern "C" const void *gndi_cuda_values_kernel(int64_t bytes) {
    using namespace gnd::values;
    return bytes == 1   ? (const void *)step_kernel<uint8_t>
           : bytes == 2 ? (const void *)step_kernel<uint16_t>
           : bytes == 4 ? (const void *)step_kernel<uint32_t>
                        : (const void *)step_kernel<uint64_t>;
}
