// lapack_qr_kernels.cu: QR in steps of a few columns, a block a matrix. A panel is factored in registers, a row
// or a few to a thread; a step of the loop shifts them by one, so that the reflector's column is always the
// first, and the code stays short. One exchange of sums between the warps gives the column's length and its
// inner products with all columns behind it. V is gathered in shared memory, where T is then made from it.
#include "linalg/cuda/lapack_panel.cuh"
#include "linalg/cuda/lapack_qr_params.h"
#include "linalg/cuda/lapack_reflector.cuh"

namespace gnd {
namespace la {

template <class T> constexpr int v_ld(int width) {
    return GNDI_QR_LD(width, (int)sizeof(T));
}

// The layout of shared memory. A step uses the space that is later the groups': two sets of sums, of at most 16
// warps, and a row for each warp.
template <class T, int width> struct workspace {
    T *v;      // rows of v_ld
    T *groups; // width x width each
    T *t;      // T, column after column
    T *u;      // each step's row before the step; later the inner products of V's columns
    real<T> *numbers;

    __device__ __forceinline__ explicit workspace(int rows) {
        v = reinterpret_cast<T *>(memory_of_block);
        groups = v + rows * v_ld<T>(width);
        t = groups + GNDI_QR_GROUPS * width * width;
        u = t + width * width;
        numbers = reinterpret_cast<real<T> *>(u + width * width);
    }
};

template <class T, int width, int rows> struct panel {
    T x[rows][width]; // from the step's column on; zeros in rows that are done
    workspace<T, width> work;
    T *a; // the panel in memory
    int64_t ld;
    T *tau;
    int left, steps, columns, k;
};

// ---- sums of many columns ---------------------------------------------------------------------------------

// The sums over a warp of `count` values of each lane (a power of two up to 32): that of value i is in the 32 / count
// lanes from i * 32 / count on. Each exchange halves the number of values of a lane.
template <int count, int distance, class T> GNDI_FN T sums_of(T (&x)[count]) {
    if constexpr (count == 1) {
        T sum = x[0];
#pragma unroll
        for (int d = distance; d; d >>= 1) sum = plus(sum, across(sum, d));
        return sum;
    } else {
        constexpr int half = count / 2;
        const bool upper = ((int)threadIdx.x & distance) != 0;
        T own[half];
#pragma unroll
        for (int i = 0; i < half; i++) {
            const T sent = upper ? x[i] : x[i + half];
            own[i] = plus(upper ? x[i + half] : x[i], across(sent, distance));
        }
        return sums_of<half, distance / 2>(own);
    }
}

constexpr int power_from(int n) {
    return n <= 8 ? 8 : n <= 16 ? 16 : 32;
}

// The inner products of the step's column below its row, times `shift`, with itself (times `shift`, too) and
// with the columns to its right: lane j has the product with column j.
template <int columns, class T, int width, int rows>
GNDI_FN T inner_products(panel<T, width, rows> &p, real<T> shift, int parity) {
    constexpr int count = power_from(columns), each = 32 / count;
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    T sums[count];
#pragma unroll
    for (int j = 0; j < count; j++) sums[j] = T{};
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const T first = scaled(p.x[r][0], shift);
        sums[0] = plus_inner(sums[0], first, first);
#pragma unroll
        for (int j = 1; j < columns; j++) sums[j] = plus_inner(sums[j], first, p.x[r][j]);
    }
    const T own = sums_of<count, 16>(sums);
    const int warps = (int)blockDim.x >> 5;
    T *found = p.work.groups + parity * 16 * width;
    if (lane % each == 0 && lane / each < width) found[warp * width + lane / each] = own;
    __syncthreads();
    T all{};
    if (lane < columns)
        for (int w = 0; w < warps; w++) all = plus(all, found[w * width + lane]);
    return all;
}

// The largest element of the step's column below its row; NaN counts as infinity.
template <class T, int width, int rows> GNDI_FN real<T> largest_below(const panel<T, width, rows> &p) {
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    real<T> top = 0;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const real<T> own = size_of(p.x[r][0]);
        top = own <= top ? top : own == own ? own : real<T>(INFINITY);
    }
    top = largest_of(top);
    if (lane == 0) p.work.numbers[warp] = top;
    __syncthreads();
    top = largest_of(lane < (int)blockDim.x >> 5 ? p.work.numbers[lane] : real<T>(0));
    __syncthreads();
    return top;
}

// ---- panels ------------------------------------------------------------------------------------------------

// larfg; all warps compute the same. `inner`: the inner product of the lane's column.
template <int columns, class T, int width, int rows>
GNDI_FN reflector<T> make_reflector(panel<T, width, rows> &p, T &inner, int &parity) {
    typedef real<T> R;
    T alpha{};
    reflector<T> h = {T{}, T{}, R(1), R(0)};
    const R least = power_of_two(R(), range<R>::least), most = power_of_two(R(), range<R>::most);
    R all = 0;
#pragma unroll 1
    for (int pass = 0; pass < 2; pass++) {
        inner = inner_products<columns>(p, h.shift, parity);
        parity ^= 1;
        alpha = scaled(p.work.u[p.k * width], h.shift); // written before the last barrier
        h.beta = real_of(alpha);
        const R square = real_of(from_lane(inner, 0));
        all = square + square_of(alpha);
        if (pass || (square > least && all < most)) break;
        if (p.k == p.left - 1 && imaginary_of(alpha) == 0) return h;
        R top = largest_below(p);
        if (top == 0 && imaginary_of(alpha) == 0) return h;
        top = size_of(alpha) > top ? size_of(alpha) : top;
        h.shift = shift_for(top);
    }
    complete(h, alpha, all);
    return h;
}

// Steps that each work on `columns` columns; after the first step the last of these are unused.
template <int columns, class T, int width, int rows> GNDI_FN void take_steps(panel<T, width, rows> &p, int parity) {
    const int end = p.k + AT_ONCE < p.steps ? p.k + AT_ONCE : p.steps;
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    T *losses = p.work.groups + (2 * 16 + warp) * width;
#pragma unroll 1
    for (; p.k < end; p.k++) {
        T *u = p.work.u + p.k * width;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            if ((int)(threadIdx.x + r * blockDim.x) != p.k) continue;
#pragma unroll
            for (int j = 0; j < columns; j += a_pack<T>) pack(&p.x[r][j], u + j);
#pragma unroll
            for (int j = 0; j < columns; j++) p.x[r][j] = T{};
        }
        T inner{};
        const reflector<T> h = make_reflector<columns>(p, inner, parity);
        const T own = lane < columns ? u[lane] : T{};
        T loss{};
        if (lane > 0 && !is_zero(h.tau)) loss = times(conjugate(h.tau), plus(own, times(conjugate(h.by), inner)));
        if (lane < columns) losses[lane] = loss;
        if (warp == 0 && lane < p.columns - p.k)
            p.a[p.k + (p.k + lane) * p.ld] = lane == 0 ? of_real<T>(h.beta) : minus_product(own, loss, of_real<T>(1));
        if (threadIdx.x == 0) p.tau[p.k] = h.tau;
        __syncwarp();
        T v[rows];
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const int row = (int)(threadIdx.x + r * blockDim.x);
            v[r] = times(scaled(p.x[r][0], h.shift), h.by);
            p.work.v[row * v_ld<T>(width) + p.k] = row == p.k ? of_real<T>(1) : v[r];
        }
#pragma unroll
        for (int j0 = 0; j0 < columns; j0 += a_pack<T>) {
            T lost[a_pack<T>];
            unpack(losses + j0, lost);
#pragma unroll
            for (int i = 0; i < a_pack<T>; i++)
                if (j0 + i > 0)
#pragma unroll
                    for (int r = 0; r < rows; r++) p.x[r][j0 + i - 1] = minus_product(p.x[r][j0 + i], v[r], lost[i]);
        }
        __syncwarp();
    }
    if constexpr (columns > AT_ONCE) take_steps<columns - AT_ONCE>(p, parity);
}

// ---- T, and Y = V T ----------------------------------------------------------------------------------------

// V^H V above the diagonal, in squares of 4 x 4, each computed by one thread for a part of the rows.
template <class T, int width> GNDI_FN void multiply_columns(const workspace<T, width> &work, int left) {
    constexpr int side = width / 4, tiles = side * side;
    const int threads = (int)blockDim.x;
    const int parts = threads / tiles, groups = parts < 1 ? 1 : parts < GNDI_QR_GROUPS ? parts : GNDI_QR_GROUPS;
    for (int e = (int)threadIdx.x; e < tiles * groups; e += threads) {
        const int tile = e % tiles, group = e / tiles, i0 = tile % side * 4, j0 = tile / side * 4;
        T sums[4][4];
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) sums[i][j] = T{};
        const int end = i0 <= j0 ? left : 0;
#pragma unroll 2
        for (int row = group; row < end; row += groups) {
            const T *v = work.v + row * v_ld<T>(width);
            T a[4], b[4];
#pragma unroll
            for (int i = 0; i < 4; i += a_pack<T>) unpack(v + i0 + i, a + i), unpack(v + j0 + i, b + i);
#pragma unroll
            for (int i = 0; i < 4; i++)
#pragma unroll
                for (int j = 0; j < 4; j++) sums[i][j] = plus_inner(sums[i][j], a[i], b[j]);
        }
        T *to = work.groups + group * width * width;
#pragma unroll
        for (int i = 0; i < 4; i++)
#pragma unroll
            for (int j = 0; j < 4; j++) to[i0 + i + (j0 + j) * width] = sums[i][j];
    }
    __syncthreads();
    for (int e = (int)threadIdx.x; e < width * width; e += threads) {
        T sum{};
        for (int group = 0; group < groups; group++) sum = plus(sum, work.groups[group * width * width + e]);
        work.u[e] = sum;
    }
    __syncthreads();
}

// T as in larft, forward: lane i has row i, and each column follows from those before it.
template <class T, int width> GNDI_FN void make_t(const workspace<T, width> &work, const T *tau, int steps) {
    const int i = (int)threadIdx.x;
    if (i < width) {
        for (int k = 0; k < width; k++) {
            T next{};
            if (k < steps && i <= k) {
                const T own = tau[k];
                if (i == k) {
                    next = own;
                } else {
                    T sum{};
#pragma unroll 4
                    for (int l = i; l < k; l++) sum = plus_product(sum, work.t[i + l * width], work.u[l + k * width]);
                    next = times(scaled(own, real<T>(-1)), sum);
                }
            }
            work.t[i + k * width] = next;
        }
    }
    __syncthreads();
}

// Writes V and Y. Columns behind the last step's are 0.
template <class T, int width>
GNDI_FN void write_products(const workspace<T, width> &work, const gndi_qr_params &p, int64_t matrix, int left) {
    T *to_v = matrix_of<T>(p.v, matrix), *to_y = matrix_of<T>(p.y, matrix);
    for (int row = (int)threadIdx.x; row < left; row += (int)blockDim.x) {
        T v[width];
#pragma unroll
        for (int j = 0; j < width; j += a_pack<T>) unpack(work.v + row * v_ld<T>(width) + j, v + j);
#pragma unroll
        for (int j = 0; j < width; j++) to_v[row + j * p.v.ld] = v[j];
#pragma unroll 1
        for (int j = 0; j < width; j++) {
            T sums[4] = {T{}, T{}, T{}, T{}};
#pragma unroll
            for (int i = 0; i < width; i += a_pack<T>) {
                T t[a_pack<T>];
                unpack(work.t + j * width + i, t);
#pragma unroll
                for (int l = 0; l < a_pack<T>; l++) sums[(i + l) % 4] = plus_product(sums[(i + l) % 4], v[i + l], t[l]);
            }
            to_y[row + j * p.y.ld] = plus(plus(sums[0], sums[1]), plus(sums[2], sums[3]));
        }
    }
}

template <class T, int width> GNDI_FN void form_products(const workspace<T, width> &work, const gndi_qr_params &p,
                                                         int64_t matrix, const T *tau, int left, int steps) {
    multiply_columns(work, left);
    make_t(work, tau, steps);
    write_products(work, p, matrix, left);
}

// ---- kernels -------------------------------------------------------------------------------------------------

template <class T, int width, int rows> __global__ void __launch_bounds__(GNDI_QR_THREADS)
    factor_kernel(const __grid_constant__ gndi_qr_params q) {
    const int64_t matrix = blockIdx.x;
    const int threads = (int)blockDim.x;
    panel<T, width, rows> p = {{},
                               workspace<T, width>(threads * rows),
                               matrix_of<T>(q.a, matrix) + q.k + q.k * q.a.ld,
                               q.a.ld,
                               reinterpret_cast<T *>(q.tau) + matrix * q.taus + q.k,
                               q.m - q.k,
                               0,
                               q.width,
                               0};
    p.steps = p.left < q.width ? p.left : q.width;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const int row = (int)threadIdx.x + r * threads;
#pragma unroll
        for (int j = 0; j < width; j++) {
            p.x[r][j] = row < p.left && j < q.width ? p.a[row + j * p.ld] : T{};
            if (j >= p.steps) p.work.v[row * v_ld<T>(width) + j] = T{};
        }
    }
    take_steps<width>(p, 0);
    __syncthreads();
    for (int r = 0; r < rows; r++) {
        const int row = (int)threadIdx.x + r * threads;
        for (int j = 0; j < p.steps; j++)
            if (row < p.left && row > j) p.a[row + j * p.ld] = p.work.v[row * v_ld<T>(width) + j];
    }
    if (q.writes) form_products(p.work, q, matrix, p.tau, p.left, p.steps);
}

template <class T, int width> __global__ void __launch_bounds__(GNDI_QR_THREADS)
    reflectors_kernel(const __grid_constant__ gndi_qr_params p) {
    const int64_t matrix = blockIdx.x;
    const int left = p.m - p.k, threads = (int)blockDim.x, steps = left < p.width ? left : p.width;
    const workspace<T, width> work(left);
    T *a = matrix_of<T>(p.a, matrix) + p.k * p.a.ld;
    const T *tau = reinterpret_cast<const T *>(p.tau) + matrix * p.taus + p.k;
    for (int row = (int)threadIdx.x; row < left; row += threads) {
#pragma unroll 8
        for (int j = 0; j < width; j++) {
            T x = of_real<T>(row == j && j < steps);
            if (row > j && j < steps) x = a[p.k + row + j * p.a.ld];
            work.v[row * v_ld<T>(width) + j] = x;
        }
    }
    __syncthreads();
    for (int j = 0; j < p.becomes; j++)
        for (int row = (int)threadIdx.x; row < p.m; row += threads) a[row + j * p.a.ld] = of_real<T>(row == p.k + j);
    form_products(work, p, matrix, tau, left, steps);
}

} // namespace la
} // namespace gnd

template <class T> static const void *kernel_of(int which, int width, int rows) {
    using namespace gnd::la;
    constexpr int words = (int)sizeof(T) / 4;
#define QR_KERNEL(w, r)                                                                                                \
    if constexpr (w * r * words <= 64)                                                                                 \
        if (which == GNDI_QR_FACTOR && width == w && rows == r)                                                        \
    return reinterpret_cast<const void *>(&factor_kernel<T, w, r>)
    QR_KERNEL(32, 1);
    QR_KERNEL(32, 2);
    QR_KERNEL(16, 1);
    QR_KERNEL(16, 2);
    QR_KERNEL(16, 4);
    QR_KERNEL(8, 1);
    QR_KERNEL(8, 2);
    QR_KERNEL(8, 4);
#undef QR_KERNEL
    if (which == GNDI_QR_FACTOR) return nullptr;
    if constexpr (32 * words <= 64)
        if (width == 32) return reinterpret_cast<const void *>(&reflectors_kernel<T, 32>);
    return width == 16 ? reinterpret_cast<const void *>(&reflectors_kernel<T, 16>)
                       : reinterpret_cast<const void *>(&reflectors_kernel<T, 8>);
}

#ifdef GNDI_PART_real
extern "C" const void *gndi_cuda_lapack_qr_real(bool wide, int which, int width, int rows) {
    return wide ? kernel_of<double>(which, width, rows) : kernel_of<float>(which, width, rows);
}
#endif
#ifdef GNDI_PART_complex
extern "C" const void *gndi_cuda_lapack_qr_complex(bool wide, int which, int width, int rows) {
    return wide ? kernel_of<gnd::complex<double>>(which, width, rows)
                : kernel_of<gnd::complex<float>>(which, width, rows);
}
#endif
