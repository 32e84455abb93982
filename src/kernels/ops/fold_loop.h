/*
 * fold_loop.h: an operator by its name, and the loop in which it is applied to its own results.
 */
#ifndef GNDI_FOLD_LOOP_H
#define GNDI_FOLD_LOOP_H

#include "kernels/ops/ops.h"

/* The public operator of that name; GNDI_OP_COUNT and an error if there is none. */
gndi_op gndi_ufunc_find(const char *fn, const char *name);

/*
 * The loop that reduce, accumulate and reduceat compute in, which is the result's dtype as well.
 * `asked` is their dtype=, `out` the dtype of the array to write to; GND_DTYPE_NONE where there is
 * none. Raises if the operator cannot be folded, or has no such loop.
 */
gnd_status gndi_ufunc_fold_loop(const char *fn, gndi_op op, gnd_dtype x, gnd_dtype asked, gnd_dtype out,
                                gnd_dtype *loop);

#endif
