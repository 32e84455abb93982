/*
 * order_plan.h: the element of a rank in a window around each element, as the fronts of src/convolve hand it to a
 * backend. Elements beyond the array are zeros, the element is in the middle of its window; small windows may lie
 * otherwise, and have other borders, on a GPU.
 */
#ifndef GNDI_ORDER_PLAN_H
#define GNDI_ORDER_PLAN_H

#include "core/core.h"
#include "kernels/border.h"

/* x and out are of one shape and dtype, which is an integer, float32 or float64; at least one axis and one element.
   Windows are of odd sizes, the element in their middle, and have less than 2^31 elements. */
struct gndi_order_plan {
    uint8_t dtype;
    int ndim;
    int64_t rank;        /* 0: the smallest of a window's elements that the mask has */
    const uint8_t *mask; /* a byte for each element of the window, dense: not 0, the element counts; NULL: all do */
    const char *x;
    char *out;
    int64_t shape[GND_MAX_DIMS], window[GND_MAX_DIMS];
    int64_t x_stride[GND_MAX_DIMS], out_stride[GND_MAX_DIMS]; /* bytes */
    /* Along the last two axes: where a window begins, from its element's index; gndi_border; the constant's bits. */
    int64_t first[2];
    uint8_t border[2];
    uint64_t fill;
};

/* What a GPU's block has of windows of several rows, at least; of one row a thread has 4 elements. */
enum { GNDI_ORDER_DOWN = 16, GNDI_ORDER_ALONG = 128 };

/* Whether a GPU has a network for the window: medians of 3 to 9 elements of a row, any rank of 3 x 3 and 5 x 5. */
static inline bool gndi_order_is_small(const struct gndi_order_plan *p) {
    const int last = p->ndim - 1;
    const int64_t wide = p->window[last], high = last > 0 ? p->window[last - 1] : 1;
    const int64_t columns = p->shape[last], rows = last > 0 ? p->shape[last - 1] : 1;
    int64_t elements = 1, matrices = 1;
    for (int a = 0; a < p->ndim; a++) elements *= p->window[a];
    for (int a = 0; a < last - 1; a++) matrices *= p->shape[a];
    const bool square = high == wide && (wide == 3 || wide == 5);
    const bool line =
        high == 1 && wide % 2 == 1 && wide >= 3 && wide <= 9 && p->rank == elements / 2 && p->first[1] == -(wide / 2);
    if (p->mask || p->ndim > 3 || elements != high * wide || !(square || line)) return false;
    const int64_t units = square ? gndi_ceil_div(rows, GNDI_ORDER_DOWN) * gndi_ceil_div(columns, GNDI_ORDER_ALONG)
                                 : rows * gndi_ceil_div(columns, 4);
    return units <= INT32_MAX / matrices;
}

#endif
