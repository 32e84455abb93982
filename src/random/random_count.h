/*
 * random_count.h: counts of events and of successes (poisson, binomial, negative_binomial), and the mixtures over
 * such counts (noncentral_chisquare, noncentral_f). Counts of means below 30 are drawn by inversion from 0
 * upwards, others by Hoermann's transformed rejection (binomial ones of small deviation by inversion from the mode
 * outwards), with probabilities that stay accurate for counts up to 2^63; above 2^53 counts are multiples of a
 * power of two, as doubles are.
 */
#ifndef GNDI_RANDOM_COUNT_H
#define GNDI_RANDOM_COUNT_H

#include "random/random_gamma.h"

namespace gnd {

/* Up to this mean, counts are drawn by inversion from 0 on. Rejection is slower up to means of about 60 on a GPU (an
   estimate, not measured), where all lanes of a warp wait for the last one, and about 20 on a CPU; the numbers must be
   the same on both. The search ends at most_counted even if rounding leaves a remainder: the probability of getting
   there is below 1e-21. */
constexpr double searched_mean = 30;
constexpr int most_counted = 96;

GNDI_TABLE double reciprocals[most_counted + 1] = {
    0,        1.0 / 1,  1.0 / 2,  1.0 / 3,  1.0 / 4,  1.0 / 5,  1.0 / 6,  1.0 / 7,  1.0 / 8,  1.0 / 9,  1.0 / 10,
    1.0 / 11, 1.0 / 12, 1.0 / 13, 1.0 / 14, 1.0 / 15, 1.0 / 16, 1.0 / 17, 1.0 / 18, 1.0 / 19, 1.0 / 20, 1.0 / 21,
    1.0 / 22, 1.0 / 23, 1.0 / 24, 1.0 / 25, 1.0 / 26, 1.0 / 27, 1.0 / 28, 1.0 / 29, 1.0 / 30, 1.0 / 31, 1.0 / 32,
    1.0 / 33, 1.0 / 34, 1.0 / 35, 1.0 / 36, 1.0 / 37, 1.0 / 38, 1.0 / 39, 1.0 / 40, 1.0 / 41, 1.0 / 42, 1.0 / 43,
    1.0 / 44, 1.0 / 45, 1.0 / 46, 1.0 / 47, 1.0 / 48, 1.0 / 49, 1.0 / 50, 1.0 / 51, 1.0 / 52, 1.0 / 53, 1.0 / 54,
    1.0 / 55, 1.0 / 56, 1.0 / 57, 1.0 / 58, 1.0 / 59, 1.0 / 60, 1.0 / 61, 1.0 / 62, 1.0 / 63, 1.0 / 64, 1.0 / 65,
    1.0 / 66, 1.0 / 67, 1.0 / 68, 1.0 / 69, 1.0 / 70, 1.0 / 71, 1.0 / 72, 1.0 / 73, 1.0 / 74, 1.0 / 75, 1.0 / 76,
    1.0 / 77, 1.0 / 78, 1.0 / 79, 1.0 / 80, 1.0 / 81, 1.0 / 82, 1.0 / 83, 1.0 / 84, 1.0 / 85, 1.0 / 86, 1.0 / 87,
    1.0 / 88, 1.0 / 89, 1.0 / 90, 1.0 / 91, 1.0 / 92, 1.0 / 93, 1.0 / 94, 1.0 / 95, 1.0 / 96};

/* A proposal of transformed rejection: k = floor((2 a / edge + b) u + middle), with u in [-1/2, 1/2) and edge its
   distance from the nearer end. In most trials `edge` is large and v small: then k is accepted at once. */
struct transformed_trial {
    double k, edge, v;
};
struct transformed_hat {
    double a, b, middle, safe;
    template <class Source> GNDI_METHOD transformed_trial next(Source &source) const {
        const double u = unit<double>(source) - 0.5, v = unit_above_zero<double>(source);
        const double edge = 0.5 - m::abs(u);
        return {m::floor((2 * a / edge + b) * u + middle), edge, v};
    }
    GNDI_METHOD bool taken(const transformed_trial &t) const { return t.edge >= 0.07 && t.v <= safe; }
    /* The value of v that is compared with the probability of k. */
    GNDI_METHOD double height(const transformed_trial &t, double scale) const {
        return m::log(t.v * scale / (a / (t.edge * t.edge) + b));
    }
};

/* ---- Poisson --------------------------------------------------------------------------------- */

/* Hoermann, The transformed rejection method for generating Poisson random variables (1993): PTRS. */
struct poisson_variable {
    double lam, chance, scale; /* chance: of 0 */
    transformed_hat hat;

    GNDI_METHOD explicit poisson_variable(double mean) : lam(mean), chance(0), scale(0), hat{} {
        if (lam < searched_mean) {
            chance = m::exp(-lam);
            return;
        }
        const double b = 0.931 + 2.53 * m::sqrt(lam);
        scale = 1.1239 + 1.1328 / (b - 3.4);
        hat = {-0.059 + 0.02483 * b, b, lam + 0.43, 0.9277 - 3.6224 / (b - 2)};
    }
    template <class Source> GNDI_METHOD double draw(Source &source) const {
        if (lam < searched_mean) return search(source);
        for (;;) {
            const transformed_trial t = hat.next(source);
            if (hat.taken(t)) return t.k;
            if (t.k < 0 || (t.edge < 0.013 && t.v > t.edge)) continue;
            if (hat.height(t, scale) > log_poisson(t.k, lam)) continue;
            return t.k;
        }
    }
    template <class Source> GNDI_METHOD double search(Source &source) const {
        double rest = unit<double>(source), next = chance;
        int k = 0;
        while (rest >= next && k < most_counted) {
            rest -= next;
            k++;
            next *= lam * reciprocals[k];
        }
        return k;
    }
};

/* The largest mean that is accepted: 2^63 is some deviations above it. */
GNDI_FN double most_events() {
    return 9.223372006484771e18;
}

template <class T> struct random_poisson {
    poisson_variable variable;
    GNDI_FN bool valid(double lam) { return (lam >= 0) & (lam <= most_events()); }
    GNDI_METHOD explicit random_poisson(double lam) : variable(lam) {}
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const { return to_count(variable.draw(source)); }
};

/* ---- binomial -------------------------------------------------------------------------------- */

/* Up to this standard deviation, counts are drawn by inversion from the mode outwards. */
constexpr double searched_deviation = 24;
constexpr int most_steps = 256;

/*
 * Counts of the rarer outcome. If few are expected: by inversion from 0 upwards. If the deviation is small: by
 * inversion from the mode outwards, in steps of one count above and one below (C. D. Kemp, A modal method for
 * generating binomial variables, Communications in Statistics - Theory and Methods 15 (1986)); the threads of a
 * warp go through the same counts, and need one division a step. Else: Hoermann, The generation of binomial random
 * variates (1993), BTRS. `n` is exact up to 2^53; then the count is held to n.
 */
struct binomial_variable {
    double n, p, chance, odds, scale, mode;
    transformed_hat hat;

    GNDI_METHOD binomial_variable(double trials, double rare)
        : n(trials), p(rare), chance(0), odds(p / (1 - p)), scale(0), mode(0), hat{} {
        const double mean = n * p;
        if (mean < searched_mean) {
            chance = m::exp(n * m::log1p(-p));
            return;
        }
        const double deviation = m::sqrt(mean * (1 - p)), b = 1.15 + 2.53 * deviation;
        mode = m::floor((n + 1) * p);
        if (deviation < searched_deviation) {
            chance = m::exp(log_binomial(mode, n, p));
            return;
        }
        scale = (2.83 + 5.1 / b) * deviation;
        hat = {-0.0873 + 0.0248 * b + 0.01 * p, b, mean + 0.5, 0.92 - 4.2 / b};
    }
    template <class Source> GNDI_METHOD double draw(Source &source) const {
        if (n * p < searched_mean) return search(source);
        if (scale == 0) return search_from_mode(source);
        for (;;) {
            const transformed_trial t = hat.next(source);
            if (t.k < 0 || t.k > n) continue;
            if (hat.taken(t)) return t.k;
            const double gain = log_binomial(t.k, n, p) - log_binomial(mode, n, p);
            if (hat.height(t, scale) > gain) continue;
            return t.k;
        }
    }
    template <class Source> GNDI_METHOD double search(Source &source) const {
        double rest = unit<double>(source), next = chance;
        int k = 0;
        while (rest >= next && k < n && k < most_counted) {
            rest -= next;
            k++;
            next *= (n - k + 1) * reciprocals[k] * odds;
        }
        return k;
    }
    /* f(k + 1) / f(k) = (n - k) odds / (k + 1). Below 0 and above n the probabilities are 0. If a remainder of the
       uniform number, less than 1e-13, is left ten deviations or more from the mode, the result is the mode. */
    template <class Source> GNDI_METHOD double search_from_mode(Source &source) const {
        double rest = unit<double>(source) - chance, above = chance, below = chance;
        if (rest < 0) return mode;
        double high = mode, low = mode, more = (n - mode) * odds, last = more;
        for (int i = 0; i < most_steps; i++) {
            high += 1, last += odds; /* last: (n - low + 1) odds; more: (n - high + 1) odds */
            const double inverse = 1 / (high * last);
            above *= more * last * inverse, more -= odds;
            rest -= above;
            if (rest < 0) return high;
            below *= low * high * inverse, low -= 1;
            rest -= below;
            if (rest < 0) return low;
        }
        return mode;
    }
};

template <class T> struct random_binomial {
    int64_t n;
    bool failures; /* are the rarer ones */
    binomial_variable variable;
    GNDI_FN bool valid(int64_t trials, double p) { return (trials >= 0) & (p >= 0) & (p <= 1); }
    GNDI_METHOD random_binomial(int64_t trials, double p)
        : n(trials), failures(p > 0.5), variable((double)trials, p > 0.5 ? 1 - p : p) {}
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const {
        const int64_t k = to_count(variable.draw(source)), rarer = k < n ? k : n;
        return failures ? n - rarer : rarer;
    }
};

/* A Poisson variable whose mean is a gamma variable. */
template <class T> struct random_negative_binomial {
    gamma_variable<double> variable;
    double ratio;
    GNDI_FN bool valid(double n, double p) {
        const double mean = (1 - p) / p * (n + 10 * m::sqrt(n));
        return (n > 0) & (p > 0) & (p <= 1) & !(mean > most_events());
    }
    GNDI_METHOD random_negative_binomial(double n, double p) : variable(n), ratio((1 - p) / p) {}
    template <class Source> GNDI_METHOD int64_t draw(Source &source) const {
        if (ratio == 0) return 0;
        return to_count(poisson_variable(variable.number(source) * ratio).draw(source));
    }
};

/* ---- mixtures -------------------------------------------------------------------------------- */

/*
 * A chi-square variable with df + 2 k degrees of freedom, k a Poisson variable with mean nonc / 2. From one
 * degree of freedom on, one squared normal variable can be shifted instead.
 */
template <class T> struct random_noncentral_chisquare {
    T df, nonc, root;
    GNDI_FN bool valid(T d, T n) { return above_zero(d) & not_negative(n); }
    GNDI_METHOD random_noncentral_chisquare(T d, T n) : df(d), nonc(n), root(m::sqrt(n)) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        if (!(nonc < limits<T>::infinity())) return nonc + df;
        T square = 0, more = 0;
        if (df > 1) {
            const T x = normal<T>(source) + root;
            square = x * x, more = -1;
        } else if (nonc > 0) {
            more = (T)(2 * poisson_variable((double)nonc / 2).draw(source));
        }
        return square + 2 * gamma_variable<T>((df + more) / 2).number(source);
    }
};

template <class T> struct random_noncentral_f {
    random_noncentral_chisquare<T> above;
    gamma_variable<T> below;
    T n, d;
    GNDI_FN bool valid(T p, T q, T nonc) { return above_zero(p) & above_zero(q) & not_negative(nonc); }
    GNDI_METHOD random_noncentral_f(T p, T q, T nonc) : above(p, nonc), below(q / 2), n(p), d(q) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const T x = above.draw(source);
        const scaled<T> y = below.draw(source);
        if (y.shift == 0 && x > 0) return x / (2 * y.value) * (d / n);
        return quotient_of(x / 2, (T)0, y, n, d, source);
    }
};

} // namespace gnd

#endif
