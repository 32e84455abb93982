/*
 * scalar_elementary.h: roots and powers, exponentials and logarithms, circular and hyperbolic
 * functions. On real numbers they are libm's or CUDA's; on complex ones scalar_complex.h's.
 */
#ifndef GNDI_SCALAR_ELEMENTARY_H
#define GNDI_SCALAR_ELEMENTARY_H

#include "scalar_complex.h"
#include "scalar_rounding.h"

namespace gnd {
namespace ops {

/* name(x) = m::library(x), or c::library(z) for complex z. */
#define GNDI_ELEMENTARY(name, library)                                                                                 \
    template <class T> GNDI_FN T name(T a) {                                                                           \
        if constexpr (is_complex<T>)                                                                                   \
            return c::library(a);                                                                                      \
        else                                                                                                           \
            return m::library(a);                                                                                      \
    }
GNDI_ELEMENTARY(sqrt, sqrt)
GNDI_ELEMENTARY(exp, exp)
GNDI_ELEMENTARY(exp2, exp2)
GNDI_ELEMENTARY(expm1, expm1)
GNDI_ELEMENTARY(log, log)
GNDI_ELEMENTARY(log2, log2)
GNDI_ELEMENTARY(log10, log10)
GNDI_ELEMENTARY(log1p, log1p)
GNDI_ELEMENTARY(sin, sin)
GNDI_ELEMENTARY(cos, cos)
GNDI_ELEMENTARY(tan, tan)
GNDI_ELEMENTARY(arcsin, asin)
GNDI_ELEMENTARY(arccos, acos)
GNDI_ELEMENTARY(arctan, atan)
GNDI_ELEMENTARY(sinh, sinh)
GNDI_ELEMENTARY(cosh, cosh)
GNDI_ELEMENTARY(tanh, tanh)
GNDI_ELEMENTARY(arcsinh, asinh)
GNDI_ELEMENTARY(arccosh, acosh)
GNDI_ELEMENTARY(arctanh, atanh)
#undef GNDI_ELEMENTARY

template <class T> GNDI_FN T cbrt(T a) {
    return m::cbrt(a);
}
template <class T> GNDI_FN T hypot(T a, T b) {
    return m::hypot(a, b);
}
template <class T> GNDI_FN T arctan2(T a, T b) {
    return m::atan2(a, b);
}
template <class T> GNDI_FN T deg2rad(T a) {
    return a * ((T)3.14159265358979323846 / (T)180);
}
template <class T> GNDI_FN T rad2deg(T a) {
    return a * ((T)180 / (T)3.14159265358979323846);
}

/* ---- powers --------------------------------------------------------------------------------- */

/* By squaring, wrapping around. A negative exponent is a fault, reported by power_faults. */
template <class T> GNDI_FN_HEAVY T power_int(T a, T b) {
    wrap_t<T> result = 1, base = (wrap_t<T>)a;
    for (bits_t<T> n = is_negative(b) ? 0 : (bits_t<T>)b; n != 0; n >>= 1, base *= base)
        if (n & 1) result *= base;
    return (T)result;
}
/* a to the power 0.5 as pow has it: +0 for -0, and infinity for -infinity. */
template <class T> GNDI_FN T root(T a) {
    return a == 0 ? (T)0 : a == -limits<T>::infinity() ? -a : m::sqrt(a);
}
/* Exponents that have an operator of their own, which is as accurate as possible; `other` for the rest. */
template <class T> GNDI_FN T power_or(T a, T b, T other) {
    T result = other;
    result = b == 3 ? cube(a) : result;
    result = b == (T)0.5 ? root(a) : result;
    result = b == -1 ? (T)1 / a : result;
    result = b == 2 ? m::mul(a, a) : result;
    return b == 1 ? a : result;
}
template <class T> GNDI_FN bool is_simple_exponent(T b) {
    return (b == 2) | (b == -1) | (b == (T)0.5) | (b == 3) | (b == 1);
}
template <class T> GNDI_FN T power(T a, T b) {
    if constexpr (is_int<T>)
        return power_int(a, b);
    else if constexpr (is_complex<T>) {
        if (b.im == 0 && (b.re == 2 || b.re == 1)) {
            if (a.re == 0 && a.im == 0) return T{0, 0};
            return b.re == 2 ? multiply(a, a) : a;
        }
        return c::pow(a, b);
    } else {
        return is_simple_exponent(b) ? power_or(a, b, a) : m::pow(a, b);
    }
}
/* Whether power(a, b) is an error: an integer to a negative power. */
template <class T> GNDI_FN bool power_faults(T, T b) {
    if constexpr (is_signed_int<T>)
        return b < 0;
    else
        return false;
}
template <class T> GNDI_FN T float_power(T a, T b) {
    return power(a, b);
}

/* 1 / a; complex numbers by Smith's method. Integers give the truncated floating quotient: it is 0 except for
   1 and -1, and 1 / 0 is "integer indefinite" where int32 and int64 have it. */
template <class T> GNDI_FN T reciprocal(T a) {
    if constexpr (is_int<T>) {
        if (a == 0) return is_signed_int<T> && sizeof(T) >= 4 ? lowest_int<T>() : (T)0;
        return (a == 1) | (a == (T)-1 && is_signed_int<T>) ? a : (T)0;
    } else if constexpr (is_complex<T>) {
        typedef real_t<T> R;
        if (m::abs(a.im) <= m::abs(a.re)) {
            const R ratio = a.im / a.re, scale = m::add(a.re, m::mul(a.im, ratio));
            return T{(R)1 / scale, -ratio / scale};
        }
        const R ratio = a.re / a.im, scale = m::add(m::mul(a.re, ratio), a.im);
        return T{ratio / scale, (R)-1 / scale};
    } else {
        return (T)1 / a;
    }
}
template <class T> GNDI_FN T rsqrt(T a) {
    if constexpr (is_complex<T>)
        return divide(T{1, 0}, c::sqrt(a));
    else
        return (T)1 / m::sqrt(a);
}

/* ---- sums of logarithms, sinc --------------------------------------------------------------- */

/* log(e^a + e^b) without overflow. */
template <class T> GNDI_FN T logaddexp(T a, T b) {
    const T gap = a - b, larger = gap > 0 ? a : b;
    const T sum = larger + m::log1p(m::exp(-m::abs(gap)));
    /* Equal infinities have no gap; a NaN in a or b is in the gap. */
    return a == b ? a + (T)0.693147180559945309417 : m::isnan(gap) ? gap : sum;
}
/* log2(2^a + 2^b). */
template <class T> GNDI_FN T logaddexp2(T a, T b) {
    const T gap = a - b, larger = gap > 0 ? a : b;
    const T sum = larger + m::log1p(m::exp2(-m::abs(gap))) * (T)1.44269504088896340736;
    return a == b ? a + (T)1 : m::isnan(gap) ? gap : sum;
}

/* sin(pi a) / (pi a), 1 at 0. */
template <class T> GNDI_FN T sinc(T a) {
    if constexpr (is_complex<T>) {
        typedef real_t<T> R;
        if ((a.re == 0) & (a.im == 0)) return T{(R)1, (R)0};
        const T x = multiply(T{(R)3.14159265358979323846, (R)0}, a);
        return divide(c::sin(x), x);
    } else {
        const T x = (T)3.14159265358979323846 * a;
        return a == 0 ? (T)1 : m::sin(x) / x;
    }
}

} // namespace ops
} // namespace gnd

#endif
