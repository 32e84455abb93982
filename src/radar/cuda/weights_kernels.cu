// weights_kernels.cu: weights of beamformers of at most 64 sensors. A block solves C x = v by Gauss and Jordan's
// elimination with the largest pivot of each column: four threads have a row, each every fourth column in registers. A
// step puts a column into shared memory, in which each warp finds the pivot for itself, and then the pivot's row, of
// which multiples are subtracted from all other rows; rows stay where they are. Missing sensors are rows of the
// identity.
#include "kernels/cuda/report_fault.cuh"
#include "kernels/scalar/scalar_types.h"
#include "radar/cuda/weights_params.h"

namespace gnd {
namespace weights {

enum {
    N = GNDI_COVARIANCE_SENSORS,
    THREADS = GNDI_WEIGHTS_THREADS,
    SIDE = THREADS / N, // threads of a row
    EACH = N / SIDE,    // columns of a thread
    WARP = 32,
};
static_assert(N == 2 * WARP, "a lane looks at two rows");

template <class R> GNDI_FN complex<R> minus_product(complex<R> x, complex<R> a, complex<R> b) {
    x.re -= a.re * b.re - a.im * b.im;
    x.im -= a.re * b.im + a.im * b.re;
    return x;
}
// The larger part: a measure of a pivot that neither overflows nor vanishes.
template <class R> GNDI_FN R size_of(complex<R> a) {
    const R re = a.re < 0 ? -a.re : a.re, im = a.im < 0 ? -a.im : a.im;
    if (re != re || im != im) return (R)INFINITY;
    return re > im ? re : im;
}
template <class R> GNDI_FN complex<R> quotient(complex<R> a, complex<R> b) {
    const R over = 1 / size_of(b);
    b.re *= over, b.im *= over;
    const R by = over / (b.re * b.re + b.im * b.im);
    return {(a.re * b.re + a.im * b.im) * by, (a.im * b.re - a.re * b.im) * by};
}

// The row of the largest element of a column among those that are not used: the same in all lanes.
template <class R> GNDI_FN int find_pivot(const complex<R> *column, uint64_t used) {
    const int lane = (int)threadIdx.x % WARP;
    int row = lane;
    R best = used >> lane & 1 ? (R)-1 : size_of(column[lane]);
    const R other = used >> (lane + WARP) & 1 ? (R)-1 : size_of(column[lane + WARP]);
    if (other > best) best = other, row = lane + WARP;
#pragma unroll
    for (int width = WARP / 2; width > 0; width /= 2) {
        const R there = __shfl_xor_sync(0xffffffff, best, width);
        const int at = __shfl_xor_sync(0xffffffff, row, width);
        if (there > best || (there == best && at < row)) best = there, row = at;
    }
    return row;
}

template <class R> struct block {
    complex<R> column[2][N], row[N], right_of_row, right[N];
    R re[N], im[N];
};

// (v^H x): in all threads.
template <class R> GNDI_FN complex<R> gain_of(block<R> &b, const complex<R> *v, int n) {
    const int k = (int)threadIdx.x;
    if (k < N) {
        const complex<R> x = b.right[k];
        b.re[k] = k < n ? v[k].re * x.re + v[k].im * x.im : 0;
        b.im[k] = k < n ? v[k].re * x.im - v[k].im * x.re : 0;
    }
    __syncthreads();
    complex<R> gain = {0, 0};
    for (int i = 0; i < n; i++) gain.re += b.re[i], gain.im += b.im[i];
    return gain;
}

template <class R> __global__ void __launch_bounds__(THREADS)
    weights_kernel(const __grid_constant__ gndi_weights_params p) {
    __shared__ block<R> b;
    const int n = p.plan.sensors, i = (int)threadIdx.x / SIDE, q = (int)threadIdx.x % SIDE;
    const complex<R> *c = (const complex<R> *)p.plan.c + (int64_t)blockIdx.x * n * n;
    const complex<R> *v = (const complex<R> *)p.plan.v + (int64_t)blockIdx.x * p.plan.v_step;
    complex<R> *out = (complex<R> *)p.plan.out + (int64_t)blockIdx.x * n;
    complex<R> a[EACH], right = {0, 0};
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int j = k * SIDE + q;
        a[k] = complex<R>{(R)(i == j), 0};
        if (i < n && j < n) a[k] = c[i * n + j];
    }
    if (i < n) right = v[i];
    uint64_t used = 0;
    int unknown = 0; // that this row has been the pivot of
    complex<R> pivot = {1, 0};
#pragma unroll
    for (int k = 0; k < EACH; k++)
#pragma unroll
        for (int owner = 0; owner < SIDE; owner++) {
            const int step = k * SIDE + owner;
            complex<R> *column = b.column[step & 1];
            if (q == owner) column[i] = a[k];
            __syncthreads();
            const int row = find_pivot(column, used);
            const complex<R> largest = column[row];
            used |= (uint64_t)1 << row;
            if (i == row) {
#pragma unroll
                for (int m = k; m < EACH; m++) b.row[m * SIDE + q] = a[m];
                if (q == 0) b.right_of_row = right;
                unknown = step, pivot = largest;
            }
            __syncthreads();
            if (largest.re == 0 && largest.im == 0) {
                if (threadIdx.x == 0 && p.fault)
                    report_fault(p.fault, GNDI_FAULT_SINGULAR, blockIdx.x, step + 1, p.plan.count);
                if ((int)threadIdx.x < n) out[threadIdx.x] = {(R)NAN, (R)NAN};
                return;
            }
            if (i == row) continue;
            const complex<R> by = quotient(column[i], largest);
#pragma unroll
            for (int m = k; m < EACH; m++) a[m] = minus_product(a[m], by, b.row[m * SIDE + q]);
            right = minus_product(right, by, b.right_of_row);
        }
    if (q == 0) b.right[unknown] = quotient(right, pivot);
    __syncthreads();
    const complex<R> gain = gain_of(b, v, n);
    if ((int)threadIdx.x < n) out[threadIdx.x] = quotient(b.right[threadIdx.x], gain);
}

} // namespace weights
} // namespace gnd

extern "C" const void *gndi_cuda_weights_kernel(bool wide) {
    using namespace gnd::weights;
    return wide ? (const void *)weights_kernel<double> : (const void *)weights_kernel<float>;
}
