/*
 * fault.c: the message for a kernel's report (runtime/fault.h).
 */
#include "backend/table.h"
#include "kernels/ops/ops.h"
#include "random/random_plan.h"
#include <stdio.h>

/* For a matrix that LAPACK failed on; says which one, if there were several. */
static void matrix_sentence(char *text, size_t bytes, const gndi_fault *f) {
    char which[64] = "a matrix";
    if (f->size > 1) snprintf(which, sizeof which, "matrix %lld of %lld", (long long)f->value, (long long)f->size);
    if (f->code == GNDI_FAULT_SINGULAR)
        snprintf(text, bytes, "%s is singular: pivot %d is zero", which, f->axis);
    else if (f->code == GNDI_FAULT_NOT_POSITIVE)
        snprintf(text, bytes, "%s is not positive definite: its leading minor of order %d is not", which, f->axis);
    else
        snprintf(text, bytes, "the iteration did not converge on %s", which);
}

void gndi_describe_fault(char *text, size_t bytes, const gndi_fault *f) {
    const long long value = f->value, size = f->size;
    switch (f->code) {
    case GNDI_OP_power + 1:
        snprintf(text, bytes,
                 "an integer to a negative power is not allowed; use gnd_float_power or a float "
                 "dtype");
        return;
    case GNDI_FAULT_INDEX:
        snprintf(text, bytes, "index %lld is out of bounds for axis %d of size %lld", value, f->axis, size);
        return;
    case GNDI_FAULT_ALL_NAN: snprintf(text, bytes, "met a slice that is all NaN"); return;
    case GNDI_FAULT_QUANTILE:
        snprintf(text, bytes, "was asked for a quantile that is not in [0, 1] (a percentile not in [0, 100])");
        return;
    case GNDI_FAULT_WEIGHTS:
    case GNDI_OP_weighted + 1: snprintf(text, bytes, "met weights that add up to zero, or a negative one"); return;
    case GNDI_OP_check_weight + 1:
        snprintf(text, bytes, "met a weight that is negative, or a frequency that is no whole number");
        return;
    case GNDI_FAULT_COUNT:
        snprintf(text, bytes, "there are %lld values for %lld true elements of the mask", size, value);
        return;
    case GNDI_FAULT_BINS:
        snprintf(text, bytes, "met bins that do not increase monotonically (gnd_digitize: nor decrease)");
        return;
    case GNDI_FAULT_RANGE:
        snprintf(text, bytes, "the range of the data is not finite; give a range, or leave NaN and infinity out");
        return;
    case GNDI_FAULT_TOO_MANY:
        snprintf(text, bytes, "too many bins for its range: of %lld edges two are the same", size);
        return;
    case GNDI_FAULT_RANDOM:
        snprintf(text, bytes, "met parameters that it does not take, for element %lld: %s", value,
                 gndi_distributions[f->axis].requirement);
        return;
    case GNDI_FAULT_PERIOD: snprintf(text, bytes, "period %lld is not above 0", value); return;
    case GNDI_FAULT_SINGULAR:
    case GNDI_FAULT_NOT_POSITIVE:
    case GNDI_FAULT_NO_CONVERGENCE: matrix_sentence(text, bytes, f); return;
    default: snprintf(text, bytes, "met a value it does not take"); return;
    }
}
