/*
 * vector_faddeeva.hpp: erf and erfc of complex numbers on whole vectors, by the Faddeeva function as in
 * kernels/scalar/scalar_faddeeva.h, whose formulas and sources these are. What is near 0, on an axis or near the
 * imaginary one, and where e^(-z^2) leaves the range of half its exponent, goes to the scalar function.
 */
#ifndef GNDI_VECTOR_FADDEEVA_HPP
#define GNDI_VECTOR_FADDEEVA_HPP

#include "elementwise/cpu/vector_complex.hpp"
#include "elementwise/cpu/vector_special.hpp"

namespace {
namespace v {

#define INLINE static inline __attribute__((always_inline, unused))

/* sin(t) / t */
INLINE vec sinc_of(vec t, vec sine) {
    const mask small = less(abs(t), all(1e-4));
    return choose(small, fnma(t, t * all(1 / 6.0), all(1)), sine / choose(small, all(1), t));
}
/* w(x + iy) by sums, 0 <= x <= 8, 0 <= y <= 7 */
__attribute__((noinline)) static parts w_sums(vec x, vec y) {
    const vec ch1 = cosh::apply(x), sh1 = sinh::apply(x), square = y * y;
    vec ch = ch1, sh = sh1, sum1 = all(0), sum23 = all(0), sum45 = all(0);
    for (int n = 1; n <= 36; n++) {
        const vec an = all(0.5 * n), weight = all(gnd::faddeeva::gaussian[n - 1]) / fma(an, an, square);
        const vec term = weight * ch;
        sum1 = sum1 + weight, sum23 = sum23 + term, sum45 = fma(weight * sh, an, sum45);
        if (!bits(less(sum23 * all(1e-17), term * an))) break;
        const vec next = fma(ch, ch1, sh * sh1);
        sh = fma(sh, ch1, ch * sh1), ch = next;
    }
    const vec over_pi = all(0.31830988618379067154), angle = x * y;
    const parts d = direction(angle);
    const vec sin_2xy = all(2) * d.im * d.re, cos_2xy = fnma(all(2) * d.im, d.im, all(1));
    const vec size = exp::apply(square) * erfc::apply(y), scaled = fma(size, fma(y, y, -square), size);
    const vec main = fnma(over_pi * y, sum1, scaled);
    const vec re = fma(main, cos_2xy, over_pi * fma(x * d.im, sinc_of(angle, d.im), y * sum23));
    const vec im = fnma(main, sin_2xy, over_pi * fma(x, sinc_of(angle + angle, sin_2xy), sum45));
    const vec decay = exp::apply(-(x * x));
    return {decay * re, decay * im};
}
/* The same beyond that, by the continued fraction, as deep as its nearest arguments need. */
__attribute__((noinline)) static parts w_fraction(vec x, vec y) {
    vec re = x, im = y;
    for (int n = 17; n > 0; n--) {
        const vec by = all(0.5 * n) / fma(re, re, im * im);
        re = fnma(re, by, x), im = fma(im, by, y);
    }
    const vec by = all(gnd::faddeeva::one_over_root_pi) / fma(re, re, im * im);
    return {im * by, re * by};
}
/* factor e^(-z^2), the exponent and the angle in two parts, and |angle| <= 2^19 and |exponent| <= 1400, or `odd`. */
INLINE parts times_exp_minus_square(parts factor, vec x, vec y, mask &odd) {
    const two x2 = exact_product(x, x), y2 = exact_product(y, y), turn = exact_product(all(-2) * x, y);
    const two exponent = exact_sum(y2.hi, -x2.hi);
    const vec half = exponent.hi * all(0.5), rest = exponent.lo + (y2.lo - x2.lo);
    odd = is_beyond<double>(half, turn.hi);
    const parts d = direction(turn.hi);
    const vec c = fnma(turn.lo, d.im, d.re), s = fma(turn.lo, d.re, d.im);
    const vec size = exp::apply(half), last = fma(size, rest, size);
    const vec re = fma(factor.re, c, -(factor.im * s)), im = fma(factor.re, s, factor.im * c);
    return {size * re * last, size * im * last};
}

/* erfc, or erf as what is left to 1. */
template <bool Complement, class R> struct complex_erf {
    static inline __attribute__((always_inline)) parts apply(parts z, mask &odd) {
        const vec x = abs(z.re), y = abs(z.im), least = all(1e-30);
        const mask near = either(not_in(fma(x, x, y * y), all(Complement ? 1 : 4), all(1e12)),
                                 both(less(x * y, all(0.25)), less(all(Complement ? 1.99 : 0.99), y)));
        const mask far = either(either(less(all(7), x), less(all(8), y)), both(less(all(6), y), less(all(0.1), x)));
        const unsigned which = bits(far);
        parts w = {y, x};
        if (which != (1u << W) - 1) w = w_sums(choose(far, all(1), at_most(y, 8)), choose(far, all(1), at_most(x, 7)));
        if (which) {
            const parts other = w_fraction(choose(far, y, all(9)), choose(far, x, all(9)));
            w = {choose(far, other.re, w.re), choose(far, other.im, w.im)};
        }
        const parts e = times_exp_minus_square({w.re, -w.im}, x, y, odd);
        odd = either(either(odd, near), either(not_in(x, least, all(30)), not_in(y, least, all(1e6))));
        if (!Complement) return {bit_xor(all(1) - e.re, sign_of(z.re)), bit_xor(-e.im, sign_of(z.im))};
        return {choose(less(z.re, all(0)), all(2) - e.re, e.re), bit_xor(e.im, sign_of(z.im))};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return Complement ? gnd::ops::erfc(z) : gnd::ops::erf(z); }
};

#undef INLINE

} // namespace v
} // namespace

#endif
