/*
 * scalar_faddeeva.h: erf and erfc of a complex number, in float64 for complex64 too.
 *
 * Near 0 by power series, near the imaginary axis by a Taylor series from it, elsewhere from the
 * Faddeeva function w(z) = e^(-z^2) erfc(-iz):
 *
 *   M. R. Zaghloul, A. N. Ali, "Algorithm 916: computing the Faddeyeva and Voigt functions", ACM
 *   TOMS 38 (2011), where |z| is moderate;
 *   the continued fraction (W. Gautschi, SIAM J. Numer. Anal. 7, 1970), as deep as G. P. M. Poppe
 *   and C. M. J. Wijers, "Algorithm 680", ACM TOMS 16 (1990), have it, where |z| is large.
 */
#ifndef GNDI_SCALAR_FADDEEVA_H
#define GNDI_SCALAR_FADDEEVA_H

#include "scalar_arith.h"

namespace gnd {
namespace faddeeva {

typedef complex<double> number;
constexpr double two_over_root_pi = 1.12837916709551257390, one_over_root_pi = 0.56418958354775628695;

/* e^(y^2) erfc(y) for y >= 0. */
GNDI_FN double erfcx(double y) {
#if GNDI_ON_DEVICE
    return ::erfcx(y);
#else
    if (y <= 25) {
        const double square = y * y, error = m::fma(y, y, -square);
        const double size = m::exp(square) * m::erfc(y);
        return size + size * error;
    }
    const double u = 1 / (2 * y * y); /* the asymptotic series, (2n - 1)!! (-u)^n */
    const double tail = 1 - 9 * u * (1 - 11 * u * (1 - 13 * u));
    const double series = 1 - u * (1 - 3 * u * (1 - 5 * u * (1 - 7 * u * tail)));
    return one_over_root_pi / y * series;
#endif
}

GNDI_FN double sinc(double t, double sine) {
    return m::abs(t) < 1e-4 ? 1 - t * t / 6 : sine / t;
}

/* e^(-n^2 / 4) for n = 1 .. 36 */
GNDI_TABLE double gaussian[36] = {
    7.7880078307140486825e-1,  3.678794411714423216e-1,    1.0539922456186433678e-1,   1.8315638888734180294e-2,
    1.9304541362277092422e-3,  1.234098040866795495e-4,    4.7851173921290090896e-6,   1.1253517471925911451e-7,
    1.6052280551856116087e-9,  1.3887943864964020595e-11,  7.2877240958196924193e-14,  2.3195228302435693883e-16,
    4.477732441718301199e-19,  5.2428856633634639372e-22,  3.7233631217505104293e-25,  1.603810890548637853e-28,
    4.1900931944943973771e-32, 6.6396771995807344007e-36,  6.3815034480607903936e-40,  3.720075976020835963e-44,
    1.3153258948574645287e-48, 2.8207700884601354011e-53,  3.6690596154291634912e-58,  2.8946403116483002803e-63,
    1.385119369922601677e-68,  4.0200602157433552478e-74,  7.0766981754295497332e-80,  7.5558190197119603551e-86,
    4.8931122620973618192e-92, 1.9219477278238490685e-98,  4.5787899692915777473e-105, 6.616261056709485261e-112,
    5.79865541856403777e-119,  3.0824406969490984127e-126, 9.9383644134836846713e-134, 1.9435148500492927333e-141,
};

/* Algorithm 916 with its step a = 1/2 (discretisation error 7e-18), for 0 <= x <= 8, 0 <= y <= 7.
   The paper's sums 2 and 3 differ in the sign of x only, so do 4 and 5: they are added up as cosh
   and sinh of n x, whose recurrences have nothing to cancel. */
GNDI_FN_HEAVY number w_sums(double x, double y) {
    const double ch1 = m::cosh(x), sh1 = m::sinh(x), ex2 = m::exp(-x * x);
    double ch = ch1, sh = sh1, sum1 = 0, sum23 = 0, sum45 = 0;
    for (int n = 1; n <= 36; ++n) {
        const double an = 0.5 * n, weight = gaussian[n - 1] / (an * an + y * y);
        sum1 += weight;
        sum23 += weight * ch;
        sum45 += weight * sh * an;
        if (weight * ch * an < 1e-17 * sum23) break;
        const double next = ch * ch1 + sh * sh1;
        sh = sh * ch1 + ch * sh1;
        ch = next;
    }
    double sin_xy, cos_xy;
    m::sincos(x * y, &sin_xy, &cos_xy);
    const double sin_2xy = 2 * sin_xy * cos_xy, cos_2xy = 1 - 2 * sin_xy * sin_xy;
    const double over_pi = 0.31830988618379067154; /* 2 a / pi */
    const double main = erfcx(y) - over_pi * y * sum1;
    const double re = main * cos_2xy + over_pi * x * sin_xy * sinc(x * y, sin_xy) + over_pi * y * sum23;
    const double im = over_pi * x * sinc(2 * x * y, sin_2xy) - main * sin_2xy + over_pi * sum45;
    return {ex2 * re, ex2 * im};
}

/* The continued fraction w = (i / sqrt pi) / (z - (1/2) / (z - 1 / (z - (3/2) / (z - ...)))). */
GNDI_FN number w_fraction(double x, double y) {
    if (x + y > 1e7) { /* one term; the squares could overflow */
        const number inverse = ops::divide_complex(number{1, 0}, number{x, y});
        return {-one_over_root_pi * inverse.im, one_over_root_pi * inverse.re};
    }
    const double rho = m::sqrt(x * x / (6.3 * 6.3) + y * y / (4.4 * 4.4));
    const int depth = 3 + (int)(1442 / (26 * rho + 77));
    double re = x, im = y;
    for (int n = depth; n > 0; --n) {
        const double scale = 0.5 * n / (re * re + im * im);
        re = x - re * scale;
        im = y + im * scale;
    }
    const double scale = one_over_root_pi / (re * re + im * im);
    return {im * scale, re * scale};
}

/* w(x + iy) for y >= 0; where |x| > 6, the caller keeps |x| y above 1/4. */
GNDI_FN number w(double x, double y) {
    const double ax = m::abs(x);
    const bool far = y > 7 || ax > 8 || (ax > 6 && y > 0.1);
    number r = far ? w_fraction(ax, y) : w_sums(ax, y);
    if (x < 0) r.im = -r.im;
    return r;
}

/* factor e^(-z^2) for z = x + iy; the exponent and the angle in doubled precision, and e^x as a
   square, which overflows no sooner than the product. */
GNDI_FN number times_exp_minus_square(number factor, double x, double y) {
    const double x2 = m::mul(x, x), y2 = m::mul(y, y), exponent = m::sub(y2, x2);
    const double angle = m::mul(-2 * x, y);
    const double v = exponent - y2; /* the rounding errors of the exponent and the angle */
    double rest = (y2 - (exponent - v)) - (x2 + v) + m::fma(y, y, -y2) - m::fma(x, x, -x2);
    double turn = m::fma(-2 * x, y, -angle);
    if (!(m::abs(exponent) < 1500 && m::abs(turn) < 1e-6)) rest = turn = 0;
    double sine, cosine;
    m::sincos(angle, &sine, &cosine);
    const double half = m::exp(exponent / 2), more = m::exp(rest);
    const double c = (cosine - turn * sine) * more, s = (sine + turn * cosine) * more;
    const number product = ops::multiply(factor, number{c, s});
    return {half * product.re * half, half * product.im * half};
}

/* erf for small |z|: the Maclaurin series, or (Kummer) the same times e^(-z^2), whichever has
   terms of one sign. */
GNDI_FN number erf_series(double x, double y) {
    const bool kummer = x > y;
    const number square{(x - y) * (x + y), 2 * x * y};
    number term{1, 0}, sum{1, 0};
    for (int n = 1; n < 60; ++n) {
        const double by = kummer ? 2.0 / (2 * n + 1) : -1.0 / n;
        term = ops::multiply(term, number{square.re * by, square.im * by});
        const double weight = kummer ? 1 : 1.0 / (2 * n + 1);
        sum.re += term.re * weight;
        sum.im += term.im * weight;
        if (m::abs(term.re) + m::abs(term.im) < 1e-17) break;
    }
    const number z{x * two_over_root_pi, y * two_over_root_pi};
    const number product = ops::multiply(z, sum);
    return kummer ? times_exp_minus_square(product, x, y) : product;
}

/* e^(-y^2) erfi(y) for y >= 1, erfi(y) being the imaginary part of erf(iy). It is 2 / sqrt pi
   times Dawson's integral. */
GNDI_FN double erfi_scaled(double y) {
    return y <= 8 ? w_sums(y, 0).im : w_fraction(y, 0).im;
}
GNDI_FN double erfi(double y) {
    if (y < 2) return erf_series(0, y).im;
    const double half = m::exp(y * y / 2);
    return m::isinf(y) ? y : half * erfi_scaled(y) * half;
}

/* erf for y >= 2 and x y < 1/4: erfi(y) and the Taylor series of e^(-z^2) integrated from iy. */
GNDI_FN number erf_near_axis(double x, double y) {
    number before{0, 0}, term{x, 0}, sum{x, 0}; /* term = c[n] x^(n + 1), c the Taylor series */
    for (int n = 0; n < 18; ++n) {              /* (n + 1) c[n + 1] = -2 i y c[n] - 2 c[n - 1] */
        const double turn = 2 * x * y / (n + 1), shrink = 2 * x * x / (n + 1);
        const number next{turn * term.im - shrink * before.re, -turn * term.re - shrink * before.im};
        before = term;
        term = next;
        sum.re += term.re / (n + 2);
        sum.im += term.im / (n + 2);
    }
    const double half = m::exp(y * y / 2);
    return {half * sum.re * two_over_root_pi * half, half * (erfi_scaled(y) + sum.im * two_over_root_pi) * half};
}

/* For x, y > 0. */
GNDI_FN_HEAVY number erf_quadrant(double x, double y) {
    if (x * x + y * y < 4) return erf_series(x, y);
    if (x > 30 && x > y + 15) return {1, 0};
    if (x * y < 0.25 && y >= 1) return erf_near_axis(x, y);
    const number product = times_exp_minus_square(w(-y, x), x, y);
    return {1 - product.re, -product.im};
}
GNDI_FN_HEAVY number erfc_quadrant(double x, double y) {
    if (x * x + y * y < 1 || (x * y < 0.25 && y >= 2)) {
        const number e = erf_quadrant(x, y);
        return {1 - e.re, -e.im};
    }
    if (x > 30 && x > y + 15) return {0, 0};
    return times_exp_minus_square(w(-y, x), x, y);
}

} // namespace faddeeva

namespace c {

template <class R> GNDI_FN_HEAVY complex<R> erf(complex<R> z) {
    using namespace faddeeva;
    const double x = m::abs((double)z.re), y = m::abs((double)z.im);
    if (y == 0) return {m::erf(z.re), z.im};
    if (x == 0) return {z.re, (R)m::copysign(erfi(y), (double)z.im)};
    if (m::isnan(x) || m::isnan(y) || m::isinf(y)) return {limits<R>::nan(), limits<R>::nan()};
    const number e = m::isinf(x) ? number{1, 0} : erf_quadrant(x, y);
    return {(R)(z.re < 0 ? -e.re : e.re), (R)(z.im < 0 ? -e.im : e.im)};
}

template <class R> GNDI_FN_HEAVY complex<R> erfc(complex<R> z) {
    using namespace faddeeva;
    const double x = m::abs((double)z.re), y = m::abs((double)z.im);
    if (y == 0) return {m::erfc(z.re), -z.im};
    if (x == 0) return {(R)1, (R)-m::copysign(erfi(y), (double)z.im)};
    if (m::isnan(x) || m::isnan(y) || m::isinf(y)) return {limits<R>::nan(), limits<R>::nan()};
    const number e = m::isinf(x) ? number{0, 0} : erfc_quadrant(x, y);
    /* erfc(-z) = 2 - erfc(z), erfc(conj z) = conj erfc(z) */
    return {(R)(z.re < 0 ? 2 - e.re : e.re), (R)(z.im < 0 ? -e.im : e.im)};
}

} // namespace c
} // namespace gnd

#endif
