// turned_dft.cuh: transforms of a thread's numbers that have their twiddle factors in them: sums over e of
// v[e] u^e W^(e j), by radix 2, of which each step is six operations for two numbers.
#ifndef GNDI_TURNED_DFT_CUH
#define GNDI_TURNED_DFT_CUH

#include "spectral/cuda/stft_registers.cuh"

namespace gnd {

// A step from sums of L / 2 elements to sums of L turns by u^(r / L) exp(-2 pi i j / L) for j < L / 2; those of the
// second half are quarter turns from the first. Root L / 4 + j (0 for L = 2) is the one of step L and number j.
constexpr int step_of(int root) {
    return root == 0 ? 2 : root == 1 ? 4 : root < 4 ? 8 : 16;
}
// For u = exp(-2 pi i k / n).
template <class R> GNDI_FN number<R> root_of(int root, int r, int k, int n) {
    const int L = step_of(root), j = L == 2 ? 0 : root - L / 4;
    return register_block<R, 32>::root(-2.0 * ((double)k * (r / L) / n + (double)j / L));
}
template <class R> struct all_roots {
    const number<R> *from;
    int step;
    GNDI_FN_MEMBER number<R> operator()(int root) const { return from[root * step]; }
};
// Of roots 0, 1, 2 and 4, which the others are parts of a turn from.
template <class R> struct few_roots {
    const number<R> *from;
    int step;
    GNDI_FN_MEMBER number<R> operator()(int root) const {
        constexpr double c1 = 0.92387953251128675613, s1 = 0.38268343236508977173;
        const number<R> w = from[(root < 3 ? root : root == 3 ? 2 : 3) * step];
        return root == 3 || root == 6 ? eighth<-1>(w)
               : root == 5            ? turned<-1>(w, c1, s1)
               : root == 7            ? turned<-1>(w, s1, c1)
                                      : w;
    }
};

template <int r> constexpr int reversed(int i) {
    int j = 0;
    for (int bit = 1; bit < r; bit *= 2) j = 2 * j + i / bit % 2;
    return j;
}
// a + w b and a - w b.
template <class R> GNDI_FN void turn_and_add(number<R> &a, number<R> &b, number<R> w) {
    const number<R> sum = {fma(w.re, b.re, fma(-w.im, b.im, a.re)), fma(w.re, b.im, fma(w.im, b.re, a.im))};
    b = {fma((R)2, a.re, -sum.re), fma((R)2, a.im, -sum.im)};
    a = sum;
}
template <int L, int r, class R, class Roots> GNDI_FN void turned_steps(number<R> *y, const Roots roots) {
    constexpr int turns = L > 4 ? L / 4 : 1;
#pragma unroll
    for (int j = 0; j < turns; j++) {
        const number<R> w = roots(L == 2 ? 0 : L / 4 + j);
#pragma unroll
        for (int i = j; i < r; i += L) {
            turn_and_add(y[i], y[i + L / 2], w);
            if constexpr (L > 2) {
                y[i + L / 4 + L / 2] = quarter<-1>(y[i + L / 4 + L / 2]);
                turn_and_add(y[i + L / 4], y[i + L / 4 + L / 2], w);
            }
        }
    }
    if constexpr (L < r) turned_steps<2 * L, r>(y, roots);
}
template <int r, class R, class Roots> GNDI_FN void turned_dft(number<R> *v, const Roots roots) {
    number<R> y[r];
#pragma unroll
    for (int i = 0; i < r; i++) y[i] = v[reversed<r>(i)];
    turned_steps<2, r>(y, roots);
#pragma unroll
    for (int i = 0; i < r; i++) v[i] = y[i];
}

} // namespace gnd

#endif
