/*
 * detrend_plan.h: lines without their mean or their straight line of least squares, as the front end (detrend.c)
 * hands them to a backend:
 *
 *     out[i] = x[i] - mean - slope * t,   t = i - (n - 1) / 2,
 *     mean = sum of x / n,   slope = sum of t * x / sum of t^2
 */
#ifndef GNDI_DETREND_PLAN_H
#define GNDI_DETREND_PLAN_H

#include "core/core.h"
#include "resample/line_offset.h"

/* x and out are float32, float64, complex64 or complex128, dense along the line; sums are float64. */
struct gndi_detrend_plan {
    uint8_t dtype;
    bool linear; /* else slope is 0 */
    const char *x;
    char *out;
    int64_t n; /* at least 1 */
    gndi_line_grid grid;
};

/* The sum of the squares of t. */
static inline double gndi_detrend_squares(int64_t n) {
    const double d = (double)n;
    return d * (d * d - 1) / 12;
}

#endif
