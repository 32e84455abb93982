/* compact_edges.cuh: truth that is not read but found out: which elements of sorted memory differ from
 * the one before them. */
#ifndef GNDI_COMPACT_EDGES_CUH
#define GNDI_COMPACT_EDGES_CUH

#include "kernels/cuda/compact_params.h"
#include "kernels/cuda/scan_look_back.cuh"

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

/* A bit for each of the points `at` to `at + 15`; what lies before the first point or after the last
   one gets any. */
template <class Compare, int Size>
GNDI_FN uint32_t edges_by(const gndi_compact_params &p, int32_t at) {
    typedef typename element_of<Size>::type T;
    constexpr int together = 16 / Size;
    const char *from = p.x + (int64_t)at * Size;
    const bool begins = p.first == 0 && at <= p.skip; /* the very first point is among them */
    uint32_t bits = 0;
    T before = {};
    if (!begins) before = *(const T *)(from - Size);
#pragma unroll 4
    for (int k = 0; k < Size; k++) {
        uint4 words = {0, 0, 0, 0};
        if (at + k * together < p.end) words = *(const uint4 *)(from + 16 * k);
        T element[together];
        memcpy(element, &words, sizeof words);
#pragma unroll
        for (int j = 0; j < together; j++) {
            const bool edge =
                Compare::nan(before) ? !p.equal_nan : Compare::differ(before, element[j]);
            bits |= (uint32_t)edge << (k * together + j);
            before = element[j];
        }
    }
    return begins ? bits | 1u << (p.skip - at) : bits;
}

template <int Size> GNDI_FN uint32_t edges_of_pack(const gndi_compact_params &p, int32_t at) {
    typedef typename element_of<Size>::type T;
    if (at >= p.end) return 0;
    if constexpr (Size == 2) {
        if (p.edges == GNDI_EDGES_FLOAT16) return edges_by<edge_of_halves<0x7c00>, 2>(p, at);
        if (p.edges == GNDI_EDGES_BFLOAT16) return edges_by<edge_of_halves<0x7f80>, 2>(p, at);
    } else if constexpr (Size == 4) {
        if (p.edges == GNDI_EDGES_REAL) return edges_by<edge_of_reals<T, float>, 4>(p, at);
    } else if constexpr (Size == 8) {
        if (p.edges == GNDI_EDGES_REAL) return edges_by<edge_of_reals<T, double>, 8>(p, at);
        if (p.edges == GNDI_EDGES_COMPLEX) return edges_by<edge_of_complexes<T, float>, 8>(p, at);
    }
    if constexpr (Size == 16)
        return edges_by<edge_of_complexes<T, double>, 16>(p, at);
    else
        return edges_by<edge_of_bits<T>, Size>(p, at);
}

} // namespace gnd

#endif
