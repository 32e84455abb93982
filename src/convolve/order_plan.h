/*
 * order_plan.h: the element of a rank in a window around each element, as the fronts of src/convolve hand it to a
 * backend. Elements beyond the array are zeros.
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
};

#endif
