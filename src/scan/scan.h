/*
 * scan.h: the scan front end's own parts.
 *
 *     scan.c       the public functions: which dtypes, and what is refused
 *     scan_run.c   where the result goes, what is converted or copied first, the submission
 *     scan_plan.c  the plan's axes: drop, flip, sort, merge
 */
#ifndef GNDI_SCAN_H
#define GNDI_SCAN_H

#include "scan/scan_plan.h"
#include "runtime/runtime.h"

/* A scan that was checked, with its dtypes. */
typedef struct gndi_scan_request {
    const char *fn;
    const gnd_array *x;
    gndi_op op;
    gnd_dtype loop;         /* what elements are cast to; the dtype of a new result */
    bool skip_nan;          /* NaN count as the operator's identity, 0 or 1 (add and multiply) */
    bool flat;              /* all of x in C order, to one dimension */
    int axis;               /* else: which of x's, which has one at least */
    gnd_array *out;         /* checked: of the result's shape; NULL: a new array */
    const gnd_array *start; /* checked: broadcasts to x with one element along the axis (`flat`: has one element); the
                               operator is associative. NULL: nothing comes before the first elements */
} gndi_scan_request;

/* Computes it, to a new array or to `out` (a new reference to it). */
gnd_array *gndi_scan_run(const gndi_scan_request *r);
/* A new array of this shape on like's device, not filled, whose axes lie in memory as those of `like`
   do, which has as many (NumPy's K order). */
gnd_array *gndi_new_in_order(const char *fn, const gnd_array *like, const int64_t *shape, gnd_dtype dtype);
/* A new array for the result, longer by `extra` along the axis; in x's order (NumPy's K order). */
gnd_array *gndi_scan_result(const gndi_scan_request *r, int64_t extra);

/* Fills the plan's axes and operands: a scan of `in` to `out`, which have one shape, along an axis.
   The axes have elements. `start` has the carried dtype, and the same shape but for one element along the axis; NULL:
   there is none. */
void gndi_scan_plan_axes(gndi_scan_plan *plan, const gnd_array *in, const gnd_array *start, const gnd_array *out,
                         int axis);

#endif
