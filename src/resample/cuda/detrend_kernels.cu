// detrend_kernels.cu: lines without their mean or straight line. A long line is cut into chunks: one kernel leaves the
// sums of each, the next adds those of the line up, in a fixed order, and subtracts. A short line is a warp's.
#include "resample/cuda/detrend_params.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

constexpr int THREADS = GNDI_DETREND_THREADS, WARP = 32, WARPS = THREADS / WARP;

// Sums of x and of t * x, for the parts of a number (1, or 2 of a complex one).
template <int PARTS> struct sums { double plain[PARTS], weighted[PARTS]; };

template <int PARTS> GNDI_FN void add_up(sums<PARTS> &s) {
    for (int width = WARP / 2; width > 0; width /= 2)
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            s.plain[part] += __shfl_xor_sync(0xffffffff, s.plain[part], width);
            s.weighted[part] += __shfl_xor_sync(0xffffffff, s.weighted[part], width);
        }
}

// The sum over a block, in all of its threads.
template <int PARTS> GNDI_FN void add_up_block(sums<PARTS> &s) {
    __shared__ sums<PARTS> of_warp[WARPS];
    add_up(s);
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = s;
    __syncthreads();
    s = of_warp[0];
    for (int w = 1; w < WARPS; w++)
        for (int part = 0; part < PARTS; part++)
            s.plain[part] += of_warp[w].plain[part], s.weighted[part] += of_warp[w].weighted[part];
}

// Elements begin + lane, begin + lane + step, ... below end.
template <class T, int PARTS>
GNDI_FN sums<PARTS> sum_of(const T *x, int64_t begin, int64_t end, int step, double middle) {
    sums<PARTS> s{};
#pragma unroll 4
    for (int64_t i = begin; i < end; i += step) {
        const double t = (double)i - middle;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const double value = (double)x[i * PARTS + part];
            s.plain[part] += value;
            s.weighted[part] += t * value;
        }
    }
    return s;
}
template <class T, int PARTS> GNDI_FN void subtract(const gndi_detrend_params &p, const T *x, T *out,
                                                    const sums<PARTS> &s, int64_t begin, int64_t end, int step,
                                                    double middle) {
    double mean[PARTS], slope[PARTS];
    for (int part = 0; part < PARTS; part++) {
        mean[part] = s.plain[part] / (double)p.n;
        slope[part] = p.squares > 0 ? s.weighted[part] / p.squares : 0;
    }
#pragma unroll 4
    for (int64_t i = begin; i < end; i += step) {
        const double t = (double)i - middle;
#pragma unroll
        for (int part = 0; part < PARTS; part++)
            out[i * PARTS + part] = (T)((double)x[i * PARTS + part] - mean[part] - slope[part] * t);
    }
}

template <class T, int PARTS> __global__ void __launch_bounds__(THREADS)
    sums_kernel(const __grid_constant__ gndi_detrend_params p) {
    const int64_t line = blockIdx.x / p.chunks, begin = blockIdx.x % p.chunks * p.chunk;
    const int64_t end = begin + p.chunk < p.n ? begin + p.chunk : p.n;
    const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
    sums<PARTS> s = sum_of<T, PARTS>(x, begin + threadIdx.x, end, THREADS, 0.5 * (double)(p.n - 1));
    add_up_block(s);
    if (threadIdx.x == 0) reinterpret_cast<sums<PARTS> *>(p.sums)[blockIdx.x] = s;
}

template <class T, int PARTS> __global__ void __launch_bounds__(THREADS)
    subtract_kernel(const __grid_constant__ gndi_detrend_params p) {
    const int64_t line = blockIdx.x / p.chunks, begin = blockIdx.x % p.chunks * p.chunk;
    const int64_t end = begin + p.chunk < p.n ? begin + p.chunk : p.n;
    const sums<PARTS> *of_chunk = reinterpret_cast<const sums<PARTS> *>(p.sums) + line * p.chunks;
    sums<PARTS> s{};
    for (int64_t c = threadIdx.x; c < p.chunks; c += THREADS)
        for (int part = 0; part < PARTS; part++)
            s.plain[part] += of_chunk[c].plain[part], s.weighted[part] += of_chunk[c].weighted[part];
    add_up_block(s);
    const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
    T *out = reinterpret_cast<T *>(p.out + gndi_line_of_out(&p.grid, line));
    subtract<T, PARTS>(p, x, out, s, begin + threadIdx.x, end, THREADS, 0.5 * (double)(p.n - 1));
}

template <class T, int PARTS> __global__ void __launch_bounds__(THREADS)
    short_kernel(const __grid_constant__ gndi_detrend_params p) {
    const int64_t line = (int64_t)blockIdx.x * WARPS + threadIdx.x / WARP;
    const int lane = (int)threadIdx.x % WARP;
    if (line >= p.grid.lines) return;
    const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line));
    T *out = reinterpret_cast<T *>(p.out + gndi_line_of_out(&p.grid, line));
    const double middle = 0.5 * (double)(p.n - 1);
    sums<PARTS> s = sum_of<T, PARTS>(x, lane, p.n, WARP, middle);
    add_up(s);
    subtract<T, PARTS>(p, x, out, s, lane, p.n, WARP, middle);
}

template <class T, int PARTS> static const void *kernel_of(int which) {
    switch (which) {
    case GNDI_DETREND_SUMS: return (const void *)sums_kernel<T, PARTS>;
    case GNDI_DETREND_SUBTRACT: return (const void *)subtract_kernel<T, PARTS>;
    default: return (const void *)short_kernel<T, PARTS>;
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_detrend_kernel(int dtype, int which) {
    using namespace gnd;
    switch (dtype) {
    case dtype_of<float>: return kernel_of<float, 1>(which);
    case dtype_of<double>: return kernel_of<double, 1>(which);
    case dtype_of<complex<float>>: return kernel_of<float, 2>(which);
    default: return kernel_of<double, 2>(which);
    }
}
