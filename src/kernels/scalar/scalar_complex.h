/*
 * scalar_complex.h: elementary functions of complex numbers (gnd::c::exp and so on), special values
 * as C99's annex G, which NumPy follows. On the host they are the C library's.
 */
#ifndef GNDI_SCALAR_COMPLEX_H
#define GNDI_SCALAR_COMPLEX_H

#include "scalar_arith.h"

#if GNDI_ON_DEVICE || defined(GNDI_OWN_COMPLEX)
#    include "scalar_complex_own.h"
#endif

namespace gnd {
namespace c {

#if GNDI_ON_DEVICE || defined(GNDI_OWN_COMPLEX)
#    define GNDI_COMPLEX_1(name)                                                                                       \
        template <class R> GNDI_FN_HEAVY complex<R> name(complex<R> z) {                                               \
            return own::name(z);                                                                                       \
        }
#else
/* The compiler's complex type, and back. */
GNDI_FN __complex__ float to_c(complex<float> z) {
    __complex__ float w;
    __real__ w = z.re;
    __imag__ w = z.im;
    return w;
}
GNDI_FN __complex__ double to_c(complex<double> z) {
    __complex__ double w;
    __real__ w = z.re;
    __imag__ w = z.im;
    return w;
}
GNDI_FN complex<float> from_c(__complex__ float w) {
    return {__real__ w, __imag__ w};
}
GNDI_FN complex<double> from_c(__complex__ double w) {
    return {__real__ w, __imag__ w};
}

#    define GNDI_COMPLEX_1(name)                                                                                       \
        GNDI_FN complex<float> name(complex<float> z) {                                                                \
            return from_c(__builtin_c##name##f(to_c(z)));                                                              \
        }                                                                                                              \
        GNDI_FN complex<double> name(complex<double> z) {                                                              \
            return from_c(__builtin_c##name(to_c(z)));                                                                 \
        }
#endif
GNDI_COMPLEX_1(sqrt)
GNDI_COMPLEX_1(exp)
GNDI_COMPLEX_1(log)
GNDI_COMPLEX_1(sin)
GNDI_COMPLEX_1(cos)
GNDI_COMPLEX_1(tan)
GNDI_COMPLEX_1(asin)
GNDI_COMPLEX_1(acos)
GNDI_COMPLEX_1(atan)
GNDI_COMPLEX_1(sinh)
GNDI_COMPLEX_1(cosh)
GNDI_COMPLEX_1(tanh)
GNDI_COMPLEX_1(asinh)
GNDI_COMPLEX_1(acosh)
GNDI_COMPLEX_1(atanh)
#undef GNDI_COMPLEX_1

template <class R> GNDI_FN complex<R> scaled(complex<R> z, double by) {
    return {z.re * (R)by, z.im * (R)by};
}
template <class R> GNDI_FN complex<R> exp2(complex<R> z) {
    return exp(scaled(z, 0.693147180559945309417));
}
template <class R> GNDI_FN complex<R> log2(complex<R> z) {
    return scaled(log(z), 1.44269504088896340736);
}
template <class R> GNDI_FN complex<R> log10(complex<R> z) {
    return scaled(log(z), 0.434294481903251827651);
}
/* e^x cos y - 1 without cancellation: expm1(x) cos y - 2 sin^2(y/2). */
template <class R> GNDI_FN_HEAVY complex<R> expm1(complex<R> z) {
    const R half_sine = m::sin(z.im / 2);
    return {m::sub(m::mul(m::expm1(z.re), m::cos(z.im)), 2 * half_sine * half_sine), m::exp(z.re) * m::sin(z.im)};
}
/* log(1 + z); for small z, |1 + z|^2 - 1 = x (2 + x) + y^2. */
template <class R> GNDI_FN_HEAVY complex<R> log1p(complex<R> z) {
    const R x = z.re, y = z.im, angle = m::atan2(y, x + 1);
    if (m::abs(x) < (R)0.25 && m::abs(y) < (R)0.25) return {m::log1p(m::fma(x, 2 + x, y * y)) / 2, angle};
    return {m::log(m::hypot(x + 1, y)), angle};
}

/* e^(b log a) */
#if GNDI_ON_DEVICE || defined(GNDI_OWN_COMPLEX)
template <class R> GNDI_FN complex<R> general_pow(complex<R> a, complex<R> b) {
    return exp(own::multiply(b, log(a)));
}
#else
GNDI_FN complex<float> general_pow(complex<float> a, complex<float> b) {
    return from_c(__builtin_cpowf(to_c(a), to_c(b)));
}
GNDI_FN complex<double> general_pow(complex<double> a, complex<double> b) {
    return from_c(__builtin_cpow(to_c(a), to_c(b)));
}
#endif

/* NumPy's rules around zero and for small integer exponents; else e^(b log a). */
template <class R> GNDI_FN_HEAVY complex<R> pow(complex<R> a, complex<R> b) {
    if (b.re == 0 && b.im == 0) return {(R)1, (R)0};
    if (a.re == 0 && a.im == 0) {
        if (b.re > 0) return {(R)0, (R)0};
        return {limits<R>::nan(), limits<R>::nan()};
    }
    if (b.im == 0 && b.re > -100 && b.re < 100 && b.re == m::trunc(b.re)) {
        int n = (int)m::abs(b.re);
        complex<R> power{(R)1, (R)0}, base = a;
        if (b.re == 1) return a;
        if (b.re == 2) return ops::multiply(a, a);
        if (b.re == 3) return ops::multiply(a, ops::multiply(a, a));
        for (;; base = ops::multiply(base, base)) {
            if (n & 1) power = ops::multiply(power, base);
            if ((n >>= 1) == 0) break;
        }
        return b.re < 0 ? ops::divide(complex<R>{(R)1, (R)0}, power) : power;
    }
    return general_pow(a, b);
}

} // namespace c
} // namespace gnd

#endif
