/*
 * special_error.h: functions beside the error function: erfcx, erfcinv, the normal distribution.
 */
#ifndef GNDI_SPECIAL_ERROR_H
#define GNDI_SPECIAL_ERROR_H

#include "scalar_faddeeva.h"
#include "special_gamma.h"

namespace gnd {
namespace special {

constexpr double root_half = 0.70710678118654752440, root_half_rest = -4.8336466567264565e-17;

/* e^(x^2) erfc(x): 6 ulp; below 0, where it overflows at -26.7, 2 e^(x^2) less its value at -x. */
GNDI_FN_HEAVY double erfcx(double x) {
    if (x >= 0) return x > 1e150 ? faddeeva::one_over_root_pi / x : faddeeva::erfcx(x);
    if (x < -26.8) return m::isnan(x) ? x : limits<double>::infinity();
    if (m::isnan(x)) return x;
    const double square = x * x, power = s::exp(square);
    return 2 * (power + power * m::fma(x, x, -square)) - faddeeva::erfcx(-x);
}

GNDI_FN_HEAVY double erfc_of(double x) {
    return m::erfc(x);
}
/* erfc(-x / sqrt 2) / 2: 4 ulp; corrected for the rounding of x / sqrt 2, which the tail is sensitive to. */
GNDI_FN_HEAVY double ndtr(double x) {
    const double z = -x * root_half, rest = m::fma(-x, root_half, -z) - x * root_half_rest;
    const double tail = erfc_of(z) / 2;
    return z > 1 && z < 30 ? tail - tail * rest * (2 * z + 1 / z) : tail;
}
/* log(ndtr(x)): 4 ulp. */
GNDI_FN_HEAVY double log_ndtr(double x) {
    if (x > -1) return s::log1p(-ndtr(-x));
    return s::log(erfcx(-x * root_half) / 2) - x * x / 2;
}

/* The normal quantile of p <= 1/2, given as p or, where that is exact, p - 1/2: Wichura's AS 241
   (scalar_special_real.h), 8 ulp. */
GNDI_FN_HEAVY double quantile_below(double p, double from_half) {
    if (m::abs(from_half) <= 0.425) return from_half * ratio(quantile_middle, 0.180625 - from_half * from_half);
    const double r = m::sqrt(-s::log(p));
    return -(r <= 5 ? ratio(quantile_tail, r - 1.6) : ratio(quantile_far, r - 5));
}
GNDI_FN_HEAVY double ndtri(double p) {
    if (!(p >= 0 && p <= 1)) return limits<double>::nan();
    if (p == 0 || p == 1) return p == 0 ? -limits<double>::infinity() : limits<double>::infinity();
    return p <= 0.5 ? quantile_below(p, p - 0.5) : -quantile_below(1 - p, 0.5 - p);
}
/* The inverse of erfc on [0, 2]: 8 ulp. */
GNDI_FN_HEAVY double erfcinv(double x) {
    if (!(x >= 0 && x <= 2)) return limits<double>::nan();
    if (x == 0 || x == 2) return x == 0 ? limits<double>::infinity() : -limits<double>::infinity();
    return x <= 1 ? -root_half * quantile_below(x / 2, (x - 1) / 2)
                  : root_half * quantile_below((2 - x) / 2, (1 - x) / 2);
}

} // namespace special

namespace ops {

GNDI_SPECIAL_1(erfcx)
GNDI_SPECIAL_1(ndtr)
GNDI_SPECIAL_1(log_ndtr)
GNDI_SPECIAL_1(ndtri)
GNDI_SPECIAL_1(erfcinv)

} // namespace ops
} // namespace gnd

#endif
