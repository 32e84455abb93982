// compression_kernels.cu: rows are transformed, multiplied by a filter's spectrum and transformed back, in registers
// and shared memory (fft_columns.cuh): whole short lines, or the rows of the matrix that a longer one is, between the
// passes over its columns.
#include "fft/cuda/fft_columns.cuh"
#include "radar/cuda/compression_params.h"

namespace gnd {
namespace compression {

__device__ constexpr columns::roots_table roots_of_unity;

template <int BITS> __global__ void __launch_bounds__(256, 2)
    rows_kernel(const __grid_constant__ gndi_compression_params p) {
    constexpr int SIDE = GNDI_ROWS_SIDE(BITS);
    using column = columns::column<BITS, SIDE>;
    constexpr int N = column::N, PART = column::PART, EACH = column::EACH;
    static_assert(column::THREADS == 256, "");
    extern __shared__ columns::pair shared[];
    const int lane = (int)threadIdx.x / PART, t = (int)threadIdx.x % PART;
    const int64_t row = (int64_t)blockIdx.x * SIDE + lane;
    const uint32_t number = (uint32_t)row & (p.filters - 1);
    const bool there = row < p.rows;
    columns::pair v[EACH] = {}, w[EACH] = {};
    if (there) {
        const columns::pair *in = reinterpret_cast<const columns::pair *>(p.in + row * p.in_row);
#pragma unroll
        for (int q = 0; q < EACH; q++)
            if (t + q * PART < p.samples) v[q] = in[t + q * PART];
    }
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    const columns::pair *filter = reinterpret_cast<const columns::pair *>(p.filter) + (int64_t)number * N;
#pragma unroll
    for (int q = 0; q < EACH; q++) // real and imaginary parts exchanged: an inverse is a transform between exchanges
        w[q] = columns::swap_if(true, columns::multiply(column::result(v, q, 1), filter[t + q * PART]));
    column::template all_stages<true>(w, t, lane, t, lane, shared);
    if (!there) return;
    columns::pair *out = reinterpret_cast<columns::pair *>(p.out) + row * N;
#pragma unroll
    for (int q = 0; q < EACH; q++) {
        columns::pair z = columns::swap_if(true, column::result(w, q, 1));
        if (p.line > 0) {
            const columns::pair turn = columns::root_of((uint32_t)(t + q * PART) * number, p.line, roots_of_unity.at);
            z = columns::multiply(z, {turn.x, -turn.y});
        }
        out[t + q * PART] = z;
    }
}

} // namespace compression
} // namespace gnd

// Of rows of 2^bits elements.
extern "C" const void *gndi_cuda_compression_kernel(int bits) {
    using namespace gnd::compression;
    switch (bits) {
    case 6: return (const void *)rows_kernel<6>;
    case 7: return (const void *)rows_kernel<7>;
    case 8: return (const void *)rows_kernel<8>;
    case 9: return (const void *)rows_kernel<9>;
    case 10: return (const void *)rows_kernel<10>;
    case 11: return (const void *)rows_kernel<11>;
    default: return (const void *)rows_kernel<12>;
    }
}
