// fft_block.cuh: transforms of small frames by one block, in shared memory: Stockham's passes between two copies of the
// frames, with exp(+ 2 pi i j k / n) and no factor. Each frame is computed in one way, whichever others are beside it.
#ifndef GNDI_FFT_BLOCK_CUH
#define GNDI_FFT_BLOCK_CUH

#include "kernels/scalar/scalar_types.h"

namespace gnd {

template <class R> GNDI_FN complex<R> times(complex<R> a, complex<R> b) {
    complex<R> c;
    c.re = a.re * b.re - a.im * b.im;
    c.im = a.re * b.im + a.im * b.re;
    return c;
}
template <class R> GNDI_FN complex<R> plus(complex<R> a, complex<R> b) {
    a.re += b.re, a.im += b.im;
    return a;
}
template <class R> GNDI_FN complex<R> minus(complex<R> a, complex<R> b) {
    a.re -= b.re, a.im -= b.im;
    return a;
}

// Division by what is the same for a whole pass: a shift where it is a power of two.
struct pass_divisor {
    int by, shift; // shift: -1 if it is none
    GNDI_FN pass_divisor of(int by) { return {by, (by & (by - 1)) == 0 ? __ffs(by) - 1 : -1}; }
    __device__ __forceinline__ int quotient(int e) const { return shift >= 0 ? e >> shift : e / by; }
};

// One pass of Stockham's transform of all frames: radix r, after radices whose product is `stride`. Element b + j n / r
// of the input goes to outputs that are `stride` apart. wave[k] = exp(2 pi i k / n).
template <int r, int THREADS, class R>
GNDI_FN void radix_pass(const complex<R> *from, complex<R> *to, const complex<R> *wave, int n, int stride, int all) {
    const int part = n / r;
    const pass_divisor parts = pass_divisor::of(part), strides = pass_divisor::of(stride);
    for (int e = (int)threadIdx.x; e < all / r; e += THREADS) {
        const int frame = parts.quotient(e), b = e - frame * part;
        const int turn = strides.quotient(b) * stride, q = b - turn; // turn = p * stride
        complex<R> x[r], y[r];
#pragma unroll
        for (int j = 0; j < r; j++) x[j] = from[frame * n + b + j * part];
        if constexpr (r == 4) {
            const complex<R> a = plus(x[0], x[2]), c = minus(x[0], x[2]), d = plus(x[1], x[3]), f = minus(x[1], x[3]);
            complex<R> g; // f times i
            g.re = -f.im, g.im = f.re;
            y[0] = plus(a, d), y[1] = plus(c, g), y[2] = minus(a, d), y[3] = minus(c, g);
        } else if constexpr (r == 2) {
            y[0] = plus(x[0], x[1]), y[1] = minus(x[0], x[1]);
        } else {
#pragma unroll
            for (int k = 0; k < r; k++) {
                y[k] = x[0];
#pragma unroll
                for (int j = 1; j < r; j++) y[k] = plus(y[k], times(x[j], wave[j * k % r * part]));
            }
        }
        complex<R> *out = to + frame * n + turn * r + q;
        out[0] = y[0];
#pragma unroll
        for (int k = 1; k < r; k++) out[k * stride] = times(y[k], wave[turn * k]);
    }
}

// The same for any radix, an output at a time.
template <int THREADS, class R> GNDI_FN void any_pass(const complex<R> *from, complex<R> *to, const complex<R> *wave,
                                                      int n, int stride, int r, int all) {
    const int part = n / r;
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int frame = e / n, k = e % n / part, b = e % part, q = b % stride, turn = b - q;
        complex<R> sum = from[frame * n + b];
        for (int j = 1; j < r; j++) sum = plus(sum, times(from[frame * n + b + j * part], wave[j * k % r * part]));
        to[frame * n + turn * r + q + k * stride] = times(sum, wave[turn * k]);
    }
}

// The roots of unity that the passes use.
template <int THREADS, class R> GNDI_FN void fill_wave(complex<R> *wave, int n) {
    for (int k = (int)threadIdx.x; k < n; k += THREADS) {
        double re, im;
        sincospi(2.0 * k / n, &im, &re);
        wave[k].re = (R)re, wave[k].im = (R)im;
    }
}

// All passes of the transforms of `frames` frames of n elements, whose radices are `factor`; where the result is. All
// threads have written their elements and the roots before, and may read the result behind.
template <int THREADS, class R> GNDI_FN complex<R> *transform(complex<R> *from, complex<R> *to, const complex<R> *wave,
                                                              int n, int frames, const int *factor, int factors) {
    const int all = n * frames;
    int stride = 1;
    for (int pass = 0; pass < factors; pass++) {
        const int r = factor[pass];
        switch (r) {
        case 4: radix_pass<4, THREADS>(from, to, wave, n, stride, all); break;
        case 2: radix_pass<2, THREADS>(from, to, wave, n, stride, all); break;
        case 3: radix_pass<3, THREADS>(from, to, wave, n, stride, all); break;
        case 5: radix_pass<5, THREADS>(from, to, wave, n, stride, all); break;
        default: any_pass<THREADS>(from, to, wave, n, stride, r, all); break;
        }
        stride *= r;
        complex<R> *const other = from;
        from = to, to = other;
        __syncthreads();
    }
    return from;
}

} // namespace gnd

#endif
