/*
 * special_legendre.h: associated Legendre functions, of real degree and normalised for spherical harmonics; Wright's
 * generalised Bessel function; Lambert's W of a complex number.
 */
#ifndef GNDI_SPECIAL_LEGENDRE_H
#define GNDI_SPECIAL_LEGENDRE_H

#include "scalar_complex.h"
#include "special_gamma.h"

namespace gnd {
namespace special {

/* ---- Legendre ------------------------------------------------------------------------------- */

/* (1 - x^2)^(m / 2) / (2^m m!) times gamma(v + m + 1) / gamma(v - m + 1), what the series are multiplied by. */
GNDI_FN_HEAVY double legendre_factor(double m_, double v, double x) {
    double factor = 1;
    const double root = m::sqrt((1 - x) * (1 + x));
    for (double j = 1; j <= m_; j += 1) factor *= root / (2 * j) * (v + j) * (v - j + 1);
    return factor;
}
/* P of order m >= 0 and a degree v > -1 that is not whole: the hypergeometric series in (1 - x) / 2 (DLMF 14.3.4 and
   15.2.1); far from 1 that in (1 + x) / 2, with its logarithm (DLMF 14.3.5 and 15.8.10), as S. Zhang and J. Jin have
   it, "Computation of Special Functions" (1996), section 4.6. */
GNDI_FN_HEAVY double legendre_series(double m_, double v, double x) {
    const double factor = legendre_factor(m_, v, x), sign = is_odd(m_) ? -1 : 1;
    double term = 1, sum = 1;
    if (x >= -0.35) {
        for (double k = 1; k <= 300; k += 1) {
            term *= 0.5 * (m_ - v + k - 1) * (v + m_ + k) / (k * (m_ + k)) * (1 - x);
            sum += term;
            if (k > 12 && m::abs(term) < 1e-17 * m::abs(sum)) break;
        }
        return sign * factor * sum;
    }
    const double sine = sine_of_pi(v) / pi, half = (1 + x) / 2, v2 = v * v;
    double finite = 0, from_m = 0;
    if (m_ > 0) {
        const double ratio = m::sqrt((1 - x) / (1 + x));
        double size = 1, part = 1;
        finite = 1;
        for (double j = 1; j <= m_; j += 1) {
            size *= ratio * j;
            from_m += (j * j + v2) / (j * (j * j - v2));
        }
        for (double k = 1; k < m_; k += 1) {
            part *= (k - 1 - v) * (v + k) / (k * (k - m_)) * half;
            finite += part;
        }
        finite *= -sine * size / m_;
    }
    const double constant = 2 * (digamma(v) + euler) + pi / s::tan(pi * v) + 1 / v + s::log(half);
    double from_k = 0;
    sum = constant + from_m - 1 / (m_ - v);
    for (double k = 1; k <= 300; k += 1) {
        term *= (m_ - v + k - 1) * (v + m_ + k) / (k * (m_ + k)) * half;
        double shifted = 0;
        for (double j = 1; j <= m_; j += 1) shifted += ((k + j) * (k + j) + v2) / ((k + j) * ((k + j) * (k + j) - v2));
        from_k += 1 / (k * (k * k - v2));
        const double more = term * (constant + shifted + 2 * v2 * from_k - 1 / (m_ + k - v));
        sum += more;
        if (m::abs(more) < 1e-17 * m::abs(sum)) break;
    }
    return finite + sum * sine * factor;
}

/* P of order m >= 0 and degree v >= -1/2, by the recurrence upwards in the degree (DLMF 14.10.3) from
   v - floor(v) + m. */
GNDI_FN_HEAVY double legendre_degree(double m_, double v, double x) {
    const double whole = m::floor(v), part = v - whole;
    double now, next, degree = part + m_;
    if (part == 0) {
        if (m_ > v) return 0;
        now = 1;
        const double root = m::sqrt((1 - x) * (1 + x));
        for (double j = 1; j <= m_; j += 1) now *= -(2 * j - 1) * root;
        next = x * (2 * m_ + 1) * now;
    } else {
        if (!(whole > 2 && whole > m_)) return legendre_series(m_, v, x);
        now = legendre_series(m_, degree, x), next = legendre_series(m_, degree + 1, x);
    }
    if (v == degree) return now;
    for (degree += 1; degree + 0.5 < v; degree += 1) {
        const double after = ((2 * degree + 1) * x * next - (degree + m_) * now) / (degree + 1 - m_);
        now = next, next = after;
    }
    return next;
}

/* P of whole order m and real degree v, with the sign (-1)^m, on [-1, 1]: 64 ulp of the largest value nearby, times the
   degree. */
GNDI_FN_HEAVY double lpmv(double m_, double v, double x) {
    if (!(m::abs(v) <= most_steps && m::abs(m_) <= most_steps && m::abs(x) <= 1) || !is_whole(m_))
        return limits<double>::nan();
    if (x == -1 && !is_whole(v)) return m_ == 0 ? -limits<double>::infinity() : limits<double>::infinity();
    if (v < 0) v = -v - 1;
    if (m_ >= 0) return legendre_degree(m_, v, x);
    if (v + m_ + 1 <= 0 && is_whole(v)) return limits<double>::nan();
    double ratio = is_odd(m_) ? -1 : 1; /* gamma(v - m + 1) / gamma(v + m + 1), DLMF 14.9.3 */
    for (double j = m_ + 1; j <= -m_; j += 1) ratio /= v + j;
    return legendre_degree(-m_, v, x) * ratio;
}

/* sqrt((2n + 1) (n - m)! / (4 pi (n + m)!)) P of order m and degree n at cos(angle), by the recurrence of what is
   normalised, which does not overflow: 4 n ulp of 1. NaN for n below 0, 0 for |m| above n. */
GNDI_FN_HEAVY double sph_legendre(double n, double m_, double angle) {
    n = m::trunc(n), m_ = m::trunc(m_);
    if (m::isnan(m_) || !(n >= 0 && n <= most_steps) || m::isnan(angle)) return limits<double>::nan();
    const double order = m::abs(m_), x = s::cos(angle), sine = m::abs(s::sin(angle));
    if (order > n) return 0;
    double now = 0.28209479177387814347;
    for (double k = 1; k <= order; k += 1) now *= -sine * m::sqrt((2 * k + 1) / (2 * k));
    double before = 0;
    for (double l = order + 1; l <= n; l += 1) {
        const double scale = m::sqrt((4 * l * l - 1) / (l * l - order * order));
        const double last = m::sqrt(((l - 1) * (l - 1) - order * order) / (4 * (l - 1) * (l - 1) - 1));
        const double next = scale * (x * now - last * before);
        before = now, now = next;
    }
    return m_ < 0 && is_odd(m_) ? -now : now;
}

/* ---- Wright's function ---------------------------------------------------------------------- */

/* The sum of x^k / (k! gamma(a k + b)): the series, from its largest term (E. M. Wright, 1933). As many ulp as the
   logarithm of the largest term has, about 1 / (a + 1) the power of x. */
GNDI_FN_HEAVY double wright_term(double k, double a, double b, double log_x) {
    return s::exp(k * log_x - s::lgamma(k + 1) - s::lgamma(a * k + b));
}
GNDI_FN_HEAVY double wright_bessel(double a, double b, double x) {
    if (!(a >= 0 && b >= 0 && x >= 0) || m::isinf(a) || m::isinf(b)) return limits<double>::nan();
    if (m::isinf(x)) return x;
    if (a == 0) return s::exp(x) * rgamma(b);
    const double log_x = s::log(x), top = x == 0 ? 0 : m::floor(s::exp((log_x - a * s::log(a)) / (1 + a)));
    double sum = 0;
    if (top < 100) {
        double power = 1;
        for (double k = 0; k < 1000; k += 1) {
            const double term = power * rgamma(a * k + b);
            sum += term;
            if (k > top && term <= 1e-17 * sum) break;
            power *= x / (k + 1);
        }
        return sum;
    }
    if (top > 1e7) return limits<double>::infinity();
    for (double k = top; k >= 0; k -= 1) {
        const double term = wright_term(k, a, b, log_x);
        sum += term;
        if (term < 1e-17 * sum || m::isinf(sum)) break;
    }
    double before = 0;
    for (double k = top + 1;; k += 1) {
        const double term = wright_term(k, a, b, log_x);
        sum += term;
        if ((term < 1e-17 * sum && term <= before) || m::isinf(sum) || term == 0) break;
        before = term;
    }
    return sum;
}

/* ---- Lambert's W ---------------------------------------------------------------------------- */

typedef complex<double> number;

GNDI_FN_HEAVY number product(number a, number b) {
    return ops::multiply(a, b);
}
GNDI_FN_HEAVY number quotient(number a, number b) {
    return ops::divide(a, b);
}
GNDI_FN number sum_of(number a, number b, double factor = 1) {
    return number{a.re + factor * b.re, a.im + factor * b.im};
}
GNDI_FN_HEAVY number exponential(number z) {
    return c::exp(z);
}
GNDI_FN_HEAVY number logarithm(number z) {
    return c::log(z);
}

/* Where Halley's method starts: near the branch point -1/e by the series there, near 0 by a rational function, else by
   log z - log log z (R. M. Corless et al., "On the Lambert W function", 1996). */
GNDI_FN_HEAVY number lambert_start(number z, double branch) {
    const double from_point = m::hypot(z.re + 0.36787944117144232160, z.im);
    if (branch == 0 && from_point < 0.3) {
        const number p = c::sqrt(number{2 * (2.7182818284590452354 * z.re + 1), 2 * 2.7182818284590452354 * z.im});
        const number p2 = product(p, p);
        return number{-1 + p.re - p2.re / 3, p.im - p2.im / 3};
    }
    if (branch == 0 && z.re > -1 && z.re < 1.5 && m::abs(z.im) < 1 && -2.5 * m::abs(z.im) - 0.2 < z.re) {
        const number z2 = product(z, z); /* z (1 + 4 z / 3 ...) as Pade has it: (1 + 1.9 z + 0.35 z^2) / ... */
        const number above{1 + 1.9 * z.re + 17.0 / 60 * z2.re, 1.9 * z.im + 17.0 / 60 * z2.im};
        const number below{1 + 2.9 * z.re + 101.0 / 60 * z2.re, 2.9 * z.im + 101.0 / 60 * z2.im};
        return product(z, quotient(above, below));
    }
    if (branch == -1 && z.im == 0 && z.re < 0 && z.re > -0.36787944117144232) {
        const double p = m::sqrt(2 * (2.7182818284590452354 * z.re + 1)), l = s::log(-z.re);
        return number{z.re < -0.25 ? -1 - p - p * p / 3 : l - s::log(-l), 0};
    }
    const number l = logarithm(z), far{l.re, l.im + 2 * pi * branch};
    return sum_of(far, logarithm(far), -1);
}
/* Branch k of the solution of w e^w = z: 8 ulp of |w|; near -1/e, where w has a square root, half of the digits. */
GNDI_FN_HEAVY number lambertw(number z, double branch) {
    if (m::isnan(z.re) || m::isnan(z.im)) return z;
    if (m::isinf(z.re) || m::isinf(z.im))
        return z.re > 0 ? number{z.re, z.im + 2 * pi * branch} : number{-z.re, -z.im + pi * (2 * branch + 1)};
    if (z.re == 0 && z.im == 0) return branch == 0 ? z : number{-limits<double>::infinity(), 0};
    if (branch == 0 && z.im == 0 && m::abs(z.re - 2.7182818284590452354) < 1e-15) return number{1, 0};
    number w = lambert_start(z, branch);
    for (int i = 0; i < 100; ++i) {
        /* off is w - z e^-w, or e^w times that, which is better to the left */
        const bool right = w.re >= 0;
        const number power = exponential(right ? number{-w.re, -w.im} : w);
        const number off = right ? sum_of(w, product(z, power), -1) : sum_of(product(w, power), z, -1);
        const number slope = right ? number{w.re + 1, w.im} : product(power, number{w.re + 1, w.im});
        const number bend = quotient(product(number{w.re + 2, w.im}, off), number{2 * w.re + 2, 2 * w.im});
        const number below = sum_of(slope, bend, -1);
        if (off.re == 0 && off.im == 0) break;
        const number step = quotient(off, below);
        if (!(m::isfinite(step.re) && m::isfinite(step.im))) break;
        w = sum_of(w, step, -1);
        if (m::hypot(step.re, step.im) <= 1e-15 * m::hypot(w.re, w.im)) break;
    }
    return w;
}

} // namespace special

namespace ops {

GNDI_SPECIAL_3(lpmv)
GNDI_SPECIAL_3(sph_legendre)
GNDI_SPECIAL_3(wright_bessel)
template <class T> GNDI_FN T lambertw(T z, int64_t branch) {
    return special::lambertw(z, (double)branch);
}

} // namespace ops
} // namespace gnd

#endif
