/*
 * weights_plan.h: weights of beamformers of few sensors, as the front (beamformer.c) hands them to a GPU. For each of
 * many covariances C and steering vectors v:
 *
 *     out = C^-1 v / (v^H C^-1 v)
 */
#ifndef GNDI_WEIGHTS_PLAN_H
#define GNDI_WEIGHTS_PLAN_H

#include <stdint.h>

/* At most GNDI_COVARIANCE_SENSORS sensors. Everything is complex64, or complex128 if `wide`, and dense. */
struct gndi_weights_plan {
    int wide, sensors;
    int64_t count;
    const char *c, *v;
    int64_t v_step; /* elements from one vector to the next; 0: one for all */
    char *out;
};

#endif
