/*
 * select_plan.h: order statistics (median, quantiles) of dense rows.
 */
#ifndef GNDI_SELECT_PLAN_H
#define GNDI_SELECT_PLAN_H

#include "kernels/ops.h"

struct gndi_select_plan {
    int unused;
};

#endif
