/*
 * cepstrum_cuda.c: logarithms of magnitudes, and of spectra with a continuous phase, on CUDA.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "transforms/cepstrum_plan.h"
#include "transforms/cuda/phase_lines_params.h"

const void *gndi_cuda_log_magnitude_kernel(bool wide);          /* cepstrum_kernels.cu */
const void *gndi_cuda_phase_kernel(bool wide, bool logarithms); /* phase_lines_kernels.cu */

gnd_status gndi_cuda_log_magnitude(gnd_stream *s, const gndi_log_magnitude_plan *plan, const char *fn) {
    enum { THREADS = 256, MOST_BLOCKS = 1 << 22 };
    gndi_log_magnitude_plan p = *plan;
    const int64_t blocks = gndi_min(gndi_ceil_div(p.count, THREADS), MOST_BLOCKS);
    return gndi_cuda_launch(s, gndi_cuda_log_magnitude_kernel(p.wide), blocks, THREADS, 0, &p, fn);
}

gnd_status gndi_cuda_phase_lines(gnd_stream *s, const gndi_phase_lines_plan *plan, const char *fn) {
    gndi_phase_lines_params p = {.plan = *plan, .parts = gndi_ceil_div(plan->half, GNDI_PHASE_PART)};
    const int64_t blocks = plan->lines * p.parts;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)blocks * sizeof *p.turns);
    if (!memory) return GND_ERROR_MEMORY;
    p.turns = (int32_t *)(void *)memory->base;
    gnd_status status =
        gndi_cuda_launch_early(s, gndi_cuda_phase_kernel(plan->wide, false), blocks, GNDI_PHASE_THREADS, 0, &p, fn);
    if (!status)
        status =
            gndi_cuda_launch_early(s, gndi_cuda_phase_kernel(plan->wide, true), blocks, GNDI_PHASE_THREADS, 0, &p, fn);
    gndi_buffer_release(memory);
    return status;
}
