/*
 * vector_circular.hpp: circular functions of float64 and their arcs on whole vectors. vector_math.hpp names the sources
 * and includes this.
 */
#ifndef GNDI_VECTOR_CIRCULAR_HPP
#define GNDI_VECTOR_CIRCULAR_HPP

#include "elementwise/cpu/vector_doubles.hpp"

namespace {
namespace v {

/* ---- circular functions --------------------------------------------------------------------- */

static const double sin_q[] = {-0.16666666666666666,   0.008333333333330936,    -0.00019841269836740527,
                               2.7557316093196066e-06, -2.5051129895962807e-08, 1.5917988944318716e-10};
static const double cos_q[] = {0.041666666666666664,    -0.0013888888888887389, 2.48015872987544e-05,
                               -2.7557317265876615e-07, 2.087614504910828e-09,  -1.1382544623404291e-11};

struct circle {
    vec k;
    two sin, cos; /* of x - k pi / 2 */
};
/* x - k pi / 2, or with Eighths x - k pi / 16, in two parts. pi / 2 is in three, and k times each of the first two is
   exact. The second difference is exact, too, where the first one is smaller than what is taken from it. */
template <bool Eighths> INLINE two reduced_angle(vec x, vec k) {
    const double unit = Eighths ? 0.125 : 1;
    const vec a = fnma(k, all(unit * 0x1.921fb54400000p+0), x);
    const two r = fast_sum(a, -(k * all(unit * 0x1.0b4611a600000p-34)));
    return fast_sum(r.hi, fnma(k, all(unit * 0x1.3198a2e037073p-69), r.lo));
}
INLINE circle around(vec x) {
    circle c;
    c.k = rint(x * all(0x1.45f306dc9c883p-1));
    const two r = reduced_angle<false>(x, c.k);
    const vec z = r.hi * r.hi, half = z * all(0.5);
    c.sin = {r.hi, fma(z * r.hi, polynomial(sin_q, z), fnma(half, r.lo, r.lo))};
    const vec one = all(1) - half;
    const vec lost = (all(1) - one) - half;
    c.cos = {one, lost + fma(z * z, polynomial(cos_q, z), -(r.hi * r.lo))};
    return c;
}
struct circular {
    static inline __attribute__((always_inline)) mask odd(vec x) { return not_in(x, all(-0x1p19), all(0x1p19)); }
};
INLINE vec negative_if(mask m, vec x) {
    return choose(m, -x, x);
}
struct sin : circular {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const circle c = around(x);
        const vec value = choose(has_bit(c.k, 0), c.cos.hi + c.cos.lo, c.sin.hi + c.sin.lo);
        return choose(equal(x, all(0)), x, negative_if(has_bit(c.k, 1), value));
    }
    static double one(double x) { return ::sin(x); }
};
struct cos : circular {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const circle c = around(x);
        const vec value = choose(has_bit(c.k, 0), c.sin.hi + c.sin.lo, c.cos.hi + c.cos.lo);
        return negative_if(has_bit(c.k + all(1), 1), value);
    }
    static double one(double x) { return ::cos(x); }
};
/* tan(k pi / 16) is tan_sin[k] / tan_cos[k], one of which is 1 or -1, and the other one not larger. */
static const double tan_sin[] = {
    0x0.0p+0, 0x1.975f5e0553158p-3,  0x1.a827999fcef32p-2,  0x1.561b82ab7f990p-1, 1, 1, 1, 1, 1, 1, 1, 1,
    1,        -0x1.561b82ab7f990p-1, -0x1.a827999fcef32p-2, -0x1.975f5e0553158p-3};
static const double tan_cos[] = {1,
                                 1,
                                 1,
                                 1,
                                 1,
                                 0x1.561b82ab7f990p-1,
                                 0x1.a827999fcef32p-2,
                                 0x1.975f5e0553158p-3,
                                 0x0.0p+0,
                                 -0x1.975f5e0553158p-3,
                                 -0x1.a827999fcef32p-2,
                                 -0x1.561b82ab7f990p-1,
                                 -1,
                                 1,
                                 1,
                                 1};
/* k pi / 16 less the angle whose tangent the rounded ratio is */
static const double tan_lost[] = {0x0.0p+0, 0x1.dc82ac14e3e1cp-61,  0x1.c3dea4dbad538p-57,  0x1.05b4c3c4cbee8p-55,
                                  0x0.0p+0, -0x1.05b4c3c4cbee8p-55, -0x1.c3dea4dbad538p-57, -0x1.dc82ac14e3e1cp-61,
                                  0x0.0p+0, 0x1.dc82ac14e3e1cp-61,  0x1.c3dea4dbad538p-57,  0x1.05b4c3c4cbee8p-55,
                                  0x0.0p+0, -0x1.05b4c3c4cbee8p-55, -0x1.c3dea4dbad538p-57, -0x1.dc82ac14e3e1cp-61};
/* (tan(r) - r) / r^3 by r^2, |r| <= pi / 32 */
static const double tan_q[] = {0.3333333333333339, 0.13333333333027042, 0.053968256508231026, 0.02186875168998066,
                               0.008950386574049061};
/* The tangent of k pi / 16 + r is (sin + cos t) / (cos - sin t), where t is tan(r). */
struct tan : circular {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec bits = fma(x, all(0x1.45f306dc9c883p+2), all(0x1.8p52)), k = bits - all(0x1.8p52);
        const two r = reduced_angle<true>(x, k);
        const vec sine = look_up_last(tan_sin, bits), cosine = look_up_last(tan_cos, bits);
        const vec z = r.hi * r.hi;
        const vec t_lo = fma(z * r.hi, polynomial(tan_q, z), r.lo + look_up_last(tan_lost, bits));
        const vec over = fma(cosine, r.hi, sine), under = fnma(sine, r.hi, cosine);
        const vec over_lo = fma(cosine, t_lo, fma(cosine, r.hi, sine - over));
        const two d = fast_sum(under, fnma(sine, t_lo, fnma(sine, r.hi, cosine - under)));
        const two q = quotient({over, over_lo}, d);
        return choose(equal(x, all(0)), x, q.hi + q.lo);
    }
    static double one(double x) { return ::tan(x); }
};

/* ---- arcs ----------------------------------------------------------------------------------- */

static const double pi_hi = 0x1.921fb54442d18p+1, pi_lo = 0x1.1a62633145c07p-53;
static const double asin_q[] = {
    0.16666666666666666,   0.07500000000000119,  0.04464285714255019,   0.030381944475693704, 0.022372157435623815,
    0.017352816768546473,  0.013963775787848137, 0.011566511821890942,  0.00962140274734483,  0.009322101501082774,
    0.0030350071727267623, 0.019579201619744684, -0.019277545928584557, 0.02963502626354855};
/* arcsin of |x| up to 0.5, and of sqrt((1 - |x|) / 2) beyond, where `large`. */
INLINE two half_arcsin(vec x, mask &large) {
    const vec a = abs(x);
    large = less(all(0.5), a);
    const vec z = choose(large, fnma(all(0.5), a, all(0.5)), a * a);
    const vec root = sqrt(z), y = choose(large, root, a);
    const vec lost = fnma(root, root, z) * (all(0.5) * about_inverse(choose(equal(root, all(0)), all(1), root)));
    return {y, fma(z * y, polynomial(asin_q, z), choose(large, lost, all(0)))};
}
struct arcsin {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        mask large;
        const two a = half_arcsin(x, large);
        const two rest = exact_sum(all(pi_hi / 2), all(-2) * a.hi);
        const vec beyond = rest.hi + (rest.lo + fma(all(-2), a.lo, all(pi_lo / 2)));
        return with_sign(choose(large, beyond, a.hi + a.lo), x);
    }
};
struct arccos {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        mask large;
        const two a = half_arcsin(x, large);
        const mask negative = less(x, all(0));
        /* base + factor a: pi / 2 -+ a, 2 a, or pi - 2 a */
        const vec factor = choose(large, choose(negative, all(-2), all(2)), choose(negative, all(1), all(-1)));
        const vec hi = choose(large, choose(negative, all(pi_hi), all(0)), all(pi_hi / 2));
        const vec lo = choose(large, choose(negative, all(pi_lo), all(0)), all(pi_lo / 2));
        const two sum = exact_sum(hi, factor * a.hi);
        return sum.hi + (sum.lo + fma(factor, a.lo, lo));
    }
};

/* Tangents, one of each half octave from 3/32 to 12, 0 below and that of pi / 2 beyond, and their arcs, by the last bit
   of the exponent's three and the first of the mantissa. They are chosen so that rounding the arcs loses less than
   2^-64 of them. */
static const double arc_tan[] = {0x1.3504f333fae9fp+1,
                                 0x1.b78f34fc59300p+1,
                                 0x1.33b6101db58ffp+2,
                                 0x1.b70b2ceac6918p+2,
                                 0x1.3354f7937da77p+3,
                                 0x1.d02967c31cdb5p+53,
                                 0x0.0p+0,
                                 0x1.bfe4566cb1b4cp-4,
                                 0x1.3fb1faabc3d6bp-3,
                                 0x1.bf9535a9666c8p-3,
                                 0x1.3edd6983a85c3p-2,
                                 0x1.be89019b56ab1p-2,
                                 0x1.3c6ef3730207cp-1,
                                 0x1.bc0e24948577bp-1,
                                 0x1.3845118db7f69p+0,
                                 0x1.b9224dab92396p+0};
static const double arc_of[] = {0x1.2d97c7f3326b8p+0,
                                0x1.49952004c994ep+0,
                                0x1.5da0a7c6da049p+0,
                                0x1.6d114072b03efp+0,
                                0x1.779078c2f869cp+0,
                                0x1.921fb54442d18p+0,
                                0x0.0p+0,
                                0x1.be1e9605797e7p-4,
                                0x1.3d22c4c927eadp-3,
                                0x1.b8a78a27d7fd0p-3,
                                0x1.351ea1f3da04dp-2,
                                0x1.a514023a38e4fp-2,
                                0x1.1b6e192ebe631p-1,
                                0x1.6dcc57bb590e7p-1,
                                0x1.c4a8393633045p-1,
                                0x1.0b833be167075p+0};
static const double atan_q[] = {-0.3333333333333333, 0.1999999999997929,   -0.1428571426106036,
                                0.11111100370028582, -0.09088791383502856, 0.07499330699890065};

/* The arc whose tangent is y / x, y >= 0, x > 0: that of a b of the table near to it, `ratio` about y / x, and that of
   (y - b x) / (x + b y). */
INLINE two arc(vec y, vec x, vec ratio) {
    const vec near = within(ratio, 1 / 16.0, 12), b = look_up_half_octave(arc_tan, near);
    const vec t = fnma(b, x, y) / fma(b, y, x), z = t * t;
    return {look_up_half_octave(arc_of, near), fma(z * t, polynomial(atan_q, z), t)};
}
struct arctan {
    static inline __attribute__((always_inline)) vec apply(vec x) {
        const vec a = at_most(abs(x), 0x1p900);
        const two angle = arc(a, all(1), a);
        return with_sign(angle.hi + angle.lo, x);
    }
};
struct arctan2 {
    static inline __attribute__((always_inline)) vec apply(vec y, vec x, mask &odd) {
        const vec a = abs(y), b = abs(x), least = all(0x1p-450), most = all(0x1p450);
        odd = either(not_in(b, least, most), not_in(choose(equal(a, all(0)), all(1), a), least, most));
        const two angle = arc(a, b, a * about_inverse(b));
        const two rest = exact_sum(all(pi_hi), -angle.hi);
        const vec swapped = rest.hi + (rest.lo + (all(pi_lo) - angle.lo));
        return with_sign(choose(less(x, all(0)), swapped, angle.hi + angle.lo), y);
    }
    static double one(double y, double x) { return ::atan2(y, x); }
};

} // namespace v
} // namespace

#endif
