/*
 * random_discrete.h: other integers: waiting times (geometric), draws from an urn (hypergeometric), and two
 * distributions with long tails (logseries, zipf). Everything is computed in double.
 */
#ifndef GNDI_RANDOM_DISCRETE_H
#define GNDI_RANDOM_DISCRETE_H

#include "random/random_parts.h"

namespace gnd {

/* How many trials up to the first success, by inversion. */
template <class T> struct random_geometric {
    double log_failure;
    GNDI_FN bool valid(double p) { return (p > 0) & (p <= 1); }
    GNDI_METHOD explicit random_geometric(double p) : log_failure(m::log1p(-p)) {}
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const {
        const double k = m::ceil(-exponential<double>(source) / log_failure);
        return k > 1 ? to_count(k) : 1;
    }
};

/* ---- urns ------------------------------------------------------------------------------------ */

/*
 * How many of `draws` are good. By symmetry the rarer kind is counted, among the drawn or among the remaining
 * ones, whichever are fewer. Up to 10 are drawn one by one; more by HRUA of Stadlober, The ratio of
 * uniforms approach for generating discrete random variates (1990).
 */
struct urn_variable {
    int64_t few, draws;
    bool stays, swapped;
    double n, rare, many; /* n: how many are drawn, or remain */
    double middle, width, mode, at_mode;

    GNDI_METHOD urn_variable(int64_t good, int64_t bad, int64_t drawn)
        : few(good < bad ? good : bad), draws(drawn), stays(drawn > (good + bad) / 2), swapped(good > bad),
          n((double)(stays ? good + bad - drawn : drawn)), rare((double)few), many((double)(good < bad ? bad : good)),
          middle(0), width(0), mode(0), at_mode(0) {
        if (n <= 10) return;
        const double all = rare + many, p = rare / all;
        const double variance = (all - n) * n * p * (many / all) / (all - 1);
        middle = n * p + 0.5;
        width = 1.7155277699214135 * m::sqrt(variance + 0.5) + 0.8989161620588986;
        mode = m::floor((n + 1) * (rare + 1) / (all + 2));
        at_mode = arrangements(mode);
    }
    /* The logarithm of the inverse of k's probability, up to a constant factor. */
    GNDI_METHOD double arrangements(double k) const {
        return log_factorial(k) + log_factorial(rare - k) + log_factorial(n - k) + log_factorial(many - n + k);
    }
    template <class Source> GNDI_METHOD double one_by_one(Source &source) const {
        double all = rare + many, left = rare;
        for (int i = (int)n; i > 0; i--, all -= 1)
            if (unit<double>(source) * all < left) left -= 1;
        return rare - left;
    }
    template <class Source> GNDI_METHOD double trials(Source &source) const {
        const double most = n < rare ? n : rare;
        for (;;) {
            const double u = unit_above_zero<double>(source), v = unit<double>(source);
            const double k = m::floor(middle + width * (v - 0.5) / u);
            if (k < 0 || k > most) continue;
            const double gain = at_mode - arrangements(k);
            if (u * (4 - u) - 3 <= gain) return k;
            if (u * (u - gain) >= 1 || 2 * m::log(u) > gain) continue;
            return k;
        }
    }
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const {
        const int64_t k = (int64_t)(n <= 10 ? one_by_one(source) : trials(source));
        const int64_t drawn = stays ? few - k : k;
        return swapped ? draws - drawn : drawn;
    }
};

template <class T> struct random_hypergeometric {
    urn_variable urn;
    GNDI_FN bool valid(int64_t good, int64_t bad, int64_t drawn) {
        return (good >= 0) & (bad >= 0) & (drawn >= 0) & (good < 1000000000) & (bad < 1000000000) &
               (drawn <= good + bad);
    }
    GNDI_METHOD random_hypergeometric(int64_t good, int64_t bad, int64_t drawn) : urn(good, bad, drawn) {}
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const { return urn.draw(source); }
};

/* ---- long tails ------------------------------------------------------------------------------ */

/* Kemp, Efficient generation of logarithmically distributed pseudo-random variables (1981): LK. */
template <class T> struct random_logseries {
    double p, log_rest;
    GNDI_FN bool valid(double x) { return (x >= 0) & (x < 1); }
    GNDI_METHOD explicit random_logseries(double x) : p(x), log_rest(m::log1p(-x)) {}
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const {
        const double v = unit_above_zero<double>(source);
        if (v >= p) return 1;
        const double power = log_rest * unit_inside<double>(source), q = -m::expm1(power);
        const double log_q = q < 0.5 ? m::log(q) : m::log1p(-m::exp(power));
        if (v <= q * q) return to_count(m::floor(1 + m::log(v) / log_q));
        return v >= q ? 1 : 2;
    }
};

/* Rejection from x^-a (Devroye, Non-uniform random variate generation, 1986, X.6.1) over the numbers that int64
   holds; differences from 1 are computed by expm1, for a close to 1. */
template <class T> struct random_zipf {
    double excess, reach, two; /* a - 1, 2^(-63 excess) - 1, 2^excess - 1 */
    GNDI_FN bool valid(double a) { return a > 1; }
    GNDI_METHOD explicit random_zipf(double a)
        : excess(a - 1), reach(m::expm1(-43.668272375276554 * excess)), two(m::expm1(0.6931471805599453 * excess)) {}
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const {
        if (excess >= 1024) return 1; /* 2 has a probability below 2^-1024 */
        for (;;) {
            const double u = unit<double>(source), v = unit<double>(source);
            const double x = m::floor(m::exp(m::log1p(u * reach) / -excess));
            if (x < 1 || x >= 9223372036854775808.0) continue;
            const double step = m::expm1(excess * m::log1p(1 / x)); /* (1 + 1 / x)^excess - 1 */
            if (v * x * (step / two) > (1 + step) / (1 + two)) continue;
            return (int64_t)x;
        }
    }
};

} // namespace gnd

#endif
