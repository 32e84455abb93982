// weights_kernels.cu: weights of beamformers of at most 64 sensors, a block for each covariance. Covariances that are
// Hermitian and positive definite have an L D L^H factorisation without pivots (weights_hermitian.cuh). For others a
// block solves C x = v by Gauss and Jordan's elimination with the largest pivot of each column: a thread has every 16th
// row and column of the matrix, 4 x 4 elements, in registers. A step puts a column into shared memory, in which each
// warp finds the pivot for itself, and then the pivot's row, of which multiples are subtracted from all other rows;
// rows stay where they are. Missing sensors are rows of the identity. The loop over columns is not unrolled but for a
// thread's own four: one block alone, which runs each instruction of its own once, would wait for instructions.
#include "kernels/cuda/early_start.cuh"
#include "kernels/cuda/report_fault.cuh"
#include "radar/cuda/weights_hermitian.cuh"

namespace gnd {
namespace weights {

static_assert(N == 2 * WARP, "a lane looks at two rows");

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

// The leading bits of a number that is not negative, which are in its order.
GNDI_FN int order_of(float size) {
    return __float_as_int(size);
}
GNDI_FN int order_of(double size) {
    return __double2hiint(size);
}
// About 1 / size, a power of two.
GNDI_FN float scale_of(float size) {
    const int bits = 0x7f000000 - (__float_as_int(size) & 0x7f800000);
    return __int_as_float(bits > 0x00800000 ? bits : 0x00800000);
}
GNDI_FN double scale_of(double size) {
    const int bits = 0x7fe00000 - (__double2hiint(size) & 0x7ff00000);
    return __hiloint2double(bits > 0x00100000 ? bits : 0x00100000, 0);
}
template <class R> GNDI_FN complex<R> product(complex<R> a, complex<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R> GNDI_FN complex<R> inverse(complex<R> b) {
    const R scale = scale_of(size_of(b));
    b.re *= scale, b.im *= scale;
    const R by = scale / (b.re * b.re + b.im * b.im);
    return {b.re * by, -b.im * by};
}

// The largest of a warp's, in all lanes.
GNDI_FN int largest_of(int x) {
#if __CUDA_ARCH__ >= 800
    return __reduce_max_sync(0xffffffff, x);
#else
#    pragma unroll
    for (int width = WARP / 2; width > 0; width /= 2) {
        const int there = __shfl_xor_sync(0xffffffff, x, width);
        x = there > x ? there : x;
    }
    return x;
#endif
}
// The row of the largest element of a column among those that are not used: the same in all lanes.
template <class R> GNDI_FN int find_pivot(const complex<R> *column, uint64_t used) {
    const int lane = (int)threadIdx.x % WARP;
    const int low = used >> lane & 1 ? -1 : order_of(size_of(column[lane]));
    const int high = used >> (lane + WARP) & 1 ? -1 : order_of(size_of(column[lane + WARP]));
    const int best = largest_of(low > high ? low : high);
    const unsigned in_low = __ballot_sync(0xffffffff, low == best), in_high = __ballot_sync(0xffffffff, high == best);
    return in_low ? __ffs((int)in_low) - 1 : WARP - 1 + __ffs((int)in_high);
}

template <class R> struct block {
    complex<R> column[N], row[N], right_of_row, right[N], pivot[N];
    int unknown[N]; // that a row has been the pivot of
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

// One of a thread's rows.
template <class R> GNDI_FN complex<R> pick(const complex<R> *of, int step, int which) {
    complex<R> x = of[0];
#pragma unroll
    for (int r = 1; r < EACH; r++)
        if (which == r) x = of[r * step];
    return x;
}

template <class R> GNDI_FN void eliminate(const gndi_weights_params &p, block<R> &b, const complex<R> *c,
                                          const complex<R> *v, complex<R> *out) {
    const int n = p.plan.sensors, thread = (int)threadIdx.x, i = thread / SIDE, j = thread % SIDE;
    complex<R> a[EACH][EACH], right[EACH];
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        const int row = i + r * SIDE;
        right[r] = row < n ? v[row] : complex<R>{0, 0};
#pragma unroll
        for (int q = 0; q < EACH; q++) {
            const int column = j + q * SIDE;
            a[r][q] = row < n && column < n ? c[row * n + column] : complex<R>{(R)(row == column), 0};
        }
    }
    uint64_t used = 0;
#pragma unroll
    for (int part = 0; part < EACH; part++)
#pragma unroll 1
        for (int owner = 0; owner < SIDE; owner++) {
            const int step = part * SIDE + owner;
            if (j == owner)
#pragma unroll
                for (int r = 0; r < EACH; r++) b.column[i + r * SIDE] = a[r][part];
            __syncthreads();
            const int row = find_pivot(b.column, used);
            const complex<R> largest = b.column[row];
            used |= (uint64_t)1 << row;
            if (largest.re == 0 && largest.im == 0) {
                if (thread == 0 && p.fault)
                    report_fault(p.fault, GNDI_FAULT_SINGULAR, blockIdx.x, step + 1, p.plan.count);
                if (thread < n) out[thread] = {(R)NAN, (R)NAN};
                return;
            }
            if (i == row % SIDE) {
#pragma unroll
                for (int q = part; q < EACH; q++) b.row[j + q * SIDE] = pick(&a[0][q], EACH, row / SIDE);
                if (j == 0) b.right_of_row = pick(right, 1, row / SIDE), b.unknown[row] = step, b.pivot[row] = largest;
            }
            const complex<R> over = inverse(largest);
            complex<R> by[EACH];
#pragma unroll
            for (int r = 0; r < EACH; r++) {
                by[r] = product(b.column[i + r * SIDE], over);
                if (i + r * SIDE == row) by[r] = {0, 0};
            }
            __syncthreads();
#pragma unroll
            for (int q = part; q < EACH; q++) {
                const complex<R> of_row = b.row[j + q * SIDE];
#pragma unroll
                for (int r = 0; r < EACH; r++) a[r][q] = minus_product(a[r][q], by[r], of_row);
            }
#pragma unroll
            for (int r = 0; r < EACH; r++) right[r] = minus_product(right[r], by[r], b.right_of_row);
        }
    if (j == 0)
#pragma unroll
        for (int r = 0; r < EACH; r++) {
            const int row = i + r * SIDE;
            b.right[b.unknown[row]] = quotient(right[r], b.pivot[row]);
        }
    __syncthreads();
    const complex<R> gain = gain_of(b, v, n);
    if (thread < n) out[thread] = quotient(b.right[thread], gain);
}

// Four blocks of floats fit a processor, so that 512 covariances are there at once.
template <class R> __global__ void __launch_bounds__(THREADS, sizeof(R) == 4 ? 4 : 2)
    weights_kernel(const __grid_constant__ gndi_weights_params p) {
    __shared__ union {
        hermitian<R> definite;
        block<R> any;
    } b;
    const int n = p.plan.sensors;
    const complex<R> *c = (const complex<R> *)p.plan.c + (int64_t)blockIdx.x * n * n;
    const complex<R> *v = (const complex<R> *)p.plan.v + (int64_t)blockIdx.x * p.plan.v_step;
    complex<R> *out = (complex<R> *)p.plan.out + (int64_t)blockIdx.x * n;
    start_early();
    if (factorize(b.definite, n, c, v)) {
        if (threadIdx.x < WARP) substitute(b.definite, n, out);
        return;
    }
    __syncthreads(); // the memory is used again
    eliminate(p, b.any, c, v, out);
}

} // namespace weights
} // namespace gnd

extern "C" const void *gndi_cuda_weights_kernel(bool wide) {
    using namespace gnd::weights;
    return wide ? (const void *)weights_kernel<double> : (const void *)weights_kernel<float>;
}
