/*
 * scalar_bitwise.h: bitwise_and, bitwise_or, bitwise_xor, invert, shifts, bitwise_count. A shift by
 * the width or more, or by a negative number, moves every bit out: 0, or -1 for a negative number
 * shifted right.
 */
#ifndef GNDI_SCALAR_BITWISE_H
#define GNDI_SCALAR_BITWISE_H

#include "scalar_arith.h"

namespace gnd {
namespace ops {

template <class T> GNDI_FN T bitwise_and(T a, T b) {
    return (T)(a & b);
}
template <class T> GNDI_FN T bitwise_or(T a, T b) {
    return (T)(a | b);
}
template <class T> GNDI_FN T bitwise_xor(T a, T b) {
    return (T)(a ^ b);
}
template <class T> GNDI_FN T invert(T a) {
    if constexpr (is_bool<T>)
        return !a;
    else
        return (T)~a;
}

template <class T> GNDI_FN T left_shift(T a, T b) {
    const wrap_t<T> width = sizeof(T) * 8, by = (bits_t<T>)b;
    return by < width ? (T)((wrap_t<T>)a << (by & (width - 1))) : (T)0;
}
template <class T> GNDI_FN T right_shift(T a, T b) {
    const wrap_t<T> width = sizeof(T) * 8, by = (bits_t<T>)b;
    return by < width ? (T)(a >> (by & (width - 1))) : (T)(is_negative(a) ? -1 : 0);
}

/* The number of ones in |a|. */
template <class T> GNDI_FN uint8_t bitwise_count(T a) {
    const bits_t<T> x = (bits_t<T>)absolute(a);
#if GNDI_ON_DEVICE
    if constexpr (sizeof(T) == 8)
        return (uint8_t)__popcll(x);
    else
        return (uint8_t)__popc(x);
#else
    if constexpr (sizeof(T) == 8)
        return (uint8_t)__builtin_popcountll(x);
    else
        return (uint8_t)__builtin_popcount(x);
#endif
}

} // namespace ops
} // namespace gnd

#endif
