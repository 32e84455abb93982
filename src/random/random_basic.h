/*
 * random_basic.h: the samplers that others are built on: uniform, integers, normal, exponential. A float32
 * result takes one word, a float64 one two; normal and exponential numbers are quantiles of it, so that they
 * are monotonic in the word, and a quasi-random sequence stays one.
 */
#ifndef GNDI_RANDOM_BASIC_H
#define GNDI_RANDOM_BASIC_H

#include "random/random_engines.h"

namespace gnd {

/* ---- quantiles ------------------------------------------------------------------------------ */

/* Horner's rule, the highest coefficient first. */
template <class T, class... More> GNDI_FN T horner(T x, T sum, T next, More... more) {
    if constexpr (sizeof...(more) == 0)
        return sum * x + next;
    else
        return horner(x, sum * x + next, more...);
}

/* The binary logarithm of a number that is not subnormal, to an absolute error of 2^-22. */
GNDI_FN float coarse_log2(float x) {
#if GNDI_ON_DEVICE
    float log2;
    asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(log2) : "f"(x));
    return log2;
#else
    return m::log(x) * 1.44269504f;
#endif
}
/* A square root, exact to the last bit or two. */
GNDI_FN float coarse_sqrt(float x) {
#if GNDI_ON_DEVICE
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
    return root;
#else
    return m::sqrt(x);
#endif
}

/*
 * The normal quantile of (word + 1/2) / 2^32 = (1 + x) / 2. As in Giles, Approximating the erfinv function
 * (GPU Computing Gems, 2011): x times a polynomial in log(1 - x^2), and in its root in the tails, which
 * are rare. The polynomials are fitted to the least relative error, 4.2e-8 and 7.1e-8; over all words the
 * result is within 3.3e-7 of the quantile. The factors of 1 - x^2 and x are computed from the integer, so
 * that nothing cancels in the tails or in the middle.
 */
template <class T> struct normal_sample;
template <> struct normal_sample<float> {
    float x;
    float log2; /* log2(1 - x^2) + 4.25: 0 in the middle of the first polynomial's range */

    GNDI_METHOD explicit normal_sample(uint32_t word) {
        const float scale = 19.0273138f; /* 2^4.25 */
        const uint32_t t = word ^ (uint32_t)((int32_t)word >> 31);
        const float beyond = (float)t * (0x1p-31f * scale) + 0x1p-32f * scale; /* 1 - |x| */
        x = (float)(int32_t)(word ^ 0x80000000u) * 0x1p-31f + 0x1p-32f;
        log2 = coarse_log2(beyond * (1 + m::abs(x)));
    }
    GNDI_METHOD normal_sample(uint32_t, float x_, float log2_) : x(x_), log2(log2_) {}
    GNDI_METHOD bool in_tail() const { return log2 < -4.25f; } /* 0.14 % */
    GNDI_METHOD float middle() const {
        return x * horner(log2, 3.22001315e-10f, -1.61174962e-10f, -5.02897421e-08f, -3.21244642e-07f, 2.74886406e-06f,
                          6.48967907e-05f, 0.000413839414f, -0.00380451675f, -0.237461671f, 2.27751637f);
    }
    GNDI_METHOD float tail() const {
        const float r = coarse_sqrt(4.25f - log2) - 4.2412114f;
        return x * horner(r, 7.64625111e-06f, -7.5382115e-05f, 0.000214724438f, -0.00035415063f, 0.000649013673f,
                          -0.00157135865f, 0.00303704501f, 1.18631792f, 4.76131392f);
    }
};
GNDI_FN float normal_quantile(uint32_t word) {
    const normal_sample<float> sample(word);
    const float middle = sample.middle(), tail = sample.tail();
    return sample.in_tail() ? tail : middle;
}

/* The x > 0 that a normal number exceeds with probability p, which is less than 0.075. By Wichura, algorithm AS
   241 (Applied Statistics 37, 1988), PPND16. */
GNDI_FN double normal_tail(double p) {
    double r = m::sqrt(-m::log(p));
    if (r <= 5) {
        r -= 1.6;
        return horner(r, 7.74545014278341407640e-4, 2.27238449892691845833e-2, 2.41780725177450611770e-1,
                      1.27045825245236838258, 3.64784832476320460504, 5.76949722146069140550, 4.63033784615654529590,
                      1.42343711074968357734) /
               horner(r, 1.05075007164441684324e-9, 5.47593808499534494600e-4, 1.51986665636164571966e-2,
                      1.48103976427480074590e-1, 6.89767334985100004550e-1, 1.67638483018380384940,
                      2.05319162663775882187, 1.0);
    } else {
        r -= 5;
        return horner(r, 2.01033439929228813265e-7, 2.71155556874348757815e-5, 1.24266094738807843860e-3,
                      2.65321895265761230930e-2, 2.96560571828504891230e-1, 1.78482653991729133580,
                      5.46378491116411436990, 6.65790464350110377720) /
               horner(r, 2.04426310338993978564e-15, 1.42151175831644588870e-7, 1.84631831751005468180e-5,
                      7.86869131145613259100e-4, 1.48753612908506148525e-2, 1.36929880922735805310e-1,
                      5.99832206555887937690e-1, 1.0);
    }
}

/* The normal quantile of (word + 1/2) / 2^64, by the same algorithm. */
GNDI_FN double wichura_quantile(uint64_t word) {
    const uint64_t t = word >> 63 ? ~word : word, s = 0x7fffffffffffffffull - t;
    const double p = ((double)t + 0.5) * 0x1p-64; /* of the tail: below 1/2 */
    const double q = ((double)s + 0.5) * 0x1p-64; /* 1/2 - p */
    double z;
    if (q <= 0.425) {
        const double r = 0.180625 - q * q;
        z = q *
            horner(r, 2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4,
                   4.5921953931549871457e4, 1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2,
                   3.3871328727963666080) /
            horner(r, 5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4,
                   2.1213794301586595867e4, 5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1,
                   1.0);
    } else {
        z = normal_tail(p);
    }
    return (word >> 63) ? z : -z;
}

#if GNDI_ON_DEVICE
/*
 * The same on a GPU, which divides slowly and would take both branches in every warp: in the middle the method of
 * 32 bits, to 1.1e-16 without rounding, and Wichura's function in the tails. The coefficients are in constant
 * memory, since immediate operands would take two instructions each.
 */
static __constant__ double log2_ratio[7] = {
    0.24292644829395565, 0.26144333469649317, 0.3206164184022134, 0.4121984015866341,
    0.5770780172495101,  0.9617966939243265,  2.885390081777927,
};
/* log2 of a number that is not subnormal, to an absolute error of 2^-51: 2 atanh((m - 1) / (m + 1)) of its fraction
   m. */
GNDI_FN double near_log2(double y) {
    const int high = __double2hiint(y), e = (high - 0x3fe6a09e) >> 20;
    const double m = __hiloint2double(high - (e << 20), __double2loint(y)), d = m + 1;
    double r;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(d));
    const double off = m::fma(-d, r, 1.0);
    r = m::fma(r, m::fma(off, off, off), r);
    const double s = (m - 1) * r;
    double sum = log2_ratio[0];
#    pragma unroll
    for (int i = 1; i < 7; i++) sum = sum * (s * s) + log2_ratio[i];
    return m::fma(s, sum, (double)e);
}

static __constant__ double normal_middle[23] = {
    -6.712007306474895e-24,  1.0250434185408495e-22,  2.2734035339767426e-21,  -7.646276675889289e-21,
    -3.3577375859722337e-19, -1.3827353890951144e-18, 2.4116527139311268e-17,  3.402895667148563e-16,
    4.29571245910109e-16,    -3.231011210407284e-14,  -3.343673339589677e-13,  4.909351417515651e-13,
    4.076820265123115e-11,   3.172009158433113e-10,   -1.5733138761201914e-09, -4.9970709478770366e-08,
    -3.0119636219794044e-07, 2.742687757265615e-06,   6.477532841159545e-05,   0.00041387676697973144,
    -0.003804255182724457,   -0.2374617305891463,     2.277516286546219,
};
template <> struct normal_sample<double> {
    double x, log2;
    uint64_t word;

    GNDI_METHOD normal_sample(uint64_t w, double x_, double log2_) : x(x_), log2(log2_), word(w) {}
    GNDI_METHOD explicit normal_sample(uint64_t w) : word(w) {
        const uint64_t t = w ^ (uint64_t)((int64_t)w >> 63);
        const double scale = 19.027313840043536;
        const double beyond = (double)t * (0x1p-63 * scale) + 0x1p-64 * scale;
        x = (double)(int64_t)(w ^ 0x8000000000000000ull) * 0x1p-63 + 0x1p-64;
        log2 = near_log2(beyond * (1 + m::abs(x)));
    }
    GNDI_METHOD bool in_tail() const { return log2 < -4.25; }
    GNDI_METHOD double middle() const {
        double sum = normal_middle[0];
#    pragma unroll
        for (int i = 1; i < 23; i++) sum = sum * log2 + normal_middle[i];
        return x * sum;
    }
    GNDI_METHOD double tail() const {
        const uint64_t t = word ^ (uint64_t)((int64_t)word >> 63);
        const double z = normal_tail(((double)t + 0.5) * 0x1p-64);
        return word >> 63 ? z : -z;
    }
};
#endif

GNDI_FN double normal_quantile(uint64_t word) {
#if GNDI_ON_DEVICE
    const normal_sample<double> sample(word);
    return sample.in_tail() ? sample.tail() : sample.middle();
#else
    return wichura_quantile(word);
#endif
}

/*
 * The exponential quantile -log(1 - u) of u = (word + 1/2) / 2^32, or 2^64. Let v be 1 - u, rounded. The rounding
 * error (1 - v) - u is computed exactly unless v is small; it matters where u is small, and there log(v + error) is
 * log(v) + error. A GPU's logarithm is not accurate near 1: there 1 - u is 2^-n (1 - g), with g in [0, 1/2] from
 * the integer, and -log(1 - g) is a polynomial (2.3e-8).
 */
GNDI_FN float exponential_quantile(uint32_t word) {
#if GNDI_ON_DEVICE
    const int n = __clz((int)~word);
    const uint32_t rest = __funnelshift_lc(0x80000000u, word, (uint32_t)n);
    const float g = (float)rest * 0x1p-32f + 0x1p-33f;
    const float more = horner(g, 1.44110787f, -1.69581199f, 1.25766993f, -0.203539014f, 0.269612759f, 0.242805079f,
                              0.333700627f, 0.499992847f);
    return (float)n * 0.693147181f + (g * g * more + g);
#else
    const float u = ((float)word + 0.5f) * 0x1p-32f, v = ((float)~word + 0.5f) * 0x1p-32f;
    return -m::log(v) - ((1 - v) - u);
#endif
}
GNDI_FN double exponential_quantile(uint64_t word) {
    const double u = ((double)word + 0.5) * 0x1p-64, v = ((double)~word + 0.5) * 0x1p-64;
    return -m::log(v) - ((1 - v) - u);
}

/* ---- numbers from a source, for other samplers ---------------------------------------------- */

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

/* NaN is accepted, and -0.0 is not: NumPy tests the sign bit. */
template <class T> GNDI_FN bool not_negative(T x) {
    return m::isnan(x) | !m::signbit(x);
}

/* ---- samplers ------------------------------------------------------------------------------- */

template <class T> struct random_random {
    GNDI_FN bool valid() { return true; }
    template <class Source> GNDI_METHOD T draw(Source &source) const { return unit<T>(source); }
};

/* [low, high): where rounding gives high, the number below it is taken. */
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
    GNDI_METHOD T of_normal(T z) const { return z; }
};
template <class T> struct random_normal {
    T loc, scale;
    GNDI_FN bool valid(T, T s) { return not_negative(s); }
    GNDI_METHOD random_normal(T l, T s) : loc(l), scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const { return of_normal(normal<T>(source)); }
    GNDI_METHOD T of_normal(T z) const { return m::add(loc, m::mul(scale, z)); }
};

template <class T> struct random_standard_exponential {
    GNDI_FN bool valid() { return true; }
    template <class Source> GNDI_METHOD T draw(Source &source) const { return exponential<T>(source); }
};
template <class T> struct random_exponential {
    T scale;
    GNDI_FN bool valid(T s) { return not_negative(s); }
    GNDI_METHOD explicit random_exponential(T s) : scale(s) {}
    template <class Source> GNDI_METHOD T draw(Source &source) const { return scale * exponential<T>(source); }
};

/*
 * Integers low .. low + range, all equally likely: the high half of word * (range + 1). The low half shows the
 * few products that would cause a bias (Lemire, Fast random integer generation in an interval, ACM TOMACS
 * 2019), for which the next word is tried. Words have 32 bits where the element owns one in an attempt (the
 * range then has 32 bits), else 64. Arithmetic is modulo 2^64.
 */
template <class T> struct random_integers {
    uint64_t low, range;
    GNDI_METHOD random_integers(int64_t a, int64_t b, int64_t flags)
        : low((uint64_t)a), range((uint64_t)b - (uint64_t)a - (flags & GNDI_INTEGERS_CLOSED ? 0u : 1u)) {}

    GNDI_FN bool valid(int64_t a, int64_t b, int64_t flags) {
        const int dtype = (int)(flags & GNDI_INTEGERS_DTYPE);
        const bool closed = flags & GNDI_INTEGERS_CLOSED;
        if (dtype == dtype_of<uint64_t>) {
            if ((flags & GNDI_INTEGERS_LOW_SIGNED && a < 0) || (flags & GNDI_INTEGERS_HIGH_SIGNED && b < 0))
                return false;
            return closed ? (uint64_t)a <= (uint64_t)b : (uint64_t)a < (uint64_t)b;
        }
        /* Bounds from 2^63 on belong to uint64, except int64's exclusive upper bound 2^63. */
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
    /* Words of 32 bits: the number of low halves that are rejected, and the integer from a word. */
    GNDI_METHOD uint32_t favours() const {
        const uint32_t count = (uint32_t)range + 1;
        return count ? (0u - count) % count : 0;
    }
    GNDI_METHOD uint64_t of_word(uint32_t word, uint32_t *rest) const {
        const uint32_t count = (uint32_t)range + 1;
        uint32_t high;
        wide_product(word, count, rest, &high);
        return low + (count ? high : word);
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

/* Checks the probabilities of a weighted choice. Parameters: p; the sum of all (must be 1, to the root of the epsilon
   of their dtype); how many more of them are nonzero than are needed. If `is_key`, the result is a key for a choice
   without replacement: an exponential number of rate p. The smallest key is p's with probability p, and so on
   (Efraimidis and Spirakis, Weighted random sampling with a reservoir, 2006). */
template <class T> struct random_choice {
    T p;
    bool is_key;
    GNDI_FN bool valid(T chance, T total, int64_t left, int64_t how) {
        const T off = total - 1, epsilon = 1 / (T)((int64_t)1 << (how >> GNDI_CHOICE_DIGITS));
        return chance >= 0 && off * off <= epsilon && left >= 0;
    }
    GNDI_METHOD random_choice(T chance, T, int64_t, int64_t how) : p(chance), is_key(how & GNDI_CHOICE_KEYS) {}
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
