/*
 * covariance_plan.h: covariances of the signals of few sensors, as the front (beamformer.c) hands them to a GPU:
 *
 *     out[i][j] = sum over k of (x[i][k] - mean of x[i]) conj(x[j][k] - mean of x[j]) / (samples - 1)
 */
#ifndef GNDI_COVARIANCE_PLAN_H
#define GNDI_COVARIANCE_PLAN_H

#include <stdint.h>

enum { GNDI_COVARIANCE_SENSORS = 64 };

/* Of complex64; samples of a sensor lie side by side. */
struct gndi_covariance_plan {
    const char *x;
    char *out;                /* dense */
    int64_t step;             /* bytes from one sensor to the next */
    int64_t sensors, samples; /* at most GNDI_COVARIANCE_SENSORS; at least 1 */
};

#endif
