// upfirdn_kernels.cu: polyphase filters. A period is `up` outputs, which `down` elements belong to; output
// number m * up + q has the taps of phase q (of the filter's own phase (q * down + offset) mod up).
//
// windows  Many taps for each of few residues of the elements modulo `down`: elements of one residue lie side by
//          side in shared memory, and a thread slides a window of registers over them for neighbouring periods
//          of one phase. The taps are the same for a warp.
// phases   Few taps and large rates: neighbouring threads have neighbouring outputs, and a thread some outputs of
//          one phase; the taps lie in shared memory, or in memory, those of all phases side by side.
// warps    Everything else: a warp adds up one output.
//
// Which one is a matter of the filter alone, and each has one order of adding up.
#include "resample/cuda/upfirdn_params.h"
#include "kernels/border.h"
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/products.cuh"

namespace gnd {

constexpr int THREADS = GNDI_UPFIRDN_THREADS, WARP = 32;
constexpr int OUTPUTS = GNDI_UPFIRDN_OUTPUTS;

// What stands at index i outside of a line.
template <class T> static __device__ __noinline__ T outside(const gndi_upfirdn_params &p, const T *line, int64_t i) {
    typedef real_t<T> real;
    const gndi_border_parts parts = gndi_border_at(i, p.length, (gndi_border)p.border);
    T sum{};
    if (parts.count == 0) {
        if constexpr (is_complex<T>)
            sum.re = (real)p.cval[0], sum.im = (real)p.cval[1];
        else
            sum = (T)p.cval[0];
    }
    for (int k = 0; k < parts.count; k++) add_product(sum, line[parts.index[k]], (real)parts.weight[k]);
    return sum;
}

template <class T> GNDI_FN T element(const gndi_upfirdn_params &p, const T *line, int64_t i) {
    return i >= 0 && i < p.length ? line[i] : outside(p, line, i);
}

// The filter's own number of phase q, whose tap j sees the element first_base + base - j of its period.
GNDI_FN int phase_of(const gndi_upfirdn_params &p, int q, int *base) {
    const unsigned s = (unsigned)q * (unsigned)p.down + (unsigned)p.first_phase;
    *base = (int)(s / (unsigned)p.up);
    return (int)(s % (unsigned)p.up);
}
template <class K> GNDI_FN K tap(const gndi_upfirdn_params &p, int64_t phase, int64_t j) {
    const int64_t at = phase + j * p.up;
    K k{};
    if (j < 0 || at >= p.taps) return k;
    k = *reinterpret_cast<const K *>(p.h + at * p.h_step);
    if constexpr (is_complex<K>)
        k.re *= (real_t<K>)p.scale, k.im *= (real_t<K>)p.scale;
    else
        k *= (K)p.scale;
    return k;
}

template <class T> GNDI_FN const T *line_of(const gndi_upfirdn_params &p, int64_t line) {
    return reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
}
template <class T> GNDI_FN T *out_of(const gndi_upfirdn_params &p, int64_t line) {
    return reinterpret_cast<T *>(p.out + gndi_line_of_out(&p.grid, line));
}

extern __shared__ __align__(16) char shared[];

// ---- windows ------------------------------------------------------------------------------------

template <class T> struct windows {
    static constexpr int lanes = 16 / (int)sizeof(T); // elements of a vector
    static constexpr int each = 2 * lanes;            // periods of a thread
    struct __align__(16) vector {
        T lane[lanes];
    };
    // Gaps, so that threads whose elements or outputs lie a power of 2 apart meet in no bank.
    GNDI_FN int padded(int v) { return v + (v >> 3); }
    GNDI_FN int padded_output(int e) { return e + e / (128 / (int)sizeof(T)); }
};

// The taps in the order in which windows meet them: table[q][residue][a] is tap base(q) - residue + a * down of
// phase q, which sees the element of that residue a periods before the output's.
template <class K> GNDI_FN void fill_rows(const gndi_upfirdn_params &p, K *table) {
    const int all = p.up * p.down * p.row_taps;
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int a = e % p.row_taps, row = e / p.row_taps, residue = row % p.down, q = row / p.down;
        int base;
        const int phase = phase_of(p, q, &base);
        const int64_t j = base - residue + (int64_t)a * p.down;
        table[e] = j < p.phase_taps ? tap<K>(p, phase, j) : K{};
    }
}

// The elements of a tile, those of each residue in a row of their own, which begins row_taps periods before
// the tile.
template <class T>
GNDI_FN void load_rows(const gndi_upfirdn_params &p, const T *line, int64_t period, typename windows<T>::vector *rows) {
    typedef windows<T> W;
    const int n = (p.periods + p.row_taps) * p.down;
    const int64_t first = (period - p.row_taps) * p.down + p.first_base - p.x_first;
    const bool inside = first >= 0 && first + n <= p.length;
    const int step = THREADS / p.down, rest = THREADS % p.down;
    int column = (int)threadIdx.x / p.down, residue = (int)threadIdx.x % p.down;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < n; e += THREADS) {
        T *to = &rows[residue * p.row_vectors + W::padded(column / W::lanes)].lane[column % W::lanes];
        if (inside)
            copy_element(to, line + first + e);
        else
            *to = element(p, line, first + e);
        column += step, residue += rest;
        if (residue >= p.down) residue -= p.down, column++;
    }
    wait_for_copies();
}

template <class T, class K> __global__ void __launch_bounds__(THREADS)
    windows_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    typedef windows<T> W;
    typedef typename W::vector vector;
    struct alignas(sizeof(K) * W::lanes) taps_vector {
        K lane[W::lanes];
    };
    K *table = reinterpret_cast<K *>(shared);
    vector *rows = reinterpret_cast<vector *>(shared + p.table_bytes);
    T *outputs = reinterpret_cast<T *>(shared + p.table_bytes + p.elements_bytes);
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    const int items = p.periods / (WARP * W::each) * p.up, steps = p.row_taps / W::lanes;
    fill_rows<K>(p, table);
    for (int64_t unit = blockIdx.x; unit < p.grid.lines * p.tiles; unit += gridDim.x) {
        const int64_t line = unit / p.tiles, period = p.first_period + unit % p.tiles * p.periods;
        load_rows<T>(p, line_of<T>(p, line), period, rows);
        __syncthreads();
#pragma unroll 1
        for (int item = warp; item < items; item += THREADS / WARP) {
            const int q = item % p.up, m = (item / p.up * WARP + lane) * W::each;
            const int start = (m + p.row_taps) / W::lanes;
            T sum[W::each];
#pragma unroll
            for (int r = 0; r < W::each; r++) sum[r] = T{};
#pragma unroll 1
            for (int residue = 0; residue < p.down; residue++) {
                const vector *row = rows + residue * p.row_vectors;
                const taps_vector *taps =
                    reinterpret_cast<const taps_vector *>(table + (q * p.down + residue) * p.row_taps);
                vector w0, w1 = row[W::padded(start)], w2 = row[W::padded(start + 1)];
#pragma unroll 3
                for (int s = 0; s < steps; s++) {
                    w0 = row[W::padded(start - s - 1)];
                    const taps_vector k = taps[s];
#pragma unroll
                    for (int u = 0; u < W::lanes; u++) {
#pragma unroll
                        for (int r = 0; r < W::each; r++) {
                            const int e = r - u + W::lanes;
                            const vector &w = e < W::lanes ? w0 : e < 2 * W::lanes ? w1 : w2;
                            add_product(sum[r], w.lane[e % W::lanes], k.lane[u]);
                        }
                    }
                    w2 = w1, w1 = w0;
                }
            }
#pragma unroll
            for (int r = 0; r < W::each; r++) outputs[W::padded_output((m + r) * p.up + q)] = sum[r];
        }
        __syncthreads();
        T *out = out_of<T>(p, line);
        const int64_t first = period * p.up - p.out_first; // the tile's first output, in the line's memory
        const int n = p.periods * p.up;
#pragma unroll 4
        for (int e = (int)threadIdx.x; e < n; e += THREADS)
            if (first + e >= 0 && first + e < p.count) out[first + e] = outputs[W::padded_output(e)];
    }
}

// ---- phases -------------------------------------------------------------------------------------

// table[j][q]: tap j of phase q.
template <class K> GNDI_FN void fill_phase(const gndi_upfirdn_params &p, K *table, int64_t e) {
    int base;
    const int q = (int)(e % p.up);
    const int phase = phase_of(p, q, &base);
    table[e] = tap<K>(p, phase, e / p.up);
}

template <class K> __global__ void __launch_bounds__(THREADS)
    table_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    const int64_t e = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (e < (int64_t)p.up * p.phase_taps) fill_phase(p, reinterpret_cast<K *>(p.table), e);
}

template <class T, class K> __global__ void __launch_bounds__(THREADS)
    phases_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    T *elements = reinterpret_cast<T *>(shared);
    K *table = reinterpret_cast<K *>(shared + p.elements_bytes);
    if (p.table) {
        table = reinterpret_cast<K *>(p.table);
    } else {
        const int taps = p.up * (int)p.phase_taps;
        for (int e = (int)threadIdx.x; e < taps; e += THREADS) fill_phase(p, table, e);
    }
    const int groups = p.periods / OUTPUTS, items = groups * p.up, apart = groups * p.down;
    for (int64_t unit = blockIdx.x; unit < p.grid.lines * p.tiles; unit += gridDim.x) {
        const int64_t line = unit / p.tiles, period = p.first_period + unit % p.tiles * p.periods;
        const T *from = line_of<T>(p, line);
        T *out = out_of<T>(p, line);
        const int64_t first = period * p.down + p.first_base - (p.phase_taps - 1) - p.x_first;
        const bool inside = first >= 0 && first + p.elements <= p.length;
        __syncthreads(); // the tile before is done with, and the table is there
#pragma unroll 4
        for (int e = (int)threadIdx.x; e < p.elements; e += THREADS) {
            if (inside)
                copy_element(elements + e, from + first + e);
            else
                elements[e] = element(p, from, first + e);
        }
        wait_for_copies();
        __syncthreads();
        const int64_t first_out = period * p.up - p.out_first;
#pragma unroll 1
        for (int e = (int)threadIdx.x; e < items; e += THREADS) {
            const int q = e % p.up, g = e / p.up;
            int base;
            phase_of(p, q, &base);
            const int taps = (int)p.phase_taps;
            const T *x = elements + g * p.down + base + taps - 1;
            const K *k = table + q;
            T sum[OUTPUTS];
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++) sum[r] = T{};
#pragma unroll 4
            for (int j = 0; j < taps; j++, x--, k += p.up) {
                const K tap_now = *k;
#pragma unroll
                for (int r = 0; r < OUTPUTS; r++) add_product(sum[r], x[r * apart], tap_now);
            }
#pragma unroll
            for (int r = 0; r < OUTPUTS; r++) {
                const int64_t at = first_out + (int64_t)r * items + e;
                if (at >= 0 && at < p.count) out[at] = sum[r];
            }
        }
    }
}

// ---- warps --------------------------------------------------------------------------------------

template <class T> GNDI_FN T add_lanes(T sum) {
    for (int width = WARP / 2; width > 0; width /= 2) {
        if constexpr (is_complex<T>) {
            const real_t<T> re = __shfl_xor_sync(0xffffffff, sum.re, width);
            const real_t<T> im = __shfl_xor_sync(0xffffffff, sum.im, width);
            sum.re += re, sum.im += im;
        } else {
            sum += __shfl_xor_sync(0xffffffff, sum, width);
        }
    }
    return sum;
}

template <class T, class K> __global__ void __launch_bounds__(THREADS)
    warps_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    const int64_t warps = (int64_t)gridDim.x * (THREADS / WARP);
    const int lane = (int)threadIdx.x % WARP;
    for (int64_t unit = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; unit < p.grid.lines * p.count;
         unit += warps) {
        const int64_t line = unit / p.count, i = unit % p.count;
        const int64_t s = (i + p.out_first) * p.down + p.offset, b = s / p.up, phase = s - b * p.up;
        const T *from = line_of<T>(p, line);
        T sum{};
        for (int64_t j = lane; j < p.phase_taps; j += WARP)
            add_product(sum, element(p, from, b - j - p.x_first), tap<K>(p, phase, j));
        sum = add_lanes(sum);
        if (lane == 0) out_of<T>(p, line)[i] = sum;
    }
}

template <class T, class K> static const void *kernel_of(int which) {
    switch (which) {
    case GNDI_UPFIRDN_WINDOWS: return (const void *)windows_kernel<T, K>;
    case GNDI_UPFIRDN_PHASES: return (const void *)phases_kernel<T, K>;
    case GNDI_UPFIRDN_WARPS: return (const void *)warps_kernel<T, K>;
    default: return (const void *)table_kernel<K>;
    }
}

} // namespace gnd

// The kernel for x of a dtype, and taps of the same or of its real one.
extern "C" const void *gndi_cuda_upfirdn_kernel(int dtype, bool complex_taps, int which) {
    return gnd::with_taps(dtype, complex_taps,
                          [=](auto x, auto k) { return gnd::kernel_of<decltype(x), decltype(k)>(which); });
}
