/*
 * copy_launch.h: copies one strided array into another, for launchers that need dense operands.
 */
#ifndef GNDI_COPY_LAUNCH_H
#define GNDI_COPY_LAUNCH_H

#include "elementwise/plan.h"
#include "runtime/hooks.h"

/* A copy, to be given its axes in any order; `out` and `in` are of one dtype or cast. */
typedef struct gndi_cuda_copy {
    gndi_ew_plan plan;
} gndi_cuda_copy;

gndi_cuda_copy gndi_cuda_copy_new(char *out, uint8_t out_dtype, const char *in, uint8_t in_dtype);
/* Strides in bytes. */
void gndi_cuda_copy_axis(gndi_cuda_copy *copy, int64_t size, int64_t out, int64_t in);
/* out = factor in, in out's dtype, a floating or complex one: complex numbers times factor + 0i, which makes a
   NaN of the other part of an infinite one. As pairs of real numbers they keep it. */
void gndi_cuda_copy_scale(gndi_cuda_copy *copy, double factor);
gnd_status gndi_cuda_copy_run(gnd_stream *s, gndi_cuda_copy *copy, const char *fn);

#endif
