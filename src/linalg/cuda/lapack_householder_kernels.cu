// lapack_householder_kernels.cu: QR of many matrices, a block each: factors as geqr2 gives them, Q formed
// from reflectors (orgqr) or applied to a matrix (ormqr). The matrix is in shared memory if it fits, else in
// device memory. A few lanes share a column, so that all of them have work whatever the shape, and their sum of
// products needs few shuffles; the update of a column also adds up the squares for the next reflector.
#include "linalg/cuda/lapack_reflector.cuh"

namespace gnd {
namespace la {

extern __shared__ __align__(16) unsigned char memory_of_block[];

// Columns of a matrix, and who works on which.
template <class T> struct panel {
    T *x;
    int64_t ld;
    int m, n;
    int lanes, lane, group, groups;

    __device__ __forceinline__ T *column(int j) const { return x + j * ld; }
};

// x -= factor v (v^H x) from row k on, for columns from `first`; v[k] is 1. The squares of the updated column k + 1
// below row k + 1 are added up into `square`.
template <class T> GNDI_FN void reflect(const panel<T> &p, const T *v, int k, int first, T factor, real<T> *square) {
    for (int j0 = first; j0 < p.n; j0 += p.groups) { // as often for all threads of a warp
        const int j = j0 + p.group;
        const int end = j < p.n ? p.m : 0;
        T *x = p.column(j);
        T inner{};
#pragma unroll 4
        for (int i = k + p.lane; i < end; i += p.lanes) inner = plus_inner(inner, v[i], x[i]);
        inner = times(factor, sum_of(inner, p.lanes));
        real<T> sum = 0;
#pragma unroll 4
        for (int i = k + p.lane; i < end; i += p.lanes) {
            const T rest = minus_product(x[i], v[i], inner);
            x[i] = rest;
            if (i > k + 1) sum += square_of(rest);
        }
        if (square && j0 == first) {
            sum = sum_of(sum, p.lanes);
            if (j == k + 1 && p.lane == 0) *square = sum;
        }
    }
}

// The same sum for a column that has not been updated.
template <class T> GNDI_FN void square_below(const panel<T> &p, int k, real<T> *square) {
    if (threadIdx.x >= 32) return;
    real<T> sum = 0;
    for (int i = k + 1 + (int)threadIdx.x; i < p.m; i += 32) sum += square_of(p.column(k)[i]);
    sum = sum_of(sum, 32);
    if (threadIdx.x == 0) *square = sum;
}

// The reflector of column k (larfg); each warp computes the same. If squares of the column's elements may
// have underflowed or overflowed, the elements are scaled and the squares added up again.
template <class T> GNDI_FN reflector<T> make_reflector(const panel<T> &p, int k, real<T> square) {
    typedef real<T> R;
    const T *x = p.column(k);
    T alpha = x[k];
    reflector<T> h = {T{}, T{}, R(1), real_of(alpha)};
    if (k == p.m - 1 && imaginary_of(alpha) == 0) return h;
    const R least = power_of_two(R(), range<R>::least), most = power_of_two(R(), range<R>::most);
    R all = square + square_of(alpha);
    if (!(square > least && all < most)) {
        const int lane = (int)threadIdx.x & 31;
        R top = 0;
        for (int i = k + 1 + lane; i < p.m; i += 32) {
            const R own = size_of(x[i]);
            top = own <= top ? top : own == own ? own : R(INFINITY);
        }
        top = largest_of(top);
        if (top == 0 && imaginary_of(alpha) == 0) return h;
        top = size_of(alpha) > top ? size_of(alpha) : top;
        h.shift = shift_for(top);
        R sum = 0;
        for (int i = k + 1 + lane; i < p.m; i += 32) sum += square_of(scaled(x[i], h.shift));
        alpha = scaled(alpha, h.shift);
        all = sum_of(sum, 32) + square_of(alpha);
    }
    complete(h, alpha, all);
    return h;
}

template <class T> GNDI_FN panel<T> panel_of(const gndi_householder_params &p, T *x, int64_t ld) {
    const int t = (int)threadIdx.x;
    return panel<T>{x, ld, p.m, p.n, p.lanes, t & (p.lanes - 1), t / p.lanes, (int)blockDim.x / p.lanes};
}

// Copies columns, a warp each, from memory into the panel or back.
template <class T, bool loads> GNDI_FN void move_panel(const panel<T> &p, T *memory, int64_t ld, int columns) {
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    for (int j = warp; j < columns; j += (int)blockDim.x >> 5) {
        T *x = p.column(j), *y = memory + j * ld;
        for (int i = lane; i < p.m; i += 32) {
            if constexpr (loads)
                x[i] = y[i];
            else
                y[i] = x[i];
        }
    }
}

template <class T> GNDI_FN void factor_panel(const panel<T> &p, T *v, real<T> *square, T *tau) {
    const int steps = p.m < p.n ? p.m : p.n;
    square_below(p, 0, square);
    __syncthreads();
    for (int k = 0; k < steps; k++) {
        const reflector<T> h = make_reflector(p, k, *square);
        __syncthreads(); // all have read the column and `square`
        T *x = p.column(k);
        const bool none = is_zero(h.tau);
        for (int i = k + (int)threadIdx.x; i < p.m; i += (int)blockDim.x) {
            const T own = i == k ? of_real<T>(1) : times(scaled(x[i], h.shift), h.by);
            if (!none) v[i] = own;
            if (i == k)
                x[i] = of_real<T>(h.beta);
            else if (!none)
                x[i] = own;
        }
        if (threadIdx.x == 0) tau[k] = h.tau;
        __syncthreads();
        if (k + 1 < p.n) {
            if (none)
                square_below(p, k + 1, square);
            else
                reflect(p, v, k, k + 1, conjugate(h.tau), square);
        }
        __syncthreads();
    }
}

// Forms the first n columns of H_1 ... H_k, from the last reflector to the first.
template <class T> GNDI_FN void form_panel(const panel<T> &p, T *v, int reflectors, const T *taus) {
    for (int j = reflectors + (int)threadIdx.x / 32; j < p.n; j += (int)blockDim.x / 32)
        for (int i = (int)threadIdx.x % 32; i < p.m; i += 32) p.column(j)[i] = of_real<T>(i == j);
    for (int k = reflectors - 1; k >= 0; k--) {
        const T tau = taus[k];
        T *x = p.column(k);
        for (int i = (int)threadIdx.x; i < p.m; i += (int)blockDim.x) {
            const T own = i == k ? of_real<T>(1) : x[i];
            T q{};
            if (i >= k) {
                v[i] = own;
                q = minus_product(of_real<T>(i == k), tau, own);
            }
            x[i] = q;
        }
        __syncthreads();
        reflect<T>(p, v, k, k + 1, tau, nullptr);
        __syncthreads();
    }
}

// Q x applies the last reflector first, Q^H x the first one.
template <class T> GNDI_FN void apply_to_panel(const panel<T> &p, T *v, int reflectors, const T *from, int64_t ld,
                                               const T *taus, bool conjugated) {
    for (int step = 0; step < reflectors; step++) {
        const int k = conjugated ? step : reflectors - 1 - step;
        const T tau = conjugated ? conjugate(taus[k]) : taus[k];
        __syncthreads();
        for (int i = k + (int)threadIdx.x; i < p.m; i += (int)blockDim.x)
            v[i] = i == k ? of_real<T>(1) : from[i + k * ld];
        __syncthreads();
        reflect<T>(p, v, k, 0, tau, nullptr);
    }
    __syncthreads();
}

// Shared memory: the vector v (m), the sum of squares, the matrix if it is in shared memory.
template <class T, int what> __global__ void __launch_bounds__(GNDI_HOUSEHOLDER_THREADS)
    householder_kernel(const __grid_constant__ gndi_householder_params p) {
    T *v = reinterpret_cast<T *>(memory_of_block);
    T *square = v + p.m, *own = square + 1;
    for (int64_t i = blockIdx.x; i < p.batch; i += gridDim.x) {
        T *memory = reinterpret_cast<T *>(p.x.data + i * p.x.step);
        T *tau = reinterpret_cast<T *>(p.tau) + i * p.taus;
        const panel<T> x = panel_of(p, p.shared ? own : memory, p.shared ? p.ld : p.x.ld);
        if (p.shared) move_panel<T, true>(x, memory, p.x.ld, what == GNDI_HOUSEHOLDER_Q ? p.k : p.n);
        __syncthreads();
        if constexpr (what == GNDI_HOUSEHOLDER_QR)
            factor_panel(x, v, reinterpret_cast<real<T> *>(square), tau);
        else if constexpr (what == GNDI_HOUSEHOLDER_Q)
            form_panel(x, v, p.k, tau);
        else
            apply_to_panel(x, v, p.k, reinterpret_cast<const T *>(p.v.data + i * p.v.step), p.v.ld, tau, p.conjugated);
        if (p.shared) move_panel<T, false>(x, memory, p.x.ld, p.n);
        __syncthreads();
    }
}

} // namespace la
} // namespace gnd

template <class T> static const void *kernel_of(int what) {
    using namespace gnd::la;
    switch (what) {
    case GNDI_HOUSEHOLDER_QR: return reinterpret_cast<const void *>(&householder_kernel<T, GNDI_HOUSEHOLDER_QR>);
    case GNDI_HOUSEHOLDER_Q: return reinterpret_cast<const void *>(&householder_kernel<T, GNDI_HOUSEHOLDER_Q>);
    default: return reinterpret_cast<const void *>(&householder_kernel<T, GNDI_HOUSEHOLDER_APPLY>);
    }
}

extern "C" const void *gndi_cuda_lapack_householder_kernel(int type, int what) {
    switch (type) {
    case 0: return kernel_of<float>(what);
    case 1: return kernel_of<double>(what);
    case 2: return kernel_of<gnd::complex<float>>(what);
    default: return kernel_of<gnd::complex<double>>(what);
    }
}
