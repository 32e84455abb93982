// waves_kernels.cu: a kernel for each row of waves.def and dtype. A thread reads the times of its elements before it
// computes the first one, so that it waits for memory once.
#include "waveforms/wave_formulas.h"

namespace gnd {
namespace waves {

enum { THREADS = GNDI_WAVE_THREADS, ELEMENTS = GNDI_WAVE_ELEMENTS };

template <int Row, class T> __global__ void __launch_bounds__(THREADS)
    wave_kernel(const __grid_constant__ gndi_wave_plan p) {
    const int64_t first = (int64_t)blockIdx.x * THREADS * ELEMENTS + threadIdx.x;
    given g[ELEMENTS];
#pragma unroll
    for (int k = 0; k < ELEMENTS; k++)
        if (first + k * THREADS < p.n) g[k] = given_at<Row, T>(p, first + k * THREADS);
#pragma unroll
    for (int k = 0; k < ELEMENTS; k++)
        if (first + k * THREADS < p.n) put<Row, T>(p, first + k * THREADS, g[k]);
}

template <int Row> static const void *kernel(int dtype) {
    return dtype == GND_FLOAT32 ? (const void *)wave_kernel<Row, float> : (const void *)wave_kernel<Row, double>;
}

} // namespace waves
} // namespace gnd

// The kernel of a row, for blocks of 256 threads.
extern "C" const void *gndi_cuda_wave_kernel(int row, int dtype) {
    switch (row) {
#define ROW(name)                                                                                                      \
    case GNDI_WAVE_##name:                                                                                             \
        return gnd::waves::kernel<GNDI_WAVE_##name>(dtype);
#define PHASE(name, formula) ROW(name)
#define VALUE(name, formula) ROW(name)
#define WAVE(name, formula) ROW(name)
#include "waveforms/waves.def"
    }
    return nullptr;
}
