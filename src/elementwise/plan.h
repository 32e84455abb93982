/*
 * plan.h: what the elementwise front end hands to a backend. A plan says everything and owns
 * nothing: plain pointers, byte strides and sizes that live until the backend's call returns. The
 * other engines' plans are beside it: reduce_plan.h, scan_plan.h, select_plan.h, segment_plan.h,
 * scatter_plan.h.
 */
#ifndef GNDI_PLAN_H
#define GNDI_PLAN_H

#include "kernels/ops/ops.h"

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

#endif
