// results_kernels.cu: what is made of bins in memory: powers, magnitudes, angles, products with another signal's, and
// means of these; and windows with their factors.
//
// results_kernel  A thread writes the results of some bins of a slice's rows.
// means_kernel    A block adds up some bins of a line's rows in a slice, and adds that to the line's mean.
// sums_kernel     A block adds up some bins of a line's partial sums, of means_kernels.cu or halves_kernels.cu, to its
//                 mean.
// taper_kernel    Each block adds up a window, and multiplies a part of it by its factor.
#include "kernels/cuda/early_start.cuh"
#include "spectral/cuda/stft_results.cuh"

namespace gnd {

constexpr int COLUMNS = GNDI_STFT_COLUMNS, TAPER_THREADS = GNDI_TAPER_THREADS;
constexpr int SUMS_THREADS = GNDI_SUMS_THREADS, SUMS_COLUMNS = GNDI_SUMS_COLUMNS, GROUPS = SUMS_THREADS / SUMS_COLUMNS;

template <class R> __global__ void __launch_bounds__(THREADS)
    results_kernel(const __grid_constant__ gndi_stft_params p) {
    const gndi_stft_plan &q = p.plan;
    const uint64_t bins = (uint64_t)gndi_stft_bins(q.nfft, q.half), all = (uint64_t)p.row_count * bins;
    const number<R> *z = reinterpret_cast<const number<R> *>(p.z), *y = reinterpret_cast<const number<R> *>(p.of_y);
    const uint64_t first = (uint64_t)blockIdx.x * 4 * THREADS + threadIdx.x;
    for (uint64_t e = first; e < all && e < first + 4 * THREADS; e += THREADS) {
        const uint64_t row = all >> 32 == 0 ? (uint32_t)e / (uint32_t)bins : e / bins;
        const int64_t k = (int64_t)(e - row * bins);
        const int64_t at = (p.row_first + (int64_t)row) * (int64_t)bins + gndi_stft_place(k, q.nfft, q.centered);
        const R factor = (R)(q.scale * (gndi_stft_is_inner(k, q.nfft, q.half) ? q.inner : 1));
        store_result(q, q.out, at, factor, z[e], y ? y[e] : number<R>{});
    }
}

// ---- means --------------------------------------------------------------------------------------

// The sums of a block's groups of threads, a bin each, in the threads of the first one.
GNDI_FN void add_up_groups(double &re, double &im) {
    __shared__ double sums[2][THREADS / COLUMNS][COLUMNS];
    const int column = threadIdx.x % COLUMNS, group = threadIdx.x / COLUMNS;
    sums[0][group][column] = re, sums[1][group][column] = im;
    __syncthreads();
    if (group > 0) return;
    for (int g = 1; g < THREADS / COLUMNS; g++) re += sums[0][g][column], im += sums[1][g][column];
}

// Writes bin k of a line's mean, or adds to it.
template <class R>
GNDI_FN void store_mean(const gndi_stft_plan &q, int64_t line, int64_t k, double re, double im, bool adds) {
    const int64_t at = line * gndi_stft_bins(q.nfft, q.half) + k;
    const double factor = q.scale * (gndi_stft_is_inner(k, q.nfft, q.half) ? q.inner : 1) / (double)q.count;
    if (q.result == GNDI_STFT_POWERS) {
        R *to = reinterpret_cast<R *>(q.out) + at;
        *to = (R)((adds ? (double)*to : 0) + re * factor);
    } else {
        number<R> *to = reinterpret_cast<number<R> *>(q.out) + at;
        const number<R> before = adds ? *to : number<R>{};
        *to = {(R)((double)before.re + re * factor), (R)((double)before.im + im * factor)};
    }
}

template <class R> __global__ void __launch_bounds__(THREADS) means_kernel(const __grid_constant__ gndi_stft_params p) {
    const gndi_stft_plan &q = p.plan;
    const int64_t bins = gndi_stft_bins(q.nfft, q.half), blocks = (bins + COLUMNS - 1) / COLUMNS;
    const int64_t line = p.row_first / q.count + blockIdx.x / blocks;
    const int64_t k = blockIdx.x % blocks * COLUMNS + threadIdx.x % COLUMNS;
    const int64_t from = line * q.count, until = from + q.count, last = p.row_first + p.row_count;
    const int64_t begin = from > p.row_first ? from : p.row_first, end = until < last ? until : last;
    const number<R> *z = reinterpret_cast<const number<R> *>(p.z), *y = reinterpret_cast<const number<R> *>(p.of_y);
    double re = 0, im = 0;
    for (int64_t row = begin + threadIdx.x / COLUMNS; row < end && k < bins; row += THREADS / COLUMNS) {
        const int64_t at = (row - p.row_first) * bins + k;
        const number<R> v = z[at];
        if (q.result == GNDI_STFT_POWERS) {
            re += (double)(v.re * v.re + v.im * v.im);
        } else {
            const number<R> product = conj(v) * y[at];
            re += (double)product.re, im += (double)product.im;
        }
    }
    add_up_groups(re, im);
    if (threadIdx.x < COLUMNS && k < bins) store_mean<R>(q, line, k, re, im, from < p.row_first);
}

// Sums of pairs of real frames have bin k and its mirror image, of which the mean is taken. A group of threads has
// every GROUPS-th part; then a warp has a bin.
template <class R> __global__ void __launch_bounds__(SUMS_THREADS)
    sums_kernel(const __grid_constant__ gndi_sums_params p) {
    __shared__ double sums[2][SUMS_COLUMNS][GROUPS + 1];
    static_assert(GROUPS == WARP && SUMS_THREADS == SUMS_COLUMNS * WARP, "");
    const gndi_stft_plan &q = p.plan;
    const int n = (int)q.nfft, bins = (int)gndi_stft_bins(n, q.half), blocks = (bins + SUMS_COLUMNS - 1) / SUMS_COLUMNS;
    const int64_t line = blockIdx.x / blocks;
    const int first = (int)(blockIdx.x % blocks) * SUMS_COLUMNS;
    const int column = (int)threadIdx.x % SUMS_COLUMNS, group = (int)threadIdx.x / SUMS_COLUMNS;
    const int k = first + column, mirror = k == 0 ? 0 : n - k, parts = q.result == GNDI_STFT_POWERS ? 1 : 2;
    const R *from = reinterpret_cast<const R *>(p.sums) + line * p.parts * n * parts;
    double re = 0, im = 0;
    start_early();
#pragma unroll 4
    for (int64_t part = group; part < p.parts && k < bins; part += GROUPS) {
        const R *row = from + part * n * parts, *a = row + k * parts, *b = row + mirror * parts;
        re += p.pairs ? 0.5 * ((double)a[0] + (double)b[0]) : (double)a[0];
        if (parts == 2) im += p.pairs ? 0.5 * ((double)a[1] - (double)b[1]) : (double)a[1];
    }
    sums[0][column][group] = re, sums[1][column][group] = im;
    __syncthreads();
    const int warp = (int)threadIdx.x / WARP, lane = (int)threadIdx.x % WARP;
    re = sums[0][warp][lane], im = sums[1][warp][lane];
    for (int width = WARP / 2; width > 0; width /= 2) {
        re += __shfl_xor_sync(0xffffffff, re, width);
        im += __shfl_xor_sync(0xffffffff, im, width);
    }
    if (lane == 0 && first + warp < bins) store_mean<R>(q, line, first + warp, re, im, false);
}

// ---- windows ------------------------------------------------------------------------------------

__global__ void __launch_bounds__(TAPER_THREADS) taper_kernel(const __grid_constant__ gndi_taper_plan p) {
    constexpr int TOGETHER = 8; // elements of a thread that are on their way at once
    __shared__ double sums[2][TAPER_THREADS / WARP];
    const int threads = (int)blockDim.x;
    double sum = 0, squares = 0;
    start_early();
    for (int64_t first = threadIdx.x; first < p.n; first += TOGETHER * threads) {
        double w[TOGETHER];
#pragma unroll
        for (int k = 0; k < TOGETHER; k++)
            w[k] = first + k * threads < p.n ? gndi_taper_value(&p, first + k * threads) : 0;
#pragma unroll
        for (int k = 0; k < TOGETHER; k++) sum += w[k], squares += w[k] * w[k];
    }
    for (int width = WARP / 2; width > 0; width /= 2) {
        sum += __shfl_xor_sync(0xffffffff, sum, width);
        squares += __shfl_xor_sync(0xffffffff, squares, width);
    }
    if (threadIdx.x % WARP == 0) sums[0][threadIdx.x / WARP] = sum, sums[1][threadIdx.x / WARP] = squares;
    __syncthreads();
    sum = squares = 0;
    for (int w = 0; w < threads / WARP; w++) sum += sums[0][w], squares += sums[1][w];
    const double factor = gndi_taper_factor(&p, sum, squares);
    const int64_t part = (p.n + gridDim.x - 1) / gridDim.x, end = (blockIdx.x + 1) * part;
    for (int64_t i = blockIdx.x * part + threadIdx.x; i < end && i < p.n; i += threads) gndi_taper_store(&p, i, factor);
}

} // namespace gnd

extern "C" const void *gndi_cuda_results_kernel(bool wide, bool mean) {
    using namespace gnd;
    if (mean) return wide ? (const void *)means_kernel<double> : (const void *)means_kernel<float>;
    return wide ? (const void *)results_kernel<double> : (const void *)results_kernel<float>;
}

extern "C" const void *gndi_cuda_sums_kernel(bool wide) {
    return wide ? (const void *)gnd::sums_kernel<double> : (const void *)gnd::sums_kernel<float>;
}

extern "C" const void *gndi_cuda_taper_kernel(void) {
    return (const void *)gnd::taper_kernel;
}
