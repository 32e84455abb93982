/*
 * random_gamma.h: gamma variables and their relatives (beta, chisquare, f, standard_t), and two more
 * continuous distributions that need rejection or a choice: wald and vonmises. A NaN among the parameters
 * gives NaN, and ends every loop: a trial is rejected only if a comparison is true.
 */
#ifndef GNDI_RANDOM_GAMMA_H
#define GNDI_RANDOM_GAMMA_H

#include "random/random_parts.h"

namespace gnd {

/* ---- gamma ----------------------------------------------------------------------------------- */

/* A variable as value e^-shift: the product itself may underflow where only a quotient of two variables is wanted. */
template <class T> struct scaled { T value, shift; };

/*
 * Marsaglia and Tsang, A simple method for generating gamma variables (2000), for shapes from 1 on; below 1 it
 * is the variable of shape + 1 times U^(1 / shape). Their 1 - v + log v is a difference of nearly
 * equal numbers where the shape is large: here it is computed by log1p of t = v^(1/3) - 1.
 */
template <class T> struct gamma_variable {
    T d, c, inverse; /* 1 / shape below 1, else 0 */
    GNDI_METHOD explicit gamma_variable(T shape)
        : d((shape < 1 ? shape + 1 : shape) - (T)(1.0 / 3)), c(1 / (3 * m::sqrt(d))),
          inverse(shape < 1 ? 1 / shape : (T)0) {}

    template <class Source> GNDI_METHOD T trials(Source &source) const {
        for (;;) {
            const T x = normal<T>(source), u = unit_above_zero<T>(source);
            const T t = c * x, xx = x * x;
            if (t <= -1) continue;
            const T v = 1 + t, cube = d * (v * v * v);
            if (u < 1 - (T)0.0331 * xx * xx) return cube;
            if (m::log(u) > xx / 2 + d * (3 * (m::log1p(t) - t) - t * t * (3 + t))) continue;
            return cube;
        }
    }
    template <class Source> GNDI_METHOD scaled<T> draw(Source &source) const {
        const T value = trials(source);
        return {value, inverse == 0 ? (T)0 : exponential<T>(source) * inverse};
    }
    template <class Source> GNDI_METHOD T number(Source &source) const {
        const scaled<T> x = draw(source);
        return x.shift == 0 ? x.value : x.value * m::exp(-x.shift);
    }
};

template <class T> struct random_standard_gamma {
    gamma_variable<T> variable;
    GNDI_FN bool valid(T shape) { return not_negative(shape); }
    GNDI_METHOD explicit random_standard_gamma(T shape) : variable(shape) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const { return variable.number(source); }
};

template <class T> struct random_gamma {
    gamma_variable<T> variable;
    T scale;
    GNDI_FN bool valid(T shape, T s) { return not_negative(shape) & not_negative(s); }
    GNDI_METHOD random_gamma(T shape, T s) : variable(shape), scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const { return scale * variable.number(source); }
};

template <class T> struct random_chisquare {
    gamma_variable<T> variable;
    GNDI_FN bool valid(T df) { return above_zero(df); }
    GNDI_METHOD explicit random_chisquare(T df) : variable(df / 2) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const { return 2 * variable.number(source); }
};

/* ---- quotients of gamma variables ------------------------------------------------------------ */

/* x / (x + y). If both underflow, the larger one is the whole sum. */
template <class T> struct random_beta {
    gamma_variable<T> a, b;
    T share; /* the probability that it is x */
    GNDI_FN bool valid(T p, T q) { return above_zero(p) & above_zero(q); }
    GNDI_METHOD random_beta(T p, T q) : a(p), b(q), share(p / (p + q)) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const scaled<T> x = a.draw(source), y = b.draw(source);
        if (x.shift == 0 && y.shift == 0) return x.value / (x.value + y.value);
        const T infinity = limits<T>::infinity();
        if (x.shift == infinity && y.shift == infinity) return unit<T>(source) < share ? (T)1 : (T)0;
        return 1 / (1 + y.value / x.value * m::exp(x.shift - y.shift));
    }
};

/* (x e^-shift / n) / (y / d). By logarithms if a factor overflows or underflows and another one compensates it; if x
   and y both underflow, x is the larger one with probability n / (n + d). */
template <class T, class Source> GNDI_FN T quotient_of(T x, T shift, scaled<T> y, T n, T d, Source &source) {
    const T infinity = limits<T>::infinity(), power = y.shift - shift;
    constexpr T most = is_same<T, float> ? (T)88 : (T)709; /* the largest argument of exp */
    if ((x == 0 || shift == infinity) && !(power < most) && y.shift > 0)
        return unit<T>(source) < d / (n + d) ? (T)0 : infinity;
    const T value = x / y.value * (d / n) * m::exp(power);
    if (value > 0 && value < infinity) return value;
    return m::exp(m::log(x / y.value) + (m::log(d) - m::log(n)) + power);
}

template <class T> struct random_f {
    gamma_variable<T> a, b;
    T n, d;
    GNDI_FN bool valid(T p, T q) { return above_zero(p) & above_zero(q); }
    GNDI_METHOD random_f(T p, T q) : a(p / 2), b(q / 2), n(p), d(q) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const scaled<T> x = a.draw(source), y = b.draw(source);
        if (x.shift == 0 && y.shift == 0) return x.value / y.value * (d / n);
        return quotient_of(x.value, x.shift, y, n, d, source);
    }
};

template <class T> struct random_standard_t {
    gamma_variable<T> variable;
    T half; /* of the degrees of freedom */
    GNDI_FN bool valid(T df) { return above_zero(df); }
    GNDI_METHOD explicit random_standard_t(T df) : variable(df / 2), half(df / 2) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const T x = normal<T>(source);
        if (half == limits<T>::infinity()) return x;
        const scaled<T> y = variable.draw(source);
        return x * m::sqrt(half / y.value) * m::exp(y.shift / 2);
    }
};

/* ---- others ---------------------------------------------------------------------------------- */

/* Michael, Schucany and Haas, Generating random variates using transformations with multiple roots (1976).
   The roots are mean / d and mean d. */
template <class T> struct random_wald {
    T mean, scale, ratio;
    GNDI_FN bool valid(T mu, T s) { return above_zero(mu) & above_zero(s); }
    GNDI_METHOD random_wald(T mu, T s) : mean(mu), scale(s), ratio(mu / s / 2) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const T z = normal<T>(source), u = unit<T>(source);
        const T zz = z * z, a = ratio * zz, d = 1 + a + m::sqrt(a) * m::sqrt(a + 2);
        if (d == limits<T>::infinity()) return scale / zz; /* the limit, Levy's distribution */
        return u > d / (1 + d) ? mean * d : mean / d;
    }
};

/* An angle in [-pi, pi]: the stored number does not exceed pi. */
template <class T> GNDI_FN T wrap_angle(T x) {
    constexpr T most = is_same<T, float> ? (T)3.14159250259399414062 : (T)3.14159265358979311600;
    constexpr T turn = (T)6.28318530717958647693;
    if (m::abs(x) <= most) return x;
    const T rest = m::fmod(x, turn);
    const T angle = rest > most ? rest - turn : rest < -most ? rest + turn : rest;
    return angle > most ? most : angle < -most ? -most : angle;
}

/*
 * Best and Fisher, Efficient simulation of the von Mises distribution (1979): rejection from a wrapped
 * Cauchy distribution. Here by the tangent of half the angle, t = g cot(pi v), which is accurate for every
 * concentration; `y` is their kappa (s - cos angle).
 */
template <class T> struct random_vonmises {
    T mu, kappa, g, least;
    bool flat; /* the distribution is uniform, to rounding */
    GNDI_FN bool valid(T, T k) { return not_negative(k); }
    GNDI_METHOD random_vonmises(T center, T k) : mu(wrap_angle(center)), kappa(k), flat(k < (T)1e-18) {
        const T half = (T)0.5 / (flat ? (T)1 : k), s = half + m::hypot((T)1, half);
        g = m::sqrt(s / k) / (s + 1), least = s / (s + 1);
    }
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        for (;;) {
            const half_unit<T> v = unit_from_ends<T>(source);
            const T angle = (T)3.14159265358979323846 * v.distance;
            if (flat) return wrap_angle(mu + signed_by(-2 * angle, v.upper));
            const T t = g / m::tan(angle), u = unit_above_zero<T>(source);
            const T y = least + 2 * kappa * (t * t / (1 + t * t));
            if (m::log(u) > m::log(y) + 1 - y) continue;
            return wrap_angle(mu + signed_by(-2 * m::atan(t), v.upper));
        }
    }
};

} // namespace gnd

#endif
