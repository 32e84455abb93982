/*
 * reduce.h: the reduction front end's own parts, and how the rest of src/math reduces.
 *
 *     reduce.c            the public reductions
 *     reduce_nan.c        those without NaN
 *     reduce_norm.c       norms and products of two arrays
 *     reduce_moments.c    number, mean and squared deviations at once
 *     reduce_operator.c   a binary operator of ops.def over axes
 *     reduce_types.c      which dtype is computed in, which is stored, which is given
 *     reduce_check.c      axes, out, where, initial: what fits and what is refused
 *     reduce_run.c        where the result goes, the submission
 *     reduce_plan.c       axes: drop, flip, sort, merge
 */
#ifndef GNDI_REDUCE_H
#define GNDI_REDUCE_H

#include "reduce/reduce_plan.h"
#include "runtime/runtime.h"

/* Options of gnd_axes that a function takes beside keepdims and out. */
enum { GNDI_TAKES_DTYPE = 1, GNDI_TAKES_WHERE = 2, GNDI_TAKES_INITIAL = 4, GNDI_TAKES_ALL = 7 };

/* How a function finds its dtypes (reduce_types.c). */
typedef enum gndi_reduce_rule {
    GNDI_RULE_FOLD,     /* as the operator `op` on its own results */
    GNDI_RULE_TRUTH,    /* elements are tested against zero: bool, or int64 for COUNT */
    GNDI_RULE_MEAN,     /* integers give float64 */
    GNDI_RULE_VARIANCE, /* the same, and complex numbers their real dtype */
    GNDI_RULE_RANGE,    /* x's dtype, but not bool */
    GNDI_RULE_INDEX,    /* an index */
    GNDI_RULE_NORM,     /* as VARIANCE, without dtype= */
    GNDI_RULE_PRODUCT,  /* x and second promoted together */
} gndi_reduce_rule;

/* What to reduce and how. gndi_reduce_begin and the caller fill in the first part, gndi_reduce finds
   the rest. */
typedef struct gndi_reduce_request {
    const char *fn;
    const gnd_array *x;
    const gnd_array *second; /* of a map that takes two: x's shape and device; else NULL */
    const gnd_axes *axes;
    gndi_reducer reducer;
    gndi_reduce_map map;
    gndi_reduce_finish finish;
    gndi_op op; /* the operator it folds with: of FOLD its dtypes, of OPERATOR its kernel, and the
                   name in messages */
    gndi_reduce_rule rule;
    int takes;
    double ddof, power;

    uint64_t reduced;  /* which axes of x, a bit each */
    gnd_dtype loop;    /* what elements are cast to */
    gnd_dtype natural; /* what the kernels store */
    gnd_dtype result;  /* the dtype of a new result */
    int ndim;          /* of the result */
    int64_t shape[GND_MAX_DIMS];
} gndi_reduce_request;

/* A request with no map and no finish. (No initialiser: that would clear all of the struct.) */
static inline void gndi_reduce_begin(gndi_reduce_request *r, const char *fn, const gnd_array *x, const gnd_axes *axes,
                                     gndi_reducer reducer, gndi_op op, gndi_reduce_rule rule, int takes) {
    r->fn = fn, r->x = x, r->second = NULL, r->axes = axes;
    r->reducer = reducer, r->map = GNDI_MAP_NONE, r->finish = GNDI_FINISH_NONE;
    r->op = op, r->rule = rule, r->takes = takes;
    r->ddof = 0, r->power = 0;
}

/* Checks a request, finds its dtypes and computes it, to a new array or to axes->out (a new
   reference to it). A NULL x is an error. */
gnd_array *gndi_reduce(gndi_reduce_request *r);

/* The sum of a b over some axes of two arrays of one shape; `conjugate`: of conj(a) b. */
gnd_array *gndi_sum_of_products(const char *fn, const gnd_array *a, const gnd_array *b, bool conjugate,
                                const gnd_axes *axes);

/* The whole of ufunc.reduce for a binary operator: dtypes, identity, options and errors are those
   of numpy.<op>.reduce. */
gnd_array *gndi_reduce_operator(const char *fn, gndi_op op, const gnd_array *x, const gnd_axes *axes);

/* gnd_vector_norm, in the name of `fn`. */
gnd_array *gndi_vector_norm(const char *fn, const gnd_array *x, double order, const gnd_axes *axes);

/* ---- its parts ------------------------------------------------------------------------------ */

/* The reducer that carries out the operator r->op in r->loop. */
void gndi_reduce_choose_reducer(gndi_reduce_request *r);
bool gndi_reduce_choose_dtypes(gndi_reduce_request *r); /* or raises */
bool gndi_reduce_choose_axes(gndi_reduce_request *r);   /* and the result's shape; or raises */
bool gndi_reduce_check(const gndi_reduce_request *r);   /* or raises */
/* What every output starts from if there is no `initial`: the identity. False if there is none. */
bool gndi_reduce_identity(const gndi_reduce_request *r, gndi_scalar *start);
gnd_array *gndi_reduce_run(const gndi_reduce_request *r);

/* An operand with a stride for each axis of x; `out` has stride 0 where x is reduced. */
typedef struct gndi_reduce_space {
    char *data;
    gnd_dtype dtype;
    int64_t stride[GND_MAX_DIMS];
} gndi_reduce_space;

/* Fills the plan's axes and operands; mask may be NULL. The reducer and op are set already. */
void gndi_reduce_plan_axes(gndi_reduce_plan *plan, const gndi_reduce_request *r, const gndi_reduce_space *out,
                           const gndi_reduce_space *mask);
/* Byte strides for a new result in the order of x's kept axes (NumPy's K order): one for each axis
   of the result. False if that is C order. */
bool gndi_reduce_k_strides(const gndi_reduce_request *r, int64_t itemsize, int64_t *strides);

/* Whether all elements of a bool array are true. The array is released. Waits. */
gnd_status gndi_all_true(const char *fn, gnd_array *mask, bool *all);

#endif
