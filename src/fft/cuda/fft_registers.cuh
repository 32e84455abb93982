// fft_registers.cuh: transforms of 2^n complex elements by a group of threads, which have E each of them in registers.
// Element number e of thread t is number t + e * THREADS of the frame, before the transform and behind it. A pass
// transforms elements of a thread's own; between passes they change threads through shared memory, once where N is at
// most E * E. Each frame is computed in one way, whichever others are beside it.
#ifndef GNDI_FFT_REGISTERS_CUH
#define GNDI_FFT_REGISTERS_CUH

#include "kernels/scalar/scalar_types.h"

namespace gnd {

// A complex number that is read and written at once.
template <class R> struct alignas(2 * sizeof(R)) number { R re, im; };

template <class R> GNDI_FN number<R> operator+(number<R> a, number<R> b) {
    return {a.re + b.re, a.im + b.im};
}
template <class R> GNDI_FN number<R> operator-(number<R> a, number<R> b) {
    return {a.re - b.re, a.im - b.im};
}
template <class R> GNDI_FN number<R> operator*(number<R> a, number<R> b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
template <class R> GNDI_FN number<R> conj(number<R> a) {
    return {a.re, -a.im};
}

// ---- transforms of a few numbers, S apart in an array -------------------------------------------

// sign: -1 forward, exp(-2 pi i j k / n); +1 back.
template <int sign, class R> GNDI_FN number<R> quarter(number<R> a) { // times sign * i
    if constexpr (sign < 0)
        return {a.im, -a.re};
    else
        return {-a.im, a.re};
}
template <int sign, class R> GNDI_FN number<R> turned(number<R> a, double cosine, double sine) {
    const R c = (R)cosine, s = (R)(sign * sine);
    return {a.re * c - a.im * s, a.re * s + a.im * c};
}
template <int sign, class R> GNDI_FN number<R> eighth(number<R> a) { // times exp(sign pi i / 4)
    const R c = (R)0.70710678118654752440;
    if constexpr (sign < 0)
        return {(a.re + a.im) * c, (a.im - a.re) * c};
    else
        return {(a.re - a.im) * c, (a.im + a.re) * c};
}
template <int sign, class R> GNDI_FN number<R> three_eighths(number<R> a) {
    return quarter<sign>(eighth<sign>(a));
}

// Times exp(sign 2 pi i k / 32), 0 <= k < 24.
template <int sign, class R> GNDI_FN number<R> turned_of_32(number<R> a, int k) {
    if (k == 0) return a;
    if (k == 4) return eighth<sign>(a);
    if (k == 8) return quarter<sign>(a);
    if (k == 12) return three_eighths<sign>(a);
    const double sine[9] = {0,
                            0.19509032201612826785,
                            0.38268343236508977173,
                            0.55557023301960222474,
                            0.70710678118654752440,
                            0.83146961230254523708,
                            0.92387953251128675613,
                            0.98078528040323044913,
                            1};
    const int of_half = k <= 16 ? k : k - 16; // sin(x + pi) = -sin(x)
    const double s = (k <= 16 ? 1 : -1) * sine[of_half <= 8 ? of_half : 16 - of_half];
    const int quarters = k + 8; // cos(x) = sin(x + pi / 2)
    const int at = quarters <= 16 ? quarters : quarters - 16;
    const double c = (quarters <= 16 ? 1 : -1) * sine[at <= 8 ? at : 16 - at];
    return turned<sign>(a, c, s);
}

template <int sign, class R> GNDI_FN void dft4(number<R> &a, number<R> &b, number<R> &c, number<R> &d) {
    const number<R> s = a + c, t = a - c, u = b + d, v = quarter<sign>(b - d);
    a = s + u, b = t + v, c = s - u, d = t - v;
}

template <int r, int sign, int S, class R> GNDI_FN void dft(number<R> *x) {
    if constexpr (r == 2) {
        const number<R> a = x[0], b = x[S];
        x[0] = a + b, x[S] = a - b;
    } else if constexpr (r == 4) {
        dft4<sign>(x[0], x[S], x[2 * S], x[3 * S]);
    } else if constexpr (r == 8) {
        number<R> a = x[0], b = x[2 * S], c = x[4 * S], d = x[6 * S];
        number<R> e = x[S], f = x[3 * S], g = x[5 * S], h = x[7 * S];
        dft4<sign>(a, b, c, d);
        dft4<sign>(e, f, g, h);
        f = eighth<sign>(f), g = quarter<sign>(g), h = three_eighths<sign>(h);
        x[0] = a + e, x[S] = b + f, x[2 * S] = c + g, x[3 * S] = d + h;
        x[4 * S] = a - e, x[5 * S] = b - f, x[6 * S] = c - g, x[7 * S] = d - h;
    } else if constexpr (r == 32) {
#pragma unroll
        for (int j = 0; j < 8; j++) dft4<sign>(x[j * S], x[(j + 8) * S], x[(j + 16) * S], x[(j + 24) * S]);
        number<R> y[32]; // x[j + 8 k] is output k of column j, and is turned by j k thirty-seconds
#pragma unroll
        for (int k = 0; k < 4; k++) {
#pragma unroll
            for (int j = 0; j < 8; j++) y[8 * k + j] = turned_of_32<sign>(x[(8 * k + j) * S], j * k);
            dft<8, sign, 1>(y + 8 * k);
        }
#pragma unroll
        for (int i = 0; i < 32; i++) x[i * S] = y[8 * (i % 4) + i / 4];
    } else {
        static_assert(r == 16, "a pass has 2, 4, 8, 16 or 32 elements");
        constexpr double c1 = 0.92387953251128675613, s1 = 0.38268343236508977173;
#pragma unroll
        for (int j = 0; j < 4; j++) dft4<sign>(x[j * S], x[(j + 4) * S], x[(j + 8) * S], x[(j + 12) * S]);
        // x[j + 4 k] is output k of column j, and is turned by j k sixteenths.
        x[5 * S] = turned<sign>(x[5 * S], c1, s1);
        x[6 * S] = eighth<sign>(x[6 * S]);
        x[7 * S] = turned<sign>(x[7 * S], s1, c1);
        x[9 * S] = eighth<sign>(x[9 * S]);
        x[10 * S] = quarter<sign>(x[10 * S]);
        x[11 * S] = three_eighths<sign>(x[11 * S]);
        x[13 * S] = turned<sign>(x[13 * S], s1, c1);
        x[14 * S] = three_eighths<sign>(x[14 * S]);
        x[15 * S] = turned<sign>(x[15 * S], -c1, -s1);
#pragma unroll
        for (int k = 0; k < 4; k++)
            dft4<sign>(x[4 * k * S], x[(4 * k + 1) * S], x[(4 * k + 2) * S], x[(4 * k + 3) * S]);
            // x[4 k + j] is output k + 4 j.
#pragma unroll
        for (int k = 0; k < 4; k++)
#pragma unroll
            for (int j = k + 1; j < 4; j++) {
                const number<R> a = x[(4 * k + j) * S];
                x[(4 * k + j) * S] = x[(4 * j + k) * S];
                x[(4 * j + k) * S] = a;
            }
    }
}

// ---- transforms of a frame ----------------------------------------------------------------------

template <class R, int N> struct register_fft {
    static constexpr int E = N >= 128 ? 16 : N >= 32 ? 8 : 4; // elements of a thread
    static constexpr int THREADS = N / E;                     // of a frame
    static constexpr int PITCH = N + N / E;                   // of a frame in shared memory
    static constexpr int ROOTS = (E - 1) * THREADS;           // of unity: exp(-2 pi i t k / N) at (k - 1) THREADS + t
    static constexpr int PASSES = N <= E ? 1 : N <= E * E ? 2 : 3;
    static_assert(N <= E * E * E && N >= E, "");

    // Elements in shared memory have a gap behind each E of them, so that threads use different banks.
    GNDI_FN int offset(int i) { return i + i / E; }

    static constexpr int stride_of(int pass) { return pass == 0 ? 1 : E * stride_of(pass - 1); }
    static constexpr int radix_of(int pass) { return N / stride_of(pass) < E ? N / stride_of(pass) : E; }

    template <int pass, int sign> GNDI_FN void compute(number<R> *v, const number<R> *roots, int t) {
        constexpr int r = radix_of(pass), stride = stride_of(pass), S = E / r;
#pragma unroll
        for (int m = 0; m < S; m++) dft<r, sign, S>(v + m);
        if constexpr (pass + 1 < PASSES) {
            const number<R> *root = roots + (t - t % stride);
#pragma unroll
            for (int k = 1; k < E; k++) {
                const number<R> w = root[(k - 1) * THREADS];
                v[k] = v[k] * (sign < 0 ? w : conj(w));
            }
        }
    }
    template <int pass> GNDI_FN void scatter(const number<R> *v, number<R> *frame, int t) {
        constexpr int stride = stride_of(pass);
        const int at = t % stride + (t - t % stride) * E;
#pragma unroll
        for (int k = 0; k < E; k++) frame[offset(at + k * stride)] = v[k];
    }
    GNDI_FN void put(const number<R> *v, number<R> *frame, int t) {
#pragma unroll
        for (int e = 0; e < E; e++) frame[offset(t + e * THREADS)] = v[e];
    }
    GNDI_FN void get(number<R> *v, const number<R> *frame, int t) {
#pragma unroll
        for (int e = 0; e < E; e++) v[e] = frame[offset(t + e * THREADS)];
    }

    // Waits for the other threads of a frame: of its warp, or by a barrier of its own.
    static __device__ __forceinline__ void wait() {
        if constexpr (THREADS <= 32)
            __syncwarp();
        else
            asm volatile("bar.sync %0, %1;" ::"r"(1 + (int)threadIdx.x / THREADS), "n"(THREADS) : "memory");
    }
    // All of it: in all threads of a frame.
    template <int sign>
    static __device__ __forceinline__ void run(number<R> *v, number<R> *frame, const number<R> *roots, int t) {
        compute<0, sign>(v, roots, t);
        if constexpr (PASSES > 1) {
            scatter<0>(v, frame, t);
            wait();
            get(v, frame, t);
            wait();
            compute<1, sign>(v, roots, t);
        }
        if constexpr (PASSES > 2) {
            scatter<1>(v, frame, t);
            wait();
            get(v, frame, t);
            wait();
            compute<2, sign>(v, roots, t);
        }
    }
};

} // namespace gnd

#endif
