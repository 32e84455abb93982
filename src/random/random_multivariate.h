/*
 * random_multivariate.h: distributions whose elements are rows of numbers: multinomial,
 * multivariate_hypergeometric, dirichlet. `draw` writes a row. A parameter that is a row (a lower case
 * letter in random.def) is passed to the sampler by its address; the last two parameters are its step in
 * bytes and its length, which is the result's.
 */
#ifndef GNDI_RANDOM_MULTIVARIATE_H
#define GNDI_RANDOM_MULTIVARIATE_H

#include "random/random_count.h"
#include "random/random_discrete.h"

namespace gnd {

template <class X> struct row_of {
    const char *data;
    int64_t step, count;
    GNDI_METHOD row_of(int64_t address, int64_t s, int64_t n)
        : data((const char *)(uintptr_t)address), step(s), count(n) {}
    GNDI_METHOD X operator[](int64_t i) const { return *reinterpret_cast<const X *>(data + i * step); }
};

/* One outcome after the other: a binomial number of the remaining trials. The last outcome gets the rest, whatever its
   probability. */
template <class T> struct random_multinomial {
    int64_t n;
    row_of<double> p;
    GNDI_FN bool valid(int64_t trials, int64_t address, int64_t step, int64_t count) {
        const row_of<double> p(address, step, count);
        double sum = 0;
        bool good = trials >= 0;
        for (int64_t j = 0; j < count; j++) {
            good = good & (p[j] >= 0) & (p[j] <= 1);
            if (j < count - 1) sum += p[j];
        }
        return good & !(sum > 1 + 1e-12);
    }
    GNDI_METHOD random_multinomial(int64_t trials, int64_t address, int64_t step, int64_t count)
        : n(trials), p(address, step, count) {}

    template <class Source> GNDI_METHOD void draw(Source &source, int64_t *out) const {
        int64_t left = n;
        double rest = 1;
        for (int64_t j = 0; j < p.count - 1; j++) {
            const double chance = p[j], share = chance < rest ? chance / rest : 1;
            int64_t k = 0;
            if (left > 0 && chance > 0) k = random_binomial<double>(left, share).draw(source);
            out[j] = k;
            left -= k, rest -= chance;
        }
        if (p.count > 0) out[p.count - 1] = left;
    }
};

/* One kind after the other: a hypergeometric number of the remaining draws. */
template <class T> struct random_multivariate_hypergeometric {
    int64_t n;
    row_of<int64_t> colors;
    GNDI_FN bool valid(int64_t drawn, int64_t address, int64_t step, int64_t count) {
        const row_of<int64_t> colors(address, step, count);
        int64_t sum = 0;
        bool good = drawn >= 0;
        for (int64_t j = 0; j < count && good; j++) {
            const int64_t next = colors[j];
            good = (next >= 0) & (next < 1000000000);
            sum += good ? next : 0;
            good = good & (sum < 1000000000);
        }
        return good & (drawn <= sum);
    }
    GNDI_METHOD random_multivariate_hypergeometric(int64_t drawn, int64_t address, int64_t step, int64_t count)
        : n(drawn), colors(address, step, count) {}

    template <class Source> GNDI_METHOD void draw(Source &source, int64_t *out) const {
        int64_t left = n, others = 0;
        for (int64_t j = 0; j < colors.count; j++) others += colors[j];
        for (int64_t j = 0; j < colors.count - 1; j++) {
            const int64_t here = colors[j];
            others -= here;
            out[j] = left > 0 ? urn_variable(here, others, left).draw(source) : 0;
            left -= out[j];
        }
        if (colors.count > 0) out[colors.count - 1] = left;
    }
};

/* Gamma numbers divided by their sum. They are kept as logarithms until the largest one is known. If all underflow, one
   of them is the whole sum, or none if all alphas are 0. */
template <class T> struct random_dirichlet {
    row_of<T> alpha;
    GNDI_FN bool valid(int64_t address, int64_t step, int64_t count) {
        const row_of<T> alpha(address, step, count);
        bool good = true;
        for (int64_t j = 0; j < count; j++) good = good & !(alpha[j] < 0);
        return good;
    }
    GNDI_METHOD random_dirichlet(int64_t address, int64_t step, int64_t count) : alpha(address, step, count) {}

    template <class Source> GNDI_METHOD void draw(Source &source, T *out) const {
        T most = -limits<T>::infinity();
        for (int64_t j = 0; j < alpha.count; j++) {
            const scaled<T> x = gamma_variable<T>(alpha[j]).draw(source);
            out[j] = m::log(x.value) - x.shift;
            if (!m::isnan(most) && !(out[j] <= most)) most = out[j]; /* a NaN stays */
        }
        if (most == -limits<T>::infinity()) {
            draw_one(source, out);
            return;
        }
        double sum = 0;
        for (int64_t j = 0; j < alpha.count; j++) {
            out[j] = m::exp(out[j] - most);
            sum += (double)out[j];
        }
        for (int64_t j = 0; j < alpha.count; j++) out[j] = (T)((double)out[j] / sum);
    }
    /* 1 at an index that is drawn with the weights alpha, else 0. */
    template <class Source> GNDI_METHOD void draw_one(Source &source, T *out) const {
        double sum = 0, below = 0;
        for (int64_t j = 0; j < alpha.count; j++) sum += (double)alpha[j];
        const double position = unit<double>(source) * sum;
        int64_t chosen = -1; /* the last one with a weight, if rounding leaves none */
        for (int64_t j = 0; j < alpha.count && (chosen < 0 || below <= position); j++) {
            if (alpha[j] > 0) chosen = j;
            below += (double)alpha[j];
        }
        for (int64_t j = 0; j < alpha.count; j++) out[j] = (T)(j == chosen);
    }
};

} // namespace gnd

#endif
