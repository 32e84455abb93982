/*
 * fault.h: reports of kernels, which the next wait raises (device->faults; src/backend/fault.c makes the
 * messages). Device code includes this header too.
 */
#ifndef GNDI_FAULT_H
#define GNDI_FAULT_H

#include <limits.h>
#include <stdint.h>

/* The first reporter keeps the record until a wait takes it. On the CPU the thread that changes `code` from 0 to
   CLAIMED owns the other fields, and publishes them with the final code (gndi_report_fault); a kernel on a GPU sets
   the code first and then the rest, which is complete once its own stream was waited for. Positive codes are
   operators' numbers + 1 (CHECKED in ops.def), the others are named here; 0: no fault. */
typedef struct gndi_fault {
    int code;
    int axis;            /* INDEX: of the array that was indexed */
    int64_t value, size; /* INDEX: the index, and the size of that axis; of matrices: which one of the
                            batch, of how many */
    const char *fn;      /* the public function that caused it, a constant of the host; kernels leave it */
} gndi_fault;
enum {
    GNDI_FAULT_INDEX = -1,           /* an index outside its axis */
    GNDI_FAULT_ALL_NAN = -2,         /* the index of the smallest or largest element of all NaN */
    GNDI_FAULT_QUANTILE = -3,        /* a quantile outside [0, 1], or NaN */
    GNDI_FAULT_WEIGHTS = -4,         /* weights that add up to zero, or a negative one */
    GNDI_FAULT_COUNT = -5,           /* a mask selects `value` elements, and there are `size` values */
    GNDI_FAULT_BINS = -6,            /* bins not sorted (digitize), or not increasing */
    GNDI_FAULT_RANGE = -7,           /* elements between which there are no bins: NaN, infinity */
    GNDI_FAULT_TOO_MANY = -8,        /* `size` bin edges so close that two are the same */
    GNDI_FAULT_SINGULAR = -9,        /* a matrix has no inverse: pivot `axis` (counted from 1) is zero */
    GNDI_FAULT_NOT_POSITIVE = -10,   /* the leading minor of order `axis` is not positive definite */
    GNDI_FAULT_NO_CONVERGENCE = -11, /* eigenvalues or singular values did not converge */
    GNDI_FAULT_RANDOM = -12,         /* element `value` of distribution `axis` has parameters it does not take */
    GNDI_FAULT_PERIOD = -13,         /* period `value` is not above 0 */
    GNDI_FAULT_CLAIMED = INT_MIN,    /* the record is being written or read */
};

#endif
