/*
 * vector_special.hpp: special functions of float64 on whole vectors, over vector_math.hpp: the gamma function, its
 * logarithm, erfc and the modified Bessel function of order 0. float32 calls them as well.
 *
 * Source of gamma: S. L. Moshier, Cephes Mathematical Library 2.8 (2000): a rational function on [2, 3], to which the
 * argument is moved by factors, and Stirling's series beyond 33.
 */
#ifndef GNDI_VECTOR_SPECIAL_HPP
#define GNDI_VECTOR_SPECIAL_HPP

#include "elementwise/cpu/vector_math.hpp"
#include "kernels/scalar/scalar_special_real.h"

namespace {
namespace v {

#define INLINE static inline __attribute__((always_inline, unused))

static const double gamma_p[] = {9.99999999999999996796E-1, 4.94214826801497100753E-1, 2.07448227648435975150E-1,
                                 4.76367800457137231464E-2, 1.04213797561761569935E-2, 1.19135147006586384913E-3,
                                 1.60119522476751861407E-4};
static const double gamma_q[] = {1.00000000000000000320E0,  7.14304917030273074085E-2, -2.34591795718243348568E-1,
                                 3.58236398605498653373E-2, 1.18139785222060435552E-2, -4.45641913851797240494E-3,
                                 5.39605580493303397842E-4, -2.31581873324120129819E-5};
static const double stirling[] = {1,
                                  8.33333333333482257126E-2,
                                  3.47222221605458667310E-3,
                                  -2.68132617805781232825E-3,
                                  -2.29549961613378126380E-4,
                                  7.87311395793093628397E-4};
static const double gamma_middle = 33; /* products of factors up to here */

/* |x| <= 33: gamma(z) times, or divided by, the factors between x and z in [2, 3). */
INLINE vec gamma_by_factors(vec x) {
    vec z = x, above = all(1), below = all(1);
    for (mask m = less(z, all(2)); bits(m); m = less(z, all(2))) {
        below = choose(m, below * z, below);
        z = choose(m, z + all(1), z);
    }
    for (mask m = less(all(3), z); bits(m); m = less(all(3), z)) {
        z = choose(m, z - all(1), z);
        above = choose(m, above * z, above);
    }
    z = z - all(2);
    const vec value = above * polynomial(gamma_p, z) / (polynomial(gamma_q, z) * below);
    const mask whole = equal(x, trunc(x));
    return choose(both(whole, less(x, all(0))), all(__builtin_nan("")), value);
}
/* x > 33: sqrt(2 pi) x^(x - 1/2) e^-x (1 + 1 / (12 x) + ...). */
INLINE vec gamma_by_stirling(vec x) {
    x = clamped(x, 1, 200);
    vec early;
    const two l = exact_log(x, early);
    const vec power = x - all(0.5);
    two p = exact_product(power, l.hi);
    p.lo = fma(power, l.lo, p.lo);
    const two sum = exact_sum(p.hi, -x);
    return exp_of({sum.hi, sum.lo + p.lo}, sum.hi) * (all(2.50662827463100050242) * polynomial(stirling, all(1) / x));
}
struct gamma {
    static inline __attribute__((always_inline)) mask odd(vec x) {
        return either(less(x, all(-gamma_middle)), not_in(x, x, x)); /* far negative numbers, NaN */
    }
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const mask far = less(all(gamma_middle), x);
        const unsigned which = bits(far);
        vec result = x;
        if (which != (1u << W) - 1) result = gamma_by_factors(choose(either(far, odd(x)), all(2), x));
        if (which) result = choose(far, gamma_by_stirling(x), result);
        return result;
    }
    static double one(double x) { return gnd::special::gamma(x); }
};

/* (log gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2) x, of 1 / x^2, x >= 8 */
static const double lgamma_q[] = {0.0833333333333333,     -0.002777777777606244, 0.0007936506649488252,
                                  -0.0005952025951802712, 0.0008372834512071336, -0.0016526004455595122};
/* By Stirling's series from 8 on. */
struct lgamma {
    static inline __attribute__((always_inline)) mask odd(vec x) { return not_in(x, all(8), all(1e300)); }
    static inline __attribute__((always_inline)) vec apply(vec a) {
        const vec x = within(a, 8, 1e300), power = x - all(0.5), inverse = all(1) / x;
        vec early;
        const two l = exact_log(x, early), p = exact_product(power, l.hi), sum = exact_sum(p.hi, -x);
        const vec series = fma(inverse, polynomial(lgamma_q, inverse * inverse), all(0.91893853320467274178));
        return sum.hi + (sum.lo + (fma(power, l.lo, p.lo) + series));
    }
    static double one(double x) { return gnd::special::lgamma(x); }
};

/* ((1 + 2 a) e^(a^2) erfc(a) - c) / q, q = (a - 4) / (a + 4), 0 <= a <= 27, and c, which it has at q = 0; and
   erf(a) / a of a^2, a <= 1/4 */
static const double erfc_q[] = {
    -0.13962111684056253,    0.015379652102620142,    0.06809705425470186,     -0.10103906603633302,
    0.09373283499783647,     -0.06633036581156984,    0.03716751554850346,     -0.01619773406324392,
    0.0050319698577012024,   -0.0007577732843939746,  -0.00019925594005360252, 0.00015062189967432745,
    -2.4402082350793815e-05, -1.1223660024275052e-05, 5.7163608248626465e-06,  2.992655825742112e-07,
    -8.342293790453763e-07,  6.47425101932264e-08,    1.1548858212739844e-07,  -8.524737336962467e-09,
    -1.3992336281415818e-08, -1.832169658585393e-09};
static constexpr double erfc_hi = 0x1.3ba5916e9fd7fp+0, erfc_lo = -0x1.aa9c415679e6fp-55;
static const double erf_q[] = {1.1283791670955126,    -0.37612638903182716,  0.11283791670689047,
                               -0.026866170389511425, 0.0052239659251541734, -0.0008545575054550128,
                               0.00011733567662844532};
/* The argument is that of M. M. Shepherd, J. G. Laframboise, Math. Comp. 36, 1981. */
struct erfc {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = at_most(abs(x), 28), q = (a - all(4)) / (a + all(4));
        const two square = exact_product(a, a);
        vec bits;
        const vec k = sixteenths(square.hi, -inv_ln2, bits);
        const vec r = fnma(k, all(step_lo), fnma(k, all(step_hi), -square.hi)) - square.lo;
        const vec root = look_up_last(root_hi, bits), rest = fma(r * r, polynomial(exp_q, r), r);
        const two e = fast_sum(root, fma(root, rest, look_up_last(root_lo, bits)));
        const two p = fast_sum(all(erfc_hi), fma(q, polynomial(erfc_q, q), all(erfc_lo)));
        two over = exact_product(e.hi, p.hi);
        over.lo += fma(e.hi, p.lo, e.lo * p.hi);
        const two value = quotient(over, exact_sum(all(1), a + a));
        const vec far = scale_down(value.hi + value.lo, k);
        const vec result = choose(less(x, all(0)), all(2) - far, far);
        return choose(less(a, all(0.25)), fnma(x, polynomial(erf_q, square.hi), all(1)), result);
    }
};

/* (erf(x) / x - c) / x^2 of x^2 up to 1, and c = 2 / sqrt(pi) in two parts */
static const double erf_near[] = {-0.37612638903183754,    0.11283791670955111,     -0.026866170645123838,
                                  0.005223977625303518,    -0.0008548327010033328,  0.00012055332214716276,
                                  -1.4925622504489842e-05, 1.6461446656928561e-06,  -1.6355118610877705e-07,
                                  1.4692484859133263e-08,  -1.1500357159785296e-09, 6.174097221305255e-11};
struct erf {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = abs(x), z = a * a, rest = fma(z, polynomial(erf_near, z), all(0x1.1ae3a914fed80p-56));
        const vec near = fma(x, all(0x1.20dd750429b6dp+0), x * rest);
        return choose(less(a, all(1)), near, with_sign(all(1) - erfc::apply(a), x));
    }
};

/* Clenshaw's summation at t in [-1, 1]. */
template <int N> INLINE vec chebyshev(const double (&c)[N], vec t) {
    const vec twice = t + t;
    vec b0 = all(c[N - 1]), b1 = all(0), b2 = all(0);
    for (int k = N - 2; k >= 0; k--) {
        b2 = b1, b1 = b0;
        b0 = fma(twice, b1, all(c[k]) - b2);
    }
    return (b0 - b2) * all(0.5);
}
/* As gnd::special::i0. */
struct i0 {
    static inline __attribute__((always_inline)) vec apply(vec a) {
        const vec x = abs(a), half = exp::apply(x * all(0.5));
        const mask far = less(all(8), x);
        const unsigned which = bits(far);
        vec sum = x;
        if (which != (1u << W) - 1) sum = chebyshev(gnd::special::i0_near, choose(far, all(8), x) * all(0.25) - all(1));
        if (which) {
            const vec y = choose(far, x, all(8));
            sum = choose(far, chebyshev(gnd::special::i0_far, all(16) / y - all(1)) / sqrt(y), sum);
        }
        return half * sum * half;
    }
};

#undef INLINE

} // namespace v
} // namespace

#endif
