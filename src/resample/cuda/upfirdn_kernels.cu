// upfirdn_kernels.cu: polyphase filters. A period is `up` outputs, which `down` elements belong to; output
// number m * up + q has the taps of phase q (of the filter's own phase (q * down + offset) mod up).
//
// windows  Many taps for each of few residues of the elements modulo `down`: elements of one residue lie side by
//          side in shared memory, and a thread slides a window of registers over them for neighbouring periods
//          of one phase. The taps are the same for a warp.
// groups   Few taps for each of many phases: a lane has a period, or two, and a warp a group of neighbouring phases,
//          so that the taps are the same for a warp, and an element serves all phases of the group.
// phases   The same where tiles of so many periods do not fit: neighbouring threads have neighbouring outputs, and a
//          thread some outputs of one phase; the taps lie in shared memory, or in memory, those of all phases side by
//          side.
// warps    Everything else: a warp adds up one output.
//
// Which one is a matter of the filter alone, and each has one order of adding up.
#include "resample/cuda/upfirdn_device.cuh"
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_start.cuh"
#include "resample/cuda/chunk.cuh"

namespace gnd {

constexpr int OUTPUTS = GNDI_UPFIRDN_OUTPUTS;

// The first thing that kernels do which join chunks.
template <class T> GNDI_FN void begin(const gndi_upfirdn_params &p) {
    start_early();
    if (p.joins) join_line<T>(p.chunk, blockIdx.x);
}

// ---- windows ------------------------------------------------------------------------------------

template <class T> struct windows {
    static constexpr int lanes = 16 / (int)sizeof(T); // elements of a vector
    struct __align__(16) vector {
        T lane[lanes];
    };
    // Gaps, so that threads whose elements or outputs lie a power of 2 apart meet in no bank.
    GNDI_FN int padded(int v) { return v + (v >> 3); }
    GNDI_FN int padded_column(int c) { return c + c / (8 * lanes) * lanes; } // the same of elements
    GNDI_FN int padded_output(int e) { return e + e / (128 / (int)sizeof(T)); }
};

// Begins to load the elements of a tile, those of each residue in a row of their own, which begins row_taps - ahead
// periods before the tile.
template <class T> GNDI_FN void load_rows(const gndi_upfirdn_params &p, const T *line, int64_t period, char *rows) {
    typedef windows<T> W;
    const int n = (p.periods + p.row_taps) * p.down, row_items = p.row_vectors * W::lanes;
    const int64_t first = (period - p.row_taps + p.ahead) * p.down + p.first_base - p.x_first;
    const bool inside = first >= 0 && first + n <= p.length;
    const int step = THREADS / p.down, rest = THREADS % p.down;
    int column = (int)threadIdx.x / p.down, residue = (int)threadIdx.x % p.down;
    T *row = reinterpret_cast<T *>(rows) + residue * row_items;
#pragma unroll 4
    for (int e = (int)threadIdx.x; e < n; e += THREADS) {
        T *to = row + W::padded_column(column);
        if (inside)
            copy_element(to, line + first + e);
        else
            *to = element(p, line, first + e);
        column += step, residue += rest, row += rest * row_items;
        if (residue >= p.down) residue -= p.down, row -= p.down * row_items, column++;
    }
    commit_copies();
}

// A thread has `own` vectors of periods.
template <class T, class K, int own> __global__ void __launch_bounds__(THREADS, own > 2 ? 3 : 4)
    windows_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    typedef windows<T> W;
    typedef typename W::vector vector;
    constexpr int each = own * W::lanes;
    struct alignas(sizeof(K) * W::lanes) taps_vector {
        K lane[W::lanes];
    };
    K *table = reinterpret_cast<K *>(shared);
    char *const buffers = shared + p.table_bytes; // of a tile, and of the next one if there is room
    T *outputs = reinterpret_cast<T *>(buffers + p.buffers * p.elements_bytes);
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    const int items = p.periods / (WARP * each) * p.up, steps = p.row_taps / W::lanes;
    const int64_t units = p.grid.lines * p.tiles;
    begin<T>(p);
    const auto load = [&](int64_t unit, int buffer) {
        load_rows<T>(p, line_of<T>(p, unit / p.tiles), p.first_period + unit % p.tiles * p.periods,
                     buffers + buffer * p.elements_bytes);
    };
    int buffer = 0;
    load(blockIdx.x, buffer);
    fill_rows<K>(p, table);
    for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const vector *rows = reinterpret_cast<const vector *>(buffers + buffer * p.elements_bytes);
        const bool more = unit + gridDim.x < units;
        if (more && p.buffers == 2) {
            load(unit + gridDim.x, buffer ^= 1);
            wait_for_earlier_copies();
        } else {
            wait_for_copies();
        }
        __syncthreads();
#pragma unroll 1
        for (int item = warp; item < items; item += THREADS / WARP) {
            const int q = item % p.up, m = (item / p.up * WARP + lane) * each;
            const int start = (m + p.row_taps) / W::lanes;
            T sum[each];
#pragma unroll
            for (int r = 0; r < each; r++) sum[r] = T{};
#pragma unroll 1
            for (int residue = 0; residue < p.down; residue++) {
                const vector *row = rows + residue * p.row_vectors;
                const taps_vector *taps =
                    reinterpret_cast<const taps_vector *>(table + (q * p.down + residue) * p.row_taps);
                vector w[own + 1];
#pragma unroll
                for (int i = 0; i < own; i++) w[i + 1] = row[W::padded(start + i)];
#pragma unroll 3
                for (int s = 0; s < steps; s++) {
                    w[0] = row[W::padded(start - s - 1)];
                    const taps_vector k = taps[s];
#pragma unroll
                    for (int u = 0; u < W::lanes; u++) {
#pragma unroll
                        for (int r = 0; r < each; r++) {
                            const int e = r - u + W::lanes;
                            add_product(sum[r], w[e / W::lanes].lane[e % W::lanes], k.lane[u]);
                        }
                    }
#pragma unroll
                    for (int i = own; i > 0; i--) w[i] = w[i - 1];
                }
            }
#pragma unroll
            for (int r = 0; r < each; r++) outputs[W::padded_output((m + r) * p.up + q)] = sum[r];
        }
        __syncthreads();
        if (more && p.buffers == 1) load(unit + gridDim.x, buffer);
        const int64_t tile = unit % p.tiles, first = (p.first_period + tile * p.periods) * p.up - p.out_first;
        T *out = out_of<T>(p, unit / p.tiles) + first; // the tile's first output, in the line's memory
        const int begin = first < 0 ? (int)-first : 0, n = p.periods * p.up;
        const int end = p.count - first < n ? (int)(p.count - first) : n;
#pragma unroll 4
        for (int e = begin + (int)threadIdx.x; e < end; e += THREADS) out[e] = outputs[W::padded_output(e)];
    }
}

// ---- groups -------------------------------------------------------------------------------------

// Phases of a group see windows of elements that begin up to `spread` apart. Element k of the group's window, counted
// backward, meets tap k - late[u] of phase u, if there is one.
struct phase_group {
    int base; // of its first phase
    unsigned char late[GNDI_UPFIRDN_TOGETHER];
};
template <class K> struct alignas(16) taps_together { K of[GNDI_UPFIRDN_TOGETHER]; };

// The groups, and table[group][k].
template <class K>
GNDI_FN void fill_groups(const gndi_upfirdn_params &p, phase_group *groups, taps_together<K> *table) {
    constexpr int Q = GNDI_UPFIRDN_TOGETHER;
    const int rows = (int)p.phase_taps + p.spread;
    for (int e = (int)threadIdx.x; e < p.groups * rows * Q; e += GNDI_UPFIRDN_GROUP_THREADS) {
        const int u = e % Q, k = e / Q % rows, group = e / Q / rows, q = group * Q + u;
        int first, base;
        phase_of(p, group * Q, &first);
        const int phase = phase_of(p, q, &base), late = p.spread - (base - first), j = k - late;
        table[e / Q].of[u] = q < p.up && j >= 0 && j < p.phase_taps ? tap<K>(p, phase, j) : K{};
        if (k > 0) continue;
        groups[group].late[u] = (unsigned char)late;
        if (u == 0) groups[group].base = first;
    }
}

// A thread's outputs: of a group's phases, and of periods a warp's width apart.
template <class T, class K> struct group_sums {
    static constexpr int Q = GNDI_UPFIRDN_TOGETHER, R = GNDI_UPFIRDN_GROUP_PERIODS(sizeof(T)) / WARP;
    T sum[Q][R];

    // Adds products of elements begin .. end - 1 of the window, of which x is the newest. `gaps`: there are some in
    // shared memory, which begins with `elements`. `all`: each phase has a tap for each of them.
    template <bool all, bool gaps> __device__ __forceinline__ void add(const gndi_upfirdn_params &p, const T *elements,
                                                                       int last, const taps_together<K> *taps,
                                                                       const int (&late)[Q], int begin, int end) {
        const int apart = WARP * p.down + (gaps ? WARP * p.down >> p.gap_shift : 0);
#pragma unroll(all ? 6 : 1)
        for (int k = begin; k < end; k++) {
            const int e = last - k;
            const T *x = elements + (gaps ? e + (e >> p.gap_shift) : e);
            T v[R];
#pragma unroll
            for (int r = 0; r < R; r++) v[r] = x[r * apart];
            const taps_together<K> now = taps[k];
#pragma unroll
            for (int u = 0; u < Q; u++) {
                if (!all && (unsigned)(k - late[u]) >= (unsigned)p.phase_taps) continue;
#pragma unroll
                for (int r = 0; r < R; r++) add_product(sum[u][r], v[r], now.of[u]);
            }
        }
    }
    template <bool gaps> __device__ __forceinline__ void fill(const gndi_upfirdn_params &p, const T *elements, int last,
                                                              const taps_together<K> *taps, const phase_group &group) {
        const int count = (int)p.phase_taps;
        int late[Q];
#pragma unroll
        for (int u = 0; u < Q; u++) {
            late[u] = group.late[u];
#pragma unroll
            for (int r = 0; r < R; r++) sum[u][r] = T{};
        }
        add<false, gaps>(p, elements, last, taps, late, 0, p.spread);
        add<true, gaps>(p, elements, last, taps, late, p.spread, count);
        add<false, gaps>(p, elements, last, taps, late, count, count + p.spread);
    }
};

template <class T, class K> __global__ void __launch_bounds__(GNDI_UPFIRDN_GROUP_THREADS)
    groups_kernel(const __grid_constant__ gndi_upfirdn_params p) {
    typedef group_sums<T, K> S;
    constexpr int Q = S::Q, warps = GNDI_UPFIRDN_GROUP_THREADS / WARP;
    taps_together<K> *table = reinterpret_cast<taps_together<K> *>(shared);
    phase_group *groups = reinterpret_cast<phase_group *>(shared + p.table_bytes);
    T *elements = reinterpret_cast<T *>(groups + (p.groups + 1) / 2 * 2);
    T *outputs = reinterpret_cast<T *>(reinterpret_cast<char *>(elements) + p.elements_bytes);
    const int taps = (int)p.phase_taps, rows = taps + p.spread, pitch = p.groups * Q | 1;
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    begin<T>(p);
    fill_groups<K>(p, groups, table);
    for (int64_t unit = blockIdx.x; unit < p.grid.lines * p.tiles; unit += gridDim.x) {
        const int64_t line = unit / p.tiles, period = p.first_period + unit % p.tiles * p.periods;
        const T *from = line_of<T>(p, line);
        const int64_t first = period * p.down + p.first_base - (taps - 1) - p.x_first;
        const bool inside = first >= 0 && first + p.elements <= p.length;
        __syncthreads(); // the tile before is done with
#pragma unroll 4
        for (int e = (int)threadIdx.x; e < p.elements; e += GNDI_UPFIRDN_GROUP_THREADS) {
            T *to = elements + e + (e >> p.gap_shift);
            if (inside)
                copy_element(to, from + first + e);
            else
                *to = element(p, from, first + e);
        }
        wait_for_copies();
        __syncthreads();
#pragma unroll 1
        for (int g = warp; g < p.groups; g += warps) {
            const phase_group group = groups[g];
            const int last = lane * p.down + group.base + p.spread + taps - 1;
            S of;
            if (p.gap_shift < GNDI_UPFIRDN_NO_GAPS)
                of.template fill<true>(p, elements, last, table + g * rows, group);
            else
                of.template fill<false>(p, elements, last, table + g * rows, group);
#pragma unroll
            for (int r = 0; r < S::R; r++) {
#pragma unroll
                for (int u = 0; u < Q; u++) outputs[(lane + WARP * r) * pitch + g * Q + u] = of.sum[u][r];
            }
        }
        __syncthreads();
        T *out = out_of<T>(p, line);
        const int64_t first_out = period * p.up - p.out_first;
#pragma unroll 1
        for (int m = warp; m < p.periods; m += warps) {
#pragma unroll 4
            for (int q = lane; q < p.up; q += WARP) {
                const int64_t at = first_out + m * p.up + q;
                if (at >= 0 && at < p.count) out[at] = outputs[m * pitch + q];
            }
        }
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
    start_early();
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
    start_early();
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
    case GNDI_UPFIRDN_WINDOWS: return (const void *)windows_kernel<T, K, 4>;
    case GNDI_UPFIRDN_SMALL_WINDOWS: return (const void *)windows_kernel<T, K, 2>;
    case GNDI_UPFIRDN_GROUPS: return (const void *)groups_kernel<T, K>;
    case GNDI_UPFIRDN_PHASES: return (const void *)phases_kernel<T, K>;
    case GNDI_UPFIRDN_WARPS: return (const void *)warps_kernel<T, K>;
    default: return (const void *)table_kernel<K>;
    }
}

// Taps are of the dtype of x, or of its real one.
template <class T> static const void *kernel_for(bool complex_taps, int which) {
    return complex_taps ? kernel_of<T, T>(which) : kernel_of<T, real_t<T>>(which);
}

} // namespace gnd

#ifdef GNDI_PART_floats
extern "C" const void *gndi_cuda_upfirdn_floats(bool complex_taps, int which) {
    return gnd::kernel_for<float>(complex_taps, which);
}
#endif
#ifdef GNDI_PART_doubles
extern "C" const void *gndi_cuda_upfirdn_doubles(bool complex_taps, int which) {
    return gnd::kernel_for<double>(complex_taps, which);
}
#endif
#ifdef GNDI_PART_complex_floats
extern "C" const void *gndi_cuda_upfirdn_complex_floats(bool complex_taps, int which) {
    return gnd::kernel_for<gnd::complex<float>>(complex_taps, which);
}
#endif
#ifdef GNDI_PART_complex_doubles
extern "C" const void *gndi_cuda_upfirdn_complex_doubles(bool complex_taps, int which) {
    return gnd::kernel_for<gnd::complex<double>>(complex_taps, which);
}
#endif
