/*
 * sort_keys.hpp: elements as signed numbers that order as the elements do. A key keeps all bits of
 * its element, so that it can be turned back: -0.0 comes just before 0.0, and NaN of either sign
 * lie outside the numbers. Where only the order counts, `plain` makes one key of both zeros, and one
 * of all NaN.
 */
#ifndef GNDI_CPU_SORT_KEYS_HPP
#define GNDI_CPU_SORT_KEYS_HPP

#include "kernels/scalar_types.h"
#include <gnd/dtype.h>

namespace gnd {

/* Elements of real dtypes by their bits: S is the signed integer of their size. */
template <class S> struct signed_code {
    typedef S bits;
    static constexpr bool is_float = false;
    static bool is_nan(S) { return false; }
    static bool is_zero(S x) { return x == 0; }
    static S key(S x) { return x; }
    static S element(S key) { return key; }
    static S plain(S x) { return x; }
};
template <class S> struct unsigned_code {
    typedef S bits;
    static constexpr bool is_float = false;
    static constexpr S top = (S)((uint64_t)1 << (sizeof(S) * 8 - 1));
    static bool is_nan(S) { return false; }
    static bool is_zero(S x) { return x == 0; }
    static S key(S x) { return (S)(x ^ top); }
    static S element(S key) { return (S)(key ^ top); }
    static S plain(S x) { return key(x); }
};
template <class S, S Infinity> struct float_code {
    typedef S bits;
    static constexpr bool is_float = true;
    static constexpr S all = (S) ~((uint64_t)1 << (sizeof(S) * 8 - 1));
    static bool is_nan(S x) { return (S)(x & all) > Infinity; }
    static bool is_zero(S x) { return (S)(x & all) == 0; }
    static S key(S x) { return (S)(x ^ (x < 0 ? all : (S)0)); }
    static S element(S key) { return (S)(key ^ (key < 0 ? all : (S)0)); }
    static S plain(S x) {
        const S k = is_nan(x) ? all : key(x);
        return k == (S)-1 ? (S)0 : k;
    }
};

typedef float_code<int16_t, 0x7c00> float16_code;
typedef float_code<int16_t, 0x7f80> bfloat16_code;
typedef float_code<int32_t, 0x7f800000> float32_code;
typedef float_code<int64_t, 0x7ff0000000000000> float64_code;

/* Calls f with the code of a real dtype. */
template <class F> static void with_code(int dtype, F f) {
    switch (dtype) {
    case GND_INT8: return f(signed_code<int8_t>());
    case GND_BOOL:
    case GND_UINT8: return f(unsigned_code<int8_t>());
    case GND_INT16: return f(signed_code<int16_t>());
    case GND_UINT16: return f(unsigned_code<int16_t>());
    case GND_INT32: return f(signed_code<int32_t>());
    case GND_UINT32: return f(unsigned_code<int32_t>());
    case GND_INT64: return f(signed_code<int64_t>());
    case GND_UINT64: return f(unsigned_code<int64_t>());
    case GND_FLOAT16: return f(float16_code());
    case GND_BFLOAT16: return f(bfloat16_code());
    case GND_FLOAT32: return f(float32_code());
    default: return f(float64_code());
    }
}

/* The two parts of a complex number as one key each, unsigned: those with a NaN come last, first
   those with a NaN imaginary part, then a NaN real part, then both, each kind by the other part. */
template <class Code> static inline void complex_key(typename Code::bits re, typename Code::bits im,
                                                     uint64_t *high, uint64_t *low) {
    typedef typename Code::bits S;
    const uint64_t top = (uint64_t)1 << (sizeof(S) * 8 - 1), end = top ^ (uint64_t)Code::all;
    const uint64_t mask = top | (top - 1);
    const uint64_t a = ((uint64_t)Code::plain(re) ^ top) & mask;
    const uint64_t b = ((uint64_t)Code::plain(im) ^ top) & mask;
    const bool nan_re = Code::is_nan(re), nan_im = Code::is_nan(im);
    /* No real part has one of the last keys but NaN, which has the very last. */
    *high = nan_re ? end - !nan_im : nan_im ? end - 2 : a;
    *low = nan_re ? (nan_im ? 0 : b) : nan_im ? a : b;
}

} // namespace gnd

#endif
