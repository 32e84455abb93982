/*
 * scatter_plan.h: ufunc.at, as the front end (src/ufunc/ufunc_at.c) hands it to a backend: an operator applied
 * to indexed elements of an array, duplicates one after the other.
 *
 *     for i in 0 .. updates - 1:
 *         for each column: target[index[i]][column] = op(target[index[i]][column], value[i][column])
 */
#ifndef GNDI_SCATTER_PLAN_H
#define GNDI_SCATTER_PLAN_H

#include "kernels/ops/ops.h"

/*
 * The target's axes that have an index make `targets`; its other axes, sorted by the
 * target's stride, the fastest LAST, and merged where both operands allow it, make `columns`.
 * An element is cast to the dtype of the operator's first letter in `loop`, the result back
 * to the target's dtype, at every step, any dtype to any other. `value` has the dtype of the second
 * letter (64 bits of either kind where `swapped`); a unary operator has none. There is at least one
 * update and one column. An index outside its axis, [-size, size), is GNDI_FAULT_INDEX, and its
 * update is left out. Neither indices nor value meet the target.
 *
 * Where the operator is ASSOCIATIVE, the target has the loop's dtype and so has the result, a long
 * run of updates of one element may be regrouped, the same way on every run.
 */
struct gndi_scatter_plan {
    gndi_op op;
    gnd_dtype loop;
    bool swapped; /* an _iu comparison: op(value, element) */
    int64_t updates, targets, columns;
    int indices;
    struct gndi_scatter_index {
        const char *data;
        uint8_t dtype;        /* an integer's */
        int axis;             /* the number of the target's axis, for the fault */
        int64_t step;         /* bytes from update to update */
        int64_t size, stride; /* of the target's axis */
    } index[GND_MAX_DIMS];
    int ndim;
    int64_t shape[GND_MAX_DIMS];
    struct {
        char *data;
        uint8_t dtype;
        int64_t stride[GND_MAX_DIMS];
    } target;
    struct {
        const char *data; /* NULL: `number` (or a unary operator) */
        uint8_t dtype;
        gndi_scalar number;
        int64_t step; /* bytes from update to update */
        int64_t stride[GND_MAX_DIMS];
    } value;
};

#endif
