/*
 * window_formulas.h: the value of a window at a point, in double, from the formulas of windows.def. For both backends,
 * and for designs on the host.
 */
#ifndef GNDI_WINDOW_FORMULAS_H
#define GNDI_WINDOW_FORMULAS_H

#include "kernels/scalar/scalar_half_turns.h"
#include "kernels/scalar/scalar_special_real.h"
#include "windows/window_plan.h"

namespace gnd {
namespace windows {

typedef gndi_window_plan plan_t;

using m::cos_pi;
using m::sin_pi;
using m::sincos_pi;

constexpr double PI = 3.14159265358979323846;

/* x over p.by. A GPU multiplies by the reciprocal and corrects the product, which gives the same number in 3 operations
   instead of 12 (P. Markstein, IBM J. Res. Dev. 34, 1990). */
GNDI_FN double part(const plan_t &p, double x) {
#if GNDI_ON_DEVICE
    if (p.over != 0) {
        const double quotient = x * p.over;
        return m::fma(m::fma(-quotient, p.by, x), p.over, quotient);
    }
#endif
    return x / p.by;
}

GNDI_FN double sinc(double x) {
    return x == 0 ? 1 : sin_pi(x) / (PI * x);
}

enum { FEW_COSINES = 8 };

/* The sum over k of a_k cos(k t), by c, the cosine of t: cos(k t) = 2 c cos((k - 1) t) - cos((k - 2) t), whose error
   grows with the square of k. TERMS are known to the compiler; those that a plan does not have are 0. */
template <int TERMS> GNDI_FN double cosines_of(const double *a, double c) {
    double sum = a[0], now = c, before = 1;
    for (int k = 1; k < TERMS; k++) {
        sum += a[k] * now;
        const double next = 2 * c * now - before;
        before = now, now = next;
    }
    return sum;
}
GNDI_FN double few_cosines(const plan_t &p, double c) {
    if (p.count <= 2) return cosines_of<2>(p.a, c);
    if (p.count <= 3) return cosines_of<3>(p.a, c);
    return p.count <= 5 ? cosines_of<5>(p.a, c) : cosines_of<FEW_COSINES>(p.a, c);
}

/* The sum over k of a_k cos(k t), with t of distance d in the period. Of many: by powers of exp(i t), whose error grows
   with k. */
GNDI_FN double cosines(const plan_t &p, double d) {
    const double *a = p.many ? p.many : p.a;
    if (p.count <= FEW_COSINES) return few_cosines(p, cos_pi(2 * part(p, d)));
    double s, c, sum = a[0], re = 1, im = 0;
    sincos_pi(2 * part(p, d), &s, &c);
    for (int k = 1; k < p.count; k++) {
        const double next = re * c - im * s;
        im = re * s + im * c;
        re = next;
        sum += a[k] * re;
    }
    return sum;
}

/* r: d over half the number of points. */
GNDI_FN double parzen(double d, double r, double last) {
    const double rest = 1 - r;
    return d <= last / 4 ? 1 - 6 * (r * r) + 6 * (r * r * r) : 2 * (rest * rest * rest);
}

GNDI_FN double bohman(double r) {
    double s, c;
    sincos_pi(r, &s, &c);
    return (1 - r) * c + s * (1 / PI);
}

GNDI_FN double barthann(double r) {
    return 0.62 - 0.48 * r + 0.38 * cos_pi(2 * r);
}

/* From 0 at x = 0 to 1 at x = 1, half a period of a cosine. */
GNDI_FN double rise(double x) {
    return 0.5 * (1 + cos_pi(x - 1));
}

enum { MOST_SERIES = GNDI_WINDOW_NUMBERS - 2 };

/* The sum of a[k] x^k at N points, for which a GPU loads each number once. */
template <int TERMS, int N> GNDI_FN void series(const double *a, const double (&x)[N], double (&sum)[N]) {
    for (int j = 0; j < N; j++) sum[j] = a[TERMS - 1];
    for (int k = TERMS - 2; k >= 0; k--)
        for (int j = 0; j < N; j++) sum[j] = sum[j] * x[j] + a[k];
}

/* I0 of beta sqrt(1 - r^2) over that of beta, p.a[0] and p.a[1], with r = 2 d / last, at N points. By the series
   in 1 - r^2, four times u (1 - u) of u = at / last (M. Abramowitz, I. Stegun, Handbook of Mathematical Functions,
   9.6.12): it needs neither root nor exponential, and its terms have one sign. Behind those two p.count numbers,
   then zeros; 0: it is too long. */
template <int N> GNDI_FN void kaisers(const plan_t &p, const double (&at)[N], double (&w)[N]) {
    double x[N];
    for (int j = 0; j < N && p.count == 0; j++) {
        const double r = part(p, 2 * m::abs(p.centre - at[j]));
        w[j] = special::i0(p.a[0] * m::sqrt(1 - r * r)) / p.a[1];
    }
    if (p.count == 0) return;
    for (int j = 0; j < N; j++) {
        const double u = part(p, at[j]);
        x[j] = u - u * u;
    }
    if (p.count <= 16) return series<16>(p.a + 2, x, w);
    return p.count <= 32 ? series<32>(p.a + 2, x, w) : series<MOST_SERIES>(p.a + 2, x, w);
}
GNDI_FN double kaiser(const plan_t &p, double at) {
    const double one[1] = {at};
    double w[1];
    kaisers(p, one, w);
    return w[0];
}

/* x^(2 p.a[0]), by products if p.count says that this is a whole number. */
GNDI_FN double power(const plan_t &p, double x) {
    if (p.count < 0) return m::pow(x, 2 * p.a[0]);
    double product = 1;
    for (int bits = p.count; bits; bits >>= 1, x *= x)
        if (bits & 1) product *= x;
    return product;
}

/* Element k of the transform of m points, for k up to m / 2: Chebyshev's polynomial of order m - 1 at
   a[0] cos(pi k / m), moved by half a point if m is even (C. L. Dolph, Proc. IRE 34, 1946). */
GNDI_FN complex<double> chebwin(const plan_t &p, double k) {
    const double order = (double)p.m - 1;
    double s, c;
    sincos_pi(part(p, k), &s, &c);
    const double x = p.a[0] * c;
    const double value = x > 1 ? m::cosh(order * m::acosh(x)) : m::cos(order * m::acos(x));
    if (p.m % 2) return {value, 0};
    return {value * c, -value * s};
}

/* The window of a row at a point of those evaluated. */
template <int Row> GNDI_FN auto value(const plan_t &p, double at) {
    if constexpr (Row == GNDI_WINDOW_chebwin) {
        return chebwin(p, at);
    } else {
        const double d = m::abs(p.centre - at), last = (double)p.m - 1;
        (void)d, (void)last;
#define FORMULA(name, also, formula) PARAMETERS(name, also, 0, 0, formula)
#define COSINES(name, also, ...)
#define PARAMETERS(name, also, least, most, formula)                                                                   \
    if constexpr (Row == GNDI_WINDOW_##name) return (double)(formula);
#define SAME_AS(name, also, least, most)
#define COMPOSED(name, also, least, most)
#include "windows/windows.def"
#undef FORMULA
#undef COSINES
#undef PARAMETERS
#undef SAME_AS
#undef COMPOSED
    }
}

/* Stores point i, twice if the window is symmetric. */
template <class T, class X> GNDI_FN void store(const plan_t &p, int64_t i, X x) {
    T *out = static_cast<T *>(p.out);
    out[i] = (T)x;
    const int64_t other = p.m - 1 - i;
    if (p.points < p.n && other < p.n) out[other] = (T)x;
}
/* Evaluates point i and stores it. */
template <int Row, class T> GNDI_FN void put(const plan_t &p, int64_t i) {
    store<T>(p, i, value<Row>(p, (double)i));
}

} // namespace windows
} // namespace gnd

#endif
