// windows_kernels.cu: a kernel for each formula of windows.def and dtype. A thread evaluates some points of the left
// half, so that the numbers of a formula are loaded once for them, and stores each on both sides: warps write whole
// lines there too, backwards. Formulas that read no memory are evaluated while the kernel before still runs.
#include "kernels/cuda/early_start.cuh"
#include "windows/window_formulas.h"

namespace gnd {
namespace windows {

enum { THREADS = GNDI_WINDOW_THREADS };

template <int Row, class T> __global__ void __launch_bounds__(THREADS)
    window_kernel(const __grid_constant__ gndi_window_plan p) {
    constexpr int EACH = Row == GNDI_WINDOW_kaiser ? GNDI_WINDOW_MORE : GNDI_WINDOW_EACH;
    constexpr bool reads = !is_complex<T> && (Row == GNDI_WINDOW_chebwin || Row == GNDI_WINDOW_kaiser_bessel_derived);
    const int64_t first = (int64_t)blockIdx.x * (THREADS * EACH) + threadIdx.x;
    const double begin = (double)first;
    double at[EACH];
    T x[EACH];
    let_next_start();
    if (reads) wait_with((uint64_t)p.out);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        at[k] = begin + k * THREADS;
        if (reads && at[k] >= (double)p.points) at[k] = 0;
    }
    if constexpr (Row == GNDI_WINDOW_kaiser) {
        double w[EACH];
        kaisers(p, at, w);
#pragma unroll
        for (int k = 0; k < EACH; k++) x[k] = (T)w[k];
    } else {
#pragma unroll
        for (int k = 0; k < EACH; k++) x[k] = (T)value<Row, T>(p, at[k]);
    }
    if (!reads) wait_with((uint64_t)p.out);
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (first + k * THREADS < p.points) store<T>(p, first + k * THREADS, x[k]);
}

// Sums of cosines are in an object of their own: most spectra need no other window.
template <int Row, class T> static const void *kernel_of_other() {
    if constexpr (Row == GNDI_WINDOW_general_cosine)
        return nullptr;
    else
        return (const void *)window_kernel<Row, T>;
}

template <class T> static const void *kernel_of(int row) {
    switch (row) {
#define ROW(name)                                                                                                      \
    case GNDI_WINDOW_##name:                                                                                           \
        return kernel_of_other<GNDI_WINDOW_##name, T>();
#define FORMULA(name, also, formula) ROW(name)
#define COSINES(name, also, ...)
#define PARAMETERS(name, also, least, most, formula) ROW(name)
#define SAME_AS(name, also, least, most)
#define COMPOSED(name, also, least, most)
#include "windows/windows.def"
        ROW(chebwin)
        ROW(kaiser_bessel_derived)
    }
    return nullptr;
}

} // namespace windows
} // namespace gnd

// The kernel of a row with a formula, for blocks of GNDI_WINDOW_THREADS threads.
#ifdef GNDI_PART_cosines
extern "C" const void *gndi_cuda_windows_cosines(bool wide) {
    using namespace gnd::windows;
    return wide ? (const void *)window_kernel<GNDI_WINDOW_general_cosine, double>
                : (const void *)window_kernel<GNDI_WINDOW_general_cosine, float>;
}
#endif
#ifdef GNDI_PART_floats
extern "C" const void *gndi_cuda_windows_floats(int row) {
    return gnd::windows::kernel_of<float>(row);
}
#endif
#ifdef GNDI_PART_doubles
extern "C" const void *gndi_cuda_windows_doubles(int row, bool is_complex) {
    using namespace gnd;
    return is_complex ? (const void *)windows::window_kernel<GNDI_WINDOW_chebwin, complex<double>>
                      : windows::kernel_of<double>(row);
}
#endif
