// windows_kernels.cu: a kernel for each formula of windows.def and dtype. A thread evaluates some points of the left
// half, so that the numbers of a formula are loaded once for them, and stores each on both sides: warps write whole
// lines there too, backwards.
#include "windows/window_formulas.h"

namespace gnd {
namespace windows {

enum { THREADS = GNDI_WINDOW_THREADS, EACH = GNDI_WINDOW_EACH };

template <int Row, class T> __global__ void __launch_bounds__(THREADS)
    window_kernel(const __grid_constant__ gndi_window_plan p) {
    const int64_t first = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    const double begin = (double)first, last = (double)(p.points - 1);
    double at[EACH];
    T x[EACH];
#pragma unroll
    for (int k = 0; k < EACH; k++) at[k] = begin + k * THREADS < last ? begin + k * THREADS : last;
    if constexpr (Row == GNDI_WINDOW_kaiser) {
        double w[EACH];
        kaisers(p, at, w);
#pragma unroll
        for (int k = 0; k < EACH; k++) x[k] = (T)w[k];
    } else {
#pragma unroll
        for (int k = 0; k < EACH; k++) x[k] = (T)value<Row>(p, at[k]);
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * THREADS < p.points) store<T>(p, first + k * THREADS, x[k]);
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

// The kernel of a row with a formula, for blocks of GNDI_WINDOW_THREADS threads with GNDI_WINDOW_EACH points each.
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
