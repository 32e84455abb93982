/*
 * samples_ops.h: numbers as files store them, for both backends.
 */
#ifndef GNDI_SAMPLES_OPS_H
#define GNDI_SAMPLES_OPS_H

#include "kernels/scalar/scalar_math.h"
#include "samples/samples_plan.h"

namespace gnd {
namespace samples {

typedef gndi_samples_plan samples_t;

/* ---- byte order ----------------------------------------------------------------------------- */

GNDI_FN uint8_t swap_bytes(uint8_t u) {
    return u;
}
GNDI_FN uint16_t swap_bytes(uint16_t u) {
    return (uint16_t)(u << 8 | u >> 8);
}
GNDI_FN uint32_t swap_bytes(uint32_t u) {
#ifdef __CUDA_ARCH__
    return __byte_perm(u, 0, 0x0123);
#else
    return __builtin_bswap32(u);
#endif
}
GNDI_FN uint64_t swap_bytes(uint64_t u) {
    return (uint64_t)swap_bytes((uint32_t)u) << 32 | swap_bytes((uint32_t)(u >> 32));
}

/* ---- numbers of whole bytes ----------------------------------------------------------------- */

/* S is what is stored, U an unsigned integer of its size. */
template <class S, class U> union bits_of {
    U bits;
    S number;
};
template <class S> constexpr bool IS_STORED_FLOAT = S(0.5) != S(0);

/* The highest bit of flipped integers, else 0. */
template <class U> GNDI_FN U flip_of(const samples_t &p) {
    return p.flipped ? (U)((U)1 << (8 * sizeof(U) - 1)) : (U)0;
}

template <class S, class U, class V> GNDI_FN V unpack(U bits, bool swapped, U flip, V scale) {
    bits_of<S, U> one;
    one.bits = (U)((swapped ? swap_bytes(bits) : bits) ^ flip);
    return IS_STORED_FLOAT<S> ? (V)one.number : (V)one.number * scale;
}

/* The nearest integer within bounds; NaN is 0. Adding 1.5 * 2^52 leaves no place for a fraction. */
GNDI_FN double to_whole(double x, double least, double most) {
    x = x < least ? least : x > most ? most : x;
    return x == x ? m::add(m::add(x, 0x1.8p52), -0x1.8p52) : 0;
}
template <class S> struct bounds_of {
    static constexpr bool SIGNED = S(-1) < S(0);
    static constexpr double MOST = (double)((uint64_t)1 << (8 * sizeof(S) - SIGNED)) - 1,
                            LEAST = SIGNED ? -MOST - 1 : 0;
};

template <class S, class U, class V> GNDI_FN U pack(V value, bool swapped, U flip, double scale) {
    bits_of<S, U> one;
    if constexpr (IS_STORED_FLOAT<S>)
        one.number = (S)value;
    else
        one.number = (S)to_whole((double)value * scale, bounds_of<S>::LEAST, bounds_of<S>::MOST);
    one.bits ^= flip;
    return swapped ? swap_bytes(one.bits) : one.bits;
}

/* ---- two numbers of 12 bits in three bytes -------------------------------------------------- */

template <class V> GNDI_FN void unpack_pair(const uint8_t *b, bool swapped, V scale, V *to) {
    const unsigned first = swapped ? (unsigned)b[0] << 4 | b[1] >> 4 : ((unsigned)b[1] & 15) << 8 | b[0];
    const unsigned second = swapped ? ((unsigned)b[1] & 15) << 8 | b[2] : (unsigned)b[2] << 4 | b[1] >> 4;
    to[0] = (V)((int)(first ^ 0x800) - 0x800) * scale;
    to[1] = (V)((int)(second ^ 0x800) - 0x800) * scale;
}
template <class V> GNDI_FN void pack_pair(const V *from, bool swapped, double scale, uint8_t *b) {
    const unsigned first = (unsigned)(int)to_whole((double)from[0] * scale, -2048, 2047) & 0xfff;
    const unsigned second = (unsigned)(int)to_whole((double)from[1] * scale, -2048, 2047) & 0xfff;
    b[0] = (uint8_t)(swapped ? first >> 4 : first);
    b[1] = (uint8_t)(swapped ? (first & 15) << 4 | second >> 8 : first >> 8 | (second & 15) << 4);
    b[2] = (uint8_t)(swapped ? second : second >> 4);
}

} // namespace samples
} // namespace gnd

#endif
