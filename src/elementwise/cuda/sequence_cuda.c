/*
 * sequence_cuda.c: the CUDA backend's `sequence`: converts C numbers to a parameter block and launches.
 */
#include "elementwise/cuda/sequence_params.h"
#include "elementwise/sequence_plan.h"
#include "runtime/cuda/runtime_cuda.h"

enum { THREADS = 256 };

const void *gndi_cuda_sequence_kernel(int dtype); /* sequence_kernels.cu */

gnd_status gndi_cuda_sequence(gnd_stream *s, const gndi_sequence_plan *plan, const char *fn) {
    const int64_t n = plan->n;
    if (n <= 0) return GND_OK;
    const bool has_last = plan->last.kind != GND_ARG_NONE;
    gndi_sequence_params params = {.out = plan->out, .n = (uint64_t)n, .last_given = has_last};
    const gndi_parts from = gndi_arg_parts(plan->first), by = gndi_arg_parts(plan->step);
    params.first = gndi_arg_integer(plan->first), params.step = gndi_arg_integer(plan->step);
    params.re = from.re, params.im = from.im, params.dre = by.re, params.dim = by.im;
    gndi_scalar last = {0};
    if (has_last && !gndi_scalar_from_arg(fn, plan->last, plan->dtype, &last)) return GND_ERROR_VALUE;
    memcpy(params.last, &last, sizeof params.last);
    return gndi_cuda_launch(s, gndi_cuda_sequence_kernel(plan->dtype), (n + THREADS - 1) / THREADS, THREADS, 0, &params,
                            fn);
}
