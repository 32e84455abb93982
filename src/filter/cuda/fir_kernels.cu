// fir_kernels.cu: FIR filters of any number of lines, by sliding sums (kernels/cuda/sliding.cuh). The products of a
// result are added in an order that depends on the taps alone, so that no cut of the signal changes its bits.
#include "filter/cuda/filter_step.cuh"
#include "filter/cuda/fir_params.h"
#include "kernels/cuda/early_start.cuh"
#include "kernels/cuda/sliding.cuh"

namespace gnd {

struct fused_product {
    template <class A> GNDI_FN void add(A &sum, A x, A k) {
        if constexpr (is_complex<A>) {
            sum.re = fma(x.re, k.re, fma(-x.im, k.im, sum.re));
            sum.im = fma(x.re, k.im, fma(x.im, k.re, sum.im));
        } else {
            sum = fma(x, k, sum);
        }
    }
};
template <class A> GNDI_FN A plus(A a, A b) {
    if constexpr (is_complex<A>)
        return A{a.re + b.re, a.im + b.im};
    else
        return a + b;
}

// What a thread so many lanes further has.
template <class A> GNDI_FN A shuffled_down(A a, int lanes) {
    if constexpr (is_complex<A>)
        return A{__shfl_down_sync(~0u, a.re, lanes), __shfl_down_sync(~0u, a.im, lanes)};
    else
        return __shfl_down_sync(~0u, a, lanes);
}

template <class A> struct fir : sliding<A, fused_product> {
    typedef sliding<A, fused_product> base;
    using base::each;
    using typename base::memory;

    // Sample i of the line, which may be one of an earlier call, or none.
    GNDI_FN A sample(const gndi_fir_params &p, const char *x, int64_t line, int64_t i) {
        if (i >= 0 && i < p.at.length) return *reinterpret_cast<const A *>(x + i * p.at.x_step);
        const int64_t order = p.count - 1;
        if (i < 0 && i >= -order && p.before) return reinterpret_cast<const A *>(p.before)[line * order + order + i];
        const int64_t over = i - p.at.length;
        if (over >= 0 && over < p.ahead && p.behind)
            return reinterpret_cast<const A *>(p.behind)[line * p.ahead + over];
        return A{};
    }

    GNDI_FN void load(const gndi_fir_params &p, memory &m, const char *x, int64_t line, int64_t from, int n) {
        if (from >= 0 && from + n <= p.at.length) {
            base::copy_elements(m, x + from * p.at.x_step, p.at.x_step, n);
            wait_for_copies();
            return;
        }
        for (int e = (int)threadIdx.x; e < n; e += GNDI_SLIDING_THREADS) *m.element(e) = sample(p, x, line, from + e);
    }

    // Whether all results of a tile are sums alone, in memory that vectors are stored to.
    GNDI_FN bool is_plain(const gndi_fir_params &p, const char *y, int64_t tile) {
        return tile + base::tile <= p.at.length && (tile >= p.count - 1 || !p.zi) &&
               p.at.y_step == (int64_t)sizeof(A) && ((uintptr_t)y & 15) == 0;
    }

    GNDI_FN void store(const gndi_fir_params &p, const A (&sum)[each], char *y, int64_t line, int64_t at) {
        const int64_t order = p.count - 1, n = p.at.length;
#pragma unroll
        for (int r = 0; r < each; r++) {
            const int64_t i = at + r;
            if (i >= p.results) continue;
            A v = sum[r];
            if (p.zi && i < order) v = plus(v, reinterpret_cast<const A *>(p.zi)[line * order + i]);
            if (i < n)
                *reinterpret_cast<A *>(y + i * p.at.y_step) = v;
            else
                reinterpret_cast<A *>(p.zf)[line * order + i - n] = v;
        }
    }
};

// The samples before the next call, in the place of those before this one: a block for each line, whose threads have
// all read before one writes. A sample moves to the front, so none is overwritten that a later step reads.
template <class A> GNDI_FN void keep_samples(const gndi_fir_params &p, const char *x, int64_t line) {
    const int64_t order = p.count - 1;
    A *kept = reinterpret_cast<A *>(p.kept) + line * order, next[GNDI_FIR_KEEPS];
#pragma unroll 1
    for (int64_t begin = threadIdx.x; begin - threadIdx.x < order; begin += GNDI_SLIDING_THREADS * GNDI_FIR_KEEPS) {
#pragma unroll
        for (int k = 0; k < GNDI_FIR_KEEPS; k++) {
            const int64_t i = begin + k * GNDI_SLIDING_THREADS;
            if (i < order) next[k] = fir<A>::sample(p, x, line, p.at.length - order + i);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < GNDI_FIR_KEEPS; k++) {
            const int64_t i = begin + k * GNDI_SLIDING_THREADS;
            if (i < order) kept[i] = next[k];
        }
    }
}
template <class A> __global__ void __launch_bounds__(GNDI_SLIDING_THREADS)
    fir_keep_kernel(const __grid_constant__ gndi_fir_params p) {
    const char *x;
    char *y;
    find_line<A>(p.at, blockIdx.x, x, y);
    keep_samples<A>(p, x, blockIdx.x);
}

template <class A> __global__ void __launch_bounds__(GNDI_SLIDING_THREADS)
    fir_kernel(const __grid_constant__ gndi_fir_params p) {
    typedef fir<A> F;
    __shared__ typename F::memory m;
    start_early();
    const int64_t line = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles * F::tile;
    const char *x;
    char *y;
    find_line<A>(p.at, line, x, y);
    A total[F::each];
#pragma unroll
    for (int r = 0; r < F::each; r++) total[r] = A{};
    for (int64_t j = 0; j < p.count; j += GNDI_SLIDING_TAPS) {
        const int taps = p.count - j < GNDI_SLIDING_TAPS ? (int)(p.count - j) : GNDI_SLIDING_TAPS;
        F::load(p, m, x, line, tile + p.ahead - j - (taps - 1), F::tile + taps - 1);
        A *k = reinterpret_cast<A *>(m.k);
        for (int u = (int)threadIdx.x; u < taps; u += GNDI_SLIDING_THREADS) // the oldest sample meets the last tap
            k[u] = reinterpret_cast<const A *>(p.taps)[j + taps - 1 - u];
        __syncthreads();
        A sum[F::each];
#pragma unroll
        for (int r = 0; r < F::each; r++) sum[r] = A{};
        F::products(m, sum, taps);
#pragma unroll
        for (int r = 0; r < F::each; r++) total[r] = plus(total[r], sum[r]);
        __syncthreads();
    }
    if (F::is_plain(p, y, tile))
        F::store_tile(m, y + tile * p.at.y_step, total);
    else
        F::store(p, total, y, line, tile + (int64_t)threadIdx.x * F::each);
    if (p.kept && p.tiles == 1) keep_samples<A>(p, x, line);
}

// The results at both ends: a block for each line, a warp for each result.
template <class A> __global__ void __launch_bounds__(GNDI_SLIDING_THREADS)
    fir_edges_kernel(const __grid_constant__ gndi_fir_params p) {
    const char *x;
    char *y;
    find_line<A>(p.at, blockIdx.x, x, y);
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    for (int64_t row = warp; row < 2 * p.edge; row += GNDI_SLIDING_THREADS / 32) {
        const bool last = row >= p.edge;
        const A *k = reinterpret_cast<const A *>(p.edges) + row * p.count;
        const char *from = x + (last ? p.at.length - p.count : 0) * p.at.x_step;
        A sum{};
        for (int64_t j = lane; j < p.count; j += 32)
            fused_product::add(sum, *reinterpret_cast<const A *>(from + j * p.at.x_step), k[j]);
#pragma unroll
        for (int width = 16; width > 0; width /= 2) sum = plus(sum, shuffled_down(sum, width));
        const int64_t i = last ? p.at.length - 2 * p.edge + row : row;
        if (lane == 0) *reinterpret_cast<A *>(y + i * p.at.y_step) = sum;
    }
}

template <class A> static const void *fir_kernel_of(int which) {
    switch (which) {
    case GNDI_FIR_SUMS: return reinterpret_cast<const void *>(&fir_kernel<A>);
    case GNDI_FIR_KEEP: return reinterpret_cast<const void *>(&fir_keep_kernel<A>);
    default: return reinterpret_cast<const void *>(&fir_edges_kernel<A>);
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_fir_kernel(int type, int which) {
    switch (type) {
    case GNDI_FIR_FLOAT: return gnd::fir_kernel_of<float>(which);
    case GNDI_FIR_DOUBLE: return gnd::fir_kernel_of<double>(which);
    case GNDI_FIR_COMPLEX_FLOAT: return gnd::fir_kernel_of<gnd::complex<float>>(which);
    default: return gnd::fir_kernel_of<gnd::complex<double>>(which);
    }
}
