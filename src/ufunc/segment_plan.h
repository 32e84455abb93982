/*
 * segment_plan.h: ufunc.reduceat, as the front end (src/ufunc/ufunc_reduceat.c) hands it to a
 * backend: a binary operator over segments of one axis.
 *
 *     next = i + 1 < segments ? index[i + 1] : length
 *     out[i] = index[i] < next ? op over x[index[i]:next] : x[index[i]]
 */
#ifndef GNDI_SEGMENT_PLAN_H
#define GNDI_SEGMENT_PLAN_H

#include "kernels/ops/ops.h"

/*
 * `op` is a binary operator that gives back its loop's dtype (TT_T, or TT_B in bool), which is out's
 * too; elements are cast to it on load. ASSOCIATIVE operators may be regrouped, the same way on
 * every run, and carry float32 for float16 and bfloat16; others go element by element, rounding each
 * step. Indices are bool or integers; one outside [0, length) is GNDI_FAULT_INDEX.
 *
 * The other axes (`ndim` of them, `columns` their product) are sorted by in's stride, the fastest
 * LAST, and merged where both operands allow it. There is at least one segment and one column, and
 * `in` and `out` do not meet.
 */
struct gndi_segment_plan {
    gndi_op op;
    gnd_dtype loop;
    int64_t segments, length;
    int axis; /* of the array that was indexed, for the fault */
    struct {
        const char *data;
        uint8_t dtype;
        int64_t step; /* bytes */
    } index;
    int ndim;
    int64_t columns;
    int64_t shape[GND_MAX_DIMS];
    struct gndi_segment_operand {
        char *data;
        uint8_t dtype;
        int64_t step; /* bytes: of in along the axis, of out from segment to segment */
        int64_t stride[GND_MAX_DIMS];
    } in, out;
};

#endif
