/*
 * sort_keys.hpp: elements as signed numbers that order as the elements do. A key keeps all bits of
 * its element, so that it can be converted back: -0.0 comes just before 0.0, and NaN of either sign
 * lie outside the numbers. Where only the order counts, `plain` makes one key of both zeros, and one
 * of all NaN; an order's leads, packed into one number with an index, make any sort of numbers a stable
 * sort of indices.
 */
#ifndef GNDI_CPU_SORT_KEYS_HPP
#define GNDI_CPU_SORT_KEYS_HPP

#include "kernels/scalar/scalar_types.h"
#include <algorithm>
#include <gnd/dtype.h>

namespace gnd {

/* Elements of real dtypes by their bits: S is the signed integer of their size. */
template <class S> struct signed_code {
    typedef S bits;
    static constexpr bool is_float = false;
    GNDI_FN bool is_nan(S) { return false; }
    GNDI_FN bool is_zero(S x) { return x == 0; }
    GNDI_FN S key(S x) { return x; }
    GNDI_FN S element(S key) { return key; }
    GNDI_FN S plain(S x) { return x; }
};
template <class S> struct unsigned_code {
    typedef S bits;
    static constexpr bool is_float = false;
    static constexpr S top = (S)((uint64_t)1 << (sizeof(S) * 8 - 1));
    GNDI_FN bool is_nan(S) { return false; }
    GNDI_FN bool is_zero(S x) { return x == 0; }
    GNDI_FN S key(S x) { return (S)(x ^ top); }
    GNDI_FN S element(S key) { return (S)(key ^ top); }
    GNDI_FN S plain(S x) { return key(x); }
};
template <class S, S Infinity> struct float_code {
    typedef S bits;
    static constexpr bool is_float = true;
    static constexpr S infinity = Infinity, all = (S) ~((uint64_t)1 << (sizeof(S) * 8 - 1));
    GNDI_FN bool is_nan(S x) { return (S)(x & all) > Infinity; }
    GNDI_FN bool is_zero(S x) { return (S)(x & all) == 0; }
    GNDI_FN S key(S x) { return (S)(x ^ (x < 0 ? all : (S)0)); }
    GNDI_FN S element(S key) { return (S)(key ^ (key < 0 ? all : (S)0)); }
    GNDI_FN S plain(S x) {
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

/* ---- orders --------------------------------------------------------------------------------- */

/* How elements of a dtype compare where only their order counts: `lead` is an unsigned number that is
   never larger for an element that comes before, made of the key's first 64 bits, `bits` of which,
   the upper ones, are used; `before` decides where the leads are equal. */
template <class Code> struct real_order {
    typedef typename Code::bits element;
    static constexpr int bits = (int)sizeof(element) * 8;
    static constexpr bool exact = true;
    GNDI_FN uint64_t lead(element x) { return ((uint64_t)Code::plain(x) << (64 - bits)) ^ (uint64_t)1 << 63; }
    GNDI_FN bool before(element, element) { return false; }
    /* The same order in as few bits as there are; ~rank turns it round, in leads too. */
    typedef element rank_type;
    GNDI_FN element rank(element x) { return Code::plain(x); }
};

template <class S> struct complex_bits { S re, im; };
/* Complex numbers by the keys of both parts; those with a NaN come last, first those with a NaN
   imaginary part, then a NaN real part, then both, each kind by its other part. */
template <class Code> struct complex_order {
    typedef typename Code::bits S;
    typedef complex_bits<S> element;
    static constexpr int width = (int)sizeof(S) * 8, bits = 64;
    static constexpr bool exact = width == 32;
    /* The upper part of the key: no number has one of the last values, only NaN. */
    GNDI_FN uint64_t high(element x) {
        const bool nan_re = Code::is_nan(x.re), nan_im = Code::is_nan(x.im);
        const uint64_t last = (uint64_t) ~(uint64_t)0 >> (64 - width);
        if (nan_re) return last - !nan_im;
        return nan_im ? last - 2 : part(x.re);
    }
    GNDI_FN uint64_t low(element x) {
        if (Code::is_nan(x.re)) return Code::is_nan(x.im) ? 0 : part(x.im);
        return Code::is_nan(x.im) ? part(x.re) : part(x.im);
    }
    GNDI_FN uint64_t lead(element x) {
        if constexpr (exact) return high(x) << 32 | low(x);
        return high(x);
    }
    typedef uint64_t rank_type;
    GNDI_FN uint64_t rank(element x) { return lead(x); }
    GNDI_FN bool before(element x, element y) {
        if constexpr (exact) return false;
        return low(x) < low(y);
    }

  private:
    GNDI_FN uint64_t part(S x) {
        return ((uint64_t)Code::plain(x) ^ (uint64_t)1 << (width - 1)) & (uint64_t) ~(uint64_t)0 >> (64 - width);
    }
};

/* Calls f with the order of any dtype. */
template <class F> static void with_order(int dtype, F f) {
    if (dtype == GND_COMPLEX64) return f(complex_order<float32_code>());
    if (dtype == GND_COMPLEX128) return f(complex_order<float64_code>());
    with_code(dtype, [&f](auto code) { f(real_order<decltype(code)>()); });
}

/* Whether element i of x comes before element j; equal ones by their indices. */
template <class Order> struct comes_before {
    const typename Order::element *x;
    uint64_t flip; /* all ones: descending */
    bool operator()(int64_t i, int64_t j) const {
        const auto u = x[i], v = x[j];
        const uint64_t s = Order::lead(u) ^ flip, t = Order::lead(v) ^ flip;
        if (s != t) return s < t;
        if (flip ? Order::before(v, u) : Order::before(u, v)) return true;
        if (flip ? Order::before(u, v) : Order::before(v, u)) return false;
        return i < j;
    }
};

/* ---- leads and indices in one number --------------------------------------------------------- */

/* What of a lead goes into a number beside `index_bits` of an index: the range of all leads, shifted
   up as far as it goes. Such numbers are signed; sorted, they order elements by lead and then by index,
   unless bits of the leads are lost: then equal ones are to be looked at again. */
struct packing {
    uint64_t flip, least, kept; /* all ones if descending; of the flipped leads; which bits */
    int shift;
    bool exact;
    int64_t pack(uint64_t lead, int64_t index) const {
        const uint64_t upper = ((lead ^ flip) - least) << shift;
        return (int64_t)(((upper & kept) | (uint64_t)index) ^ (uint64_t)1 << 63);
    }
    int64_t index(int64_t number) const { return (int64_t)((uint64_t)number & ~kept); }
    bool alike(int64_t a, int64_t b) const { return !((uint64_t)(a ^ b) & kept); }
};

GNDI_FN int bits_for(int64_t n) {
    return n <= 1 ? 0 : 64 - __builtin_clzll((unsigned long long)(n - 1));
}
/* For n indices, and leads that lie between these once they are flipped. */
template <class Order> GNDI_FN packing make_packing(int64_t n, bool descending, uint64_t least, uint64_t most) {
    const int indices = bits_for(n);
    packing p;
    p.flip = descending ? ~(uint64_t)0 : 0;
    p.kept = indices ? ~(uint64_t)0 << indices : ~(uint64_t)0;
    p.least = least;
    p.shift = most > least ? __builtin_clzll(most - least) : 0;
    p.exact = Order::exact && (most == least || p.shift + 64 - Order::bits >= indices);
    return p;
}
/* Whether the leads' range matters: their used bits and an index's do not fit one number. */
template <class Order> static inline bool needs_range(int64_t n) {
    return Order::bits + bits_for(n) > 64;
}

/* For the n elements that `at` gives. */
template <class Order, class At> static packing packing_of(int64_t n, bool descending, At at) {
    uint64_t least = 0, most = ~(uint64_t)0;
    if (needs_range<Order>(n)) {
        const uint64_t flip = descending ? ~(uint64_t)0 : 0;
        least = ~(uint64_t)0, most = 0;
        for (int64_t i = 0; i < n; i++) {
            const uint64_t lead = Order::lead(at(i)) ^ flip;
            least = lead < least ? lead : least, most = lead > most ? lead : most;
        }
    }
    return make_packing<Order>(n, descending, least, most);
}

/* Puts numbers in order whose leads are equal as far as they were kept. `at` gives the element of a
   index in the row. */
template <class Order, class At> static void settle(const packing &p, int64_t *x, int64_t n, At at) {
    const uint64_t flip = p.flip;
    const auto before = [&](int64_t a, int64_t b) {
        const int64_t i = p.index(a), j = p.index(b);
        const auto u = at(i), v = at(j);
        const uint64_t s = Order::lead(u) ^ flip, t = Order::lead(v) ^ flip;
        if (s != t) return s < t;
        if (flip ? Order::before(v, u) : Order::before(u, v)) return true;
        if (flip ? Order::before(u, v) : Order::before(v, u)) return false;
        return i < j;
    };
    for (int64_t i = 0; i < n;) {
        int64_t end = i + 1;
        while (end < n && p.alike(x[i], x[end])) end++;
        if (end - i > 1 && !std::is_sorted(x + i, x + end, before)) std::sort(x + i, x + end, before);
        i = end;
    }
}

} // namespace gnd

#endif
