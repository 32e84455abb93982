/*
 * plan.h: what a front end hands to a backend. A plan says everything and owns nothing: plain
 * pointers, byte strides and sizes that live until the backend's call returns.
 */
#ifndef GNDI_PLAN_H
#define GNDI_PLAN_H

#include "kernels/ops.h"

/* Outputs first, then inputs, then the mask of `where=`. */
#define GNDI_MAX_OPERANDS (GNDI_MAX_OUT + GNDI_MAX_IN + 1)

/* One operand of an elementwise plan. Its dtype may differ from the loop's (see ops.def): inputs
   are cast on load, outputs on store, in the same launch. An immediate has no memory: `value` holds
   it, already in the dtype its signature letter has in the loop, and its strides are all 0. */
typedef struct gndi_ew_operand {
    char *data;
    uint8_t dtype;
    bool immediate;
    gndi_scalar value;
} gndi_ew_operand;

/*
 * An elementwise operation over an index space of `ndim` merged axes, the fastest LAST:
 * axes of size 1 are dropped, axes are sorted by the outputs' strides (then the inputs'), and
 * neighbours that all operands cross as one are merged, so that a contiguous problem has ndim 1,
 * and negative output strides are flipped where every operand can be.
 */
struct gndi_ew_plan {
    gndi_op op;
    gnd_dtype loop;
    uint8_t nin, nout;
    bool masked;     /* operand[nout + nin] is the bool mask: elsewhere outputs keep their value */
    bool contiguous; /* ndim <= 1, and every operand is an immediate or dense with step itemsize */
    bool uniform;    /* every operand has the dtype its letter has in the loop: nothing to cast */
    int ndim;
    int64_t size;
    int64_t shape[GND_MAX_DIMS];
    int64_t stride[GNDI_MAX_OPERANDS][GND_MAX_DIMS]; /* bytes; only the first ndim are set */
    gndi_ew_operand operand[GNDI_MAX_OPERANDS];
    double params[4];
};

/*
 * What a reduction computes. In the loop's dtype, but ANY, ALL and COUNT test the input against
 * zero.
 */
typedef enum gndi_reducer {
    GNDI_REDUCE_SUM,
    GNDI_REDUCE_PRODUCT,
    GNDI_REDUCE_MINIMUM,
    GNDI_REDUCE_MAXIMUM,
    GNDI_REDUCE_ANY,
    GNDI_REDUCE_ALL,
    GNDI_REDUCE_COUNT, /* of elements that are not zero */
    GNDI_REDUCERS
} gndi_reducer;

/*
 * A reduction: the kept axes index the outputs, the reduced axes what goes into each. Axes of size
 * 1 are dropped; each of the two groups is sorted by the input's stride, the fastest LAST, flipped
 * so that the input's strides are not negative, and merged where all operands allow it. There is at
 * least one output, and `length` may be 0 (every output is then `start`).
 *
 * Elements are cast to `loop` on load. Integers accumulate modulo 2^64, float16 and bfloat16 in
 * float32. The output's dtype is the loop's, but: ANY and ALL have bool, COUNT int64 (their loop is
 * bool), and with a divisor an integer loop has float64.
 */
struct gndi_reduce_plan {
    gndi_reducer reducer;
    gnd_dtype loop;
    bool masked;            /* `where=`: take part only where the mask is true */
    bool has_start;         /* a value that goes into every output, after the elements: */
    const char *start_data; /* on the device, an element of the loop's dtype; or, if NULL: */
    gndi_scalar start;      /* in the loop's dtype */
    double divisor;         /* mean: the result is divided by this, if it is not 0 */

    int kept_ndim, reduced_ndim;
    int64_t outputs, length; /* products of the two shapes */
    int64_t kept_shape[GND_MAX_DIMS], reduced_shape[GND_MAX_DIMS];
    struct gndi_reduce_operand {
        char *data;
        uint8_t dtype;
        int64_t kept_stride[GND_MAX_DIMS],
            reduced_stride[GND_MAX_DIMS]; /* bytes; out has no reduced */
    } in, out, mask;
};

#endif
