/*
 * order.h: what the fronts of filters by order share.
 */
#ifndef GNDI_ORDER_H
#define GNDI_ORDER_H

#include "elementwise/temporaries.h"
#include "convolve/order_plan.h"

/* Whether a filter by order takes this array; raises if it does not. */
bool gndi_order_takes(const char *fn, const gnd_array *x, const char *name);

/* The window of a list of sizes for an array of `ndim` axes, `sizes` having one for each, one for all, or none: 3.
   Raises, and false, for other lists, sizes below 1, even ones where they must be odd, and windows of 2^31 elements. */
bool gndi_order_window(const char *fn, gnd_shape sizes, int ndim, bool odd, int64_t *window);

/* What lies beyond an array's ends along its last two axes, and where windows begin, from their element's index. */
typedef struct gndi_order_border {
    gndi_border mode[2]; /* constant, or one that repeats elements */
    int64_t first[2];
    uint64_t fill; /* the constant's bits */
} gndi_order_border;

/* The elements of a rank in a new array. mask: bool, dense, of the window's shape; NULL: the whole window. */
gnd_array *gndi_order_filter(gndi_temporaries *s, const gnd_array *x, const int64_t *window, const gnd_array *mask,
                             int64_t rank);
/* The same with a border. NULL without an error: there is no kernel for it, and the array must be continued. */
gnd_array *gndi_order_filter_bordered(gndi_temporaries *s, const gnd_array *x, const int64_t *window, int64_t rank,
                                      const gndi_order_border *border);

#endif
