// overlap.cuh: transforms of tiles of 2^n complex elements in place, forward by decimation in frequency and back by
// decimation in time, so that nothing is ever put into order: what lies between them is a product of elements. Each
// thread has 16 or 32 elements in registers. A pass transforms elements of a thread's own, and before the next one they
// change threads through shared memory, where each thread writes the elements that it has read: a barrier for each
// exchange, and none but of a warp for the second one. Compiles on the host, too.
#ifndef GNDI_OVERLAP_CUH
#define GNDI_OVERLAP_CUH

#include "fft/cuda/fft_registers.cuh"
#include "fft/cuda/overlap_params.h"
#if !GNDI_ON_DEVICE
#    include <math.h>
#endif

namespace gnd {

// exp(-pi i x); x is exact.
GNDI_FN number<float> root_of_unity(float x) {
    float c, s;
#if GNDI_ON_DEVICE
    sincospif(x, &s, &c);
#else
    c = (float)cos(3.14159265358979323846 * x), s = (float)sin(3.14159265358979323846 * x);
#endif
    return {c, -s};
}
GNDI_FN number<double> root_of_unity(double x) {
    double c, s;
#if GNDI_ON_DEVICE
    sincospi(x, &s, &c);
#else
    c = cos(3.14159265358979323846 * x), s = sin(3.14159265358979323846 * x);
#endif
    return {c, -s};
}

// Tiles of N elements, C of them beside each other in shared memory. The radices are EACH, EACH and LAST. FEW: of each
// thread's roots of unity those of powers 1, 2, 3 and 4, 8, ... are in memory, and the others are products of them.
template <class R, int N, int C, int EACH = GNDI_OVERLAP_EACH, bool FEW = false> struct tile_fft {
    static constexpr int E = EACH, THREADS = N / E, LAST = N / (E * E);
    static constexpr int ROWS = FEW ? 2 + E / 4 : E - 1; // of roots
    static constexpr int SIZE = C > 1 ? N *C : N + N / E, ROOTS = ROWS * (THREADS + LAST);
    static_assert(LAST >= 2 && LAST <= E && LAST * C <= 32, "the second exchange is within a warp");
    static_assert(FEW || (E == GNDI_OVERLAP_EACH && ROOTS == GNDI_OVERLAP_ROOTS(N)), "what the host asks for");
    static_assert(FEW || C > 1 || SIZE == GNDI_OVERLAP_FRAME(N), "what the host asks for");

    // In shared memory there is a gap behind each E elements, so that threads use different banks.
    GNDI_FN int offset(int i) { return (i + i / E) * C; }
    // Where the first element of thread t is before a pass, and element e from there.
    template <int pass> GNDI_FN int first(int t) {
        return offset(pass == 0 ? t : pass == 1 ? t / LAST * THREADS + t % LAST : t * E);
    }
    template <int pass> GNDI_FN int element(int e) { return offset(e * (pass == 0 ? THREADS : pass == 1 ? LAST : 1)); }

    template <int pass> GNDI_FN void put(const number<R> *v, number<R> *tile, int t) {
        number<R> *to = tile + first<pass>(t);
#pragma unroll
        for (int e = 0; e < E; e++) to[element<pass>(e)] = v[e];
    }
    template <int pass> GNDI_FN void get(number<R> *v, const number<R> *tile, int t) {
        const number<R> *from = tile + first<pass>(t);
#pragma unroll
        for (int e = 0; e < E; e++) v[e] = from[element<pass>(e)];
    }

    // exp(-2 pi i t k / N) at THREADS row + t, k being the power of the row, and behind them the same of the second
    // pass, of N / E.
    GNDI_FN int power_of(int row) {
        return FEW && row >= 3 ? 4 * (row - 2) : row + 1;
    }
    GNDI_FN void fill_roots(number<R> *roots, int thread, int threads) {
        if constexpr (FEW && sizeof(R) == 8) {
            fill_by_products(roots, thread, threads);
        } else {
            for (int i = thread; i < ROOTS; i += threads) {
                const bool second = i >= ROWS * THREADS;
                const int j = second ? i - ROWS * THREADS : i, width = second ? LAST : THREADS;
                const int power = power_of(j / width) * (j % width);
                roots[i] = root_of_unity((R)power * (second ? (R)2 * E / N : (R)2 / N));
            }
        }
    }
    // The same by products of the first power, within a few roundings: sine and cosine of double for all of them take
    // 2 us of the 26 of 128 lines of 9000.
    GNDI_FN void fill_by_products(number<R> *roots, int thread, int threads) {
        for (int i = thread; i < THREADS + LAST; i += threads) {
            const bool second = i >= THREADS;
            const int j = second ? i - THREADS : i, width = second ? LAST : THREADS;
            number<R> *to = roots + (second ? ROWS * THREADS : 0) + j;
            const number<R> one = root_of_unity((R)j * (second ? (R)2 * E / N : (R)2 / N)), two = one * one;
            const number<R> four = two * two;
            to[0] = one, to[width] = two, to[2 * width] = two * one;
            number<R> power = four;
#pragma unroll
            for (int row = 3; row < ROWS; row++, power = power * four) to[row * width] = power;
        }
    }
    template <int pass, int sign> GNDI_FN void turn(number<R> *v, const number<R> *roots, int t) {
        constexpr int WIDTH = pass == 0 ? THREADS : LAST;
        const number<R> *root = pass == 0 ? roots + t : roots + ROWS * THREADS + t % LAST;
        if constexpr (FEW) {
            number<R> one[4];
#pragma unroll
            for (int k = 1; k < 4; k++) one[k] = root[(k - 1) * WIDTH], v[k] = turned_by<sign>(v[k], one[k]);
#pragma unroll
            for (int k = 4; k < E; k += 4) {
                const number<R> four = root[(k / 4 + 2) * WIDTH];
                v[k] = turned_by<sign>(v[k], four);
#pragma unroll
                for (int i = 1; i < 4; i++) v[k + i] = turned_by<sign>(v[k + i], four * one[i]);
            }
        } else {
#pragma unroll
            for (int k = 1; k < E; k++) v[k] = turned_by<sign>(v[k], root[(k - 1) * WIDTH]);
        }
    }
    template <int sign> GNDI_FN number<R> turned_by(number<R> a, number<R> w) {
        return a * (sign < 0 ? w : conj(w));
    }

    static __device__ __forceinline__ void wait() {
        if constexpr (C == 1 && THREADS <= 32)
            __syncwarp();
        else
            __syncthreads();
    }
    // From elements t + e THREADS of a tile to elements of its spectrum, in an order of its own; without a factor.
    static __device__ __forceinline__ void forward(number<R> *v, number<R> *tile, const number<R> *roots, int t) {
        dft<E, -1, 1>(v);
        turn<0, -1>(v, roots, t);
        put<0>(v, tile, t);
        wait();
        get<1>(v, tile, t);
        dft<E, -1, 1>(v);
        turn<1, -1>(v, roots, t);
        put<1>(v, tile, t);
        __syncwarp();
        get<2>(v, tile, t);
#pragma unroll
        for (int e = 0; e < E; e += LAST) dft<LAST, -1, 1>(v + e);
    }
    // Behind the first part a thread's elements in shared memory, those of get<0>, are no other thread's.
    static __device__ __forceinline__ void back(number<R> *v, number<R> *tile, const number<R> *roots, int t) {
        back_first(v, tile, roots, t);
        back_last(v, roots, t);
    }
    static __device__ __forceinline__ void back_first(number<R> *v, number<R> *tile, const number<R> *roots, int t) {
#pragma unroll
        for (int e = 0; e < E; e += LAST) dft<LAST, 1, 1>(v + e);
        put<2>(v, tile, t);
        __syncwarp();
        get<1>(v, tile, t);
        turn<1, 1>(v, roots, t);
        dft<E, 1, 1>(v);
        put<1>(v, tile, t);
        wait();
        get<0>(v, tile, t);
    }
    static __device__ __forceinline__ void back_last(number<R> *v, const number<R> *roots, int t) {
        turn<0, 1>(v, roots, t);
        dft<E, 1, 1>(v);
    }
};

// ---- elements of tiles in memory ------------------------------------------------------------------

// The elements low .. low + count - 1 of a tile.
struct span {
    int low, count;
    __device__ __forceinline__ bool has(int i) const { return (unsigned)(i - low) < (unsigned)count; }
};
// Those of a tile of n elements that lie within a line of `length` elements, in which the tile begins at `begin`.
GNDI_FN span span_within(int64_t begin, int64_t length, int n) {
    const int64_t low = begin < 0 ? -begin : 0, high = length - begin < n ? length - begin : n;
    return {(int)(low < n ? low : n), (int)(high > low ? high - low : 0)};
}
// From `at` on, as many as are wanted of `left`.
GNDI_FN span span_from(int at, int64_t wanted, int64_t left) {
    const int64_t count = left < wanted ? left : wanted;
    return {at, (int)(count > 0 ? count : 0)};
}

// Results are not read again: they leave the caches first.
#if GNDI_ON_DEVICE
GNDI_FN void store_once(float *to, float x) {
    __stcs(to, x);
}
GNDI_FN void store_once(double *to, double x) {
    __stcs(to, x);
}
GNDI_FN void store_once(number<float> *to, number<float> x) {
    __stcs(reinterpret_cast<float2 *>(to), float2{x.re, x.im});
}
GNDI_FN void store_once(number<double> *to, number<double> x) {
    __stcs(reinterpret_cast<double2 *>(to), double2{x.re, x.im});
}
#else
template <class T> GNDI_FN void store_once(T *to, T x) {
    *to = x;
}
#endif

// Elements t + e STEP of two real tiles as one complex tile, and of a complex one; and back.
template <int STEP, class R> GNDI_FN void load_two(number<R> *v, const R *a, span in_a, const R *b, span in_b, int t) {
    a += t, b += t;
#pragma unroll
    for (int e = 0; e < GNDI_OVERLAP_EACH; e++) {
        v[e].re = in_a.has(t + e * STEP) ? a[e * STEP] : (R)0;
        v[e].im = in_b.has(t + e * STEP) ? b[e * STEP] : (R)0;
    }
}
template <int STEP, class R> GNDI_FN void load_one(number<R> *v, const number<R> *a, span in, int t) {
    a += t;
#pragma unroll
    for (int e = 0; e < GNDI_OVERLAP_EACH; e++) v[e] = in.has(t + e * STEP) ? a[e * STEP] : number<R>{0, 0};
}
template <int STEP, class R> GNDI_FN void store_two(const number<R> *v, R *a, span in_a, R *b, span in_b, int t) {
    a += t, b += t;
#pragma unroll
    for (int e = 0; e < GNDI_OVERLAP_EACH; e++) {
        if (in_a.has(t + e * STEP)) store_once(a + e * STEP, v[e].re);
        if (in_b.has(t + e * STEP)) store_once(b + e * STEP, v[e].im);
    }
}
template <int STEP, class R> GNDI_FN void store_one(const number<R> *v, number<R> *a, span in, int t) {
    a += t;
#pragma unroll
    for (int e = 0; e < GNDI_OVERLAP_EACH; e++)
        if (in.has(t + e * STEP)) store_once(a + e * STEP, v[e]);
}

template <class R> GNDI_FN number<R> scaled(number<R> a, double scale) {
    return {a.re * (R)scale, a.im * (R)scale};
}

} // namespace gnd

#endif
