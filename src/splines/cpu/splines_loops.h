/*
 * splines_loops.h: splines at points and Whittaker-Henderson smoothing on the CPU.
 */
#ifndef GNDI_SPLINES_LOOPS_H
#define GNDI_SPLINES_LOOPS_H

#include "splines/spline_plan.h"
#include "splines/whittaker_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Computes points begin .. end - 1. */
void gndi_spline_values(const struct gndi_spline_plan *plan, int64_t begin, int64_t end);
/* Smooths the lines of slots begin .. end - 1. */
void gndi_whittaker_lines(const struct gndi_whittaker_plan *plan, int64_t begin, int64_t end);

#ifdef __cplusplus
}
#endif

#endif
