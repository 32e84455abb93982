// volterra_kernels.cu: filters of the second and the third order.
//
// tile_kernel  A block has a tile of elements in shared memory, and some rows of taps at a time. A thread sums up four
//              rows of taps for four neighbouring outputs, with a window of 8 elements in registers: 4 elements and 16
//              taps from shared memory serve 64 products. Then each sum is multiplied by its row's element.
// any_kernel   A thread for an output, elements through the caches.
#include "convolve/cuda/volterra_params.h"
#include "signal/cuda/sums.cuh"

namespace gnd {

constexpr int THREADS = GNDI_VOLTERRA_THREADS, WIDE = GNDI_VOLTERRA_WIDE, OUTPUTS = GNDI_VOLTERRA_OUTPUTS;

static_assert(WIDE == 4, "what load_four loads");

extern __shared__ __align__(16) char shared[];

// Rows of the matrix of taps at index a, from row `first` on; zeros behind the last one.
template <class A> GNDI_FN void load_rows(const gndi_volterra_params &p, A *k, int64_t a, int64_t first) {
    const int all = p.rows * p.taps_pitch;
    for (int e = (int)threadIdx.x; e < all; e += THREADS) {
        const int64_t b = first + e / p.taps_pitch, c = e % p.taps_pitch;
        const char *tap = p.taps + a * p.stride[0] + b * p.stride[1] + c * p.stride[2];
        k[e] = b < p.shape[1] && c < p.shape[2] ? load<A>(tap, p.dtype) : A{};
    }
}

// sum[r][c] = sum over t of x[c + t] k[r][t]. A missing tap has no product: an element may be infinite.
template <class A> GNDI_FN void sum_rows(A (&sum)[WIDE][WIDE], const A *x, const A *k, int pitch, int taps) {
    A w[2 * WIDE], tap[WIDE][WIDE];
#pragma unroll
    for (int r = 0; r < WIDE; r++)
#pragma unroll
        for (int c = 0; c < WIDE; c++) sum[r][c] = A{};
    load_four(x, w);
#pragma unroll 1
    for (int t = 0; t < taps; t += WIDE) {
        load_four(x + t + WIDE, w + WIDE);
#pragma unroll
        for (int r = 0; r < WIDE; r++) load_four(k + r * pitch + t, tap[r]);
#pragma unroll
        for (int u = 0; u < WIDE; u++) {
            if (t + u >= taps) break;
#pragma unroll
            for (int r = 0; r < WIDE; r++)
#pragma unroll
                for (int c = 0; c < WIDE; c++) add_product(sum[r][c], w[u + c], tap[r][u]);
        }
#pragma unroll
        for (int c = 0; c < WIDE; c++) w[c] = w[WIDE + c];
    }
}

// The sums of the rows in shared memory, each times its element, added to `total`.
template <class A>
GNDI_FN void add_rows(const gndi_volterra_params &p, A (&total)[WIDE], const A *x, const A *k, int64_t first) {
    A w[2 * WIDE], sum[WIDE][WIDE];
    for (int b = 0; b < p.rows && first + b < p.shape[1]; b += WIDE) {
        sum_rows(sum, x, k + b * p.taps_pitch, p.taps_pitch, (int)p.shape[2]);
        load_four(x + first + b, w);
        load_four(x + first + b + WIDE, w + WIDE);
#pragma unroll
        for (int r = 0; r < WIDE; r++) {
            if (first + b + r >= p.shape[1]) break;
#pragma unroll
            for (int c = 0; c < WIDE; c++) add_product(total[c], w[r + c], sum[r][c]);
        }
    }
}

template <class A> __global__ void __launch_bounds__(THREADS)
    tile_kernel(const __grid_constant__ gndi_volterra_params p) {
    A *elements = reinterpret_cast<A *>(shared), *k = elements + p.pitch;
    const int64_t begin = (int64_t)blockIdx.x * OUTPUTS, first = (int64_t)threadIdx.x * WIDE;
    const A *x = elements + first;
    for (int e = (int)threadIdx.x; e < p.pitch; e += THREADS)
        elements[e] = begin + e < p.length ? load<A>(p.x + (begin + e) * p.x_step, p.dtype) : A{};
    A all[WIDE], total[WIDE];
#pragma unroll
    for (int c = 0; c < WIDE; c++) all[c] = A{};
    for (int64_t a = 0; a < p.shape[0]; a++) {
#pragma unroll
        for (int c = 0; c < WIDE; c++) total[c] = A{};
        for (int64_t b = 0; b < p.shape[1]; b += p.rows) {
            __syncthreads(); // nobody needs the rows before, and the elements are there
            load_rows(p, k, a, b);
            __syncthreads();
            add_rows(p, total, x, k, b);
        }
#pragma unroll
        for (int c = 0; c < WIDE; c++) {
            if (p.third)
                add_product(all[c], total[c], x[a + c]);
            else
                all[c] = total[c];
        }
    }
#pragma unroll
    for (int c = 0; c < WIDE; c++) {
        const int64_t i = begin + first + c;
        if (i < p.count) store<A>(p.out + i * p.item, all[c], p.dtype);
    }
}

template <class A> __global__ void __launch_bounds__(THREADS)
    any_kernel(const __grid_constant__ gndi_volterra_params p) {
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < p.count; i += (int64_t)gridDim.x * THREADS) {
        const char *x = p.x + i * p.x_step;
        A all{};
        for (int64_t a = 0; a < p.shape[0]; a++) {
            A total{};
            for (int64_t b = 0; b < p.shape[1]; b++) {
                const char *tap = p.taps + a * p.stride[0] + b * p.stride[1];
                A sum{};
                for (int64_t c = 0; c < p.shape[2]; c++, tap += p.stride[2])
                    add_product(sum, load<A>(x + c * p.x_step, p.dtype), load<A>(tap, p.dtype));
                add_product(total, load<A>(x + b * p.x_step, p.dtype), sum);
            }
            if (p.third)
                add_product(all, total, load<A>(x + a * p.x_step, p.dtype));
            else
                all = total;
        }
        store<A>(p.out + i * p.item, all, p.dtype);
    }
}

template <class A> static const void *kernel_of(bool tiles) {
    return tiles ? (const void *)tile_kernel<A> : (const void *)any_kernel<A>;
}

} // namespace gnd

// The kernel of a type of sums (GNDI_SUMS_...).
extern "C" const void *gndi_cuda_volterra_kernel(int type, bool tiles) {
    return gnd::with_sums(type, [&](auto sum) { return gnd::kernel_of<decltype(sum)>(tiles); });
}
