/*
 * sort_keys.cuh: elements as the sorting kernels see them: keys, which are as good as the bits they
 * are made of, and the order of a key, an unsigned integer. A class of keys is a template argument;
 * what depends on the dtype beyond that is a rule's numbers.
 */
#ifndef GNDI_SORT_KEYS_CUH
#define GNDI_SORT_KEYS_CUH

#include "kernels/cuda/digits.cuh"
#include "sort/cuda/sort_params.h"

namespace gnd {

/* The order of a real key; unless Exact, NaN are in some order among themselves. */
template <class U, bool Exact = true> GNDI_FN U order_of_part(const gndi_sort_rule &r, U key) {
    const U zero = key == (U)r.negative_zero ? (U)r.zero : key;
    return Exact && key > (U)r.last ? (U) ~(U)0 : zero;
}
template <class U> GNDI_FN U encode_part(const gndi_sort_rule &r, U bits) {
    return (U)((bits ^ (bits & (U)r.top ? (U)r.negative : (U)r.positive)) - (U)r.shift);
}
/* `positive` has the top bit wherever `negative` keeps or clears it, so that it tells them apart. */
template <class U> GNDI_FN U decode_part(const gndi_sort_rule &r, U key) {
    const U bits = (U)(key + (U)r.shift);
    return bits ^ (bits & (U)r.top ? (U)r.positive : (U)r.negative);
}

/* Key: what passes hand on. Order: an unsigned integer. Bits: the element in memory. Alone: what is
   good enough where values are sorted without their indices. */
template <class U, bool Exact = true> struct real_keys {
    typedef real_keys<U, false> Alone;
    typedef U Key;
    typedef U Bits;
    typedef choose_t<sizeof(U) == 8, uint64_t, uint32_t> Order;
    GNDI_FN Key encode(const gndi_sort_rule &r, Bits bits) { return encode_part<U>(r, bits); }
    GNDI_FN Bits decode(const gndi_sort_rule &r, Key key) { return decode_part<U>(r, key); }
    GNDI_FN Order order(const gndi_sort_rule &r, Key key) { return (U)(order_of_part<U, Exact>(r, key) ^ (U)r.flip); }
    /* A key that none comes after. */
    GNDI_FN Key highest(const gndi_sort_rule &r) { return r.flip ? (U)0 : (U) ~(U)0; }
};

/* Keys of integers, which are their own order: a digit of one is taken more often than a key is made. */
template <class U> struct whole_keys {
    typedef whole_keys Alone;
    typedef U Key;
    typedef U Bits;
    typedef choose_t<sizeof(U) == 8, uint64_t, uint32_t> Order;
    GNDI_FN Key encode(const gndi_sort_rule &r, Bits bits) { return bits ^ (U)(r.positive ^ r.flip); }
    GNDI_FN Bits decode(const gndi_sort_rule &r, Key key) { return key ^ (U)(r.positive ^ r.flip); }
    GNDI_FN Order order(const gndi_sort_rule &, Key key) { return key; }
    GNDI_FN Key highest(const gndi_sort_rule &) { return (U) ~(U)0; }
};

/* Numbers by real, then imaginary part, then those with a NaN imaginary part, real part, both. */
template <class U, class O> GNDI_FN O complex_order(const gndi_sort_rule &r, U re, U im) {
    const bool re_nan = re > (U)r.last, im_nan = im > (U)r.last;
    const U real = order_of_part<U>(r, re), imaginary = order_of_part<U>(r, im);
    const U high = re_nan ? (im_nan ? (U) ~(U)0 : (U)((U)r.last + 2)) : (im_nan ? (U)((U)r.last + 1) : real);
    const U low = re_nan ? (im_nan ? (U) ~(U)0 : imaginary) : (im_nan ? real : imaginary);
    const O order = (O)high << (8 * (int)sizeof(U)) | low;
    return r.flip ? ~order : order;
}

struct complex64_keys {
    typedef complex64_keys Alone;
    typedef uint64_t Key;
    typedef uint64_t Bits; /* the real part is the lower half */
    typedef uint64_t Order;
    GNDI_FN Key encode(const gndi_sort_rule &r, Bits bits) {
        return (uint64_t)encode_part<uint32_t>(r, (uint32_t)(bits >> 32)) << 32 |
               encode_part<uint32_t>(r, (uint32_t)bits);
    }
    GNDI_FN Bits decode(const gndi_sort_rule &r, Key key) {
        return (uint64_t)decode_part<uint32_t>(r, (uint32_t)(key >> 32)) << 32 |
               decode_part<uint32_t>(r, (uint32_t)key);
    }
    GNDI_FN Order order(const gndi_sort_rule &r, Key key) {
        return complex_order<uint32_t, uint64_t>(r, (uint32_t)key, (uint32_t)(key >> 32));
    }
    GNDI_FN Key highest(const gndi_sort_rule &r) { return r.flip ? 0 : ~(uint64_t)0; }
};

struct alignas(16) two_words {
    uint64_t re, im;
};
struct complex128_keys {
    typedef complex128_keys Alone;
    typedef two_words Key;
    typedef two_words Bits;
    typedef unsigned __int128 Order;
    GNDI_FN Key encode(const gndi_sort_rule &r, Bits bits) {
        return two_words{encode_part<uint64_t>(r, bits.re), encode_part<uint64_t>(r, bits.im)};
    }
    GNDI_FN Bits decode(const gndi_sort_rule &r, Key key) {
        return two_words{decode_part<uint64_t>(r, key.re), decode_part<uint64_t>(r, key.im)};
    }
    GNDI_FN Order order(const gndi_sort_rule &r, Key key) {
        return complex_order<uint64_t, unsigned __int128>(r, key.re, key.im);
    }
    GNDI_FN Key highest(const gndi_sort_rule &r) {
        const uint64_t part = r.flip ? 0 : ~(uint64_t)0;
        return two_words{part, part};
    }
};

/* ---- indices in memory ----------------------------------------------------------------------- */

GNDI_FN_HEAVY int64_t offset_by_axes(const gndi_sort_plan &p, const int64_t *stride, int64_t row) {
    int64_t offset = 0;
#pragma unroll 1
    for (int i = p.ndim - 1; i > 0; i--) offset += take_digit(row, p.shape[i]) * stride[i];
    return offset + row * stride[0];
}
/* How far the first element of a row is from `data`. */
GNDI_FN int64_t row_offset(const gndi_sort_plan &p, const int64_t *stride, int64_t row) {
    if (p.ndim > 1) return offset_by_axes(p, stride, row);
    return p.ndim ? row * stride[0] : 0;
}

template <class T> GNDI_FN T load_at(const char *p) {
    if constexpr (is_same<T, two_words>) {
        const uint64_t *words = reinterpret_cast<const uint64_t *>(p);
        return two_words{words[0], words[1]};
    } else {
        return *reinterpret_cast<const T *>(p);
    }
}
template <class T> GNDI_FN void store_at(char *p, T x) {
    if constexpr (is_same<T, two_words>) {
        uint64_t *words = reinterpret_cast<uint64_t *>(p);
        words[0] = x.re, words[1] = x.im;
    } else {
        *reinterpret_cast<T *>(p) = x;
    }
}

} // namespace gnd

#endif
