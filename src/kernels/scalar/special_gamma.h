/*
 * special_gamma.h: functions made of the gamma function: its reciprocal and sign, digamma and polygamma, zeta, beta,
 * binomial coefficients, Pochhammer's symbol. Poles, signs and NaN are SciPy's.
 *
 * Sources: NIST's Digital Library of Mathematical Functions (DLMF), chapters 5 and 25; S. L. Moshier, "Methods and
 * Programs for Mathematical Functions" (1989), for the cases of beta, binom and poch.
 */
#ifndef GNDI_SPECIAL_GAMMA_H
#define GNDI_SPECIAL_GAMMA_H

#include "scalar_special_real.h"
#include "special_math.h"

namespace gnd {
namespace special {

constexpr double pi = 3.14159265358979323846, half_log_two_pi = 0.91893853320467274178, euler = 0.57721566490153286061;
constexpr double largest_of_gamma = 171.624376956302725; /* gamma of more overflows */
constexpr double most_steps = 2147483647; /* that orders, degrees and dimensions may take: beyond 2^53 no count ends */

GNDI_FN bool is_whole(double x) {
    return m::trunc(x) == x;
}
GNDI_FN bool is_pole(double x) {
    return x <= 0 && is_whole(x);
}
GNDI_FN bool is_odd(double whole) {
    return m::abs(s::fmod(whole, 2)) == 1;
}

/* sin(pi x), exactly 0 at integers. */
GNDI_FN_HEAVY double sine_of_pi(double x) {
    const double nearest = m::rint(x), sine = s::sin(pi * (x - nearest));
    return is_odd(nearest) ? -sine : sine;
}

/* The sign of gamma(x): NaN at negative integers and -inf, that of zero at zero. Exact. */
GNDI_FN_HEAVY double gammasgn(double x) {
    if (m::isnan(x) || x > 0) return m::isnan(x) ? x : 1;
    if (x == 0) return m::copysign((double)1, x);
    if (is_whole(x)) return limits<double>::nan();
    return is_odd(m::floor(x)) ? -1 : 1;
}

GNDI_FN_HEAVY double gamma_of(double x) {
    return gamma(x);
}

/* 1 / gamma(x), 0 at poles; 10 ulp. Where gamma is too small, by the reflection (DLMF 5.5.3), with the factorial's
   last factors apart. */
GNDI_FN_HEAVY double rgamma(double x) {
    if (is_pole(x)) return 0;
    if (m::abs(x) < 1e-300) return x;
    if (x > 160) {
        double product = 1 / gamma_of(x - 16);
        for (int k = 16; k > 0; --k) product /= x - k;
        return x > 200 ? 0 : product;
    }
    if (x > -140) return 1 / gamma_of(x);
    const double y = 1 - x;
    if (y > 200) return gammasgn(x) * limits<double>::infinity();
    double product = sine_of_pi(x) / pi * gamma_of(y - 40);
    for (int k = 40; k > 0; --k) product *= y - k;
    return product;
}

/* log(gamma(1 + x)), accurate near 0: corrected for the rounding of 1 + x by its first derivative. */
GNDI_FN_HEAVY double log_gamma_1p(double x) {
    const double y = 1 + x, rest = x - (y - 1);
    return m::abs(x) < 0.5 ? s::lgamma(y) - euler * rest : s::lgamma(y);
}

/* What Stirling's formula leaves of log gamma(x) for x >= 10 (DLMF 5.11.1). */
GNDI_FN_HEAVY double stirling_rest(double x) {
    const double z = 1 / (x * x);
    return (1.0 / 12 -
            z * (1.0 / 360 -
                 z * (1.0 / 1260 -
                      z * (1.0 / 1680 -
                           z * (1.0 / 1188 - z * (691.0 / 360360 - z * (1.0 / 156 - z * (3617.0 / 122400)))))))) /
           x;
}

/* ---- digamma -------------------------------------------------------------------------------- */

/* Chebyshev coefficients, computed in 60 digits, of digamma(x) / (x - root): with the positive root, on [1, 2]; with
   the root between -1 and 0, on [-0.6, -0.4]. */
GNDI_TABLE double digamma_root[25] = {
    1.967140520883133976,      -0.22706408633464439669,    0.033368899023930108972,   -0.0053200772715965474438,
    0.00087886569378205053326, -0.00014773492650606043282, 0.00002506054346835914444, -4.272103402999332207e-6,
    7.3027692724659230493e-7,  -1.2502886813559595515e-7,  2.1425009322359473734e-8,  -3.6732959185651790393e-9,
    6.2997172361089309069e-10, -1.0805930288832660114e-10, 1.8537351920536378898e-11, -3.1802353658255300096e-12,
    5.4561475703227941847e-13, -9.3609931310364381561e-14, 1.6060646362950750099e-14, -2.7555431377438813107e-15,
    4.7277361786019113911e-16, -8.1114842034650900328e-17, 1.3917077694741540651e-17, -2.3877901082188627e-18,
    4.0967971871615577283e-19,
};
GNDI_TABLE double digamma_below[19] = {
    18.206378268796121574,     -0.055117231002549986207,   0.16784229003395351386,     -0.00017395893349157640658,
    0.0017019619264773407402,  -1.4411600511002173287e-6,  0.000017358100679798866004, -1.4359871772139071341e-8,
    1.7713048948136631952e-7,  -1.4616604436198620242e-10, 1.8076296384836652836e-9,   -1.4912271508736811382e-12,
    1.8447107426822533411e-11, -1.5217723548589819346e-14, 1.8825537837991155368e-13,  -1.5529854819896525876e-16,
    1.9211732912258404084e-15, -1.5848435239752696383e-18, 1.9605850713061616758e-17,
};

/* 4 ulp for x > 0 and near the root between -1 and 0; near the other negative roots, 4 ulp of pi cot(pi x) or of
   digamma(1 - x). Shifted to [1, 2] by its recurrence, asymptotic beyond 10 (DLMF 5.11.2), reflected below 0. */
GNDI_FN_HEAVY double digamma(double x) {
    if (x == 0) return m::copysign(limits<double>::infinity(), -x);
    if (x == -limits<double>::infinity() || is_pole(x)) return limits<double>::nan();
    if (m::isinf(x)) return x;
    if (x >= -0.6 && x <= -0.4)
        return ((x + 0.5040830082644554) + 8.1542820624381300937e-18) *
               chebyshev(digamma_below, sizeof digamma_below / 8, (x + 0.5) * 10);
    double sum = 0;
    if (x < 0) {
        sum = -pi / s::tan(pi * (x - m::rint(x)));
        x = 1 - x;
    }
    if (x >= 10) {
        const double z = 1 / (x * x);
        const double rest =
            z * (1.0 / 12 - z * (1.0 / 120 -
                                 z * (1.0 / 252 -
                                      z * (1.0 / 240 - z * (1.0 / 132 - z * (691.0 / 32760 -
                                                                             z * (1.0 / 12 - z * (3617.0 / 8160))))))));
        return s::log(x) - (x < 1e17 ? 0.5 / x + rest : 0) + sum;
    }
    double shifts = 0;
    for (; x > 2; shifts += 1 / x) x -= 1;
    for (; x < 1; x += 1) shifts -= 1 / x;
    const double from_root = (x - 1.4616321449683622) - 9.5499954299656977152e-17;
    return from_root * chebyshev(digamma_root, sizeof digamma_root / 8, 2 * x - 3) + shifts + sum;
}

/* ---- zeta ----------------------------------------------------------------------------------- */

/* (2k)! / B(2k), k = 1 to 12. */
GNDI_TABLE double zeta_factors[12] = {12.0,
                                      -720.0,
                                      30240.0,
                                      -1209600.0,
                                      47900160.0,
                                      -1892437580.3183791606,
                                      74724249600.0,
                                      -2950130727918.1642244,
                                      116467828143500.67248,
                                      -4597978722407472.6105,
                                      181521054019435467.73,
                                      -7166165256175667011.3};

/* Hurwitz' zeta function, the sum of (q + k)^-x, by Euler and Maclaurin's formula (DLMF 25.11.5 with 25.11.8): 6 ulp
   for q > 0. NaN for x < 1, and for q < 0 with an x that is not whole; inf at x = 1 and q = 0, -1, ... */
GNDI_FN_HEAVY double zeta(double x, double q) {
    if (x == 1) return limits<double>::infinity();
    if (x < 1) return limits<double>::nan();
    if (q <= 0) {
        if (is_whole(q)) return limits<double>::infinity();
        if (!is_whole(x)) return limits<double>::nan();
    }
    if (m::isnan(x) || m::isnan(q)) return limits<double>::nan();
    if (m::isinf(x)) return q > 1 ? 0 : q == 1 ? 1 : m::abs(q) < 1 ? limits<double>::infinity() : limits<double>::nan();
    if (q > 1e8) return (1 / (x - 1) + 1 / (2 * q)) * s::pow(q, 1 - x);
    double sum = 0, a = q, term = 0;
    for (int k = 0; k < 10 || a < 9; ++k, a += 1) {
        if (a != q || k == 0) term = s::pow(a, -x);
        sum += term;
        if (a > 0 && m::abs(term) < 1e-17 * m::abs(sum)) return sum;
        if (k > 100000) break; /* far below 0, as good as a sum gets */
    }
    const double last = s::pow(a, -x);
    double power = last / a, rising = x, tail = last * a / (x - 1) + last / 2;
    for (int k = 0; k < 12; ++k) {
        const double more = rising * power / zeta_factors[k];
        tail += more;
        if (m::abs(more) < 1e-17 * m::abs(sum + tail)) break;
        rising *= (x + 2 * k + 1) * (x + 2 * k + 2);
        power /= a * a;
    }
    return sum + tail;
}

/* Riemann's zeta(x) - 1: 8 ulp for x > 1; between 0 and 1 by the alternating sum of P. Borwein ("An efficient algorithm
   for the Riemann zeta function", 1995, algorithm 2), below by the reflection (DLMF 25.4.1). */
GNDI_FN_HEAVY double zeta_minus_one(double x) {
    if (x > 1) {
        if (x > 60) return s::pow(2, -x);
        return zeta(x, 2);
    }
    const int n = 26;
    double d = 1, total = 1, weight[27]; /* d[k] = n sum of (n + i - 1)! 4^i / ((n - i)! (2 i)!) */
    weight[0] = 1;
    for (int i = 1; i <= n; ++i) {
        d *= 4.0 * (n + i - 1) * (n - i + 1) / ((2.0 * i - 1) * (2.0 * i));
        total += d;
        weight[i] = total;
    }
    double sum = 0;
    for (int k = n - 1; k >= 0; --k) sum += (k & 1 ? -1 : 1) * (weight[k] - total) * s::pow(k + 1, -x);
    return sum / (total * s::expm1((1 - x) * 0.69314718055994530942)) - 1;
}
GNDI_FN_HEAVY double zetac(double x) {
    if (m::isnan(x) || x == -limits<double>::infinity()) return limits<double>::nan();
    if (m::isinf(x)) return 0;
    if (x == 1) return limits<double>::infinity();
    if (x >= 0) return zeta_minus_one(x);
    if (m::abs(x) < 0.01) return zeta_minus_one(x);
    if (s::fmod(x, 2) == 0) return -1;
    /* zeta(x) = 2 (2 pi)^(x - 1) sin(pi x / 2) gamma(1 - x) zeta(1 - x) */
    const double y = 1 - x, sine = sine_of_pi(x / 2), other = 1 + zeta_minus_one(y);
    if (y <= 150) return 2 * s::pow(2 * pi, -y) * sine * gamma_of(y) * other - 1;
    const double half = s::exp((s::lgamma(y) - y * 1.8378770664093454836) / 2);
    return 2 * half * sine * other * half - 1;
}

/* The n-th derivative of digamma, (-1)^(n + 1) n! zeta(n + 1, x) (DLMF 5.15). */
GNDI_FN_HEAVY double polygamma(double n, double x) {
    if (n == 0) return digamma(x);
    if (!(n > 0) || !is_whole(n)) return limits<double>::nan();
    const double sum = zeta(n + 1, x);
    return (is_odd(n) ? 1 : -1) * gamma_of(n + 1) * sum;
}

/* ---- beta ----------------------------------------------------------------------------------- */

/* log(beta(a, b)) for a >= b >= 10, from Stirling's formula, where large terms cancel by themselves. */
GNDI_FN_HEAVY double log_beta_large(double a, double b) {
    const double rest = stirling_rest(a) + stirling_rest(b) - stirling_rest(a + b);
    const double ratio = b / a;
    return half_log_two_pi - 0.5 * s::log(b) + rest - (a - 0.5) * s::log1p(ratio) - b * s::log1p(a / b);
}
/* log(gamma(a) / gamma(a + b)) for a >= 10 and b <= a. */
GNDI_FN_HEAVY double log_gamma_ratio(double a, double b) {
    return stirling_rest(a) - stirling_rest(a + b) - (a - 0.5) * s::log1p(b / a) + b - b * s::log(a + b);
}

/* Whether beta(a, b) has a pole: an argument is 0, -1, ...; not if the other one is whole as well and *positive,
   1 - a - b, is above 0: then it is beta(*positive, *other), but for a sign. */
GNDI_FN bool beta_pole(double a, double b, double *other, double *positive) {
    *other = is_pole(a) ? b : a;
    *positive = is_whole(*other) ? 1 - a - b : -1;
    return is_pole(a) || is_pole(b);
}

/* log |beta(a, b)|: 16 ulp, of the sum of |log gamma|. */
GNDI_FN_HEAVY double betaln(double a, double b) {
    double other, positive;
    if (beta_pole(a, b, &other, &positive)) {
        if (!(positive > 0) || is_pole(other)) return limits<double>::infinity();
        a = positive, b = other;
    }
    if (m::isnan(a) || m::isnan(b)) return limits<double>::nan();
    if (a < b) {
        const double swap = a;
        a = b, b = swap;
    }
    if (b > 0 && a >= 10) {
        if (m::isinf(a)) return -a;
        return b >= 10 ? log_beta_large(a, b) : s::lgamma(b) + log_gamma_ratio(a, b);
    }
    const double y = a + b;
    if (m::abs(y) > 170 || a > 170 || b < -170) return s::lgamma(b) + s::lgamma(a) - s::lgamma(y);
    return s::log(m::abs(gamma_of(a) * rgamma(y) * gamma_of(b)));
}

/* beta(a, b): 16 ulp, and as many as log beta has where that is larger. */
GNDI_FN_HEAVY double beta(double a, double b) {
    double other, positive, sign = 1;
    if (beta_pole(a, b, &other, &positive)) {
        sign = positive > 0 && is_odd(other) ? -1 : 1;
        if (!(positive > 0) || is_pole(other)) return sign * limits<double>::infinity();
        a = positive, b = other;
    }
    if (m::isnan(a) || m::isnan(b)) return limits<double>::nan();
    if (a < b) {
        const double swap = a;
        a = b, b = swap;
    }
    const double y = a + b;
    if (b >= 10 && a >= 10) return s::exp(betaln(a, b));
    if (b > 0 && a >= 10) return sign * gamma_of(b) * s::exp(log_gamma_ratio(a, b));
    if (m::abs(y) > 170 || a > 170 || b < -170)
        return sign * gammasgn(a) * gammasgn(b) * gammasgn(is_pole(y) ? 1 : y) * s::exp(betaln(a, b));
    const double ga = gamma_of(a), gb = gamma_of(b), rest = rgamma(y);
    return sign * (m::abs(m::abs(ga * rest) - 1) > m::abs(m::abs(gb * rest) - 1) ? gb * rest * ga : ga * rest * gb);
}

/* ---- poch and binom ------------------------------------------------------------------------- */

/* gamma(a + m) / gamma(a). Whole steps of m by the recurrence; then, by Stirling's formula for large a. */
GNDI_FN_HEAVY double poch(double a, double m_) {
    double product = 1;
    while (m_ >= 1 && a + m_ != 1) {
        m_ -= 1;
        product *= a + m_;
        if (!m::isfinite(product) || product == 0) break;
    }
    while (m_ <= -1 && a + m_ != 0) {
        product /= a + m_;
        m_ += 1;
        if (!m::isfinite(product) || product == 0) break;
    }
    if (m_ == 0) return product;
    if (a > 10 && m::abs(m_) <= 1) return product * s::exp(-log_gamma_ratio(a, m_));
    const bool above = is_pole(a + m_), below = is_pole(a);
    if (above && !below && a + m_ != m_) return limits<double>::infinity();
    if (!above && below) return 0;
    if (m::abs(a) < 100 && m::abs(a + m_) < 100 && !above) return product * gamma_of(a + m_) * rgamma(a);
    return product * s::exp(s::lgamma(a + m_) - s::lgamma(a)) * gammasgn(a + m_) * gammasgn(a);
}

/* gamma(n + 1) / (gamma(k + 1) gamma(n - k + 1)), with Cephes' cases. */
GNDI_FN_HEAVY double binom(double n, double k) {
    if (m::isnan(n) || m::isnan(k)) return limits<double>::nan();
    if (n < 0 && is_whole(n)) return limits<double>::nan();
    if (is_whole(k) && (m::abs(n) > 1e-8 || n == 0)) { /* a product */
        double few = k;
        if (is_whole(n) && k > n / 2 && n > 0) few = n - k;
        if (few >= 0 && few < 20) {
            double above = 1, below = 1;
            for (int i = 1; i <= (int)few; ++i) {
                above *= i + n - few;
                below *= i;
                if (m::abs(above) > 1e50) above /= below, below = 1;
            }
            return above / below;
        }
    }
    if (n >= 1e10 * k && k > 0) return s::exp(-betaln(1 + n - k, 1 + k) - s::log(n + 1));
    if (k > 1e8 * m::abs(n)) {
        const double size = gamma_of(1 + n) / k + gamma_of(1 + n) * n / (2 * k * k);
        return size / (pi * s::pow(k, n)) * (is_whole(k) ? (is_odd(k) ? -1 : 1) * sine_of_pi(-n) : sine_of_pi(k - n));
    }
    if (k < -1e8 * m::abs(n) && k < 0) {
        const double size = gamma_of(1 + n) / -k + gamma_of(1 + n) * n / (2 * k * k);
        return is_whole(k) ? 0 : size / (pi * s::pow(-k, n)) * sine_of_pi(k);
    }
    return 1 / (n + 1) / beta(1 + n - k, 1 + k);
}

/* log of the multivariate gamma function of dimension d: d (d - 1) / 4 log(pi) + sum of log gamma(a - j / 2), j < d.
   NaN where a <= (d - 1) / 2 (SciPy's error), or d is no positive integer. */
GNDI_FN_HEAVY double multigammaln(double a, double d) {
    if (!(d >= 1) || d > most_steps || !is_whole(d) || !(2 * a > d - 1)) return limits<double>::nan();
    double sum = d * (d - 1) / 4 * 1.1447298858494001741;
    for (double j = 0; j < d; j += 1) sum += s::lgamma(a - j / 2);
    return sum;
}

} // namespace special

namespace ops {

/* A function of special:: as an operator, computed in float64. */
#define GNDI_SPECIAL_1(name)                                                                                           \
    template <class T> GNDI_FN T name(T x) {                                                                           \
        return (T)special::name((double)x);                                                                            \
    }
#define GNDI_SPECIAL_2(name)                                                                                           \
    template <class T> GNDI_FN T name(T x, T y) {                                                                      \
        return (T)special::name((double)x, (double)y);                                                                 \
    }
#define GNDI_SPECIAL_3(name)                                                                                           \
    template <class T> GNDI_FN T name(T x, T y, T z) {                                                                 \
        return (T)special::name((double)x, (double)y, (double)z);                                                      \
    }
GNDI_SPECIAL_1(gammasgn)
GNDI_SPECIAL_1(rgamma)
GNDI_SPECIAL_1(digamma)
GNDI_SPECIAL_1(zetac)
GNDI_SPECIAL_2(zeta)
GNDI_SPECIAL_2(polygamma)
GNDI_SPECIAL_2(beta)
GNDI_SPECIAL_2(betaln)
GNDI_SPECIAL_2(poch)
GNDI_SPECIAL_2(binom)
GNDI_SPECIAL_2(multigammaln)

} // namespace ops
} // namespace gnd

#endif
