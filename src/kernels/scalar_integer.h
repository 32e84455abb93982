/*
 * scalar_integer.h: floor_divide, remainder, fmod, divmod, gcd, lcm. An integer divided by zero
 * gives 0; the lowest integer divided by -1 gives itself, remainder 0.
 */
#ifndef GNDI_SCALAR_INTEGER_H
#define GNDI_SCALAR_INTEGER_H

#include "scalar_arith.h"

namespace gnd {
namespace ops {

/* Floored quotient and remainder of integers. */
template <class T> GNDI_FN pair<T, T> divmod_int(T a, T b) {
    if (b == 0) return {(T)0, (T)0};
    if constexpr (is_signed_int<T>) {
        if (b == -1) return {negative(a), (T)0}; /* the lowest integer would overflow */
        T quotient = (T)(a / b), rest = (T)(a % b);
        if (rest != 0 && (rest < 0) != (b < 0)) {
            quotient = (T)(quotient - 1);
            rest = (T)(rest + b);
        }
        return {quotient, rest};
    } else {
        return {(T)(a / b), (T)(a % b)};
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
        if (b == 0) return 0;
        if constexpr (is_signed_int<T>) {
            if (b == -1) return 0;
        }
        return (T)(a % b);
    } else {
        return m::fmod(a, b);
    }
}

/* |a| as an unsigned integer: right for the lowest integer too. */
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
