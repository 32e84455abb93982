/*
 * spline_plan.h: a spline at given points, as the front hands it to a backend.
 */
#ifndef GNDI_SPLINE_PLAN_H
#define GNDI_SPLINE_PLAN_H

#include <gnd/dtype.h>
#ifndef __cplusplus
#    include <stdbool.h>
#endif

/* Dense arrays. */
struct gndi_spline_plan {
    const void *coefficients; /* knots of them */
    const void *points;
    void *out; /* as many as points: like the coefficients of a cubic spline, like the points of a quadratic one */
    int64_t knots, count;
    double dx, x0;
    uint8_t of_coefficients, of_points; /* float32 or float64, of real and imaginary parts */
    bool pairs;                         /* coefficients are complex */
    bool quadratic;
};

#endif
