// convolve_kernels.cu: sliding sums in several dimensions.
//
// tile_kernel  Matrices. A block has a tile of elements in shared memory, the border applied, and all taps beside it.
//              A thread sums 4 neighbouring outputs of some rows below each other: a window of 8 elements slides along
//              each row of the tile, so that 4 elements and 4 taps from shared memory serve up to 16 products.
// small_kernel The same for 3 x 3 and 5 x 5 taps, which are in registers: each element from shared memory serves all
//              rows of outputs that it meets.
// any_kernel   Any number of axes and any size of taps: a thread for an output, elements through the caches.
#include "convolve/cuda/convolve_params.h"
#include "kernels/border.h"
#include "kernels/cuda/async_copy.cuh"
#include "signal/cuda/sums.cuh"

namespace gnd {

constexpr int WIDE = GNDI_CONVOLVE_WIDE, ACROSS = GNDI_CONVOLVE_ACROSS, DOWN = GNDI_CONVOLVE_DOWN;
static_assert(WIDE == 4, "what load_four loads");
static_assert(sizeof(gndi_convolve_any_params) <= 4096, "what every GPU takes as parameters");

extern __shared__ __align__(16) char shared[];

// The border's constant.
template <class A, class P> GNDI_FN A fill_of(const P &p) {
    if constexpr (is_complex<A>)
        return A{(real_t<A>)p.fill[0], (real_t<A>)p.fill[1]};
    else if constexpr (is_same<A, uint32_t> || is_same<A, uint64_t>)
        return (A)p.fill_integer;
    else
        return (A)p.fill[0];
}

// ---- tiles --------------------------------------------------------------------------------------

// A tile that lies in the array, elements side by side.
template <class A>
GNDI_FN void load_inner_tile(const gndi_convolve_tile_params &p, A *x, int rows, int64_t v0, int64_t v1) {
    const int warp = (int)threadIdx.x / ACROSS, lane = (int)threadIdx.x % ACROSS, pitch = p.pitch;
    const int64_t step = DOWN * p.x_stride[0];
    const char *from = p.x + (v0 + warp) * p.x_stride[0] + (v1 + lane) * (int)sizeof(A);
    A *to = x + warp * pitch + lane;
    for (int r = warp; r < rows; r += DOWN, from += step, to += DOWN * pitch) {
#pragma unroll
        for (int c = 0; c < ACROSS * WIDE; c += ACROSS) copy_element(to + c, from + c * (int)sizeof(A));
        for (int c = ACROSS * WIDE; c < pitch - lane; c += ACROSS) copy_element(to + c, from + c * (int)sizeof(A));
    }
}

// Rows of the tile's elements, from element (v0, v1) on.
template <class A> GNDI_FN void load_tile(const gndi_convolve_tile_params &p, A *x, int rows, int64_t v0, int64_t v1) {
    const int warp = (int)threadIdx.x / ACROSS, lane = (int)threadIdx.x % ACROSS;
    const bool columns_inside = v1 >= 0 && v1 + p.pitch <= p.x_shape[1];
    if (columns_inside && p.as_is && p.x_stride[1] == sizeof(A) && v0 >= 0 && v0 + rows <= p.x_shape[0]) {
        load_inner_tile(p, x, rows, v0, v1);
        return;
    }
    for (int r = warp; r < rows; r += DOWN) {
        const int64_t i = gndi_border_index(v0 + r, p.x_shape[0], (gndi_border)p.border);
        const char *from = p.x + i * p.x_stride[0];
        A *to = x + r * p.pitch;
        if (i >= 0 && columns_inside) {
            from += v1 * p.x_stride[1];
#pragma unroll 4
            for (int c = lane; c < p.pitch; c += ACROSS) {
                if (p.as_is)
                    copy_element(to + c, from + c * p.x_stride[1]);
                else
                    to[c] = load<A>(from + c * p.x_stride[1], p.dtype);
            }
        } else {
            for (int c = lane; c < p.pitch; c += ACROSS) {
                const int64_t j = i < 0 ? -1 : gndi_border_index(v1 + c, p.x_shape[1], (gndi_border)p.border);
                if (j >= 0 && p.as_is) // none of a thread's copies waits for the one before
                    copy_element(to + c, from + j * p.x_stride[1]);
                else
                    to[c] = j < 0 ? fill_of<A>(p) : load<A>(from + j * p.x_stride[1], p.dtype);
            }
        }
    }
}

// Above and below the taps are `around` rows that are loaded and not used.
template <class A> GNDI_FN void load_taps(const gndi_convolve_tile_params &p, A *k, int around) {
    const int all = (p.taps_shape[0] + 2 * around) * p.taps_pitch;
    for (int e = (int)threadIdx.x; e < all; e += GNDI_CONVOLVE_THREADS) {
        const int j = e / p.taps_pitch - around, t = e % p.taps_pitch;
        const bool there = j >= 0 && j < p.taps_shape[0] && t < p.taps_shape[1];
        k[e] = there ? load<A>(p.taps + j * p.taps_stride[0] + t * p.taps_stride[1], p.dtype) : A{};
    }
}

// Products of taps t .. t + n - 1 of all rows with one row of elements: output row r meets tap row i - r. A missing
// tap has no product, not one of zero: an element may be infinite. All taps are loaded before the first is used.
template <class A, int R>
GNDI_FN void add_row(A (&sum)[R][WIDE], const A (&w)[2 * WIDE], const A *k, int i, int high, int pitch, int n) {
    A tap[R][WIDE];
#pragma unroll
    for (int r = 0; r < R; r++) load_four(k + (i - r + R - 1) * pitch, tap[r]);
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (i < r || i - r >= high) continue;
        if (n >= WIDE) {
#pragma unroll
            for (int u = 0; u < WIDE; u++)
#pragma unroll
                for (int c = 0; c < WIDE; c++) add_product(sum[r][c], w[u + c], tap[r][u]);
        } else {
#pragma unroll
            for (int u = 0; u < WIDE - 1; u++) {
                if (u >= n) break;
#pragma unroll
                for (int c = 0; c < WIDE; c++) add_product(sum[r][c], w[u + c], tap[r][u]);
            }
        }
    }
}

template <class A, int R>
GNDI_FN void store_tile(const gndi_convolve_tile_params &p, const A (&sum)[R][WIDE], int64_t row, int64_t column) {
    const bool whole = column + WIDE <= p.out_shape[1] && p.out_stride[1] == sizeof(A);
#pragma unroll
    for (int r = 0; r < R; r++) {
        if (row + r >= p.out_shape[0]) return;
        char *to = p.out + (row + r) * p.out_stride[0] + column * p.out_stride[1];
        if (whole && ((uintptr_t)to & 15) == 0) { // of the type that is computed in: 16-bit floats have another step
            four<A> x;
#pragma unroll
            for (int c = 0; c < WIDE; c++) x.at[c] = sum[r][c];
            *reinterpret_cast<four<A> *>(to) = x;
        } else {
#pragma unroll
            for (int c = 0; c < WIDE; c++)
                if (column + c < p.out_shape[1]) store<A>(to + c * p.out_stride[1], sum[r][c], p.dtype);
        }
    }
}

template <class A, int R> __global__ void __launch_bounds__(GNDI_CONVOLVE_THREADS)
    tile_kernel(const __grid_constant__ gndi_convolve_tile_params p) {
    constexpr int height = DOWN * R;
    const int high = p.taps_shape[0], wide = p.taps_shape[1], rows = height + high - 1;
    const int warp = (int)threadIdx.x / ACROSS, lane = (int)threadIdx.x % ACROSS;
    A *x = reinterpret_cast<A *>(shared), *k = x + rows * p.pitch;
    const int64_t row = (int64_t)blockIdx.x / p.tiles * height, column = blockIdx.x % p.tiles * (ACROSS * WIDE);
    load_tile(p, x, rows, row + p.first[0], column + p.first[1]);
    load_taps(p, k, R - 1);
    wait_for_copies();
    __syncthreads();
    A sum[R][WIDE];
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
        for (int c = 0; c < WIDE; c++) sum[r][c] = A{};
#pragma unroll 1
    for (int i = 0; i < R + high - 1; i++) {
        const A *at = x + (warp * R + i) * p.pitch + lane * WIDE;
        A w[2 * WIDE];
        load_four(at, w);
#pragma unroll 1
        for (int t = 0; t < wide; t += WIDE) {
            load_four(at + t + WIDE, w + WIDE);
            add_row(sum, w, k + t, i, high, p.taps_pitch, wide - t);
#pragma unroll
            for (int c = 0; c < WIDE; c++) w[c] = w[WIDE + c];
        }
    }
    store_tile(p, sum, row + warp * R, column + lane * WIDE);
}

// H x W taps. A thread sums 4 neighbouring outputs of R rows, by the same products in the same order as tile_kernel.
template <class A, int H, int W, int R> __global__ void __launch_bounds__(GNDI_CONVOLVE_THREADS)
    small_kernel(const __grid_constant__ gndi_convolve_tile_params p) {
    constexpr int height = DOWN * R;
    static_assert(W <= WIDE + 1, "two vectors of elements");
    const int warp = (int)threadIdx.x / ACROSS, lane = (int)threadIdx.x % ACROSS;
    A *x = reinterpret_cast<A *>(shared), *k = x + (height + H - 1) * p.pitch;
    const int64_t row = (int64_t)blockIdx.x / p.tiles * height, column = blockIdx.x % p.tiles * (ACROSS * WIDE);
    load_tile(p, x, height + H - 1, row + p.first[0], column + p.first[1]);
    load_taps(p, k, 0);
    wait_for_copies();
    __syncthreads();
    A tap[H][2 * WIDE], sum[R][WIDE];
#pragma unroll
    for (int j = 0; j < H; j++)
#pragma unroll
        for (int t = 0; t < W; t += WIDE) load_four(k + j * p.taps_pitch + t, tap[j] + t);
#pragma unroll
    for (int r = 0; r < R; r++)
#pragma unroll
        for (int c = 0; c < WIDE; c++) sum[r][c] = A{};
#pragma unroll
    for (int i = 0; i < R + H - 1; i++) {
        const A *at = x + (warp * R + i) * p.pitch + lane * WIDE;
        A w[2 * WIDE];
        load_four(at, w);
        load_four(at + WIDE, w + WIDE);
#pragma unroll
        for (int r = 0; r < R; r++) {
            if (i < r || i - r >= H) continue;
#pragma unroll
            for (int t = 0; t < W; t++)
#pragma unroll
                for (int c = 0; c < WIDE; c++) add_product(sum[r][c], w[t + c], tap[i - r][t]);
        }
    }
    store_tile(p, sum, row + warp * R, column + lane * WIDE);
}

// ---- any number of axes -------------------------------------------------------------------------

template <class A> __global__ void __launch_bounds__(GNDI_CONVOLVE_THREADS)
    any_kernel(const __grid_constant__ gndi_convolve_any_params p) {
    const int last = p.ndim - 1;
    const gndi_border border = (gndi_border)p.border;
    const A fill = fill_of<A>(p);
    for (int64_t output = (int64_t)blockIdx.x * GNDI_CONVOLVE_THREADS + threadIdx.x; output < p.outputs;
         output += (int64_t)gridDim.x * GNDI_CONVOLVE_THREADS) {
        int64_t met[GNDI_CONVOLVE_AXES], rest = output; // what the first tap meets
        char *out = p.out;
        for (int a = last; a >= 0; a--) {
            const int64_t i = rest % p.out_shape[a];
            rest /= p.out_shape[a];
            met[a] = i + p.first[a];
            out += i * p.out_stride[a];
        }
        A sum{};
        for (int64_t row = 0; row < p.tap_rows; row++) {
            const char *x = p.x, *tap = p.taps;
            bool constant = false;
            rest = row;
            for (int a = last - 1; a >= 0; a--) {
                const int64_t j = rest % p.taps_shape[a];
                rest /= p.taps_shape[a];
                const int64_t i = gndi_border_index(met[a] + j, p.x_shape[a], border);
                constant |= i < 0;
                x += i * p.x_stride[a];
                tap += j * p.taps_stride[a];
            }
            for (int64_t j = 0; j < p.taps_shape[last]; j++, tap += p.taps_stride[last]) {
                const int64_t i = constant ? -1 : gndi_border_index(met[last] + j, p.x_shape[last], border);
                add_product(sum, i < 0 ? fill : load<A>(x + i * p.x_stride[last], p.dtype), load<A>(tap, p.dtype));
            }
        }
        store<A>(out, sum, p.dtype);
    }
}

template <class A, int taps> static const void *small_of() {
    if constexpr (is_same<A, float> || is_same<A, double>)
        return (const void *)small_kernel<A, taps, taps, GNDI_CONVOLVE_ROWS(sizeof(A))>;
    else
        return nullptr; // for real floating numbers alone
}

template <class A> static const void *kernel_of(int which) {
    switch (which) {
    case GNDI_CONVOLVE_TILE: return (const void *)tile_kernel<A, GNDI_CONVOLVE_ROWS(sizeof(A))>;
    case GNDI_CONVOLVE_SMALL_3: return small_of<A, 3>();
    case GNDI_CONVOLVE_SMALL_5: return small_of<A, 5>();
    default: return (const void *)any_kernel<A>;
    }
}

} // namespace gnd

// The kernel of a type of sums (GNDI_SUMS_...).
extern "C" const void *gndi_cuda_convolve_kernel(int type, int which) {
    return gnd::with_sums(type, [&](auto sum) { return gnd::kernel_of<decltype(sum)>(which); });
}
