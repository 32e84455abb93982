// wiener_kernels.cu: the Wiener filter of a line or a matrix. A block has some tiles, one after the other: elements
// come to shared memory, zeros beyond the edges. A thread sums the windows of neighbouring outputs together: what all
// of them have is added up once. Nothing is subtracted from a sum, so that large elements leave no error behind.
//
// ..._kernel<T, false>  The sum of the variances of a block's tiles.
// ..._kernel<T, true>   The filter. The noise is the mean of all variances: each block adds the sums up, in one order.
#include "convolve/cuda/wiener_params.h"
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/early_start.cuh"
#include "kernels/scalar/scalar_types.h"

namespace gnd {

constexpr int THREADS = GNDI_WIENER_THREADS, WARP = 32, WARPS = THREADS / WARP;

extern __shared__ __align__(16) double shared[];

// Sums of elements and of their squares.
struct sums {
    double x, square;

    GNDI_FN_MEMBER sums operator+(const sums &b) const { return {x + b.x, square + b.square}; }
};

// A square is one of x's dtype.
GNDI_FN double square_of(float x) {
    return (double)__fmul_rn(x, x);
}
GNDI_FN double square_of(double x) {
    return __dmul_rn(x, x);
}
template <class T> GNDI_FN sums sums_of(T x) {
    return {(double)x, square_of(x)};
}

// Of EACH neighbouring windows of `size` elements; element(j) is number j of size + EACH - 1.
template <int EACH, class F> GNDI_FN void sum_windows(int size, const F &element, sums (&windows)[EACH]) {
    if (size < EACH - 1) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            windows[k] = element(k);
#pragma unroll 1
            for (int j = 1; j < size; j++) windows[k] = windows[k] + element(k + j);
        }
        return;
    }
    sums part = element(EACH - 2), all{};
#pragma unroll 2
    for (int j = EACH - 1; j < size; j++) all = all + element(j);
    windows[EACH - 1] = all;
#pragma unroll
    for (int k = EACH - 2; k >= 0; k--) {
        if (k < EACH - 2) part = element(k) + part;
        windows[k] = part + all;
    }
    part = element(size);
#pragma unroll
    for (int k = 1; k < EACH; k++) {
        if (k > 1) part = part + element(size + k - 1);
        windows[k] = windows[k] + part;
    }
}

// The sum of all threads' numbers, in all of them, always in the same order.
GNDI_FN double sum_of_block(double own) {
    __shared__ double of_thread[THREADS];
    of_thread[threadIdx.x] = own;
    for (int width = THREADS / 2; width > 0; width /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < width) of_thread[threadIdx.x] += of_thread[threadIdx.x + width];
    }
    __syncthreads();
    return of_thread[0];
}

// The filter takes tiles in the opposite order: what was read last for the variances may still be in the cache. Its
// outputs are not to take that away (__stcs).
template <bool FILTER> GNDI_FN int64_t tile_of(const gndi_wiener_params &p, int64_t number) {
    return FILTER ? p.tiles - 1 - number : number;
}

// What is made of sums: variances, which are added up, or the filter's output.
template <bool FILTER> struct outcome {
    const gndi_wiener_params &p;
    double elements, inverse; // of a window
    double noise, sum;

    GNDI_FN_MEMBER outcome(const gndi_wiener_params &params)
        : p(params), elements((double)params.window[0] * params.window[1]), inverse(1 / elements), noise(params.given),
          sum(0) {
        if (!FILTER || !p.sums) return;
        double all = 0;
        for (int i = (int)threadIdx.x; i < p.parts; i += THREADS) all += p.sums[i];
        noise = sum_of_block(all) / ((double)p.rows * (double)p.columns);
    }
    // A sum by the elements of a window, rounded as a division is.
    GNDI_FN_MEMBER double mean_of(double x) const {
        const double near = __dmul_rn(x, inverse), mean = fma(fma(-near, elements, x), inverse, near);
        return mean == mean ? mean : near; // infinite
    }
    GNDI_FN_MEMBER double operator()(const sums &window, double x) {
        const double mean = mean_of(window.x);
        const double variance = __dadd_rn(mean_of(window.square), -__dmul_rn(mean, mean));
        if (FILTER) return variance < noise ? mean : mean + (x - mean) * (1 - noise / variance);
        sum += variance;
        return 0;
    }
    GNDI_FN_MEMBER void leave_sum() const {
        if (FILTER) return;
        const double all = sum_of_block(sum);
        if (threadIdx.x == 0) p.sums[blockIdx.x] = all;
    }
};

// ---- lines ----------------------------------------------------------------------------------------

// A tile's element number e. A gap behind each 128 bytes: threads that are two elements apart are in different banks.
template <class T> struct line_tile {
    T *x;

    GNDI_FN_MEMBER T &operator[](int e) const { return x[e + e / (128 / (int)sizeof(T))]; }
};
template <class T> GNDI_FN line_tile<T> buffer_of(const gndi_wiener_params &p, int number) {
    const int elements = GNDI_WIENER_LINE + p.window[1] - 1;
    return {reinterpret_cast<T *>(shared) + number * GNDI_WIENER_LINE_ELEMENTS(elements, (int)sizeof(T))};
}
template <class T> GNDI_FN void load_line(const gndi_wiener_params &p, int64_t tile, const line_tile<T> &to) {
    const int64_t first = tile * GNDI_WIENER_LINE - GNDI_WIENER_FRONT(p.window[1]);
    for (int e = (int)threadIdx.x; e < GNDI_WIENER_LINE + p.window[1] - 1; e += THREADS) {
        if (first + e >= 0 && first + e < p.columns)
            copy_element(&to[e], p.x + (first + e) * p.x_stride[1]);
        else
            to[e] = 0;
    }
}

template <class T, bool FILTER> __global__ void __launch_bounds__(THREADS, 4)
    line_kernel(const __grid_constant__ gndi_wiener_params p) {
    constexpr int EACH = GNDI_WIENER_EACH_LINE;
    start_early();
    if (blockIdx.x < p.tiles) load_line(p, tile_of<FILTER>(p, blockIdx.x), buffer_of<T>(p, 0));
    commit_copies();
    outcome<FILTER> made(p);
    int buffer = 0;
    for (int64_t number = blockIdx.x; number < p.tiles; number += gridDim.x, buffer ^= 1) {
        const int64_t tile = tile_of<FILTER>(p, number), next = number + gridDim.x;
        if (next < p.tiles) load_line(p, tile_of<FILTER>(p, next), buffer_of<T>(p, buffer ^ 1));
        commit_copies();
        wait_for_earlier_copies();
        __syncthreads();
        const line_tile<T> x = buffer_of<T>(p, buffer);
#pragma unroll 1
        for (int o = (int)threadIdx.x * EACH; o < GNDI_WIENER_LINE; o += THREADS * EACH) {
            const int64_t i = tile * GNDI_WIENER_LINE + o;
            if (i >= p.columns) break;
            sums windows[EACH];
            sum_windows(
                p.window[1], [&](int j) { return sums_of(x[o + j]); }, windows);
            double out[EACH];
#pragma unroll
            for (int k = 0; k < EACH; k++)
                if (FILTER || i + k < p.columns)
                    out[k] = made(windows[k], (double)x[o + k + GNDI_WIENER_FRONT(p.window[1])]);
            if (!FILTER) continue;
            if (i + EACH <= p.columns)
                __stcs(reinterpret_cast<double2 *>(p.out + i), make_double2(out[0], out[1]));
            else
                p.out[i] = out[0];
        }
        __syncthreads();
    }
    made.leave_sum();
}

static_assert(GNDI_WIENER_EACH_LINE == 2, "what line_kernel stores");

// ---- matrices -------------------------------------------------------------------------------------

// A tile with what is around it, and the sums of its rows' windows.
template <class T> struct matrix_tile {
    const gndi_wiener_params &p;
    int rows, columns, pitch, sums_pitch;
    double *row_x, *row_square;
    T *x;

    GNDI_FN_MEMBER matrix_tile(const gndi_wiener_params &params)
        : p(params), rows(GNDI_WIENER_ROWS + p.window[0] - 1), columns(p.tile_columns + p.window[1] - 1),
          pitch(GNDI_WIENER_PITCH(columns)), sums_pitch(GNDI_WIENER_PITCH(p.tile_columns)) {
        row_x = shared, row_square = row_x + rows * sums_pitch;
        x = reinterpret_cast<T *>(row_square + rows * sums_pitch);
    }
    // A warp has a row.
    GNDI_FN_MEMBER void load(int64_t first_row, int64_t first_column) const {
        const int64_t row = first_row - GNDI_WIENER_FRONT(p.window[0]);
        const int64_t column = first_column - GNDI_WIENER_FRONT(p.window[1]);
        for (int i = (int)threadIdx.x / WARP; i < rows; i += WARPS) {
            const bool is_row = row + i >= 0 && row + i < p.rows;
            for (int j = (int)threadIdx.x % WARP; j < columns; j += WARP) {
                T *to = x + i * pitch + j;
                if (is_row && column + j >= 0 && column + j < p.columns)
                    copy_element(to, p.x + (row + i) * p.x_stride[0] + (column + j) * p.x_stride[1]);
                else
                    *to = 0;
            }
        }
        wait_for_copies();
        __syncthreads();
    }
    // Neighbouring threads have neighbouring rows: their elements, and their sums, are in different banks.
    GNDI_FN_MEMBER void sum_rows() const {
        constexpr int EACH = GNDI_WIENER_EACH;
#pragma unroll 1
        for (int e = (int)threadIdx.x; e < rows * (p.tile_columns / EACH); e += THREADS) {
            const int row = e % rows, column = e / rows * EACH;
            const T *from = x + row * pitch + column;
            sums windows[EACH];
            sum_windows(
                p.window[1], [&](int j) { return sums_of(from[j]); }, windows);
            const int to = row * sums_pitch + column;
#pragma unroll
            for (int k = 0; k < EACH; k++) row_x[to + k] = windows[k].x, row_square[to + k] = windows[k].square;
        }
        __syncthreads();
    }
    template <bool FILTER>
    GNDI_FN_MEMBER void sum_columns(outcome<FILTER> &made, int64_t first_row, int64_t first_column) const {
        constexpr int EACH = GNDI_WIENER_EACH;
#pragma unroll 1
        for (int e = (int)threadIdx.x; e < GNDI_WIENER_ROWS / EACH * p.tile_columns; e += THREADS) {
            const int column = e & (p.tile_columns - 1);
            const int row = (e >> (p.tile_columns == GNDI_WIENER_COLUMNS ? 6 : 5)) * EACH;
            if (first_row + row >= p.rows || first_column + column >= p.columns) continue;
            const int from = row * sums_pitch + column;
            sums windows[EACH];
            sum_windows(
                p.window[0],
                [&](int j) {
                    return sums{row_x[from + j * sums_pitch], row_square[from + j * sums_pitch]};
                },
                windows);
            const int before = GNDI_WIENER_FRONT(p.window[1]);
            const T *middle = x + (row + GNDI_WIENER_FRONT(p.window[0])) * pitch + column + before;
            double *out = p.out + (first_row + row) * p.columns + first_column + column;
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                if (first_row + row + k >= p.rows) break;
                const double y = made(windows[k], (double)middle[k * pitch]);
                if (FILTER) __stcs(out + k * p.columns, y);
            }
        }
        __syncthreads();
    }
};
static_assert(GNDI_WIENER_COLUMNS == 64, "what sum_columns shifts by");

template <class T, bool FILTER> __global__ void __launch_bounds__(THREADS, 4)
    matrix_kernel(const __grid_constant__ gndi_wiener_params p) {
    start_early();
    const matrix_tile<T> t(p);
    outcome<FILTER> made(p);
    for (int64_t number = blockIdx.x; number < p.tiles; number += gridDim.x) {
        const int64_t tile = tile_of<FILTER>(p, number);
        const int64_t row = tile / p.tiles_across * GNDI_WIENER_ROWS;
        const int64_t column = tile % p.tiles_across * p.tile_columns;
        t.load(row, column);
        t.sum_rows();
        t.sum_columns(made, row, column);
    }
    made.leave_sum();
}

template <class T> static const void *kernel_of(bool line, int which) {
    if (which == GNDI_WIENER_FILTER)
        return line ? (const void *)line_kernel<T, true> : (const void *)matrix_kernel<T, true>;
    return line ? (const void *)line_kernel<T, false> : (const void *)matrix_kernel<T, false>;
}

} // namespace gnd

extern "C" const void *gndi_cuda_wiener_kernel(bool wide, bool line, int which) {
    return wide ? gnd::kernel_of<double>(line, which) : gnd::kernel_of<float>(line, which);
}
