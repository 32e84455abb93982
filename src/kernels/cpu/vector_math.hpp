/*
 * vector_math.hpp: tells g++ which functions of libm have a vector form in libmvec (glibc 2.35 and
 * later), so that loops over them vectorise. To be included before anything that calls them.
 *
 * In float their errors are below 4 units in the last place, as NumPy's are. In double only those
 * are taken that lose no more than libm does itself, below 2 units: the others (exp, log, pow, sin
 * and so on) are good to little over half a unit in libm, but to 3 in libmvec.
 */
#ifndef GNDI_VECTOR_MATH_HPP
#define GNDI_VECTOR_MATH_HPP

#include <math.h>

#ifdef GNDI_WITH_LIBMVEC
#    define GNDI_VECTOR __attribute__((simd("notinbranch")))
extern "C" {
GNDI_VECTOR float acosf(float) noexcept;
GNDI_VECTOR float acoshf(float) noexcept;
GNDI_VECTOR float asinf(float) noexcept;
GNDI_VECTOR float asinhf(float) noexcept;
GNDI_VECTOR float atanf(float) noexcept;
GNDI_VECTOR float atanhf(float) noexcept;
GNDI_VECTOR float cbrtf(float) noexcept;
GNDI_VECTOR float cosf(float) noexcept;
GNDI_VECTOR float coshf(float) noexcept;
GNDI_VECTOR float erff(float) noexcept;
GNDI_VECTOR float erfcf(float) noexcept;
GNDI_VECTOR float expf(float) noexcept;
GNDI_VECTOR float exp2f(float) noexcept;
GNDI_VECTOR float expm1f(float) noexcept;
GNDI_VECTOR float logf(float) noexcept;
GNDI_VECTOR float log10f(float) noexcept;
GNDI_VECTOR float log1pf(float) noexcept;
GNDI_VECTOR float log2f(float) noexcept;
GNDI_VECTOR float sinf(float) noexcept;
GNDI_VECTOR float sinhf(float) noexcept;
GNDI_VECTOR float tanf(float) noexcept;
GNDI_VECTOR float tanhf(float) noexcept;
GNDI_VECTOR float atan2f(float, float) noexcept;
GNDI_VECTOR float powf(float, float) noexcept;
GNDI_VECTOR double acosh(double) noexcept;
GNDI_VECTOR double asinh(double) noexcept;
GNDI_VECTOR double atanh(double) noexcept;
GNDI_VECTOR double cbrt(double) noexcept;
GNDI_VECTOR double cosh(double) noexcept;
GNDI_VECTOR double sinh(double) noexcept;
GNDI_VECTOR double tanh(double) noexcept;
}
#    undef GNDI_VECTOR
#endif

#endif
