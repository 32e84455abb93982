/*
 * scalar_cast.h: cast<To>(x) between any two of the 15 dtypes, as NumPy 2 does on x86-64, and
 * conversions between storage and compute types.
 *
 * A floating number outside an integer's range gives the result of the CPU's conversion instruction
 * ("integer indefinite", the lowest int32 or int64); 8- and 16-bit integers are the low bits of an
 * int32. uint32 and uint64 are made of two signed halves. Complex to real drops the imaginary part;
 * anything to bool is x != 0, so NaN is true. Rounding to 16 bits happens once, from float64 too.
 */
#ifndef GNDI_SCALAR_CAST_H
#define GNDI_SCALAR_CAST_H

#include "scalar_types.h"

namespace gnd {

/* ---- float16, bfloat16 <-> float, double ---------------------------------------------------- */

GNDI_FN float to_float(float16 h) {
#if GNDI_ON_DEVICE
    float f;
    asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h.bits));
    return f;
#else
    /* The half's exponent and mantissa, shifted up by 13 bits, are a float that is 2^112 too small; the product is
       exact, subnormals included. Without branches, so that loops vectorize. */
    const uint32_t magnitude = (uint32_t)(h.bits & 0x7fffu) << 13;
    uint32_t u = to_bits(from_bits(magnitude) * 0x1p112f);
    u |= magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
    return from_bits(u | (uint32_t)(h.bits & 0x8000u) << 16);
#endif
}
GNDI_FN float to_float(bfloat16 h) {
    return from_bits((uint32_t)h.bits << 16);
}

/* Ties to even, as everywhere. */
GNDI_FN float16 to_float16(float x) {
#if GNDI_ON_DEVICE
    float16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x));
    return h;
#else
    const uint32_t u = to_bits(x), a = u & 0x7fffffffu;
    const uint32_t normal = (a + 0xfffu + ((a >> 13) & 1u) - 0x38000000u) >> 13;
    /* Adding 0.5 aligns the last place of the sum with the last place of a subnormal half. */
    const uint32_t subnormal = to_bits(from_bits(a) + 0.5f) - 0x3f000000u;
    const uint32_t special = a > 0x7f800000u ? 0x7e00u | ((a >> 13) & 0x3ffu) : 0x7c00u;
    uint32_t h = a < 0x38800000u ? subnormal : normal;
    h = a >= 0x47800000u ? special : h;
    return float16{(uint16_t)(h | (u >> 16 & 0x8000u))};
#endif
}
GNDI_FN bfloat16 to_bfloat16(float x) {
    const uint32_t u = to_bits(x);
    const uint32_t rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    const uint32_t nan = (u >> 16) | 0x40u;
    return bfloat16{(uint16_t)((u & 0x7fffffffu) > 0x7f800000u ? nan : rounded)};
}

/* To float, an inexact result made odd: rounding that once more to 16 bits gives what rounding x
   directly would (Boldo and Melquiond, "When double rounding is odd", 2005). */
GNDI_FN float to_float_odd(double x) {
    const float f = (float)x;
    const double back = (double)f;
    const double magnitude = x < 0 ? -x : x, back_magnitude = back < 0 ? -back : back;
    const uint32_t u = to_bits(f);
    const uint32_t odd = (u - (back_magnitude > magnitude ? 1u : 0u)) | 1u;
    return from_bits(back_magnitude > magnitude || back_magnitude < magnitude ? odd : u);
}
GNDI_FN float16 to_float16(double x) {
    return to_float16(to_float_odd(x));
}
GNDI_FN bfloat16 to_bfloat16(double x) {
    return to_bfloat16(to_float_odd(x));
}

/* ---- storage <-> compute -------------------------------------------------------------------- */

template <class S> GNDI_FN compute_t<S> to_compute(S x) {
    if constexpr (is_half<S>)
        return to_float(x);
    else
        return x;
}
template <class S> GNDI_FN S from_compute(compute_t<S> x) {
    if constexpr (is_same<S, float16>)
        return to_float16(x);
    else if constexpr (is_same<S, bfloat16>)
        return to_bfloat16(x);
    else
        return x;
}
/* x, computed in a wider type, rounded to S: where NumPy rounds between two steps. */
template <class S> GNDI_FN compute_t<S> rounded(compute_t<S> x) {
    if constexpr (is_half<S>)
        return to_float(from_compute<S>(x));
    else
        return x;
}

/* ---- floating to integer -------------------------------------------------------------------- */

/* As cvttss2si and cvttsd2si: the lowest integer for NaN and numbers out of range. */
template <class F> GNDI_FN int32_t truncate_to_int32(F x) {
#if !GNDI_ON_DEVICE && defined(__x86_64__)
    return (int32_t)x; /* that instruction, or its vector form */
#else
    const bool fits = x > (F)-2147483649.0 && x < (F)2147483648.0;
    return fits || x == (F)-2147483648.0 ? (int32_t)x : lowest_int<int32_t>();
#endif
}
template <class F> GNDI_FN int64_t truncate_to_int64(F x) {
#if !GNDI_ON_DEVICE && defined(__x86_64__)
    return (int64_t)x;
#else
    const bool fits = x >= (F)-9223372036854775808.0 && x < (F)9223372036854775808.0;
    return fits ? (int64_t)x : lowest_int<int64_t>();
#endif
}
template <class F> GNDI_FN uint32_t truncate_to_uint32(F x) {
    const F half = (F)2147483648.0;
    return x >= half ? (uint32_t)truncate_to_int32(x - half) ^ 0x80000000u : (uint32_t)truncate_to_int32(x);
}
template <class F> GNDI_FN uint64_t truncate_to_uint64(F x) {
    const F half = (F)9223372036854775808.0;
    return x >= half ? (uint64_t)truncate_to_int64(x - half) ^ 0x8000000000000000ull : (uint64_t)truncate_to_int64(x);
}
template <class To, class F> GNDI_FN To truncate_to(F x) {
    if constexpr (is_same<To, uint32_t>)
        return truncate_to_uint32(x);
    else if constexpr (is_same<To, int64_t>)
        return truncate_to_int64(x);
    else if constexpr (is_same<To, uint64_t>)
        return truncate_to_uint64(x);
    else
        return (To)truncate_to_int32(x);
}

/* ---- any to any ----------------------------------------------------------------------------- */

template <class T> GNDI_FN bool is_nonzero(T x) {
    if constexpr (is_complex<T>)
        return (x.re != 0) | (x.im != 0);
    else if constexpr (is_half<T>)
        return (x.bits & 0x7fffu) != 0;
    else
        return x != 0;
}

/* From and To are storage types. */
template <class To, class From> GNDI_FN To cast(From x) {
    if constexpr (is_same<To, From>) {
        return x;
    } else if constexpr (is_bool<To>) {
        return is_nonzero(x);
    } else if constexpr (is_complex<To>) {
        typedef real_t<To> R;
        if constexpr (is_complex<From>)
            return To{(R)x.re, (R)x.im};
        else
            return To{cast<R>(x), (R)0};
    } else if constexpr (is_complex<From>) {
        return cast<To>(x.re);
    } else if constexpr (is_same<From, float16> && is_same<To, uint32_t>) {
        /* NumPy has no vector loop for this one: infinity and NaN give 0. */
        const int32_t i = truncate_to_int32(to_float(x));
        return i == lowest_int<int32_t>() ? 0u : (uint32_t)i;
    } else if constexpr (is_half<From>) {
        return cast<To>(to_float(x));
    } else if constexpr (is_same<To, float16>) {
        if constexpr (is_same<From, double>)
            return to_float16(x);
        else
            return to_float16((float)x);
    } else if constexpr (is_same<To, bfloat16>) {
        if constexpr (is_same<From, double>)
            return to_bfloat16(x);
        else
            return to_bfloat16((float)x);
    } else if constexpr (is_float<From> && is_int<To>) {
        return truncate_to<To>(x);
    } else {
        return (To)x;
    }
}

/* Loads an operand of storage type From in a loop of storage type S: the value is rounded to S, as NumPy casts
   inputs to the loop's dtype; and stores a result from S to the output's To. */
template <class S, class From> GNDI_FN compute_t<S> load_as(From x) {
    return to_compute(cast<S>(x));
}
template <class To, class S> GNDI_FN To store_as(compute_t<S> x) {
    return cast<To>(from_compute<S>(x));
}

} // namespace gnd

#endif
