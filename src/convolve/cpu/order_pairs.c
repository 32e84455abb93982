/*
 * order_pairs.c: Batcher's merge exchange (1968; Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M),
 * of which only the comparisons stay that the element of one rank depends on.
 */
#include "convolve/cpu/order_pairs.h"
#include "core/core.h"

int64_t gndi_order_pairs_bound(int64_t n) {
    int64_t depth = 0;
    while ((n - 1) >> depth > 0) depth++;
    return n * depth * (depth + 1) / 4 + 1;
}

static int64_t sort_pairs(int64_t n, gndi_order_pair *pairs) {
    int64_t top = 1, count = 0;
    while (2 * top < n) top *= 2;
    for (int64_t p = n > 1 ? top : 0; p > 0; p /= 2) {
        int64_t q = top, r = 0, d = p;
        for (;;) {
            for (int64_t i = 0; i < n - d; i++)
                if ((i & p) == r) pairs[count++] = (gndi_order_pair){(uint16_t)i, (uint16_t)(i + d)};
            if (q == p) break;
            d = q - p, q /= 2, r = p;
        }
    }
    return count;
}

int64_t gndi_order_pairs(int64_t n, int64_t rank, gndi_order_pair *pairs) {
    bool needed[GNDI_ORDER_PAIRS_MOST] = {false};
    const int64_t all = sort_pairs(n, pairs);
    int64_t first = all; /* those that stay move to the end */
    needed[rank] = true;
    for (int64_t k = all - 1; k >= 0; k--) {
        const gndi_order_pair pair = pairs[k];
        if (!needed[pair.low] && !needed[pair.high]) continue;
        needed[pair.low] = needed[pair.high] = true;
        pairs[--first] = pair;
    }
    memmove(pairs, pairs + first, (size_t)(all - first) * sizeof *pairs);
    return all - first;
}
