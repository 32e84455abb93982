// lapack_lu_update_kernels.cu: the trailing update of a step of LU: the product of the columns below the step's
// block and the rows to the right of it is subtracted from the rest of the matrix. Its inner dimension is the
// width of a step, so it is bound by reading and writing the rest: a plain kernel keeps up with cuBLAS, and a process
// that wants a determinant need not load cuBLAS.
//
// A block of 8 warps does a tile: a lane has some of its rows, a warp a few neighbouring columns, which are the
// same for all its lanes.
#include "linalg/cuda/lapack_lu_params.h"
#include "linalg/cuda/lapack_panel.cuh"

namespace gnd {
namespace la {

constexpr int UPDATE_WARPS = GNDI_LU_UPDATED / 32;

// `below` has `width` contiguous columns of the tile's rows; `beside` its columns.
template <class T, int width> struct update_tile {
    static constexpr int each_rows = GNDI_LU_UPDATE_ROWS((int)sizeof(T));
    static constexpr int each_columns = GNDI_LU_UPDATE_COLUMNS((int)sizeof(T));
    static constexpr int rows = 32 * each_rows, columns = UPDATE_WARPS * each_columns;
    T *below, *beside;
    int left, right; // rows and columns left from the tile's first on
};

template <class T, int width>
GNDI_FN void load_factors(const update_tile<T, width> &t, const T *below, const T *beside, int64_t ld) {
    constexpr int rows = update_tile<T, width>::rows, columns = update_tile<T, width>::columns;
#pragma unroll
    for (int e = (int)threadIdx.x; e < width * rows; e += GNDI_LU_UPDATED) {
        const int k = e / rows, row = e % rows;
        t.below[e] = row < t.left ? below[row + k * ld] : T{};
    }
#pragma unroll
    for (int e = (int)threadIdx.x; e < width * columns; e += GNDI_LU_UPDATED) {
        const int k = e % width, column = e / width;
        t.beside[e] = column < t.right ? beside[k + column * ld] : T{};
    }
}

template <class T, int width> __global__ void __launch_bounds__(GNDI_LU_UPDATED)
    update_kernel(const __grid_constant__ gndi_lu_update_params p) {
    typedef update_tile<T, width> tile;
    constexpr int each_rows = tile::each_rows, each_columns = tile::each_columns;
    const unsigned matrix = blockIdx.x / p.tiles, tile_index = blockIdx.x - matrix * p.tiles;
    const int first_row = (int)(tile_index % p.tiles_down) * tile::rows;
    const int first_column = (int)(tile_index / p.tiles_down) * tile::columns;
    tile t = {reinterpret_cast<T *>(memory_of_block), nullptr, p.rows - first_row, p.columns - first_column};
    t.beside = t.below + width * tile::rows;
    const int64_t ld = p.a.ld, row = p.k + width + first_row, column = p.k + width + first_column;
    T *a = matrix_of<T>(p.a, matrix);
    const int lane = (int)threadIdx.x & 31, own = ((int)threadIdx.x >> 5) * each_columns;
    T *c = a + row + lane + (column + own) * ld;
    T x[each_columns][each_rows];
#pragma unroll
    for (int j = 0; j < each_columns; j++)
#pragma unroll
        for (int r = 0; r < each_rows; r++)
            x[j][r] = own + j < t.right && lane + 32 * r < t.left ? c[32 * r + j * ld] : T{};
    load_factors<T, width>(t, a + row + p.k * ld, a + p.k + column * ld, ld);
    __syncthreads();
#pragma unroll 4
    for (int k0 = 0; k0 < width; k0 += a_pack<T>) {
        T beside[each_columns][a_pack<T>];
#pragma unroll
        for (int j = 0; j < each_columns; j++) unpack(t.beside + (own + j) * width + k0, beside[j]);
#pragma unroll
        for (int k = 0; k < a_pack<T>; k++)
#pragma unroll
            for (int r = 0; r < each_rows; r++) {
                const T below = t.below[(k0 + k) * tile::rows + lane + 32 * r];
#pragma unroll
                for (int j = 0; j < each_columns; j++) x[j][r] = minus_product(x[j][r], below, beside[j][k]);
            }
    }
#pragma unroll
    for (int j = 0; j < each_columns; j++)
#pragma unroll
        for (int r = 0; r < each_rows; r++)
            if (own + j < t.right && lane + 32 * r < t.left) c[32 * r + j * ld] = x[j][r];
}

} // namespace la
} // namespace gnd

template <class T> static const void *kernel_of(int width) {
    using namespace gnd::la;
    if constexpr (32 * sizeof(T) <= 256)
        if (width == 32) return reinterpret_cast<const void *>(&update_kernel<T, 32>);
    return width == 16 ? reinterpret_cast<const void *>(&update_kernel<T, 16>)
                       : reinterpret_cast<const void *>(&update_kernel<T, 8>);
}

extern "C" const void *gndi_cuda_lapack_lu_update_kernel(int type, int width) {
    switch (type) {
    case 0: return kernel_of<float>(width);
    case 1: return kernel_of<double>(width);
    case 2: return kernel_of<gnd::complex<float>>(width);
    default: return kernel_of<gnd::complex<double>>(width);
    }
}
