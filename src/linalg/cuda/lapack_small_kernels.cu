// lapack_small_kernels.cu: LU and Cholesky factors of matrices of up to 32 rows and columns, and what
// follows from them (systems, inverses, determinants) in the same launch. A warp has a matrix in shared
// memory, lane i its row i; elimination goes column by column (right-looking, as getf2 and potf2), and
// right sides stay in registers. The batched routines of cuBLAS need a launch for each step, and an
// order of magnitude more time.
#include "linalg/cuda/lapack_numbers.cuh"

namespace gnd {
namespace la {

extern __shared__ __align__(16) unsigned char memory_of_block[];

template <class T> GNDI_FN T *matrix_of(const gndi_matrices &of, int64_t i) {
    return reinterpret_cast<T *>(of.data + i * of.step);
}

// ---- LU -----------------------------------------------------------------------------------------

// What elimination leaves in each lane beside the factors in shared memory.
struct elimination {
    int source; // the row that was exchanged into this one
    int pivot;  // the row that this one was exchanged with, from 0
    int swaps;  // exchanges of two rows
    int failed; // the first zero pivot, counted from 1
};

// The lane that holds the pivot of column k: the first of the largest elements, and NaN is largest.
template <class T> GNDI_FN int find_pivot(const T *a, int ld, int m, int k, int lane) {
    real<T> own = -1;
    if (lane >= k && lane < m) {
        own = size_of(a[lane + k * ld]);
        if (own != own) own = real<T>(INFINITY);
    }
    return __ffs((int)__ballot_sync(ALL_LANES, own == largest_of(own))) - 1;
}

template <class T> GNDI_FN void exchange_rows(T *a, int ld, int n, int k, int p, int lane, elimination &e) {
    if (lane < n) {
        const T upper = a[k + lane * ld];
        a[k + lane * ld] = a[p + lane * ld];
        a[p + lane * ld] = upper;
    }
    const int of_k = from_lane(e.source, k), of_p = from_lane(e.source, p);
    if (lane == k) e.source = of_p;
    if (lane == p) e.source = of_k;
    e.swaps++;
    __syncwarp();
}

template <class T> GNDI_FN elimination eliminate(T *a, int ld, int m, int n, int lane) {
    elimination e = {lane, lane, 0, 0};
    const int steps = m < n ? m : n;
    for (int k = 0; k < steps; k++) {
        const int p = find_pivot(a, ld, m, k, lane);
        if (lane == k) e.pivot = p;
        if (p != k) exchange_rows(a, ld, n, k, p, lane, e);
        const T pivot = a[k + k * ld];
        if (is_zero(pivot)) {
            if (!e.failed) e.failed = k + 1;
            continue;
        }
        if (lane > k && lane < m) {
            const T factor = quotient(a[lane + k * ld], pivot);
            a[lane + k * ld] = factor;
#pragma unroll 4
            for (int j = k + 1; j < n; j++) a[lane + j * ld] = minus_product(a[lane + j * ld], factor, a[k + j * ld]);
        }
        __syncwarp();
    }
    return e;
}

// x becomes U^-1 L^-1 x; each lane holds a row of it. A step touches only the rows that it changes: multiplying
// by a factor of zero would make NaN where x is infinite.
template <class T, int each> GNDI_FN void substitute(const T *a, int ld, int n, int lane, T inverse, T (&x)[each]) {
    for (int k = 0; k < n - 1; k++) {
        const bool below = lane > k && lane < n;
        const T factor = below ? a[lane + k * ld] : T{};
#pragma unroll
        for (int u = 0; u < each; u++) {
            const T known = from_lane(x[u], k);
            if (below) x[u] = minus_product(x[u], factor, known);
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        const T factor = lane < k ? a[lane + k * ld] : T{};
#pragma unroll
        for (int u = 0; u < each; u++) {
            if (lane == k) x[u] = times(x[u], inverse);
            const T known = from_lane(x[u], k);
            if (lane < k) x[u] = minus_product(x[u], factor, known);
        }
    }
}

// Solves for all right sides, a few at a time; `unit`: for the columns of the identity, which gives the inverse.
template <class T> GNDI_FN void solve_columns(const gndi_small_params &p, const T *a, int ld, T *b, int lane,
                                              const elimination &e, bool unit) {
    constexpr int each = 4;
    const int n = p.n;
    const int64_t columns = unit ? n : p.columns;
    const T inverse = lane < n ? reciprocal(a[lane + lane * ld]) : T{};
    for (int64_t c = 0; c < columns; c += each) {
        T x[each];
#pragma unroll
        for (int u = 0; u < each; u++) {
            x[u] = T{};
            if (lane < n && c + u < columns)
                x[u] = unit ? of_real<T>(e.source == (int)c + u) : b[e.source + (c + u) * p.b.ld];
        }
        if (!e.failed) substitute<T, each>(a, ld, n, lane, inverse, x);
        __syncwarp(); // all lanes have read their rows of b before others write them
#pragma unroll
        for (int u = 0; u < each; u++)
            if (lane < n && c + u < columns) b[lane + (c + u) * p.b.ld] = e.failed ? not_a_number<T>() : x[u];
    }
}

// det = sign exp(w), from U's diagonal as NumPy does: a zero makes them 0 and -infinity.
template <class T>
GNDI_FN void multiply_diagonal(T own, bool inside, bool odd, bool zero, T *sign, real<T> *w, int lane) {
    const real<T> logarithms = sum_of(inside ? logarithm(length(own)) : real<T>(0), 32);
    T product;
    if constexpr (is_complex<T>) {
        const real<T> size = length(own);
        product = inside ? T{own.re / size, own.im / size} : of_real<T>(1);
        for (int distance = 16; distance; distance >>= 1) product = times(product, across(product, distance));
    } else {
        const unsigned negative = __ballot_sync(ALL_LANES, inside && own < 0);
        product = __popc(negative) & 1 ? T(-1) : T(1);
    }
    if (lane) return;
    *sign = zero ? T{} : odd ? scaled(product, real<T>(-1)) : product;
    *w = zero ? -real<T>(INFINITY) : logarithms;
}

template <class T> __global__ void __launch_bounds__(32 * GNDI_SMALL_WARPS)
    small_lu_kernel(const __grid_constant__ gndi_small_params p) {
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x >> 5) + warp;
    if (i >= p.batch) return;
    const int m = p.m, n = p.n, ld = GNDI_SMALL_LD(m);
    T *a = reinterpret_cast<T *>(memory_of_block) + warp * ld * n;
    T *from = matrix_of<T>(p.a, i);
    for (int j = 0; j < n; j++) {
        if (lane >= m) continue;
        const T x = from[lane + j * p.a.ld];
        a[p.transposed ? j + lane * ld : lane + j * ld] = p.conjugated ? conjugate(x) : x;
    }
    __syncwarp();
    const elimination e = eliminate(a, ld, m, n, lane);
    if (p.what == GNDI_SMALL_LU) {
        const int steps = m < n ? m : n;
        if (lane < steps) p.pivots[i * steps + lane] = e.pivot + 1;
        for (int j = 0; j < n; j++)
            if (lane < m) from[lane + j * p.a.ld] = a[lane + j * ld];
    } else if (p.what == GNDI_SMALL_DETERMINANT) {
        const bool inside = lane < n;
        multiply_diagonal(inside ? a[lane + lane * ld] : T{}, inside, e.swaps & 1, e.failed != 0,
                          reinterpret_cast<T *>(p.sign) + i, reinterpret_cast<real<T> *>(p.w) + i, lane);
    } else {
        solve_columns(p, a, ld, matrix_of<T>(p.b, i), lane, e, p.what == GNDI_SMALL_INVERSE);
        if (e.failed && lane == 0) report_matrix(p.failure, e.failed, i, p.batch);
    }
}

// ---- Cholesky -----------------------------------------------------------------------------------

// Computes the lower factor in shared memory; returns the first leading minor that is not positive, counted from 1.
// NaN passes, as in NumPy.
template <class T> GNDI_FN int factor_positive(T *a, int ld, int n, int lane) {
    for (int k = 0; k < n; k++) {
        const real<T> square = real_of(a[k + k * ld]);
        if (square <= 0) return k + 1;
        const real<T> pivot = root(square);
        T own{};
        __syncwarp();
        if (lane == k) a[k + k * ld] = of_real<T>(pivot);
        if (lane > k && lane < n) {
            const T x = a[lane + k * ld];
            if constexpr (is_complex<T>)
                own = T{x.re / pivot, x.im / pivot};
            else
                own = x / pivot;
            a[lane + k * ld] = own;
        }
        for (int j = k + 1; j < n; j++) {
            const T other = conjugate(from_lane(own, j));
            if (lane >= j && lane < n) a[lane + j * ld] = minus_product(a[lane + j * ld], own, other);
        }
        __syncwarp();
    }
    return 0;
}

template <class T> __global__ void __launch_bounds__(32 * GNDI_SMALL_WARPS)
    small_cholesky_kernel(const __grid_constant__ gndi_small_params p) {
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int64_t i = (int64_t)blockIdx.x * (blockDim.x >> 5) + warp;
    if (i >= p.batch) return;
    const int n = p.n, ld = GNDI_SMALL_LD(n);
    T *a = reinterpret_cast<T *>(memory_of_block) + warp * ld * n;
    T *at = matrix_of<T>(p.a, i);
    // An upper triangle is read as its conjugate transpose.
    for (int j = 0; j < n; j++) {
        if (p.lower ? lane >= j && lane < n : lane <= j) {
            const T x = at[lane + j * p.a.ld];
            a[p.lower ? lane + j * ld : j + lane * ld] = p.lower ? x : conjugate(x);
        }
    }
    __syncwarp();
    const int failed = factor_positive(a, ld, n, lane);
    for (int j = 0; j < n; j++) {
        if (lane >= n) continue;
        const bool own = p.lower ? lane >= j : lane <= j;
        T x{};
        if (failed)
            x = not_a_number<T>();
        else if (own)
            x = p.lower ? a[lane + j * ld] : conjugate(a[j + lane * ld]);
        if (own || p.clears || failed) at[lane + j * p.a.ld] = x;
    }
    if (failed && lane == 0) report_matrix(p.failure, failed, i, p.batch);
}

// ---- determinants from a library's factors -------------------------------------------------------

// A warp a matrix.
template <class T> __global__ void __launch_bounds__(GNDI_LAPACK_THREADS)
    product_kernel(const __grid_constant__ gndi_product_params p) {
    const int lane = (int)threadIdx.x & 31;
    const int64_t i = (int64_t)blockIdx.x * (GNDI_LAPACK_THREADS / 32) + ((int)threadIdx.x >> 5);
    if (i >= p.batch) return;
    const T *a = matrix_of<T>(p.a, i);
    bool odd = false;
    T product = of_real<T>(1);
    real<T> logarithms = 0;
    for (int64_t k = lane; k < p.n; k += 32) {
        const int64_t pivot = p.wide ? p.wide[i * p.n + k] : p.narrow[i * p.n + k];
        odd ^= pivot != k + 1;
        const T own = a[k + k * p.a.ld];
        logarithms += logarithm(length(own));
        if constexpr (is_complex<T>) {
            const real<T> size = length(own);
            product = times(product, T{own.re / size, own.im / size});
        } else if (own < 0) {
            product = -product;
        }
    }
    logarithms = sum_of(logarithms, 32);
    for (int distance = 16; distance; distance >>= 1) product = times(product, across(product, distance));
    if (__popc(__ballot_sync(ALL_LANES, odd)) & 1) product = scaled(product, real<T>(-1));
    if (lane) return;
    const bool zero = p.info[i] > 0;
    reinterpret_cast<T *>(p.sign)[i] = zero ? T{} : product;
    reinterpret_cast<real<T> *>(p.w)[i] = zero ? -real<T>(INFINITY) : logarithms;
}

} // namespace la
} // namespace gnd

enum { LU, CHOLESKY, PRODUCT };

template <class T> static const void *kernel_of(int which) {
    switch (which) {
    case LU: return reinterpret_cast<const void *>(&gnd::la::small_lu_kernel<T>);
    case CHOLESKY: return reinterpret_cast<const void *>(&gnd::la::small_cholesky_kernel<T>);
    default: return reinterpret_cast<const void *>(&gnd::la::product_kernel<T>);
    }
}

// Which: 0 LU and what follows, 1 Cholesky, 2 determinants from factors.
extern "C" const void *gndi_cuda_lapack_small_kernel(int type, int which) {
    switch (type) {
    case 0: return kernel_of<float>(which);
    case 1: return kernel_of<double>(which);
    case 2: return kernel_of<gnd::complex<float>>(which);
    default: return kernel_of<gnd::complex<double>>(which);
    }
}
