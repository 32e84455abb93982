/*
 * special_distributions.h: distribution functions by the incomplete gamma and beta functions, their complements and
 * inverses. What is refused (NaN), and how whole numbers are cut, is Cephes' as SciPy has it. Errors are those of
 * special_incomplete.h.
 */
#ifndef GNDI_SPECIAL_DISTRIBUTIONS_H
#define GNDI_SPECIAL_DISTRIBUTIONS_H

#include "special_incomplete.h"

namespace gnd {
namespace special {

/* ---- binomial and negative binomial --------------------------------------------------------- */

/* k or fewer successes in n trials of probability p, or more; k is rounded down, n cut. */
GNDI_FN_HEAVY double binomial_tail(double k, double n, double p, bool upper) {
    n = m::trunc(n), k = m::floor(k);
    if (!(p >= 0 && p <= 1) || m::isnan(k) || !(n >= k)) return limits<double>::nan();
    if (k < 0) return upper ? 1 : limits<double>::nan();
    if (k == n) return upper ? 0 : 1;
    if (k == 0) {
        const double none = (n - k) * s::log1p(-p);
        return upper ? -s::expm1(none) : s::exp(none);
    }
    return beta_tail(k + 1, n - k, p, 1 - p, !upper);
}
GNDI_FN double bdtr(double k, double n, double p) {
    return binomial_tail(k, n, p, false);
}
GNDI_FN double bdtrc(double k, double n, double p) {
    return binomial_tail(k, n, p, true);
}
/* The probability for which bdtr is y. */
GNDI_FN_HEAVY double bdtri(double k, double n, double y) {
    n = m::trunc(n), k = m::floor(k);
    if (!(y >= 0 && y <= 1) || !(k >= 0) || !(n > k)) return limits<double>::nan();
    if (k == 0) return y > 0.8 ? -s::expm1(s::log1p(y - 1) / n) : 1 - s::pow(y, 1 / n);
    return beta_inverse(k + 1, n - k, 1 - y, y, false);
}

/* k or fewer failures before the n-th success, or more. */
GNDI_FN_HEAVY double negative_binomial_tail(double k, double n, double p, bool upper) {
    n = m::trunc(n), k = m::trunc(k);
    if (!(p >= 0 && p <= 1) || !(k >= 0) || !(n > 0)) return limits<double>::nan();
    return beta_tail(n, k + 1, p, 1 - p, upper);
}
GNDI_FN double nbdtr(double k, double n, double p) {
    return negative_binomial_tail(k, n, p, false);
}
GNDI_FN double nbdtrc(double k, double n, double p) {
    return negative_binomial_tail(k, n, p, true);
}
GNDI_FN_HEAVY double nbdtri(double k, double n, double y) {
    n = m::trunc(n), k = m::trunc(k);
    if (!(k >= 0)) return limits<double>::nan();
    if (y == 0 || y == 1) return y;
    return beta_inverse(n, k + 1, y, 1 - y, false);
}

/* ---- Poisson -------------------------------------------------------------------------------- */

GNDI_FN_HEAVY double poisson_tail(double k, double mean, bool upper) {
    if (k < 0 || !(mean >= 0)) return limits<double>::nan();
    if (mean == 0) return upper ? 0 : 1;
    return gamma_tail(m::floor(k) + 1, mean, !upper);
}
GNDI_FN double pdtr(double k, double mean) {
    return poisson_tail(k, mean, false);
}
GNDI_FN double pdtrc(double k, double mean) {
    return poisson_tail(k, mean, true);
}
/* The mean for which pdtr is y. */
GNDI_FN_HEAVY double pdtri(double k, double y) {
    k = m::trunc(k);
    if (!(k >= 0) || !(y >= 0 && y < 1)) return limits<double>::nan();
    return gamma_inverse(k + 1, 1 - y, y);
}

/* ---- chi-square, gamma, F ------------------------------------------------------------------- */

GNDI_FN double chdtr(double df, double x) {
    return gamma_tail(df / 2, x / 2, false);
}
GNDI_FN double chdtrc(double df, double x) {
    return gamma_tail(df / 2, x / 2, true);
}
/* The x for which chdtrc is y. */
GNDI_FN double chdtri(double df, double y) {
    return 2 * gamma_inverse(df / 2, 1 - y, y);
}
GNDI_FN double gdtr(double a, double b, double x) {
    return x < 0 ? limits<double>::nan() : gamma_tail(b, a * x, false);
}
GNDI_FN double gdtrc(double a, double b, double x) {
    return x < 0 ? limits<double>::nan() : gamma_tail(b, a * x, true);
}

/* F is beta of a x / (b + a x). */
GNDI_FN_HEAVY double f_tail(double a, double b, double x, bool upper) {
    if (!(a > 0 && b > 0 && x >= 0)) return limits<double>::nan();
    const double ratio = a * x / b;
    if (m::isinf(ratio)) return upper ? 0 : 1;
    return beta_tail(a / 2, b / 2, ratio / (1 + ratio), 1 / (1 + ratio), upper);
}
GNDI_FN double fdtr(double a, double b, double x) {
    return f_tail(a, b, x, false);
}
GNDI_FN double fdtrc(double a, double b, double x) {
    return f_tail(a, b, x, true);
}
/* The x for which fdtr is y. */
GNDI_FN_HEAVY double fdtri(double a, double b, double y) {
    if (!(a > 0 && b > 0) || !(y >= 0 && y <= 1)) return limits<double>::nan();
    const double w = beta_inverse(a / 2, b / 2, y, 1 - y, false);
    const double rest = w < 0.5 ? 1 - w : beta_inverse(a / 2, b / 2, y, 1 - y, true);
    return b * w / (a * rest);
}

} // namespace special

namespace ops {

GNDI_SPECIAL_3(bdtr)
GNDI_SPECIAL_3(bdtrc)
GNDI_SPECIAL_3(bdtri)
GNDI_SPECIAL_3(nbdtr)
GNDI_SPECIAL_3(nbdtrc)
GNDI_SPECIAL_3(nbdtri)
GNDI_SPECIAL_2(pdtr)
GNDI_SPECIAL_2(pdtrc)
GNDI_SPECIAL_2(pdtri)
GNDI_SPECIAL_2(chdtr)
GNDI_SPECIAL_2(chdtrc)
GNDI_SPECIAL_2(chdtri)
GNDI_SPECIAL_3(gdtr)
GNDI_SPECIAL_3(gdtrc)
GNDI_SPECIAL_3(fdtr)
GNDI_SPECIAL_3(fdtrc)
GNDI_SPECIAL_3(fdtri)

} // namespace ops
} // namespace gnd

#endif
