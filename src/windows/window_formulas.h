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

GNDI_FN double sinc(double x) {
    return x == 0 ? 1 : sin_pi(x) / (PI * x);
}

/* The sum over k of a_k cos(k t), with t of distance d in the period: powers of exp(i t), whose error grows with k. */
GNDI_FN double cosines(const plan_t &p, double d) {
    const double *a = p.many ? p.many : p.a;
    double s, c, sum = p.count > 0 ? a[0] : 0, re = 1, im = 0;
    sincos_pi(2 * (d / p.period), &s, &c);
    for (int k = 1; k < p.count; k++) {
        const double next = re * c - im * s;
        im = re * s + im * c;
        re = next;
        sum += a[k] * re;
    }
    return sum;
}

GNDI_FN double parzen(double d, double last, double size) {
    const double r = d / (size / 2), rest = 1 - r;
    return d <= last / 4 ? 1 - 6 * (r * r) + 6 * (r * r * r) : 2 * (rest * rest * rest);
}

GNDI_FN double bohman(double r) {
    double s, c;
    sincos_pi(r, &s, &c);
    return (1 - r) * c + s / PI;
}

/* From 0 at x = 0 to 1 at x = 1, half a period of a cosine. */
GNDI_FN double rise(double x) {
    return 0.5 * (1 + cos_pi(x - 1));
}

GNDI_FN double kaiser(double beta, double r) {
    return special::i0(beta * m::sqrt(1 - r * r));
}

/* Element k of the transform of m points, for k up to m / 2: Chebyshev's polynomial of order m - 1 at
   a[0] cos(pi k / m), moved by half a point if m is even (C. L. Dolph, Proc. IRE 34, 1946). */
GNDI_FN complex<double> chebwin(const plan_t &p, double k) {
    const double size = (double)p.m, order = size - 1;
    double s, c;
    sincos_pi(k / size, &s, &c);
    const double x = p.a[0] * c;
    const double value = x > 1 ? m::cosh(order * m::acosh(x)) : m::cos(order * m::acos(x));
    if (p.m % 2) return {value, 0};
    return {value * c, -value * s};
}

/* The window of a row at point i of those evaluated. */
template <int Row> GNDI_FN auto value(const plan_t &p, int64_t i) {
    const double at = (double)i;
    if constexpr (Row == GNDI_WINDOW_chebwin) {
        return chebwin(p, at);
    } else {
        const double d = m::abs(p.centre - at), size = (double)p.m, last = size - 1;
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
    store<T>(p, i, value<Row>(p, i));
}

} // namespace windows
} // namespace gnd

#endif
