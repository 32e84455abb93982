/*
 * isin_ops.h: elements as keys of a set, on both backends. Equal elements have one key, and NaN,
 * which equals nothing, has none. A set is an array of slots, a power of two of them and at least
 * twice as many as there are keys: a key is in the first free slot from the one that its hash names.
 * All bits set mark a slot as free; whether that key itself is in the set is told by one more slot
 * behind the others.
 */
#ifndef GNDI_ISIN_OPS_H
#define GNDI_ISIN_OPS_H

#include "kernels/scalar/scalar_types.h"
#include "sort/search_plan.h"

namespace gnd {

/* ---- keys ----------------------------------------------------------------------------------- */

/* Integers of one size. */
template <class Raw, class Key> struct isin_bits {
    typedef Raw raw;
    typedef Key key;
    GNDI_FN bool has_key(Raw a, Key *k) {
        *k = a;
        return true;
    }
};

/* Floating numbers by their bits; `Infinity`: those of infinity. */
template <class Raw, class Key, Raw Infinity> struct isin_float {
    typedef Raw raw;
    typedef Key key;
    GNDI_FN bool has_key(Raw a, Key *k) {
        const Raw size = a & (Raw) ~((Raw)1 << (8 * sizeof(Raw) - 1));
        *k = size == 0 ? 0 : a;
        return size <= Infinity;
    }
};

struct isin_complex {
    typedef uint64_t raw;
    typedef uint64_t key;
    typedef isin_float<uint32_t, uint32_t, 0x7f800000> part;
    GNDI_FN bool has_key(uint64_t a, uint64_t *k) {
        uint32_t low, high;
        const bool has_low = part::has_key((uint32_t)a, &low);
        const bool has_high = part::has_key((uint32_t)(a >> 32), &high);
        *k = (uint64_t)high << 32 | low;
        return has_low & has_high;
    }
};

/* Calls `f` with the kind of a dtype, which has 8 bytes at most. */
template <class F> auto with_isin_kind(int dtype, F f) {
    switch (dtype) {
    case GND_BOOL:
    case GND_INT8:
    case GND_UINT8: return f(isin_bits<uint8_t, uint32_t>());
    case GND_INT16:
    case GND_UINT16: return f(isin_bits<uint16_t, uint32_t>());
    case GND_INT32:
    case GND_UINT32: return f(isin_bits<uint32_t, uint32_t>());
    case GND_FLOAT16: return f(isin_float<uint16_t, uint32_t, 0x7c00>());
    case GND_BFLOAT16: return f(isin_float<uint16_t, uint32_t, 0x7f80>());
    case GND_FLOAT32: return f(isin_float<uint32_t, uint32_t, 0x7f800000>());
    case GND_FLOAT64: return f(isin_float<uint64_t, uint64_t, UINT64_C(0x7ff0000000000000)>());
    case GND_COMPLEX64: return f(isin_complex());
    default: return f(isin_bits<uint64_t, uint64_t>());
    }
}

/* ---- slots ---------------------------------------------------------------------------------- */

/* Appleby's finalisers of MurmurHash3: every bit of a key decides about every bit of the hash. */
GNDI_FN uint64_t isin_hash(uint32_t k) {
    k = (k ^ k >> 16) * UINT32_C(0x85ebca6b);
    k = (k ^ k >> 13) * UINT32_C(0xc2b2ae35);
    return k ^ k >> 16;
}
GNDI_FN uint64_t isin_hash(uint64_t k) {
    k = (k ^ k >> 33) * UINT64_C(0xff51afd7ed558ccd);
    k = (k ^ k >> 33) * UINT64_C(0xc4ceb9fe1a85ec53);
    return k ^ k >> 33;
}

/* Whether a key is in the set, given what the slot `at` has that its hash names. */
template <class Key> GNDI_FN bool isin_find(const Key *slots, uint64_t mask, Key k, uint64_t at, Key found) {
    const Key none = ~(Key)0;
    if (k == none) return slots[mask + 1] != none;
    while (found != k && found != none) {
        at = (at + 1) & mask;
        found = slots[at];
    }
    return found == k;
}

} // namespace gnd

#endif
