// wiener_kernels.cu: the Wiener filter of a matrix. A block has a tile: elements and their squares come to shared
// memory, zeros beyond the edges, then the sums of the windows of each row, then those of each column in registers.
//
// variances_kernel  The sum of the variances of a tile.
// join_kernel       The mean of all: the noise. Always added in the same order.
// filter_kernel     The filter.
#include "convolve/cuda/wiener_params.h"
#include "kernels/scalar/scalar_types.h"

namespace gnd {

constexpr int THREADS = GNDI_WIENER_THREADS, EACH = GNDI_WIENER_OUTPUTS / THREADS;

extern __shared__ __align__(16) double shared[];

// A tile in shared memory, and what a thread finds of it.
struct tile {
    int64_t row, column; // its first output
    int rows, columns;   // with what is around it
    double *x, *square, *row_x, *row_square;
};
struct moments {
    double x, mean, variance;
};

GNDI_FN tile tile_of(const gndi_wiener_params &p) {
    tile t;
    t.row = (int64_t)blockIdx.x / p.tiles_across * p.tile_rows;
    t.column = (int64_t)blockIdx.x % p.tiles_across * p.tile_columns;
    t.rows = p.tile_rows + p.window[0] - 1, t.columns = p.tile_columns + p.window[1] - 1;
    t.x = shared, t.square = t.x + t.rows * t.columns;
    t.row_x = t.square + t.rows * t.columns, t.row_square = t.row_x + t.rows * p.tile_columns;
    return t;
}

template <class T> GNDI_FN void load_tile(const gndi_wiener_params &p, const tile &t) {
    const int64_t row = t.row - GNDI_WIENER_FRONT(p.window[0]), column = t.column - GNDI_WIENER_FRONT(p.window[1]);
    for (int e = (int)threadIdx.x; e < t.rows * t.columns; e += THREADS) {
        const int64_t i = row + e / t.columns, j = column + e % t.columns;
        T x = 0;
        if (i >= 0 && i < p.rows && j >= 0 && j < p.columns)
            x = *reinterpret_cast<const T *>(p.x + i * p.x_stride[0] + j * p.x_stride[1]);
        t.x[e] = x, t.square[e] = (double)(T)(x * x);
    }
    __syncthreads();
}

GNDI_FN void sum_rows(const gndi_wiener_params &p, const tile &t) {
    for (int e = (int)threadIdx.x; e < t.rows * p.tile_columns; e += THREADS) {
        const int at = e / p.tile_columns * t.columns + e % p.tile_columns;
        double x = 0, square = 0;
        for (int j = 0; j < p.window[1]; j++) x += t.x[at + j], square += t.square[at + j];
        t.row_x[e] = x, t.row_square[e] = square;
    }
    __syncthreads();
}

// Of output number e of the tile.
GNDI_FN moments moments_of(const gndi_wiener_params &p, const tile &t, int e) {
    const double elements = (double)p.window[0] * p.window[1];
    double x = 0, square = 0;
    for (int i = 0; i < p.window[0]; i++) {
        const int at = e + i * p.tile_columns;
        x += t.row_x[at], square += t.row_square[at];
    }
    moments m;
    m.mean = x / elements, m.variance = __dadd_rn(square / elements, -__dmul_rn(m.mean, m.mean));
    const int row = e / p.tile_columns + GNDI_WIENER_FRONT(p.window[0]);
    m.x = t.x[row * t.columns + e % p.tile_columns + GNDI_WIENER_FRONT(p.window[1])];
    return m;
}

GNDI_FN bool is_inside(const gndi_wiener_params &p, const tile &t, int e) {
    return t.row + e / p.tile_columns < p.rows && t.column + e % p.tile_columns < p.columns;
}

// The sum of all threads' numbers, in thread 0, always in the same order.
template <int N> GNDI_FN double sum_of_block(double own) {
    __shared__ double sums[N];
    sums[threadIdx.x] = own;
    for (int width = N / 2; width > 0; width /= 2) {
        __syncthreads();
        if ((int)threadIdx.x < width) sums[threadIdx.x] += sums[threadIdx.x + width];
    }
    return sums[0];
}

template <class T> __global__ void __launch_bounds__(THREADS)
    variances_kernel(const __grid_constant__ gndi_wiener_params p) {
    const tile t = tile_of(p);
    load_tile<T>(p, t);
    sum_rows(p, t);
    double sum = 0;
    for (int k = 0; k < EACH; k++) {
        const int e = (int)threadIdx.x + k * THREADS;
        if (is_inside(p, t, e)) sum += moments_of(p, t, e).variance;
    }
    sum = sum_of_block<THREADS>(sum);
    if (threadIdx.x == 0) p.noise[1 + blockIdx.x] = sum;
}

__global__ void __launch_bounds__(GNDI_WIENER_JOIN_THREADS) join_kernel(const __grid_constant__ gndi_wiener_params p) {
    double sum = 0;
    for (int64_t i = threadIdx.x; i < p.tiles; i += GNDI_WIENER_JOIN_THREADS) sum += p.noise[1 + i];
    sum = sum_of_block<GNDI_WIENER_JOIN_THREADS>(sum);
    if (threadIdx.x == 0) p.noise[0] = sum / ((double)p.rows * (double)p.columns);
}

template <class T> __global__ void __launch_bounds__(THREADS)
    filter_kernel(const __grid_constant__ gndi_wiener_params p) {
    const tile t = tile_of(p);
    const double noise = p.noise ? *p.noise : p.given;
    load_tile<T>(p, t);
    sum_rows(p, t);
    for (int k = 0; k < EACH; k++) {
        const int e = (int)threadIdx.x + k * THREADS;
        if (!is_inside(p, t, e)) continue;
        const moments m = moments_of(p, t, e);
        const double out = m.variance < noise ? m.mean : m.mean + (m.x - m.mean) * (1 - noise / m.variance);
        p.out[(t.row + e / p.tile_columns) * p.columns + t.column + e % p.tile_columns] = out;
    }
}

template <class T> static const void *kernel_of(int which) {
    switch (which) {
    case GNDI_WIENER_VARIANCES: return (const void *)variances_kernel<T>;
    case GNDI_WIENER_JOIN: return (const void *)join_kernel;
    default: return (const void *)filter_kernel<T>;
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_wiener_kernel(bool wide, int which) {
    return wide ? gnd::kernel_of<double>(which) : gnd::kernel_of<float>(which);
}
