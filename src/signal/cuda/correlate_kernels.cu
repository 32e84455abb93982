// correlate_kernels.cu: sliding sums of products (kernels/cuda/sliding.cuh) of two lines. Long rows of taps are shared
// between blocks if there are few outputs, and the parts joined in a fixed order by a second kernel.
#include "kernels/cuda/sliding.cuh"
#include "signal/cuda/correlate_params.h"
#include "signal/cuda/sums.cuh"

namespace gnd {

// ---- types ------------------------------------------------------------------------------------

template <class A> GNDI_FN A load_tap(const gndi_slide_params &p, int64_t j) {
    A k = load<A>(p.k + j * p.k_step, p.dtype);
    if constexpr (is_complex<A>)
        if (p.conjugate) k.im = -k.im;
    return k;
}

// ---- sliding ----------------------------------------------------------------------------------

struct plain_product {
    template <class A> GNDI_FN void add(A &sum, A x, A k) { add_product(sum, x, k); }
};

template <class A> struct slide : sliding<A, plain_product> {
    typedef sliding<A, plain_product> base;
    using base::each;
    using typename base::memory;

    // Products where a tap is infinite or NaN and elements are missing: those have none.
    GNDI_FN void products_inside(memory &m, A (&sum)[each], int taps, int64_t from, int64_t length) {
#pragma unroll 1
        for (int j = 0; j < taps; j++) {
            const A k = *m.tap(j);
#pragma unroll
            for (int r = 0; r < each; r++) {
                const int e = (int)threadIdx.x * each + j + r;
                if (from + e >= 0 && from + e < length) add_product(sum[r], *m.element(e), k);
            }
        }
    }

    GNDI_FN void load_elements(const gndi_slide_params &p, memory &m, int64_t from, int n) {
        if (p.dense && from >= 0 && from + n <= p.length) {
            base::copy_elements(m, p.x + from * (int)sizeof(A), sizeof(A), n);
            wait_for_copies();
            return;
        }
        const char *x = p.x + (from + (int)threadIdx.x) * p.x_step;
#pragma unroll 4
        for (int e = (int)threadIdx.x; e < n; e += GNDI_SLIDING_THREADS, x += GNDI_SLIDING_THREADS * p.x_step) {
            A value{};
            if (from + e >= 0 && from + e < p.length) value = load<A>(x, p.dtype);
            *m.element(e) = value;
        }
    }
};

// The thread's sums to memory: as vectors where they are dense.
template <class A>
GNDI_FN void store_sums(const gndi_slide_params &p, const A (&sum)[slide<A>::each], int64_t at, int share) {
    constexpr int each = slide<A>::each;
    if (p.shares > 1) {
        A *to = static_cast<A *>(p.parts) + share * p.count;
        for (int r = 0; r < each; r++)
            if (at + r < p.count) to[at + r] = sum[r];
        return;
    }
    char *to = p.out + at * p.out_step;
    if (p.dense_out && at + each <= p.count && ((uintptr_t)to & 15) == 0) {
        slide<A>::store_vectors(to, sum);
        return;
    }
#pragma unroll
    for (int r = 0; r < each; r++)
        if (at + r < p.count) store<A>(to + r * p.out_step, sum[r], p.dtype);
}

template <class A> __global__ void __launch_bounds__(GNDI_SLIDING_THREADS)
    slide_kernel(const __grid_constant__ gndi_slide_params p) {
    typedef slide<A> S;
    __shared__ typename S::memory m;
    const int64_t tile = (int64_t)blockIdx.x * S::tile;
    const int64_t begin = (int64_t)blockIdx.y * p.share;
    const int64_t end = begin + p.share < p.taps ? begin + p.share : p.taps;
    A total[S::each];
#pragma unroll
    for (int r = 0; r < S::each; r++) total[r] = A{};
    for (int64_t j = begin; j < end; j += GNDI_SLIDING_TAPS) {
        const int taps = end - j < GNDI_SLIDING_TAPS ? (int)(end - j) : GNDI_SLIDING_TAPS;
        const int64_t from = p.first + tile + j; // the element that the tile's first tap meets
        const int n = S::tile + taps - 1;
        if (from + n <= 0 || from >= p.length) continue; // they meet nothing: the same for all threads
        S::load_elements(p, m, from, n);
        bool finite = true;
        for (int u = (int)threadIdx.x; u < taps; u += GNDI_SLIDING_THREADS) {
            const A k = load_tap<A>(p, j + u);
            finite = finite && is_finite(k);
            *m.tap(u) = k;
        }
        const bool inside = from >= 0 && from + n <= p.length;
        A sum[S::each];
#pragma unroll
        for (int r = 0; r < S::each; r++) sum[r] = A{};
        if (__syncthreads_and(finite) || inside)
            S::products(m, sum, taps);
        else
            S::products_inside(m, sum, taps, from, p.length);
            // Sums of 240 products at a time: long ones lose less so.
#pragma unroll
        for (int r = 0; r < S::each; r++) add_sum(total[r], sum[r], p.dtype == 1);
        __syncthreads();
    }
    store_sums<A>(p, total, tile + (int64_t)threadIdx.x * S::each, (int)blockIdx.y);
}

// ---- few outputs ------------------------------------------------------------------------------

// A share of the taps of one output.
template <class A> __global__ void __launch_bounds__(GNDI_DOT_THREADS)
    dot_kernel(const __grid_constant__ gndi_slide_params p) {
    __shared__ A sums[GNDI_DOT_THREADS];
    const int64_t i = blockIdx.y, from = p.first + i;
    int64_t begin = (int64_t)blockIdx.x * p.share, end = begin + p.share;
    if (end > p.taps) end = p.taps;
    if (end > p.length - from) end = p.length - from;
    if (begin < -from) begin = -from;
    A total{}, sum{};
    int n = 0;
#pragma unroll 4
    for (int64_t j = begin + threadIdx.x; j < end; j += GNDI_DOT_THREADS) {
        add_product(sum, load<A>(p.x + (from + j) * p.x_step, p.dtype), load_tap<A>(p, j));
        if ((++n & 127) == 0) {
            add_sum(total, sum, p.dtype == 1);
            sum = A{};
        }
    }
    add_sum(total, sum, p.dtype == 1);
    sums[threadIdx.x] = total;
    for (int width = GNDI_DOT_THREADS / 2; width > 0; width /= 2) {
        __syncthreads();
        if (threadIdx.x < width) add_sum(sums[threadIdx.x], sums[threadIdx.x + width], p.dtype == 1);
    }
    if (threadIdx.x != 0) return;
    if (p.shares > 1)
        static_cast<A *>(p.parts)[(int64_t)blockIdx.x * p.count + i] = sums[0];
    else
        store<A>(p.out + i * p.out_step, sums[0], p.dtype);
}

// The shares of each output, from the first to the last.
template <class A> __global__ void __launch_bounds__(GNDI_JOIN_THREADS)
    join_kernel(const __grid_constant__ gndi_slide_params p) {
    const int64_t i = (int64_t)blockIdx.x * GNDI_JOIN_THREADS + threadIdx.x;
    if (i >= p.count) return;
    const A *from = static_cast<const A *>(p.parts) + i;
    A total = from[0];
    for (int64_t share = 1; share < p.shares; share++) add_sum(total, from[share * p.count], p.dtype == 1);
    store<A>(p.out + i * p.out_step, total, p.dtype);
}

template <class A> static const void *kernel_of(int which) {
    switch (which) {
    case 0: return reinterpret_cast<const void *>(&slide_kernel<A>);
    case 1: return reinterpret_cast<const void *>(&dot_kernel<A>);
    default: return reinterpret_cast<const void *>(&join_kernel<A>);
    }
}

} // namespace gnd

// Which: 0 sliding, 1 dots, 2 the join of shares.
extern "C" const void *gndi_cuda_correlate_kernel(int type, int which) {
    return gnd::with_sums(type, [&](auto sum) { return gnd::kernel_of<decltype(sum)>(which); });
}
