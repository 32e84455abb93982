/*
 * samples_cuda.c: samples on CUDA. Bytes are read once and numbers written once, or the other way: 1e7 complex samples
 * of 16 bits are 40 MB and 80 MB, 30 us at 4.0 TB/s.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "samples/samples_plan.h"

enum { THREADS = 256, EACH = 4, MOST_BLOCKS = 1 << 20 };

const void *gndi_cuda_samples_kernel(const gndi_samples_plan *plan); /* samples_kernels.cu */

gnd_status gndi_cuda_samples(gnd_stream *s, const gndi_samples_plan *plan, const char *fn) {
    gndi_samples_plan p = *plan;
    const int64_t blocks = gndi_min(gndi_ceil_div(p.count, THREADS * EACH), MOST_BLOCKS);
    return blocks <= 0 ? GND_OK : gndi_cuda_launch(s, gndi_cuda_samples_kernel(&p), blocks, THREADS, 0, &p, fn);
}
