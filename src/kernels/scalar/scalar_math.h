/*
 * scalar_math.h: the elementary functions as overloads on float and double (gnd::m::exp and so on), by libm on
 * the host and CUDA's library on the device; a few are faster by bit operations.
 */
#ifndef GNDI_SCALAR_MATH_H
#define GNDI_SCALAR_MATH_H

#include "scalar_types.h"

#if !GNDI_ON_DEVICE
#    include <math.h>
#    include "scalar_libmvec.h"
#endif

namespace gnd {
namespace m {

#define GNDI_MATH_1(name)                                                                                              \
    GNDI_FN float name(float x) {                                                                                      \
        return ::name##f(x);                                                                                           \
    }                                                                                                                  \
    GNDI_FN double name(double x) {                                                                                    \
        return ::name(x);                                                                                              \
    }
#define GNDI_MATH_2(name)                                                                                              \
    GNDI_FN float name(float x, float y) {                                                                             \
        return ::name##f(x, y);                                                                                        \
    }                                                                                                                  \
    GNDI_FN double name(double x, double y) {                                                                          \
        return ::name(x, y);                                                                                           \
    }
GNDI_MATH_1(acos)
GNDI_MATH_1(acosh)
GNDI_MATH_1(asin)
GNDI_MATH_1(asinh)
GNDI_MATH_1(atan)
GNDI_MATH_1(atanh)
GNDI_MATH_1(cbrt)
GNDI_MATH_1(ceil)
GNDI_MATH_1(cos)
GNDI_MATH_1(cosh)
GNDI_MATH_1(erf)
GNDI_MATH_1(erfc)
GNDI_MATH_1(exp)
GNDI_MATH_1(exp2)
GNDI_MATH_1(expm1)
GNDI_MATH_1(floor)
GNDI_MATH_1(log)
GNDI_MATH_1(log10)
GNDI_MATH_1(log1p)
GNDI_MATH_1(log2)
GNDI_MATH_1(rint)
GNDI_MATH_1(sin)
GNDI_MATH_1(sinh)
GNDI_MATH_1(sqrt)
GNDI_MATH_1(tan)
GNDI_MATH_1(tanh)
GNDI_MATH_1(tgamma)
GNDI_MATH_1(trunc)
GNDI_MATH_2(atan2)
GNDI_MATH_2(copysign)
GNDI_MATH_2(fmod)
GNDI_MATH_2(hypot)
GNDI_MATH_2(pow)
#undef GNDI_MATH_1
#undef GNDI_MATH_2

GNDI_FN float fma(float a, float b, float c) {
    return ::fmaf(a, b, c);
}
GNDI_FN double fma(double a, double b, double c) {
    return ::fma(a, b, c);
}
GNDI_FN float ldexp(float x, int n) {
    return ::ldexpf(x, n);
}
GNDI_FN double ldexp(double x, int n) {
    return ::ldexp(x, n);
}
GNDI_FN void sincos(float x, float *s, float *c) {
    ::sincosf(x, s, c);
}
GNDI_FN void sincos(double x, double *s, double *c) {
    ::sincos(x, s, c);
}
#if GNDI_ON_DEVICE
GNDI_FN float lgamma(float x) {
    return ::lgammaf(x);
}
GNDI_FN double lgamma(double x) {
    return ::lgamma(x);
}
#else
/* Plain lgamma writes the global signgam, which is a race between threads. */
GNDI_FN float lgamma(float x) {
    int sign;
    return ::lgammaf_r(x, &sign);
}
GNDI_FN double lgamma(double x) {
    int sign;
    return ::lgamma_r(x, &sign);
}
#endif

/* These compile to instructions without a library call, and loops over them vectorize. */
GNDI_FN float abs(float x) {
    return ::fabsf(x);
}
GNDI_FN double abs(double x) {
    return ::fabs(x);
}
GNDI_FN bool signbit(float x) {
    return (to_bits(x) >> 31) != 0;
}
GNDI_FN bool signbit(double x) {
    return (to_bits(x) >> 63) != 0;
}
template <class F> GNDI_FN bool isnan(F x) {
    return x != x;
}
template <class F> GNDI_FN bool isinf(F x) {
    return abs(x) == limits<F>::infinity();
}
template <class F> GNDI_FN bool isfinite(F x) {
    return abs(x) < limits<F>::infinity();
}

/* Correctly rounded product and sum that the compiler may not contract, whatever its flags. */
#if GNDI_ON_DEVICE
GNDI_FN float mul(float a, float b) {
    return __fmul_rn(a, b);
}
GNDI_FN double mul(double a, double b) {
    return __dmul_rn(a, b);
}
GNDI_FN float add(float a, float b) {
    return __fadd_rn(a, b);
}
GNDI_FN double add(double a, double b) {
    return __dadd_rn(a, b);
}
GNDI_FN float sub(float a, float b) {
    return __fsub_rn(a, b);
}
GNDI_FN double sub(double a, double b) {
    return __dsub_rn(a, b);
}
#else
template <class F> GNDI_FN F mul(F a, F b) {
    return a * b;
}
template <class F> GNDI_FN F add(F a, F b) {
    return a + b;
}
template <class F> GNDI_FN F sub(F a, F b) {
    return a - b;
}
#endif

} // namespace m
} // namespace gnd

#endif
