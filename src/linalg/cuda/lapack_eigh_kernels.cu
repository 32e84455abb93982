// lapack_eigh_kernels.cu: eigenvalues and eigenvectors of small symmetric matrices, a block each. A + c I, with
// c twice a bound of A's eigenvalues, is positive definite, so that its left and its right singular vectors are A's
// eigenvectors: one-sided Jacobi (lapack_jacobi.cuh) rotates its columns to multiples of them, and only the columns
// have to be stored. The values are then v^H A v, in which an error of v enters squared, so that the shift by c
// costs no digits.
#include "linalg/cuda/lapack_eigh_params.h"
#include "linalg/cuda/lapack_jacobi.cuh"

namespace gnd {
namespace la {

extern __shared__ __align__(16) unsigned char memory_of_block[];

template <class T> struct eigh_block {
    jacobi_block<T> b; // its columns: of A + c I
    T *a;              // A, laid out like them
    int64_t ld;        // elements from column to column
    int n;
    real<T> *values, *scratch; // scratch: 32
    int *order;
    jacobi_seen *seen;
    int lane, warp, warps;
};

template <class T> GNDI_FN eigh_block<T> block_of(const gndi_eigh_params &p) {
    const int t = (int)threadIdx.x;
    eigh_block<T> e = {};
    e.b.x = reinterpret_cast<line<T> *>(memory_of_block);
    e.b.lines_x = p.lines, e.b.ldx = p.ld;
    e.b.lanes = p.lanes, e.b.lane = t & (p.lanes - 1), e.b.group = t / p.lanes;
    e.b.groups = (int)blockDim.x / p.lanes;
    e.b.tolerance = p.tolerance;
    e.a = reinterpret_cast<T *>(e.b.x + p.width * p.ld);
    e.ld = p.ld * line<T>::count;
    e.n = p.n;
    e.scratch = reinterpret_cast<real<T> *>(e.b.x + 2 * p.width * p.ld);
    e.values = e.scratch + 32;
    e.seen = reinterpret_cast<jacobi_seen *>(e.values + p.n + (p.n & 1));
    e.order = reinterpret_cast<int *>(e.seen + 2);
    e.lane = t & 31, e.warp = t >> 5, e.warps = (int)blockDim.x >> 5;
    return e;
}

// Loads A from its triangle, scaled; returns the power of two.
template <class T> GNDI_FN_HEAVY int load_symmetric(const eigh_block<T> &e, const gndi_eigh_params &p, const T *a) {
    real<T> largest = 0;
    for (int j = e.warp; j < p.width; j += e.warps) {
        for (int i = e.lane; i < e.ld; i += 32) {
            T own{};
            if (i < p.n && j < p.n) {
                const bool there = p.lower ? i >= j : i <= j;
                own = there ? a[i + j * p.a.ld] : conjugate(a[j + i * p.a.ld]);
                if (i == j) own = of_real<T>(real_of(own));
                const real<T> part = largest_part(own);
                largest = part > largest ? part : largest;
            }
            e.a[i + j * e.ld] = own;
        }
    }
    const int shift = scale_of(largest_of_block(largest, e.scratch));
    for (int j = e.warp; j < p.width; j += e.warps)
        for (int i = e.lane; i < e.ld; i += 32) {
            const T own = shifted(e.a[i + j * e.ld], shift);
            e.a[i + j * e.ld] = own;
            reinterpret_cast<T *>(e.b.x)[i + j * e.ld] = own;
        }
    __syncthreads();
    return shift;
}

// x = A + c I. The bound is the smaller of two: the largest sum of a column, the root of the sum of squares.
template <class T> GNDI_FN_HEAVY void move_spectrum(const eigh_block<T> &e) {
    typedef real<T> R;
    R widest = 0, squares = 0;
    for (int j = (int)threadIdx.x; j < e.n; j += (int)blockDim.x) {
        R sum = 0;
        for (int i = 0; i < e.n; i++) {
            sum += size_of(e.a[i + j * e.ld]);
            squares += square_of(e.a[i + j * e.ld]);
        }
        widest = sum > widest ? sum : widest;
    }
    widest = largest_of_block(widest, e.scratch);
    squares = sum_of(squares, 32);
    if (e.lane == 0) e.scratch[e.warp] = squares;
    __syncthreads();
    R all = 0;
    for (int i = 0; i < e.warps; i++) all += e.scratch[i];
    const R length = root(all), bound = length < widest ? length : widest;
    const R c = bound > 0 ? 2 * bound : R(1);
    for (int j = (int)threadIdx.x; j < e.n; j += (int)blockDim.x) {
        T &own = reinterpret_cast<T *>(e.b.x)[j + j * e.ld];
        own = plus(own, of_real<T>(c));
    }
    __syncthreads();
}

// Normalizes the columns and computes their v^H A v, a few columns at a time for each warp.
template <class T> GNDI_FN_HEAVY bool find_values(const eigh_block<T> &e) {
    typedef real<T> R;
    constexpr int few = 4;
    T *x = reinterpret_cast<T *>(e.b.x);
    bool broken = false;
    for (int j0 = e.warp * few; j0 < e.n; j0 += e.warps * few) {
#pragma unroll
        for (int c = 0; c < few; c++) { // the columns behind the last one exist, and are zero
            R sum = 0;
            for (int i = e.lane; i < e.n; i += 32) sum += square_of(x[i + (j0 + c) * e.ld]);
            sum = sum_of(sum, 32);
            broken |= !(sum < R(INFINITY));
            const R by = sum > 0 ? 1 / root(sum) : R(0);
            for (int i = e.lane; i < e.n; i += 32) x[i + (j0 + c) * e.ld] = scaled(x[i + (j0 + c) * e.ld], by);
        }
        __syncwarp();
        R value[few] = {};
        for (int i = e.lane; i < e.n; i += 32) {
            T row[few] = {};
            for (int k = 0; k < e.n; k++) {
                const T own = e.a[i + k * e.ld];
#pragma unroll
                for (int c = 0; c < few; c++) row[c] = plus_product(row[c], own, x[k + (j0 + c) * e.ld]);
            }
#pragma unroll
            for (int c = 0; c < few; c++) value[c] += real_of(plus_inner(T{}, x[i + (j0 + c) * e.ld], row[c]));
        }
#pragma unroll
        for (int c = 0; c < few; c++) {
            value[c] = sum_of(value[c], 32);
            if (e.lane == 0 && j0 + c < e.n) e.values[j0 + c] = value[c];
        }
    }
    return __syncthreads_or(broken) == 0;
}

// Stores the values in ascending order, and their vectors.
template <class T>
GNDI_FN_HEAVY void write_eigen(const eigh_block<T> &e, const gndi_eigh_params &p, int shift, int64_t matrix) {
    typedef real<T> R;
    R *w = reinterpret_cast<R *>(p.w) + matrix * p.n;
    for (int j = (int)threadIdx.x; j < e.n; j += (int)blockDim.x) {
        const R own = e.values[j];
        int rank = 0;
        for (int k = 0; k < e.n; k++) rank += e.values[k] < own || (e.values[k] == own && k < j);
        e.order[j] = rank;
        w[rank] = shifted(own, -shift);
    }
    __syncthreads();
    if (!p.vectors) return;
    T *a = reinterpret_cast<T *>(p.a.data + matrix * p.a.step);
    const T *x = reinterpret_cast<const T *>(e.b.x);
    for (int j = e.warp; j < e.n; j += e.warps)
        for (int i = e.lane; i < e.n; i += 32) a[i + e.order[j] * p.a.ld] = x[i + j * e.ld];
}

template <class T, int each> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    eigh_kernel(const __grid_constant__ gndi_eigh_params p) {
    const eigh_block<T> e = block_of<T>(p);
    for (int64_t i = blockIdx.x; i < p.batch; i += gridDim.x) {
        const int shift = load_symmetric(e, p, reinterpret_cast<const T *>(p.a.data + i * p.a.step));
        move_spectrum(e);
        bool converged = rotate_whole<T, each>(e.b, p.width, p.n, e.seen);
        converged &= find_values(e);
        if (threadIdx.x == 0) p.info[i] = converged ? 0 : GNDI_JACOBI_SWEEPS;
        write_eigen(e, p, shift, i);
        __syncthreads();
    }
}

} // namespace la
} // namespace gnd

template <class T> static const void *kernel_of(int each) {
    using namespace gnd::la;
    return each == 1 ? reinterpret_cast<const void *>(&eigh_kernel<T, 1>)
                     : reinterpret_cast<const void *>(&eigh_kernel<T, 2>);
}

extern "C" const void *gndi_cuda_lapack_eigh_kernel(int type, int each) {
    switch (type) {
    case 0: return kernel_of<float>(each);
    case 1: return kernel_of<double>(each);
    case 2: return kernel_of<gnd::complex<float>>(each);
    default: return kernel_of<gnd::complex<double>>(each);
    }
}
