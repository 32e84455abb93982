/*
 * vector_complex.hpp: elementary functions of complex numbers on whole vectors of float64, over vector_math.hpp.
 * float64 holds the squares of complex64's parts, so plain formulas are right but for the rounding to float32;
 * complex128 takes the same formulas, which are also libm's.
 *
 * Source of the arcs: W. Kahan, "Branch cuts for complex elementary functions", 1987. Arguments that a function has no
 * vector code for (`odd`: infinite, NaN, poles, beyond the range of a part) go to the scalar function, one by one.
 */
#ifndef GNDI_VECTOR_COMPLEX_HPP
#define GNDI_VECTOR_COMPLEX_HPP

#include "elementwise/cpu/vector_math.hpp"
#include "kernels/scalar/scalar_ops.h"

namespace {
namespace v {

#define INLINE static inline __attribute__((always_inline, unused))
#define APPLY static inline __attribute__((always_inline))

/* ---- parts ---------------------------------------------------------------------------------- */

/* As many complex numbers as a vector has numbers, in an order of their own. */
struct parts {
    vec re, im;
};
template <class R> INLINE parts load_parts(const R *p) {
    const vec a = load(p), b = load(p + W);
    return {firsts(a, b), seconds(a, b)};
}
template <class R> INLINE void store_parts(R *p, parts z) {
    store(p, firsts(z.re, z.im)), store(p + W, seconds(z.re, z.im));
}
INLINE parts swapped(parts z) {
    return {z.im, z.re};
}
/* |z|^2 in two parts; squares of float32 are exact. */
template <class R> INLINE two square_of(parts z) {
    if (sizeof(R) == 4) return exact_sum(z.re * z.re, z.im * z.im);
    const two a = exact_product(z.re, z.re), b = exact_product(z.im, z.im), sum = exact_sum(a.hi, b.hi);
    return {sum.hi, sum.lo + (a.lo + b.lo)};
}
template <class R> INLINE vec size_of(parts z) {
    mask odd;
    return sizeof(R) == 4 ? sqrt(fma(z.re, z.re, z.im * z.im)) : hypot::apply(z.re, z.im, odd);
}
/* NaN and infinity; numbers whose square float64 does not hold, and 0 of complex128. */
template <class R> INLINE mask is_unusual(parts z) {
    if (sizeof(R) == 4) return either(not_finite(z.re), not_finite(z.im));
    const vec a = abs(z.re), b = abs(z.im), most = all(0x1p450);
    const mask below = less(a, b);
    return either(not_in(choose(below, b, a), all(0x1p-450), most), not_in(choose(below, a, b), all(0), most));
}
INLINE mask is_zero(parts z) {
    return both(equal(z.re, all(0)), equal(z.im, all(0)));
}

/* ---- roots ---------------------------------------------------------------------------------- */

template <class R> struct complex_sqrt {
    APPLY parts apply(parts z, mask &odd) {
        odd = is_unusual<R>(z);
        const vec root = sqrt((size_of<R>(z) + abs(z.re)) * all(0.5));
        const vec other = abs(z.im) / choose(equal(root, all(0)), all(1), root + root);
        const mask left = less(z.re, all(0));
        return {choose(left, other, root), with_sign(choose(left, root, other), z.im)};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::sqrt(z); }
};
/* 1 / sqrt(z); signs of zeros are those of the division. */
template <class R> struct complex_rsqrt {
    APPLY parts apply(parts z, mask &odd) {
        const parts root = complex_sqrt<R>::apply(z, odd);
        odd = either(odd, is_zero(z));
        const vec over = all(1) / size_of<R>(z);
        const vec re = choose(equal(root.re, all(0)), sign_of(z.im), root.re * over);
        return {re, (all(0) - root.im) * over};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::rsqrt(z); }
};

/* ---- exponentials and logarithms ------------------------------------------------------------ */

/* cos + i sin of angles up to 2^19 */
INLINE parts direction(vec angle) {
    const circle c = around(angle);
    const vec sine = c.sin.hi + c.sin.lo, cosine = c.cos.hi + c.cos.lo;
    const mask other = has_bit(c.k, 0);
    const vec re = negative_if(has_bit(c.k + all(1), 1), choose(other, sine, cosine));
    const vec im = negative_if(has_bit(c.k, 1), choose(other, cosine, sine));
    return {re, choose(equal(angle, all(0)), angle, im)};
}
/* Whether e^size is near to overflow or underflow, or an angle is too large. */
template <class R> INLINE mask is_beyond(vec size, vec angle) {
    const double most = sizeof(R) == 4 ? 88 : 700;
    return either(not_in(size, all(-most), all(most)), circular::odd(angle));
}
INLINE parts exp_of(parts z) {
    const parts d = direction(z.im);
    const vec size = exp::apply(z.re);
    return {size * d.re, size * d.im};
}
/* The angle of z, of which not both parts are 0. */
INLINE vec angle_of(parts z) {
    const vec y = abs(z.im), x = abs(z.re);
    const two angle = arc(y, x, y * about_inverse(x)), rest = exact_sum(all(pi_hi), -angle.hi);
    const vec left = rest.hi + (rest.lo + (all(pi_lo) - angle.lo));
    return with_sign(choose(less(z.re, all(0)), left, angle.hi + angle.lo), z.im);
}
template <class R> INLINE parts log_of(parts z) {
    const two square = square_of<R>(z);
    return {log_of<natural, true>(square.hi, square.lo) * all(0.5), angle_of(z)};
}

/* e^(z log b), log_b z for the bases e, 2 and 10. */
template <class R> struct complex_exp {
    APPLY parts apply(parts z, mask &odd) {
        odd = is_beyond<R>(z.re, z.im);
        return exp_of(z);
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::exp(z); }
};
template <class R> struct complex_log {
    APPLY parts apply(parts z, mask &odd) {
        odd = either(is_unusual<R>(z), is_zero(z));
        return log_of<R>(z);
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::log(z); }
};
template <class R> struct complex_exp2 {
    APPLY parts apply(parts z, mask &odd) { return complex_exp<R>::apply({z.re * all(ln2), z.im * all(ln2)}, odd); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::exp2(z); }
};
template <class R> INLINE parts scaled_log(parts z, double by, mask &odd) {
    const parts l = complex_log<R>::apply(z, odd);
    return {l.re * all(by), l.im * all(by)};
}
template <class R> struct complex_log2 {
    APPLY parts apply(parts z, mask &odd) { return scaled_log<R>(z, binary::one_hi, odd); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::log2(z); }
};
template <class R> struct complex_log10 {
    APPLY parts apply(parts z, mask &odd) { return scaled_log<R>(z, decimal::one_hi, odd); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::log10(z); }
};
/* e^(w log z); whole exponents below 100 are products. */
template <class R> struct complex_power {
    APPLY parts apply(parts z, parts w, mask &odd) {
        const parts l = log_of<R>(z);
        const parts power = {fma(w.re, l.re, -(w.im * l.im)), fma(w.re, l.im, w.im * l.re)};
        const mask whole = both(equal(w.re, trunc(w.re)), less(abs(w.re), all(100)));
        odd = either(either(is_unusual<R>(z), is_zero(z)),
                     either(is_beyond<R>(power.re, power.im), both(whole, equal(w.im, all(0)))));
        return exp_of(power);
    }
    static gnd::complex<R> one(gnd::complex<R> z, gnd::complex<R> w) { return gnd::ops::power(z, w); }
};

/* ---- circular and hyperbolic functions ------------------------------------------------------ */

template <class R> struct complex_sinh {
    APPLY parts apply(parts z, mask &odd) {
        const parts d = direction(z.im);
        odd = is_beyond<R>(z.re, z.im);
        return {sinh::apply(z.re) * d.re, cosh::apply(z.re) * d.im};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::sinh(z); }
};
template <class R> struct complex_cosh {
    APPLY parts apply(parts z, mask &odd) {
        const parts d = direction(z.im);
        odd = is_beyond<R>(z.re, z.im);
        return {cosh::apply(z.re) * d.re, sinh::apply(z.re) * d.im};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::cosh(z); }
};
/* (sinh x cosh x + i sin y cos y) / (sinh^2 x + cos^2 y) */
template <class R> struct complex_tanh {
    APPLY parts apply(parts z, mask &odd) {
        const parts d = direction(z.im);
        const vec sine = sinh::apply(z.re), over = all(1) / fma(sine, sine, d.re * d.re);
        odd = is_beyond<double>(z.re + z.re, z.im);
        return {sine * cosh::apply(z.re) * over, d.re * d.im * over};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::tanh(z); }
};
template <class R> struct complex_sin {
    APPLY parts apply(parts z, mask &odd) { return swapped(complex_sinh<R>::apply(swapped(z), odd)); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::sin(z); }
};
template <class R> struct complex_cos {
    APPLY parts apply(parts z, mask &odd) { return complex_cosh<R>::apply({-z.im, z.re}, odd); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::cos(z); }
};
template <class R> struct complex_tan {
    APPLY parts apply(parts z, mask &odd) { return swapped(complex_tanh<R>::apply(swapped(z), odd)); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::tan(z); }
};

/* ---- arcs ----------------------------------------------------------------------------------- */

/* NaN and infinity, 1 and -1, and parts, but for 0, whose square float64 does not hold. */
template <class R> INLINE mask is_far(parts z) {
    const vec least = all(0x1p-450), most = all(0x1p450), x = abs(z.re), y = abs(z.im);
    const mask none = equal(y, all(0)), end = both(none, equal(x, all(1)));
    if (sizeof(R) == 4) return either(is_unusual<R>(z), end);
    const mask far = not_in(choose(equal(x, all(0)), all(1), x), least, most);
    return either(either(far, end), not_in(choose(none, all(1), y), least, most));
}
/* sqrt(1 + x + i y) and sqrt(1 - x + i y), x, y >= 0 */
struct roots {
    parts plus, minus;
};
template <class R> INLINE roots roots_of(vec x, vec y) {
    const vec p = all(1) + x, q = all(1) - x;
    const vec root = sqrt((size_of<R>({p, y}) + p) * all(0.5)), other = sqrt((size_of<R>({q, y}) + abs(q)) * all(0.5));
    const vec rest = y / (other + other);
    const mask far = less(q, all(0));
    return {{root, y / (root + root)}, {choose(far, rest, other), choose(far, other, rest)}};
}
/* The imaginary part of arcsin and arccos, without its sign: arcsinh, as log(1 + ...). */
INLINE vec arc_height(const roots &r) {
    const vec t = fma(r.minus.re, r.plus.im, r.minus.im * r.plus.re), square = t * t;
    return log1p::apply(t + square / (all(1) + sqrt(all(1) + square)));
}
INLINE vec arc_of_ratio(vec y, vec x) {
    const two angle = arc(y, x, y * about_inverse(x));
    return angle.hi + angle.lo;
}
template <class R> struct complex_arcsin {
    APPLY parts apply(parts z, mask &odd) {
        const vec x = abs(z.re);
        const roots r = roots_of<R>(x, abs(z.im));
        odd = is_far<R>(z);
        const vec angle = arc_of_ratio(x, fma(r.minus.re, r.plus.re, r.minus.im * r.plus.im));
        return {with_sign(angle, z.re), with_sign(arc_height(r), z.im)};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::arcsin(z); }
};
template <class R> struct complex_arccos {
    APPLY parts apply(parts z, mask &odd) {
        const roots r = roots_of<R>(abs(z.re), abs(z.im));
        odd = is_far<R>(z);
        const mask left = less(z.re, all(0));
        const vec half = arc_of_ratio(choose(left, r.plus.re, r.minus.re), choose(left, r.minus.re, r.plus.re));
        return {half + half, with_sign(arc_height(r), -z.im)};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::arccos(z); }
};
template <class R> struct complex_arcsinh {
    APPLY parts apply(parts z, mask &odd) { return swapped(complex_arcsin<R>::apply(swapped(z), odd)); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::arcsinh(z); }
};
template <class R> struct complex_arccosh {
    APPLY parts apply(parts z, mask &odd) {
        const parts w = complex_arccos<R>::apply(z, odd);
        return {abs(w.im), with_sign(w.re, z.im)};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::arccosh(z); }
};
template <class R> struct complex_arctanh {
    APPLY parts apply(parts z, mask &odd) {
        const vec x = abs(z.re), y = abs(z.im), gap = all(1) - x, square = y * y, apart = fma(gap, gap, square);
        odd = is_far<R>(z);
        const vec size = log1p::apply(all(4) * x / apart) * all(0.25);
        const vec angle = angle_of({fma(gap, all(1) + x, -square), y + y}) * all(0.5);
        return {with_sign(size, z.re), with_sign(angle, z.im)};
    }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::arctanh(z); }
};
template <class R> struct complex_arctan {
    APPLY parts apply(parts z, mask &odd) { return swapped(complex_arctanh<R>::apply(swapped(z), odd)); }
    static gnd::complex<R> one(gnd::complex<R> z) { return gnd::ops::arctan(z); }
};

/* ---- loops ---------------------------------------------------------------------------------- */

/* F of numbers that are odd, one by one: of one operand, or of two. */
template <class F, class R, class... Z>
__attribute__((noinline)) parts complex_mended(unsigned odd, parts result, Z... z) {
    constexpr int count = sizeof...(Z);
    const parts given[count] = {z...};
    double re[count + 1][W], im[count + 1][W];
    for (int k = 0; k < count; k++) store(re[k], given[k].re), store(im[k], given[k].im);
    store(re[count], result.re), store(im[count], result.im);
    for (; odd; odd &= odd - 1) {
        const int j = __builtin_ctz(odd);
        gnd::complex<R> value, x = {(R)re[0][j], (R)im[0][j]};
        if constexpr (count == 2)
            value = F::one(x, gnd::complex<R>{(R)re[1][j], (R)im[1][j]});
        else
            value = F::one(x);
        re[count][j] = value.re, im[count][j] = value.im;
    }
    return {load(re[count]), load(im[count])};
}
template <class F, class R, class... Z> INLINE parts complex_value(Z... z) {
    mask which;
    const parts result = F::apply(z..., which);
    const unsigned odd = bits(which);
    return __builtin_expect(odd != 0, 0) ? complex_mended<F, R>(odd, result, z...) : result;
}
template <class F, class R> int complex_unary(char *const *operand, int64_t n, const double *) {
    R *out = (R *)operand[0];
    const R *x = (const R *)operand[1];
    int64_t i = 0;
    for (; i + W <= n; i += W) store_parts(out + 2 * i, complex_value<F, R>(load_parts(x + 2 * i)));
    if (i == n) return 0;
    R part[2 * W];
    for (int j = 0; j < 2 * W; j++) part[j] = (R)0.5;
    memcpy(part, x + 2 * i, (size_t)(n - i) * 2 * sizeof(R));
    store_parts(part, complex_value<F, R>(load_parts(part)));
    memcpy(out + 2 * i, part, (size_t)(n - i) * 2 * sizeof(R));
    return 0;
}
template <class F, class R> int complex_binary(char *const *operand, int64_t n, const double *) {
    R *out = (R *)operand[0];
    const R *x = (const R *)operand[1], *y = (const R *)operand[2];
    int64_t i = 0;
    for (; i + W <= n; i += W)
        store_parts(out + 2 * i, complex_value<F, R>(load_parts(x + 2 * i), load_parts(y + 2 * i)));
    if (i == n) return 0;
    R first[2 * W], second[2 * W];
    for (int j = 0; j < 2 * W; j++) first[j] = second[j] = (R)0.5;
    memcpy(first, x + 2 * i, (size_t)(n - i) * 2 * sizeof(R));
    memcpy(second, y + 2 * i, (size_t)(n - i) * 2 * sizeof(R));
    store_parts(first, complex_value<F, R>(load_parts(first), load_parts(second)));
    memcpy(out + 2 * i, first, (size_t)(n - i) * 2 * sizeof(R));
    return 0;
}

#undef APPLY
#undef INLINE

} // namespace v
} // namespace

#endif
