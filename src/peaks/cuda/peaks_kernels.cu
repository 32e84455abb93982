// peaks_kernels.cu: extrema, an element a thread; properties of peaks, a peak a thread, but prominences, where a warp
// walks from a peak in steps of 32 elements.
#include "peaks/peaks_ops.h"

namespace gnd {
namespace peaks {

enum { THREADS = 256, WARP = 32 };
constexpr unsigned ALL = 0xffffffffu;

template <class T> __global__ void __launch_bounds__(THREADS)
    extrema_kernel(const __grid_constant__ gndi_extrema_plan p) {
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.total; i += threads) put_extremum<T>(p, i);
}

// One line and the order 1: a thread has four neighbours at a time, and as many more as are useful to have under way.
// A block has 4 * GNDI_EXTREMA_QUADS * THREADS elements; x is aligned to 16 bytes, and out to 4.
template <class T> struct alignas(16) quad { T v[4]; };
template <class T> GNDI_FN bool is_beyond(bool greater, bool equal, T a, T b) {
    return (greater ? a > b : a < b) || (equal && a == b);
}
template <class T> __global__ void __launch_bounds__(THREADS) line_kernel(const __grid_constant__ gndi_extrema_plan p) {
    constexpr int QUADS = GNDI_EXTREMA_QUADS, STEP = 4 * THREADS;
    const T *x = static_cast<const T *>(p.x);
    const int64_t first = 4 * ((int64_t)blockIdx.x * QUADS * THREADS + threadIdx.x);
    const bool greater = p.comparison == GNDI_IS_GREATER || p.comparison == GNDI_IS_GREATER_EQUAL;
    const bool equal = p.comparison == GNDI_IS_GREATER_EQUAL || p.comparison == GNDI_IS_LESS_EQUAL;
    if (first == 0 || first + (QUADS - 1) * STEP + 4 >= p.n) { // beside an end
#pragma unroll 1
        for (int k = 0; k < 4 * QUADS; k++) {
            const int64_t i = first + k / 4 * STEP + k % 4, last = p.n - 1;
            if (i > last) return;
            const T a = x[i], b = x[i > 0 ? i - 1 : p.wrap ? last : 0], c = x[i < last ? i + 1 : p.wrap ? 0 : last];
            p.out[i] = is_beyond(greater, equal, a, b) && is_beyond(greater, equal, a, c);
        }
        return;
    }
    quad<T> here[QUADS];
    T before[QUADS], after[QUADS];
#pragma unroll
    for (int k = 0; k < QUADS; k++) here[k] = *reinterpret_cast<const quad<T> *>(x + first + k * STEP);
#pragma unroll
    for (int k = 0; k < QUADS; k++) before[k] = x[first + k * STEP - 1], after[k] = x[first + k * STEP + 4];
#pragma unroll
    for (int k = 0; k < QUADS; k++) {
        uint32_t good = 0;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const T a = here[k].v[i], b = i > 0 ? here[k].v[i - 1] : before[k], c = i < 3 ? here[k].v[i + 1] : after[k];
            good |= (uint32_t)(is_beyond(greater, equal, a, b) && is_beyond(greater, equal, a, c)) << 8 * i;
        }
        *reinterpret_cast<uint32_t *>(p.out + first + k * STEP) = good;
    }
}

template <class T> __global__ void __launch_bounds__(THREADS) peak_kernel(const __grid_constant__ gndi_extrema_plan p) {
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.total; i += threads) put_peak<T>(p, i);
}

template <int Kind, class T> __global__ void __launch_bounds__(THREADS)
    properties_kernel(const __grid_constant__ gndi_peaks_plan p) {
    const int64_t threads = (int64_t)gridDim.x * THREADS;
    for (int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x; k < p.count; k += threads) {
        if constexpr (Kind == GNDI_PEAKS_EDGES) edges<T>(p, k);
        if constexpr (Kind == GNDI_PEAKS_VALUES) values<T>(p, k);
        if constexpr (Kind == GNDI_PEAKS_WIDTHS) widths<T>(p, k);
    }
}

/* The base that the whole warp has found on one side; of equal ones the nearest to the peak. */
template <class T> __device__ base<T> warp_base(const T *x, int64_t peak, int64_t last, int step) {
    const int lane = threadIdx.x % WARP;
    base<T> found = find_base(x, peak, last, step, lane, WARP, [](bool end) {
        const unsigned ending = __ballot_sync(ALL, end);
        return ending ? __ffs(ending) - 1 : (int)WARP;
    });
    for (int apart = WARP / 2; apart > 0; apart /= 2) {
        const T smallest = __shfl_xor_sync(ALL, found.smallest, apart);
        const int64_t index = __shfl_xor_sync(ALL, (long long)found.index, apart);
        const bool nearer = step < 0 ? index > found.index : index < found.index;
        if (smallest < found.smallest || (smallest == found.smallest && nearer)) found = {smallest, index};
    }
    return found;
}

template <class T> __global__ void __launch_bounds__(THREADS)
    prominences_kernel(const __grid_constant__ gndi_peaks_plan p) {
    const T *x = static_cast<const T *>(p.x);
    const int64_t warps = (int64_t)gridDim.x * (THREADS / WARP);
    for (int64_t k = (int64_t)blockIdx.x * (THREADS / WARP) + threadIdx.x / WARP; k < p.count; k += warps) {
        const int64_t peak = p.peaks[k];
        const base<T> left = warp_base(x, peak, first_of(p, peak), -1);
        const base<T> right = warp_base(x, peak, last_of(p, peak), 1);
        if (threadIdx.x % WARP == 0) put_prominence<T>(p, k, left, right);
    }
}

template <class T> static const void *properties(int kind) {
    switch (kind) {
    case GNDI_PEAKS_EDGES: return (const void *)properties_kernel<GNDI_PEAKS_EDGES, T>;
    case GNDI_PEAKS_VALUES: return (const void *)properties_kernel<GNDI_PEAKS_VALUES, T>;
    case GNDI_PEAKS_PROMINENCES: return (const void *)prominences_kernel<T>;
    default: return (const void *)properties_kernel<GNDI_PEAKS_WIDTHS, T>;
    }
}

} // namespace peaks
} // namespace gnd

// Kernels for blocks of 256 threads.
extern "C" const void *gndi_cuda_extrema_kernel(int comparison, int dtype) {
    using namespace gnd::peaks;
    const bool peak = comparison == GNDI_IS_PEAK;
    switch (dtype) {
    case GND_FLOAT32: return peak ? (const void *)peak_kernel<float> : (const void *)extrema_kernel<float>;
    case GND_FLOAT64: return peak ? (const void *)peak_kernel<double> : (const void *)extrema_kernel<double>;
    case GND_INT64: return (const void *)extrema_kernel<int64_t>;
    default: return (const void *)extrema_kernel<uint64_t>;
    }
}

// Of one line and the order 1.
extern "C" const void *gndi_cuda_line_extrema_kernel(int dtype) {
    using namespace gnd::peaks;
    switch (dtype) {
    case GND_FLOAT32: return (const void *)line_kernel<float>;
    case GND_FLOAT64: return (const void *)line_kernel<double>;
    case GND_INT64: return (const void *)line_kernel<int64_t>;
    default: return (const void *)line_kernel<uint64_t>;
    }
}

extern "C" const void *gndi_cuda_peaks_kernel(int kind, int dtype) {
    using namespace gnd::peaks;
    return dtype == GND_FLOAT32 ? properties<float>(kind) : properties<double>(kind);
}
