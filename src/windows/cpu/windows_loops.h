/*
 * windows_loops.h: values of windows on the CPU.
 */
#ifndef GNDI_WINDOWS_LOOPS_H
#define GNDI_WINDOWS_LOOPS_H

#include "windows/window_plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Evaluates points begin .. end - 1 of plan->points, and stores their values. */
void gndi_window_values(const struct gndi_window_plan *plan, int64_t begin, int64_t end);
/* The modified Bessel function of order 0. */
double gndi_bessel_i0(double x);

#ifdef __cplusplus
}
#endif

#endif
