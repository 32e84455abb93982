// matmul_kernels.cu: products of matrices without a library. Tiles: integers and bool, in any strides; a block
// computes 64 x 64 elements of c from tiles of a and b in shared memory, with tensor cores (matmul_bytes.cuh) or,
// for eight-byte integers, 4 x 4 elements in a thread's registers; where c has few tiles, k is split between blocks,
// and a second kernel adds up the shares. Little: 16 x 16 elements a block, one for each thread, of any type, where a
// product is too small to be worth a library call. Small: several matrices a block, of any type.
#include "linalg/cuda/matmul_bytes.cuh"
#include "linalg/cuda/matmul_params.h"
#include "kernels/scalar/scalar_cast.h"

namespace gnd {

// ---- arithmetic -------------------------------------------------------------------------------

// The type that products of S are summed in. Integers are computed modulo a power of two, and truncated at the end.
template <class S> using sum_of =
    choose_t<is_half<S>, float, choose_t<is_int<S> || is_bool<S>, choose_t<sizeof(S) == 8, uint64_t, uint32_t>, S>>;

template <class S> GNDI_FN sum_of<S> load(const char *p) {
    if constexpr (is_half<S>)
        return to_float(*(const S *)p);
    else
        return (sum_of<S>)*(const S *)p;
}
template <class S> GNDI_FN void store(char *p, sum_of<S> sum) {
    if constexpr (is_same<S, float16>)
        *(S *)p = to_float16(sum);
    else if constexpr (is_same<S, bfloat16>)
        *(S *)p = to_bfloat16(sum);
    else
        *(S *)p = (S)sum;
}

template <class S> GNDI_FN void add_product(sum_of<S> &sum, sum_of<S> x, sum_of<S> y) {
    if constexpr (is_complex<S>) {
        sum.re += x.re * y.re;
        sum.re -= x.im * y.im;
        sum.im += x.re * y.im;
        sum.im += x.im * y.re;
    } else if constexpr (is_bool<S>) {
        sum |= x & y;
    } else {
        sum += x * y;
    }
}
template <class S> GNDI_FN void add_sum(sum_of<S> &sum, sum_of<S> more) {
    if constexpr (is_complex<S>)
        sum.re += more.re, sum.im += more.im;
    else if constexpr (is_bool<S>)
        sum |= more;
    else
        sum += more;
}

// A factor without an imaginary part is applied as a real number, so that infinities do not make NaN.
template <class A> GNDI_FN A scaled(const double *factor, A x) {
    if constexpr (is_complex<A>) {
        typedef real_t<A> R;
        const R re = (R)factor[0], im = (R)factor[1];
        if (im == 0) return {re * x.re, re * x.im};
        return {re * x.re - im * x.im, re * x.im + im * x.re};
    } else {
        return (A)factor[0] * x;
    }
}

// Stores alpha sum + beta c.
template <class S> GNDI_FN void finish(const gndi_matmul_params &p, char *data, sum_of<S> sum) {
    if constexpr (is_float<S> || is_complex<S>) sum = scaled(p.alpha, sum);
    if (p.reads_c) {
        sum_of<S> c = load<S>(data);
        if constexpr (is_float<S> || is_complex<S>) c = scaled(p.beta, c);
        add_sum<S>(sum, c);
    }
    store<S>(data, sum);
}

// ---- batches ----------------------------------------------------------------------------------

// Bytes from an operand's first matrix to the one of number `index`.
template <class P> GNDI_FN int64_t offset_of(const P &p, const gndi_matmul_factor &x, int64_t index) {
    if (p.ndim == 1) return index * x.step[0];
    int64_t offset = 0;
    for (int axis = p.ndim - 1; axis >= 0; axis--) {
        const int64_t rest = index / p.shape[axis];
        offset += (index - rest * p.shape[axis]) * x.step[axis];
        index = rest;
    }
    return offset;
}

// ---- tiles ------------------------------------------------------------------------------------

template <class S> struct tiles {
    typedef sum_of<S> A;
    static constexpr int side = GNDI_TILE_SIDE, depth = GNDI_TILE_DEPTH(sizeof(A));
    static constexpr int pitch = side + 4; // a gap against bank conflicts, of whole vectors
    static constexpr int each = side * depth / GNDI_TILE_THREADS;

    struct __align__(16) four {
        A lane[4];
    };
    struct __align__(16) memory {
        A a[depth][pitch], b[depth][pitch];
    };

    // One factor of a tile: `side` rows of a, or columns of b, by `depth` elements of each along k.
    // Neighbouring threads load neighbouring elements. A thread's elements are along lines or along k, `step` bytes
    // from one to the next, and `gap` elements apart in shared memory.
    struct factor {
        const char *from;
        int64_t step, deeper; // deeper: bytes from a tile to the next one along k
        int line, l, lines_on, along_on, gap;
        int64_t lines;

        // `left` lines from `data` on, `stride` bytes apart, whose elements are `along` bytes apart.
        __device__ __forceinline__ factor(const char *data, int64_t stride, int64_t along, int64_t left, bool along_k) {
            const int t = (int)threadIdx.x;
            line = along_k ? t / depth : t % side, l = along_k ? t % depth : t / side;
            lines_on = along_k ? GNDI_TILE_THREADS / depth : 0;
            along_on = along_k ? 0 : GNDI_TILE_THREADS / side;
            from = data + line * stride + l * along;
            step = lines_on * stride + along_on * along;
            gap = along_on * pitch + lines_on;
            deeper = depth * along;
            lines = left;
        }
        // `left`: elements along k from this tile on.
        __device__ __forceinline__ void fetch(A (&x)[each], int64_t left) {
            const char *p = from;
#pragma unroll
            for (int u = 0; u < each; u++, p += step)
                x[u] = line + u * lines_on < lines && l + u * along_on < left ? load<S>(p) : A(0);
            from += deeper;
        }
        __device__ __forceinline__ void put(const A (&x)[each], A (*tile)[pitch]) const {
            A *to = &tile[l][line];
#pragma unroll
            for (int u = 0; u < each; u++) to[u * gap] = x[u];
        }
    };

    GNDI_FN void multiply(const memory &m, A (&sum)[4][4], int row, int column) {
#pragma unroll 4
        for (int l = 0; l < depth; l++) {
            const four x = *(const four *)&m.a[l][row], y = *(const four *)&m.b[l][column];
#pragma unroll
            for (int j = 0; j < 4; j++)
#pragma unroll
                for (int i = 0; i < 4; i++) add_product<S>(sum[j][i], x.lane[i], y.lane[j]);
        }
    }

    // The elements of c from row0 and column0 on, of matrix `index`.
    GNDI_FN void compute(const gndi_matmul_params &p, memory &m, int64_t index, int64_t share, int64_t row0,
                         int64_t column0) {
        int64_t left = share * p.share;
        factor a(p.a.data + offset_of(p, p.a, index) + row0 * p.a.row + left * p.a.column, p.a.row, p.a.column,
                 p.m - row0, p.a_along_k != 0);
        factor b(p.b.data + offset_of(p, p.b, index) + column0 * p.b.column + left * p.b.row, p.b.column, p.b.row,
                 p.n - column0, p.b_along_k != 0);
        left = p.k - left < p.share ? p.k - left : p.share;
        const int row = (int)threadIdx.x % 16 * 4, column = (int)threadIdx.x / 16 * 4;
        // With a narrow c most warps have nothing to multiply, and only load.
        const bool busy = row < a.lines && column < b.lines;
        A sum[4][4] = {}, x[each], y[each];
        a.fetch(x, left), b.fetch(y, left);
        for (; left > 0; left -= depth) {
            __syncthreads();
            a.put(x, m.a), b.put(y, m.b);
            __syncthreads();
            if (left > depth) a.fetch(x, left - depth), b.fetch(y, left - depth);
            if (busy) multiply(m, sum, row, column);
        }
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 0; i < 4; i++) {
                if (row + i >= a.lines || column + j >= b.lines) continue;
                const int64_t r = row0 + row + i, c = column0 + column + j;
                if (p.shares > 1)
                    static_cast<A *>(p.parts)[((share * p.batch + index) * p.n + c) * p.m + r] = sum[j][i];
                else
                    finish<S>(p, p.c.data + offset_of(p, p.c, index) + r * p.c.row + c * p.c.column, sum[j][i]);
            }
    }
};

// The same by tensor cores.
template <class S> struct tensor_tiles {
    typedef byte_tiles<S> T;
    typedef typename T::memory memory;

    GNDI_FN void compute(const gndi_matmul_params &p, memory &m, int64_t index, int64_t share, int64_t row0,
                         int64_t column0) {
        const int64_t from = share * p.share, left = p.k - from < p.share ? p.k - from : p.share;
        const char *a = p.a.data + offset_of(p, p.a, index) + row0 * p.a.row + from * p.a.column;
        const char *b = p.b.data + offset_of(p, p.b, index) + column0 * p.b.column + from * p.b.row;
        T::compute(p, m, a, b, row0, column0, left, [&](int i, int j, uint32_t sum) {
            const int64_t r = row0 + i, c = column0 + j;
            if (p.shares > 1)
                static_cast<uint32_t *>(p.parts)[((share * p.batch + index) * p.n + c) * p.m + r] = sum;
            else
                finish<S>(p, p.c.data + offset_of(p, p.c, index) + r * p.c.row + c * p.c.column, sum);
        });
    }
};

template <class S> __global__ void __launch_bounds__(GNDI_TILE_THREADS, 2)
    tiles_kernel(const __grid_constant__ gndi_matmul_params p) {
    typedef choose_t<sizeof(S) <= 4, tensor_tiles<S>, tiles<S>> T;
    __shared__ typename T::memory m;
    const int64_t all = p.tiles_m * p.tiles_n * p.shares * p.batch;
    for (int64_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
        int64_t rest = tile / p.tiles_m;
        const int64_t row0 = (tile - rest * p.tiles_m) * GNDI_TILE_SIDE;
        const int64_t column0 = rest % p.tiles_n * GNDI_TILE_SIDE;
        rest /= p.tiles_n;
        T::compute(p, m, rest / p.shares, rest % p.shares, row0, column0);
    }
}

// ---- little products --------------------------------------------------------------------------

template <class S> struct little {
    typedef sum_of<S> A;
    static constexpr int side = GNDI_LITTLE_SIDE, depth = GNDI_LITTLE_DEPTH;
    static constexpr int threads = side * side;

    struct memory {
        A a[depth][side + 1], b[depth][side + 1]; // a gap against bank conflicts
    };

    // `depth` elements of each of `side` lines (rows of a, columns of b) from k0 on: 0 beyond the ends.
    GNDI_FN void fetch(A (*to)[side + 1], const char *from, int64_t stride, int64_t along, int64_t lines, int64_t left,
                       bool along_k, bool conjugate) {
#pragma unroll
        for (int u = 0; u < depth / side; u++) {
            const int e = (int)threadIdx.x + u * threads;
            const int l = along_k ? e % depth : e / side, line = along_k ? e / depth : e % side;
            A x{};
            if (line < lines && l < left) x = load<S>(from + line * stride + l * along);
            if constexpr (is_complex<S>)
                if (conjugate) x.im = -x.im;
            to[l][line] = x;
        }
    }

    GNDI_FN void compute(const gndi_matmul_params &p, memory &m, int64_t index, int64_t row0, int64_t column0) {
        const int row = (int)threadIdx.x % side, column = (int)threadIdx.x / side;
        const int64_t rows = p.m - row0, columns = p.n - column0;
        const char *a = p.a.data + offset_of(p, p.a, index) + row0 * p.a.row;
        const char *b = p.b.data + offset_of(p, p.b, index) + column0 * p.b.column;
        A sum{};
        for (int64_t k0 = 0; k0 < p.k; k0 += depth) {
            __syncthreads(); // the previous tiles have been read
            fetch(m.a, a + k0 * p.a.column, p.a.row, p.a.column, rows, p.k - k0, p.a_along_k, p.conjugate_a);
            fetch(m.b, b + k0 * p.b.row, p.b.column, p.b.row, columns, p.k - k0, p.b_along_k, p.conjugate_b);
            __syncthreads();
            const int count = p.k - k0 < depth ? (int)(p.k - k0) : depth;
#pragma unroll 8
            for (int l = 0; l < count; l++) add_product<S>(sum, m.a[l][row], m.b[l][column]);
        }
        if (row < rows && column < columns)
            finish<S>(p, p.c.data + offset_of(p, p.c, index) + (row0 + row) * p.c.row + (column0 + column) * p.c.column,
                      sum);
    }
};

template <class S> __global__ void __launch_bounds__(GNDI_LITTLE_SIDE *GNDI_LITTLE_SIDE)
    little_kernel(const __grid_constant__ gndi_matmul_params p) {
    __shared__ typename little<S>::memory m;
    const int64_t all = p.tiles_m * p.tiles_n * p.batch;
    for (int64_t tile = blockIdx.x; tile < all; tile += gridDim.x) {
        const int64_t rest = tile / p.tiles_m;
        little<S>::compute(p, m, rest / p.tiles_n, (tile - rest * p.tiles_m) * GNDI_LITTLE_SIDE,
                           rest % p.tiles_n * GNDI_LITTLE_SIDE);
    }
}

// Adds up the shares of k, from the first to the last. Without any: c = beta c.
template <class S> __global__ void __launch_bounds__(GNDI_JOIN_EACH)
    join_kernel(const __grid_constant__ gndi_matmul_params p) {
    typedef sum_of<S> A;
    const int64_t all = p.m * p.n * p.batch;
    const A *parts = static_cast<const A *>(p.parts);
    for (int64_t e = (int64_t)blockIdx.x * GNDI_JOIN_EACH + threadIdx.x; e < all;
         e += (int64_t)gridDim.x * GNDI_JOIN_EACH) {
        A sum{};
        for (int64_t share = 0; share < p.shares; share++) add_sum<S>(sum, parts[share * all + e]);
        const int64_t columns = e / p.m, index = columns / p.n;
        const int64_t row = e - columns * p.m, column = columns - index * p.n;
        finish<S>(p, p.c.data + offset_of(p, p.c, index) + row * p.c.row + column * p.c.column, sum);
    }
}

// ---- small matrices ---------------------------------------------------------------------------

GNDI_FN uint32_t divide(uint32_t n, const gndi_matmul_divisor &by) {
    return (uint32_t)(n * by.magic >> 32);
}

template <class S> struct small {
    typedef sum_of<S> A;

    // All elements of `count` matrices of one factor, in the order of memory, to shared memory, where
    // the line of element (outer, inner) is next to the line's other elements.
    GNDI_FN void gather(A *to, const gndi_matmul_factor &x, const int64_t *offsets, uint32_t count,
                        const gndi_matmul_divisor &each, const gndi_matmul_divisor &inner, int64_t outer_stride,
                        int64_t inner_stride, bool conjugate, uint32_t outer_to, uint32_t inner_to) {
        for (uint32_t e = threadIdx.x; e < count * each.size; e += GNDI_SMALL_THREADS) {
            const uint32_t g = divide(e, each), r = e - g * each.size;
            const uint32_t o = divide(r, inner), i = r - o * inner.size;
            A value = load<S>(x.data + offsets[g] + o * outer_stride + i * inner_stride);
            if constexpr (is_complex<S>)
                if (conjugate) value.im = -value.im;
            to[g * each.size + o * outer_to + i * inner_to] = value;
        }
    }

    // Computes matrices from `first` on: a and b are gathered in column-major order.
    GNDI_FN void compute(const gndi_matmul_params &p, int64_t *offsets, int64_t first, uint32_t count) {
        const uint32_t m = (uint32_t)p.m, k = (uint32_t)p.k;
        A *a = reinterpret_cast<A *>(offsets + 3 * p.group), *b = a + p.group * p.mk.size;
        for (uint32_t g = threadIdx.x; g < count; g += GNDI_SMALL_THREADS) {
            offsets[g] = offset_of(p, p.a, first + g);
            offsets[p.group + g] = offset_of(p, p.b, first + g);
            offsets[2 * p.group + g] = offset_of(p, p.c, first + g);
        }
        __syncthreads();
        const bool ak = p.a_along_k, bk = p.b_along_k;
        gather(a, p.a, offsets, count, p.mk, p.a_inner, ak ? p.a.row : p.a.column, ak ? p.a.column : p.a.row,
               p.conjugate_a, ak ? 1 : m, ak ? m : 1);
        gather(b, p.b, offsets + p.group, count, p.kn, p.b_inner, bk ? p.b.column : p.b.row, bk ? p.b.row : p.b.column,
               p.conjugate_b, bk ? k : 1, bk ? 1 : k);
        __syncthreads();
        for (uint32_t e = threadIdx.x; e < count * p.mn.size; e += GNDI_SMALL_THREADS) {
            const uint32_t g = divide(e, p.mn), r = e - g * p.mn.size;
            const uint32_t column = divide(r, p.by_m), row = r - column * m;
            const A *x = a + g * p.mk.size + row, *y = b + g * p.kn.size + column * k;
            A sum{};
            for (uint32_t l = 0; l < k; l++) add_product<S>(sum, x[l * m], y[l]);
            finish<S>(p, p.c.data + offsets[2 * p.group + g] + row * p.c.row + column * p.c.column, sum);
        }
    }
};

template <class S> __global__ void __launch_bounds__(GNDI_SMALL_THREADS)
    small_kernel(const __grid_constant__ gndi_matmul_params p) {
    extern __shared__ int64_t offsets[];
    for (int64_t first = (int64_t)blockIdx.x * p.group; first < p.batch; first += (int64_t)gridDim.x * p.group) {
        const int64_t left = p.batch - first;
        __syncthreads(); // the previous matrices have been read
        small<S>::compute(p, offsets, first, left < p.group ? (uint32_t)left : p.group);
    }
}

// ---- tables of pointers -----------------------------------------------------------------------

#ifdef GNDI_PART_inexact
static __global__ void __launch_bounds__(GNDI_JOIN_EACH)
    pointers_kernel(const __grid_constant__ gndi_matmul_pointers_params p) {
    for (int64_t i = (int64_t)blockIdx.x * GNDI_JOIN_EACH + threadIdx.x; i < p.batch;
         i += (int64_t)gridDim.x * GNDI_JOIN_EACH) {
        p.pointers[i] = p.a.data + offset_of(p, p.a, i);
        p.pointers[p.batch + i] = p.b.data + offset_of(p, p.b, i);
        p.pointers[2 * p.batch + i] = p.c.data + offset_of(p, p.c, i);
    }
}
#endif

template <class S> static const void *kernel_of(int which) {
    if (which == GNDI_PRODUCT_SMALL) return reinterpret_cast<const void *>(&small_kernel<S>);
    if (which == GNDI_PRODUCT_JOIN) return reinterpret_cast<const void *>(&join_kernel<S>);
    if (which == GNDI_PRODUCT_LITTLE) return reinterpret_cast<const void *>(&little_kernel<S>);
    if constexpr (is_int<S> || is_bool<S>)
        return reinterpret_cast<const void *>(&tiles_kernel<S>);
    else
        return nullptr; // cuBLAS has those
}

} // namespace gnd

// ---- the parts that this file is compiled in --------------------------------------------------

using namespace gnd;

#ifdef GNDI_PART_bytes
extern "C" const void *gndi_cuda_product_bytes(int dtype, int which) {
    return dtype == dtype_of<bool> ? kernel_of<bool>(which) : kernel_of<uint8_t>(which);
}
#endif

#ifdef GNDI_PART_integers
extern "C" const void *gndi_cuda_product_integers(int size, int which) {
    return size == 2 ? kernel_of<uint16_t>(which) : size == 4 ? kernel_of<uint32_t>(which) : kernel_of<uint64_t>(which);
}
#endif

#ifdef GNDI_PART_inexact
extern "C" const void *gndi_cuda_product_inexact(int dtype, int which) {
    switch (dtype) {
    case dtype_of<float16>: return kernel_of<float16>(which);
    case dtype_of<bfloat16>: return kernel_of<bfloat16>(which);
    case dtype_of<float>: return kernel_of<float>(which);
    case dtype_of<double>: return kernel_of<double>(which);
    case dtype_of<complex<float>>: return kernel_of<complex<float>>(which);
    default: return kernel_of<complex<double>>(which);
    }
}
extern "C" const void *gndi_cuda_pointers_kernel(void) {
    return reinterpret_cast<const void *>(&gnd::pointers_kernel);
}
#endif
