/*
 * weights_params.h: the parameter block of the kernel of beamformers' weights (weights_kernels.cu).
 */
#ifndef GNDI_WEIGHTS_PARAMS_H
#define GNDI_WEIGHTS_PARAMS_H

#include "radar/covariance_plan.h"
#include "radar/weights_plan.h"
#include "runtime/fault.h"

enum { GNDI_WEIGHTS_THREADS = 256 };

typedef struct gndi_weights_params {
    struct gndi_weights_plan plan;
    gndi_fault *fault;
} gndi_weights_params;

#endif
