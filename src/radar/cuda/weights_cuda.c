/*
 * weights_cuda.c: weights of beamformers of at most 64 sensors on CUDA, a block for each covariance. One of 64 sensors
 * is 64 steps with a barrier each, or two if it is not Hermitian and positive definite; 512 of them are 17 MB.
 */
#include "radar/cuda/weights_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_weights_kernel(bool wide); /* weights_kernels.cu */

gnd_status gndi_cuda_beam_weights(gnd_stream *s, const gndi_weights_plan *plan, const char *fn) {
    gndi_weights_params p = {.plan = *plan, .fault = gndi_fault_record(s->device)};
    return gndi_cuda_launch_early(s, gndi_cuda_weights_kernel(plan->wide), plan->count, GNDI_WEIGHTS_THREADS, 0, &p,
                                  fn);
}
