/*
 * random_simple.h: distributions whose quantile has a formula, and lognormal: one uniform number each. They
 * are monotonic in it (power, pareto and so on through an exponential number), so that a quasi-random
 * sequence stays one; both tails extend as far as the word allows.
 */
#ifndef GNDI_RANDOM_SIMPLE_H
#define GNDI_RANDOM_SIMPLE_H

#include "random/random_parts.h"

namespace gnd {

/* ---- location and scale ---------------------------------------------------------------------- */

template <class T> struct random_laplace {
    T loc, scale;
    GNDI_FN bool valid(T, T s) { return not_negative(s); }
    GNDI_METHOD random_laplace(T l, T s) : loc(l), scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const half_unit<T> u = unit_from_ends<T>(source);
        return loc + scale * signed_by(m::log(2 * u.distance), u.upper);
    }
};

template <class T> struct random_logistic {
    T loc, scale;
    GNDI_FN bool valid(T, T s) { return not_negative(s); }
    GNDI_METHOD random_logistic(T l, T s) : loc(l), scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const half_unit<T> u = unit_from_ends<T>(source);
        return loc + scale * signed_by(m::log(u.distance) - m::log1p(-u.distance), u.upper);
    }
};

template <class T> struct random_gumbel {
    T loc, scale;
    GNDI_FN bool valid(T, T s) { return not_negative(s); }
    GNDI_METHOD random_gumbel(T l, T s) : loc(l), scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const half_unit<T> u = unit_from_ends<T>(source);
        const T e = u.upper ? -m::log1p(-u.distance) : -m::log(u.distance); /* falls with u */
        return loc - scale * m::log(e);
    }
};

template <class T> struct random_lognormal {
    T mean, sigma;
    GNDI_FN bool valid(T, T s) { return not_negative(s); }
    GNDI_METHOD random_lognormal(T mu, T s) : mean(mu), sigma(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        return m::exp(mean + sigma * normal<T>(source));
    }
};

/* ---- from an exponential number --------------------------------------------------------------- */

template <class T> struct random_pareto {
    T a;
    GNDI_FN bool valid(T p) { return above_zero(p); }
    GNDI_METHOD explicit random_pareto(T p) : a(p) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const { return m::expm1(exponential<T>(source) / a); }
};

template <class T> struct random_power {
    T a;
    GNDI_FN bool valid(T p) { return above_zero(p); }
    GNDI_METHOD explicit random_power(T p) : a(p) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const half_unit<T> u = unit_from_ends<T>(source);
        return m::exp((u.upper ? m::log1p(-u.distance) : m::log(u.distance)) / a);
    }
};

template <class T> struct random_rayleigh {
    T scale;
    GNDI_FN bool valid(T s) { return not_negative(s); }
    GNDI_METHOD explicit random_rayleigh(T s) : scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        return scale * m::sqrt(2 * exponential<T>(source));
    }
};

/* E^(1 / a), as the exponential of a logarithm: a NaN stays one, and a = 0 is 0 as in NumPy. */
template <class T> struct random_weibull {
    T a;
    GNDI_FN bool valid(T p) { return not_negative(p); }
    GNDI_METHOD explicit random_weibull(T p) : a(p) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const T e = exponential<T>(source);
        return a == 0 ? (T)0 : m::exp(m::log(e) / a);
    }
};

/* ---- others ---------------------------------------------------------------------------------- */

/* The cotangent of an angle below pi / 2 is finite whatever pi was rounded to. */
template <class T> struct random_standard_cauchy {
    GNDI_FN bool valid() { return true; }
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const half_unit<T> u = unit_from_ends<T>(source);
        return signed_by(-1 / m::tan((T)3.14159265358979323846 * u.distance), u.upper);
    }
};

template <class T> struct random_triangular {
    T left, right, base, below, above; /* shares of the base on both sides of the mode */
    GNDI_FN bool valid(T l, T mode, T r) { return !(l > mode) & !(mode > r) & (l != r); }
    GNDI_METHOD random_triangular(T l, T mode, T r)
        : left(l), right(r), base(r - l), below((mode - l) / (r - l)), above((r - mode) / (r - l)) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const T u = unit<T>(source);
        const T x = u <= below ? left + base * m::sqrt(u * below) : right - base * m::sqrt((1 - u) * above);
        return x < left ? left : x > right ? right : x;
    }
};

} // namespace gnd

#endif
