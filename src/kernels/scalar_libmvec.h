/*
 * scalar_libmvec.h: tells g++ which of libm's functions have a vector form in glibc's libmvec, so
 * that a plain loop over them, o[i] = expf(x[i]), calls _ZGVdN8v_expf and the like. (glibc's own
 * header says so under -ffast-math only.) The build defines GNDI_WITH_LIBMVEC where glibc has them
 * all (2.35 and later) and the compiler is gcc.
 *
 * Measured with glibc 2.36 on SSE, AVX2 and AVX-512 against the scalar functions, over all special
 * values, subnormals and large arguments: within 4 ulp, zeros with their signs, infinities and NaN
 * the same, and 2 to 15 times as fast. The last few elements of a loop take the scalar function and
 * may differ in the last place: a caller whose results must not depend on an element's position
 * works in whole vectors.
 */
#ifndef GNDI_SCALAR_LIBMVEC_H
#define GNDI_SCALAR_LIBMVEC_H

#if defined(GNDI_WITH_LIBMVEC)
#    define GNDI_VECTOR_1(name)                                                                    \
        __attribute__((simd("notinbranch"))) float name##f(float) noexcept;                        \
        __attribute__((simd("notinbranch"))) double name(double) noexcept;
#    define GNDI_VECTOR_2(name)                                                                    \
        __attribute__((simd("notinbranch"))) float name##f(float, float) noexcept;                 \
        __attribute__((simd("notinbranch"))) double name(double, double) noexcept;
extern "C" {
GNDI_VECTOR_1(cos)
GNDI_VECTOR_1(exp)
GNDI_VECTOR_1(log)
GNDI_VECTOR_1(sin)
GNDI_VECTOR_2(pow)
GNDI_VECTOR_1(acos)
GNDI_VECTOR_1(acosh)
GNDI_VECTOR_1(asin)
GNDI_VECTOR_1(asinh)
GNDI_VECTOR_1(atan)
GNDI_VECTOR_1(atanh)
GNDI_VECTOR_1(cbrt)
GNDI_VECTOR_1(cosh)
GNDI_VECTOR_1(erf)
GNDI_VECTOR_1(erfc)
GNDI_VECTOR_1(exp2)
GNDI_VECTOR_1(expm1)
GNDI_VECTOR_1(log10)
GNDI_VECTOR_1(log1p)
GNDI_VECTOR_1(log2)
GNDI_VECTOR_1(sinh)
GNDI_VECTOR_1(tan)
GNDI_VECTOR_1(tanh)
GNDI_VECTOR_2(atan2)
GNDI_VECTOR_2(hypot)
}
#    undef GNDI_VECTOR_1
#    undef GNDI_VECTOR_2
#endif

#endif
