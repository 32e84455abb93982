/*
 * special_elliptic.h: elliptic integrals of the first and second kind, in the parameter m = k^2, and Jacobi's elliptic
 * functions.
 *
 * Complete ones of the first kind by the arithmetic-geometric mean (DLMF 19.8.5), incomplete ones by Carlson's
 * symmetric integrals (B. C. Carlson, "Numerical computation of real or complex elliptic integrals", 1995; DLMF 19.36),
 * in forms whose terms have one sign (DLMF 19.25.5, 19.25.9 and 19.25.10); Jacobi's functions by descending Landen
 * transformations (DLMF 22.20).
 */
#ifndef GNDI_SPECIAL_ELLIPTIC_H
#define GNDI_SPECIAL_ELLIPTIC_H

#include "special_gamma.h"

namespace gnd {
namespace special {

/* K(1 - p): 4 ulp. inf at p = 0, NaN below. */
GNDI_FN_HEAVY double ellipkm1(double p) {
    if (!(p >= 0)) return limits<double>::nan();
    if (p == 0 || m::isinf(p)) return p == 0 ? limits<double>::infinity() : 0;
    double a = 1, g = m::sqrt(p);
    for (int i = 0; i < 40 && m::abs(a - g) > 1e-8 * a; ++i) {
        const double mean = (a + g) / 2;
        g = m::sqrt(a * g);
        a = mean;
    }
    return pi / (a + g);
}
GNDI_FN double ellipk(double m_) {
    return ellipkm1(1 - m_);
}

/* R_F(x, y, z) and R_D(x, y, z): duplications until the three are within a few thousandths, then the series. */
struct carlson {
    double f, d;
};
GNDI_FN_HEAVY carlson carlson_both(double x, double y, double z, bool d_too) {
    double sum = 0, scale = 1;
    for (int i = 0; i < 60; ++i) {
        const double mean = (x + y + z) / 3;
        const double off = m::abs(mean - x) + m::abs(mean - y) + m::abs(mean - z);
        if (off < 2e-3 * mean) break;
        const double a = m::sqrt(x), b = m::sqrt(y), c = m::sqrt(z), l = a * b + a * c + b * c;
        sum += scale / (c * (z + l));
        scale /= 4;
        x = (x + l) / 4, y = (y + l) / 4, z = (z + l) / 4;
    }
    const double mean = (x + y + z) / 3, u = (mean - x) / mean, v = (mean - y) / mean, w = -u - v;
    const double e2 = u * v - w * w, e3 = u * v * w;
    carlson r;
    r.f = (1 - e2 / 10 + e3 / 14 + e2 * e2 / 24 - 3 * e2 * e3 / 44) / m::sqrt(mean);
    if (!d_too) return r;
    const double about = (x + y + 3 * z) / 5, p = (about - x) / about, q = (about - y) / about, t = -(p + q) / 3;
    const double d2 = p * q - 6 * t * t, d3 = (3 * p * q - 8 * t * t) * t, d4 = 3 * (p * q - t * t) * t * t;
    const double d5 = p * q * t * t * t;
    const double series = 1 - 3 * d2 / 14 + d3 / 6 + 9 * d2 * d2 / 88 - 3 * d4 / 22 - 9 * d2 * d3 / 52 + 3 * d5 / 26;
    r.d = 3 * sum + scale * series / (about * m::sqrt(about));
    return r;
}

/* F or E of an angle between -pi / 2 and pi / 2, given by sine and cosine. */
GNDI_FN_HEAVY double elliptic_part(double sine, double cosine, double m_, bool second) {
    const double c2 = cosine * cosine, s2 = sine * sine, less = 1 - m_, delta = c2 + less * s2; /* 1 - m sin^2 */
    if (!second) return sine * carlson_both(c2, delta, 1, false).f;
    if (m_ == 1) return sine;
    if (m_ < 0) {
        const carlson r = carlson_both(c2, delta, 1, true);
        return sine * (r.f - m_ * s2 * r.d / 3);
    }
    const carlson r = carlson_both(c2, 1, delta, true);
    return sine * (less * (r.f + m_ * s2 * r.d / 3) + m_ * cosine / m::sqrt(delta));
}
/* Whole half turns are taken off the angle, each of which adds the complete integral twice. 8 ulp, and as many of
   |angle| as its distance to a multiple of pi has lost. */
GNDI_FN_HEAVY double elliptic_integral(double angle, double m_, bool second) {
    if (m::isnan(angle) || m::isnan(m_) || m_ > 1) return limits<double>::nan();
    if (m::isinf(angle) && m::isinf(m_)) return limits<double>::nan();
    if (m::isinf(angle)) return angle;
    if (m::isinf(m_)) return second ? (angle == 0 ? angle : m::copysign(-m_, second ? (double)1 : angle)) : 0;
    if (m_ == 0) return angle;
    const double turns = m::rint(angle / pi);
    const double rest = m::fma(-turns, 1.2246467991473531772e-16, m::fma(-turns, pi, angle));
    if (m_ == 1 && !second && m::abs(angle) >= pi / 2) return m::copysign(limits<double>::infinity(), angle);
    double sine, cosine;
    m::sincos(rest, &sine, &cosine);
    const double part = elliptic_part(sine, cosine, m_, second);
    if (turns == 0) return part;
    return part + 2 * turns * (second ? elliptic_part(1, 0, m_, true) : ellipk(m_));
}
GNDI_FN double ellipkinc(double angle, double m_) {
    return elliptic_integral(angle, m_, false);
}
GNDI_FN double ellipeinc(double angle, double m_) {
    return elliptic_integral(angle, m_, true);
}

/* The amplitude of u, 0 <= m <= 1. */
GNDI_FN_HEAVY double amplitude(double u, double m_) {
    if (!(m_ >= 0 && m_ <= 1)) return limits<double>::nan();
    if (m_ == 1) return 2 * s::atan(s::tanh(u / 2));
    double a[24], c[24], b = m::sqrt(1 - m_), power = 1;
    int n = 0;
    a[0] = 1, c[0] = m::sqrt(m_);
    while (m::abs(c[n]) > 1e-16 * a[n] && n < 23) {
        c[n + 1] = (a[n] - b) / 2;
        a[n + 1] = (a[n] + b) / 2;
        b = m::sqrt(a[n] * b);
        power *= 2;
        n++;
    }
    double angle = power * a[n] * u;
    for (; n > 0; --n) angle = (angle + m::asin(c[n] * s::sin(angle) / a[n])) / 2;
    return angle;
}

} // namespace special

namespace ops {

GNDI_SPECIAL_1(ellipk)
GNDI_SPECIAL_1(ellipkm1)
GNDI_SPECIAL_2(ellipkinc)
GNDI_SPECIAL_2(ellipeinc)
/* sn and cn, dn and the amplitude. */
template <class T> GNDI_FN pair<T, T> ellipj_sn_cn(T u, T m_) {
    const double angle = special::amplitude((double)u, (double)m_);
    return {(T)s::sin(angle), (T)s::cos(angle)};
}
template <class T> GNDI_FN pair<T, T> ellipj_dn_ph(T u, T m_) {
    const double angle = special::amplitude((double)u, (double)m_), sine = s::sin(angle), cosine = s::cos(angle);
    return {(T)m::sqrt(cosine * cosine + (1 - (double)m_) * sine * sine), (T)angle};
}

} // namespace ops
} // namespace gnd

#endif
