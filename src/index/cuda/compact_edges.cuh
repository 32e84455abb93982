/* compact_edges.cuh: truth that is not read but found out: which elements of sorted memory differ from
 * the one before them. */
#ifndef GNDI_COMPACT_EDGES_CUH
#define GNDI_COMPACT_EDGES_CUH

#include "index/cuda/compact_params.h"
#include "scan/cuda/scan_lookback.cuh"

namespace gnd {

template <int Size> struct element_of;
template <> struct element_of<1> { typedef uint8_t type; };
template <> struct element_of<2> { typedef uint16_t type; };
template <> struct element_of<4> { typedef uint32_t type; };
template <> struct element_of<8> { typedef uint64_t type; };
template <> struct element_of<16> { typedef uint4 type; };

/* How elements are compared: whether one is NaN, and whether two, the first of which is not, differ. */
template <class Raw> struct edge_of_bits {
    GNDI_MEMBER bool nan(Raw) { return false; }
    GNDI_MEMBER bool differ(Raw a, Raw b) { return a != b; }
};
template <uint16_t Infinity> struct edge_of_halves {
    GNDI_MEMBER bool nan(uint16_t a) { return (a & 0x7fff) > Infinity; }
    GNDI_MEMBER bool differ(uint16_t a, uint16_t b) { return a != b && ((a | b) & 0x7fff) != 0; }
};
template <class Raw, class F> struct edge_of_reals {
    GNDI_MEMBER F number(Raw a) {
        F f;
        memcpy(&f, &a, sizeof f);
        return f;
    }
    GNDI_MEMBER bool nan(Raw a) { return number(a) != number(a); }
    GNDI_MEMBER bool differ(Raw a, Raw b) { return number(a) != number(b); }
};
template <class Raw, class F> struct edge_of_complexes {
    struct parts {
        F re, im;
    };
    GNDI_MEMBER parts number(Raw a) {
        parts f;
        memcpy(&f, &a, sizeof f);
        return f;
    }
    GNDI_MEMBER bool nan(Raw a) {
        const parts f = number(a);
        return f.re != f.re || f.im != f.im;
    }
    GNDI_MEMBER bool differ(Raw a, Raw b) {
        const parts f = number(a), g = number(b);
        return f.re != g.re || f.im != g.im;
    }
};

/*
 * Bits of a warp's pack of 512 points, the first of which has number `number`: those of 16 neighbouring
 * points to each lane. What lies before the first point or after the last one gets any. All lanes take
 * part. They read 16 bytes each that lie together, 512 in all, and so find the bits of `together`
 * points in each of Size groups; then each fetches its own from Size neighbours.
 */
template <class Compare, int Size> GNDI_FN uint32_t edges_by(const gndi_compact_params &p, int32_t number) {
    typedef typename element_of<Size>::type T;
    constexpr int together = 16 / Size;
    const int lane = threadIdx.x & 31;
    const bool begins = p.first == 0 && number <= p.skip; /* the very first point is among them */
    uint4 words[Size];
#pragma unroll
    for (int g = 0; g < Size; g++) {
        const int32_t at = number + (g * 32 + lane) * together;
        words[g] = uint4{0, 0, 0, 0};
        if (at < p.end) words[g] = *(const uint4 *)(p.x + (int64_t)at * Size);
    }
    T last = {}; /* what comes before the group, in lane 31 */
    if (lane == 31 && !begins) last = *(const T *)(p.x + ((int64_t)number - 1) * Size);
    uint32_t own = 0;
#pragma unroll
    for (int g = 0; g < Size; g++) {
        T element[together];
        memcpy(element, &words[g], sizeof words[g]);
        /* Lane 0 takes it from lane 31 of the group before. */
        const T passed = lane == 31 ? last : element[together - 1];
        T before = shuffle_from(passed, (lane + 31) & 31);
        last = element[together - 1];
#pragma unroll
        for (int j = 0; j < together; j++) {
            const bool edge = Compare::nan(before) ? !p.equal_nan : Compare::differ(before, element[j]);
            own |= (uint32_t)edge << (g * together + j);
            before = element[j];
        }
    }
    uint32_t bits = own;
    if constexpr (Size > 1) {
        const int group = lane / (2 * together), from = lane % (2 * together) * Size;
        bits = 0;
#pragma unroll
        for (int i = 0; i < Size; i++) {
            const uint32_t theirs = __shfl_sync(0xffffffffu, own, from + i);
            bits |= (theirs >> (group * together) & ((1u << together) - 1)) << (i * together);
        }
    }
    const int32_t first = p.skip - number - lane * 16; /* its index among the lane's points */
    return begins && first >= 0 && first < 16 ? bits | 1u << first : bits;
}

template <int Size> GNDI_FN uint32_t edges_of_pack(const gndi_compact_params &p, int32_t number) {
    typedef typename element_of<Size>::type T;
    if (number >= p.end) return 0;
    if constexpr (Size == 2) {
        if (p.edges == GNDI_EDGES_FLOAT16) return edges_by<edge_of_halves<0x7c00>, 2>(p, number);
        if (p.edges == GNDI_EDGES_BFLOAT16) return edges_by<edge_of_halves<0x7f80>, 2>(p, number);
    } else if constexpr (Size == 4) {
        if (p.edges == GNDI_EDGES_REAL) return edges_by<edge_of_reals<T, float>, 4>(p, number);
    } else if constexpr (Size == 8) {
        if (p.edges == GNDI_EDGES_REAL) return edges_by<edge_of_reals<T, double>, 8>(p, number);
        if (p.edges == GNDI_EDGES_COMPLEX) return edges_by<edge_of_complexes<T, float>, 8>(p, number);
    }
    if constexpr (Size == 16)
        return edges_by<edge_of_complexes<T, double>, 16>(p, number);
    else
        return edges_by<edge_of_bits<T>, Size>(p, number);
}

} // namespace gnd

#endif
