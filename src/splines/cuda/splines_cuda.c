/*
 * splines_cuda.c: splines at points and smoothed lines on CUDA, one launch each.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "splines/spline_plan.h"
#include "splines/whittaker_plan.h"

const void *gndi_cuda_spline_kernel(bool quadratic, int of_coefficients, int of_points); /* splines_kernels.cu */
const void *gndi_cuda_whittaker_kernel(void);                                            /* whittaker_kernels.cu */

gnd_status gndi_cuda_spline(gnd_stream *s, const gndi_spline_plan *plan, const char *fn) {
    enum { THREADS = 256, MOST_BLOCKS = 1 << 22 };
    gndi_spline_plan p = *plan;
    if (p.count <= 0) return GND_OK;
    const int64_t blocks = gndi_min(gndi_ceil_div(p.count, THREADS), MOST_BLOCKS);
    return gndi_cuda_launch(s, gndi_cuda_spline_kernel(p.quadratic, p.of_coefficients, p.of_points), blocks, THREADS, 0,
                            &p, fn);
}

gnd_status gndi_cuda_whittaker(gnd_stream *s, const gndi_whittaker_plan *plan, const char *fn) {
    enum { THREADS = 64 }; /* few, since there are as many threads as lines: on as many processors as there are */
    gndi_whittaker_plan p = *plan;
    return gndi_cuda_launch(s, gndi_cuda_whittaker_kernel(), gndi_ceil_div(p.slots, THREADS), THREADS, 0, &p, fn);
}
