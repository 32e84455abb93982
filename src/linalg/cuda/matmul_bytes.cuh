// matmul_bytes.cuh: products of integers of up to four bytes, and of bool, by tensor cores, which multiply bytes. A
// factor is split into planes of its bytes, and the products of planes i and j are summed by i + j, as long as i + j is
// less than the result's bytes. A block computes as many elements of c as in matmul_kernels.cu, a warp 16 x 32 of them.
#ifndef GNDI_MATMUL_BYTES_CUH
#define GNDI_MATMUL_BYTES_CUH

#include "linalg/cuda/matmul_params.h"
#include "kernels/scalar/scalar_types.h"
#include <mma.h>

namespace gnd {

template <class S> struct byte_tiles {
    static constexpr int planes = (int)sizeof(S), side = GNDI_TILE_SIDE, depth = GNDI_TILE_DEPTH(4);
    static constexpr int piece = 16; // rows, columns and depth of a fragment
    static constexpr int wide = 2;   // fragments of a warp, side by side
    // Four elements along k each, of a thread, for each factor.
    static constexpr int fours = side * depth / 4 / GNDI_TILE_THREADS;

    // A fragment's rows of a, or columns of b, are 16 bytes each, one after the other.
    typedef uint32_t plane[depth / piece][side][piece / 4];
    struct __align__(256) memory {
        union {
            struct {
                plane a[planes], b[planes];
            };
            uint32_t sums[GNDI_TILE_THREADS / 32][piece * piece]; // of a warp
        };
    };
    typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_a, piece, piece, piece, unsigned char, nvcuda::wmma::row_major>
        rows;
    typedef nvcuda::wmma::fragment<nvcuda::wmma::matrix_b, piece, piece, piece, unsigned char, nvcuda::wmma::col_major>
        columns;
    typedef nvcuda::wmma::fragment<nvcuda::wmma::accumulator, piece, piece, piece, int> total;

    // One factor of a tile: a thread takes four elements along k of some lines (rows of a, or columns of b).
    struct factor {
        const char *from;
        // Bytes: along k, from one of a thread's lines to the next, to the next tile.
        int64_t along, step, deeper;
        int line, four, lines_on, fours_on;
        int64_t lines;

        __device__ __forceinline__ factor(const char *data, int64_t stride, int64_t along_k, int64_t left,
                                          bool k_is_near)
            : along(along_k), deeper(depth * along_k), lines(left) {
            const int t = (int)threadIdx.x, across = depth / 4;
            line = k_is_near ? t / across : t % side, four = k_is_near ? t % across : t / side;
            lines_on = k_is_near ? GNDI_TILE_THREADS / across : 0;
            fours_on = k_is_near ? 0 : GNDI_TILE_THREADS / side;
            from = data + line * stride + four * 4 * along;
            step = lines_on * stride + fours_on * 4 * along;
        }
        // `left`: elements along k from this tile on. They are loaded one by one: loading whole words where possible,
        // products of bytes take 339 us instead of 290.
        __device__ __forceinline__ void fetch(S (&x)[fours][4], int64_t left) {
            const char *p = from;
#pragma unroll
            for (int u = 0; u < fours; u++, p += step) {
                const bool there = line + u * lines_on < lines;
                const int first = (four + u * fours_on) * 4;
#pragma unroll
                for (int e = 0; e < 4; e++)
                    x[u][e] = there && first + e < left ? *reinterpret_cast<const S *>(p + e * along) : S(0);
            }
            from += deeper;
        }
        __device__ __forceinline__ void put(const S (&x)[fours][4], plane *to) const {
#pragma unroll
            for (int u = 0; u < fours; u++) {
                const int l = line + u * lines_on, f = four + u * fours_on;
#pragma unroll
                for (int b = 0; b < planes; b++) {
                    uint32_t word = 0;
#pragma unroll
                    for (int e = 0; e < 4; e++) word |= ((uint32_t)x[u][e] >> 8 * b & 255u) << 8 * e;
                    to[b][f / (piece / 4)][l][f % (piece / 4)] = word;
                }
            }
        }
    };

    // The sums of a tile's first `left` lines of k: sum[c][w] of planes i + j = c, in fragment w.
    static __device__ __forceinline__ void multiply(const memory &m, total (&sum)[planes][wide], int row, int column) {
#pragma unroll
        for (int d = 0; d < depth / piece; d++) {
            rows x[planes];
#pragma unroll
            for (int i = 0; i < planes; i++)
                nvcuda::wmma::load_matrix_sync(x[i], reinterpret_cast<const unsigned char *>(m.a[i][d][row]), piece);
#pragma unroll
            for (int w = 0; w < wide; w++)
#pragma unroll
                for (int j = 0; j < planes; j++) {
                    columns y;
                    nvcuda::wmma::load_matrix_sync(
                        y, reinterpret_cast<const unsigned char *>(m.b[j][d][column + w * piece]), piece);
#pragma unroll
                    for (int i = 0; i + j < planes; i++) nvcuda::wmma::mma_sync(sum[i + j][w], x[i], y, sum[i + j][w]);
                }
        }
    }

    // The sums of the elements of c from row0 and column0 on, of the matrices at a and b, over `left` elements
    // along k: store(r, c, sum) for each that there is.
    template <class Store> static __device__ __forceinline__ void compute(const gndi_matmul_params &p, memory &m,
                                                                          const char *at_a, const char *at_b,
                                                                          int64_t row0, int64_t column0, int64_t left,
                                                                          const Store &store) {
        factor a(at_a, p.a.row, p.a.column, p.m - row0, p.a_along_k != 0);
        factor b(at_b, p.b.column, p.b.row, p.n - column0, p.b_along_k != 0);
        const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
        const int row = warp % (side / piece) * piece;
        const int column = warp / (side / piece) * (piece * wide);
        const bool busy = row < a.lines && column < b.lines;
        total sum[planes][wide];
#pragma unroll
        for (int c = 0; c < planes; c++)
#pragma unroll
            for (int w = 0; w < wide; w++) nvcuda::wmma::fill_fragment(sum[c][w], 0);
        S x[fours][4], y[fours][4];
        a.fetch(x, left), b.fetch(y, left);
        for (; left > 0; left -= depth) {
            __syncthreads();
            a.put(x, m.a), b.put(y, m.b);
            __syncthreads();
            if (left > depth) a.fetch(x, left - depth), b.fetch(y, left - depth);
            if (busy) multiply(m, sum, row, column);
        }
        __syncthreads();
#pragma unroll
        for (int w = 0; w < wide; w++) {
            total all = sum[0][w];
#pragma unroll
            for (int c = 1; c < planes; c++)
#pragma unroll
                for (int e = 0; e < all.num_elements; e++)
                    all.x[e] = (int)((uint32_t)all.x[e] + ((uint32_t)sum[c][w].x[e] << 8 * c));
            uint32_t *const mine = m.sums[warp];
            __syncwarp();
            nvcuda::wmma::store_matrix_sync(reinterpret_cast<int *>(mine), all, piece, nvcuda::wmma::mem_col_major);
            __syncwarp();
#pragma unroll
            for (int e = lane; e < piece * piece; e += 32) {
                const int r = row + e % piece, c = column + w * piece + e / piece;
                if (r < a.lines && c < b.lines) store(r, c, mine[e]);
            }
        }
        __syncthreads(); // the next tile overwrites these sums
    }
};

} // namespace gnd

#endif
