/*
 * random_parts.h: what samplers of several families share: uniform numbers that are accurate at both ends,
 * NumPy's checks of parameters, and logarithms of factorials and of probabilities that stay accurate for
 * large counts.
 */
#ifndef GNDI_RANDOM_PARTS_H
#define GNDI_RANDOM_PARTS_H

#include "random/random_basic.h"

namespace gnd {

/* ---- parameters ------------------------------------------------------------------------------ */

/* NaN is accepted. */
template <class T> GNDI_FN bool above_zero(T x) {
    return !(x <= 0);
}

/* ---- uniform numbers ------------------------------------------------------------------------- */

/* A uniform number in (0, 1) as its distance from the nearer end, at most 1/2. It is monotonic in its word. */
template <class T> struct half_unit {
    T distance;
    bool upper; /* from 1 */
};
template <class T, class Source> GNDI_FN half_unit<T> unit_from_ends(Source &source) {
    if constexpr (is_same<T, float>) {
        const uint32_t word = source.next();
        const bool upper = word >> 31 != 0;
        return {((float)(upper ? ~word : word) + 0.5f) * 0x1p-32f, upper};
    } else {
        const uint64_t word = next64(source);
        const bool upper = word >> 63 != 0;
        return {((double)(upper ? ~word : word) + 0.5) * 0x1p-64, upper};
    }
}

template <class T> GNDI_FN T signed_by(T x, bool negative) {
    return negative ? -x : x;
}

/* ---- logarithms of factorials and probabilities ---------------------------------------------- */

/* log k! - ((k + 1/2) log k - k + log(2 pi) / 2) for k = 1 .. 15. */
GNDI_TABLE double stirling_errors[16] = {
    0,
    8.10614667953272582197e-2,
    4.13406959554092940938e-2,
    2.76779256849983391488e-2,
    2.07906721037650931115e-2,
    1.66446911898211921632e-2,
    1.38761288230707479987e-2,
    1.18967099458917700958e-2,
    1.04112652619720964975e-2,
    9.25546218271273291773e-3,
    8.33056343336287125647e-3,
    7.57367548795184079497e-3,
    6.94284010720952986567e-3,
    6.40899418800420706844e-3,
    5.95137011275884773563e-3,
    5.55473355196280137104e-3,
};

/* log k! less Stirling's formula, k >= 1; the series is accurate to 1e-14 from 16 on. */
GNDI_FN double stirling_error(double k) {
    if (k < 16) return stirling_errors[(int)k];
    const double r = 1 / k, rr = r * r;
    return r * (1.0 / 12 - rr * (1.0 / 360 - rr * (1.0 / 1260 - rr * (1.0 / 1680))));
}

GNDI_FN double log_factorial(double k) {
    if (k < 2) return 0;
    return (k + 0.5) * m::log(k) - k + 0.91893853320467274178 + stirling_error(k);
}

/* x log(x / mean) + mean - x for a count x > 0, without cancellation of large numbers. This and the probabilities
   below are as in Loader, Fast and accurate computation of binomial probabilities (2000). */
GNDI_FN double deviance(double x, double mean) {
    const double d = x - mean;
    return x * m::log1p(d / mean) - d;
}

/* The logarithm of the probability that a Poisson variable with mean lam > 0 is k >= 0. */
GNDI_FN double log_poisson(double k, double lam) {
    if (k == 0) return -lam;
    return -deviance(k, lam) - stirling_error(k) - 0.5 * m::log(6.28318530717958647693 * k);
}

/* The logarithm of the probability that k of n >= 1 trials succeed, each with probability p in (0, 1). */
GNDI_FN double log_binomial(double k, double n, double p) {
    if (k == 0) return n * m::log1p(-p);
    if (k == n) return n * m::log(p);
    const double other = n - k;
    return stirling_error(n) - stirling_error(k) - stirling_error(other) - deviance(k, n * p) -
           deviance(other, n * (1 - p)) + 0.5 * m::log(n / k / (6.28318530717958647693 * other));
}

/* An integer x >= 0 as int64, at most the largest int64. */
GNDI_FN int64_t to_count(double x) {
    return x < 9223372036854775808.0 ? (int64_t)x : INT64_MAX;
}

} // namespace gnd

#endif
