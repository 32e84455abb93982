// lapack_jacobi_kernels.cu: singular values by one-sided Jacobi (lapack_jacobi.cuh), of the R of a QR
// factorization of sorted columns: R^H = V_R S U_R^H is rotated, so that U_R is the product of the rotations, and
// V_R has the resulting columns. If R^H and U_R fit shared memory, a block does a whole matrix. Else a team of
// blocks does a matrix: each takes two slices of its columns at a time, rotates all their pairs, and then
// multiplies the same columns of U_R by the product of its rotations.
#include "linalg/cuda/lapack_jacobi.cuh"

namespace gnd {
namespace la {

extern __shared__ __align__(16) unsigned char memory_of_block[];

template <class T> GNDI_FN jacobi_block<T> block_of(const gndi_jacobi_params &p) {
    const int t = (int)threadIdx.x;
    line<T> *memory = reinterpret_cast<line<T> *>(memory_of_block);
    jacobi_block<T> b = {};
    b.x = memory;
    b.y = p.vectors ? memory + p.width * p.ldx : nullptr;
    b.lines_x = p.lines_x, b.lines_y = p.lines_y, b.ldx = p.ldx, b.ldy = p.ldy;
    b.lanes = p.lanes, b.lane = t & (p.lanes - 1), b.group = t / p.lanes;
    b.groups = (int)blockDim.x / p.lanes;
    b.tolerance = p.tolerance;
    return b;
}

// The arrays behind the matrices in a block's shared memory.
template <class T> struct jacobi_notes {
    T *inner;
    real<T> *lengths;
    int *order;
    jacobi_seen *seen;
    int *row;
};
template <class T> GNDI_FN jacobi_notes<T> notes_at(void *memory, int n) {
    jacobi_notes<T> notes;
    notes.inner = reinterpret_cast<T *>(memory);
    notes.lengths = reinterpret_cast<real<T> *>(notes.inner + n);
    notes.order = reinterpret_cast<int *>(notes.lengths + (n > 32 ? n : 32));
    notes.seen = reinterpret_cast<jacobi_seen *>(notes.order + n + (n & 1));
    notes.row = reinterpret_cast<int *>(notes.seen + 2);
    return notes;
}

// ---- the order of columns -----------------------------------------------------------------------

// The sizes of A's columns, stored where its singular values will be: the largest real or imaginary part.
template <class T> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_sizes_kernel(const __grid_constant__ gndi_jacobi_params p) {
    __shared__ real<T> scratch[32];
    const int warps = (int)blockDim.x >> 5, warp = (int)threadIdx.x >> 5;
    const bool alone = p.parts == 1;
    const int64_t column = alone ? (int64_t)blockIdx.x * warps + warp : blockIdx.x;
    const int64_t matrix = column / p.n;
    real<T> largest = 0;
    if (matrix < p.batch) {
        const T *a = reinterpret_cast<const T *>(p.a.data + matrix * p.a.step);
        a += (column - matrix * p.n) * p.a.ld;
        for (int64_t i = threadIdx.x & (alone ? 31 : ~0u); i < p.m; i += alone ? 32 : blockDim.x) {
            const real<T> own = largest_part(a[i]);
            largest = own > largest ? own : largest;
        }
    }
    largest = alone ? largest_of(largest) : largest_of_block(largest, scratch);
    if (matrix < p.batch && (threadIdx.x & 31) == 0) reinterpret_cast<real<T> *>(p.w)[column] = largest;
}

// Orders columns by size, the largest first, so that the smallest rows of R come last.
template <class R> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_sort_kernel(const __grid_constant__ gndi_jacobi_params p) {
    for (int64_t matrix = blockIdx.x; matrix < p.batch; matrix += gridDim.x) {
        const R *sizes = reinterpret_cast<const R *>(p.w) + matrix * p.n;
        for (int j = (int)threadIdx.x; j < p.n; j += (int)blockDim.x) {
            const R own = sizes[j];
            int rank = 0;
            for (int k = 0; k < p.n; k++) rank += sizes[k] > own || (sizes[k] == own && k < j);
            p.column_order[matrix * p.n + rank] = j;
        }
    }
}

// ---- a matrix a block ----------------------------------------------------------------------------

// Loads R^H, scaled, and the identity; returns the power of two.
template <class T>
GNDI_FN_HEAVY int load_whole(const gndi_jacobi_params &p, const jacobi_block<T> &b, const T *a, real<T> *scratch) {
    T *x = reinterpret_cast<T *>(b.x), *y = reinterpret_cast<T *>(b.y);
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int warps = (int)blockDim.x >> 5, n = p.n;
    real<T> largest = 0;
    for (int j = warp; j < n; j += warps) {
        for (int i = lane; i <= j; i += 32) {
            const real<T> own = largest_part(a[i + j * p.a.ld]);
            largest = own > largest ? own : largest;
        }
    }
    const int shift = scale_of(largest_of_block(largest, scratch));
    const int rows = p.lines_x * line<T>::count, ld = p.ldx * line<T>::count;
    for (int j = warp; j < rows; j += warps) { // row j of R^H is column j of R
        for (int i = lane; i < p.width; i += 32) {
            T own{};
            if (j < n && i <= j) own = conjugate(shifted(a[i + j * p.a.ld], shift));
            x[j + i * ld] = own;
        }
    }
    if (y) {
        const int rows_y = p.lines_y * line<T>::count, ld_y = p.ldy * line<T>::count;
        for (int j = warp; j < p.width; j += warps)
            for (int i = lane; i < rows_y; i += 32) y[i + j * ld_y] = of_real<T>(i == j);
    }
    __syncthreads();
    return shift;
}

// U's column `column` is column `from` of U_R with zeros below it, or, beyond those, one of the unit vectors up to
// `columns`.
template <class T> GNDI_FN void write_u(const gndi_jacobi_params &p, T *u, int64_t column, const T *from) {
    for (int64_t i = threadIdx.x & 31; i < p.m; i += 32) {
        T x = of_real<T>(i == column);
        if (column < p.n) x = i < p.n ? from[i] : T{};
        u[i + column * p.u.ld] = x;
    }
}

template <class T> GNDI_FN_HEAVY void write_whole(const gndi_jacobi_params &p, const jacobi_block<T> &b,
                                                  const int *order, int64_t matrix) {
    const T *x = reinterpret_cast<const T *>(b.x), *y = reinterpret_cast<const T *>(b.y);
    T *u = reinterpret_cast<T *>(p.u.data + matrix * p.u.step);
    T *v = reinterpret_cast<T *>(p.v.data + matrix * p.v.step);
    const int64_t *column_order = p.column_order + matrix * p.n;
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int warps = (int)blockDim.x >> 5, ld = p.ldx * line<T>::count;
    for (int64_t j = warp; j < p.columns; j += warps)
        write_u(p, u, j, y + (j < p.n ? order[j] : 0) * p.ldy * line<T>::count);
    for (int i = warp; i < p.n; i += warps)
        for (int j = lane; j < p.n; j += 32) v[j + column_order[i] * p.v.ld] = conjugate(x[i + order[j] * ld]);
}

template <class T>
GNDI_FN void write_values(const gndi_jacobi_params &p, const jacobi_notes<T> &notes, int shift, int64_t matrix) {
    real<T> *w = reinterpret_cast<real<T> *>(p.w) + matrix * p.n;
    for (int j = (int)threadIdx.x; j < p.n; j += (int)blockDim.x) w[j] = shifted(notes.lengths[notes.order[j]], -shift);
    __syncthreads(); // lengths are changed after this
}

template <class T, int each> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_whole_kernel(const __grid_constant__ gndi_jacobi_params p) {
    const jacobi_block<T> b = block_of<T>(p);
    line<T> *end = b.x + p.width * (p.ldx + (b.y ? p.ldy : 0));
    const jacobi_notes<T> notes = notes_at<T>(end, p.n);
    for (int64_t i = blockIdx.x; i < p.batch; i += gridDim.x) {
        const T *a = reinterpret_cast<const T *>(p.a.data + i * p.a.step);
        const int shift = load_whole(p, b, a, notes.lengths);
        bool converged = rotate_whole<T, each>(b, p.width, p.n, notes.seen);
        const jacobi_columns<T> columns = {reinterpret_cast<T *>(b.x), p.ldx * line<T>::count, p.n, notes.lengths,
                                           notes.inner};
        converged &= measure_columns(columns);
        if (threadIdx.x == 0) p.info[i] = converged ? 0 : GNDI_JACOBI_SWEEPS;
        order_columns(columns, notes.order);
        write_values(p, notes, shift, i);
        if (p.vectors) {
            make_orthonormal(columns, notes.row);
            write_whole(p, b, notes.order, i);
        }
        __syncthreads();
    }
}

// ---- slices of matrices --------------------------------------------------------------------------

// The address of a matrix between launches: R^H or U_R, with columns ldx lines apart.
template <class T> GNDI_FN line<T> *between(const gndi_jacobi_params &p, char *data, int64_t matrix) {
    return reinterpret_cast<line<T> *>(data) + matrix * p.all * p.ldx;
}
GNDI_FN jacobi_seen *seen_of(const gndi_jacobi_params &p, int64_t matrix, int sweep) {
    return reinterpret_cast<jacobi_seen *>(p.seen) + matrix * GNDI_JACOBI_SWEEPS + sweep;
}

// `parts` blocks a matrix, each of which computes the scale and fills some of the columns.
template <class T> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_begin_kernel(const __grid_constant__ gndi_jacobi_params p) {
    __shared__ real<T> scratch[32];
    const int64_t matrix = blockIdx.x / p.parts;
    const int part = (int)(blockIdx.x - matrix * p.parts);
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int warps = (int)blockDim.x >> 5, n = p.n;
    const T *a = reinterpret_cast<const T *>(p.a.data + matrix * p.a.step);
    real<T> largest = 0;
    for (int j = warp; j < n; j += warps) {
        for (int i = lane; i <= j; i += 32) {
            const real<T> own = largest_part(a[i + j * p.a.ld]);
            largest = own > largest ? own : largest;
        }
    }
    const int shift = scale_of(largest_of_block(largest, scratch)) - p.later;
    if (part == 0) {
        if (threadIdx.x == 0) {
            p.shift[matrix] = shift + p.later;
            p.arrived[matrix] = 0; // there are no more teams than matrices
        }
        for (int i = (int)threadIdx.x; i < GNDI_JACOBI_SWEEPS; i += (int)blockDim.x) *seen_of(p, matrix, i) = {0, 0};
    }
    const int ld = p.ldx * line<T>::count;
    T *x = reinterpret_cast<T *>(between<T>(p, p.x, matrix));
    T *y = p.vectors ? reinterpret_cast<T *>(between<T>(p, p.y, matrix)) : nullptr;
    for (int j = part * warps + warp; j < p.all; j += p.parts * warps) {
        for (int i = lane; i < ld; i += 32) {
            T own{};
            if (j <= i && i < n) own = conjugate(shifted(a[j + i * p.a.ld], shift));
            x[i + j * ld] = own;
            if (y) y[i + j * ld] = of_real<T>(i == j && j < n);
        }
    }
}

// Pseudorandom signs.
template <class R> GNDI_FN R sign_of(int j) {
    uint32_t bits = (uint32_t)j * 0x9e3779b9u;
    bits = (bits ^ bits >> 15) * 0x85ebca6bu;
    return bits >> 31 ? R(-1) : R(1);
}

// Eigenvectors Z are kept if Z^H (Z s) = s for a vector s of signs; else, or if an element is NaN, they become the
// identity, which leaves R^H unchanged. A block a matrix; n elements of shared memory.
template <class T> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_check_kernel(const __grid_constant__ gndi_jacobi_params p) {
    typedef real<T> R;
    T *z = reinterpret_cast<T *>(p.a.data + (int64_t)blockIdx.x * p.a.step);
    T *sums = reinterpret_cast<T *>(memory_of_block);
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int warps = (int)blockDim.x >> 5;
    const R most = R(16 * sqrtf((float)p.n) * p.tolerance);
    for (int i = (int)threadIdx.x; i < p.n; i += (int)blockDim.x) {
        T sum{};
#pragma unroll 8
        for (int j = 0; j < p.n; j++) sum = plus(sum, scaled(z[i + j * p.a.ld], sign_of<R>(j)));
        sums[i] = sum;
    }
    __syncthreads();
    bool broken = false;
    for (int j = warp; j < p.n; j += warps) {
        T sum{};
#pragma unroll 8
        for (int i = lane; i < p.n; i += 32) sum = plus_inner(sum, z[i + j * p.a.ld], sums[i]);
        sum = plus(sum_of(sum, 32), of_real<T>(-sign_of<R>(j)));
        broken |= !(size_of(sum) <= most); // NaN, too
    }
    if (!__syncthreads_or(broken)) return;
    for (int j = warp; j < p.n; j += warps)
        for (int i = lane; i < p.n; i += 32) z[i + j * p.a.ld] = of_real<T>(i == j);
}

// Copies the columns of two slices between shared and device memory, a warp a column.
template <class T, bool loads>
GNDI_FN void move_slices(const gndi_jacobi_params &p, line<T> *shared, line<T> *memory, int i, int j) {
    const int lane = (int)threadIdx.x & 31, half = p.width / 2;
    for (int k = (int)threadIdx.x >> 5; k < p.width; k += (int)blockDim.x >> 5) {
        const int column = k < half ? i * half + k : j * half + k - half;
        line<T> *inside = shared + k * p.ldx, *outside = memory + (int64_t)column * p.ldx;
#pragma unroll 4
        for (int e = lane; e < p.lines_x; e += 32) {
            if constexpr (loads)
                inside[e] = outside[e];
            else
                outside[e] = inside[e];
        }
    }
}

// Multiplies columns of U_R, which are in shared memory, by the rotations, and writes them back. A thread computes a
// line of each of a few columns.
template <class T>
GNDI_FN void multiply_slices(const gndi_jacobi_params &p, const jacobi_block<T> &b, line<T> *memory, int i, int j) {
    constexpr int count = line<T>::count, columns = GNDI_JACOBI_COLUMNS;
    const int half = p.width / 2, tasks = p.lines_x * (p.width / columns);
    for (int task = (int)threadIdx.x; task < tasks; task += (int)blockDim.x) {
        const int first = task / p.lines_x * columns, row = task % p.lines_x;
        line<T> sum[columns] = {};
        for (int k = 0; k < p.width; k += count) {
            line<T> own[count];
#pragma unroll
            for (int w = 0; w < count; w++) own[w] = b.x[row + (k + w) * b.ldx];
#pragma unroll
            for (int c = 0; c < columns; c++) {
                const line<T> by = b.y[k / count + (first + c) * b.ldy];
#pragma unroll
                for (int w = 0; w < count; w++)
#pragma unroll
                    for (int e = 0; e < count; e++) sum[c].e[e] = plus_product(sum[c].e[e], own[w].e[e], by.e[w]);
            }
        }
#pragma unroll
        for (int c = 0; c < columns; c++) {
            const int k = first + c, column = k < half ? i * half + k : j * half + k - half;
            memory[row + (int64_t)column * p.ldx] = sum[c];
        }
    }
}

// Rotates all pairs between two slices, in the first round of a sweep also those inside each slice.
template <class T> GNDI_FN_HEAVY void rotate_slices(const gndi_jacobi_params &p, const jacobi_block<T> &b,
                                                    int64_t matrix, int sweep, int round, int table,
                                                    jacobi_seen *seen) {
    constexpr int each = 2;
    const int half = p.width / 2;
    int i, j;
    meet(p.all / half, round, table, i, j);
    line<T> *x = between<T>(p, p.x, matrix);
    move_slices<T, true>(p, b.x, x, i, j);
    if (b.y)
        for (int e = (int)threadIdx.x; e < p.width * p.width; e += (int)blockDim.x)
            reinterpret_cast<T *>(b.y)[e % p.width + e / p.width * p.ldy * line<T>::count] =
                of_real<T>(e % p.width == e / p.width);
    if (threadIdx.x == 0) *seen = {0, 0};
    __syncthreads();
    jacobi_seen own = {0, 0};
    if (round == 0)
        sweep_all<T, each>(b, p.width, own);
    else
        sweep_across<T, each>(b, half, own);
    gather_seen(own, seen);
    __syncthreads();
    if (seen->cosine == 0) return; // nothing was rotated
    if (threadIdx.x == 0) gather_one(*seen, seen_of(p, matrix, sweep));
    move_slices<T, false>(p, b.x, x, i, j);
    if (!b.y) return;
    line<T> *y = between<T>(p, p.y, matrix);
    __syncthreads();
    move_slices<T, true>(p, b.x, y, i, j);
    __syncthreads();
    multiply_slices(p, b, y, i, j);
}

// A barrier of a team's blocks. `sum`: the arrivals of all blocks together, up to this barrier.
GNDI_FN void wait_for_team(int *arrived, int sum) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(arrived, 1);
        while (atomicAdd(arrived, 0) < sum) {
        }
        __threadfence();
    }
    __syncthreads();
}

// A team of blocks rotates a matrix until it has converged, then takes another one.
template <class T> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_slices_kernel(const __grid_constant__ gndi_jacobi_params p) {
    __shared__ jacobi_seen seen;
    const jacobi_block<T> b = block_of<T>(p);
    const int slices = p.all / (p.width / 2), teams = (int)gridDim.x / p.team;
    const int team = (int)blockIdx.x / p.team, member = (int)blockIdx.x - team * p.team;
    int arrived = 0;
    for (int64_t matrix = team; matrix < p.batch; matrix += teams) {
        bool converged = false;
        for (int sweep = 0; sweep < GNDI_JACOBI_SWEEPS && !converged; sweep++) {
            for (int round = 0; round < slices - 1; round++) {
                for (int table = member; table < slices / 2; table += p.team) {
                    rotate_slices(p, b, matrix, sweep, round, table, &seen);
                    __syncthreads();
                }
                if (p.team > 1) wait_for_team(p.arrived + team, arrived += p.team);
            }
            const volatile jacobi_seen *all = seen_of(p, matrix, sweep);
            converged = has_converged({all->cosine, all->sine}, p.n, p.tolerance);
        }
    }
}

// Values, their order, and orthonormal columns: a block a matrix.
template <class T> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_end_kernel(const __grid_constant__ gndi_jacobi_params p) {
    const int64_t matrix = blockIdx.x;
    const jacobi_notes<T> notes = notes_at<T>(memory_of_block, p.n);
    const jacobi_columns<T> columns = {reinterpret_cast<T *>(between<T>(p, p.x, matrix)), p.ldx * line<T>::count, p.n,
                                       notes.lengths, notes.inner};
    bool converged = false;
    for (int sweep = 0; sweep < GNDI_JACOBI_SWEEPS && !converged; sweep++)
        converged = has_converged(*seen_of(p, matrix, sweep), p.n, p.tolerance);
    converged &= measure_columns(columns);
    if (threadIdx.x == 0) p.info[matrix] = converged ? 0 : GNDI_JACOBI_SWEEPS;
    order_columns(columns, notes.order);
    write_values(p, notes, p.shift[matrix], matrix);
    if (!p.vectors) return;
    for (int j = (int)threadIdx.x; j < p.n; j += (int)blockDim.x) p.order[matrix * p.n + j] = notes.order[j];
    make_orthonormal(columns, notes.row);
}

// `parts` blocks a matrix put its vectors in order.
template <class T> __global__ void __launch_bounds__(GNDI_JACOBI_THREADS)
    jacobi_vectors_kernel(const __grid_constant__ gndi_jacobi_params p) {
    const int64_t matrix = blockIdx.x / p.parts;
    const int part = (int)(blockIdx.x - matrix * p.parts);
    const int lane = (int)threadIdx.x & 31, warp = (int)threadIdx.x >> 5;
    const int warps = (int)blockDim.x >> 5, ld = p.ldx * line<T>::count;
    const T *x = reinterpret_cast<const T *>(between<T>(p, p.x, matrix));
    const T *y = reinterpret_cast<const T *>(between<T>(p, p.y, matrix));
    const int *order = p.order + matrix * p.n;
    const int64_t *column_order = p.column_order + matrix * p.n;
    T *u = reinterpret_cast<T *>(p.u.data + matrix * p.u.step);
    T *v = reinterpret_cast<T *>(p.v.data + matrix * p.v.step);
    for (int64_t j = part * warps + warp; j < p.columns; j += p.parts * warps)
        write_u(p, u, j, y + (int64_t)(j < p.n ? order[j] : 0) * ld);
    for (int i = part * warps + warp; i < p.n; i += p.parts * warps)
        for (int j = lane; j < p.n; j += 32) v[j + column_order[i] * p.v.ld] = conjugate(x[i + (int64_t)order[j] * ld]);
}

} // namespace la
} // namespace gnd

template <class T> static const void *kernel_of(int which) {
    using namespace gnd::la;
    switch (which) {
    case GNDI_JACOBI_SIZES: return reinterpret_cast<const void *>(&jacobi_sizes_kernel<T>);
    case GNDI_JACOBI_SORT: return reinterpret_cast<const void *>(&jacobi_sort_kernel<real<T>>);
    case GNDI_JACOBI_WHOLE_1: return reinterpret_cast<const void *>(&jacobi_whole_kernel<T, 1>);
    case GNDI_JACOBI_WHOLE_2: return reinterpret_cast<const void *>(&jacobi_whole_kernel<T, 2>);
    case GNDI_JACOBI_BEGIN: return reinterpret_cast<const void *>(&jacobi_begin_kernel<T>);
    case GNDI_JACOBI_CHECK: return reinterpret_cast<const void *>(&jacobi_check_kernel<T>);
    case GNDI_JACOBI_SLICES: return reinterpret_cast<const void *>(&jacobi_slices_kernel<T>);
    case GNDI_JACOBI_END: return reinterpret_cast<const void *>(&jacobi_end_kernel<T>);
    default: return reinterpret_cast<const void *>(&jacobi_vectors_kernel<T>);
    }
}

#ifdef GNDI_PART_real
extern "C" const void *gndi_cuda_lapack_jacobi_real(bool wide, int which) {
    return wide ? kernel_of<double>(which) : kernel_of<float>(which);
}
#endif
#ifdef GNDI_PART_complex
extern "C" const void *gndi_cuda_lapack_jacobi_complex(bool wide, int which) {
    return wide ? kernel_of<gnd::complex<double>>(which) : kernel_of<gnd::complex<float>>(which);
}
#endif
