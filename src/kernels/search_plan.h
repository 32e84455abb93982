/*
 * search_plan.h: where values belong in a sorted line (numpy.searchsorted), as the front ends
 * (src/sort) hand it to a backend:
 *
 *     left:  the number of sorted elements that are less than the value
 *     right: the number that are less than or equal to it
 *
 * in the order of sort_plan.h (NaN last).
 */
#ifndef GNDI_SEARCH_PLAN_H
#define GNDI_SEARCH_PLAN_H

#include "core/core.h"

/* Axes are sorted by value's strides, the fastest LAST, and merged. `dtype` is that of both. There is
   at least one value; length may be 0. */
struct gndi_search_plan {
    uint8_t dtype;
    bool right;
    bool descending; /* the line is in descending order (digitize) */
    int64_t length;
    const char *sorted;
    int64_t step;       /* bytes */
    const char *sorter; /* integer positions that put the line in order; NULL: it is. A position
                           outside the line is GNDI_FAULT_INDEX */
    int64_t sorter_step;
    uint8_t sorter_dtype;
    int ndim;
    int64_t points, shape[GND_MAX_DIMS];
    struct gndi_search_operand {
        char *data;
        int64_t stride[GND_MAX_DIMS];
    } value, out; /* out: int64 */
};

#endif
