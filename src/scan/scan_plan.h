/*
 * scan_plan.h: running results along one axis, as the front end (src/math/scan*.c) hands them to a
 * backend:
 *
 *     out[line][0] = x[line][0],   out[line][i] = op(out[line][i - 1], x[line][i])
 *
 * or, from a start on, out[line][0] = op(start[line], x[line][0]).
 */
#ifndef GNDI_SCAN_PLAN_H
#define GNDI_SCAN_PLAN_H

#include "kernels/ops/ops.h"

/*
 * `op` is a binary operator of ops.def that gives back its loop's dtype (TT_T, or TT_B in bool).
 * Elements are cast to `loop` on load, which is out's dtype too. ASSOCIATIVE operators may be
 * regrouped (the same way on every run); others go element by element. float16 and bfloat16 carry
 * float32 where the operator is ASSOCIATIVE, and round at each step elsewhere, as NumPy does.
 *
 * The other axes (`ndim` of them, `lines` their product) are sorted by out's stride, the fastest
 * LAST, merged where both operands allow it, flipped so that out's strides are not negative. There
 * is at least one line, and length is at least 1. `in` and `out` are either the same elements in
 * the same positions, or do not meet; they do not meet where complex numbers are multiplied, whose
 * elements may be needed again (GNDI_PRODUCT_UNTIL_NAN).
 */
struct gndi_scan_plan {
    gndi_op op;
    gnd_dtype loop;
    bool skip_nan; /* NaN count as the operator's identity (add: 0, multiply: 1) */
    int64_t length, lines;
    int ndim;
    int64_t shape[GND_MAX_DIMS];
    struct gndi_scan_operand {
        char *data;
        uint8_t dtype;
        int64_t step; /* bytes, along the axis */
        int64_t stride[GND_MAX_DIMS];
    } in, out;
    /* What lines start from: elements of the dtype that is carried (gndi_scan_carried), `stride` bytes apart along
       the other axes. NULL: nothing. Only of an ASSOCIATIVE operator that `scan_starts` of the backend takes it for. */
    struct gndi_scan_start {
        const char *data;
        int64_t stride[GND_MAX_DIMS];
    } start;
};

/* The dtype that goes from element to element. */
static inline gnd_dtype gndi_scan_carried(gndi_op op, gnd_dtype loop) {
    return (gndi_ops[op].flags & ASSOCIATIVE) && gndi_dtype_is_half(loop) ? GND_FLOAT32 : loop;
}

#endif
