// even_steps_kernels.cu: whether all numbers of an array equal the first one. Floats are compared as integers, so that
// one function serves all dtypes of a size.
#include "statistics/cuda/even_steps_params.h"

namespace gnd {

// Zeros of both signs are equal, NaN equals nothing.
template <class Word> static __device__ __forceinline__ bool are_equal(Word a, Word b, Word infinity) {
    constexpr Word MAGNITUDE = Word(~Word(0)) >> 1;
    const Word of_a = a & MAGNITUDE, of_b = b & MAGNITUDE;
    return of_a <= infinity && (a == b || (of_a | of_b) == 0);
}

// A complex number is two words.
template <class Word> __global__ void __launch_bounds__(GNDI_EVEN_STEPS_THREADS)
    even_steps_kernel(const __grid_constant__ gndi_even_steps_params p) {
    const Word *steps = static_cast<const Word *>(p.steps), infinity = (Word)p.infinity;
    const int64_t from = (int64_t)blockIdx.x * GNDI_EVEN_STEPS_THREADS + threadIdx.x;
    const int64_t all = (int64_t)gridDim.x * GNDI_EVEN_STEPS_THREADS; // an even number: a thread has one part
    const Word first = steps[from & (p.parts - 1)];
    bool even = true;
#pragma unroll 4
    for (int64_t i = from; i < p.words; i += all) even &= are_equal(steps[i], first, infinity);
    if (!even) *p.even = false; // whoever comes first: all write the same
}

} // namespace gnd

/* Of numbers of 2, 4 or 8 bytes, for blocks of GNDI_EVEN_STEPS_THREADS threads. */
extern "C" const void *gndi_cuda_even_steps_kernel(int bytes) {
    using namespace gnd;
    return bytes == 2   ? (const void *)even_steps_kernel<uint16_t>
           : bytes == 4 ? (const void *)even_steps_kernel<uint32_t>
                        : (const void *)even_steps_kernel<uint64_t>;
}
