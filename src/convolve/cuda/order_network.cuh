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

} // namespace gnd

#endif
