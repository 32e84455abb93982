// ambiguity_kernels.cu: the magnitudes of ambiguity functions. A block makes the products of some rows, transforms them
// in registers and shared memory (fft_columns.cuh) and writes their magnitudes, frequency 0 in the middle; of one pulse
// also those of the opposite delay, which are the same from the other end.
#include "fft/cuda/fft_columns.cuh"
#include "radar/ambiguity_plan.h"

namespace gnd {

// Product c of a row, conjugated: the transform has exp(- ...), and only the magnitude counts.
__device__ __forceinline__ columns::pair ambiguity_product(const gndi_ambiguity_plan &p, int64_t c, int64_t shift,
                                                           float over_x, float over_y) {
    const int64_t k = c + shift;
    if (c >= p.ny || k < 0 || k >= p.nx) return {0, 0};
    const columns::pair x = reinterpret_cast<const columns::pair *>(p.x)[k],
                        y = reinterpret_cast<const columns::pair *>(p.y)[c];
    return columns::multiply({x.x * over_x, x.y * over_x}, {y.x * over_y, -y.y * over_y});
}

template <int BITS> __global__ void __launch_bounds__(256, 4)
    ambiguity_kernel(const __grid_constant__ gndi_ambiguity_plan p) {
    constexpr int SIDE = GNDI_ROWS_SIDE(BITS);
    using column = columns::column<BITS, SIDE>;
    constexpr int N = column::N;
    static_assert(column::THREADS == 256, "");
    extern __shared__ columns::pair shared[];
    const int lane = (int)threadIdx.x / column::PART, t = (int)threadIdx.x % column::PART;
    const int64_t row = (int64_t)blockIdx.x * SIDE + lane, rows = p.same ? p.nx : p.nx + p.ny - 1;
    const float over_x = 1 / *p.norm_x, over_y = 1 / *p.norm_y;
    columns::pair v[column::EACH];
#pragma unroll
    for (int q = 0; q < column::EACH; q++)
        v[q] = ambiguity_product(p, t + q * column::PART, row - (p.ny - 1), over_x, over_y);
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    if (row >= rows) return;
    const int64_t other = 2 * (p.nx - 1) - row;
    const bool twice = p.same && other != row;
#pragma unroll
    for (int q = 0; q < column::EACH; q++) {
        const columns::pair z = column::result(v, q, 1);
        const float size = sqrtf(z.x * z.x + z.y * z.y);
        const int k = t + q * column::PART;
        __stcs(p.out + row * N + ((k + N / 2) & (N - 1)), size);
        if (twice) __stcs(p.out + other * N + ((N / 2 - k) & (N - 1)), size);
    }
}

} // namespace gnd

// For pulses whose transforms have 2^bits elements.
extern "C" const void *gndi_cuda_ambiguity_kernel(int bits) {
    using namespace gnd;
    switch (bits) {
    case 6: return (const void *)ambiguity_kernel<6>;
    case 7: return (const void *)ambiguity_kernel<7>;
    case 8: return (const void *)ambiguity_kernel<8>;
    case 9: return (const void *)ambiguity_kernel<9>;
    case 10: return (const void *)ambiguity_kernel<10>;
    case 11: return (const void *)ambiguity_kernel<11>;
    default: return (const void *)ambiguity_kernel<12>;
    }
}
