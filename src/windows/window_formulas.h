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

using m::sincos_pi;

constexpr double PI = 3.14159265358979323846;

/* sin(pi z) for z from -1/2 to 1/2, with an error below 2^-52: sin(pi z) / z interpolated in z^2 at Chebyshev's points.
   No window has other angles, so that none is reduced. */
GNDI_FN double sine(double z) {
    const double x = z * z;
    double s = 0x1.9d462020fcc78p-21;
    s = s * x - 0x1.6f7acdb8f6580p-16;
    s = s * x + 0x1.e8f3675ee37ddp-12;
    s = s * x - 0x1.e3074dfaf87afp-8;
    s = s * x + 0x1.5078348551854p-4;
    s = s * x - 0x1.32d2cce627c86p-1;
    s = s * x + 0x1.466bc6775aa7dp+1;
    s = s * x - 0x1.4abbce625be52p+2;
    s = s * x + 0x1.921fb54442d18p+1;
    return z * s;
}
/* cos(pi x) for x from 0 to 1. */
GNDI_FN double cosine(double x) {
    return sine(0.5 - x);
}

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

/* sin(pi x) / (pi x) for x from 0 to 1: over 1 - x^2 interpolated in x^2 at Chebyshev's points. At 1 remains what
   the sine of a double's pi is over pi, as in SciPy: the filter of two taps by this window would else be 0 / 0. */
GNDI_FN double sinc(double x) {
    const double y = x * x;
    double s = -0x1.4fad4f17b73a8p-33;
    s = s * y + 0x1.e825de3baf254p-28;
    s = s * y - 0x1.0815673025b6bp-22;
    s = s * y + 0x1.c3a2223945b3cp-18;
    s = s * y - 0x1.292a038a7320ep-13;
    s = s * y + 0x1.20eeca4a8635dp-9;
    s = s * y - 0x1.884a2c84e1b7fp-6;
    s = s * y + 0x1.559f9ee16cdb8p-3;
    s = s * y - 0x1.4a34cc4a60f9cp-1;
    s = s * y + 1;
    return s * (1 - y) + 0x1.678afae35cdd1p-55;
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
    if (p.count <= FEW_COSINES) return few_cosines(p, cosine(2 * part(p, d)));
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
    const double rest = 1 - r;
    return rest * cosine(r) + sine(r < rest ? r : rest) * (1 / PI);
}

GNDI_FN double barthann(double r) {
    return 0.62 - 0.48 * r + 0.38 * cosine(2 * r);
}

/* From 0 at x = 0 to 1 at x = 1, half a period of a cosine. */
GNDI_FN double rise(double x) {
    return 0.5 * (1 + sine(x - 0.5));
}

/* I0 of beta sqrt(1 - r^2) over that of beta at N points, for which a GPU loads each number once. With u = at / last,
   1 - r^2 is four times x = u (1 - u), and this is a series in x (M. Abramowitz, I. Stegun, Handbook of Mathematical
   Functions, 9.6.12): it needs neither root nor exponential, and its terms have one sign. */
template <int N> GNDI_FN void kaiser_series(const plan_t &p, const double (&at)[N], double (&w)[N]) {
    double x[N];
    for (int j = 0; j < N; j++) {
        const double u = part(p, at[j]);
        x[j] = u - u * u;
        w[j] = 0;
    }
    for (int k = p.count - 1; k >= 0; k -= GNDI_WINDOW_STEP)
        for (int i = 0; i < GNDI_WINDOW_STEP; i++)
            for (int j = 0; j < N; j++) w[j] = w[j] * x[j] + p.a[2 + k - i];
}
/* By the series, whose p.count numbers are behind beta and its I0, p.a[0] and p.a[1]; 0: they are too many. */
template <int N> GNDI_FN void kaisers(const plan_t &p, const double (&at)[N], double (&w)[N]) {
    if (p.count > 0) return kaiser_series(p, at, w);
    for (int j = 0; j < N; j++) {
        const double r = part(p, 2 * m::abs(p.centre - at[j]));
        w[j] = special::i0(p.a[0] * m::sqrt(1 - r * r)) / p.a[1];
    }
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

/* The angle whose sine is x, from 0 to 1 but for rounding; mostly a small one. */
GNDI_FN double angle_of(double x) {
    if (x > 0x1p-8) return m::asin(x < 1 ? x : 1);
    const double y = x * x;
    return x + x * y * (1. / 6 + y * (3. / 40 + y * (15. / 336)));
}

/* Chebyshev's polynomial of order m - 1 at x0 cos(phi), where phi = pi k / m is at most pi / 2 and s and c are its sine
   and cosine; p.a[0]: x0, p.a[1]: x0^2 - 1 (C. L. Dolph, Proc. IRE 34, 1946). Where that is cos((m - 1) theta), it is
   (-1)^k cos(phi + (m - 1) delta) with delta = phi - theta, whose sine is c p.a[1] / (x0 s + sin(theta)): no angle of
   many turns loses its digits. */
GNDI_FN double chebyshev(const plan_t &p, double k, double s, double c) {
    const double order = (double)p.m - 1, x = m::mul(p.a[0], c), square = s * s - p.a[1] * c * c; /* 1 - x^2 */
    if (x >= 1) return m::cosh(order * m::acosh(x));
    const double delta = angle_of(p.a[1] * c / (p.a[0] * s + m::sqrt(square > 0 ? square : 0)));
    const double turns = part(p, k) + order * delta * (1 / PI) + (k - 2 * m::floor(k / 2)); /* half ones */
    return cosine(m::abs(turns - 2 * m::rint(turns / 2)));
}

/* Element k of what chebwin transforms (composed.c). Of an odd number of points: half the spectrum. Of an even one:
   half of what makes a Fourier transform of m / 2 real numbers a cosine transform of type 3 of half the spectrum
   (fft/cuda/fft_cosine.cuh). */
GNDI_FN complex<double> spectrum(const plan_t &p, double k) {
    const double turn = part(p, k), s = sine(turn), of_half = sine(turn / 2);
    const double c = 1 - 2 * (of_half * of_half); /* to the last digit near 1, where a digit counts most */
    const double x = chebyshev(p, k, s, c), half = (double)p.m / 2;
    if (p.m % 2) return {x, 0};
    const double y = k == 0 ? 0 : chebyshev(p, half - k, c, s);
    return {x * c + y * s, x * s - y * c};
}

/* A Chebyshev window at a point, from that transform's result, which begins at the centre; with m even alternately from
   both its ends. */
GNDI_FN double unfolded(const plan_t &p, double at) {
    const int64_t outwards = (p.m - 1) / 2 - (int64_t)at, half = outwards / 2;
    const int64_t from = p.m % 2 ? outwards : outwards % 2 ? p.m / 2 - 1 - half : half;
    return p.from[from] / *p.over_from;
}

/* The window of a row at a point of those evaluated, or an element of the spectrum if T is complex. */
template <int Row, class T> GNDI_FN auto value(const plan_t &p, double at) {
    if constexpr (is_complex<T>) {
        return spectrum(p, at);
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
        if constexpr (Row == GNDI_WINDOW_chebwin) return unfolded(p, at);
        if constexpr (Row == GNDI_WINDOW_kaiser_bessel_derived) return m::sqrt(p.from[(int64_t)at] / *p.over_from);
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
    store<T>(p, i, value<Row, T>(p, (double)i));
}

} // namespace windows
} // namespace gnd

#endif
