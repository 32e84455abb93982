/*
 * scalar_libmvec.h: tells g++ which of libm's functions have a vector form in glibc's libmvec, so
 * that a plain loop over them, o[i] = expf(x[i]), calls _ZGVdN8v_expf and the like. (glibc's own
 * header says so under -ffast-math only.) The build defines GNDI_WITH_LIBMVEC where glibc has them
 * all (2.35 and later) and the compiler is gcc.
 *
 * float32: all of them, 2 to 15 times as fast as the scalar functions, and within 4 ulp of them
 * over all special values, subnormals and large arguments, with SSE, AVX2 and AVX-512 (glibc 2.36).
 *
 * float64: only where the vector function is as accurate as the scalar one. Most are not: exp, sin
 * and pow err by up to 3.0, 3.4 and 1.0 ulp, the scalar ones by 0.5. Largest errors measured:
 *
 *                 scalar   SSE, AVX2   AVX-512
 *         cbrt       3.1         1.5       1.8
 *         tanh       2.1         2.2       1.2
 *         acosh      2.0         3.2       1.5
 *         asinh      1.4         1.9       1.0
 *         atanh      1.6         2.3       1.4
 *
 * The last few elements of a loop take the scalar function and may differ in the last place: a
 * caller whose results must not depend on an element's position works in whole vectors.
 */
#ifndef GNDI_SCALAR_LIBMVEC_H
#define GNDI_SCALAR_LIBMVEC_H

#if defined(GNDI_WITH_LIBMVEC)
#    define GNDI_VECTOR_1(name) __attribute__((simd("notinbranch"))) float name##f(float) noexcept;
#    define GNDI_VECTOR_2(name) __attribute__((simd("notinbranch"))) float name##f(float, float) noexcept;
#    define GNDI_VECTOR_DOUBLE(name) __attribute__((simd("notinbranch"))) double name(double) noexcept;
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
GNDI_VECTOR_DOUBLE(cbrt)
GNDI_VECTOR_DOUBLE(tanh)
#    if defined(__AVX512F__)
GNDI_VECTOR_DOUBLE(acosh)
GNDI_VECTOR_DOUBLE(asinh)
GNDI_VECTOR_DOUBLE(atanh)
#    endif
}
#    undef GNDI_VECTOR_DOUBLE
#    undef GNDI_VECTOR_1
#    undef GNDI_VECTOR_2
#endif

#endif
