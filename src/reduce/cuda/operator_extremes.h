/*
 * operator_extremes.h: the dense kernels of reductions with fmin and fmax, by input dtype: those of
 * real floating numbers.
 */
#ifndef GNDI_OPERATOR_EXTREMES_H
#define GNDI_OPERATOR_EXTREMES_H

#include "reduce/cuda/reduce_params.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const gndi_reduce_kernels gndi_reduce_fmin_kernels[16], gndi_reduce_fmax_kernels[16];

#ifdef __cplusplus
}
#endif

#endif
