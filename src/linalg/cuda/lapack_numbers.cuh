// lapack_numbers.cuh: arithmetic of float, double and complex numbers as the kernels of linear algebra
// need it, and their exchange between the lanes of a warp.
#ifndef GNDI_LAPACK_NUMBERS_CUH
#define GNDI_LAPACK_NUMBERS_CUH

#include "kernels/scalar/scalar_types.h"
#include "runtime/fault.h"
#include "linalg/cuda/lapack_params.h"

namespace gnd {
namespace la {

template <class T> struct real_part { typedef T type; };
template <class R> struct real_part<complex<R>> { typedef R type; };
template <class T> using real = typename real_part<T>::type;

template <class R> struct range; // powers of two between which squares neither underflow nor overflow
template <> struct range<float> { static constexpr int least = -100, most = 100, widest = 126; };
template <> struct range<double> { static constexpr int least = -900, most = 900, widest = 1022; };

GNDI_FN float power_of_two(float, int e) {
    return ldexpf(1.0f, e);
}
GNDI_FN double power_of_two(double, int e) {
    return ldexp(1.0, e);
}
GNDI_FN int exponent_of(float x) {
    int e;
    frexpf(x, &e);
    return e;
}
GNDI_FN int exponent_of(double x) {
    int e;
    frexp(x, &e);
    return e;
}
GNDI_FN float root(float x) {
    return sqrtf(x);
}
GNDI_FN double root(double x) {
    return sqrt(x);
}
GNDI_FN float magnitude(float x) {
    return fabsf(x);
}
GNDI_FN double magnitude(double x) {
    return fabs(x);
}
GNDI_FN float logarithm(float x) {
    return logf(x);
}
GNDI_FN double logarithm(double x) {
    return log(x);
}
GNDI_FN bool is_negative(float x) {
    return copysignf(1.0f, x) < 0;
} // -0.0 is, too
GNDI_FN bool is_negative(double x) {
    return copysign(1.0, x) < 0;
}
GNDI_FN float length(complex<float> x) {
    return hypotf(x.re, x.im);
}
GNDI_FN double length(complex<double> x) {
    return hypot(x.re, x.im);
}
GNDI_FN float length(float x) {
    return fabsf(x);
}
GNDI_FN double length(double x) {
    return fabs(x);
}

template <class T> GNDI_FN T of_real(real<T> x) {
    if constexpr (is_complex<T>)
        return T{x, real<T>(0)};
    else
        return x;
}
template <class T> GNDI_FN real<T> real_of(T x) {
    if constexpr (is_complex<T>)
        return x.re;
    else
        return x;
}
template <class T> GNDI_FN real<T> imaginary_of(T x) {
    if constexpr (is_complex<T>)
        return x.im;
    else
        return real<T>(0);
}
template <class T> GNDI_FN T conjugate(T x) {
    if constexpr (is_complex<T>)
        return T{x.re, -x.im};
    else
        return x;
}
template <class T> GNDI_FN T times(T a, T b) {
    if constexpr (is_complex<T>)
        return T{a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
    else
        return a * b;
}
template <class T> GNDI_FN T scaled(T a, real<T> by) {
    if constexpr (is_complex<T>)
        return T{a.re * by, a.im * by};
    else
        return a * by;
}
template <class T> GNDI_FN T plus(T a, T b) {
    if constexpr (is_complex<T>)
        return T{a.re + b.re, a.im + b.im};
    else
        return a + b;
}
// sum + conjugate(a) b
template <class T> GNDI_FN T plus_inner(T sum, T a, T b) {
    if constexpr (is_complex<T>) {
        sum.re += a.re * b.re;
        sum.re += a.im * b.im;
        sum.im += a.re * b.im;
        sum.im -= a.im * b.re;
        return sum;
    } else {
        return sum + a * b;
    }
}
// x - a b
template <class T> GNDI_FN T minus_product(T x, T a, T b) {
    if constexpr (is_complex<T>) {
        x.re -= a.re * b.re;
        x.re += a.im * b.im;
        x.im -= a.re * b.im;
        x.im -= a.im * b.re;
        return x;
    } else {
        return x - a * b;
    }
}
// x + a b
template <class T> GNDI_FN T plus_product(T x, T a, T b) {
    if constexpr (is_complex<T>) {
        x.re += a.re * b.re;
        x.re -= a.im * b.im;
        x.im += a.re * b.im;
        x.im += a.im * b.re;
        return x;
    } else {
        return x + a * b;
    }
}
template <class T> GNDI_FN bool is_zero(T x) {
    if constexpr (is_complex<T>)
        return x.re == 0 && x.im == 0;
    else
        return x == 0;
}
template <class T> GNDI_FN bool is_finite(T x) {
    return magnitude(real_of(x)) < real<T>(INFINITY) && magnitude(imaginary_of(x)) < real<T>(INFINITY);
}
GNDI_FN float largest_number(float) {
    return 0x1.fffffep+127f;
}
GNDI_FN double largest_number(double) {
    return 0x1.fffffffffffffp+1023;
}
// Whether sums of squares of such numbers have roots that are finite, of any matrix that memory holds.
template <class T> GNDI_FN bool is_moderate(T x) {
    const real<T> most = largest_number(real<T>()) / real<T>(1ll << GNDI_SHRINK);
    return magnitude(real_of(x)) < most && magnitude(imaginary_of(x)) < most;
}
// The size by which LAPACK chooses pivots: |re| + |im|.
template <class T> GNDI_FN real<T> size_of(T x) {
    if constexpr (is_complex<T>)
        return magnitude(x.re) + magnitude(x.im);
    else
        return magnitude(x);
}
template <class T> GNDI_FN real<T> square_of(T x) {
    if constexpr (is_complex<T>)
        return x.re * x.re + x.im * x.im;
    else
        return x * x;
}
// 1 / x; of a complex number by Smith's formula, whose squares don't overflow.
template <class T> GNDI_FN T reciprocal(T x) {
    if constexpr (is_complex<T>) {
        if (magnitude(x.re) >= magnitude(x.im)) {
            const real<T> ratio = x.im / x.re, d = x.re + x.im * ratio;
            return T{1 / d, -ratio / d};
        } else {
            const real<T> ratio = x.re / x.im, d = x.im + x.re * ratio;
            return T{ratio / d, -1 / d};
        }
    } else {
        return 1 / x;
    }
}
template <class T> GNDI_FN T quotient(T a, T b) {
    if constexpr (is_complex<T>) {
        if (magnitude(b.re) >= magnitude(b.im)) {
            const real<T> ratio = b.im / b.re, d = b.re + b.im * ratio;
            return T{(a.re + a.im * ratio) / d, (a.im - a.re * ratio) / d};
        } else {
            const real<T> ratio = b.re / b.im, d = b.im + b.re * ratio;
            return T{(a.re * ratio + a.im) / d, (a.im * ratio - a.re) / d};
        }
    } else {
        return a / b;
    }
}
template <class T> GNDI_FN T not_a_number() {
    const real<T> nan = real<T>(NAN);
    if constexpr (is_complex<T>)
        return T{nan, nan};
    else
        return nan;
}

// ---- lanes --------------------------------------------------------------------------------------

constexpr unsigned ALL_LANES = 0xffffffffu;

template <class T> GNDI_FN T from_lane(T x, int lane) {
    if constexpr (is_complex<T>)
        return T{__shfl_sync(ALL_LANES, x.re, lane), __shfl_sync(ALL_LANES, x.im, lane)};
    else
        return __shfl_sync(ALL_LANES, x, lane);
}
template <class T> GNDI_FN T across(T x, int distance) {
    if constexpr (is_complex<T>)
        return T{__shfl_xor_sync(ALL_LANES, x.re, distance), __shfl_xor_sync(ALL_LANES, x.im, distance)};
    else
        return __shfl_xor_sync(ALL_LANES, x, distance);
}
// The sum over groups of `lanes` neighbouring lanes, in all of them.
template <class T> GNDI_FN T sum_of(T x, int lanes) {
    for (int distance = lanes >> 1; distance; distance >>= 1) x = plus(x, across(x, distance));
    return x;
}
template <class R> GNDI_FN R largest_of(R x) {
    for (int distance = 16; distance; distance >>= 1) {
        const R other = across(x, distance);
        x = other > x ? other : x;
    }
    return x;
}

// ---- faults -------------------------------------------------------------------------------------

// The first report wins.
GNDI_FN void report_matrix(const gndi_failure &f, int which, int64_t matrix, int64_t of) {
    if (f.fault && atomicCAS(&f.fault->code, 0, f.code) == 0)
        f.fault->axis = which, f.fault->value = matrix, f.fault->size = of;
}

} // namespace la
} // namespace gnd

#endif
