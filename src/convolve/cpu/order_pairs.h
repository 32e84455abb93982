/*
 * order_pairs.h: networks of comparisons for any window, made when they are needed.
 */
#ifndef GNDI_CPU_ORDER_PAIRS_H
#define GNDI_CPU_ORDER_PAIRS_H

#include <stdint.h>

enum { GNDI_ORDER_PAIRS_MOST = 1024 }; /* elements of a window that a network is made for */

/* The smaller of two elements goes to position `low`, the larger one to position `high`. */
typedef struct gndi_order_pair {
    uint16_t low, high;
} gndi_order_pair;

/* How many pairs a network of n elements has at most. */
int64_t gndi_order_pairs_bound(int64_t n);

/* The pairs that bring the element of a rank among n, at most GNDI_ORDER_PAIRS_MOST, to position `rank`; how many. */
int64_t gndi_order_pairs(int64_t n, int64_t rank, gndi_order_pair *pairs);

#endif
