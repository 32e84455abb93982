/*
 * vector_math.hpp: tells g++ which functions of libm have a vector form in libmvec (glibc 2.35 and
 * later), so that loops over them vectorise. Their errors are below 4 units in the last place. To
 * be included before anything that calls them.
 */
#ifndef GNDI_VECTOR_MATH_HPP
#define GNDI_VECTOR_MATH_HPP

#include <math.h>

#ifdef GNDI_WITH_LIBMVEC
#    define GNDI_VECTOR_1(name)                                                                    \
        __attribute__((simd("notinbranch"))) double name(double) noexcept;                         \
        __attribute__((simd("notinbranch"))) float name##f(float) noexcept;
#    define GNDI_VECTOR_2(name)                                                                    \
        __attribute__((simd("notinbranch"))) double name(double, double) noexcept;                 \
        __attribute__((simd("notinbranch"))) float name##f(float, float) noexcept;
extern "C" {
GNDI_VECTOR_1(acos)
GNDI_VECTOR_1(acosh)
GNDI_VECTOR_1(asin)
GNDI_VECTOR_1(asinh)
GNDI_VECTOR_1(atan)
GNDI_VECTOR_1(atanh)
GNDI_VECTOR_1(cbrt)
GNDI_VECTOR_1(cos)
GNDI_VECTOR_1(cosh)
GNDI_VECTOR_1(erf)
GNDI_VECTOR_1(erfc)
GNDI_VECTOR_1(exp)
GNDI_VECTOR_1(exp2)
GNDI_VECTOR_1(expm1)
GNDI_VECTOR_1(log)
GNDI_VECTOR_1(log10)
GNDI_VECTOR_1(log1p)
GNDI_VECTOR_1(log2)
GNDI_VECTOR_1(sin)
GNDI_VECTOR_1(sinh)
GNDI_VECTOR_1(tan)
GNDI_VECTOR_1(tanh)
GNDI_VECTOR_2(atan2)
GNDI_VECTOR_2(hypot)
GNDI_VECTOR_2(pow)
}
#    undef GNDI_VECTOR_1
#    undef GNDI_VECTOR_2
#endif

#endif
