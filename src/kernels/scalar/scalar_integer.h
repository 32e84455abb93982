/*
 * scalar_integer.h: floor_divide, remainder, fmod, divmod, gcd, lcm. An integer divided by zero
 * gives 0; the lowest integer divided by -1 gives itself, remainder 0.
 */
#ifndef GNDI_SCALAR_INTEGER_H
#define GNDI_SCALAR_INTEGER_H

#include "scalar_arith.h"

namespace gnd {
namespace ops {

/* The truncated quotient; 0 for b == 0. On the host, loops over up to 32 bits divide floating numbers, since
   there is no vector instruction for integers. The result is exact: a quotient that is not an integer is further
   from the next integer than its rounding error. -1 is handled separately, since the lowest integer has no
   negative. */
template <class T> GNDI_FN T quotient_int(T a, T b) {
#if !GNDI_ON_DEVICE
    if constexpr (sizeof(T) <= 2 || (sizeof(T) == 4 && is_signed_int<T>)) {
        typedef choose_t<sizeof(T) <= 2, float, double> F;
        const bool minus_one = is_signed_int<T> && b == (T)-1;
        const T divisor = (b == 0) | minus_one ? (T)1 : b;
        const T quotient = (T)(int32_t)((F)a / (F)divisor);
        return b == 0 ? (T)0 : minus_one ? negative(a) : quotient;
    } else if constexpr (sizeof(T) == 4) {
        const uint32_t divisor = b < 2 ? 2 : b; /* then the quotient is an int32_t */
        const double top = 2147483648.0, x = (double)(int32_t)(a ^ 0x80000000u) + top,
                     y = (double)(int32_t)(divisor ^ 0x80000000u) + top;
        return b == 0 ? 0 : b == 1 ? a : (T)(int32_t)(x / y);
    }
#endif
    if (b == 0) return 0;
    if constexpr (is_signed_int<T>)
        if (b == -1) return negative(a);
    return (T)(a / b);
}

/* Floored quotient and remainder of integers. */
template <class T> GNDI_FN pair<T, T> divmod_int(T a, T b) {
    const T quotient = quotient_int(a, b);
    const T rest = b == 0 ? (T)0 : (T)((wrap_t<T>)a - (wrap_t<T>)quotient * (wrap_t<T>)b);
    if constexpr (is_signed_int<T>) {
        const bool below = (rest != 0) & ((rest ^ b) < 0);
        return {(T)(quotient - below), (T)(rest + (below ? b : 0))};
    } else {
        return {quotient, rest};
    }
}

/* Of floating numbers: Python's algorithm, which NumPy uses too. The quotient is an integer near
   (a - rest) / b, the rest is exact and has the sign of b, zeros included. */
template <class T> GNDI_FN pair<T, T> divmod_float(T a, T b) {
    T rest = m::fmod(a, b);
    if (b == 0) return {a / b, rest};
    T quotient = (a - rest) / b;
    if (rest != 0) {
        if ((b < 0) != (rest < 0)) {
            rest += b;
            quotient -= (T)1;
        }
    } else {
        rest = m::copysign((T)0, b);
    }
    if (quotient != 0) {
        T floored = m::floor(quotient);
        if (quotient - floored > (T)0.5) floored += (T)1;
        return {floored, rest};
    }
    return {m::copysign((T)0, a / b), rest};
}

template <class T> GNDI_FN pair<T, T> divmod(T a, T b) {
    if constexpr (is_int<T>)
        return divmod_int(a, b);
    else
        return divmod_float(a, b);
}
template <class T> GNDI_FN T floor_divide(T a, T b) {
    return divmod(a, b).first;
}
template <class T> GNDI_FN T remainder(T a, T b) {
    return divmod(a, b).second;
}

template <class T> GNDI_FN T fmod(T a, T b) {
    if constexpr (is_int<T>) {
        const T rest = (T)((wrap_t<T>)a - (wrap_t<T>)quotient_int(a, b) * (wrap_t<T>)b);
        return b == 0 ? (T)0 : rest;
    } else {
        return m::fmod(a, b);
    }
}

/* |a| as an unsigned integer: correct for the lowest integer too. */
template <class T> GNDI_FN bits_t<T> magnitude(T a) {
    return (bits_t<T>)absolute(a);
}

template <class T> GNDI_FN T gcd(T a, T b) {
    bits_t<T> x = magnitude(a), y = magnitude(b);
    while (x != 0) {
        const bits_t<T> rest = (bits_t<T>)(y % x);
        y = x;
        x = rest;
    }
    return (T)y;
}

template <class T> GNDI_FN T lcm(T a, T b) {
    const bits_t<T> divisor = (bits_t<T>)gcd(a, b);
    if (divisor == 0) return 0;
    return (T)((wrap_t<T>)(magnitude(a) / divisor) * (wrap_t<T>)magnitude(b));
}

} // namespace ops
} // namespace gnd

#endif
