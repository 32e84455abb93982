/*
 * neighbours_plan.h: windows of any shape around each element, as the fronts of src/ndimage hand them to a backend: the
 * largest or smallest element, or an array continued beyond its ends.
 */
#ifndef GNDI_NEIGHBOURS_PLAN_H
#define GNDI_NEIGHBOURS_PLAN_H

#include "kernels/border.h"
#include <gnd/base.h>
#include <gnd/dtype.h>

enum gndi_neighbours_kind { GNDI_NEIGHBOURS_EXTEND, GNDI_NEIGHBOURS_MAXIMUM, GNDI_NEIGHBOURS_MINIMUM };

/* Most axes, those of length 1 without a window left out. */
enum { GNDI_NEIGHBOURS_AXES = 16 };

/* Dense arrays of at least one axis and element:
     EXTEND   out[i] = x[i + first]
     others   out[i] = the extreme of x[i + first + j] +- values[j], for the j of the window that the mask has
   The smallest is of differences. */
struct gndi_neighbours_plan {
    const void *x;
    void *out;
    const uint8_t *mask; /* dense, a byte for each element of the window; NULL: all count */
    const void *values;  /* dense, of the dtype; NULL: none */
    const uint8_t *kept; /* dense, like out: where it is 0, out[i] = x[i]; NULL: nowhere */
    uint64_t fill;       /* the bits of the constant */
    uint8_t kind;
    uint8_t dtype; /* EXTEND: an unsigned one of so many bytes; others: float32, float64, uint8 */
    int ndim;
    int64_t x_shape[GNDI_NEIGHBOURS_AXES], out_shape[GNDI_NEIGHBOURS_AXES], window[GNDI_NEIGHBOURS_AXES], first[GNDI_NEIGHBOURS_AXES];
    uint8_t border[GNDI_NEIGHBOURS_AXES];
};

#endif
