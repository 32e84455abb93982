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

/* ---- extrema --------------------------------------------------------------------------------- */

/* maximum and minimum return a NaN if there is one; fmax and fmin return the other operand. Of two equal
   zeros NumPy's loops return the second if they are real, the first if they are complex. */

template <class T> GNDI_FN bool above(T a, T b) {
    if constexpr (is_complex<T>)
        return greater_equal(a, b);
    else
        return greater(a, b);
}
/* Two selections in turn, rather than one on two conditions: g++ vectorizes these, in clip too. */
template <class T> GNDI_FN T maximum(T a, T b) {
    const T larger = above(a, b) ? a : b;
    return is_nan(a) ? a : larger;
}
template <class T> GNDI_FN T minimum(T a, T b) {
    const T smaller = above(b, a) ? a : b;
    return is_nan(a) ? a : smaller;
}
template <class T> GNDI_FN T fmax(T a, T b) {
    const T larger = above(a, b) ? a : b;
    return is_nan(b) ? a : larger;
}
template <class T> GNDI_FN T fmin(T a, T b) {
    const T smaller = above(b, a) ? a : b;
    return is_nan(b) ? a : smaller;
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

/* ---- rounding ------------------------------------------------------------------------------- */

template <class T> GNDI_FN T fabs(T a) {
    return absolute(a);
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

/* The powers 10^n that are exact in float64. */
GNDI_TABLE double powers_of_ten[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* Rounds to p[0] decimals: scale, rint, scale back, each step rounded to S, as NumPy does (and ml_dtypes, whose
   bfloat16 keeps the power of ten exact). The scales are constant in a loop, and the unused one is 1, so that
   there is no branch. */
template <class S, class F> GNDI_FN F round_real(F a, const double *p) {
    const int decimals = (int)p[0], size = decimals < 0 ? -decimals : decimals;
    F scale = (F)(size <= 22 ? powers_of_ten[size] : m::pow(10.0, (double)size));
    if constexpr (is_same<S, float16>) scale = rounded<S>(scale);
    const F up = decimals > 0 ? scale : (F)1, down = decimals < 0 ? scale : (F)1;
    return m::rint(rounded<S>(a * up / down)) / up * down;
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

/* hypot accurate to about the last bit, the same on every device, where m::hypot is less accurate. In float64 with
   C. F. Borges' correction of the square root of the sum ("Algorithm 1014", ACM TOMS 47, 2021). */
GNDI_FN float hypot_to_last_bit(float x, float y) {
    const double h = m::sqrt(m::add(m::mul((double)x, (double)x), m::mul((double)y, (double)y)));
    return m::isinf(x) | m::isinf(y) ? limits<float>::infinity() : (float)h;
}
GNDI_FN double hypot_to_last_bit(double x, double y) {
    const double p = m::abs(x), q = m::abs(y), large = p > q ? p : q, small = p > q ? q : p;
    const double scale = large > 0x1p511 ? 0x1p-600 : small < 0x1p-459 ? 0x1p600 : 1;
    const double a = large * scale, b = small * scale, gap = a - b;
    const double h = m::sqrt(m::add(m::mul(a, a), m::mul(b, b)));
    const double d = h - a, e = h - b; /* for h^2 - a^2 - b^2, in one of two ways */
    const double near = m::add(m::mul(a, m::sub(2 * e, a)), m::mul(m::sub(e, 2 * gap), e));
    const double apart = m::add(m::mul(2 * d, m::sub(a, 2 * b)), m::add(m::mul(m::sub(4 * d, b), b), m::mul(d, d)));
    const double better = (h - (h <= 2 * b ? near : apart) / (2 * h)) / scale;
    if (m::isinf(p) | m::isinf(q)) return limits<double>::infinity();
    return small <= large * 0x1p-54 ? large + small : better;
}

/* -1, 0 or 1; of a complex number z / |z|, an infinite part outweighing a finite one. */
template <class T> GNDI_FN T sign(T a) {
    if constexpr (is_complex<T>) {
        typedef real_t<T> R;
        const R size = hypot_to_last_bit(a.re, a.im);
        if (m::isnan(size)) return T{limits<R>::nan(), limits<R>::nan()};
        if (m::isinf(size)) {
            if (m::isinf(a.re))
                return m::isinf(a.im) ? T{limits<R>::nan(), limits<R>::nan()} : T{m::copysign((R)1, a.re), (R)0};
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
