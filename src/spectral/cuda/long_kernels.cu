// long_kernels.cu: powers of long real frames, of 2^15 and 2^16 elements, in one launch. A frame of A B samples is
// transformed in two steps (D. H. Bailey, "FFTs in external or hierarchical memory", 1990): columns of A samples, two
// real ones as a complex one, and rows of B numbers, row k of the results k and A - k of the columns; the rows behind
// A / 2 are mirror images of these.
//
// All blocks run at once, one on a multiprocessor. A group of TILES blocks has every so many-th frame, and each of its
// blocks always the same columns and the same rows of them, so that their window and their roots stay in its shared
// memory. Results of columns go to a ring of scratch frames, which the L2 cache holds. The warps of a block have roles,
// which wait for each other alone and are some frames apart, so that memory, caches and arithmetic work side by side:
//
//     samplers    bring samples to shared memory, frames ahead, and tell the group their sum, for the mean
//     columns     a team that transforms the columns of a frame, and writes the results to the ring
//     publisher   tells the group what is in the ring, and the team which part of it has been read
//     carriers    bring rows from the ring to shared memory, as soon as all blocks have written theirs
//     rows        a team that transforms them, and writes powers
//
// Counters of a frame's place in the ring count on from frame to frame. No block waits for one that waits for it: what
// the blocks need for a frame they have given before they wait for anything of a later one.
#include "kernels/cuda/async_copy.cuh"
#include "kernels/cuda/bulk_copies.cuh"
#include "kernels/cuda/relay.cuh"
#include "spectral/cuda/turned_dft.cuh"

namespace gnd {

// What a block has of a frame: 8 rows of 256 numbers, or as many numbers of columns; 16 of a thread.
template <class R, int TILES> struct long_tile {
    static constexpr int EACH = 16, ROWS = 8, TEAM = GNDI_LONG_TEAM;
    static constexpr int A = 2 * ROWS * TILES, B = 256, SAMPLES = A * B;
    static constexpr int COLUMNS = B / 2 / TILES, SHARE = A / EACH;      // complex columns; threads of one
    static constexpr int NUMBERS = ROWS * B, PIECE = 2 * ROWS * COLUMNS; // of a tile; of one from one block's columns
    static constexpr int PITCH = B + 1, ROW_BUFFER = ROWS * PITCH;       // of rows within a transform
    static constexpr int SAMPLE_BUFFERS = GNDI_LONG_BUFFERS, ROW_BUFFERS = 2, SAMPLERS = 2;
    // Roots: of columns, SHARE / 2 for each of 16 transforms; of rows, 8 for each; of threads, 4.
    static constexpr int COLUMN_ROOTS = SHARE / 2 * EACH, ROW_ROOTS = 8 * ROWS, OWN_ROOTS = 4 * TEAM;
    static constexpr int BUFFERS = SAMPLE_BUFFERS * NUMBERS + ROW_BUFFERS * ROW_BUFFER + NUMBERS; // with the window
    static constexpr int SHARED = BUFFERS + COLUMN_ROOTS + ROW_ROOTS + OWN_ROOTS + B + B / 2 + 1; // numbers
    static_assert(SHARE * COLUMNS == TEAM && EACH * ROWS == TEAM && A * COLUMNS == NUMBERS, "");
    static_assert(GNDI_LONG_SUMS >= 2 * SAMPLE_BUFFERS, "see tell_sum");
};

// The barriers of a block, of which some take turns from frame to frame.
enum long_barrier {
    SAMPLES_READY = 1,
    SAMPLES_FREE = 4,
    ROWS_READY = 7,
    ROWS_FREE = 9,
    SLOT_FREE = 11,
    STORED,
    COLUMN_TEAM,
    ROW_TEAM,
};

template <class R, int TILES> struct long_frames {
    typedef long_tile<R, TILES> tile;
    static constexpr int A = tile::A, B = tile::B, SAMPLES = tile::SAMPLES, EACH = tile::EACH, ROWS = tile::ROWS;
    static constexpr int TEAM = tile::TEAM, WITH_WARP = TEAM + WARP, COLUMNS = tile::COLUMNS, SHARE = tile::SHARE;
    static constexpr int NUMBERS = tile::NUMBERS, PIECE = tile::PIECE, PITCH = tile::PITCH, SLOTS = GNDI_LONG_SLOTS;

    const gndi_long_params &p;
    number<R> *samples, *rows, *column_roots, *row_roots, *own_roots, *ends, *turns;
    R *window;
    double *means;
    int group, groups, rank, frames; // rank: of this block in its group, which has so many frames
    number<R> *ring;
    gndi_long_relay *relay;

    __device__ __forceinline__ void begin(number<R> *memory, double *of_frames) {
        samples = memory, rows = samples + tile::SAMPLE_BUFFERS * NUMBERS;
        window = reinterpret_cast<R *>(rows + tile::ROW_BUFFERS * tile::ROW_BUFFER);
        column_roots = memory + tile::BUFFERS, row_roots = column_roots + tile::COLUMN_ROOTS;
        own_roots = row_roots + tile::ROW_ROOTS, ends = own_roots + tile::OWN_ROOTS, turns = ends + B;
        means = of_frames;
        group = (int)blockIdx.x / TILES, groups = (int)gridDim.x / TILES, rank = (int)blockIdx.x % TILES;
        frames = (int)((p.row_count - group + groups - 1) / groups);
        ring = reinterpret_cast<number<R> *>(p.ring) + (int64_t)group * SLOTS * (SAMPLES / 2);
        relay = reinterpret_cast<gndi_long_relay *>(p.relays) + group;
    }
    __device__ __forceinline__ int64_t row_of(int frame) const { return group + (int64_t)frame * groups; }
    __device__ __forceinline__ number<R> *slot_of(int frame) const { return ring + frame % SLOTS * (SAMPLES / 2); }

    // The window of the block's columns; the roots of the transforms in columns, in rows, and of what a thread has of a
    // row then; and exp(-pi i k / B).
    __device__ __forceinline__ void fill() {
        const int tid = (int)threadIdx.x, threads = GNDI_LONG_THREADS;
        const R *of_frame = reinterpret_cast<const R *>(p.plan.window);
        for (int i = tid; i < 2 * NUMBERS; i += threads) window[i] = of_frame ? of_frame[place_of(i)] : (R)1;
        for (int i = tid; i < tile::COLUMN_ROOTS; i += threads)
            column_roots[i] = root_of<R>(i / EACH, SHARE, i % EACH, A);
        for (int i = tid; i < tile::ROW_ROOTS; i += threads)
            row_roots[i] = root_of<R>(i / ROWS, EACH, EACH * (rank * ROWS + i % ROWS), SAMPLES);
        for (int i = tid; i < tile::OWN_ROOTS; i += threads) {
            const int of = i % TEAM, own = rank * ROWS + of % ROWS + A * (of / ROWS), root = i / TEAM;
            own_roots[i] = root_of<R>(root < 3 ? root : 4, EACH, own, SAMPLES);
        }
        for (int i = tid; i <= B / 2; i += threads) turns[i] = register_block<R, 32>::root(-(double)i / B);
        __syncthreads();
    }

    // ---- samples ----------------------------------------------------------------------------------

    // Which sample of a frame lies at place i of a tile: first those of columns b, then those of columns b + B / 2,
    // which are the imaginary parts.
    __device__ __forceinline__ int place_of(int i) const {
        const int half = i / NUMBERS, a = i % NUMBERS / COLUMNS;
        return a * B + half * (B / 2) + rank * COLUMNS + i % COLUMNS;
    }
    template <int BYTES> __device__ __forceinline__ void copy(R *to, const R *from, int lane, uint64_t policy) const {
        constexpr int V = BYTES / (int)sizeof(R), STEP = V * WARP, FEW = 8; // FEW: copies whose addresses are sums of
        static_assert(STEP % COLUMNS == 0 && NUMBERS % (FEW * STEP) == 0, ""); // one and a constant
        from += place_of(V * lane), to += V * lane;
#pragma unroll 1
        for (int half = 0; half < 2; half++) {
            const R *at = from + half * (B / 2);
#pragma unroll 1
            for (int i = 0; i < NUMBERS / STEP; i += FEW, at += FEW * (STEP / COLUMNS * B), to += FEW * STEP) {
                asm volatile("" : "+l"(at));
#pragma unroll
                for (int k = 0; k < FEW; k++) copy_once<BYTES>(to + k * STEP, at + k * (STEP / COLUMNS * B), policy);
            }
        }
    }
    __device__ __forceinline__ void load(const R *from, int buffer, int lane, uint64_t policy) const {
        R *const to = reinterpret_cast<R *>(samples + buffer * NUMBERS);
        if (reinterpret_cast<uint64_t>(from) % 16 == 0)
            copy<16>(to, from, lane, policy);
        else
            copy<sizeof(R)>(to, from, lane, policy);
    }

    // The sum of a block's samples, as two words of its halves and the number of the frame. Before they give way to
    // those of frame + SUMS, all blocks have read them: they have told the sums of frame + SUMS - BUFFERS, and so have
    // transformed columns of frame + SUMS - 2 BUFFERS.
    __device__ __forceinline__ void tell_sum(int frame, int lane) const {
        const number<R> *const from = samples + frame % tile::SAMPLE_BUFFERS * NUMBERS + lane;
        double s[8] = {0, 0, 0, 0, 0, 0, 0, 0};
#pragma unroll 1
        for (int i = 0; i < NUMBERS; i += 8 * WARP)
#pragma unroll
            for (int k = 0; k < 8; k++) s[k] += (double)from[i + k * WARP].re + (double)from[i + k * WARP].im;
        double all = ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
#pragma unroll
        for (int width = WARP / 2; width > 0; width /= 2) all += __shfl_xor_sync(0xffffffff, all, width);
        const uint64_t bits = to_bits(all), half = lane == 0 ? bits & 0xffffffffu : bits >> 32;
        if (lane < 2)
            post_word(relay->sums[frame % GNDI_LONG_SUMS] + 2 * rank + lane, (uint64_t)(frame + 1) << 32 | half);
    }
    __device__ __forceinline__ double mean_of(int frame, int lane) const {
        const uint64_t *const from = relay->sums[frame % GNDI_LONG_SUMS] + lane % (2 * TILES);
        uint64_t word;
        do word = look_at_word(from);
        while ((uint32_t)(word >> 32) != (uint32_t)(frame + 1));
        const uint64_t other = __shfl_xor_sync(0xffffffff, word, 1);
        const uint64_t low = lane % 2 ? other : word, high = lane % 2 ? word : other;
        double all = from_bits(high << 32 | (low & 0xffffffffu));
#pragma unroll
        for (int width = 2; width < 2 * TILES; width *= 2) all += __shfl_xor_sync(0xffffffff, all, width);
        return all / SAMPLES;
    }

    // Every second frame, from frame `first` on.
    __device__ __forceinline__ void bring_samples(int first, int lane) const {
        const bool trend = p.plan.trend != GNDI_TREND_NONE;
        const uint64_t policy = of_what_is_read_once();
#pragma unroll 1
        for (int n = first; n < frames; n += tile::SAMPLERS) {
            const int buffer = n % tile::SAMPLE_BUFFERS;
            const row_place at = row_place::of(p.plan, row_of(n));
            const R *from = line_of<R>(p.plan, at.line) + (at.start - p.plan.x_first);
            if (n >= tile::SAMPLE_BUFFERS) sync_some(SAMPLES_FREE + buffer, WITH_WARP);
            load(from, buffer, lane, policy);
            wait_for_copies();
            __syncwarp();
            double mean = 0;
            if (trend) tell_sum(n, lane), mean = mean_of(n, lane);
            if (lane == 0) means[buffer] = mean;
            pass_some(SAMPLES_READY + buffer, WITH_WARP);
        }
    }

    // ---- columns ----------------------------------------------------------------------------------

    // Thread t of a column has results t + 16 j, and where 8 threads share one, t + 8 + 16 j besides.
    __device__ __forceinline__ void transform_columns(int tid) const {
        const int t = tid / COLUMNS, column = tid % COLUMNS;
        const R *const w = window + tid;
#pragma unroll 1
        for (int i = 0; i < frames; i++) {
            const int buffer = i % tile::SAMPLE_BUFFERS;
            number<R> *const frame = samples + buffer * NUMBERS;
            const R *const x = reinterpret_cast<const R *>(frame) + tid;
            number<R> v[EACH];
            sync_some(SAMPLES_READY + buffer, WITH_WARP);
            const double mean = means[buffer];
#pragma unroll
            for (int e = 0; e < EACH; e++) {
                v[e].re = (R)((double)x[e * TEAM] - mean) * w[e * TEAM];
                v[e].im = (R)((double)x[e * TEAM + NUMBERS] - mean) * w[e * TEAM + NUMBERS];
            }
            dft<EACH, -1, 1>(v);
            sync_some(COLUMN_TEAM, TEAM); // all have read: results lie where samples lay
#pragma unroll
            for (int k = 0; k < EACH; k++) frame[(t * EACH + k) * COLUMNS + column] = v[k];
            sync_some(COLUMN_TEAM, TEAM);
#pragma unroll
            for (int k = 0; k < EACH; k++) v[k] = frame[(k % SHARE * EACH + t + k / SHARE * SHARE) * COLUMNS + column];
            if (i + tile::SAMPLE_BUFFERS < frames) pass_some(SAMPLES_FREE + buffer, WITH_WARP);
#pragma unroll
            for (int k = 0; k < EACH; k += SHARE) turned_dft<SHARE>(v + k, all_roots<R>{column_roots + t + k, EACH});
            sync_some(SLOT_FREE, WITH_WARP);
            store_columns(slot_of(i), t, column, v);
            pass_some(STORED, WITH_WARP);
        }
    }

    // In the ring a block's rows lie together: for each block whose columns they are of, its elements of 8 rows, then
    // their second halves.
    static __device__ __forceinline__ int place_in_ring(int row) {
        return row / ROWS * NUMBERS + row % ROWS * COLUMNS;
    }
    // Result k to row k, result A - k to its second half.
    __device__ __forceinline__ void store_columns(number<R> *slot, int t, int column, const number<R> *v) const {
        number<R> *const to = slot + rank * PIECE + column;
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const int first = t + i / SHARE * SHARE, j = i % SHARE, step = j * (EACH / ROWS) * NUMBERS;
            const int place =
                j < SHARE / 2 ? place_in_ring(first) + step : place_in_ring(A - first) - step + ROWS * COLUMNS;
            if (i % (SHARE / 2) > 0 || i > SHARE / 2 || t > 0) to[place] = v[i];
        }
        if (t > 0) return;
        // Results 0 and A / 2 are those of real columns. Of them the first block has, as its row 0, the sums of the
        // samples number c modulo 2 B, for all c; pairs of the second half are swapped.
        const number<R> sum = v[0] + v[SHARE / 2], difference = v[0] - v[SHARE / 2];
        const int c = rank * COLUMNS + column;
        store_end(slot, c, sum.re), store_end(slot, c + B / 2, sum.im);
        store_end(slot, B + (c ^ 1), difference.re), store_end(slot, B + B / 2 + (c ^ 1), difference.im);
    }
    // Number i of row 0, as real numbers.
    static __device__ __forceinline__ void store_end(number<R> *slot, int i, R x) {
        const int element = i / 2 % (B / 2), half = i / B;
        number<R> *const to = slot + element / COLUMNS * PIECE + half * ROWS * COLUMNS + element % COLUMNS;
        reinterpret_cast<R *>(to)[i % 2] = x;
    }

    // ---- the ring ---------------------------------------------------------------------------------

    __device__ __forceinline__ void publish(int lane) const {
#pragma unroll 1
        for (int i = 0; i < frames; i++) {
            if (lane == 0 && i >= SLOTS) await_count(relay->read[i % SLOTS], TILES * (i / SLOTS));
            __syncwarp();
            pass_some(SLOT_FREE, WITH_WARP);
            sync_some(STORED, WITH_WARP);
            if (lane == 0) count_up(relay->written[i % SLOTS]);
        }
    }
    // Every second frame, from frame `first` on, for which there is one buffer.
    __device__ __forceinline__ void carry_rows(int first, int lane) const {
        constexpr int V = 16 / (int)sizeof(number<R>);
#pragma unroll 1
        for (int i = first; i < frames; i += tile::ROW_BUFFERS) {
            number<R> *const to = rows + first * tile::ROW_BUFFER + V * lane;
            const number<R> *const from = slot_of(i) + rank * NUMBERS + V * lane;
            if (lane == 0) await_count(relay->written[i % SLOTS], TILES * (i / SLOTS + 1));
            __syncwarp();
            if (i >= tile::ROW_BUFFERS) sync_some(ROWS_FREE + first, WITH_WARP);
#pragma unroll 16
            for (int k = 0; k < NUMBERS; k += V * WARP) copy_from_l2(to + k, from + k);
            wait_for_copies();
            __syncwarp();
            pass_some(ROWS_READY + first, WITH_WARP);
            if (lane == 0) count_up(relay->read[i % SLOTS]);
        }
    }

    // ---- rows -------------------------------------------------------------------------------------

    // The rows, of twice their elements: thread t of one has results t + 16 j.
    __device__ __forceinline__ void transform_rows(int tid) const {
        const int before = tid / EACH, row = tid % ROWS, t = tid / ROWS; // before: the row of the first step
        const R factor = (R)(p.plan.scale / 4), inner = (R)(p.plan.scale * p.plan.inner / 4);
#pragma unroll 1
        for (int i = 0; i < frames; i++) {
            number<R> *const buffer = rows + i % tile::ROW_BUFFERS * tile::ROW_BUFFER;
            number<R> v[EACH];
            sync_some(ROWS_READY + i % 2, WITH_WARP);
            load_rows(buffer, before, tid % EACH, v);
            turned_dft<EACH>(v, all_roots<R>{row_roots + before, ROWS});
            sync_some(ROW_TEAM, TEAM); // all have read
#pragma unroll
            for (int e = 0; e < EACH; e++) buffer[before * PITCH + tid % EACH + e * EACH] = v[e];
            sync_some(ROW_TEAM, TEAM);
#pragma unroll
            for (int e = 0; e < EACH; e++) v[e] = buffer[row * PITCH + t * EACH + e];
            if (i + tile::ROW_BUFFERS < frames) pass_some(ROWS_FREE + i % 2, WITH_WARP);
            turned_dft<EACH>(v, few_roots<R>{own_roots + tid, TEAM});
            R *const out = reinterpret_cast<R *>(p.to) + row_of(i) * (SAMPLES / 2 + 1);
            if (rank > 0 || row > 0) store(out, rank * ROWS + row + A * t, v, inner);
            if (rank > 0) continue;
            if (row == 0) {
#pragma unroll
                for (int j = 0; j < EACH; j++) ends[t + EACH * j] = v[j];
            }
            sync_some(ROW_TEAM, TEAM);
            store_ends(out, tid, factor, inner);
            if (tid == 0) store_ends(out, B / 2, factor, inner);
        }
    }
    __device__ __forceinline__ void load_rows(const number<R> *buffer, int row, int t, number<R> *v) const {
        const number<R> *const from = buffer + t / COLUMNS * PIECE + row * COLUMNS + t % COLUMNS;
        const R other = rank + row > 0 ? (R)1 : (R)0; // row 0 has its elements themselves
#pragma unroll
        for (int e = 0; e < EACH / 2; e++) {
            const number<R> a = from[e * (EACH / COLUMNS) * PIECE];
            const number<R> b = from[e * (EACH / COLUMNS) * PIECE + ROWS * COLUMNS];
            v[e] = {fma(other, b.re, a.re), fma(-other, b.im, a.im)};
            v[e + EACH / 2] = {fma(other, a.im, b.im), fma(-other, a.re, b.re)};
        }
    }

    static __device__ __forceinline__ R power(number<R> z) {
        return z.re * z.re + z.im * z.im;
    }
    // Results of rows are bins k = row + A t, and so on, and beyond the middle mirror images of bins.
    static __device__ __forceinline__ void store(R *out, int k, const number<R> *v, R inner) {
#pragma unroll
        for (int j = 0; j < EACH; j++)
            __stcs(out + (j < EACH / 2 ? k + A * EACH * j : SAMPLES - k - A * EACH * j), power(v[j]) * inner);
    }
    // Row 0 is the transform of 2 B real numbers, as B complex ones; its bins are A / 2 apart.
    __device__ __forceinline__ void store_ends(R *out, int k, R factor, R inner) const {
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
};

template <class R, int TILES> __global__ void __launch_bounds__(GNDI_LONG_THREADS, 1)
    long_kernel(const __grid_constant__ gndi_long_params p) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
    constexpr int TEAM = GNDI_LONG_TEAM, FIRST = 2 * TEAM / WARP;
    __shared__ double means[GNDI_LONG_BUFFERS];
    long_frames<R, TILES> f = {p};
    f.begin(reinterpret_cast<number<R> *>(shared), means);
    f.fill();
    const int tid = (int)threadIdx.x, warp = tid / WARP, lane = tid % WARP;
    if (tid < TEAM)
        f.transform_columns(tid);
    else if (tid < 2 * TEAM)
        f.transform_rows(tid - TEAM);
    else if (warp < FIRST + 2)
        f.bring_samples(warp - FIRST, lane);
    else if (warp < FIRST + 4)
        f.carry_rows(warp - FIRST - 2, lane);
    else
        f.publish(lane);
#endif
}

} // namespace gnd

// Of frames of nfft samples.
extern "C" const void *gndi_cuda_long_kernel(bool wide, int nfft) {
    using namespace gnd;
    if (wide) return nfft >> 16 ? (const void *)long_kernel<double, 16> : (const void *)long_kernel<double, 8>;
    return nfft >> 16 ? (const void *)long_kernel<float, 16> : (const void *)long_kernel<float, 8>;
}

extern "C" int gndi_cuda_long_shared(bool wide, int nfft) {
    using namespace gnd;
    const int numbers = nfft >> 16 ? long_tile<double, 16>::SHARED : long_tile<double, 8>::SHARED;
    return numbers * (wide ? 16 : 8);
}
