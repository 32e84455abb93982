// fft_block.cuh: transforms of small frames by one block, in shared memory: Stockham's passes between two copies of the
// frames, with exp(+ 2 pi i j k / n) and no factor. Each frame is computed in one way, whichever others are beside it.
#ifndef GNDI_FFT_BLOCK_CUH
#define GNDI_FFT_BLOCK_CUH

#include "fft/cuda/fft_registers.cuh"

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

// Complex numbers in shared memory, which are read and written at once.
template <class R> GNDI_FN const number<R> *numbers(const complex<R> *from) {
    return reinterpret_cast<const number<R> *>(from);
}
// Where the results of a pass go: element i of a frame.
template <class R> struct frames_store {
    number<R> *to;
    int n;
    GNDI_FN_MEMBER void operator()(int frame, int i, number<R> z) const { to[frame * n + i] = z; }
};

// One pass of Stockham's transform of all frames: radix r, after radices whose product is `stride`. Element b + j n / r
// of the input goes to outputs that are `stride` apart. wave[k] = exp(2 pi i k / n); the last pass turns nothing.
template <int r, int THREADS, class R, class Store>
GNDI_FN void radix_pass(const number<R> *from, const number<R> *wave, int n, int stride, int all, const Store &store) {
    const int part = n / r;
    const pass_divisor parts = pass_divisor::of(part), strides = pass_divisor::of(stride);
    const bool last = part == stride;
    for (int e = (int)threadIdx.x; e < all / r; e += THREADS) {
        const int frame = parts.quotient(e), b = e - frame * part;
        const int turn = last ? 0 : strides.quotient(b) * stride, q = b - turn; // turn = p * stride
        number<R> x[r];
#pragma unroll
        for (int j = 0; j < r; j++) x[j] = from[frame * n + b + j * part];
        if constexpr (r == 2 || r == 4) {
            dft<r, 1, 1>(x);
        } else {
            number<R> y[r];
#pragma unroll
            for (int k = 0; k < r; k++) {
                y[k] = x[0];
#pragma unroll
                for (int j = 1; j < r; j++) y[k] = y[k] + x[j] * wave[j * k % r * part];
            }
#pragma unroll
            for (int k = 0; k < r; k++) x[k] = y[k];
        }
        store(frame, turn * r + q, x[0]);
#pragma unroll
        for (int k = 1; k < r; k++) {
            if (!last) x[k] = x[k] * wave[turn * k];
            store(frame, turn * r + q + k * stride, x[k]);
        }
    }
}

// The same for any radix, an output at a time.
template <int THREADS, class R, class Store> GNDI_FN void any_pass(const number<R> *from, const number<R> *wave, int n,
                                                                   int stride, int r, int all, const Store &store) {
    const int part = n / r;
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int frame = e / n, k = e % n / part, b = e % part, q = b % stride, turn = b - q;
        number<R> sum = from[frame * n + b];
        for (int j = 1; j < r; j++) sum = sum + from[frame * n + b + j * part] * wave[j * k % r * part];
        store(frame, turn * r + q + k * stride, sum * wave[turn * k]);
    }
}

template <int THREADS, class R, class Store> GNDI_FN void pass_of(int r, const number<R> *from, const number<R> *wave,
                                                                  int n, int stride, int all, const Store &store) {
    switch (r) {
    case 4: radix_pass<4, THREADS>(from, wave, n, stride, all, store); break;
    case 2: radix_pass<2, THREADS>(from, wave, n, stride, all, store); break;
    case 3: radix_pass<3, THREADS>(from, wave, n, stride, all, store); break;
    case 5: radix_pass<5, THREADS>(from, wave, n, stride, all, store); break;
    default: any_pass<THREADS>(from, wave, n, stride, r, all, store);
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

// The first `passes` passes of the transforms of `frames` frames of n elements, whose radices are `factor`; where the
// results are. All threads have written their elements and the roots before, and may read the results behind.
template <int THREADS, class R> GNDI_FN complex<R> *transform(complex<R> *from, complex<R> *to, const complex<R> *wave,
                                                              int n, int frames, const int *factor, int passes) {
    int stride = 1;
    for (int pass = 0; pass < passes; pass++) {
        const frames_store<R> store = {reinterpret_cast<number<R> *>(to), n};
        pass_of<THREADS>(factor[pass], numbers(from), numbers(wave), n, stride, n * frames, store);
        stride *= factor[pass];
        complex<R> *const other = from;
        from = to, to = other;
        __syncthreads();
    }
    return from;
}

// All of them, with the results to `store`, and not back to the frames.
template <int THREADS, class R, class Store> GNDI_FN void transform_to(const Store &store, complex<R> *from,
                                                                       complex<R> *to, const complex<R> *wave, int n,
                                                                       int frames, const int *factor, int factors) {
    const number<R> *const now = numbers(transform<THREADS>(from, to, wave, n, frames, factor, factors - 1));
    if (factors == 0)
        for (int f = (int)threadIdx.x; f < frames; f += THREADS) store(f, 0, now[f]);
    else
        pass_of<THREADS>(factor[factors - 1], now, numbers(wave), n, n / factor[factors - 1], n * frames, store);
    __syncthreads();
}

} // namespace gnd

#endif
