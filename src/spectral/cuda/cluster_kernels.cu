// cluster_kernels.cu: powers of long real frames, of 2^15 and 2^16 elements, by clusters of four blocks, each of which
// has a frame in its blocks' shared memory, and one frame behind the other. A frame of A B samples is transformed in
// two steps (D. H. Bailey, "FFTs in external or hierarchical memory", 1990): columns of A samples, two real ones as a
// complex one, and rows of B numbers, row k of the results k and A - k of the columns; the rows behind A / 2 are mirror
// images of these.
//
// A block has the same columns and the same rows of each frame; a thread 16 numbers of them in registers. Two parts of
// shared memory, `samples` and `plane`, hold in turn, for a block's numbers:
//
//     samples, first half    real parts of columns: samples    both steps of columns    the second half of the rows
//     samples, second half   imaginary parts of columns        both steps of columns
//     plane                                                                             the first half of the rows
//
// Results of columns are sent to the blocks that have their rows; between the two steps of rows real and imaginary
// parts change threads one behind the other, in `plane` alone. So halves of `samples` are filled with the next frame as
// soon as they are free.
//
// Blocks wait for each other at arrivals, each of which takes place once for a frame: sums of samples are there; all
// blocks have read their columns, so that rows may be sent; and half of a block's rows are there. What arrives for the
// next frame has been sent by blocks that had all they wait for of this one, so that no arrival takes place too early.
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/clusters.cuh"
#include "spectral/cuda/turned_dft.cuh"

namespace gnd {

// What a block has of a frame: COLUMNS complex columns of A numbers, or ROWS rows of B numbers; 16 of a thread.
template <class R, int LENGTH> struct cluster_tile {
    static constexpr int TILES = GNDI_CLUSTER_BLOCKS, EACH = 16, B = 256, SAMPLES = LENGTH, A = SAMPLES / B;
    static constexpr int ROWS = A / 2 / TILES, COLUMNS = B / 2 / TILES, SHARE = A / EACH; // SHARE: threads of a column
    static constexpr int THREADS = EACH * ROWS, WARPS = THREADS / WARP, NUMBERS = ROWS * B, PITCH = B + 1;
    static constexpr int RESIDENT = 512 / THREADS; // blocks of a multiprocessor
    // Roots: of columns, SHARE / 2 for each of 16 transforms; of rows, 8 for each; of bins, 4 for each row and for each
    // thread of one.
    static constexpr int COLUMN_ROOTS = SHARE / 2 * EACH, ROW_ROOTS = 8 * ROWS, BIN_ROOTS = 4 * (ROWS + EACH);
    static constexpr int ROOTS = COLUMN_ROOTS + ROW_ROOTS + BIN_ROOTS;
    static constexpr int ENDS = ROWS * PITCH / 2 + NUMBERS + ROOTS, ALL = ENDS + B + B / 2 + 2; // in numbers
    static constexpr int SUMS = TILES * WARPS, ARRIVALS = ALL * (int)sizeof(number<R>) + SUMS * (int)sizeof(double);
    // In bytes; of the window as many of a thread's 16 numbers as there is room for.
    static constexpr int WINDOW = ARRIVALS + 4 * (int)sizeof(bulk_arrival), MOST = (228 << 10) / RESIDENT - (1 << 10);
    static constexpr int OF_EACH = THREADS * (int)sizeof(number<R>), ROOM = (MOST - WINDOW) / OF_EACH;
    static constexpr int KEPT = ROOM < EACH ? ROOM : EACH, SHARED = WINDOW + KEPT * OF_EACH;
    static_assert(COLUMNS == WARP && SHARE * COLUMNS == THREADS && ROWS % EACH == 0 && ALL % 2 == 0, "");
};

// Of roots 0, 1, 2 and 4, as products of those of a row and of a thread.
template <class R> struct product_roots {
    const number<R> *of_row, *of_thread;
    int step;
    GNDI_FN_MEMBER number<R> product(int i) const { return of_row[i * step] * of_thread[i * step]; }
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
    static constexpr int APART = THREADS / COLUMNS * B; // samples from one of a thread's to the next

    const gndi_long_params &p;
    R *samples, *plane;
    bulk_arrival *summed, *read, *sent; // sent: of each half of the rows
    R *kept;                            // of the window
    number<R> *column_roots, *row_roots, *bin_roots, *ends, *turns;
    double *sums; // of samples: of each block's warps
    int rank, tid;
    uint64_t policy;

    __device__ __forceinline__ void begin(number<R> *memory) {
        samples = reinterpret_cast<R *>(memory), column_roots = memory + NUMBERS;
        row_roots = column_roots + tile::COLUMN_ROOTS, bin_roots = row_roots + tile::ROW_ROOTS;
        plane = reinterpret_cast<R *>(bin_roots + tile::BIN_ROOTS);
        ends = memory + tile::ENDS, turns = ends + B, sums = reinterpret_cast<double *>(memory + tile::ALL);
        summed = reinterpret_cast<bulk_arrival *>(sums + tile::SUMS), read = summed + 1, sent = read + 1;
        kept = reinterpret_cast<R *>(sent + 2);
        rank = rank_in_cluster(), tid = (int)threadIdx.x, policy = of_what_is_read_once();
    }
    // The roots of the transforms in columns, in rows, and of their bins; and exp(-pi i k / B).
    __device__ __forceinline__ void fill() {
        for (int i = tid; i < tile::COLUMN_ROOTS; i += THREADS)
            column_roots[i] = root_of<R>(i / EACH, SHARE, i % EACH, A);
        for (int i = tid; i < tile::ROW_ROOTS; i += THREADS)
            row_roots[i] = root_of<R>(i / ROWS, EACH, EACH * (rank * ROWS + i % ROWS), SAMPLES);
        for (int i = tid; i < tile::BIN_ROOTS; i += THREADS) {
            const int of = i % (ROWS + EACH), root = i / (ROWS + EACH);
            const int own = of < ROWS ? rank * ROWS + of : A * (of - ROWS);
            bin_roots[i] = root_of<R>(root < 3 ? root : 4, EACH, own, SAMPLES);
        }
        for (int i = tid; i <= B / 2; i += THREADS) turns[i] = register_block<R, 32>::root(-(double)i / B);
        const R *const window = reinterpret_cast<const R *>(p.plan.window) + place_of(tid, 0);
        for (int e = 0; e < tile::KEPT; e++)
            for (int half = 0; half < 2; half++)
                kept[(2 * e + half) * THREADS + tid] = p.plan.window ? window[e * APART + half * (B / 2)] : (R)1;
        if (tid == 0) {
            arrival_init(summed, 1), arrival_init(read, tile::SUMS);
            arrival_init(sent, 1), arrival_init(sent + 1, 1);
        }
        __syncthreads();
        wait_for_cluster();
    }

    // ---- samples ----------------------------------------------------------------------------------

    // A thread brings 16 bytes here and there of a half of `samples`: V neighbours of a row.
    static constexpr int V = 16 / (int)sizeof(R), COPIES = NUMBERS / V / THREADS, STEP = V * THREADS;
    static_assert(STEP % COLUMNS == 0 && COPIES * STEP == NUMBERS, "");
    __device__ __forceinline__ int place_of(int i, int half) const {
        return i / COLUMNS * B + half * (B / 2) + rank * COLUMNS + i % COLUMNS;
    }
    // The frame of a row; NULL behind the last one, which is not requested.
    __device__ __forceinline__ const R *frame_of(int64_t row) const {
        if (row >= p.row_count) return NULL;
        const row_place at = row_place::of(p.plan, row);
        return line_of<R>(p.plan, at.line) + (at.start - p.plan.x_first);
    }
    __device__ __forceinline__ void request(const R *frame, int half) const {
        if (!frame) return;
        const R *const from = frame + place_of(V * tid, half);
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
        const int to = tid % WARP;
        if (to < TILES)
            send_to_block(place_in_block(sums + rank * WARPS + tid / WARP, to), all, place_in_block(summed, to));
        if (tid == 0) expect_bytes(summed, tile::SUMS * (int)sizeof(double));
    }
    __device__ __forceinline__ double mean(int parity) const {
        double all = 0;
        bulk_wait(summed, parity);
#pragma unroll
        for (int i = 0; i < TILES * WARPS; i += WARP) all += sums[i + tid % WARP];
#pragma unroll
        for (int width = WARP / 2; width > 0; width /= 2) all += __shfl_xor_sync(0xffffffff, all, width);
        return all / SAMPLES;
    }
    // The window's elements, and then their products with the samples.
    __device__ __forceinline__ void load(int parity, number<R> *v) const {
        const R *const w = reinterpret_cast<const R *>(p.plan.window) + place_of(tid, 0), *const x = samples + tid;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            if (e < tile::KEPT) continue;
            v[e].re = p.plan.window ? w[e * APART] : (R)1, v[e].im = p.plan.window ? w[e * APART + B / 2] : (R)1;
        }
        wait_for_copies();
        const bool trend = p.plan.trend != GNDI_TREND_NONE;
        if (trend) tell_sum();
        __syncthreads();
        const double less = trend ? mean(parity) : 0;
#pragma unroll
        for (int e = 0; e < EACH; e++) {
            if (e < tile::KEPT) v[e] = {kept[2 * e * THREADS + tid], kept[(2 * e + 1) * THREADS + tid]};
            v[e].re *= (R)((double)x[e * THREADS] - less);
            v[e].im *= (R)((double)x[e * THREADS + NUMBERS] - less);
        }
    }

    // ---- columns ----------------------------------------------------------------------------------

    // Thread t of a column has results t + 16 j, and where 8 threads share one, t + 8 + 16 j besides.
    __device__ __forceinline__ void transform_columns(const R *next, int parity, number<R> *v) const {
        const int t = tid / COLUMNS, column = tid % COLUMNS;
        number<R> *const frame = reinterpret_cast<number<R> *>(samples);
        dft<EACH, -1, 1>(v);
        __syncthreads(); // all have read: results lie where samples lay
#pragma unroll
        for (int k = 0; k < EACH; k++) frame[(t * EACH + k) * COLUMNS + column] = v[k];
        __syncthreads();
#pragma unroll
        for (int k = 0; k < EACH; k++) v[k] = frame[(k % SHARE * EACH + t + k / SHARE * SHARE) * COLUMNS + column];
        __syncwarp();
        if (tid % WARP < TILES) arrive_in_block(place_in_block(read, tid % WARP));
#pragma unroll
        for (int k = 0; k < EACH; k += SHARE) turned_dft<SHARE>(v + k, all_roots<R>{column_roots + t + k, EACH});
        bulk_wait(read, parity);
        request(next, 1);
        if (tid == 0) expect_bytes(sent, HALF_BYTES), expect_bytes(sent + 1, HALF_BYTES);
        send(t, rank * COLUMNS + column, v);
    }

    // Number c of row first + more, where more is 0 to 15 and `first` a multiple of 16, to a block, if the row is in a
    // half of its rows.
    static constexpr int HALF_BYTES = NUMBERS / 2 * (int)sizeof(number<R>);
    template <int HALF>
    static __device__ __forceinline__ void send_number(unsigned block, int first, int more, int c, number<R> z) {
        constexpr int FIRST = HALF ? -NUMBERS / 2 : NUMBERS + tile::ROOTS; // of `samples`; of `plane`
        if ((ROWS > EACH ? first >= ROWS / 2 : more >= ROWS / 2) != HALF) return;
        const unsigned place = (unsigned)((first + more) * B + c + FIRST) * (unsigned)sizeof(number<R>);
        send_to_block(block + place, z, block + tile::ARRIVALS + (2 + HALF) * (unsigned)sizeof(bulk_arrival));
    }
    // Result k to row k, result A - k to its second half: those to half a block's rows.
    template <int HALF, int BLOCK> __device__ __forceinline__ void send_rows(int t, int c, const number<R> *v) const {
        const unsigned block = place_in_block(samples, BLOCK);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int first = t + i / SHARE * SHARE, j = i % SHARE; // this is result first + 16 j
            const int row = EACH * (j < SHARE / 2 ? j : SHARE - 1 - j), next = row + EACH;
            if (j < SHARE / 2) {
                if (row / ROWS == BLOCK && (i > 0 || t > 0)) send_number<HALF>(block, row % ROWS, first, c, v[i]);
            } else if (first > 0) {
                if (row / ROWS == BLOCK) send_number<HALF>(block, row % ROWS, EACH - first, c + B / 2, v[i]);
            } else if (j > SHARE / 2) {
                if (next / ROWS == BLOCK) send_number<HALF>(block, next % ROWS, 0, c + B / 2, v[i]);
            }
        }
    }
    // Warps begin with different blocks, so that all of these receive at once.
    template <int HALF> __device__ __forceinline__ void send_half(int t, int c, const number<R> *v) const {
        static_assert(TILES == 4, "");
#pragma unroll 1
        for (int i = 0; i < TILES; i++) {
            const int block = (i + rank + tid / WARP) % TILES;
            if (block == 0)
                send_rows<HALF, 0>(t, c, v);
            else if (block == 1)
                send_rows<HALF, 1>(t, c, v);
            else if (block == 2)
                send_rows<HALF, 2>(t, c, v);
            else
                send_rows<HALF, 3>(t, c, v);
        }
    }
    __device__ __forceinline__ void send(int t, int c, const number<R> *v) const {
        if (t == 0) {
            // Results 0 and A / 2 are those of real columns. Of them the first block has, as its row 0, the sums of the
            // samples number c modulo 2 B, for all c; pairs of the second half are swapped.
            const number<R> sum = v[0] + v[SHARE / 2], difference = v[0] - v[SHARE / 2];
            send_end(c, sum.re), send_end(c + B / 2, sum.im);
            send_end(B + (c ^ 1), difference.re), send_end(B + B / 2 + (c ^ 1), difference.im);
        }
        send_half<0>(t, c, v);
        send_half<1>(t, c, v);
    }
    // Number i of row 0, as real numbers.
    __device__ __forceinline__ void send_end(int i, R x) const {
        send_to_block(place_in_block(plane + i, 0), x, place_in_block(sent, 0));
    }

    // ---- rows -------------------------------------------------------------------------------------

    // The rows, of twice their elements: thread t of one has results t + 16 j.
    __device__ __forceinline__ void transform_rows(const R *next, int parity, number<R> *v) const {
        const int before = tid / EACH, lane = tid % EACH, row = tid % ROWS, t = tid / ROWS; // before: the first step's
        bulk_wait(sent + before / (ROWS / 2), parity);
        load_rows(before, lane, v);
        turned_dft<EACH>(v, all_roots<R>{row_roots + before, ROWS});
        __syncthreads(); // all have read
        request(next, 0);
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
        turned_dft<EACH>(v, product_roots<R>{bin_roots + row, bin_roots + ROWS + t, ROWS + EACH});
    }
    __device__ __forceinline__ void load_rows(int row, int lane, number<R> *v) const {
        const R *const of_row = row < ROWS / 2 ? plane + 2 * row * B : samples + 2 * (row - ROWS / 2) * B;
        const number<R> *const from = reinterpret_cast<const number<R> *>(of_row) + lane;
        const R other = rank + row > 0 ? (R)1 : (R)0; // row 0 has its elements themselves
#pragma unroll
        for (int e = 0; e < EACH / 2; e++) {
            const number<R> a = from[e * EACH], b = from[e * EACH + B / 2];
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
        R *const up = out + k, *const down = out + (SAMPLES - k);
        if (k % A > 0) {
#pragma unroll
            for (int j = 0; j < EACH; j++)
                __stcs(j < EACH / 2 ? up + A * EACH * j : down - A * EACH * j, power(v[j]) * inner);
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
        const R *next = frame_of(row);
        request(next, 0), request(next, 1);
#pragma unroll 1
        for (int parity = 0; row < p.row_count; row += step, parity ^= 1) {
            number<R> v[EACH];
            next = frame_of(row + step);
            load(parity, v);
            transform_columns(next, parity, v);
            transform_rows(next, parity, v);
            store(reinterpret_cast<R *>(p.to) + row * (SAMPLES / 2 + 1), v);
        }
    }
};

template <class R, int LENGTH, class T = cluster_tile<R, LENGTH>>
__global__ void __launch_bounds__(T::THREADS, T::RESIDENT) cluster_kernel(const __grid_constant__ gndi_long_params p) {
#if !defined(__CUDACC__) || (defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900)
    cluster_frames<R, LENGTH> f = {p};
    f.begin(reinterpret_cast<number<R> *>(shared));
    f.fill();
    f.run();
#endif
}

} // namespace gnd

template <class R, int LENGTH> static gndi_cluster_kernel kernel_of() {
    typedef gnd::cluster_tile<R, LENGTH> tile;
    return {(const void *)gnd::cluster_kernel<R, LENGTH>, tile::THREADS, tile::SHARED};
}

// Of frames of nfft samples.
extern "C" gndi_cluster_kernel gndi_cuda_cluster_kernel(bool wide, int nfft) {
    if (wide) return nfft >> 16 ? kernel_of<double, 1 << 16>() : kernel_of<double, 1 << 15>();
    return nfft >> 16 ? kernel_of<float, 1 << 16>() : kernel_of<float, 1 << 15>();
}
