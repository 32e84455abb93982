/*
 * splines_loops.h: splines at points on the CPU.
 */
#ifndef GNDI_SPLINES_LOOPS_H
#define GNDI_SPLINES_LOOPS_H

#include "splines/spline_plan.h"

#ifdef __cplusplus
extern "C"
#endif
    /* Computes points begin .. end - 1. */
    void
    gndi_spline_values(const struct gndi_spline_plan *plan, int64_t begin, int64_t end);

#endif
