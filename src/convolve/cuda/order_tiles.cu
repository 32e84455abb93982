// order_tiles.cu: medians of small windows, and any rank in those of 3 x 3 and 5 x 5, by networks of comparisons.
//
// tile_kernel  Squares. A block has a tile of keys in shared memory, the border applied. A thread finds 4 neighbouring
//              outputs of two rows below each other. The rows that both have are sorted once for each column, and
//              a row more is inserted above for one output and below for the other. Medians of 5 x 5: see
//              order_network.cuh. That of 4096 x 4096 floats moves 134 MB, 34 us at 4.0 TB/s, and takes 72 smaller or
//              larger ones of two for each output, 64 of which a processor computes in a cycle: 80 us (111 on an H200).
// line_kernel  Windows of one row. A thread finds 4 outputs, and loads their elements and 4 on either side.
#include "convolve/cuda/order_params.h"
#include "convolve/cuda/order_network.cuh"
#include "kernels/border.h"

namespace gnd {

enum { WIDE = GNDI_ORDER_WIDE, COLUMNS = GNDI_ORDER_COLUMNS, PITCH = GNDI_ORDER_PITCH, WARP = 32 };
enum { WARPS = GNDI_ORDER_TILE_WARPS, LINE_THREADS = GNDI_ORDER_THREADS };
typedef gndi_order_tile_params params_t;

template <class K> struct __align__(4 * sizeof(K) < 16 ? 4 * sizeof(K) : 16) four {
    K at[WIDE];
};

// ---- keys -----------------------------------------------------------------------------------------

// order_key and order_bits of a dtype that is known when the kernel runs, without a branch.
template <class U> struct coder {
    U floats, flip, most; // all ones of floats; the bit that is flipped; the largest bits that are no NaN
    __device__ __forceinline__ explicit coder(const params_t &p)
        : floats((U)p.floats), flip((U)p.flip), most((U)p.most) {}
    static __device__ __forceinline__ U negative(U bits) { return (U)(0 - (bits >> (8 * sizeof(U) - 1))); }
    __device__ __forceinline__ U key(U bits) const {
        if (sizeof(U) < 4) return (U)(bits ^ flip); // there are no floats
        const U key = (U)(bits ^ ((negative(bits) & floats) | flip));
        return (bits & (U)~order_top<U>) > most ? (U) ~(U)0 : key;
    }
    __device__ __forceinline__ U bits(U key) const {
        if (sizeof(U) < 4) return (U)(key ^ flip);
        return (U)(key ^ ((~negative(key) & floats) | flip));
    }
};

// Calls f with a number of the unsigned type of the elements.
template <class K, class F> GNDI_FN void with_elements(const params_t &p, F f) {
    if constexpr (sizeof(K) == 8) {
        f((uint64_t)0);
    } else {
        if (p.bytes == 4)
            f((uint32_t)0);
        else if (p.bytes == 2)
            f((uint16_t)0);
        else
            f((uint8_t)0);
    }
}

// ---- tiles ----------------------------------------------------------------------------------------

// gndi_border_index, which is long, once for each kernel.
static __device__ __noinline__ int64_t index_beyond(int64_t i, int64_t n, int border) {
    return gndi_border_index(i, n, (gndi_border)border);
}
GNDI_FN int64_t index_at(int64_t i, int64_t n, int border) {
    return i >= 0 && i < n ? i : index_beyond(i, n, border);
}

// Where a tile lies: its matrix, and its first output there.
struct position {
    const char *x;
    char *out;
    int64_t row, column;
};

GNDI_FN position find_tile(const params_t &p, int height) {
    const int32_t unit = (int32_t)blockIdx.x, band = unit / p.segments, matrix = band / p.bands;
    return {p.x + matrix * p.x_stride[0], p.out + matrix * p.out_stride[0], (int64_t)(band - matrix * p.bands) * height,
            (int64_t)(unit - band * p.segments) * COLUMNS};
}

// The keys of `rows` rows and `columns` columns. All of a row's elements are loaded before the first is stored.
template <class K, class U, int rows, int columns>
GNDI_FN void load_tile(const params_t &p, const position &at, K (*tile)[PITCH]) {
    constexpr int parts = (columns + WARP - 1) / WARP;
    const int lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    const coder<U> c(p);
    const int64_t row = at.row + p.first[0], column = at.column + p.first[1];
    if (row >= 0 && row + rows <= p.rows && column >= 0 && column + columns <= p.columns &&
        p.x_stride[2] == sizeof(U)) {
        const char *from = at.x + (row + warp) * p.x_stride[1] + (column + lane) * (int)sizeof(U);
#pragma unroll 2
        for (int r = warp; r < rows; r += WARPS, from += WARPS * p.x_stride[1]) {
            U bits[parts];
#pragma unroll
            for (int k = 0; k < parts; k++)
                if (k < columns / WARP || lane + k * WARP < columns)
                    bits[k] = *reinterpret_cast<const U *>(from + k * WARP * (int)sizeof(U));
#pragma unroll
            for (int k = 0; k < parts; k++)
                if (k < columns / WARP || lane + k * WARP < columns) tile[r][lane + k * WARP] = c.key(bits[k]);
        }
        return;
    }
    int64_t index[parts]; // of a lane's elements of a row; -1: the constant
#pragma unroll
    for (int k = 0; k < parts; k++) index[k] = index_at(column + lane + k * WARP, p.columns, p.border[1]);
#pragma unroll 1
    for (int r = warp; r < rows; r += WARPS) {
        const int64_t i = index_at(row + r, p.rows, p.border[0]);
        const char *from = at.x + i * p.x_stride[1];
        U bits[parts];
#pragma unroll
        for (int k = 0; k < parts; k++)
            bits[k] = i < 0 || index[k] < 0 ? (U)p.fill : *reinterpret_cast<const U *>(from + index[k] * p.x_stride[2]);
#pragma unroll
        for (int k = 0; k < parts; k++)
            if (lane + k * WARP < columns) tile[r][lane + k * WARP] = c.key(bits[k]);
    }
}

template <class K, class U> GNDI_FN void store_four(const params_t &p, char *row, int64_t column, const four<K> &keys) {
    const coder<U> c(p);
    char *to = row + column * p.out_stride[2];
    four<U> bits;
#pragma unroll
    for (int k = 0; k < WIDE; k++) bits.at[k] = c.bits((U)keys.at[k]);
    if (column + WIDE <= p.columns && p.out_stride[2] == sizeof(U) && (uintptr_t)to % sizeof(four<U>) == 0) {
        *reinterpret_cast<four<U> *>(to) = bits;
        return;
    }
#pragma unroll
    for (int k = 0; k < WIDE; k++)
        if (column + k < p.columns) *reinterpret_cast<U *>(to + k * p.out_stride[2]) = bits.at[k];
}

// ---- squares --------------------------------------------------------------------------------------

// Which ranks a kernel of tiles finds: the median, or any below it or from it on.
enum tile_ranks { MEDIANS, LOW_RANKS, HIGH_RANKS };

// 4 outputs beside each other, from sorted columns.
template <int W, tile_ranks ranks, class K> GNDI_FN four<K> select_four(const K (&column)[WIDE + W - 1][W], int rank) {
    four<K> out;
    if constexpr (ranks == MEDIANS && W == 5) {
        order_medians_5_5(column, out.at);
    } else {
#pragma unroll
        for (int c = 0; c < WIDE; c++) {
            K v[W * W];
#pragma unroll
            for (int h = 0; h < W; h++)
#pragma unroll
                for (int w = 0; w < W; w++) v[h * W + w] = column[c + w][h];
            if constexpr (ranks == MEDIANS) {
                order_median<W, W>(v);
                out.at[c] = v[W * W / 2];
            } else if constexpr (ranks == LOW_RANKS) {
                out.at[c] = order_of_rank<W, W, 0, W * W / 2 - 1>(v, rank);
            } else {
                out.at[c] = order_of_rank<W, W, W * W / 2, W * W - 1>(v, rank);
            }
        }
    }
    return out;
}

// Keys of a row of the tile, from a multiple of 4 on.
template <class K, int fours> GNDI_FN void load_row(const K *row, K (&keys)[fours * WIDE]) {
#pragma unroll
    for (int f = 0; f < fours; f++) {
        const four<K> some = *reinterpret_cast<const four<K> *>(row + f * WIDE);
#pragma unroll
        for (int c = 0; c < WIDE; c++) keys[f * WIDE + c] = some.at[c];
    }
}

// A thread's outputs of rows r and r + 1 of the tile.
template <class K, int W, tile_ranks ranks>
GNDI_FN void run_rows(const params_t &p, const position &at, const K (*tile)[PITCH], int r, int column) {
    constexpr int used = WIDE + W - 1, fours = (used + WIDE - 1) / WIDE;
    K keys[fours * WIDE], both[used][W - 1];
#pragma unroll
    for (int h = 0; h < W - 1; h++) {
        load_row<K, fours>(&tile[r + 1 + h][column], keys);
#pragma unroll
        for (int c = 0; c < used; c++) both[c][h] = keys[c];
    }
#pragma unroll
    for (int c = 0; c < used; c++) order_sort<W - 1>(both[c]);
#pragma unroll 1
    for (int o = 0; o < 2 && at.row + r + o < p.rows; o++) {
        K sorted[used][W];
        load_row<K, fours>(&tile[r + o * W][column], keys);
#pragma unroll
        for (int c = 0; c < used; c++) order_insert<W>(both[c], keys[c], sorted[c]);
        const four<K> out = select_four<W, ranks>(sorted, p.rank);
        char *row = at.out + (at.row + r + o) * p.out_stride[1];
        with_elements<K>(p, [&](auto u) { store_four<K, decltype(u)>(p, row, at.column + column, out); });
    }
}

template <class K, int W, tile_ranks ranks>
__global__ void __launch_bounds__(WARPS *WARP, sizeof(K) == 4 && ranks == MEDIANS ? 6 : 1)
    tile_kernel(const __grid_constant__ params_t p) {
    constexpr int each = GNDI_ORDER_ROWS(sizeof(K)), height = WARPS * each, rows = height + W - 1;
    static_assert(each % 2 == 0, "rows go in twos");
    __shared__ __align__(16) K tile[rows][PITCH];
    const int warp = (int)threadIdx.x / WARP, column = (int)threadIdx.x % WARP * WIDE;
    const position at = find_tile(p, height);
    with_elements<K>(p, [&](auto u) { load_tile<K, decltype(u), rows, COLUMNS + W - 1>(p, at, tile); });
    __syncthreads();
    if (at.column + column >= p.columns) return;
#pragma unroll 1
    for (int r = warp * each; r < (warp + 1) * each && at.row + r < p.rows; r += 2)
        run_rows<K, W, ranks>(p, at, tile, r, column);
}

// ---- lines ----------------------------------------------------------------------------------------

// Keys of the elements from 4 before `column` to 4 behind its 4 outputs.
template <class K, class U> GNDI_FN void load_around(const params_t &p, const char *row, int64_t column, K *keys) {
    const coder<U> c(p);
    const U *from = reinterpret_cast<const U *>(row + column * (int)sizeof(U));
    if (p.packs && column >= WIDE && column + 2 * WIDE <= p.columns) {
        four<U> bits[3];
#pragma unroll
        for (int f = 0; f < 3; f++) bits[f] = *reinterpret_cast<const four<U> *>(from + (f - 1) * WIDE);
#pragma unroll
        for (int k = 0; k < 3 * WIDE; k++) keys[k] = c.key(bits[k / WIDE].at[k % WIDE]);
        return;
    }
#pragma unroll
    for (int k = 0; k < 3 * WIDE; k++) {
        const int64_t j = index_at(column + k - WIDE, p.columns, p.border[1]);
        keys[k] = c.key(j < 0 ? (U)p.fill : *reinterpret_cast<const U *>(row + j * p.x_stride[2]));
    }
}

// A median is that of its own element and of the middle two of those that it has in common with its neighbour.
template <class K, int W> __global__ void __launch_bounds__(LINE_THREADS)
    line_kernel(const __grid_constant__ params_t p) {
    typedef order_network_of<1, W - 1> network;
    const int32_t unit = (int32_t)blockIdx.x * LINE_THREADS + (int32_t)threadIdx.x;
    const char *x = p.x;
    char *out = p.out;
    int32_t line = 0;
    if (unit >= p.units) return;
    if (p.units > p.segments) { // more lines than one
        line = unit / p.segments;
        const int32_t matrix = line / p.bands, row = line - matrix * p.bands;
        x += matrix * p.x_stride[0] + row * p.x_stride[1], out += matrix * p.out_stride[0] + row * p.out_stride[1];
    }
    const int64_t column = (int64_t)(unit - line * p.segments) * WIDE;
    K around[3 * WIDE];
    with_elements<K>(p, [&](auto u) { load_around<K, decltype(u)>(p, x, column, around); });
    const K *keys = around + WIDE - W / 2;
    four<K> medians;
#pragma unroll
    for (int c = 0; c < WIDE; c += 2) {
        K common[W - 1];
#pragma unroll
        for (int k = 0; k < W - 1; k++) common[k] = keys[c + 1 + k];
        order_compare<1, W - 1, 0, network::made.count>(common);
        constexpr int low = network::made.sorted[W / 2 - 1], high = network::made.sorted[W / 2];
        medians.at[c] = order_high(common[low], order_low(keys[c], common[high]));
        medians.at[c + 1] = order_high(common[low], order_low(keys[c + W], common[high]));
    }
    with_elements<K>(p, [&](auto u) { store_four<K, decltype(u)>(p, out, column, medians); });
}

template <class K> static const void *tile_of(int which) {
    switch (which) {
    case GNDI_ORDER_MEDIAN_3: return (const void *)line_kernel<K, 3>;
    case GNDI_ORDER_MEDIAN_5: return (const void *)line_kernel<K, 5>;
    case GNDI_ORDER_MEDIAN_7: return (const void *)line_kernel<K, 7>;
    case GNDI_ORDER_MEDIAN_9: return (const void *)line_kernel<K, 9>;
    case GNDI_ORDER_MEDIAN_3_3: return (const void *)tile_kernel<K, 3, MEDIANS>;
    case GNDI_ORDER_MEDIAN_5_5: return (const void *)tile_kernel<K, 5, MEDIANS>;
    case GNDI_ORDER_LOW_3_3: return (const void *)tile_kernel<K, 3, LOW_RANKS>;
    case GNDI_ORDER_HIGH_3_3: return (const void *)tile_kernel<K, 3, HIGH_RANKS>;
    case GNDI_ORDER_LOW_5_5: return (const void *)tile_kernel<K, 5, LOW_RANKS>;
    default: return (const void *)tile_kernel<K, 5, HIGH_RANKS>;
    }
}

} // namespace gnd

// The kernels for elements of up to 4 bytes, and of 8.
#ifdef GNDI_PART_words
extern "C" const void *gndi_cuda_order_tile_words(int which) {
    return gnd::tile_of<uint32_t>(which);
}
#endif
#ifdef GNDI_PART_longs
extern "C" const void *gndi_cuda_order_tile_longs(int which) {
    return gnd::tile_of<uint64_t>(which);
}
#endif
