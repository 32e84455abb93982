/*
 * march_cuda.h: separable filters of matrices of floats row by row.
 */
#ifndef GNDI_MARCH_CUDA_H
#define GNDI_MARCH_CUDA_H

#include "ndimage/lines_plan.h"
#include "runtime/cuda/runtime_cuda.h"

/* Queues a plan that has such a kernel; false: it has none. */
bool gndi_cuda_marches(gnd_stream *s, const gndi_lines_plan *plan, const char *fn, gnd_status *status);

#endif
