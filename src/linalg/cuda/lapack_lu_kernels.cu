// lapack_lu_kernels.cu: LU of matrices, a block each, in steps of a few columns (right-looking, as getrf), and systems
// with the factors. What remains to the right and below is left to products of matrices.
//
// A panel is factored by a block in registers, a row or a few to a thread. Rows do not move there: each keeps its
// index, and is stored there at the end. A step of the loop shifts the registers by one, so that the pivot's
// column is always the first, and the code stays short.
#include "linalg/cuda/lapack_panel.cuh"
#include "linalg/cuda/lapack_lu_params.h"

namespace gnd {
namespace la {

constexpr int NOWHERE = 0x7fffffff;
// ---- the largest -----------------------------------------------------------------------------------

GNDI_FN uint32_t top_of(uint32_t x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_max_sync(ALL_LANES, x);
#else
    return largest_of(x);
#endif
}
// The smallest of a warp's numbers, which are at most NOWHERE.
GNDI_FN int least_of(int x) {
    return (int)~top_of(~(uint32_t)x);
}

// Sizes as unsigned integers in the same order; NaN counts as infinity, the largest.
template <class R> struct size_bits;
template <> struct size_bits<float> { typedef uint32_t type; };
template <> struct size_bits<double> { typedef uint64_t type; };
template <class T> using bits = typename size_bits<real<T>>::type;

GNDI_FN uint32_t bits_of(float x) {
    return x <= INFINITY ? (uint32_t)__float_as_int(x) : 0x7f800000u;
}
GNDI_FN uint64_t bits_of(double x) {
    return x <= (double)INFINITY ? (uint64_t)__double_as_longlong(x) : (uint64_t)0x7ff << 52;
}

// The largest of a warp and the first index of it, in all lanes.
GNDI_FN void choose_first(uint32_t &size, int &at) {
    const uint32_t top = top_of(size);
    at = least_of(size == top ? at : NOWHERE);
    size = top;
}
GNDI_FN void choose_first(uint64_t &size, int &at) {
    const uint32_t high = (uint32_t)(size >> 32), low = (uint32_t)size;
    const uint32_t top = top_of(high), next = top_of(high == top ? low : 0);
    at = least_of(high == top && low == next ? at : NOWHERE);
    size = (uint64_t)top << 32 | next;
}

// ---- panels ---------------------------------------------------------------------------------------------

// A thread's part: its row r is row `threadIdx.x + r * blockDim.x` of the panel, and its index after the exchanges so
// far is at[r]. Rows whose index is above the step's have been pivots (or do not exist).
template <class T, int width, int rows> struct panel {
    T x[rows][width]; // from the step's column on
    int at[rows];
    T *u, *l;                // U: a row of each step, from its diagonal on. L: a column of each step
    bits<T> *sizes;          // what the warps found
    int *indices;            // and where
    int32_t *pivots, *moves; // of this step
    int k, steps, base, failed;
};

// The index of the step's pivot: the first of the largest elements of all threads.
template <class T, int width, int rows> GNDI_FN int find_pivot(const panel<T, width, rows> &p) {
    bits<T> size = 0;
    int at = NOWHERE;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const bits<T> own = bits_of(size_of(p.x[r][0]));
        const bool better = own > size || (own == size && p.at[r] < at);
        if (p.at[r] >= p.k && better) size = own, at = p.at[r];
    }
    choose_first(size, at);
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    if (lane == 0) p.sizes[warp] = size, p.indices[warp] = at;
    __syncthreads();
    const bool there = lane < (int)blockDim.x >> 5;
    size = there ? p.sizes[lane] : 0;
    at = there ? p.indices[lane] : NOWHERE;
    choose_first(size, at);
    return at;
}

// Steps that each work on `columns` columns; after the first step the last of these are unused.
template <int columns, class T, int width, int rows> GNDI_FN void take_steps(panel<T, width, rows> &p) {
    const int end = p.k + AT_ONCE < p.steps ? p.k + AT_ONCE : p.steps;
#pragma unroll 1
    for (; p.k < end; p.k++) {
        const int k = p.k, pivot_at = find_pivot(p);
        T *u = p.u + k * width;
#pragma unroll
        for (int r = 0; r < rows; r++) {
            const int at = p.at[r];
            if (at == k) p.at[r] = pivot_at;
            if (at != pivot_at) continue;
            const int row = (int)(threadIdx.x + r * blockDim.x);
            p.at[r] = k;
            p.pivots[k] = p.base + pivot_at + 1;
            p.moves[k] = row;
#pragma unroll
            for (int j = 0; j < columns; j += a_pack<T>) pack(&p.x[r][j], u + j);
        }
        __syncthreads();
        T first[a_pack<T>];
        unpack(u, first);
        const bool zero = is_zero(first[0]); // then the column is
        if (zero && !p.failed) p.failed = p.base + k + 1;
        T factor[rows];
#pragma unroll
        for (int r = 0; r < rows; r++) {
            factor[r] = zero ? p.x[r][0] : quotient(p.x[r][0], first[0]);
            p.l[(k * rows + r) * (int)blockDim.x + (int)threadIdx.x] = factor[r];
        }
#pragma unroll
        for (int j0 = 0; j0 < columns; j0 += a_pack<T>) {
            T other[a_pack<T>];
            unpack(u + j0, other);
#pragma unroll
            for (int i = 0; i < a_pack<T>; i++) {
                const int j = j0 + i;
                if (j == 0) continue;
#pragma unroll
                for (int r = 0; r < rows; r++) p.x[r][j - 1] = minus_product(p.x[r][j], factor[r], other[i]);
            }
        }
    }
    if constexpr (columns > AT_ONCE) take_steps<columns - AT_ONCE>(p);
}

template <class T, int width, int rows> __global__ void __launch_bounds__(GNDI_LU_THREADS)
    panel_kernel(const __grid_constant__ gndi_lu_panel_params q) {
    const int64_t matrix = blockIdx.x;
    const int left = q.m - q.k, threads = (int)blockDim.x;
    T *a = matrix_of<T>(q.a, matrix) + q.k + q.k * q.a.ld;
    panel<T, width, rows> p;
    p.u = reinterpret_cast<T *>(memory_of_block);
    p.l = p.u + width * width;
    p.sizes = reinterpret_cast<bits<T> *>(p.l + width * rows * threads);
    p.indices = reinterpret_cast<int *>(p.sizes + 32);
    p.pivots = q.pivots + matrix * q.all + q.k;
    p.moves = q.moves + matrix * 2 * width;
    p.k = 0, p.steps = left < q.width ? left : q.width, p.base = q.k, p.failed = 0;
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const int row = (int)threadIdx.x + r * threads;
        p.at[r] = row < left ? row : -1;
#pragma unroll
        for (int j = 0; j < width; j++) p.x[r][j] = row < left && j < q.width ? a[row + j * q.a.ld] : T{};
    }
    take_steps<width>(p);
#pragma unroll
    for (int r = 0; r < rows; r++) {
        const int row = (int)threadIdx.x + r * threads, at = p.at[r];
        if (at < 0) continue;
        if (row < width) p.moves[width + row] = at;
        for (int j = 0; j < q.width; j++)
            a[at + j * q.a.ld] = j < at ? p.l[(j * rows + r) * threads + (int)threadIdx.x] : p.u[at * width + j - at];
    }
    if (threadIdx.x == 0 && (q.k == 0 || (p.failed && q.info[matrix] == 0))) q.info[matrix] = p.failed;
}

// ---- block rows -------------------------------------------------------------------------------------------

// Loads the triangle in the order of the substitution: column k from the diagonal on, with reciprocals on the
// diagonal.
template <class T, int width> GNDI_FN void load_triangle(const gndi_lu_block_params &p, const T *a, T *t) {
    for (int e = (int)threadIdx.x; e < width * width; e += GNDI_LU_TILE) {
        const int k = e / width, below = e % width;
        T x{};
        if (k + below < p.width && !(p.unit && below == 0)) {
            const int i = p.backward ? p.width - 1 - k - below : k + below;
            const int j = p.backward ? p.width - 1 - k : k;
            x = p.transposed ? a[j + i * p.a.ld] : a[i + j * p.a.ld];
            if (p.conjugated) x = conjugate(x);
            if (below == 0) x = reciprocal(x);
        }
        t[e] = x;
    }
}

template <int left, class T, int width>
GNDI_FN void substitute(T (&x)[width], const T *t, T *column, int k, bool unit, int last, int sign) {
#pragma unroll 1
    for (int end = k + AT_ONCE; k < end; k++, t += width) {
        T first[a_pack<T>];
        unpack(t, first);
        const T known = unit ? x[0] : times(x[0], first[0]);
        if (k <= last) column[sign < 0 ? last - k : k] = known;
#pragma unroll
        for (int j0 = 0; j0 < left; j0 += a_pack<T>) {
            T factor[a_pack<T>];
            unpack(t + j0, factor);
#pragma unroll
            for (int i = 0; i < a_pack<T>; i++)
                if (j0 + i > 0) x[j0 + i - 1] = minus_product(x[j0 + i], factor[i], known);
        }
    }
    if constexpr (left > AT_ONCE) substitute<left - AT_ONCE>(x, t, column, k, unit, last, sign);
}

// A thread a column; through shared memory, so that columns are read and written by neighbouring lanes.
template <class T, int width> __global__ void __launch_bounds__(GNDI_LU_TILE)
    block_row_kernel(const __grid_constant__ gndi_lu_block_params p) {
    constexpr int group = GNDI_LU_TILE / width, ahead = 4, ld = width + 1;
    const int64_t matrix = blockIdx.x / p.tiles, tile = blockIdx.x % p.tiles;
    T *t = reinterpret_cast<T *>(memory_of_block), *columns = t + width * width;
    const int64_t from = tile * GNDI_LU_TILE, rest = p.columns - from;
    const int count = rest < GNDI_LU_TILE ? (int)rest : GNDI_LU_TILE;
    T *x = matrix_of<T>(p.x, matrix) + p.k + (p.first + from) * p.x.ld;
    load_triangle<T, width>(p, matrix_of<T>(p.a, matrix) + p.k + p.k * p.a.ld, t);
    const int i = (int)threadIdx.x % width, own = (int)threadIdx.x / width;
    const int32_t *moves = p.moves ? p.moves + matrix * 2 * width : nullptr;
    const int source = moves && i < p.width ? moves[i] : i;
    const int target = moves && i < p.width ? moves[width + i] : i;
    const bool sinks = i < p.width && target >= p.width;
    for (int c0 = own; c0 < GNDI_LU_TILE; c0 += ahead * group) {
        T taken[ahead], before[ahead];
#pragma unroll
        for (int v = 0; v < ahead; v++) {
            const int c = c0 + v * group;
            const bool there = c < count && i < p.width;
            taken[v] = there ? x[source + c * p.x.ld] : T{};
            before[v] = there && sinks ? x[i + c * p.x.ld] : T{};
        }
        __syncwarp(); // a column is read before it is written
#pragma unroll
        for (int v = 0; v < ahead; v++) {
            const int c = c0 + v * group;
            if (c < count && sinks) x[target + c * p.x.ld] = before[v];
            columns[c * ld + i] = taken[v];
        }
    }
    __syncthreads();
    if ((int)threadIdx.x < count) {
        T own_column[width], *column = columns + (int)threadIdx.x * ld;
#pragma unroll
        for (int r = 0; r < width; r++) own_column[r] = r < p.width ? column[p.backward ? p.width - 1 - r : r] : T{};
        substitute<width>(own_column, t, column, 0, p.unit, p.width - 1, p.backward ? -1 : 1);
    }
    __syncthreads();
    for (int c = own; c < count; c += group)
        if (i < p.width) x[i + c * p.x.ld] = columns[c * ld + i];
}

// ---- the order of rows ---------------------------------------------------------------------------------

// order[i]: the row that is at i after the exchanges of steps from `step` on, counted from their first row. Computed by
// all threads from moves; the exchanges of a list of pivots are sequential.
GNDI_FN void make_order(int *order, const int32_t *moves, const int32_t *pivots, int64_t batch, int64_t matrix,
                        int rows, int width, int step, int steps, int all) {
    for (int i = (int)threadIdx.x; i < rows; i += (int)blockDim.x) order[i] = i;
    __syncthreads();
    if (!moves && threadIdx.x == 0) {
        const int32_t *with = pivots + matrix * all;
        for (int k = 0; k < all; k++) {
            const int other = with[k] - 1, before = order[k];
            order[k] = order[other], order[other] = before;
        }
    }
    if (moves && threadIdx.x < 32) {
        const int lane = (int)threadIdx.x;
        for (; step < steps; step++) {
            const int base = step * width;
            const int count = all - base < width ? all - base : width;
            const bool there = lane < count;
            const int32_t *of = moves + (step * batch + matrix) * 2 * width;
            const int source = there ? of[lane] : 0, target = there ? of[width + lane] : 0;
            const int taken = order[base + source], before = there ? order[base + lane] : 0;
            __syncwarp();
            if (there) order[base + lane] = taken;
            if (there && target >= count) order[base + target] = before;
            __syncwarp();
        }
    }
    __syncthreads();
}

// A warp a column; as many columns as fit are in shared memory.
template <class T> __global__ void __launch_bounds__(GNDI_LU_ORDERED)
    order_kernel(const __grid_constant__ gndi_lu_order_params p) {
    const int64_t matrix = blockIdx.x / p.parts;
    const int part = (int)(blockIdx.x % p.parts);
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    int *order = reinterpret_cast<int *>(memory_of_block);
    const bool left = p.what == GNDI_LU_LEFT;
    make_order(order, p.moves, p.pivots, p.batch, matrix, p.rows, p.width, left ? part + 1 : 0, p.steps, p.all);
    if (warp >= p.columns_at_once) return;
    T *own =
        reinterpret_cast<T *>(memory_of_block + ((size_t)p.rows * sizeof(int) + 15) / 16 * 16) + (int64_t)warp * p.rows;
    const int first_row = left ? (part + 1) * p.width : 0;
    const int64_t each = left ? p.width : GNDI_LU_COLUMNS, first = part * each;
    const int64_t end = first + each < p.columns ? first + each : p.columns;
    for (int64_t c = first + warp; c < end; c += p.columns_at_once) {
        T *x = matrix_of<T>(p.x, matrix) + c * p.x.ld;
        if (p.what == GNDI_LU_UNIT) {
            for (int i = lane; i < p.rows; i += 32) x[i] = of_real<T>(order[i] == c);
            continue;
        }
#pragma unroll 4
        for (int i = first_row + lane; i < p.rows; i += 32) own[i] = x[i];
        __syncwarp();
        for (int i = first_row + lane; i < p.rows; i += 32) {
            const int from = order[i];
            if (from == i) continue;
            if (p.what == GNDI_LU_PUT)
                x[from] = own[i];
            else
                x[i] = own[from];
        }
        __syncwarp();
    }
}

// ---- one right side -----------------------------------------------------------------------------------

// 32 rows at a time: the first warp solves with the diagonal block's triangle, of which lane i has row i.
template <class T>
GNDI_FN void solve_block(const gndi_lu_vector_params &p, const T *a, T *x, int k, bool backward, bool unit) {
    const int lane = (int)threadIdx.x, count = p.n - k < 32 ? p.n - k : 32;
    T row[32];
#pragma unroll
    for (int j = 0; j < 32; j++) {
        const bool there = lane < count && j < count && (backward ? j >= lane : j <= lane);
        row[j] = there ? a[p.transposed ? k + j + (k + lane) * p.a.ld : k + lane + (k + j) * p.a.ld] : T{};
        if (p.conjugated) row[j] = conjugate(row[j]);
    }
    T own = lane < count ? x[k + lane] : T{}, diagonal = of_real<T>(1);
#pragma unroll
    for (int j = 0; j < 32; j++)
        if (j == lane && !unit) diagonal = row[j];
    const T inverse = reciprocal(diagonal);
    if (backward) {
#pragma unroll
        for (int j = 31; j >= 0; j--) {
            if (lane == j && !unit) own = times(own, inverse);
            const T known = from_lane(own, j);
            if (lane < j && j < count) own = minus_product(own, row[j], known);
        }
    } else {
#pragma unroll
        for (int j = 0; j < 32; j++) {
            if (lane == j && !unit) own = times(own, inverse);
            const T known = from_lane(own, j);
            if (lane > j) own = minus_product(own, row[j], known);
        }
    }
    if (lane < count) x[k + lane] = own;
}

// Subtracts the solution of rows k to k + count from rows `first` to `end`: a row for each thread, so that neighbouring
// threads read neighbouring elements.
template <class T>
GNDI_FN void subtract_block(const gndi_lu_vector_params &p, const T *a, T *x, int k, int count, int first, int end) {
    for (int i = first + (int)threadIdx.x; i < end; i += (int)blockDim.x) {
        T own = x[i];
#pragma unroll 16
        for (int j = 0; j < count; j++) own = minus_product(own, a[i + (int64_t)(k + j) * p.a.ld], x[k + j]);
        x[i] = own;
    }
}

// Of the transpose, subtracts the solution of rows `first` to `end` from rows k to k + count: a warp for each of these.
template <class T>
GNDI_FN void subtract_solved(const gndi_lu_vector_params &p, const T *a, T *x, int k, int count, int first, int end) {
    const int lane = (int)threadIdx.x & 31;
    for (int j = (int)threadIdx.x >> 5; j < count; j += (int)blockDim.x >> 5) {
        const T *column = a + (int64_t)(k + j) * p.a.ld;
        T sum{};
#pragma unroll 4
        for (int i = first + lane; i < end; i += 32)
            sum = plus_product(sum, p.conjugated ? conjugate(column[i]) : column[i], x[i]);
        sum = sum_of(sum, 32);
        if (lane == 0) x[k + j] = minus_product(x[k + j], sum, of_real<T>(1));
    }
}

// Solves with a triangle, a diagonal block after the other.
template <class T> GNDI_FN void sweep(const gndi_lu_vector_params &p, const T *a, T *x, bool backward, bool unit) {
    const int blocks = (p.n + 31) / 32;
#pragma unroll 1
    for (int step = 0; step < blocks; step++) {
        const int k = 32 * (backward ? blocks - 1 - step : step), count = p.n - k < 32 ? p.n - k : 32;
        if (p.transposed) {
            subtract_solved(p, a, x, k, count, backward ? k + count : 0, backward ? p.n : k);
            __syncthreads();
        }
        if (threadIdx.x < 32) solve_block(p, a, x, k, backward, unit);
        __syncthreads();
        if (!p.transposed) {
            subtract_block(p, a, x, k, count, backward ? 0 : k + count, backward ? k : p.n);
            __syncthreads();
        }
    }
}

template <class T> __global__ void __launch_bounds__(GNDI_LU_VECTORED)
    vector_kernel(const __grid_constant__ gndi_lu_vector_params p) {
    const int64_t matrix = blockIdx.x / p.columns, c = blockIdx.x % p.columns;
    T *x = reinterpret_cast<T *>(memory_of_block);
    int *order = reinterpret_cast<int *>(x + p.n);
    const T *a = matrix_of<T>(p.a, matrix);
    T *b = matrix_of<T>(p.x, matrix) + c * p.x.ld;
    make_order(order, p.moves, p.pivots, p.batch, matrix, p.n, p.width, 0, p.steps, p.n);
    for (int i = (int)threadIdx.x; i < p.n; i += (int)blockDim.x) x[i] = b[p.transposed ? i : order[i]];
    __syncthreads();
#pragma unroll 1
    for (int second = 0; second < 2; second++) // L and U; of the transpose, U and L
        sweep(p, a, x, second, second == (int)p.transposed);
    for (int i = (int)threadIdx.x; i < p.n; i += (int)blockDim.x) b[p.transposed ? order[i] : i] = x[i];
}

} // namespace la
} // namespace gnd

template <class T> static const void *panel_of(int width, int rows) {
    using namespace gnd::la;
    constexpr int words = (int)sizeof(T) / 4;
#define PANEL(w, r)                                                                                                    \
    if constexpr (w * r * words <= 64)                                                                                 \
        if (width == w && rows == r) return reinterpret_cast<const void *>(&panel_kernel<T, w, r>)
    PANEL(32, 1);
    PANEL(32, 2);
    PANEL(16, 1);
    PANEL(16, 2);
    PANEL(16, 4);
    PANEL(8, 1);
    PANEL(8, 2);
    PANEL(8, 4);
#undef PANEL
    return nullptr;
}

template <class T> static const void *kernel_of(int which, int width, int rows) {
    using namespace gnd::la;
    switch (which) {
    case GNDI_LU_PANEL: return panel_of<T>(width, rows);
    case GNDI_LU_ORDER: return reinterpret_cast<const void *>(&order_kernel<T>);
    case GNDI_LU_VECTOR: return reinterpret_cast<const void *>(&vector_kernel<T>);
    default: break;
    }
    return width == 32   ? reinterpret_cast<const void *>(&block_row_kernel<T, 32>)
           : width == 16 ? reinterpret_cast<const void *>(&block_row_kernel<T, 16>)
                         : reinterpret_cast<const void *>(&block_row_kernel<T, 8>);
}

#ifdef GNDI_PART_real
extern "C" const void *gndi_cuda_lapack_lu_real(bool wide, int which, int width, int rows) {
    return wide ? kernel_of<double>(which, width, rows) : kernel_of<float>(which, width, rows);
}
#endif
#ifdef GNDI_PART_complex
extern "C" const void *gndi_cuda_lapack_lu_complex(bool wide, int which, int width, int rows) {
    return wide ? kernel_of<gnd::complex<double>>(which, width, rows)
                : kernel_of<gnd::complex<float>>(which, width, rows);
}
#endif
