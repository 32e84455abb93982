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

template <class T> static const void *kernel_of(int row) {
    switch (row) {
#define ROW(name)                                                                                                      \
    case GNDI_WAVE_##name:                                                                                             \
        return (const void *)wave_kernel<GNDI_WAVE_##name, T>;
#define PHASE(name, formula) ROW(name)
#define VALUE(name, formula) ROW(name)
#define WAVE(name, formula) ROW(name)
#include "waveforms/waves.def"
    }
    return nullptr;
}

} // namespace waves
} // namespace gnd

// The kernel of a row, for blocks of 256 threads.
#ifdef GNDI_PART_floats
extern "C" const void *gndi_cuda_waves_floats(int row) {
    return gnd::waves::kernel_of<float>(row);
}
#endif
#ifdef GNDI_PART_doubles
extern "C" const void *gndi_cuda_waves_doubles(int row) {
    return gnd::waves::kernel_of<double>(row);
}
#endif
