// lapack_kernels.cu: conversions between gnd's matrices and the routines of cuBLAS and cuSOLVER: arrays of
// addresses, infos to faults, pivots of another width, checks for finite values, triangles cleared and parts of
// matrices transposed.
#include "linalg/cuda/lapack_numbers.cuh"

namespace gnd {
namespace la {

constexpr int THREADS = GNDI_LAPACK_THREADS;

GNDI_FN int64_t thread_of_grid() {
    return (int64_t)blockIdx.x * THREADS + threadIdx.x;
}

__global__ void __launch_bounds__(THREADS) pointers_kernel(const __grid_constant__ gndi_pointers_params p) {
    const int64_t i = thread_of_grid();
    if (i >= p.batch) return;
    p.to[i] = p.base + i * p.step;
}

// The info of a matrix that failed, or 0.
GNDI_FN int failure_of(const gndi_report_params &p, int64_t i) {
    if (p.state && p.state[i] == GNDI_MATRIX_BROKEN) return 1;
    return p.info == p.state ? 0 : p.info[i];
}

// The first result of a matrix that was shrunk, which is its singular values, as they are: infinite, if they are too large.
template <class R> GNDI_FN void grow(const gndi_result &w, int64_t matrix) {
    R *values = reinterpret_cast<R *>(w.data + matrix * w.step);
    for (int64_t e = threadIdx.x; e < w.rows; e += THREADS) values[e] *= R(1ll << GNDI_SHRINK);
}

// A block checks as many infos as it has threads, and then fills the results of failed matrices with all of its
// threads. Infos below 0 (an argument that a routine refuses) are also reported by a status.
__global__ void __launch_bounds__(THREADS) report_kernel(const __grid_constant__ gndi_report_params p) {
    const int64_t first = (int64_t)blockIdx.x * THREADS;
    const int64_t own = first + threadIdx.x;
    const int info = own < p.batch ? failure_of(p, own) : 0;
    if (info) report_matrix(p.failure, info, own, p.batch);
    const bool shrunk = p.state && own < p.batch && p.state[own] == GNDI_MATRIX_SHRUNK;
    if (!__syncthreads_or(info != 0 || shrunk)) return;
    for (int64_t i = first; i < first + THREADS && i < p.batch; i++) {
        if (failure_of(p, i) == 0) {
            if (!p.state || p.state[i] != GNDI_MATRIX_SHRUNK) continue;
            if (p.result[0].word == 4)
                grow<float>(p.result[0], i);
            else
                grow<double>(p.result[0], i);
            continue;
        }
        for (int r = 0; r < p.results; r++) {
            const gndi_result &to = p.result[r];
            char *at = to.data + i * to.step;
            for (int64_t e = threadIdx.x; e < to.rows * to.columns; e += THREADS) {
                const int64_t offset = e % to.rows + e / to.rows * to.ld;
                if (to.word == 4)
                    reinterpret_cast<float *>(at)[offset] = NAN;
                else
                    reinterpret_cast<double *>(at)[offset] = (double)NAN;
            }
        }
    }
}

__global__ void __launch_bounds__(THREADS) pivots_kernel(const __grid_constant__ gndi_pivots_params p) {
    const int64_t i = thread_of_grid();
    if (i >= p.count) return;
    p.narrow[i] = (int32_t)p.wide[i];
}

// Exchanges are made one after the other, by one thread.
__global__ void __launch_bounds__(THREADS) permutation_kernel(const __grid_constant__ gndi_permutation_params p) {
    extern __shared__ int32_t numbers[];
    int32_t *order = numbers, *exchanges = numbers + p.m;
    const int32_t *pivots = p.pivots + blockIdx.x * p.steps;
    int64_t *to = p.to + blockIdx.x * p.m;
    for (int64_t i = threadIdx.x; i < p.m; i += THREADS) {
        if (p.shared)
            order[i] = (int32_t)i;
        else
            to[i] = i;
    }
    if (p.shared)
        for (int64_t k = threadIdx.x; k < p.steps; k += THREADS) exchanges[k] = pivots[k] - 1;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int64_t k = p.steps - 1; k >= 0; k--) {
            if (p.shared) {
                const int32_t with = exchanges[k], before = order[k];
                order[k] = order[with], order[with] = before;
            } else {
                const int64_t with = pivots[k] - 1, before = to[k];
                to[k] = to[with], to[with] = before;
            }
        }
    }
    __syncthreads();
    if (p.shared)
        for (int64_t i = threadIdx.x; i < p.m; i += THREADS) to[i] = order[i];
}

// A thread an element, over all matrices.
template <class T> __global__ void __launch_bounds__(THREADS)
    block_kernel(const __grid_constant__ gndi_block_params p) {
    const int64_t each = p.m * p.n, all = each * p.batch, stride = (int64_t)gridDim.x * THREADS;
    for (int64_t e = thread_of_grid(); e < all; e += stride) {
        const int64_t matrix = p.batch > 1 ? e / each : 0, inside = e - matrix * each;
        const int64_t j = each >> 32 ? inside / p.m : (uint32_t)inside / (uint32_t)p.m;
        const int64_t i = inside - j * p.m;
        const int64_t row = p.transposed ? j : i, column = p.transposed ? i : j;
        const bool taken = row < p.rows && column < p.columns && !(p.upper && row > column);
        if (p.keeps_lower ? i >= j : p.keeps_upper && i <= j) continue;
        T x{};
        if (taken) {
            x = reinterpret_cast<const T *>(p.from.data + matrix * p.from.step)[row + column * p.from.ld];
            if (p.transposed) x = conjugate(x);
        } else if (p.unit) {
            x = of_real<T>(i == j);
        }
        reinterpret_cast<T *>(p.to.data + matrix * p.to.step)[i + j * p.to.ld] = x;
    }
}

template <class T> __global__ void __launch_bounds__(THREADS)
    order_kernel(const __grid_constant__ gndi_order_params p) {
    const int64_t each = p.rows * p.columns, all = each * p.batch;
    const int64_t count = p.what == GNDI_ORDER_COLUMNS ? p.columns : p.rows;
    for (int64_t e = thread_of_grid(); e < all; e += (int64_t)gridDim.x * THREADS) {
        const int64_t matrix = p.batch > 1 ? e / each : 0, inside = e - matrix * each;
        const int64_t j = each >> 32 ? inside / p.rows : (uint32_t)inside / (uint32_t)p.rows;
        const int64_t i = inside - j * p.rows;
        const int64_t *order = p.order + matrix * count;
        const T *from = reinterpret_cast<const T *>(p.from.data + matrix * p.from.step);
        T *to = reinterpret_cast<T *>(p.to.data + matrix * p.to.step);
        if (p.what == GNDI_ORDER_COLUMNS)
            to[i + j * p.to.ld] = from[i + order[j] * p.from.ld];
        else if (p.what == GNDI_ORDER_GATHER)
            to[i + j * p.to.ld] = from[order[i] + j * p.from.ld];
        else
            to[order[i] + j * p.to.ld] = from[i + j * p.from.ld];
    }
}

// A block a matrix; all threads have read it before it is overwritten.
template <class T> __global__ void __launch_bounds__(GNDI_FINITE_THREADS)
    finite_kernel(const __grid_constant__ gndi_finite_params p) {
    const int64_t all = p.m * p.n;
    for (int64_t matrix = blockIdx.x; matrix < p.batch; matrix += gridDim.x) {
        T *a = reinterpret_cast<T *>(p.a.data + matrix * p.a.step);
        bool broken = false, large = false;
#pragma unroll 4
        for (int64_t e = threadIdx.x; e < all; e += blockDim.x) {
            const int64_t j = all >> 32 ? e / p.m : (uint32_t)e / (uint32_t)p.m, i = e - j * p.m;
            const T x = a[i + j * p.a.ld];
            if (p.lower ? i >= j : !p.upper || i <= j) broken |= !is_finite(x), large |= !is_moderate(x);
        }
        broken = __syncthreads_or(broken) != 0;
        large = p.shrinks && !broken && __syncthreads_or(large) != 0;
        if (threadIdx.x == 0)
            p.state[matrix] = broken ? GNDI_MATRIX_BROKEN : large ? GNDI_MATRIX_SHRUNK : GNDI_MATRIX_FINE;
        if (!broken && !large) continue;
        for (int64_t e = threadIdx.x; e < all; e += blockDim.x) {
            T &x = a[e % p.m + e / p.m * p.a.ld];
            x = broken ? T{} : scaled(x, real<T>(1) / real<T>(1ll << GNDI_SHRINK));
        }
    }
}

// A warp a matrix.
template <class T> __global__ void __launch_bounds__(THREADS)
    diagonal_kernel(const __grid_constant__ gndi_diagonal_params p) {
    const int64_t matrix = (int64_t)blockIdx.x * (THREADS / 32) + ((int)threadIdx.x >> 5);
    if (matrix >= p.batch) return;
    const T *a = reinterpret_cast<const T *>(p.a.data + matrix * p.a.step);
    for (int64_t k0 = 0; k0 < p.n; k0 += 32) {
        const int64_t k = k0 + ((int)threadIdx.x & 31);
        const unsigned zeros = __ballot_sync(ALL_LANES, k < p.n && is_zero(a[k < p.n ? k + k * p.a.ld : 0]));
        if (zeros) {
            if (((int)threadIdx.x & 31) == 0) p.info[matrix] = (int)k0 + __ffs((int)zeros);
            return;
        }
    }
    if (((int)threadIdx.x & 31) == 0) p.info[matrix] = 0;
}

// Where an eigenvalue's imaginary part is positive, the vectors of it and the next one are the real and
// the imaginary part; the next one's is their conjugate.
template <class R> __global__ void __launch_bounds__(THREADS)
    eigenvectors_kernel(const __grid_constant__ gndi_eigenvectors_params p) {
    const complex<R> *w = reinterpret_cast<const complex<R> *>(p.w);
    const R *packed = reinterpret_cast<const R *>(p.packed);
    complex<R> *v = reinterpret_cast<complex<R> *>(p.v);
    const int64_t all = p.n * p.n, stride = (int64_t)gridDim.x * THREADS;
    for (int64_t e = thread_of_grid(); e < all; e += stride) {
        const int64_t j = e / p.n, i = e - j * p.n;
        const R im = w[j].im;
        complex<R> x = {packed[e], R(0)};
        if (im > 0 && j + 1 < p.n)
            x.im = packed[e + p.n];
        else if (im < 0 && j > 0)
            x = {packed[e - p.n], -packed[e]};
        v[i + j * p.ld] = x;
    }
}

template <class T> static const void *kernel_of(int which) {
    if (which == GNDI_LAPACK_BLOCK) return reinterpret_cast<const void *>(&block_kernel<T>);
    if (which == GNDI_LAPACK_ORDER) return reinterpret_cast<const void *>(&order_kernel<T>);
    if (which == GNDI_LAPACK_FINITE) return reinterpret_cast<const void *>(&finite_kernel<T>);
    return reinterpret_cast<const void *>(&diagonal_kernel<T>);
}

} // namespace la
} // namespace gnd

// `type`: for kernels that are made for each type.
extern "C" const void *gndi_cuda_lapack_kernel(int type, int which) {
    using namespace gnd::la;
    switch (which) {
    case GNDI_LAPACK_POINTERS: return reinterpret_cast<const void *>(&pointers_kernel);
    case GNDI_LAPACK_REPORT: return reinterpret_cast<const void *>(&report_kernel);
    case GNDI_LAPACK_PIVOTS: return reinterpret_cast<const void *>(&pivots_kernel);
    case GNDI_LAPACK_EXCHANGES: return reinterpret_cast<const void *>(&permutation_kernel);
    case GNDI_LAPACK_EIGENVECTORS:
        return type & 1 ? reinterpret_cast<const void *>(&eigenvectors_kernel<double>)
                        : reinterpret_cast<const void *>(&eigenvectors_kernel<float>);
    default: break;
    }
    switch (type) {
    case 0: return kernel_of<float>(which);
    case 1: return kernel_of<double>(which);
    case 2: return kernel_of<gnd::complex<float>>(which);
    default: return kernel_of<gnd::complex<double>>(which);
    }
}
