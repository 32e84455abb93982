// fft_mixed.cuh: forward transforms of 2, 3, 4, 5, 6, 8 and 10 complex numbers in registers, and what kernels for
// lengths of such factors share: division by a constant of the launch, and two real transforms in a complex one.
#ifndef GNDI_FFT_MIXED_CUH
#define GNDI_FFT_MIXED_CUH

#include "fft/cuda/fft_registers.cuh"

namespace gnd {

namespace mixed {

typedef number<float> pair;

GNDI_FN pair times(float by, pair a) {
    return {by * a.re, by * a.im};
}

// ---- transforms of a few numbers ----------------------------------------------------------------

GNDI_FN void dft3(pair &a, pair &b, pair &c) {
    constexpr float sine = 0.86602540378443864676f;
    const pair sum = b + c, turn = quarter<-1>(times(sine, b - c)), middle = a + times(-0.5f, sum);
    a = a + sum, b = middle + turn, c = middle - turn;
}

GNDI_FN void dft5(pair &a, pair &b, pair &c, pair &d, pair &e) {
    constexpr float c1 = 0.30901699437494742410f, c2 = -0.80901699437494742410f;
    constexpr float s2 = 0.58778525229247312917f, ratio = 1.61803398874989484820f; // of the sines of 72 and 36 degrees
    const pair p = b + e, q = c + d, u = b - e, v = c - d;
    const pair m1 = a + times(c1, p) + times(c2, q), m2 = a + times(c2, p) + times(c1, q);
    const pair t1 = quarter<-1>(times(ratio, u) + v), t2 = quarter<-1>(u - times(ratio, v));
    a = a + p + q, b = m1 + times(s2, t1), e = m1 - times(s2, t1), c = m2 + times(s2, t2), d = m2 - times(s2, t2);
}

// In place and in order. Those of 6 and 10 are by 2 and an odd number, which have no factor in common: no twiddle
// factors (I. J. Good).
template <int r> GNDI_FN void small(pair *x) {
    if constexpr (r == 3) {
        dft3(x[0], x[1], x[2]);
    } else if constexpr (r == 5) {
        dft5(x[0], x[1], x[2], x[3], x[4]);
    } else if constexpr (r == 6 || r == 10) {
        constexpr int h = r / 2;
        pair even[h], odd[h]; // of elements 2 j, and 2 j + h modulo r
#pragma unroll
        for (int j = 0; j < h; j++) {
            even[j] = x[2 * j] + x[(2 * j + h) % r];
            odd[j] = x[2 * j] - x[(2 * j + h) % r];
        }
        small<h>(even);
        small<h>(odd);
#pragma unroll
        for (int k = 0; k < r; k++) x[k] = k % 2 ? odd[k % h] : even[k % h];
    } else {
        dft<r, -1, 1>(x);
    }
}

// ---- two real transforms in one -----------------------------------------------------------------

// Twice the transforms of two real arrays, of z = a + i b at element k and its mirror image.
struct two_real {
    pair a, b;
    GNDI_FN_MEMBER static two_real of(pair z, pair mirror) {
        const pair sum = z + conj(mirror), d = z - conj(mirror);
        return {sum, {d.im, -d.re}};
    }
};

// ---- division -----------------------------------------------------------------------------------

// Of numbers below 2^16.
struct divisor {
    uint32_t by, inverse;
    GNDI_FN_MEMBER static divisor of(int by) { return {(uint32_t)by, by > 1 ? 0xffffffffu / (uint32_t)by + 1 : 0}; }
    GNDI_FN_MEMBER int quotient(int e) const { return by > 1 ? (int)__umulhi((uint32_t)e, inverse) : e; }
};

} // namespace mixed

} // namespace gnd

#endif
