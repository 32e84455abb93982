/*
 * values_params.h: how the kernels in values_kernels.cu are launched. Their parameter is the plan.
 */
#ifndef GNDI_VALUES_PARAMS_H
#define GNDI_VALUES_PARAMS_H

#include "labels/values_plan.h"

enum { GNDI_VALUES_THREADS = 256 };

#endif
