// windows_kernels.cu: a kernel for each formula of windows.def and dtype. A thread evaluates a point of the left half
// and stores it on both sides: warps write whole lines there too, backwards.
#include "windows/window_formulas.h"

namespace gnd {
namespace windows {

enum { THREADS = 256 };

template <int Row, class T> __global__ void __launch_bounds__(THREADS)
    window_kernel(const __grid_constant__ gndi_window_plan p) {
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.points; i += threads) put<Row, T>(p, i);
}

template <int Row> static const void *kernel(int dtype) {
    if constexpr (Row == GNDI_WINDOW_chebwin)
        return (const void *)window_kernel<Row, complex<double>>;
    else
        return dtype == GND_FLOAT32 ? (const void *)window_kernel<Row, float>
                                    : (const void *)window_kernel<Row, double>;
}

} // namespace windows
} // namespace gnd

// The kernel of a row with a formula, for blocks of 256 threads.
extern "C" const void *gndi_cuda_window_kernel(int row, int dtype) {
    switch (row) {
#define ROW(name)                                                                                                      \
    case GNDI_WINDOW_##name:                                                                                           \
        return gnd::windows::kernel<GNDI_WINDOW_##name>(dtype);
#define FORMULA(name, also, formula) ROW(name)
#define COSINES(name, also, ...)
#define PARAMETERS(name, also, least, most, formula) ROW(name)
#define SAME_AS(name, also, least, most)
#define COMPOSED(name, also, least, most)
#include "windows/windows.def"
        ROW(chebwin)
    }
    return nullptr;
}
