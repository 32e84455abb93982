/*
 * scalar_arith.h: copy, add, subtract, multiply, divide, negative, positive, absolute, square, fma.
 * Integers wrap around (computed unsigned, where overflow is defined); bool adds by "or" and
 * multiplies by "and"; complex numbers multiply plainly and divide by Smith's method, as NumPy.
 */
#ifndef GNDI_SCALAR_ARITH_H
#define GNDI_SCALAR_ARITH_H

#include "scalar_cast.h"
#include "scalar_math.h"

namespace gnd {

/* The unsigned type for integer arithmetic: never narrower than int, since narrower types would be promoted to int,
   whose overflow is undefined. */
template <class T> using wrap_t = choose_t<sizeof(T) == 8, uint64_t, uint32_t>;

/* a < 0, without a comparison that is always false for an unsigned T. */
template <class T> GNDI_FN bool is_negative(T a) {
    if constexpr (is_signed_int<T> || is_float<T>)
        return a < 0;
    else
        return false;
}

namespace ops {

template <class T> GNDI_FN T copy(T a) {
    return a;
}

template <class T> GNDI_FN T add(T a, T b) {
    if constexpr (is_bool<T>)
        return a | b;
    else if constexpr (is_int<T>)
        return (T)((wrap_t<T>)a + (wrap_t<T>)b);
    else if constexpr (is_complex<T>)
        return T{m::add(a.re, b.re), m::add(a.im, b.im)};
    else
        return m::add(a, b);
}

template <class T> GNDI_FN T subtract(T a, T b) {
    if constexpr (is_int<T>)
        return (T)((wrap_t<T>)a - (wrap_t<T>)b);
    else if constexpr (is_complex<T>)
        return T{m::sub(a.re, b.re), m::sub(a.im, b.im)};
    else
        return m::sub(a, b);
}

template <class T> GNDI_FN T multiply(T a, T b) {
    if constexpr (is_bool<T>)
        return a & b;
    else if constexpr (is_int<T>)
        return (T)((wrap_t<T>)a * (wrap_t<T>)b);
    else if constexpr (is_complex<T>)
        return T{m::sub(m::mul(a.re, b.re), m::mul(a.im, b.im)), m::add(m::mul(a.re, b.im), m::mul(a.im, b.re))};
    else
        return m::mul(a, b);
}

/* R. L. Smith, "Algorithm 116: Complex division", 1962, with NumPy's order of operations. */
template <class R> GNDI_FN complex<R> divide_complex(complex<R> a, complex<R> b) {
    if (m::abs(b.re) >= m::abs(b.im)) {
        if (b.re == 0) {
            const R zero = m::abs(b.re);
            return {a.re / zero, a.im / zero};
        }
        const R ratio = b.im / b.re, scale = (R)1 / m::add(b.re, m::mul(b.im, ratio));
        return {m::add(a.re, m::mul(a.im, ratio)) * scale, m::sub(a.im, m::mul(a.re, ratio)) * scale};
    }
    const R ratio = b.re / b.im, scale = (R)1 / m::add(b.im, m::mul(b.re, ratio));
    return {m::add(m::mul(a.re, ratio), a.im) * scale, m::sub(m::mul(a.im, ratio), a.re) * scale};
}

template <class T> GNDI_FN T divide(T a, T b) {
    if constexpr (is_complex<T>)
        return divide_complex(a, b);
    else
        return a / b;
}

template <class T> GNDI_FN T negative(T a) {
    if constexpr (is_int<T>)
        return (T)((wrap_t<T>)0 - (wrap_t<T>)a);
    else if constexpr (is_complex<T>)
        return T{-a.re, -a.im};
    else if constexpr (is_half<T>)
        return T{(uint16_t)(a.bits ^ 0x8000u)};
    else
        return -a;
}

template <class T> GNDI_FN T positive(T a) {
    return a;
}

/* The lowest integer is its own absolute value. */
template <class T> GNDI_FN auto absolute(T a) {
    if constexpr (is_complex<T>)
        return m::hypot(a.re, a.im);
    else if constexpr (is_half<T>)
        return T{(uint16_t)(a.bits & 0x7fffu)};
    else if constexpr (is_float<T>)
        return m::abs(a);
    else if constexpr (is_signed_int<T>)
        return a < 0 ? negative(a) : a;
    else
        return a;
}

template <class T> GNDI_FN T square(T a) {
    return multiply(a, a);
}

/* a^3 with one rounding: float in double; double with a * a in two parts, the second of which is the first's rounding
   error. */
template <class T> GNDI_FN T cube(T a) {
    if constexpr (is_int<T>) {
        return multiply(multiply(a, a), a);
    } else if constexpr (is_same<T, float>) {
        return (float)m::mul(m::mul((double)a, (double)a), (double)a);
    } else {
#if GNDI_ON_DEVICE || defined(__FMA__)
        const T square = m::mul(a, a), lost = m::fma(a, a, -square), rough = m::mul(square, a);
        return m::isfinite(rough) ? m::fma(square, a, m::mul(lost, a)) : rough;
#else
        return (T)((long double)a * (long double)a * (long double)a);
#endif
    }
}

/* 1, whatever a is. */
template <class T> GNDI_FN T one(T) {
    if constexpr (is_complex<T>)
        return T{1, 0};
    else
        return (T)1;
}

template <class T> GNDI_FN T fma(T a, T b, T c) {
    return m::fma(a, b, c);
}
/* In 16 bits: one rounding, as the name promises. float64 holds the product exactly. */
template <class S> GNDI_FN float fma_16(float a, float b, float c) {
    return to_float_odd(m::fma((double)a, (double)b, (double)c));
}

} // namespace ops
} // namespace gnd

#endif
