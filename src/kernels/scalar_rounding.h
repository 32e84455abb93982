/*
 * scalar_rounding.h: sign, fabs, rint, floor, ceil, trunc, fix, round, clip, and the extrema
 * maximum, minimum, fmax, fmin. On integers and bool the roundings change nothing.
 */
#ifndef GNDI_SCALAR_ROUNDING_H
#define GNDI_SCALAR_ROUNDING_H

#include "scalar_arith.h"
#include "scalar_compare.h"

namespace gnd {
namespace ops {

template <class T> GNDI_FN bool is_nan(T a) {
    if constexpr (is_complex<T>)
        return m::isnan(a.re) | m::isnan(a.im);
    else if constexpr (is_float<T>)
        return m::isnan(a);
    else
        return false;
}

/* ---- extrema
   --------------------------------------------------------------------------------------- maximum
   and minimum return a NaN if there is one; fmax and fmin return the other operand. Of two equal
   zeros NumPy's loops return the second if they are real, the first if they are complex. */

template <class T> GNDI_FN bool above(T a, T b) {
    if constexpr (is_complex<T>)
        return greater_equal(a, b);
    else
        return greater(a, b);
}
template <class T> GNDI_FN T maximum(T a, T b) {
    return above(a, b) | is_nan(a) ? a : b;
}
template <class T> GNDI_FN T minimum(T a, T b) {
    return above(b, a) | is_nan(a) ? a : b;
}
template <class T> GNDI_FN T fmax(T a, T b) {
    return above(a, b) | is_nan(b) ? a : b;
}
template <class T> GNDI_FN T fmin(T a, T b) {
    return above(b, a) | is_nan(b) ? a : b;
}

/* The bounds propagate a NaN, except that NumPy orders complex numbers here by their real parts
   alone where those differ, whatever the imaginary parts are. */
template <class T> GNDI_FN T clip(T a, T low, T high) {
    if constexpr (is_complex<T>) {
        if (is_nan(a)) return a;
        const bool over = (a.re > low.re) | ((a.re == low.re) & (a.im > low.im));
        const T raised = over ? a : low;
        if (is_nan(raised)) return raised;
        const bool under = (raised.re < high.re) | ((raised.re == high.re) & (raised.im < high.im));
        return under ? raised : high;
    } else {
        return minimum(maximum(a, low), high);
    }
}

/* ---- rounding
 * --------------------------------------------------------------------------------------- */

template <class T> GNDI_FN T fabs(T a) {
    return m::abs(a);
}

template <class T> GNDI_FN T rint(T a) {
    if constexpr (is_complex<T>)
        return T{m::rint(a.re), m::rint(a.im)};
    else
        return m::rint(a);
}
template <class T> GNDI_FN T floor(T a) {
    if constexpr (is_float<T>)
        return m::floor(a);
    else
        return a;
}
template <class T> GNDI_FN T ceil(T a) {
    if constexpr (is_float<T>)
        return m::ceil(a);
    else
        return a;
}
template <class T> GNDI_FN T trunc(T a) {
    if constexpr (is_float<T>)
        return m::trunc(a);
    else
        return a;
}
template <class T> GNDI_FN T fix(T a) {
    return trunc(a);
}

/* 10^n, exact as far as float64 can be. */
GNDI_FN double power_of_ten(int n) {
    double power = 1, base = 10;
    if (n > 22) return m::pow(10.0, (double)n);
    for (; n > 0; n >>= 1, base *= base)
        if (n & 1) power *= base; /* every partial product is below 10^23, hence exact */
    return power;
}

/* round to p[0] decimals: scale, rint, scale back, each step rounded to S, as NumPy does (and
   ml_dtypes, whose bfloat16 keeps the power of ten exact). */
template <class S, class F> GNDI_FN F round_real(F a, const double *p) {
    const int decimals = (int)p[0];
    if (decimals == 0) return m::rint(a);
    F scale = (F)power_of_ten(decimals < 0 ? -decimals : decimals);
    if constexpr (is_same<S, float16>) scale = rounded<S>(scale);
    if (decimals > 0) return m::rint(rounded<S>(a * scale)) / scale;
    return m::rint(rounded<S>(a / scale)) * scale;
}
template <class S, class T> GNDI_FN T round_to(T a, const double *p) {
    if constexpr (is_complex<T>) {
        return T{round_real<real_t<T>>(a.re, p), round_real<real_t<T>>(a.im, p)};
    } else if constexpr (is_float<T>) {
        return round_real<S>(a, p);
    } else {
        if (p[0] >= 0) return a;
        return truncate_to<T>(round_real<double>((double)a, p));
    }
}
template <class T> GNDI_FN T round(T a, const double *p) {
    return round_to<T>(a, p);
}

/* -1, 0 or 1; of a complex number z / |z|, an infinite part outweighing a finite one. */
template <class T> GNDI_FN T sign(T a) {
    if constexpr (is_complex<T>) {
        typedef real_t<T> R;
        const R size = m::hypot(a.re, a.im);
        if (m::isnan(size)) return T{limits<R>::nan(), limits<R>::nan()};
        if (m::isinf(size)) {
            if (m::isinf(a.re))
                return m::isinf(a.im) ? T{limits<R>::nan(), limits<R>::nan()}
                                      : T{m::copysign((R)1, a.re), (R)0};
            return T{(R)0, m::copysign((R)1, a.im)};
        }
        if (size == 0) return T{(R)0, (R)0};
        return T{a.re / size, a.im / size};
    } else if constexpr (is_float<T>) {
        return a > 0 ? (T)1 : a < 0 ? (T)-1 : a == 0 ? (T)0 : a;
    } else {
        return (T)(a > 0 ? 1 : is_negative(a) ? -1 : 0);
    }
}

} // namespace ops
} // namespace gnd

#endif
