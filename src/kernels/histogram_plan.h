/*
 * histogram_plan.h: elements counted by bins, as the front ends (src/sort) hand it to a backend:
 *
 *     out[bin of x at the point] += weight at the point (1 without weights)
 */
#ifndef GNDI_HISTOGRAM_PLAN_H
#define GNDI_HISTOGRAM_PLAN_H

#include "core/core.h"

typedef enum gndi_histogram_kind {
    GNDI_HISTOGRAM_INTEGERS, /* the bin is the element itself (bincount); one that is negative, or
                                not below `bins`, is GNDI_FAULT_INDEX and counts nowhere */
    GNDI_HISTOGRAM_EVEN,     /* `bins` bins of one width from first to last, as numpy.histogram finds
                                them: the edges decide where rounding would not */
    GNDI_HISTOGRAM_EDGES,    /* edges[0] <= ... <= edges[bins]; the last bin has both its ends */
} gndi_histogram_kind;

/* Axes are sorted by x's strides, the fastest LAST, and merged. Elements outside the bins, and NaN,
   count nowhere. There is at least one point and one bin. `out` is dense; the kernels set all of it,
   whatever it held. Sums of weights come out the same on every run. */
struct gndi_histogram_plan {
    gndi_histogram_kind kind;
    int64_t bins;
    double first, last;
    const char *edges; /* dense, bins + 1 of them */
    uint8_t x_dtype;
    uint8_t edges_dtype;  /* EVEN, EDGES: what elements are compared in */
    uint8_t weight_dtype; /* int64, float64 or complex128 where it is not out's */
    uint8_t out_dtype;    /* int64 without weights, else that of the sums */
    int ndim;
    int64_t points, shape[GND_MAX_DIMS];
    struct gndi_histogram_operand {
        const char *data; /* weights: NULL without */
        int64_t stride[GND_MAX_DIMS];
    } x, weight;
    char *out;
};

#endif
