/*
 * scalar_special_real.h: special functions of a real number that libm lacks: i0 by Chebyshev
 * series, erfinv by rational approximations; and gamma and lgamma with SciPy's special values.
 */
#ifndef GNDI_SCALAR_SPECIAL_REAL_H
#define GNDI_SCALAR_SPECIAL_REAL_H

#include "scalar_math.h"

namespace gnd {
namespace special {

/* ---- modified Bessel function of order 0 ---------------------------------------------------- */

/* Chebyshev coefficients, computed in 40 digits: of e^-x I0(x) on 0 <= x <= 8 in the variable
   x / 4 - 1, and of e^-x sqrt(x) I0(x) on x >= 8 in the variable 16 / x - 1. The first is halved by
   the summation. */
GNDI_TABLE double i0_near[] = {
    6.76795274409476085e-1,    -3.0468267234319839868e-1,  1.7162090152220877535e-1,  -9.4901097048047644421e-2,
    4.9305284239670708488e-2,  -2.3737414805899468816e-2,  1.0546460394594998318e-2,  -4.3243099950505759443e-3,
    1.6394756169413357984e-3,  -5.7637557453858236588e-4,  1.8850288509584165573e-4,  -5.754195010082103704e-5,
    1.6448448070728897089e-5,  -4.4167383584587505636e-6,  1.1173875391201037182e-6,  -2.6707938539406117339e-7,
    6.0469950225419189493e-8,  -1.3000250099862480421e-8,  2.6598237246823866503e-9,  -5.1897956016352629067e-10,
    9.6758090353732369122e-11, -1.7268262914415557072e-11, 2.9550526631296398346e-12, -4.8564467831119294609e-13,
    7.6761854986049356169e-14, -1.1685332877993451681e-14, 1.7153912855551330306e-15, -2.4312798465479546936e-16,
    3.3307945188222380978e-17, -4.4153416464793393795e-18,
};
GNDI_TABLE double i0_far[] = {
    8.0449041101410883161e-1,   3.3691164782556940899e-3,   6.8897583469168239843e-5,   2.891370520834756483e-6,
    2.0489185894690637418e-7,   2.2666689904981780646e-8,   3.3962320257083863452e-9,   4.9406023882249695891e-10,
    1.1889147107846438342e-11,  -3.1499165279632413645e-11, -1.3215811840447713119e-11, -1.7941785315068061178e-12,
    7.1801244513836662337e-13,  3.8527783827421427011e-13,  1.5400862175214098269e-14,  -4.1505693472872220866e-14,
    -9.5548466988283076487e-15, 3.8116806693526224207e-15,  1.7725601330565263836e-15,  -3.4254856196772191346e-16,
    -2.8276239805165834849e-16, 3.4612228676974610931e-17,  4.465621420296759999e-17,   -4.8305044859441820713e-18,
    -7.2331804878747539546e-18,
};

/* Clenshaw's summation of `terms` coefficients at t in [-1, 1]. */
template <class F> GNDI_FN F chebyshev(const double *coefficient, int terms, F t) {
    F b0 = 0, b1 = 0, b2 = 0;
    for (int k = terms - 1; k >= 0; --k) {
        b2 = b1;
        b1 = b0;
        b0 = 2 * t * b1 - b2 + (F)coefficient[k];
    }
    return (b0 - b2) / 2;
}

/* e^x is taken as a square, which overflows no sooner than I0 does. */
template <class F> GNDI_FN_HEAVY F i0(F a) {
    constexpr bool single = sizeof(F) == 4;
    const F x = m::abs(a), half = m::exp(x / 2);
    if (x <= 8) return half * half * chebyshev(i0_near, single ? 18 : 30, x / 4 - 1);
    return half * (chebyshev(i0_far, single ? 8 : 25, 16 / x - 1) / m::sqrt(x)) * half;
}

/* ---- inverse error function ----------------------------------------------------------------- */

/* Numerator and denominator of M. J. Wichura's three approximations to the normal quantile,
   "Algorithm AS 241", Applied Statistics 37 (1988), about 1e-16. */
GNDI_TABLE double quantile_middle[2][8] = {
    {3.3871328727963666080e0, 1.3314166789178437745e+2, 1.9715909503065514427e+3, 1.3731693765509461125e+4,
     4.5921953931549871457e+4, 6.7265770927008700853e+4, 3.3430575583588128105e+4, 2.5090809287301226727e+3},
    {1.0, 4.2313330701600911252e+1, 6.8718700749205790830e+2, 5.3941960214247511077e+3, 2.1213794301586595867e+4,
     3.9307895800092710610e+4, 2.8729085735721942674e+4, 5.2264952788528545610e+3}};
GNDI_TABLE double quantile_tail[2][8] = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
GNDI_TABLE double quantile_far[2][8] = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

GNDI_FN double ratio(const double (*table)[8], double t) {
    double above = table[0][7], below = table[1][7];
    for (int k = 6; k >= 0; --k) {
        above = above * t + table[0][k];
        below = below * t + table[1][k];
    }
    return above / below;
}

/* erfinv(x) = quantile((x + 1) / 2) / sqrt 2. */
GNDI_FN_HEAVY double erfinv_double(double x) {
    const double root_half = 0.70710678118654752440;
    const double size = m::abs(x);
    if (size <= 0.85) return root_half * (x / 2) * ratio(quantile_middle, 0.180625 - x * x / 4);
    if (!(size < 1)) return size == 1 ? m::copysign(limits<double>::infinity(), x) : limits<double>::nan();
    const double r = m::sqrt(-m::log((1 - size) / 2));
    const double tail = r <= 5 ? ratio(quantile_tail, r - 1.6) : ratio(quantile_far, r - 5);
    return m::copysign(root_half * tail, x);
}
#if GNDI_ON_DEVICE
GNDI_FN float erfinv(float x) {
    return ::erfinvf(x);
}
GNDI_FN double erfinv(double x) {
    return ::erfinv(x);
}
#else
GNDI_FN float erfinv(float x) {
    return (float)erfinv_double((double)x);
}
GNDI_FN double erfinv(double x) {
    return erfinv_double(x);
}
#endif

/* ---- gamma ---------------------------------------------------------------------------------- */

/* NaN at the negative integers and at -infinity, +-infinity at +-0. */
template <class F> GNDI_FN_HEAVY F gamma(F x) {
    if (x == 0) return 1 / x;
    if (x < 0 && m::trunc(x) == x) return limits<F>::nan();
    return m::tgamma(x);
}
/* log |gamma|; SciPy has -infinity at -infinity. */
template <class F> GNDI_FN_HEAVY F lgamma(F x) {
    return x == -limits<F>::infinity() ? x : m::lgamma(x);
}

} // namespace special
} // namespace gnd

#endif
