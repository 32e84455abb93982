/*
 * reduce.h: the reduction front end's own parts.
 *
 *     reduce.c        the public functions: which dtypes, and what is refused
 *     reduce_run.c    where the result goes, the submission, masked means
 *     reduce_plan.c   axes: drop, flip, sort, merge
 */
#ifndef GNDI_MATH_REDUCE_H
#define GNDI_MATH_REDUCE_H

#include "kernels/reduce_plan.h"
#include "runtime/runtime.h"

/* A reduction that was checked, with its dtypes. */
typedef struct gndi_reduce_request {
    const char *fn;
    const gnd_array *x;
    const gnd_axes *axes;
    uint32_t reduced; /* which axes of x, a bit each */
    gndi_reducer reducer;
    bool mean;
    gnd_dtype loop;    /* what elements are cast to */
    gnd_dtype natural; /* what the kernels store */
    gnd_dtype result;  /* the dtype of a new result */
    int ndim;          /* of the result */
    int64_t shape[GND_MAX_DIMS];
} gndi_reduce_request;

/* Computes it, to a new array or to axes->out (a new reference to it). */
gnd_array *gndi_reduce_run(const gndi_reduce_request *r);

/* An operand with a stride for each axis of x; `out` has stride 0 where x is reduced. */
typedef struct gndi_reduce_space {
    char *data;
    gnd_dtype dtype;
    int64_t stride[GND_MAX_DIMS];
} gndi_reduce_space;

/* Fills the plan's axes and operands; mask may be NULL. */
void gndi_reduce_plan_axes(gndi_reduce_plan *plan, const gnd_array *x, uint32_t reduced,
                           const gndi_reduce_space *out, const gndi_reduce_space *mask);
/* Byte strides for a new result in the order of x's kept axes (NumPy's K order): one for each axis
   of the result. False if that is C order. */
bool gndi_reduce_k_strides(const gndi_reduce_request *r, int64_t itemsize, int64_t *strides);

#endif
