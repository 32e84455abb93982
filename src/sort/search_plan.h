/*
 * search_plan.h: searches in a sorted line, as the front ends (src/sort, src/signal) hand them to a backend:
 *
 *     left:  the number of sorted elements that are less than the value
 *     right: the number that are less than or equal to it
 *
 * in the order of sort_plan.h (NaN last, and as large as each other; of complex numbers by parts).
 */
#ifndef GNDI_SEARCH_PLAN_H
#define GNDI_SEARCH_PLAN_H

#include <gnd/dtype.h>
#include <stdbool.h>
#include <stdint.h>

/* Linear interpolation through the points (sorted[k], heights[k]), at the values instead
   (numpy.interp). `sorted` is float64, values are of any real dtype; heights, and the values given left
   and right of the points, are float64 or complex128. */
typedef struct gndi_search_interp {
    const char *heights; /* length of them, dense */
    bool is_complex;
    bool has_left, has_right; /* else the first and the last height */
    double left[2], right[2];
} gndi_search_interp;

/* There is at least one value; length may be 0 (but not for interp). */
typedef struct gndi_search_plan {
    uint8_t dtype; /* of both (interp: of the values) */
    bool right;
    bool either; /* the line may also be in descending order (goes_down); indices are then
                    length - the index in the reversed line (digitize). A line in neither order
                    is GNDI_FAULT_BINS. Real dtypes */
    /* Instead of its index: whether the value is in the line (bool), which NaN is not. */
    bool found;
    int64_t length;
    const char *sorted;
    int64_t step;       /* bytes */
    const char *sorter; /* integer positions that put the line in order; NULL: it is. A position
                           outside the line is GNDI_FAULT_INDEX */
    int64_t sorter_step;
    uint8_t sorter_dtype;
    int64_t points;
    const char *value;
    int64_t value_step;
    char *out;                        /* dense: int64, bool if `found`, interp: float64 or complex128 */
    const gndi_search_interp *interp; /* NULL: none */
} gndi_search_plan;

#endif
