// fir_kernels.cu: FIR filters of any number of lines. A thread keeps four vectors of neighbouring results in registers.
// Samples and taps come through shared memory; a vector of samples and one of taps serve up to 64 products, since the
// samples that a thread has seen stay in a window of registers that moves on by a vector at a time. The products of
// a result are added in an order that depends on the taps alone, so that no cut of the signal changes its bits.
#include "filter/cuda/filter_step.cuh"
#include "filter/cuda/fir_params.h"

namespace gnd {

template <class A> GNDI_FN void add_tap(A &sum, A x, A k) {
    if constexpr (is_complex<A>) {
        sum.re = fma(x.re, k.re, fma(-x.im, k.im, sum.re));
        sum.im = fma(x.re, k.im, fma(x.im, k.re, sum.im));
    } else {
        sum = fma(x, k, sum);
    }
}
template <class A> GNDI_FN A plus(A a, A b) {
    if constexpr (is_complex<A>)
        return A{a.re + b.re, a.im + b.im};
    else
        return a + b;
}

template <class A> struct fir {
    static constexpr int lanes = 16 / (int)sizeof(A);
    static constexpr int own = GNDI_FIR_VECTORS, window = own + 1, each = own * lanes;
    static constexpr int tile = GNDI_FIR_THREADS * each;
    static constexpr int vectors = (tile + GNDI_FIR_TAPS) / lanes + window + 1;

    struct __align__(16) vector {
        A lane[lanes];
    };
    // A gap after every eighth vector: threads that read every fourth one then meet in no bank.
    GNDI_FN int padded(int v) { return v + (v >> 3); }

    struct memory {
        vector x[vectors + vectors / 8 + 1];
        vector k[GNDI_FIR_TAPS / lanes];
    };

    // `taps` products for each result, from sample v on; the window's first vector is number g.
    template <bool whole>
    GNDI_FN void step(const memory &m, vector (&w)[window], A (&sum)[each], int v, int kv, int g, int taps) {
        w[(g + own) % window] = m.x[padded(v + own)];
        const vector k = m.k[kv];
#pragma unroll
        for (int u = 0; u < lanes; u++) {
            if (!whole && u >= taps) break;
#pragma unroll
            for (int r = 0; r < each; r++)
                add_tap(sum[r], w[(g + (u + r) / lanes) % window].lane[(u + r) % lanes], k.lane[u]);
        }
    }

    GNDI_FN void products(const memory &m, A (&sum)[each], int taps) {
        const int first = (int)threadIdx.x * own;
        vector w[window];
#pragma unroll
        for (int i = 0; i < own; i++) w[i] = m.x[padded(first + i)];
        int kv = 0;
#pragma unroll 1
        for (; (kv + window) * lanes <= taps; kv += window) {
#pragma unroll
            for (int g = 0; g < window; g++) step<true>(m, w, sum, first + kv + g, kv + g, g, lanes);
        }
#pragma unroll
        for (int g = 0; g < window; g++) {
            const int left = taps - (kv + g) * lanes;
            if (left >= lanes)
                step<true>(m, w, sum, first + kv + g, kv + g, g, lanes);
            else if (left > 0)
                step<false>(m, w, sum, first + kv + g, kv + g, g, left);
        }
    }

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
        A *to = reinterpret_cast<A *>(m.x);
        if (from >= 0 && from + n <= p.at.length) {
            const char *at = x + from * p.at.x_step;
#pragma unroll 8
            for (int e = (int)threadIdx.x; e < n; e += GNDI_FIR_THREADS)
                to[padded(e / lanes) * lanes + e % lanes] = *reinterpret_cast<const A *>(at + e * p.at.x_step);
            return;
        }
        for (int e = (int)threadIdx.x; e < n; e += GNDI_FIR_THREADS)
            to[padded(e / lanes) * lanes + e % lanes] = sample(p, x, line, from + e);
    }

    GNDI_FN void store(const gndi_fir_params &p, const A (&sum)[each], char *y, int64_t line, int64_t at) {
        const int64_t order = p.count - 1, n = p.at.length;
        if (at + each <= n && (at >= order || !p.zi) && p.at.y_step == (int64_t)sizeof(A) &&
            ((uintptr_t)(y + at * p.at.y_step) & 15) == 0) {
#pragma unroll
            for (int i = 0; i < own; i++) {
                vector v;
#pragma unroll
                for (int u = 0; u < lanes; u++) v.lane[u] = sum[i * lanes + u];
                reinterpret_cast<vector *>(y + at * p.at.y_step)[i] = v;
            }
            return;
        }
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

template <class A> __global__ void __launch_bounds__(GNDI_FIR_THREADS)
    fir_kernel(const __grid_constant__ gndi_fir_params p) {
    typedef fir<A> F;
    __shared__ typename F::memory m;
    const int64_t line = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles * F::tile;
    const char *x;
    char *y;
    find_line<A>(p.at, line, x, y);
    A total[F::each];
#pragma unroll
    for (int r = 0; r < F::each; r++) total[r] = A{};
    for (int64_t j = 0; j < p.count; j += GNDI_FIR_TAPS) {
        const int taps = p.count - j < GNDI_FIR_TAPS ? (int)(p.count - j) : GNDI_FIR_TAPS;
        F::load(p, m, x, line, tile + p.ahead - j - (taps - 1), F::tile + taps - 1);
        A *k = reinterpret_cast<A *>(m.k);
        for (int u = (int)threadIdx.x; u < taps; u += GNDI_FIR_THREADS) // the oldest sample meets the last tap
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
    F::store(p, total, y, line, tile + (int64_t)threadIdx.x * F::each);
}

// The samples before the next call, in the place of those before this one: a block for each line, whose threads have
// all read before one writes. A sample moves to the front, so none is overwritten that a later step reads.
template <class A> __global__ void __launch_bounds__(GNDI_FIR_THREADS)
    fir_keep_kernel(const __grid_constant__ gndi_fir_params p) {
    const int64_t line = blockIdx.x, order = p.count - 1;
    const char *x;
    char *y;
    find_line<A>(p.at, line, x, y);
    A *kept = reinterpret_cast<A *>(p.kept) + line * order, next[GNDI_FIR_KEEPS];
    for (int64_t begin = threadIdx.x; begin - threadIdx.x < order; begin += GNDI_FIR_THREADS * GNDI_FIR_KEEPS) {
#pragma unroll
        for (int k = 0; k < GNDI_FIR_KEEPS; k++) {
            const int64_t i = begin + k * GNDI_FIR_THREADS;
            if (i < order) next[k] = fir<A>::sample(p, x, line, p.at.length - order + i);
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < GNDI_FIR_KEEPS; k++) {
            const int64_t i = begin + k * GNDI_FIR_THREADS;
            if (i < order) kept[i] = next[k];
        }
    }
}

template <class A> static const void *fir_kernel_of(bool keeps) {
    if (keeps) return reinterpret_cast<const void *>(&fir_keep_kernel<A>);
    return reinterpret_cast<const void *>(&fir_kernel<A>);
}

} // namespace gnd

extern "C" const void *gndi_cuda_fir_kernel(int type, bool keeps) {
    switch (type) {
    case GNDI_FIR_FLOAT: return gnd::fir_kernel_of<float>(keeps);
    case GNDI_FIR_DOUBLE: return gnd::fir_kernel_of<double>(keeps);
    case GNDI_FIR_COMPLEX_FLOAT: return gnd::fir_kernel_of<gnd::complex<float>>(keeps);
    default: return gnd::fir_kernel_of<gnd::complex<double>>(keeps);
    }
}
