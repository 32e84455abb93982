/*
 * fault.h: what a kernel reports, for the next wait to raise (device->faults; src/backend/fault.c
 * says what it means). Device code reads this header too.
 */
#ifndef GNDI_FAULT_H
#define GNDI_FAULT_H

#include <limits.h>
#include <stdint.h>

/* The first to report keeps the record, until a wait takes it. On the CPU whoever changes `code` from 0 to
   CLAIMED owns the other fields, and gives them away with the code itself (gndi_report_fault); a kernel on a
   GPU sets the code first and the rest behind it, which is whole once its own stream was waited for. Positive
   codes are operators' numbers + 1 (CHECKED in ops.def), the others are named here; 0: nothing. */
typedef struct gndi_fault {
    int code;
    int axis;            /* INDEX: of the array that was indexed */
    int64_t value, size; /* INDEX: the index, and the size of that axis; of matrices: which one of the
                            batch, of how many */
    const char *fn;      /* the public function that caused it, a constant of the host; kernels leave it */
} gndi_fault;
enum {
    GNDI_FAULT_INDEX = -1,           /* an index outside its axis */
    GNDI_FAULT_ALL_NAN = -2,         /* the place of the smallest or largest of nothing but NaN */
    GNDI_FAULT_QUANTILE = -3,        /* a quantile outside [0, 1], or NaN */
    GNDI_FAULT_WEIGHTS = -4,         /* weights that add up to zero, or a negative one */
    GNDI_FAULT_COUNT = -5,           /* a mask names `value` places, and there are `size` values */
    GNDI_FAULT_BINS = -6,            /* bins in no order (digitize), or not increasing */
    GNDI_FAULT_RANGE = -7,           /* elements between which there are no bins: NaN, infinity */
    GNDI_FAULT_TOO_MANY = -8,        /* `size` bin edges so close that two are the same */
    GNDI_FAULT_SINGULAR = -9,        /* a matrix has no inverse: pivot `axis` (counted from 1) is zero */
    GNDI_FAULT_NOT_POSITIVE = -10,   /* the leading minor of order `axis` is not positive definite */
    GNDI_FAULT_NO_CONVERGENCE = -11, /* eigenvalues or singular values did not converge */
    GNDI_FAULT_RANDOM = -12,         /* element `value` of distribution `axis` has parameters it does not take */
    GNDI_FAULT_CLAIMED = INT_MIN,    /* somebody is filling in the record, or reading it */
};

#endif
