/*
 * elementwise.h: the elementwise front end as the rest of the library calls it. A request says what
 * to compute; gndi_elementwise checks it, finds the dtypes, broadcasts, plans and submits it.
 *
 *     elementwise.c         the public functions and the hot path of dense operands
 *     elementwise_apply.c   gnd_apply, and operators with parameters
 *     elementwise_types.c   which loop, which dtypes, which number fits
 *     elementwise_plan.c    axes: broadcast, K order, sort, flip, merge; overlap
 *     elementwise_run.c     the general request
 *     assign.c              copies, casts, fills
 */
#ifndef GNDI_ELEMENTWISE_H
#define GNDI_ELEMENTWISE_H

#include "elementwise/plan.h"
#include "runtime/runtime.h"

/* An operator applied to arguments. Everything but op, fn and args may be zero. */
typedef struct gndi_ew_request {
    gndi_op op;
    const char *fn; /* the public function, for messages */
    gnd_arg args[GNDI_MAX_IN];
    gnd_array *out[GNDI_MAX_OUT]; /* where to write; NULL: new arrays */
    const gnd_array *where;       /* compute only where true */
    gnd_dtype dtype;              /* of the (first) output; 0: NumPy's choice */
    gnd_casting casting;
    char order; /* layout of new arrays: 0 or 'K', 'C', 'F', 'A' */
    bool clips; /* stands for clip: the second argument is a bound, which may lie outside
                   the dtype */
    double params[4];
} gndi_ew_request;

/* Carries a request out. For outputs not given, `results` gets new arrays (untouched on failure);
   may be NULL if all are given. */
gnd_status gndi_elementwise(const gndi_ew_request *request, gnd_array **results);

/* The request that copies `in`, still without an output, and out[...] = in by such a request. */
void gndi_copy_request(gndi_ew_request *r, const char *fn, gnd_arg in);
gnd_status gndi_assign_array(gndi_ew_request *r, const gnd_array *in);
/* out[...] = in, on one device: broadcasts, casts as C does, and may overlap. */
gnd_status gndi_copy_into(const char *fn, gnd_array *out, const gnd_array *in);
/* The same of an array or a number, by NumPy's rule for numbers: what does not fit is refused. */
gnd_status gndi_assign(const char *fn, gnd_array *out, gnd_arg value);
/* A new array with the elements of `in` cast to `dtype`; order 'K', 'C', 'F' or 'A'. */
gnd_array *gndi_copy_as(const char *fn, const gnd_array *in, gnd_dtype dtype, char order);
/* `a` in a shape of the same size, read and placed in row-major order: a view, or a copy where
   strides cannot express it (reshape.c). */
gnd_array *gndi_reshaped(const char *fn, const gnd_array *a, int ndim, const int64_t *shape);

/* ---- dtypes (elementwise_types.c) ----------------------------------------------------------- */

/* What an operator will compute in: the operator itself may be replaced (int64 against uint64), its
   two arguments swapped, and a number that does not fit replaced by one that gives the answer. */
typedef struct gndi_ew_types {
    gndi_op op;
    gnd_dtype loop;
    gnd_dtype in[GNDI_MAX_IN], out[GNDI_MAX_OUT]; /* in the loop */
    bool swapped;                                 /* take the two arguments the other way round */
    gnd_arg args[GNDI_MAX_IN];                    /* as they go into the loop */
} gndi_ew_types;

gnd_status gndi_ew_resolve(const gndi_ew_request *request, gndi_ew_types *types);
/* What stands for gnd_power(x, exponent) in this loop, an operator of x alone; gnd_power's own if none does. */
gndi_op gndi_ew_power_by(gnd_dtype loop, gnd_arg exponent);
/* Whether an integer (or any other) number can be held by `dtype` without an error. */
bool gndi_ew_number_fits(gnd_arg number, gnd_dtype dtype);

/* ---- plans (elementwise_plan.c) ------------------------------------------------------------- */

/* Operands as they are being planned: a stride for each axis of the broadcast shape. */
typedef struct gndi_ew_space {
    int ndim, count; /* axes, operands */
    int64_t shape[GND_MAX_DIMS];
    int64_t stride[GNDI_MAX_OPERANDS][GND_MAX_DIMS];
} gndi_ew_space;

/* The strides of a new array of this shape in the order that the operands 0..count-1 of `space`
   agree on best (NumPy's K order). */
void gndi_ew_k_strides(const gndi_ew_space *space, int64_t itemsize, int64_t *strides);
/* Drops axes of size 1, sorts the rest by the outputs' strides, flips those that run backwards, and
   merges neighbours: from `space` into the plan's shape, stride and data. */
void gndi_ew_plan_axes(const gndi_ew_space *space, gndi_ew_plan *plan);
/* Whether writing `out` may change an element of `in` other than the one at the same index; both
   seen under space's shape, as operands number i and o. */
bool gndi_ew_overlaps(const gndi_ew_space *space, const gnd_array *out, int o, const gnd_array *in, int i);

/* ---- submission (elementwise_run.c) --------------------------------------------------------- */

/* The stream that work on this array goes to: the current one, if it is on its device. */
gnd_stream *gndi_ew_stream(const gnd_array *any, const char *fn);
/* The status of the pending error, for callers of functions that return a pointer. */
gnd_status gndi_ew_pending(void);
/* A hook's work, from its front: the stream that it goes to, which has been made to wait for whatever else uses what
   is read and written. NULLs are left out, but one of read[0] and written[0] is there. NULL and an error if that
   fails. */
gnd_stream *gndi_work_begin(const char *fn, int reads, const gnd_array *const *read, int writes,
                            const gnd_array *const *written);
/* The same of memory. */
gnd_stream *gndi_work_begin_buffers(const char *fn, int reads, gndi_buffer *const *read, int writes,
                                    gndi_buffer *const *written);
/* How it ends: with the hook's status. */
gnd_status gndi_work_end(gnd_stream *s, gnd_status status, const char *fn);

#endif
