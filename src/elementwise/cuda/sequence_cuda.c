/*
 * sequence_cuda.c: the CUDA backend's `sequence`: turns C numbers into a parameter block.
 */
#include "elementwise/cuda/sequence_params.h"
#include "runtime/cuda/runtime_cuda.h"

enum { THREADS = 256 };

const void *gndi_cuda_sequence_kernel(int dtype); /* sequence_kernels.cu */

gnd_status gndi_cuda_sequence(gnd_stream *s, void *out, gnd_dtype dtype, int64_t n, gnd_arg first,
                              gnd_arg step, bool last_given, gnd_arg last, const char *fn) {
    if (n <= 0) return GND_OK;
    gndi_sequence_params params = {.out = out, .n = (uint64_t)n, .last_given = last_given};
    gndi_parts from = gndi_arg_parts(first), by = gndi_arg_parts(step);
    params.first = gndi_arg_integer(first), params.step = gndi_arg_integer(step);
    params.re = from.re, params.im = from.im, params.dre = by.re, params.dim = by.im;
    gndi_scalar end = {0};
    if (last_given && !gndi_scalar_from_arg(fn, last, dtype, &end)) return GND_ERROR_VALUE;
    memcpy(params.last, &end, sizeof params.last);
    return gndi_cuda_launch(s, gndi_cuda_sequence_kernel(dtype), (n + THREADS - 1) / THREADS,
                            THREADS, 0, &params, fn);
}
