// weights_hermitian.cuh: x = C^-1 v / (v^H C^-1 v) of a Hermitian, positive definite C of at most 64 rows, by a block:
// C = L D L^H without pivots. A thread has every 16th row and column of the lower triangle in registers; a step puts
// column k of L d_k into shared memory, where it stays for the substitution backward, and subtracts its outer product
// from the rest: one barrier a step. L z = v goes along with the steps; v^H C^-1 v is the sum of |z_k|^2 / d_k.
//
// 512 covariances of 64 sensors are 17 MB, 4 us, and 64 dependent steps of about 150 cycles, 6 us; what binds are
// about 50 instructions of a thread in each step, 15 us.
#ifndef GNDI_WEIGHTS_HERMITIAN_CUH
#define GNDI_WEIGHTS_HERMITIAN_CUH

#include "kernels/scalar/scalar_types.h"
#include "radar/cuda/weights_params.h"

namespace gnd {
namespace weights {

enum {
    N = GNDI_COVARIANCE_SENSORS,
    THREADS = GNDI_WEIGHTS_THREADS,
    SIDE = 16,       // threads of a row, and of a column
    EACH = N / SIDE, // rows and columns of a thread
    WARP = 32,
};
static_assert(THREADS == SIDE * SIDE, "");

// Variances whose products neither overflow nor vanish; and what part of them is rounding: the two triangles, of which
// the mean is taken, may differ by it, and a pivot must be more of its variance.
template <class R> struct limits;
template <> struct limits<float> {
    static constexpr float least = 1e-15f, most = 1e15f, rounding = 16 * 1.1920929e-7f;
};
template <> struct limits<double> {
    static constexpr double least = 1e-120, most = 1e120, rounding = 16 * 2.220446049250313e-16;
};

template <class R> GNDI_FN complex<R> conjugate(complex<R> a) {
    return {a.re, -a.im};
}
// x - a b, in four operations that are each rounded once.
template <class R> GNDI_FN complex<R> minus_product(complex<R> x, complex<R> a, complex<R> b) {
    x.re -= a.re * b.re, x.im -= a.re * b.im;
    x.re += a.im * b.im, x.im -= a.im * b.re;
    return x;
}
// Within 1 ulp, of a normal number whose reciprocal is one.
GNDI_FN float reciprocal(float x) {
    float y;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return fmaf(y, fmaf(-x, y, 1.0f), y);
}
GNDI_FN double reciprocal(double x) {
    return 1 / x;
}

template <class R> struct hermitian {
    complex<R> columns[N * (N + 1) / 2]; // of L D: row i of column k, i >= k, at begin_of(k) + i
    complex<R> z[N];
    R variances[N], over[N]; // the diagonal of C; of D, 1 / d_k
};
// Lanes that read a row, of as many columns, meet in no bank: triangular numbers differ modulo a power of two.
GNDI_FN int begin_of(int k) {
    return k * N - k * (k + 1) / 2;
}

// Loads a thread's elements, and those opposite. Whether they are a covariance's.
template <class R>
GNDI_FN bool load_triangle(hermitian<R> &s, int n, const complex<R> *c, complex<R> (&a)[EACH][EACH]) {
    const int i = (int)threadIdx.x / SIDE, j = (int)threadIdx.x % SIDE;
    R of_column[EACH];
    bool good = true;
#pragma unroll
    for (int r = 0; r < EACH; r++) {
        const int row = i + r * SIDE, column = j + r * SIDE;
        of_column[r] = column < n ? c[column * (n + 1)].re : 1;
        const R of_row = row < n ? c[row * (n + 1)].re : 1;
        good = good && of_row > limits<R>::least && of_row < limits<R>::most;
        if (j == 0) s.variances[row] = of_row;
#pragma unroll
        for (int q = 0; q <= r; q++) {
            const int other = j + q * SIDE;
            complex<R> x = {(R)(row == other), 0}, y = x;
            if (row < n && other < n) x = c[row * n + other], y = c[other * n + row];
            const R re = x.re - y.re, im = x.im + y.im;
            good = good && re * re + im * im <= limits<R>::rounding * limits<R>::rounding * of_row * of_column[q];
            a[r][q] = {(x.re + y.re) / 2, (x.im - y.im) / 2};
        }
    }
    return good;
}

// L, D and z. False, in all threads, if C is not Hermitian or not positive definite beyond rounding.
template <class R> GNDI_FN bool factorize(hermitian<R> &s, int n, const complex<R> *c, const complex<R> *v) {
    const int thread = (int)threadIdx.x, i = thread / SIDE, j = thread % SIDE;
    complex<R> a[EACH][EACH], right[EACH];
#pragma unroll
    for (int q = 0; q < EACH; q++) right[q] = i == 0 && j + q * SIDE < n ? v[j + q * SIDE] : complex<R>{0, 0};
    if (!__syncthreads_and(load_triangle(s, n, c, a))) return false;
#pragma unroll
    for (int part = 0; part < EACH; part++) {
        const int end = n - part * SIDE < SIDE ? n - part * SIDE : SIDE;
#pragma unroll 1
        for (int owner = 0; owner < end; owner++) {
            const int step = part * SIDE + owner;
            complex<R> *const column = s.columns + begin_of(step);
            if (j == owner) {
#pragma unroll
                for (int r = part; r < EACH; r++)
                    if (r > part || i >= owner) column[i + r * SIDE] = a[r][part];
                if (i == 0) s.z[step] = right[part];
            }
            __syncthreads();
            const R pivot = column[step].re;
            if (!(pivot > limits<R>::rounding * s.variances[step])) return false;
            const R over = reciprocal(pivot);
            complex<R> of_column[EACH];
#pragma unroll
            for (int q = part; q < EACH; q++) of_column[q] = column[j + q * SIDE];
#pragma unroll
            for (int r = part; r < EACH; r++) {
                complex<R> by = column[i + r * SIDE];
                by.re *= over, by.im *= over;
#pragma unroll
                for (int q = part; q <= r; q++) a[r][q] = minus_product(a[r][q], by, conjugate(of_column[q]));
            }
            if (i > 0) continue;
            const complex<R> z = {s.z[step].re * over, s.z[step].im * over};
#pragma unroll
            for (int q = part; q < EACH; q++) right[q] = minus_product(right[q], of_column[q], z);
            if (j == 0) s.over[step] = over;
        }
    }
    return true;
}

// L^H x = D^-1 z, and x over the sum of |z_k|^2 / d_k, by the block's first warp, which has 1 / d_k: a lane has rows
// k and k + 32.
template <class R> GNDI_FN void substitute(const hermitian<R> &s, int n, complex<R> *out) {
    const int lane = (int)threadIdx.x;
    complex<R> x[2] = {};
    R over[2] = {}, gain = 0;
    __syncwarp();
#pragma unroll
    for (int h = 0; h < 2; h++)
        if (lane + h * WARP < n) {
            x[h] = s.z[lane + h * WARP], over[h] = s.over[lane + h * WARP];
            gain += (x[h].re * x[h].re + x[h].im * x[h].im) * over[h];
        }
#pragma unroll
    for (int width = WARP / 2; width > 0; width /= 2) gain += __shfl_xor_sync(0xffffffff, gain, width);
#pragma unroll
    for (int h = 1; h >= 0; h--)
#pragma unroll 4
        for (int k = (n - h * WARP < WARP ? n - h * WARP : (int)WARP) - 1; k >= 0; k--) {
            const complex<R> of = {__shfl_sync(0xffffffff, x[h].re * over[h], k),
                                   __shfl_sync(0xffffffff, x[h].im * over[h], k)};
#pragma unroll
            for (int g = 0; g <= h; g++) {
                if (g == h && lane >= k) continue;
                const complex<R> l = s.columns[begin_of(lane + g * WARP) + k + h * WARP];
                x[g] = minus_product(x[g], conjugate(l), of);
            }
        }
#pragma unroll
    for (int h = 0; h < 2; h++)
        if (lane + h * WARP < n) out[lane + h * WARP] = {x[h].re * over[h] / gain, x[h].im * over[h] / gain};
}

} // namespace weights
} // namespace gnd

#endif
