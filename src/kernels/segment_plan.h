/*
 * segment_plan.h: ufunc.reduceat: a binary operator over segments of an axis.
 */
#ifndef GNDI_SEGMENT_PLAN_H
#define GNDI_SEGMENT_PLAN_H

#include "kernels/ops.h"

struct gndi_segment_plan {
    int unused;
};

#endif
