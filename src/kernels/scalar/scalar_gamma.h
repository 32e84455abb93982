/*
 * scalar_gamma.h: the gamma function of a complex number, in float64 for complex64 too: Lanczos'
 * approximation with g = 607/128 and 15 terms (P. Godfrey, 2001) for re z >= 1/2, elsewhere
 * Euler's reflection gamma(z) gamma(1 - z) = pi / sin(pi z).
 */
#ifndef GNDI_SCALAR_GAMMA_H
#define GNDI_SCALAR_GAMMA_H

#include "scalar_complex.h"
#include "scalar_special_real.h"

namespace gnd {
namespace special {

GNDI_TABLE double lanczos[15] = {
    0.99999999999999709182,    57.156235665862923517,      -59.597960355475491248,    14.136097974741747174,
    -0.49191381609762019978,   0.33994649984811888699e-4,  0.46523628927048575665e-4, -0.98374475304879564677e-4,
    0.15808870322491248884e-3, -0.21026444172410488319e-3, 0.21743961811521264320e-3, -0.16431810653676389022e-3,
    0.84418223983852743293e-4, -0.26190838401581408670e-4, 0.36899182659531622704e-5,
};

/* gamma(z) = e^exponent * factor for re z >= 1/2. */
struct split_gamma {
    complex<double> exponent, factor;
};
GNDI_FN split_gamma gamma_right(complex<double> z) {
    const double x = z.re - 1, y = z.im;
    complex<double> sum{lanczos[0], 0};
    for (int k = 1; k < 15; ++k) {
        const double scale = lanczos[k] / ((x + k) * (x + k) + y * y);
        sum.re += (x + k) * scale;
        sum.im -= y * scale;
    }
    const complex<double> t{x + 607.0 / 128 + 0.5, y};
    const complex<double> grown = ops::multiply(complex<double>{x + 0.5, y}, c::log(t));
    const double root_two_pi = 2.50662827463100050242;
    return {{grown.re - t.re, grown.im - t.im}, {sum.re * root_two_pi, sum.im * root_two_pi}};
}

/* sin(pi z) e^(-pi |im z|). */
GNDI_FN complex<double> sin_pi_scaled(complex<double> z) {
    const double pi = 3.14159265358979323846;
    const double nearest = m::rint(z.re), rest = z.re - nearest;
    const double sign = m::fmod(nearest, 2.0) != 0 ? -1 : 1;
    const double shrink = m::exp(-2 * pi * m::abs(z.im));
    const double lost = m::expm1(-2 * pi * m::abs(z.im));
    const double re = sign * m::sin(pi * rest) * (1 + shrink) / 2;
    const double im = sign * m::cos(pi * rest) * -lost / 2;
    return {re, m::copysign((double)1, z.im) * im};
}

/* e^exponent times factor; e^re as a square, which overflows no sooner than the product. */
GNDI_FN complex<double> grown_by(complex<double> exponent, complex<double> factor) {
    double sine, cosine;
    m::sincos(exponent.im, &sine, &cosine);
    const complex<double> turned = ops::multiply(factor, complex<double>{cosine, sine});
    const double half = m::exp(exponent.re / 2);
    return {half * turned.re * half, half * turned.im * half};
}
GNDI_FN_HEAVY complex<double> gamma_complex(complex<double> z) {
    if (z.re >= 0.5) {
        const split_gamma g = gamma_right(z);
        return grown_by(g.exponent, g.factor);
    }
    const double pi = 3.14159265358979323846;
    const split_gamma g = gamma_right(complex<double>{1 - z.re, -z.im});
    const complex<double> below = ops::multiply(g.factor, sin_pi_scaled(z));
    return grown_by(complex<double>{-g.exponent.re - pi * m::abs(z.im), -g.exponent.im},
                    ops::divide(complex<double>{pi, 0}, below));
}

} // namespace special

namespace c {

template <class R> GNDI_FN_HEAVY complex<R> gamma(complex<R> z) {
    const double x = m::abs((double)z.re), y = m::abs((double)z.im);
    const bool pole = z.im == 0 && z.re <= 0 && m::trunc(z.re) == z.re;
    if (pole || !m::isfinite(x) || m::isnan(y)) return {limits<R>::nan(), limits<R>::nan()};
    if (z.im == 0) return {special::gamma(z.re), z.im};
    if (y > 1e100 && x < 1e90) return {(R)0, (R)0};
    if (x + y < 1e-300) { /* 1 / z, which may overflow, less Euler's constant */
        const double up = 0x1p600, re = z.re * up, im = z.im * up, size = re * re + im * im;
        return {(R)(z.re == 0 ? -0.57721566490153286061 : re / size * up), (R)(-im / size * up)};
    }
    const double im = m::copysign(y < 2.3e-308 ? 2.3e-308 : y, (double)z.im); /* poles overflow */
    const complex<double> g = special::gamma_complex(complex<double>{z.re, im});
    return {(R)g.re, (R)g.im};
}

} // namespace c
} // namespace gnd

#endif
