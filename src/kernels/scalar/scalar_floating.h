/*
 * scalar_floating.h: operators on the representation of floating numbers: heaviside, copysign, nextafter,
 * spacing, ldexp, frexp, modf, signbit, the is... tests, isclose, nan_to_num. On float16 and bfloat16 some of
 * them depend on the spacing of 16-bit numbers: those take the storage type S as their first template
 * argument.
 */
#ifndef GNDI_SCALAR_FLOATING_H
#define GNDI_SCALAR_FLOATING_H

#include "scalar_rounding.h"

namespace gnd {
namespace ops {

template <class T> GNDI_FN T heaviside(T a, T at_zero) {
    return a > 0 ? (T)1 : a < 0 ? (T)0 : a == 0 ? at_zero : a;
}
template <class T> GNDI_FN T copysign(T a, T b) {
    if constexpr (is_half<T>)
        return T{(uint16_t)((a.bits & 0x7fffu) | (b.bits & 0x8000u))};
    else
        return m::copysign(a, b);
}
template <class T> GNDI_FN bool signbit(T a) {
    if constexpr (is_half<T>)
        return a.bits >> 15 != 0;
    else
        return m::signbit(a);
}

/* ---- neighbours ----------------------------------------------------------------------------- */

GNDI_FN uint32_t bits_of(float x) {
    return to_bits(x);
}
GNDI_FN uint64_t bits_of(double x) {
    return to_bits(x);
}
GNDI_FN uint16_t bits_of(float16 x) {
    return x.bits;
}
GNDI_FN uint16_t bits_of(bfloat16 x) {
    return x.bits;
}
template <class S> GNDI_FN S with_bits(bits_t<S> u) {
    if constexpr (is_half<S>)
        return S{u};
    else
        return from_bits(u);
}

/* The next number of type S after a in the direction of b: one up or down in the bits. */
template <class S> GNDI_FN compute_t<S> nextafter_on(compute_t<S> a, compute_t<S> b) {
    typedef bits_t<S> U;
    const U top = (U)((U)1 << (sizeof(S) * 8 - 1));
    const U u = bits_of(from_compute<S>(a));
    const bool outwards = (a < b) == !(u & top);
    const U moved = (U)(outwards ? u + 1 : u - 1);
    const U from_zero = (U)(1 | (b < 0 ? top : 0));
    const compute_t<S> next = to_compute(with_bits<S>(a == 0 ? from_zero : moved));
    if (m::isnan(a) | m::isnan(b)) return limits<compute_t<S>>::nan();
    return a == b ? b : next;
}
template <class T> GNDI_FN T nextafter(T a, T b) {
    return nextafter_on<T>(a, b);
}

/* The distance to the next number: away from zero, and with a's sign; on float16 upwards, hence
   never negative. That is NumPy's. */
template <class S> GNDI_FN compute_t<S> spacing_on(compute_t<S> a) {
    typedef compute_t<S> C;
    const C infinity = limits<C>::infinity();
    const bool down = is_same<S, bfloat16> ? m::signbit(a) : !is_same<S, float16> && a < 0;
    const C gap = nextafter_on<S>(a, down ? -infinity : infinity) - a;
    return m::isfinite(a) ? gap : limits<C>::nan();
}
template <class T> GNDI_FN T spacing(T a) {
    return spacing_on<T>(a);
}

/* ---- exponent and fraction ------------------------------------------------------------------ */

template <class T> GNDI_FN T ldexp(T a, int64_t n) {
    return m::ldexp(a, (int)(n > 10000 ? 10000 : n < -10000 ? -10000 : n));
}

template <class T> GNDI_FN pair<T, int32_t> frexp(T a) {
    typedef bits_t<T> U;
    constexpr int fraction_bits = limits<T>::digits - 1, bias = limits<T>::max_exponent - 1;
    constexpr int field = limits<T>::max_exponent * 2 + 1;
    const bool tiny = m::abs(a) < limits<T>::min_normal();
    const T scaled = tiny ? a * (T)((U)1 << (fraction_bits + 1)) : a;
    const U u = to_bits(scaled);
    const int exponent = (int)(u >> fraction_bits) & field;
    if (a == 0 || exponent == field) return {a, 0};
    const U fraction = (u & ~((U)field << fraction_bits)) | (U)bias << fraction_bits;
    return {from_bits(fraction), exponent - bias - (tiny ? fraction_bits + 1 : 0)};
}

template <class T> GNDI_FN pair<T, T> modf(T a) {
    const T whole = m::trunc(a);
    const T fraction = m::isinf(a) ? (T)0 : a - whole;
    return {m::isnan(a) ? a : m::copysign(fraction, a), whole};
}

/* ---- tests ---------------------------------------------------------------------------------- */

template <class T> GNDI_FN bool isnan(T a) {
    return is_nan(a);
}
template <class T> GNDI_FN bool isinf(T a) {
    if constexpr (is_complex<T>)
        return m::isinf(a.re) | m::isinf(a.im);
    else if constexpr (is_float<T>)
        return m::isinf(a);
    else
        return false;
}
template <class T> GNDI_FN bool isfinite(T a) {
    if constexpr (is_complex<T>)
        return m::isfinite(a.re) & m::isfinite(a.im);
    else if constexpr (is_float<T>)
        return m::isfinite(a);
    else
        return true;
}
template <class T> GNDI_FN bool isposinf(T a) {
    if constexpr (is_float<T>)
        return a == limits<T>::infinity();
    else
        return false;
}
template <class T> GNDI_FN bool isneginf(T a) {
    if constexpr (is_float<T>)
        return a == -limits<T>::infinity();
    else
        return false;
}

/* |a - b| <= atol + rtol |b|; p = rtol, atol, equal_nan. Each step is rounded to S, as in NumPy. */
template <class S, class T> GNDI_FN bool isclose_on(T a, T b, const double *p) {
    typedef real_t<S> R;
    typedef compute_t<R> C;
    const C rtol = to_compute(cast<R>(p[0])), atol = to_compute(cast<R>(p[1]));
    C distance, size;
    if constexpr (is_complex<T>) {
        distance = absolute(subtract(a, b));
        size = absolute(b);
    } else {
        distance = m::abs(rounded<S>(a - b));
        size = m::abs(b);
    }
    const C bound = rounded<R>(m::add(atol, rounded<R>(m::mul(rtol, size))));
    return ((distance <= bound) & isfinite(b)) | equal(a, b) | ((p[2] != 0) & is_nan(a) & is_nan(b));
}
template <class T> GNDI_FN bool isclose(T a, T b, const double *p) {
    return isclose_on<T>(a, b, p);
}

/* NaN and the infinities replaced: p = nan, posinf, neginf, and which of the three are given (bits
   1, 2, 4); else 0 and the largest and lowest finite numbers of S. */
template <class S, class F> GNDI_FN F replace_special(F a, const double *p) {
    const int given = (int)p[3];
    F largest = limits<F>::max();
    if constexpr (is_half<S>) largest = to_float(S{is_same<S, float16> ? (uint16_t)0x7bff : (uint16_t)0x7f7f});
    const F nan = given & 1 ? (F)p[0] : (F)0;
    const F up = given & 2 ? (F)p[1] : largest, down = given & 4 ? (F)p[2] : -largest;
    const F replaced = m::isnan(a) ? nan : a > 0 ? up : down;
    return m::isfinite(a) ? a : replaced;
}
template <class S, class T> GNDI_FN T nan_to_num_on(T a, const double *p) {
    if constexpr (is_complex<T>)
        return T{replace_special<real_t<S>>(a.re, p), replace_special<real_t<S>>(a.im, p)};
    else if constexpr (is_float<T>)
        return replace_special<S>(a, p);
    else
        return a;
}
template <class T> GNDI_FN T nan_to_num(T a, const double *p) {
    return nan_to_num_on<T>(a, p);
}

} // namespace ops
} // namespace gnd

#endif
