/*
 * scatter_plan.h: ufunc.at: an operator applied at places given by indices, duplicates in order.
 */
#ifndef GNDI_SCATTER_PLAN_H
#define GNDI_SCATTER_PLAN_H

#include "kernels/ops.h"

struct gndi_scatter_plan {
    int unused;
};

#endif
