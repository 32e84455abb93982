/*
 * compact_plan.h: stream compaction under a mask, as the front ends (src/index) hand it to a backend. The rank
 * of a point is the number of true points before it in C order:
 *
 *     TAKE     out[rank] = x at the point
 *     INDICES   out[rank] = the point's indices
 *     PUT      x at the point = out[rank]            (a[mask] = values)
 *     PUT_AT   x at the point = out[number of the point in C order]      (numpy.putmask)
 *     COUNT    nothing but the count
 */
#ifndef GNDI_COMPACT_PLAN_H
#define GNDI_COMPACT_PLAN_H

#include "core/core.h"

typedef enum gndi_compact_kind {
    GNDI_COMPACT_TAKE,
    GNDI_COMPACT_INDICES,
    GNDI_COMPACT_PUT,
    GNDI_COMPACT_PUT_AT,
    GNDI_COMPACT_COUNT,
} gndi_compact_kind;

/* Axes of the walk are in C order, size 1 dropped, neighbours merged where mask and x allow it. There
   is at least one point. What is written meets nothing that is read, but that x may be the mask. */
struct gndi_compact_plan {
    gndi_compact_kind kind;
    int ndim;
    int64_t points, shape[GND_MAX_DIMS];
    struct gndi_compact_operand {
        char *data;
        int64_t stride[GND_MAX_DIMS];
    } mask, x;
    uint8_t mask_dtype; /* any: what is not zero is true */
    /* TAKE, INDICES along one axis, COUNT: a point is true that is the first one, or whose element of
       the mask differs from the one before it. Neighbours are sorted: -0.0 is 0.0, and NaN, which for
       complex numbers is one in any part, comes last. The mask is dense in one axis, and is x. */
    bool edges;
    bool equal_nan;   /* edges: NaN does not differ from NaN */
    uint8_t itemsize; /* of x and of out (all but INDICES): 1 2 4 8 16 */
    bool pads;        /* TAKE, INDICES: results past the count become zero, up to the capacity */
    /* Element r at out + (r % wrap) * step; INDICES: int64, axis k of rank r at out + r * step +
       k * axis_step. wrap: PUT, PUT_AT: how many elements there are, at least 1. */
    char *out;
    int64_t step, axis_step, wrap;
    int64_t capacity; /* no more than so many results are written or taken; -1: all */
    /* INDICES: the axes that the indices count along: the walk in C order, before merging. */
    int index_ndim;
    int64_t index_shape[GND_MAX_DIMS];
    int64_t *count;   /* on the device: how many points are true, whatever the capacity; or NULL */
    int64_t expected; /* PUT: a count other than this is GNDI_FAULT_COUNT; -1: any will do */
    /* PUT_AT knows neither capacity nor counts. */
};

#endif
