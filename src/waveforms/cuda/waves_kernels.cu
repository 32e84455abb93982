// waves_kernels.cu: a kernel for each row of waves.def and dtype, an element a thread.
#include "waveforms/wave_formulas.h"

namespace gnd {
namespace waves {

enum { THREADS = 256 };

template <int Row, class T> __global__ void __launch_bounds__(THREADS)
    wave_kernel(const __grid_constant__ gndi_wave_plan p) {
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.n; i += threads) put<Row, T>(p, i);
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
