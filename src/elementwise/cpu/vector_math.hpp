/*
 * vector_math.hpp: functions of float64 on whole vectors, for CPUs with AVX2 and FMA, or AVX-512. libm has them one by
 * one; the vector forms of glibc's libmvec err by 2 to 3 units in the last place. These err by less than 1
 * (tests/oracle/reduce/test_accuracy.py), most by 0.6.
 *
 * Sources: arguments are reduced in two or three parts (W. J. Cody, W. Waite, Software Manual for the Elementary
 * Functions, 1980); exponentials and logarithms by tables of 16 (P. T. P. Tang, ACM TOMS 15, 1989, and 16, 1990); arcs
 * by the intervals of fdlibm (Sun Microsystems, 1993); what rounding loses is kept by the exact sums and products of
 * T. J. Dekker (1971), as in J.-M. Muller et al., Handbook of Floating-Point Arithmetic, 2018. Polynomials interpolate
 * at Chebyshev's nodes. Arguments that a function has no vector code for (`odd`) go to libm, element by element.
 */
#ifndef GNDI_VECTOR_MATH_HPP
#define GNDI_VECTOR_MATH_HPP

#include "elementwise/cpu/vector_doubles.hpp"

namespace {
namespace v {

/* ---- exponentials --------------------------------------------------------------------------- */

/* log 2 in two parts: k sixteenths of the first one are exact for |k| < 2^15. */
static constexpr double step_hi = 0x1.62e42fefa0000p-1, step_lo = 0x1.cf79abc9e3b3ap-40;
static constexpr double ln2 = 0x1.62e42fefa39efp-1, inv_ln2 = 0x1.71547652b82fep+0;
/* (e^r - 1 - r) / r^2, |r| <= log(2) / 32 */
static const double exp_q[] = {0.5000000000000001,  0.16666666666666669,   0.041666666663595475,
                               0.00833333333299209, 0.0013889063440655327, 0.0001984146378747018};
/* 2^(i / 16) in two parts */
static const double root_hi[] = {
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
static const double root_lo[] = {0x0.0p+0,
                                 0x1.8a62e4adc610bp-54,
                                 -0x1.19041b9d78a76p-55,
                                 0x1.9b07eb6c70573p-54,
                                 0x1.6f46ad23182e4p-55,
                                 0x1.ada0911f09ebcp-55,
                                 0x1.d4397afec42e2p-56,
                                 0x1.6324c054647adp-54,
                                 -0x1.bdd3413b26456p-54,
                                 -0x1.41577ee04992fp-55,
                                 0x1.6e9f156864b27p-54,
                                 0x1.c7c46b071f2bep-56,
                                 0x1.7a1cd345dcc81p-54,
                                 0x1.11065895048ddp-55,
                                 0x1.2ed02d75b3707p-55,
                                 -0x1.e9c23179c2893p-54};

/* The second part over the first */
static const double root_rest[] = {0x0.0p+0,
                                   0x1.79aa65d837b6dp-54,
                                   -0x1.01b15eaa59348p-55,
                                   0x1.68efde3a8a894p-54,
                                   0x1.34d754db0abb6p-55,
                                   0x1.59f48a72a4c6dp-55,
                                   0x1.690cebb7aafb0p-56,
                                   0x1.063e1e21c5409p-54,
                                   -0x1.3b3efbf5e2229p-54,
                                   -0x1.b32dcb94da51dp-56,
                                   0x1.db72fc1f0eab5p-55,
                                   0x1.1affc2b91ce27p-56,
                                   0x1.c1a7792cb3386p-55,
                                   0x1.36eae30af0cb3p-56,
                                   0x1.4a385a63d07a8p-56,
                                   -0x1.ff7128fd391f0p-55};

/* x, or the nearest bound; NaN stays NaN. */
INLINE vec clamped(vec x, double low, double high) {
    x = choose(less(x, all(low)), all(low), x);
    return choose(less(all(high), x), all(high), x);
}
/* x, or the upper bound; 0 where a power of x is too small for any number: `none` says so. Instructions whose results
   fall below the normal numbers take a hundred times as long on many CPUs. */
INLINE vec bounded(vec x, double low, double high, mask &none) {
    none = less(x, all(low));
    return choose(less(all(high), x), all(high), choose(none, all(0), x));
}
/* The multiple of 1/16 next to x times a factor: its last bits also stand at the end of `bits`. */
INLINE vec sixteenths(vec x, double factor, vec &bits) {
    bits = fma(x, all(factor), all(0x1.8p48));
    return bits - all(0x1.8p48);
}
/* e^r 2^k, k a multiple of 1/16, and also in the last bits of `bits`. */
INLINE vec grown(vec r, vec k, vec bits) {
    const vec root = look_up_last(root_hi, bits), rest = fma(r * r, polynomial(exp_q, r), r);
    return scale_down(root + fma(root, rest, look_up_last(root_lo, bits)), k);
}
/* e^(x.hi + x.lo), near being x.hi + x.lo to 0.005. */
INLINE vec exp_of(two x, vec near) {
    vec bits;
    const vec k = sixteenths(near, inv_ln2, bits), r = fnma(k, all(step_lo), fnma(k, all(step_hi), x.hi));
    return grown(r + x.lo, k, bits);
}
struct exp {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        vec bits;
        mask none;
        x = bounded(x, -745.14, 710, none);
        const vec k = sixteenths(x, inv_ln2, bits), r = fnma(k, all(step_lo), fnma(k, all(step_hi), x));
        return choose(none, all(0), grown(r, k, bits));
    }
};
struct exp2 {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        vec bits;
        mask none;
        x = bounded(x, -1075.5, 1025, none);
        const vec k = sixteenths(x, 1, bits);
        return choose(none, all(0), grown((x - k) * all(ln2), k, bits));
    }
};
/* (e^x - 1) / 4 in two parts, |x| <= 710: that of a power of 2^(1/16), and that power times e^r - 1. */
INLINE two expm1_parts(vec x) {
    vec bits;
    const vec k = sixteenths(x, inv_ln2, bits), near = fnma(k, all(step_hi), x);
    const vec r = fnma(k, all(step_lo), near), lost = fnma(k, all(step_lo), near - r);
    const vec exponent = k - all(2), power = scale_down(look_up_last(root_hi, bits), exponent);
    const two first = exact_sum(power, all(-0.25)), second = exact_product(power, r);
    const two sum = fast_sum(first.hi, second.hi);
    const vec rest = fma(r * r, polynomial(exp_q, r), lost);
    const vec power_lo = scale_down(look_up_last(root_lo, bits), exponent);
    const vec low = fma(power, rest, fma(power_lo, r, power_lo)) + second.lo;
    return fast_sum(sum.hi, sum.lo + (first.lo + low));
}
struct expm1 {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const two e = expm1_parts(clamped(x, -50, 710));
        return choose(less(abs(x), all(0x1p-60)), x, (e.hi + e.lo) * all(4));
    }
};

/* ---- hyperbolic functions ------------------------------------------------------------------- */

static const double sinh_q[] = {0.16666666666666666,    0.008333333333333333,   0.0001984126984126328,
                                2.7557319247274564e-06, 2.5052071034565116e-08, 1.608665004457821e-10};
static const double cosh_q[] = {0.5,
                                0.041666666666666664,
                                0.0013888888888888892,
                                2.4801587301575816e-05,
                                2.755731925127772e-07,
                                2.087672370028191e-09,
                                1.1490875247751185e-11};

static constexpr double ln2_hi = 0x1.62e42fefa3800p-1, ln2_lo = 0x1.ef35793c76730p-45;
/* x = k ln 2 + r, for |k| < 2^11. */
INLINE two reduce_by_ln2(vec x, vec &k) {
    k = rint(x * all(inv_ln2));
    const vec near = fnma(k, all(ln2_hi), x), r = fnma(k, all(ln2_lo), near);
    return {r, fnma(k, all(ln2_lo), near - r)};
}
/* From sinh and cosh of r and of k ln 2: (2^k + 2^-k) / 2 and (2^k - 2^-k) / 2, all over 2^k. */
struct sinh {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        vec k;
        const two r = reduce_by_ln2(at_most(abs(x), 711), k);
        const vec z = r.hi * r.hi, tiny = power_of_two(fnma(all(2), k, all(-1)));
        const vec plus = all(0.5) + tiny, minus = all(0.5) - tiny, minus_lo = (all(0.5) - minus) - tiny;
        const vec sinh_lo = fma(z * r.hi, polynomial(sinh_q, z), r.lo), cosh_lo = z * polynomial(cosh_q, z);
        const vec sum = fma(plus, r.hi, minus), sum_lo = fma(plus, r.hi, minus - sum);
        const vec low = fma(minus, cosh_lo, fma(plus, sinh_lo, sum_lo + minus_lo));
        return with_sign(scale(sum + low, k), x);
    }
};
struct cosh {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = at_most(abs(x), 711);
        vec bits;
        const vec k = sixteenths(a, inv_ln2, bits), r = fnma(k, all(step_lo), fnma(k, all(step_hi), a));
        const vec half = grown(r, k - all(1), bits);
        return half + all(0.25) / half;
    }
};
/* n / (n + 2), n = e^(2|x|) - 1 = (t - 1) + t p, where t is a power of 2^(1/16) and p is e^r - 1, r the rest. */
struct tanh {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = at_most(abs(x), 22);
        vec bits;
        const vec k = sixteenths(a, 2 * inv_ln2, bits), near = fnma(k, all(step_hi), a + a);
        const vec r = fnma(k, all(step_lo), near), lost = fnma(k, all(step_lo), near - r);
        const vec t = scale_down(look_up_last(root_hi, bits), k), first = t - all(1);
        const two p = fast_sum(r, fma(r * r, polynomial(exp_q, r), lost + look_up_last(root_rest, bits)));
        const vec sum = fma(t, p.hi, first);
        const two n = {sum, fma(t, p.lo, fma(t, p.hi, first - sum))};
        two under = fast_sum(all(2), n.hi);
        under.lo += n.lo;
        const two q = quotient(n, under);
        return with_sign(q.hi + q.lo, x);
    }
};

/* ---- logarithms ----------------------------------------------------------------------------- */

/* (log(1 + r) - r + r^2 / 2) / r^3 */
static const double log_q[] = {0.33333333333333265, -0.24999999999999936, 0.2000000000226669, -0.16666666668744512,
                               0.14285702937529057, -0.12499989597291312, 0.111292878620357,  -0.10016662273237642};
static const double exact_log_q[] = {0.3333333333333333,   -0.24999999999999734, 0.19999999999999754,
                                     -0.16666666670311278, 0.1428571428907861,   -0.12499986566788619,
                                     0.11111098710996127,  -0.10018333562092083, 0.09107832615242688};
/* -log(1 + i / 16) in two parts */
struct natural {
    static constexpr double unit_hi = ln2_hi, unit_lo = ln2_lo; /* log 2 */
    static constexpr double one_hi = 1, one_lo = 0;             /* log e */
    static constexpr double hi[16] = {0x0.0p+0,
                                      -0x1.f0a30c0118000p-5,
                                      -0x1.e27076e2b0000p-4,
                                      -0x1.5ff3070a7a000p-3,
                                      -0x1.c8ff7c79aa000p-3,
                                      -0x1.1675cababa000p-2,
                                      -0x1.4618bc21c6000p-2,
                                      -0x1.739d7f6bbd000p-2,
                                      -0x1.9f323ecbfa000p-2,
                                      -0x1.c8ff7c79aa000p-2,
                                      -0x1.f128f5faf0000p-2,
                                      -0x1.0be72e4252800p-1,
                                      -0x1.1e85f5e704000p-1,
                                      -0x1.307d7334f1000p-1,
                                      -0x1.41d8fe8467000p-1,
                                      -0x1.52a2d265bc800p-1};
    static constexpr double lo[16] = {0x0.0p+0,
                                      0x1.d599e83368e91p-45,
                                      0x1.a342c2af0003cp-45,
                                      0x1.8586f183bebf2p-44,
                                      0x1.7794f689f8434p-45,
                                      -0x1.8380e731f55c4p-44,
                                      0x1.3d82f484c84ccp-46,
                                      -0x1.a7389314feb50p-52,
                                      0x1.ed03525ca2643p-44,
                                      0x1.7794f689f8434p-44,
                                      -0x1.bb2cd720ec44cp-44,
                                      -0x1.415b4c4bdd99fp-44,
                                      -0x1.a07bd8b34be7cp-46,
                                      -0x1.7c3f6b2143eadp-46,
                                      -0x1.5732325e617a3p-44,
                                      0x1.2a88c41ba8752p-44};
};
struct binary {
    static constexpr double unit_hi = 1, unit_lo = 0;
    static constexpr double one_hi = 0x1.71547652b82fep+0, one_lo = 0x1.777d0ffda0d24p-56;
    static constexpr double hi[16] = {0x0.0p+0,
                                      -0x1.663f6fac90000p-4,
                                      -0x1.5c01a39fbe000p-3,
                                      -0x1.fbc16b9026000p-3,
                                      -0x1.49a784bcd2000p-2,
                                      -0x1.91bba891f1000p-2,
                                      -0x1.d6753e032f000p-2,
                                      -0x1.0c10500d63800p-1,
                                      -0x1.2b803473f7800p-1,
                                      -0x1.49a784bcd1800p-1,
                                      -0x1.66a008e478800p-1,
                                      -0x1.82809d5be7000p-1,
                                      -0x1.9d5d9fd501000p-1,
                                      -0x1.b74948f553000p-1,
                                      -0x1.d053f6d260800p-1,
                                      -0x1.e88c6b3626800p-1};
    static constexpr double lo[16] = {0x0.0p+0,
                                      -0x1.3167ccc538261p-44,
                                      0x1.2f0c0bfe9dbecp-44,
                                      -0x1.0144751b3314fp-44,
                                      0x1.1d406db502403p-44,
                                      -0x1.c22d2cad415aep-44,
                                      0x1.7c407050799bfp-44,
                                      -0x1.532c412ba94dbp-44,
                                      -0x1.6879fa00b120ap-44,
                                      -0x1.c57f2495fb7fap-44,
                                      -0x1.979a5db68721dp-46,
                                      -0x1.cb6f70109b0f1p-47,
                                      -0x1.66cccab240e90p-46,
                                      -0x1.6d25a5b8a19b2p-44,
                                      -0x1.2ce6312ebb81dp-46,
                                      -0x1.395510d1e3f81p-44};
};
struct decimal {
    static constexpr double unit_hi = 0x1.34413509f8000p-2, unit_lo = -0x1.80433b83b532ap-44;
    static constexpr double one_hi = 0x1.bcb7b1526e50ep-2, one_lo = 0x1.95355baaafad3p-57;
    static constexpr double hi[16] = {0x0.0p+0,
                                      -0x1.af5f92b010000p-6,
                                      -0x1.a30a9d60a0000p-5,
                                      -0x1.31b3055c48000p-4,
                                      -0x1.8cf1838864000p-4,
                                      -0x1.e3bc1ab0e0000p-4,
                                      -0x1.1b3e71ec94000p-3,
                                      -0x1.42c7e7fe40000p-3,
                                      -0x1.68a288b60c000p-3,
                                      -0x1.8cf1838864000p-3,
                                      -0x1.afd3e3a23c000p-3,
                                      -0x1.d165300e34000p-3,
                                      -0x1.f1bdeeb654000p-3,
                                      -0x1.087a0832fa000p-2,
                                      -0x1.178da53d1f000p-2,
                                      -0x1.2622b0ee3b000p-2};
    static constexpr double lo[16] = {0x0.0p+0,
                                      0x1.9f05921f59258p-46,
                                      0x1.0163d7e67d282p-45,
                                      0x1.dcffc97be8c9cp-45,
                                      -0x1.019365163f2fcp-45,
                                      -0x1.9fe3d562a53f0p-44,
                                      -0x1.ef57776664942p-44,
                                      0x1.ff1d22abd8abep-46,
                                      0x1.007a93bb79e35p-44,
                                      -0x1.019365163f2fcp-44,
                                      0x1.2ffe15737a891p-44,
                                      0x1.812c7faeb8777p-44,
                                      -0x1.201b2d9a69efcp-44,
                                      -0x1.eb13e6ade14fap-44,
                                      0x1.fec384c1692dep-46,
                                      -0x1.e73b8afd3f23ap-44};
};

/* x > 0, normal, is 2^k (1 + r) / c, with c = 1 / m rounded to 5 bits and r exact. */
struct reduced {
    vec k, c, r;
};
INLINE reduced reduce_by_table(vec x) {
    vec exponent, below;
    const vec m = mantissa(x, exponent), c = to_32nds(about_inverse(m));
    below = exponent_of(c);
    return {exponent - below, c, fma(m, c, all(-1))};
}
/* The logarithm of x + rest: k log 2 - log c + log(1 + r). */
template <class Base, bool Rest> INLINE vec log_of(vec x, vec rest) {
    const reduced a = reduce_by_table(x);
    const vec r = Rest ? a.r + scale(rest * a.c, -(a.k + exponent_of(a.c))) : a.r;
    const vec tail = r * r * fma(r, polynomial(log_q, r), all(-0.5));
    const vec base = fma(a.k, all(Base::unit_hi), look_up(Base::hi, a.c));
    const vec low = fma(a.k, all(Base::unit_lo), look_up(Base::lo, a.c));
    if (Base::one_hi == 1) {
        const two sum = fast_sum(base, r);
        return sum.hi + (sum.lo + (low + tail));
    }
    const two p = exact_product(r, all(Base::one_hi)), sum = fast_sum(base, p.hi);
    return sum.hi + (sum.lo + fma(tail, all(Base::one_hi), low + fma(r, all(Base::one_lo), p.lo)));
}
/* The natural one to some 65 bits, the second part up to r^3 / 3. `early` is it to some 18 bits, known long before the
   second part. */
INLINE two exact_log(vec x, vec &early) {
    const reduced a = reduce_by_table(x);
    const vec half = a.r * all(-0.5), square = half * a.r, cube = a.r * a.r * a.r;
    const vec base = fma(a.k, all(natural::unit_hi), look_up(natural::hi, a.c));
    const vec low = fma(a.k, all(natural::unit_lo), look_up(natural::lo, a.c));
    const two first = fast_sum(base, a.r), second = fast_sum(first.hi, square);
    early = fma(cube, all(1 / 3.0), second.hi);
    const vec rest = fma(half, a.r, -square) + ((second.lo + first.lo) + low);
    return {second.hi, fma(cube, polynomial(exact_log_q, a.r), rest)};
}
struct positive_normal {
    static inline __attribute__((always_inline)) mask odd(vec x) {
        return not_in(x, all(0x1p-1022), all(0x1.fffffffffffffp1023));
    }
};
struct log : positive_normal {
    static inline __attribute__((always_inline)) vec apply(vec x) { return log_of<natural, false>(x, x); }
    static double one(double x) { return x < 0 ? __builtin_nan("") : ::log(x); }
};
struct log2 : positive_normal {
    static inline __attribute__((always_inline)) vec apply(vec x) { return log_of<binary, false>(x, x); }
    static double one(double x) { return x < 0 ? __builtin_nan("") : ::log2(x); }
};
struct log10 : positive_normal {
    static inline __attribute__((always_inline)) vec apply(vec x) { return log_of<decimal, false>(x, x); }
    static double one(double x) { return x < 0 ? __builtin_nan("") : ::log10(x); }
};
struct log1p {
    static inline __attribute__((always_inline)) mask odd(vec x) {
        return not_in(x, all(-0x1.fffffffffffffp-1), all(0x1p1000));
    }
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const two sum = exact_sum(all(1), x);
        return choose(less(abs(x), all(0x1p-60)), x, log_of<natural, true>(sum.hi, sum.lo));
    }
    static double one(double x) { return x < -1 ? __builtin_nan("") : ::log1p(x); }
};

/* log(x + sqrt(x^2 - 1)). */
struct arccosh {
    static inline __attribute__((always_inline)) mask odd(vec x) { return less(all(0x1p500), x); }
    static inline __attribute__((always_inline)) vec apply(vec a) {
        const vec x = choose(less(a, all(1)), all(1), a), t = x - all(1);
        const two next = fast_sum(x, all(1)), square = exact_product(t, next.hi);
        const vec root = sqrt(square.hi), some = choose(equal(root, all(0)), all(1), root);
        const vec lost = (fnma(root, root, square.hi) + fma(t, next.lo, square.lo)) * (all(0.5) * about_inverse(some));
        const two sum = exact_sum(x, root);
        return choose(less(a, all(1)), all(__builtin_nan("")), log_of<natural, true>(sum.hi, sum.lo + lost));
    }
    static double one(double x) { return ::acosh(x); }
};

/* x^y where x is normal; negative numbers have powers by whole numbers. Exponents that are simple: see power_or. */
struct power {
    static inline __attribute__((always_inline)) vec apply(vec x, vec y, mask &odd) {
        vec early;
        const two l = exact_log(abs(x), early), p = exact_product(y, l.hi);
        const vec hi = within(p.hi, -760, 720); /* beyond: infinity or 0 */
        const vec lo = choose(equal(hi, p.hi), fma(y, l.lo, p.lo), all(0));
        odd = either(not_normal(x), not_finite(y));
        vec result = exp_of({hi, lo}, within(y * early, -760, 720));
        const mask negative = less(x, all(0));
        if (__builtin_expect(bits(negative) != 0, 0)) {
            const vec half = y * all(0.5);
            const vec sign = choose(equal(trunc(half), half), all(1), all(-1));
            const vec factor = choose(equal(trunc(y), y), sign, all(__builtin_nan("")));
            result = choose(negative, result * factor, result);
        }
        return result;
    }
    static double one(double x, double y) { return ::pow(x, y); }
};

} // namespace v
} // namespace

#include "elementwise/cpu/vector_circular.hpp"

namespace {
namespace v {

/* ---- sqrt(x^2 + y^2) ------------------------------------------------------------------------ */

struct hypot {
    static inline __attribute__((always_inline)) vec apply(vec x, vec y, mask &odd) {
        x = abs(x), y = abs(y);
        const mask below = less(x, y);
        const vec a = choose(below, y, x), b = choose(below, x, y);
        odd = either(not_in(a, all(0x1p-450), all(0x1p500)), not_in(b, all(0), all(0x1p500)));
        const two aa = exact_product(a, a), bb = exact_product(b, b);
        const two sum = fast_sum(aa.hi, bb.hi);
        const vec root = sqrt(sum.hi);
        const vec lost = fnma(root, root, sum.hi) + (sum.lo + (aa.lo + bb.lo));
        return fma(lost, all(0.5) * about_inverse(root), root);
    }
    static double one(double x, double y) { return ::hypot(x, y); }
};

/* ---- division with a rest ------------------------------------------------------------------- */

/* fmod: the rest is exact, since the quotient, rounded, is the right one or 1 too large. */
INLINE vec rest_of(vec x, vec y, mask &odd) {
    const vec a = abs(x), b = abs(y), q = trunc(a / b);
    odd = not_in(q, all(0), all(0x1p52));
    vec rest = fnma(q, b, a);
    rest = choose(less(rest, all(0)), rest + b, rest);
    return with_sign(choose(equal(q, all(0)), a, rest), x);
}
/* Python's quotient and rest, as ops::divmod_float; T says what each step is rounded to. */
template <class T> INLINE two divided(vec x, vec y, mask &odd) {
    const bool single = sizeof(T) == 4;
    vec rest = rest_of(x, y, odd);
    vec over = x - rest;
    vec q = (single ? to_float(over) : over) / y;
    q = single ? to_float(q) : q;
    const mask nothing = equal(rest, all(0));
    const vec moved = rest + y;
    const vec apart = bit_and(bit_xor(rest, y), all(-0.0)); /* -0: of different signs */
    const mask differ = less(bit_or(all(1), apart), choose(nothing, all(-2), all(0)));
    rest = choose(differ, single ? to_float(moved) : moved, rest);
    rest = choose(nothing, sign_of(y), rest);
    q = choose(differ, q - all(1), q);
    q = single ? to_float(q) : q;
    const vec down = floor(q);
    const vec whole = choose(less(all(0.5), q - down), down + all(1), down);
    return {choose(equal(q, all(0)), sign_of(bit_xor(x, y)), single ? to_float(whole) : whole), rest};
}

#undef INLINE

} // namespace v
} // namespace

#endif
