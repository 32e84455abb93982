// order_network.cuh: networks of comparisons that sort the elements of a window, made by the compiler: Batcher's
// merging of sorted sequences (1968), on sequences whose lengths are powers of two. What is missing to that length
// would be larger than all elements: a comparison with it moves an element, at most, and that costs nothing, since
// registers only get other numbers.
#ifndef GNDI_ORDER_NETWORK_CUH
#define GNDI_ORDER_NETWORK_CUH

#include "convolve/order_select.h"

namespace gnd {

constexpr int power_of_two_from(int n) {
    int p = 1;
    while (p < n) p *= 2;
    return p;
}

// H rows of W elements, each column sorted already. Element number h * W + w; sorted[r] is the number of the one that
// has rank r behind all comparisons.
template <int H, int W> struct order_network {
    static constexpr int high = power_of_two_from(H), all = high * power_of_two_from(W);
    static constexpr int most = 16 * H * W; // comparisons
    int count = 0;
    short low[most] = {}, top[most] = {}, sorted[all] = {};

    constexpr order_network() {
        for (int s = 0; s < all; s++) {
            const int h = s % high, w = s / high;
            sorted[s] = (short)(h < H && w < W ? h * W + w : -1);
        }
        for (int p = high; p < all; p *= 2)
            for (int k = p; k >= 1; k /= 2)
                for (int j = k % p; j + k < all; j += 2 * k)
                    for (int i = j; i < j + k && i + k < all; i++)
                        if (i / (2 * p) == (i + k) / (2 * p)) compare(i, i + k);
    }
    constexpr void compare(int a, int b) {
        if (sorted[b] < 0) return;
        if (sorted[a] < 0) {
            sorted[a] = sorted[b], sorted[b] = -1;
        } else {
            low[count] = sorted[a], top[count] = sorted[b];
            count++;
        }
    }
};

template <int H, int W> struct order_network_of { static constexpr order_network<H, W> made{}; };

// Comparisons number `begin` to `end` - 1.
template <int H, int W, int begin, int end, class K> GNDI_FN void order_compare(K *v) {
    if constexpr (end - begin == 1) {
        constexpr int a = order_network_of<H, W>::made.low[begin], b = order_network_of<H, W>::made.top[begin];
        order_pair(v[a], v[b]);
    } else if constexpr (end > begin) {
        order_compare<H, W, begin, (begin + end) / 2>(v);
        order_compare<H, W, (begin + end) / 2, end>(v);
    }
}

template <int H, int W, int r, int last, class K> GNDI_FN K order_pick(const K *v, int rank, K picked) {
    if constexpr (r > last) {
        return picked;
    } else {
        constexpr int at = order_network_of<H, W>::made.sorted[r];
        return order_pick<H, W, r + 1, last>(v, rank, rank == r ? v[at] : picked);
    }
}

// The element of a rank from `first` to `last` of H rows of W elements, of which each column is sorted. The compiler
// leaves out what other ranks alone need.
template <int H, int W, int first, int last, class K> GNDI_FN K order_of_rank(K *v, int rank) {
    constexpr int at = order_network_of<H, W>::made.sorted[first];
    order_compare<H, W, 0, order_network_of<H, W>::made.count>(v);
    return order_pick<H, W, first + 1, last>(v, rank, v[at]);
}

// ---- medians of 5 x 5 -----------------------------------------------------------------------------

// z: the N - 1 sorted elements of `sorted`, and one more.
template <int N, class K> GNDI_FN void order_insert(const K *sorted, K more, K *z) {
    z[0] = order_low(more, sorted[0]);
#pragma unroll
    for (int k = 1; k < N - 1; k++) z[k] = order_high(sorted[k - 1], order_low(more, sorted[k]));
    z[N - 1] = order_high(sorted[N - 2], more);
}

// z: the M + N elements of a and b, both sorted: those at even indices are merged, those at odd ones, and then
// neighbours are compared. The compiler leaves out what is not used.
template <int M, int N, class K> GNDI_FN void order_merge(const K *a, const K *b, K *z) {
    if constexpr (M == 0 || N == 0) {
#pragma unroll
        for (int k = 0; k < M + N; k++) z[k] = M == 0 ? b[k] : a[k];
    } else if constexpr (M == 1 && N == 1) {
        z[0] = order_low(a[0], b[0]), z[1] = order_high(a[0], b[0]);
    } else {
        constexpr int evens = (M + 1) / 2 + (N + 1) / 2, odds = M / 2 + N / 2;
        K some_a[(M + 1) / 2], some_b[(N + 1) / 2], even[evens], odd[odds + 1];
#pragma unroll
        for (int k = 0; k < (M + 1) / 2; k++) some_a[k] = a[2 * k];
#pragma unroll
        for (int k = 0; k < (N + 1) / 2; k++) some_b[k] = b[2 * k];
        order_merge<(M + 1) / 2, (N + 1) / 2>(some_a, some_b, even);
#pragma unroll
        for (int k = 0; k < M / 2; k++) some_a[k] = a[2 * k + 1];
#pragma unroll
        for (int k = 0; k < N / 2; k++) some_b[k] = b[2 * k + 1];
        order_merge<M / 2, N / 2>(some_a, some_b, odd);
        z[0] = even[0];
#pragma unroll
        for (int k = 1; k < M + N; k++) {
            const int pair = (k + 1) / 2; // of even[pair] and odd[pair - 1]
            if (pair < evens && pair <= odds)
                z[k] = k % 2 ? order_low(even[pair], odd[pair - 1]) : order_high(even[pair], odd[pair - 1]);
            else
                z[k] = pair < evens ? even[pair] : odd[pair - 1];
        }
    }
}

// The medians of 5 x 5 around 4 columns beside each other, from 8 sorted columns. Two neighbours have 4 columns in
// common, merged two by two; the column between has a part in both merges. Of those 20 elements only the ranks 7 to 12
// can be the median of 25. That is number 5 of these 6 and of the 5 of the window's own column, the smallest of what
// is the larger of an element of one and an element of the other whose ranks add up to 5.
template <class K> GNDI_FN void order_medians_5_5(const K (&column)[8][5], K *out) {
    K twos[3][10], common[20];
#pragma unroll
    for (int k = 0; k < 3; k++) order_merge<5, 5>(column[2 * k + 1], column[2 * k + 2], twos[k]);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        if (k % 2 == 0) order_merge<10, 10>(twos[k / 2], twos[k / 2 + 1], common);
        const K *middle = common + 7, *own = column[k % 2 == 0 ? k : k + 4];
        K median = middle[5];
#pragma unroll
        for (int j = 0; j < 5; j++) median = order_low(median, order_high(middle[4 - j], own[j]));
        out[k] = median;
    }
}

} // namespace gnd

#endif
