// fft_columns_kernels.cu: the kernels of fft_columns.cuh, one for each length.
#include "fft/cuda/fft_columns.cuh"
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

__device__ constexpr columns::roots_table roots_of_unity;

constexpr int64_t ELEMENT = 8; // bytes

// ROWS: the lines are dense in the input (ROWS_OUT: in the output, too), and neighbouring threads take neighbouring
// elements of them. Dense input and strided output is the second step of a long line, TWISTS the first.
template <int BITS, int SIDE, bool ROWS, bool ROWS_OUT, bool TWISTS>
__global__ void __launch_bounds__(columns::column<BITS, SIDE>::THREADS, 1024 / columns::column<BITS, SIDE>::THREADS)
    columns_kernel(const __grid_constant__ gndi_columns_params p) {
    using column = columns::column<BITS, SIDE>;
    constexpr bool ONCE = !ROWS && !TWISTS;
    extern __shared__ columns::pair shared[];
    const int lane = ROWS_OUT ? threadIdx.x / column::PART : threadIdx.x % SIDE;
    const int t = ROWS_OUT ? threadIdx.x % column::PART : threadIdx.x / SIDE;
    const int in_lane = ROWS ? threadIdx.x / column::PART : lane;
    const int in_t = ROWS ? threadIdx.x % column::PART : t;
    uint32_t rest = blockIdx.x / p.tiles;
    const int64_t at = (int64_t)(blockIdx.x - rest * p.tiles) * SIDE;
    const char *in = p.in + (at + in_lane) * p.in_side;
    char *out = p.out + (at + lane) * p.out_side;
    for (uint32_t i = 0; i < p.axes; i++) {
        const uint32_t next = rest / p.n[i], index = rest - next * p.n[i];
        in += index * p.in_stride[i], out += index * p.out_stride[i];
        rest = next;
    }
    const int64_t in_step = ROWS ? ELEMENT : p.in_step, out_step = ROWS_OUT ? ELEMENT : p.out_step;
    columns::pair v[column::EACH] = {};
    start_early();
    if (at + in_lane < p.columns) {
        if (p.inverse)
            column::template load<true, ONCE>(v, in_t, in, in_step);
        else
            column::template load<false, ONCE>(v, in_t, in, in_step);
    }
    if constexpr (ONCE && SIDE == column::EACH) // a thread fetches a row's piece, a cache line
        if (p.ahead && at + (int64_t)p.ahead * SIDE < p.columns)
            fetch_line(in + ((int64_t)p.ahead * SIDE - in_lane) * p.in_side + threadIdx.x * in_step);
    if constexpr (ONCE)
        if (p.window) column::multiply_by(v, p.window + in_t);
    column::template all_stages<false>(v, in_t, in_lane, t, lane, shared);
    if (at + lane >= p.columns) return;
    const columns::pair *roots = roots_of_unity.at;
    const uint32_t number = (uint32_t)(at + lane);
    if (p.inverse)
        column::template store<true, TWISTS>(v, t, out, out_step, p, number, roots);
    else
        column::template store<false, TWISTS>(v, t, out, out_step, p, number, roots);
}

// A block transforms SIDE pairs of rows, k and -k, of a real matrix.
template <int BITS, int SIDE>
__global__ void __launch_bounds__(columns::column<BITS, SIDE>::THREADS, 1024 / columns::column<BITS, SIDE>::THREADS)
    pairs_kernel(const __grid_constant__ gndi_pairs_params p) {
    using column = columns::column<BITS, SIDE>;
    extern __shared__ columns::pair shared[];
    const int lane = threadIdx.x / column::PART, t = threadIdx.x % column::PART;
    uint32_t rest = blockIdx.x / p.tiles;
    const uint32_t k = (blockIdx.x - rest * p.tiles) * SIDE + lane, other = (p.rows - k) & (p.rows - 1);
    const char *in = p.in;
    char *out = p.out;
    for (uint32_t i = 0; i < p.axes; i++) {
        const uint32_t next = rest / p.n[i], index = rest - next * p.n[i];
        in += index * p.in_stride[i], out += index * p.out_stride[i];
        rest = next;
    }
    const bool there = k <= p.rows / 2, odd = t & 1;
    columns::pair v[column::EACH] = {};
    if (there) {
        // Of two neighbours the even one loads A, the odd one the conjugate of B.
        in += (int64_t)(odd ? other : k) * p.in_row;
#pragma unroll
        for (int q = 0; q < column::EACH; q++) v[q] = columns::load_once(in + (t + q * column::PART) / 2 * ELEMENT);
    }
#pragma unroll
    for (int q = 0; q < column::EACH; q++) {
        const columns::pair own = v[q], it = {__shfl_xor_sync(~0u, own.x, 1), __shfl_xor_sync(~0u, own.y, 1)};
        v[q] = odd ? columns::pair{it.y + own.y, own.x - it.x} : columns::pair{own.x + it.x, own.y - it.y};
    }
    column::template all_stages<false>(v, t, lane, t, lane, shared);
    if (!there) return;
    columns::pair *row = reinterpret_cast<columns::pair *>(out + (int64_t)k * p.out_row);
    columns::pair *back = reinterpret_cast<columns::pair *>(out + (int64_t)other * p.out_row);
#pragma unroll
    for (int q = 0; q < column::EACH; q++) {
        const int l = t + q * column::PART, from_end = (column::N - l) & (column::N - 1);
        const columns::pair x = column::result(v, q, p.factor);
        if (l <= column::N / 2) columns::store_once(row + l, x);
        if (from_end <= column::N / 2 && k != other) columns::store_once(back + from_end, {x.x, -x.y});
    }
}

} // namespace gnd

#include "fft/cuda/fft_analytic.cuh" // which need roots_of_unity
#include "fft/cuda/fft_powers.cuh"

template <int BITS> static const void *kernel_of(int kind) {
    constexpr int SIDE = GNDI_COLUMNS_SIDE(BITS);
    if constexpr (BITS >= GNDI_ANALYTIC_LEAST_BITS) {
        if (kind == GNDI_COLUMNS_ANALYTIC_ROWS) return reinterpret_cast<const void *>(&gnd::analytic_rows_kernel<BITS>);
        if (kind == GNDI_COLUMNS_ANALYTIC)
            return reinterpret_cast<const void *>(&gnd::analytic_columns_kernel<BITS, SIDE>);
    }
    if constexpr (BITS == GNDI_POWERS_BITS)
        if (kind == GNDI_COLUMNS_POWERS) return reinterpret_cast<const void *>(&gnd::power_rows_kernel);
    if constexpr (BITS >= GNDI_POWERS_LEAST_BITS && BITS <= GNDI_POWERS_MOST_BITS)
        if (kind == GNDI_COLUMNS_OF_POWERS) return reinterpret_cast<const void *>(&gnd::power_columns_kernel<BITS>);
    if (kind == GNDI_COLUMNS_ROWS)
        return reinterpret_cast<const void *>(&gnd::columns_kernel<BITS, GNDI_ROWS_SIDE(BITS), true, true, false>);
    if (kind == GNDI_COLUMNS_PAIRS)
        return reinterpret_cast<const void *>(&gnd::pairs_kernel<BITS, GNDI_ROWS_SIDE(BITS)>);
    if (kind == GNDI_COLUMNS_FROM_ROWS)
        return reinterpret_cast<const void *>(&gnd::columns_kernel<BITS, SIDE, true, false, false>);
    if (kind == GNDI_COLUMNS_TWISTED)
        return reinterpret_cast<const void *>(&gnd::columns_kernel<BITS, SIDE, false, false, true>);
    return reinterpret_cast<const void *>(&gnd::columns_kernel<BITS, SIDE, false, false, false>);
}

extern "C" const void *gndi_cuda_columns_kernel(int bits, int kind) {
    switch (bits) {
    case 6: return kernel_of<6>(kind);
    case 7: return kernel_of<7>(kind);
    case 8: return kernel_of<8>(kind);
    case 9: return kernel_of<9>(kind);
    case 10: return kernel_of<10>(kind);
    case 11: return kernel_of<11>(kind);
    default: return kernel_of<12>(kind);
    }
}
