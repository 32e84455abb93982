/*
 * order_select.h: how filters by order compare elements. C++ and CUDA.
 *
 * Keys: an element's bits, changed so that unsigned keys have the order of the elements. NaN is the largest of all.
 * Networks: comparisons that bring the median of a window to a fixed position, whatever the elements are. Each was made
 * by leaving out, from Batcher's sorting network (1968), what the median does not need; over columns that are sorted
 * already, from the sorting of each row and of the elements that can still be the median. They were checked with all
 * inputs of zeros and ones, which is enough by Knuth's principle (The Art of Computer Programming, volume 3, 5.3.4).
 */
#ifndef GNDI_ORDER_SELECT_H
#define GNDI_ORDER_SELECT_H

#include "kernels/scalar/scalar_types.h"

namespace gnd {

/* ---- keys ------------------------------------------------------------------------------------- */

enum order_kind { ORDER_UNSIGNED, ORDER_SIGNED, ORDER_FLOAT };

GNDI_FN int order_kind_of(int dtype) {
    if (dtype == dtype_of<float> || dtype == dtype_of<double>) return ORDER_FLOAT;
    const bool is_signed = dtype == dtype_of<int8_t> || dtype == dtype_of<int16_t> || dtype == dtype_of<int32_t> ||
                           dtype == dtype_of<int64_t>;
    return is_signed ? ORDER_SIGNED : ORDER_UNSIGNED;
}

template <class U> constexpr U order_top = (U)((U)1 << (8 * sizeof(U) - 1));
/* The bits of infinity: what lies above them, the sign left out, is NaN. */
template <class U> constexpr U order_infinity = (U)(sizeof(U) == 8 ? 0x7ff0000000000000u : 0x7f800000u);

template <class U> GNDI_FN U order_key(U bits, int kind) {
    constexpr U top = order_top<U>;
    if (kind == ORDER_UNSIGNED) return bits;
    if (kind == ORDER_SIGNED) return (U)(bits ^ top);
    const U key = bits & top ? (U)~bits : (U)(bits | top);
    return (U)(bits & (U)~top) > order_infinity<U> ? (U) ~(U)0 : key;
}
template <class U> GNDI_FN U order_bits(U key, int kind) {
    constexpr U top = order_top<U>;
    if (kind == ORDER_UNSIGNED) return key;
    if (kind == ORDER_SIGNED) return (U)(key ^ top);
    return key & top ? (U)(key ^ top) : (U)~key;
}

/* ---- networks --------------------------------------------------------------------------------- */

/* The smaller one, and the larger. */
template <class K> GNDI_FN K order_low(K a, K b) {
    return a < b ? a : b;
}
template <class K> GNDI_FN K order_high(K a, K b) {
    return a < b ? b : a;
}
/* a: the smaller one, b: the larger. Of numbers or of vectors, which no function gives back: they would be passed in
   other registers where a CPU has none of their length. */
template <class K> GNDI_FN void order_pair(K &a, K &b) {
    const K low = a < b ? a : b;
    b = a < b ? b : a;
    a = low;
}

// clang-format off
/* Sorted columns of 2 to 5. */
#define GNDI_ORDER_SORT_2(P) P(0, 1)
#define GNDI_ORDER_SORT_4(P) P(0, 1) P(2, 3) P(0, 2) P(1, 3) P(1, 2)
#define GNDI_ORDER_SORT_3(P) P(0, 1) P(1, 2) P(0, 1)
#define GNDI_ORDER_SORT_5(P) P(0, 1) P(3, 4) P(2, 4) P(2, 3) P(1, 4) P(0, 3) P(0, 2) P(1, 3) P(1, 2)
/* The median of so many. */
#define GNDI_ORDER_MEDIAN_3(P)                                                                                         \
    P(0, 1) P(0, 2) P(1, 2)
#define GNDI_ORDER_MEDIAN_5(P)                                                                                         \
    P(0, 1) P(2, 3) P(0, 2) P(1, 3) P(1, 2) P(2, 4) P(1, 2)
#define GNDI_ORDER_MEDIAN_7(P)                                                                                         \
    P(0, 1) P(2, 3) P(4, 5) P(0, 2) P(1, 3) P(4, 6) P(1, 2) P(5, 6) P(0, 4) P(1, 5) P(2, 6) P(2, 4) P(3, 5) P(3, 4)
#define GNDI_ORDER_MEDIAN_9(P)                                                                                         \
    P(0, 1) P(2, 3) P(4, 5) P(6, 7) P(0, 2) P(1, 3) P(4, 6) P(5, 7) P(1, 2) P(5, 6) P(0, 4) P(1, 5) P(2, 6) P(3, 7)    \
    P(2, 4) P(3, 5) P(3, 4) P(4, 8) P(3, 4)
/* The same of 3 x 3 and of 5 x 5, row by row, each column sorted. */
#define GNDI_ORDER_MEDIAN_3_3(P)                                                                                       \
    P(0, 1) P(1, 2) P(3, 4) P(3, 5) P(4, 5) P(6, 7) P(6, 8) P(2, 4) P(2, 6) P(4, 6)
#define GNDI_ORDER_MEDIAN_5_5(P)                                                                                       \
    P(0, 1) P(3, 4) P(2, 4) P(2, 3) P(1, 4) P(0, 3) P(1, 3) P(5, 6) P(8, 9) P(7, 9) P(7, 8) P(6, 9) P(5, 8) P(6, 8)    \
    P(6, 7) P(10, 11) P(13, 14) P(12, 14) P(12, 13) P(11, 14) P(10, 13) P(10, 12) P(11, 13) P(11, 12) P(15, 16)        \
    P(18, 19) P(17, 18) P(16, 19) P(15, 18) P(15, 17) P(16, 18) P(16, 17) P(20, 21) P(23, 24) P(22, 24) P(22, 23)      \
    P(20, 23) P(20, 22) P(21, 22) P(3, 7) P(11, 15) P(4, 8) P(12, 16) P(20, 9) P(13, 17) P(7, 15) P(4, 12) P(8, 16)    \
    P(20, 13) P(8, 12) P(15, 8) P(13, 21) P(15, 4) P(8, 12) P(9, 13) P(4, 20) P(8, 9) P(12, 20) P(8, 12)
// clang-format on

#define GNDI_ORDER_PAIR(a, b) order_pair(v[a], v[b]);

/* H elements, sorted. */
template <int H, class K> GNDI_FN void order_sort(K *v) {
    if constexpr (H == 2) {
        GNDI_ORDER_SORT_2(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 4) {
        GNDI_ORDER_SORT_4(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 3) {
        GNDI_ORDER_SORT_3(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 5) {
        GNDI_ORDER_SORT_5(GNDI_ORDER_PAIR)
    }
}

/* Brings the median of H rows of W elements to v[H * W / 2]; of more rows than one, each column must be sorted. */
template <int H, int W, class K> GNDI_FN void order_median(K *v) {
    if constexpr (H == 1 && W == 3) {
        GNDI_ORDER_MEDIAN_3(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 1 && W == 5) {
        GNDI_ORDER_MEDIAN_5(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 1 && W == 7) {
        GNDI_ORDER_MEDIAN_7(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 1 && W == 9) {
        GNDI_ORDER_MEDIAN_9(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 3) {
        GNDI_ORDER_MEDIAN_3_3(GNDI_ORDER_PAIR)
    }
    if constexpr (H == 5) {
        GNDI_ORDER_MEDIAN_5_5(GNDI_ORDER_PAIR)
    }
}

#undef GNDI_ORDER_PAIR

} // namespace gnd

#endif
