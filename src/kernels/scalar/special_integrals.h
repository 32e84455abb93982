/*
 * special_integrals.h: exponential integrals, sine and cosine integrals and their hyperbolic forms: power series near
 * 0, continued fractions and the asymptotic series beyond (DLMF chapter 6 and 8.19).
 */
#ifndef GNDI_SPECIAL_INTEGRALS_H
#define GNDI_SPECIAL_INTEGRALS_H

#include "special_gamma.h"

namespace gnd {
namespace special {

/* E_n(x) of whole order n: 8 ulp. NaN where n or x is negative. */
GNDI_FN_HEAVY double expn(double n, double x) {
    n = m::trunc(n);
    if (!(n >= 0 && x >= 0)) return limits<double>::nan();
    if (x == 0) return n <= 1 ? limits<double>::infinity() : 1 / (n - 1);
    if (x > 750) return 0;
    if (n == 0) return s::exp(-x) / x;
    if (x > 1) { /* the continued fraction, of positive numbers, from behind: DLMF 8.19.17 */
        double tail = x;
        for (int k = 20 + (int)(90 / x); k > 0; --k) tail = x + (n + k - 1) / (1 + k / tail);
        return s::exp(-x) / tail;
    }
    double sum = n == 1 ? -s::log(x) - euler : 1 / (n - 1), power = 1; /* DLMF 8.19.8 */
    for (int i = 1; i < 60; ++i) {
        power *= -x / i;
        double term = -power / (i - (n - 1));
        if (i == n - 1) {
            double harmonic = -euler;
            for (int k = 1; k < n; ++k) harmonic += 1.0 / k;
            term = power * (harmonic - s::log(x));
        }
        sum += term;
        if (m::abs(term) < 1e-17 * m::abs(sum)) break;
    }
    return sum;
}
GNDI_FN double exp1(double x) {
    return expn(1, x);
}

/* Ei(x), the principal value: 8 ulp, near its zero, too, about which the series is taken there. */
GNDI_FN_HEAVY double expi(double x) {
    if (m::isnan(x)) return x;
    if (x <= 0) return x == 0 ? -limits<double>::infinity() : -expn(1, -x);
    if (x > 720) return limits<double>::infinity();
    const double zero = 0.3725074107813666, rest = 1.3140183414386028201e-17;
    if (x > 0.2 && x < 0.6) {
        const double off = (x - zero) - rest;
        double difference = off, power = zero, factorial = 1, sum = s::log1p(off / zero) + off;
        for (int k = 2; k < 30; ++k) { /* of x^k and zero^k */
            difference = x * difference + power * off;
            power *= zero;
            factorial *= k;
            sum += difference / (k * factorial);
        }
        return sum;
    }
    if (x < 40) {
        double term = 1, sum = 0;
        for (int k = 1; k < 200; ++k) {
            term *= x / k;
            sum += term / k;
            if (term < 1e-18 * k * sum) break;
        }
        return sum + (s::log(x) + euler);
    }
    double term = 1, sum = 1;
    for (int k = 1; k < 40; ++k) {
        term *= k / x;
        sum += term;
        if (term < 1e-18) break;
    }
    const double half = s::exp(x / 2);
    return half * (sum / x) * half;
}

/* Si and Ci of x > 0: the series, or the continued fraction of E1(ix) by Lentz' method, DLMF 6.9.1. */
GNDI_FN_HEAVY pair<double, double> sici_of(double x) {
    if (x <= 2) {
        double power = 1, sine = 0, cosine = 0;
        for (int k = 1; k < 40; k += 2) { /* power is +-x^(k - 1) / (k - 1)! */
            sine += power * x / k / k;
            power *= -x / k * (x / (k + 1));
            cosine += power / (k + 1);
            if (m::abs(power) < 1e-18) break;
        }
        return {sine, cosine + s::log(x) + euler};
    }
    if (m::isinf(x)) return {pi / 2, 0};
    double re = 1, im = x, size = 1 + x * x; /* b; d = h = 1 / b; c is infinite */
    if (m::isinf(size)) size = limits<double>::max();
    double d_re = re / size, d_im = m::isinf(x * x) ? -1 / x : -im / size, h_re = d_re, h_im = d_im;
    double c_re = 1e300, c_im = 0;
    for (int i = 1; i < 300; ++i) {
        const double up = -(double)i * i;
        re += 2;
        const double e_re = up * d_re + re, e_im = up * d_im + im;
        const double t = e_re / e_im, inverse = 1 / (e_re * t + e_im); /* |e_im| is large enough */
        d_re = t * inverse, d_im = -inverse;
        const double over = up / c_re, ratio = c_im / c_re, shrink = 1 / (1 + ratio * ratio);
        c_re = re + over * shrink, c_im = im - over * ratio * shrink;
        const double f_re = c_re * d_re - c_im * d_im, f_im = c_re * d_im + c_im * d_re;
        const double next = h_re * f_re - h_im * f_im;
        h_im = h_re * f_im + h_im * f_re, h_re = next;
        if (m::abs(f_re - 1) + m::abs(f_im) < 2e-16) break;
    }
    double sine, cosine;
    m::sincos(x, &sine, &cosine);
    return {pi / 2 + (cosine * h_im - sine * h_re), -(cosine * h_re + sine * h_im)};
}
/* 24 ulp, of Ci of the larger of it and 1 / x, as its zeros lose digits. Ci is that of |x|; NaN at -inf. */
GNDI_FN_HEAVY pair<double, double> sici(double x) {
    if (m::isnan(x) || x == 0) return {x, x == 0 ? -limits<double>::infinity() : x};
    pair<double, double> r = sici_of(m::abs(x));
    if (x < 0) r.first = -r.first;
    if (x < 0 && m::isinf(x)) r.second = limits<double>::nan();
    return r;
}

/* Shi and Chi, of |x|: 8 ulp; Chi near its zero at 0.52 of 1. */
GNDI_FN_HEAVY pair<double, double> shichi(double x) {
    const double size = m::abs(x);
    if (m::isnan(x) || x == 0) return {x, x == 0 ? -limits<double>::infinity() : x};
    double sine = 0, cosine = 0, power = 1;
    if (size < 22) {
        for (int k = 1; k < 120; k += 2) {
            sine += power * size / k / k;
            power *= size / k * (size / (k + 1));
            cosine += power / (k + 1);
            if (power < 1e-19 * k * sine) break;
        }
        cosine += s::log(size) + euler;
    } else {
        sine = cosine = expi(size) / 2;
        if (m::isinf(sine) && size < 730) { /* Ei overflows before its half */
            const double half = s::exp(size / 2);
            sine = cosine = half * (0.5 / size * (1 + (1 + (2 + 6 / size) / size) / size)) * half;
        }
    }
    return {x < 0 ? -sine : sine, cosine};
}

} // namespace special

namespace ops {

GNDI_SPECIAL_1(exp1)
GNDI_SPECIAL_1(expi)
GNDI_SPECIAL_2(expn)
template <class T> GNDI_FN pair<T, T> sici(T x) {
    const pair<double, double> r = special::sici((double)x);
    return {(T)r.first, (T)r.second};
}
template <class T> GNDI_FN pair<T, T> shichi(T x) {
    const pair<double, double> r = special::shichi((double)x);
    return {(T)r.first, (T)r.second};
}

} // namespace ops
} // namespace gnd

#endif
