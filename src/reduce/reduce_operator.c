/*
 * reduce_operator.c: ufunc.reduce for every binary operator whose result has the dtype of its loop.
 */
#include "reduce/reduce.h"
#include "kernels/ops/fold_loop.h"

gnd_array *gndi_reduce_operator(const char *fn, gndi_op op, const gnd_array *x, const gnd_axes *axes) {
    gndi_reduce_request r;
    gndi_reduce_begin(&r, fn, x, axes, GNDI_REDUCE_OPERATOR, op, GNDI_RULE_FOLD, GNDI_TAKES_ALL);
    return gndi_reduce(&r);
}

gnd_array *gnd_reduce(const char *name, const gnd_array *x, gnd_axes axes) {
    const gndi_op op = gndi_ufunc_find("gnd_reduce", name);
    return op == GNDI_OP_COUNT ? NULL : gndi_reduce_operator("gnd_reduce", op, x, &axes);
}
