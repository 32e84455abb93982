/*
 * cepstrum_cuda.c: logarithms of magnitudes on CUDA.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "transforms/cepstrum_plan.h"

const void *gndi_cuda_log_magnitude_kernel(bool wide); /* cepstrum_kernels.cu */

gnd_status gndi_cuda_log_magnitude(gnd_stream *s, const gndi_log_magnitude_plan *plan, const char *fn) {
    enum { THREADS = 256, MOST_BLOCKS = 1 << 22 };
    gndi_log_magnitude_plan p = *plan;
    const int64_t blocks = gndi_min(gndi_ceil_div(p.count, THREADS), MOST_BLOCKS);
    return gndi_cuda_launch(s, gndi_cuda_log_magnitude_kernel(p.wide), blocks, THREADS, 0, &p, fn);
}
