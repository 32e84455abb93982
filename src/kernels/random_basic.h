/*
 * random_basic.h: the samplers that others are made of: uniform, integers, normal, exponential. One word
 * a float32 result, two a float64 one; normal and exponential numbers are quantiles of it, so that
 * they rise with the word, and a quasi-random sequence stays one.
 */
#ifndef GNDI_RANDOM_BASIC_H
#define GNDI_RANDOM_BASIC_H

#include "kernels/random_engines.h"

namespace gnd {

/* ---- quantiles ------------------------------------------------------------------------------ */

/* Horner's rule, the highest coefficient first. */
template <class T, class... More> GNDI_FN T horner(T x, T sum, T next, More... more) {
    if constexpr (sizeof...(more) == 0)
        return sum * x + next;
    else
        return horner(x, sum * x + next, more...);
}

/* The logarithm of a normal number, to an absolute error of 2^-22. */
GNDI_FN float coarse_log(float x) {
#if GNDI_ON_DEVICE
    float log2;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(log2) : "f"(x));
    return log2 * 0.693147181f;
#else
    return m::log(x);
#endif
}

/*
 * The normal quantile of (word + 1/2) / 2^32 = (1 + x) / 2, by what lies beyond it, (t + 1/2) / 2^32.
 * As Giles, Approximating the erfinv function (GPU Computing Gems, 2011), single precision: x times a
 * polynomial in w = -log(1 - x^2), or in its root for w above 5, which is seldom. The first is his (times
 * sqrt(2)); the second is fitted to all w that there are here, up to 21.5. The factors of 1 - x^2 and x
 * come from the integer, so that nothing cancels in the tails or in the middle.
 */
GNDI_FN float normal_quantile(uint32_t word) {
    const uint32_t t = word ^ (uint32_t)((int32_t)word >> 31);
    const float beyond = (float)t * 0x1p-31f + 0x1p-32f; /* 1 - |x| */
    const float x = (float)(int32_t)(word ^ 0x80000000u) * 0x1p-31f + 0x1p-32f;
    const float w = -coarse_log(beyond * (1 + m::abs(x)));
    const float a = w - 2.5f;
    const float near =
        horner(a, 3.97426023e-08f, 4.8546266e-07f, -4.98282267e-06f, -6.21052811e-06f,
               0.000309120031f, -0.00177303494f, -0.00590813403f, 0.348802661f, 2.12331355f);
#if GNDI_ON_DEVICE
    if (w < 5.0f) return near * x; /* nearly always */
#endif
    const float b = m::sqrt(w) - 3.0f;
    const float far =
        horner(b, -2.9918702e-05f, -0.000157643787f, 0.0016235168f, -0.00484829114f, 0.00822835919f,
               -0.0108963325f, 0.0133302992f, 1.41659073f, 4.00643502f);
    return (w < 5.0f ? near : far) * x;
}

/* The same of 64 bits: Wichura, algorithm AS 241 (Applied Statistics 37, 1988), PPND16. */
GNDI_FN double normal_quantile(uint64_t word) {
    const uint64_t t = word >> 63 ? ~word : word, s = 0x7fffffffffffffffull - t;
    const double p = ((double)t + 0.5) * 0x1p-64; /* of the tail: below 1/2 */
    const double q = ((double)s + 0.5) * 0x1p-64; /* 1/2 - p */
    double z;
    if (q <= 0.425) {
        const double r = 0.180625 - q * q;
        z = q *
            horner(r, 2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
                   4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3,
                   1.3314166789178437745e2, 3.3871328727963666080) /
            horner(r, 5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
                   2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2,
                   4.2313330701600911252e1, 1.0);
    } else {
        double r = m::sqrt(-m::log(p));
        if (r <= 5) {
            r -= 1.6;
            z = horner(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2,
                       2.41780725177450611770e-1, 1.27045825245236838258, 3.64784832476320460504,
                       5.76949722146069140550, 4.63033784615654529590, 1.42343711074968357734) /
                horner(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4,
                       1.51986665636164571966e-2, 1.48103976427480074590e-1,
                       6.89767334985100004550e-1, 1.67638483018380384940, 2.05319162663775882187,
                       1.0);
        } else {
            r -= 5;
            z = horner(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5,
                       1.24266094738807843860e-3, 2.65321895265761230930e-2,
                       2.96560571828504891230e-1, 1.78482653991729133580, 5.46378491116411436990,
                       6.65790464350110377720) /
                horner(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7,
                       1.84631831751005468180e-5, 7.86869131145613259100e-4,
                       1.48753612908506148525e-2, 1.36929880922735805310e-1,
                       5.99832206555887937690e-1, 1.0);
        }
    }
    return (word >> 63) ? z : -z;
}

/*
 * The exponential quantile -log(1 - u) of u = (word + 1/2) / 2^32, or 2^64. Of 1 - u, which is v rounded, the
 * rest is (1 - v) - u, exactly where v is not small; it matters where u is, and there log(v + rest) is log(v)
 * + rest.
 */
GNDI_FN float exponential_quantile(uint32_t word) {
    const float u = ((float)word + 0.5f) * 0x1p-32f, v = ((float)~word + 0.5f) * 0x1p-32f;
    return -m::log(v) - ((1 - v) - u);
}
GNDI_FN double exponential_quantile(uint64_t word) {
    const double u = ((double)word + 0.5) * 0x1p-64, v = ((double)~word + 0.5) * 0x1p-64;
    return -m::log(v) - ((1 - v) - u);
}

/* ---- numbers of a source: what other samplers ask for --------------------------------------- */

/* A standard normal number: one word for float, two for double. */
template <class T, class Source> GNDI_FN T normal(Source &source) {
    if constexpr (is_same<T, float>)
        return normal_quantile(source.next());
    else
        return normal_quantile(next64(source));
}
/* A standard exponential number, at least 0. */
template <class T, class Source> GNDI_FN T exponential(Source &source) {
    if constexpr (is_same<T, float>)
        return exponential_quantile(source.next());
    else
        return exponential_quantile(next64(source));
}

/* ---- parameters ----------------------------------------------------------------------------- */

/* NaN is taken, and -0.0 is not: NumPy looks at the sign bit. */
template <class T> GNDI_FN bool not_negative(T x) {
    return m::isnan(x) | !m::signbit(x);
}

/* ---- samplers ------------------------------------------------------------------------------- */

template <class T> struct random_random {
    GNDI_FN bool valid() { return true; }
    template <class Source> GNDI_METHOD T draw(Source &source) const { return unit<T>(source); }
};

/* [low, high): where rounding gives high, it is the number before it. */
template <class T> struct random_uniform {
    T low, width, last;
    GNDI_FN bool valid(T a, T b) { return b - a >= 0 && b - a < limits<T>::infinity(); }
    GNDI_METHOD random_uniform(T a, T b) : low(a), width(b - a), last(a) {
        if (b > a) last = before(b);
    }
    GNDI_FN T before(T x) { /* the next number below */
        typedef choose_t<is_same<T, float>, uint32_t, uint64_t> bits;
        if (x == 0) return -from_bits((bits)1);
        return from_bits((bits)(to_bits(x) + (x > 0 ? (bits)-1 : (bits)1)));
    }
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        const T x = m::add(low, m::mul(width, unit<T>(source)));
        return x < last ? x : last;
    }
};

template <class T> struct random_standard_normal {
    GNDI_FN bool valid() { return true; }
    template <class Source> GNDI_METHOD T draw(Source &source) const { return normal<T>(source); }
};
template <class T> struct random_normal {
    T loc, scale;
    GNDI_FN bool valid(T, T s) { return not_negative(s); }
    GNDI_METHOD random_normal(T l, T s) : loc(l), scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        return m::add(loc, m::mul(scale, normal<T>(source)));
    }
};

template <class T> struct random_standard_exponential {
    GNDI_FN bool valid() { return true; }
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        return exponential<T>(source);
    }
};
template <class T> struct random_exponential {
    T scale;
    GNDI_FN bool valid(T s) { return not_negative(s); }
    GNDI_METHOD explicit random_exponential(T s) : scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        return scale * exponential<T>(source);
    }
};

/*
 * Whole numbers low .. low + range, all equally likely: the high half of word * (range + 1), where the low
 * half tells the few products that would favour some (Lemire, Fast random integer generation in an
 * interval, ACM TOMACS 2019); then the next word is taken. Words of 32 bits where the element owns
 * one of an attempt (the range then has 32 bits), else of 64. Numbers are taken modulo 2^64.
 */
template <class T> struct random_integers {
    uint64_t low, range;
    GNDI_METHOD random_integers(int64_t a, int64_t b, int64_t flags)
        : low((uint64_t)a),
          range((uint64_t)b - (uint64_t)a - (flags & GNDI_INTEGERS_CLOSED ? 0u : 1u)) {}

    GNDI_FN bool valid(int64_t a, int64_t b, int64_t flags) {
        const int dtype = (int)(flags & GNDI_INTEGERS_DTYPE);
        const bool closed = flags & GNDI_INTEGERS_CLOSED;
        if (dtype == dtype_of<uint64_t>) {
            if ((flags & GNDI_INTEGERS_LOW_SIGNED && a < 0) ||
                (flags & GNDI_INTEGERS_HIGH_SIGNED && b < 0))
                return false;
            return closed ? (uint64_t)a <= (uint64_t)b : (uint64_t)a < (uint64_t)b;
        }
        /* Bounds from 2^63 on: of no other dtype, but for int64's first one that is left out. */
        if (!(flags & GNDI_INTEGERS_LOW_SIGNED) && a < 0) return false;
        if (!(flags & GNDI_INTEGERS_HIGH_SIGNED) && b < 0)
            return dtype == dtype_of<int64_t> && !closed && b == INT64_MIN;
        if (closed ? a > b : a >= b) return false;
        if (dtype == dtype_of<int64_t>) return true;
        const int bits = dtype == dtype_of<bool> ? 1 : 8 << ((dtype - dtype_of<int8_t>) / 2);
        const bool is_signed = dtype != dtype_of<bool> && dtype % 2 == 0;
        const int64_t least = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
        const int64_t most = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
        return a >= least && b - (closed ? 0 : 1) <= most;
    }

    GNDI_FN uint64_t high_half(uint64_t a, uint64_t b) {
#if GNDI_ON_DEVICE
        return __umul64hi(a, b);
#else
        return (uint64_t)(((unsigned __int128)a * b) >> 64);
#endif
    }
    template <class Source> GNDI_METHOD uint64_t draw(Source &source) const {
        return low + (source.words() == 1 ? narrow(source) : wide(source));
    }
    template <class Source> GNDI_METHOD uint64_t narrow(Source &source) const {
        const uint32_t count = (uint32_t)range + 1;
        uint32_t word = source.next();
        if (count == 0) return word;
        uint32_t rest = word * count;
        if (rest < count) {
            const uint32_t few = (0u - count) % count;
            while (rest < few) word = source.next(), rest = word * count;
        }
        return high_product(word, count);
    }
    template <class Source> GNDI_METHOD uint64_t wide(Source &source) const {
        const uint64_t count = range + 1;
        uint64_t word = next64(source);
        if (count == 0) return word;
        uint64_t rest = word * count;
        if (rest < count) {
            const uint64_t few = ((uint64_t)0 - count) % count;
            while (rest < few) word = next64(source), rest = word * count;
        }
        return high_half(word, count);
    }
};

/* The chances of a weighted choice, checked: p, what all of them add up to (1, to the root of the epsilon
   of the dtype that they came in), how many of them are not 0 beyond those that are needed; and if
   `is_key`, a key for a choice without replacement: an exponential number at the rate p, the first of
   which is p's with a probability of p, and so on (Efraimidis and Spirakis, Weighted random sampling
   with a reservoir, 2006). */
template <class T> struct random_choice {
    T p;
    bool is_key;
    GNDI_FN bool valid(T chance, T total, int64_t room, int64_t how) {
        const T off = total - 1, epsilon = 1 / (T)((int64_t)1 << (how >> GNDI_CHOICE_DIGITS));
        return chance >= 0 && off * off <= epsilon && room >= 0;
    }
    GNDI_METHOD random_choice(T chance, T, int64_t, int64_t how)
        : p(chance), is_key(how & GNDI_CHOICE_KEYS) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const {
        if (!is_key) return p;
        return p > 0 ? exponential<T>(source) / p : limits<T>::infinity();
    }
};

/* The words themselves. */
template <class T> struct random_words {
    GNDI_FN bool valid() { return true; }
    template <class Source> GNDI_METHOD uint64_t draw(Source &source) const {
        return source.words() == 1 ? source.next() : next64(source);
    }
};

} // namespace gnd

#endif
