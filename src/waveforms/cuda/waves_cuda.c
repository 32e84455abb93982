/*
 * waves_cuda.c: waveforms on CUDA, one launch each.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "waveforms/wave_plan.h"

const void *gndi_cuda_waves_floats(int row); /* waves_kernels.cu */
const void *gndi_cuda_waves_doubles(int row);

gnd_status gndi_cuda_wave(gnd_stream *s, const gndi_wave_plan *plan, const char *fn) {
    gndi_wave_plan p = *plan;
    if (p.n <= 0) return GND_OK;
    const int64_t blocks = gndi_ceil_div(p.n, GNDI_WAVE_THREADS * GNDI_WAVE_ELEMENTS);
    const void *kernel = p.dtype == GND_FLOAT32 ? gndi_cuda_waves_floats(p.row) : gndi_cuda_waves_doubles(p.row);
    return gndi_cuda_launch(s, kernel, blocks, GNDI_WAVE_THREADS, 0, &p, fn);
}
