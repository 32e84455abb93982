/*
 * special_simple.h: special functions of a few elementary ones: the logistic function and its kin, entropies, losses,
 * the Box-Cox transformations, angles in degrees. Meaning at the edges is SciPy's. They compute in T, float or double;
 * errors are in ulp of T.
 */
#ifndef GNDI_SPECIAL_SIMPLE_H
#define GNDI_SPECIAL_SIMPLE_H

#include "special_math.h"

namespace gnd {
namespace special {

/* log(1 + x) - x without cancellation: log(1 + x) = 2 artanh(t), t = x / (2 + x), whose series is summed less x. */
GNDI_FN_HEAVY double log1p_less(double x) {
    if (!(m::abs(x) < 0.45)) return s::log1p(x) - x;
    const double t = x / (2 + x), square = t * t;
    double sum = 0;
    for (int k = 35; k >= 3; k -= 2) sum = sum * square + 1.0 / k;
    return t * (2 * square * sum - x);
}

/* ---- degrees -------------------------------------------------------------------------------- */

/* What is left of x degrees after whole quarters of a turn, from -45 to 45, exactly, and the quarters, 0 to 3. */
template <class T> GNDI_FN T in_quarter(T x, int *quarter) {
    const T turn = s::fmod(x, (T)360), nearest = m::rint(turn / 90);
    *quarter = (int)nearest & 3;
    return turn - 90 * nearest;
}
template <class T> GNDI_FN T from_degrees(T x) {
    return x * (T)0.017453292519943295769;
}
/* Beyond 1e14 degrees, where Cephes has no digits left, it gives 0. */
template <class T> GNDI_FN bool too_far(T x) {
    return m::abs(x) > (T)1e14;
}
template <class T> GNDI_FN_HEAVY T sine_of_quarters(T x, int more) {
    int quarter;
    const T rest = from_degrees(in_quarter(x, &quarter));
    quarter = (quarter + more) & 3;
    const T size = quarter & 1 ? s::cos(rest) : s::sin(rest);
    return quarter & 2 ? -size : size;
}
/* Of the tangent or the cotangent, as Cephes: a pole gives infinity whatever the side. */
template <class T> GNDI_FN_HEAVY T tangent_of_degrees(T x, bool inverse) {
    if (too_far(x)) return 0;
    T size = s::fmod(m::abs(x), (T)180), sign = x < 0 ? (T)-1 : (T)1;
    if (size > 90) size = 180 - size, sign = -sign;
    if (size == (inverse ? 90 : 0)) return 0;
    if (size == 45) return sign;
    if (size == (inverse ? 0 : 90)) return limits<T>::infinity();
    const bool small = size < 45;
    const T tangent = s::tan(from_degrees(small ? size : 90 - size));
    return sign * (small == inverse ? 1 / tangent : tangent);
}

} // namespace special

namespace ops {

/* ---- the logistic function ------------------------------------------------------------------ */

/* 2 ulp. */
template <class T> GNDI_FN T expit(T x) {
    const T e = s::exp(-m::abs(x));
    return (x < 0 ? e : (T)1) / (1 + e);
}
/* 2 ulp. */
template <class T> GNDI_FN T log_expit(T x) {
    const T tail = s::log1p(s::exp(-m::abs(x)));
    return (x < 0 ? x : (T)0) - tail;
}
/* 3 ulp. */
template <class T> GNDI_FN T logit(T x) {
    const T twice = 2 * (x - (T)0.5);
    return x < (T)0.3 || x > (T)0.65 ? s::log(x / (1 - x)) : s::log1p(twice) - s::log1p(-twice);
}

/* ---- logarithms times a factor -------------------------------------------------------------- */

template <class T> GNDI_FN T xlogy(T x, T y) {
    return x == 0 && !m::isnan(y) ? (T)0 : x * s::log(y);
}
template <class T> GNDI_FN T xlog1py(T x, T y) {
    return x == 0 && !m::isnan(y) ? (T)0 : x * s::log1p(y);
}
template <class T> GNDI_FN T entr(T x) {
    if (m::isnan(x)) return x;
    return x > 0 ? -x * s::log(x) : x == 0 ? (T)0 : -limits<T>::infinity();
}
/* x log(x / y), 3 ulp; near x = y by the exact difference. */
template <class T> GNDI_FN_HEAVY T rel_entr(T x, T y) {
    const T infinity = limits<T>::infinity();
    if (m::isnan(x) || m::isnan(y)) return limits<T>::nan();
    if (x == 0 && y >= 0) return 0;
    if (!(x > 0 && y > 0)) return infinity;
    const T ratio = x / y;
    if (ratio > (T)0.5 && ratio < 2) return x * s::log1p((x - y) / y);
    if (ratio > limits<T>::min_normal() && ratio < infinity) return x * s::log(ratio);
    return x * (s::log(x) - s::log(y));
}
/* x log(x / y) - x + y: with d = (x - y) / y near 0, y ((1 + d) (log(1 + d) - d) + d^2), where nothing cancels. */
template <class T> GNDI_FN T kl_div(T x, T y) {
    if (m::isnan(x) || m::isnan(y)) return limits<T>::nan();
    if (x == 0 && y >= 0) return y;
    if (!(x > 0 && y > 0)) return limits<T>::infinity();
    const T d = (x - y) / y;
    if (m::abs(d) < (T)0.4) return (T)(y * ((1 + (double)d) * special::log1p_less(d) + (double)d * d));
    return rel_entr(x, y) - x + y;
}

/* ---- losses --------------------------------------------------------------------------------- */

template <class T> GNDI_FN T huber(T delta, T r) {
    if (delta < 0) return limits<T>::infinity();
    const T size = m::abs(r);
    return size <= delta ? (T)0.5 * r * r : delta * (size - (T)0.5 * delta);
}
/* delta^2 (sqrt(1 + (r / delta)^2) - 1) without cancellation. */
template <class T> GNDI_FN T pseudo_huber(T delta, T r) {
    if (delta < 0) return limits<T>::infinity();
    if (delta == 0 || r == 0) return 0;
    const T size = m::abs(r), u = size / delta;
    if (m::isinf(u)) return delta * size;
    return size * (u / (1 + m::hypot((T)1, u))) * delta;
}

/* ---- exponentials --------------------------------------------------------------------------- */

template <class T> GNDI_FN T exp10(T x) {
#if GNDI_ON_DEVICE
    if constexpr (is_same<T, float>)
        return ::exp10f(x);
    else
        return ::exp10(x);
#else
    return s::pow((T)10, x);
#endif
}
/* (e^x - 1) / x */
template <class T> GNDI_FN T exprel(T x) {
    if (m::abs(x) < limits<T>::epsilon()) return 1;
    if (x > (is_same<T, float> ? (T)92 : (T)717)) return limits<T>::infinity();
    const T half = s::exp(x / 2);
    return x > 80 ? half / x * half : s::expm1(x) / x;
}
/* cos(x) - 1 */
template <class T> GNDI_FN T cosm1(T x) {
    const T sine = s::sin(x / 2);
    return -2 * sine * sine;
}

/* ---- Box-Cox -------------------------------------------------------------------------------- */

/* (x^lambda - 1) / lambda, given log x. */
template <class T> GNDI_FN_HEAVY T boxcox_of_log(T log_x, T lambda) {
    if (m::abs(lambda) < (T)1e-19) return log_x;
    const T exponent = lambda * log_x;
    if (exponent < (is_same<T, float> ? (T)88 : (T)709)) return s::expm1(exponent) / lambda;
    return m::copysign((T)1, lambda) * s::exp(exponent - s::log(m::abs(lambda))) - 1 / lambda;
}
template <class T> GNDI_FN T boxcox(T x, T lambda) {
    return boxcox_of_log(s::log(x), lambda);
}
template <class T> GNDI_FN T boxcox1p(T x, T lambda) {
    const T log_x = s::log1p(x);
    if (log_x == 0 && m::isfinite(lambda)) return log_x;
    return boxcox_of_log(log_x, lambda);
}
/* log(1 + lambda x) / lambda; where the product overflows, of the two factors. */
template <class T> GNDI_FN_HEAVY T inverse_exponent(T x, T lambda) {
    const T product = lambda * x;
    if (m::isinf(product) && m::isfinite(x) && m::isfinite(lambda))
        return (s::log(m::abs(x)) + s::log(m::abs(lambda))) / lambda;
    return s::log1p(product) / lambda;
}
template <class T> GNDI_FN T inv_boxcox(T x, T lambda) {
    return lambda == 0 ? s::exp(x) : s::exp(inverse_exponent(x, lambda));
}
template <class T> GNDI_FN T inv_boxcox1p(T x, T lambda) {
    if (lambda == 0) return s::expm1(x);
    if (m::abs(lambda * x) < limits<T>::min_normal()) return s::expm1(x);
    return s::expm1(inverse_exponent(x, lambda));
}

/* ---- degrees -------------------------------------------------------------------------------- */

template <class T> GNDI_FN T radian(T degrees, T minutes, T seconds) {
    return ((degrees * 60 + minutes) * 60 + seconds) * (T)4.8481368110953599359e-6;
}
template <class T> GNDI_FN T cosdg(T x) {
    return special::too_far(x) ? (T)0 : special::sine_of_quarters(x, 1);
}
template <class T> GNDI_FN T sindg(T x) {
    return special::too_far(x) ? (T)0 : special::sine_of_quarters(x, 0);
}
template <class T> GNDI_FN T tandg(T x) {
    return special::tangent_of_degrees(x, false);
}
template <class T> GNDI_FN T cotdg(T x) {
    return special::tangent_of_degrees(x, true);
}

} // namespace ops
} // namespace gnd

#endif
