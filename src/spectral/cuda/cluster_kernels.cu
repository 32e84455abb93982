// cluster_kernels.cu: powers of long real frames, of 2^15 and 2^16 elements, by clusters of four blocks, each of which
// has a frame in its blocks' shared memory, and one frame behind the other. A frame of A B samples is transformed in
// two steps (D. H. Bailey, "FFTs in external or hierarchical memory", 1990): columns of A samples, two real ones as a
// complex one, and rows of B numbers, row k of the results k and A - k of the columns; the rows behind A / 2 are mirror
// images of these.
//
// A block has the same columns and the same rows of each frame; a thread 16 numbers of them in registers. Two parts of
// shared memory, `samples` and `plane`, hold in turn, for a block's numbers:
//
//     samples, first half    real parts of columns: samples    both steps of columns    imaginary parts of rows
//     samples, second half   imaginary parts of columns        both steps of columns
//     plane                                                                             real parts of rows
//
// Results of columns are written to the blocks that have their rows, all parts of them at once; between the two steps
// of rows real and imaginary parts change threads one behind the other, in `plane` alone. So halves of `samples` are
// filled with the next frame as soon as they are free.
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/clusters.cuh"
#include "spectral/cuda/turned_dft.cuh"

namespace gnd {

// What a block has of a frame: COLUMNS complex columns of A numbers, or ROWS rows of B numbers; 16 of a thread.
template <class R, int LENGTH> struct cluster_tile {
    static constexpr int TILES = GNDI_CLUSTER_BLOCKS, EACH = 16, B = 256, SAMPLES = LENGTH, A = SAMPLES / B;
    static constexpr int ROWS = A / 2 / TILES, COLUMNS = B / 2 / TILES, SHARE = A / EACH; // SHARE: threads of a column
    static constexpr int THREADS = EACH * ROWS, WARPS = THREADS / WARP, NUMBERS = ROWS * B, PITCH = B + 1;
    // Roots: of columns, SHARE / 2 for each of 16 transforms; of rows, 8 for each; of bins, 4 for each row and for each
    // thread of one.
    static constexpr int COLUMN_ROOTS = SHARE / 2 * EACH, ROW_ROOTS = 8 * ROWS, BIN_ROOTS = 4 * (ROWS + EACH);
    static constexpr int ROOTS = COLUMN_ROOTS + ROW_ROOTS + BIN_ROOTS;
    static constexpr int ENDS = ROWS * PITCH / 2 + NUMBERS + ROOTS, ALL = ENDS + B + B / 2 + 2; // in numbers
    static constexpr int SHARED = ALL * (int)sizeof(number<R>) + TILES * WARPS * (int)sizeof(double);
    static_assert(COLUMNS == WARP && SHARE * COLUMNS == THREADS && ROWS % EACH == 0 && ALL % 2 == 0, "");
};

// Of roots 0, 1, 2 and 4, as products of those of a row and of a thread.
template <class R> struct product_roots {
    const number<R> *of_row, *of_thread;
    GNDI_FN_MEMBER number<R> product(int i) const { return of_row[i] * of_thread[i]; }
    GNDI_FN_MEMBER number<R> operator()(int root) const {
        const number<R> w = product(root < 3 ? root : root == 3 ? 2 : 3);
        return few_roots<R>{&w, 0}(root);
    }
};

template <class R, int LENGTH> struct cluster_frames {
    typedef cluster_tile<R, LENGTH> tile;
    static constexpr int TILES = tile::TILES, EACH = tile::EACH, A = tile::A, B = tile::B, SAMPLES = tile::SAMPLES;
    static constexpr int ROWS = tile::ROWS, COLUMNS = tile::COLUMNS, SHARE = tile::SHARE, PITCH = tile::PITCH;
    static constexpr int THREADS = tile::THREADS, WARPS = tile::WARPS, NUMBERS = tile::NUMBERS;

    const gndi_long_params &p;
    R *samples, *plane;
    number<R> *column_roots, *row_roots, *bin_roots, *ends, *turns;
    double *sums; // of samples: of each block's warps
    int rank, tid;
    uint64_t policy;

    __device__ __forceinline__ void begin(number<R> *memory) {
        samples = reinterpret_cast<R *>(memory), column_roots = memory + NUMBERS;
        row_roots = column_roots + tile::COLUMN_ROOTS, bin_roots = row_roots + tile::ROW_ROOTS;
        plane = reinterpret_cast<R *>(bin_roots + tile::BIN_ROOTS);
        ends = memory + tile::ENDS, turns = ends + B, sums = reinterpret_cast<double *>(memory + tile::ALL);
        rank = rank_in_cluster(), tid = (int)threadIdx.x, policy = of_what_is_read_once();
    }
    // The roots of the transforms in columns, in rows, and of their bins; and exp(-pi i k / B).
    __device__ __forceinline__ void fill() {
        for (int i = tid; i < tile::COLUMN_ROOTS; i += THREADS)
            column_roots[i] = root_of<R>(i / EACH, SHARE, i % EACH, A);
        for (int i = tid; i < tile::ROW_ROOTS; i += THREADS)
            row_roots[i] = root_of<R>(i / ROWS, EACH, EACH * (rank * ROWS + i % ROWS), SAMPLES);
        for (int i = tid; i < tile::BIN_ROOTS; i += THREADS) {
            const int of = i / 4, own = of < ROWS ? rank * ROWS + of : A * (of - ROWS), root = i % 4;
            bin_roots[i] = root_of<R>(root < 3 ? root : 4, EACH, own, SAMPLES);
        }
        for (int i = tid; i <= B / 2; i += THREADS) turns[i] = register_block<R, 32>::root(-(double)i / B);
        __syncthreads();
    }

    // ---- samples ----------------------------------------------------------------------------------

    // A thread brings 16 bytes here and there of a half of `samples`: V neighbours of a row.
    static constexpr int V = 16 / (int)sizeof(R), COPIES = NUMBERS / V / THREADS, STEP = V * THREADS;
    static_assert(STEP % COLUMNS == 0 && COPIES * STEP == NUMBERS, "");
    __device__ __forceinline__ int place_of(int i, int half) const {
        return i / COLUMNS * B + half * (B / 2) + rank * COLUMNS + i % COLUMNS;
    }
    __device__ __forceinline__ void request(int64_t row, int half) const {
        if (row >= p.row_count) return;
        const row_place at = row_place::of(p.plan, row);
        const R *from = line_of<R>(p.plan, at.line) + (at.start - p.plan.x_first) + place_of(V * tid, half);
        R *const to = samples + half * NUMBERS + V * tid;
        if (reinterpret_cast<uint64_t>(from) % 16 == 0) {
#pragma unroll
            for (int k = 0; k < COPIES; k++) copy_once<16>(to + k * STEP, from + k * (STEP / COLUMNS * B), policy);
        } else {
#pragma unroll 1
            for (int k = 0; k < COPIES * V; k++) {
                const int i = k / V * STEP + k % V;
                copy_once<sizeof(R)>(to + i, from + k / V * (STEP / COLUMNS * B) + k % V, policy);
            }
        }
    }

    // The mean of a frame: each thread adds up what it brought itself.
    __device__ __forceinline__ double own_sum() const {
        double s[4] = {0, 0, 0, 0};
#pragma unroll
        for (int half = 0; half < 2; half++)
#pragma unroll
            for (int k = 0; k < COPIES; k++)
#pragma unroll
                for (int i = 0; i < V; i++)
                    s[(k * V + i) % 4] += (double)samples[half * NUMBERS + k * STEP + V * tid + i];
        double all = (s[0] + s[1]) + (s[2] + s[3]);
#pragma unroll
        for (int width = WARP / 2; width > 0; width /= 2) all += __shfl_xor_sync(0xffffffff, all, width);
        return all;
    }
    __device__ __forceinline__ void tell_sum() const {
        const double all = own_sum();
        if (tid % WARP < TILES) store_in_block(place_in_block(sums + rank * WARPS + tid / WARP, tid % WARP), all);
    }
    __device__ __forceinline__ double mean() const {
        double all = 0;
#pragma unroll
        for (int i = 0; i < TILES * WARPS; i += WARP) all += sums[i + tid % WARP];
#pragma unroll
        for (int width = WARP / 2; width > 0; width /= 2) all += __shfl_xor_sync(0xffffffff, all, width);
        return all / SAMPLES;
    }
    // The window's elements, and then their products with the samples.
    __device__ __forceinline__ void load(number<R> *v) const {
        const R *const w = reinterpret_cast<const R *>(p.plan.window) + place_of(tid, 0), *const x = samples + tid;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            const int at = e * (THREADS / COLUMNS * B);
            v[e].re = p.plan.window ? w[at] : (R)1, v[e].im = p.plan.window ? w[at + B / 2] : (R)1;
        }
        wait_for_copies();
        double less = 0;
        if (p.plan.trend != GNDI_TREND_NONE) {
            tell_sum();
            arrive_in_cluster(), wait_for_cluster();
            less = mean();
        } else {
            __syncthreads();
        }
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            v[e].re *= (R)((double)x[e * THREADS] - less);
            v[e].im *= (R)((double)x[e * THREADS + NUMBERS] - less);
        }
    }

    // ---- columns ----------------------------------------------------------------------------------

    // Thread t of a column has results t + 16 j, and where 8 threads share one, t + 8 + 16 j besides.
    __device__ __forceinline__ void transform_columns(int64_t next, number<R> *v) const {
        const int t = tid / COLUMNS, column = tid % COLUMNS;
        number<R> *const frame = reinterpret_cast<number<R> *>(samples);
        dft<EACH, -1, 1>(v);
        __syncthreads(); // all have read: results lie where samples lay
#pragma unroll
        for (int k = 0; k < EACH; k++) frame[(t * EACH + k) * COLUMNS + column] = v[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; k++) v[k] = frame[(k % SHARE * EACH + t + k / SHARE * SHARE) * COLUMNS + column];
        arrive_in_cluster(); // shared memory is free
#pragma unroll
        for (int k = 0; k < EACH; k += SHARE) turned_dft<SHARE>(v + k, all_roots<R>{column_roots + t + k, EACH});
        wait_for_cluster();
        request(next, 1);
        send(t, column, v);
        arrive_in_cluster();
        wait_for_cluster();
    }

    // Number i of a block's rows, to block `block`.
    __device__ __forceinline__ void send_number(const unsigned *real, const unsigned *imaginary, int block, int i,
                                                number<R> z) const {
        store_in_block(real[block] + i * (int)sizeof(R), z.re);
        store_in_block(imaginary[block] + i * (int)sizeof(R), z.im);
    }
    // Result k to row k, result A - k to its second half.
    __device__ __forceinline__ void send(int t, int column, const number<R> *v) const {
        const int c = rank * COLUMNS + column;
        unsigned real[TILES], imaginary[TILES];
#pragma unroll
        for (int i = 0; i < TILES; i++)
            real[i] = place_in_block(plane + c, i), imaginary[i] = place_in_block(samples + c, i);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int first = t + i / SHARE * SHARE, j = i % SHARE; // this is result first + 16 j
            const int row = EACH * (j < SHARE / 2 ? j : SHARE - 1 - j), local = row % ROWS;
            if (j < SHARE / 2) {
                if (i > 0 || t > 0) send_number(real, imaginary, row / ROWS, (local + first) * B, v[i]);
            } else if (first > 0) {
                send_number(real, imaginary, row / ROWS, (local + EACH - first) * B + B / 2, v[i]);
            } else if (j > SHARE / 2) {
                send_number(real, imaginary, (row + EACH) / ROWS, (row + EACH) % ROWS * B + B / 2, v[i]);
            }
        }
        if (t > 0) return;
        // Results 0 and A / 2 are those of real columns. Of them the first block has, as its row 0, the sums of the
        // samples number c modulo 2 B, for all c; pairs of the second half are swapped.
        const number<R> sum = v[0] + v[SHARE / 2], difference = v[0] - v[SHARE / 2];
        send_end(c, sum.re), send_end(c + B / 2, sum.im);
        send_end(B + (c ^ 1), difference.re), send_end(B + B / 2 + (c ^ 1), difference.im);
    }
    // Number i of row 0, as real numbers.
    __device__ __forceinline__ void send_end(int i, R x) const {
        store_in_block(place_in_block((i % 2 ? samples : plane) + i / 2, 0), x);
    }

    // ---- rows -------------------------------------------------------------------------------------

    // The rows, of twice their elements: thread t of one has results t + 16 j.
    __device__ __forceinline__ void transform_rows(int64_t next, number<R> *v) const {
        const int before = tid / EACH, lane = tid % EACH, row = tid % ROWS, t = tid / ROWS; // before: the first step's
        load_rows(before, lane, v);
        __syncthreads(); // all have read
        request(next, 0);
        turned_dft<EACH>(v, all_roots<R>{row_roots + before, ROWS});
        R *const to = plane + before * PITCH + lane;
        const R *const from = plane + row * PITCH + t * EACH;
#pragma unroll
        for (int e = 0; e < EACH; e++) to[e * EACH] = v[e].re;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; e++) v[e].re = from[e];
        __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; e++) to[e * EACH] = v[e].im;
        __syncthreads();
#pragma unroll
        for (int e = 0; e < EACH; e++) v[e].im = from[e];
        turned_dft<EACH>(v, product_roots<R>{bin_roots + 4 * row, bin_roots + 4 * (ROWS + t)});
    }
    __device__ __forceinline__ void load_rows(int row, int lane, number<R> *v) const {
        const R *const real = plane + row * B + lane, *const imaginary = samples + row * B + lane;
        const R other = rank + row > 0 ? (R)1 : (R)0; // row 0 has its elements themselves
#pragma unroll
        for (int e = 0; e < EACH / 2; e++) {
            const number<R> a = {real[e * EACH], imaginary[e * EACH]};
            const number<R> b = {real[e * EACH + B / 2], imaginary[e * EACH + B / 2]};
            v[e] = {fma(other, b.re, a.re), fma(-other, b.im, a.im)};
            v[e + EACH / 2] = {fma(other, a.im, b.im), fma(-other, a.re, b.re)};
        }
    }

    // ---- bins -------------------------------------------------------------------------------------

    static __device__ __forceinline__ R power(number<R> z) {
        return z.re * z.re + z.im * z.im;
    }
    // Results of rows are bins k = row + A t, and so on, and beyond the middle mirror images of bins.
    __device__ __forceinline__ void store(R *out, const number<R> *v) const {
        const R factor = (R)(p.plan.scale / 4), inner = (R)(p.plan.scale * p.plan.inner / 4);
        const int row = tid % ROWS, t = tid / ROWS, k = rank * ROWS + row + A * t;
        if (k % A > 0) {
#pragma unroll
            for (int j = 0; j < EACH; j++)
                __stcs(out + (j < EACH / 2 ? k + A * EACH * j : SAMPLES - k - A * EACH * j), power(v[j]) * inner);
        }
        if (rank > 0) return;
        if (row == 0) {
#pragma unroll
            for (int j = 0; j < EACH; j++) ends[t + EACH * j] = v[j];
        }
        __syncthreads();
        if (tid <= B / 2) store_end(out, tid, factor, inner);
    }
    // Row 0 is the transform of 2 B real numbers, as B complex ones; its bins are A / 2 apart.
    __device__ __forceinline__ void store_end(R *out, int k, R factor, R inner) const {
        const number<R> a = ends[k], b = conj(ends[(B - k) % B]);
        if (k == 0) {
            const number<R> both = {a.re + a.im, a.re - a.im};
            out[0] = both.re * both.re * factor, out[SAMPLES / 2] = both.im * both.im * factor;
            return;
        }
        const R half = (R)0.5;
        const number<R> even = {(a.re + b.re) * half, (a.im + b.im) * half};
        const number<R> odd = turns[k] * number<R>{(a.im - b.im) * half, (b.re - a.re) * half};
        out[k * (A / 2)] = power(even + odd) * inner;
        if (k < B / 2) out[(B - k) * (A / 2)] = power(even - odd) * inner;
    }

    __device__ __forceinline__ void run() const {
        const int64_t step = gridDim.x / TILES;
        int64_t row = blockIdx.x / TILES;
        request(row, 0), request(row, 1);
        arrive_in_cluster(), wait_for_cluster(); // all blocks have begun
#pragma unroll 1
        for (; row < p.row_count; row += step) {
            number<R> v[EACH];
            load(v);
            transform_columns(row + step, v);
            transform_rows(row + step, v);
            store(reinterpret_cast<R *>(p.to) + row * (SAMPLES / 2 + 1), v);
        }
    }
};

template <class R, int LENGTH> __global__ void __launch_bounds__(cluster_tile<R, LENGTH>::THREADS, 512 / cluster_tile<R, LENGTH>::THREADS)
    cluster_kernel(const __grid_constant__ gndi_long_params p) {
#if !defined(__CUDACC__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
    cluster_frames<R, LENGTH> f = {p};
    f.begin(reinterpret_cast<number<R> *>(shared));
    f.fill();
    f.run();
#endif
}

} // namespace gnd

// Of frames of nfft samples.
extern "C" gndi_cluster_kernel gndi_cuda_cluster_kernel(bool wide, int nfft) {
    using namespace gnd;
#define GNDI_CLUSTER(R, N)                                                                                             \
    gndi_cluster_kernel { (const void *)cluster_kernel<R, N>, cluster_tile<R, N>::THREADS, cluster_tile<R, N>::SHARED }
    if (wide) return nfft >> 16 ? GNDI_CLUSTER(double, 1 << 16) : GNDI_CLUSTER(double, 1 << 15);
    return nfft >> 16 ? GNDI_CLUSTER(float, 1 << 16) : GNDI_CLUSTER(float, 1 << 15);
#undef GNDI_CLUSTER
}
