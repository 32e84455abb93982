/*
 * scan_narrow.cuh: dense matrices of a few columns, scanned down their columns. A tile is whole rows,
 * which go through shared memory as the stream of bytes that they are; a thread scans some rows of one
 * column, a chunk. They are so many that the threads of a warp find their elements in different banks.
 *
 * What other blocks publish takes as long to come as data does, behind which it queues: several
 * microseconds. So nobody waits for it: blocks stay and take one tile after the other, and each goes
 * through a pipeline. In round i of a block tile i + ahead is asked for; tile i, which has come, is
 * added up, and its totals published; what comes before tile i - late is there by now, and the tile
 * is scanned and stored. 10^7 x 10 floats: 300 us, where blocks that wait take 399, and 232 if nobody
 * looks back (m).
 */
#ifndef GNDI_SCAN_NARROW_CUH
#define GNDI_SCAN_NARROW_CUH

#include "kernels/cuda/scan_narrow_look.cuh"

namespace gnd {

constexpr int narrow_direct = 3;
constexpr int narrow_ring = 8; /* tiles that a block remembers: more than are under way */

struct narrow_tile {
    int64_t at, outer;      /* its first element; its matrix */
    int32_t row_tile, rows; /* no rows: there is no such tile */
    uint32_t flag;
};

/* What a block's threads share, next to the tiles. */
template <class A> struct narrow_shared {
    narrow_tile tiles[narrow_ring];
    A total[narrow_ring][GNDI_SCAN_WIDTH], before[GNDI_SCAN_WIDTH];
};

/* A block. Its rounds are numbered, and its tiles by the round that adds them up. */
template <class O> struct narrow_block {
    typedef typename O::element S;
    typedef typename O::value A;
    const gndi_scan_narrow &p;
    narrow_shared<A> &shared;
    char *memory; /* p.buffers tiles, and for late + 1 of them a value a chunk */

    GNDI_METHOD S *elements(int i) const { return (S *)(memory + i % p.buffers * p.room); }
    GNDI_METHOD A *chunks(int i) const {
        return (A *)(memory + p.buffers * p.room) + i % (p.late + 1) * (int)blockDim.x;
    }
    GNDI_METHOD narrow_tile tile(int i) const {
        return i < 0 ? narrow_tile{0, 0, 0, 0, 0} : shared.tiles[i % narrow_ring];
    }
    GNDI_METHOD scan_word *words(const narrow_tile &t, int column) const {
        return p.state.words + (t.outer * p.width + column) * p.state.column * scan_words<A>;
    }

    /* Takes tile i, if there is one left; a thread's work. */
    GNDI_METHOD void take(int i, int64_t &untaken) const {
        const int64_t tiles = (int64_t)p.row_tiles * p.outer;
        narrow_tile t = {0, 0, 0, 0, 0};
        if (untaken < tiles) {
            int64_t number = untaken;
            if (p.state.ticket) { /* a block takes tickets until it gets one too many */
                const scan_word old = atomicAdd(p.state.ticket, (scan_word)1);
                const int64_t most = tiles + gridDim.x;
                number = (uint32_t)old, t.flag = (uint32_t)(old >> 32) * 2 + 1;
                if (number == most - 1) atomicAdd(p.state.ticket, ((scan_word)1 << 32) - most);
            }
            untaken = p.state.ticket ? number : number + gridDim.x;
            if (number < tiles) {
                t.outer = take_digit(number, p.outer);
                t.row_tile = (int32_t)number;
                const int64_t row = number * p.chunks * p.rows, left = p.length - row;
                t.rows = left < p.chunks * p.rows ? (int32_t)left : p.chunks * p.rows;
                t.at = (t.outer * p.length + row) * p.width;
            }
        }
        shared.tiles[i % narrow_ring] = t;
    }

    /* Starts to load tile i. Vectors of 16 bytes are read if they are aligned. */
    GNDI_METHOD void load(int i) const {
        constexpr int V = scan_vector<S>;
        const narrow_tile t = tile(i);
        const int count = t.rows * p.width, threads = (int)blockDim.x;
        const S *from = (const S *)p.in + t.at;
        S *to = elements(i);
        if (p.vectors) {
            for (int e = threadIdx.x * V; e < count; e += threads * V) {
                const int left = count - e;
                copy_ahead((uint4 *)(to + e), (const char *)(from + e),
                           left < V ? left * (int)sizeof(S) : 16);
            }
            commit_copies();
        } else {
#pragma unroll 8
            for (int e = threadIdx.x; e < count; e += threads) to[e] = from[e];
        }
    }
    GNDI_METHOD void store(int i) const {
        constexpr int V = scan_vector<S>;
        const narrow_tile t = tile(i);
        const int count = t.rows * p.width, threads = (int)blockDim.x;
        const int whole = p.vectors ? count / V * V : 0;
        S *to = (S *)p.out + t.at;
        const S *from = elements(i);
        for (int e = threadIdx.x * V; e < whole; e += threads * V)
            *(uint4 *)(to + e) = *(const uint4 *)(from + e);
#pragma unroll 8
        for (int e = whole + threadIdx.x; e < count; e += threads) to[e] = from[e];
    }

    /* Adds up the thread's chunk of tile i, or scans it in place. */
    template <bool Stores> GNDI_METHOD void scan_chunk(int i) const {
        const narrow_tile t = tile(i);
        const int chunk = threadIdx.x / p.width, column = threadIdx.x % p.width;
        const int left = t.rows - chunk * p.rows, count = left < p.rows ? left : p.rows;
        if (count <= 0) return;
        S *mine = elements(i) + chunk * p.rows * p.width + column;
        A &total = chunks(i)[threadIdx.x];
        if constexpr (Stores) {
            A x = total; /* of the chunks before */
            if (t.row_tile > 0)
                x = chunk > 0 ? O::join(shared.before[column], x) : shared.before[column];
            scan_rows<true>(mine, count, chunk > 0 || t.row_tile > 0, x);
        } else {
            total = scan_rows<false>(mine, count, false, A());
        }
    }
    /* Scans `count` elements, going on from x if there is a `before`; stores the results if they are
       wanted. Several are read before the first is used. */
    template <bool Stores> GNDI_METHOD A scan_rows(S *at, int count, bool before, A x) const {
        constexpr int batch = sizeof(S) <= 8 ? 8 : 4;
        const int step = p.width;
        const bool skip_nan = p.skip_nan;
        if (!before) { /* the first element as it is */
            x = O::lift(*at, skip_nan);
            if (Stores) *at = O::lower(x);
            at += step, count--;
        }
        for (; count >= batch; count -= batch) {
            S e[batch];
#pragma unroll
            for (int b = 0; b < batch; b++) e[b] = at[b * step];
#pragma unroll
            for (int b = 0; b < batch; b++) {
                x = O::join(x, O::lift(e[b], skip_nan));
                if (Stores) at[b * step] = O::lower(x);
            }
            at += batch * step;
        }
        for (; count > 0; count--, at += step) {
            x = O::join(x, O::lift(*at, skip_nan));
            if (Stores) *at = O::lower(x);
        }
        return x;
    }

    /* A warp's work: makes the totals of a column's chunks what comes before each in the tile, and
       publishes the column's. A lane has some neighbouring chunks. */
    GNDI_METHOD void add_up(int i, int column) const {
        const narrow_tile t = tile(i);
        const int lane = threadIdx.x & 31, each = p.chunks / 32;
        A *const at = chunks(i) + lane * each * p.width + column;
        A x = at[0];
        for (int k = 1; k < each; k++) x = O::join(x, at[k * p.width]);
#pragma unroll
        for (int d = 1; d < 32; d *= 2) {
            const A other = shuffle_up(x, d);
            if (lane >= d) x = O::join(other, x);
        }
        if (p.state.words && lane == 31) {
            publish(words(t, column), t.row_tile, t.flag, x);
            shared.total[i % narrow_ring][column] = x;
        }
        A before = shuffle_up(x, 1);
        for (int k = 0; k < each; k++) {
            const A one = at[k * p.width];
            if (lane + k > 0) at[k * p.width] = before;
            before = lane + k > 0 ? O::join(before, one) : one;
        }
        __syncwarp();
    }
};

template <class O>
__global__ void __launch_bounds__(GNDI_SCAN_NARROW_THREADS, sizeof(typename O::value) > 8 ? 1 : 2)
    scan_narrow_kernel(const __grid_constant__ gndi_scan_narrow p) {
    typedef typename O::value A;
    extern __shared__ uint4 scan_shared[];
    __shared__ narrow_shared<A> shared;
    const narrow_block<O> block{p, shared, (char *)scan_shared};
    const int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    const bool takes = threadIdx.x == blockDim.x - 1;
    int64_t untaken = p.state.ticket ? 0 : blockIdx.x;
    if (takes)
        for (int i = 0; i < p.ahead; i++) block.take(i, untaken);
    __syncthreads();
    for (int i = 0; i < p.ahead; i++) block.load(i);

    for (int i = 0;; i++) {
        /* Tiles come to an end: first there is nothing to add up, then nothing to scan. */
        const int last = i - p.late;
        const narrow_tile now = block.tile(i), scanned = block.tile(last);
        if (!now.rows && !scanned.rows && i >= p.late) break;
        wait_for_copies(p.ahead - 1);
        if (takes) block.take(i + p.ahead, untaken);
        __syncthreads();
        block.template scan_chunk<false>(i);
        __syncthreads();
        if (warp < p.width) {
            if (now.rows) block.add_up(i, warp);
            if (scanned.rows && scanned.row_tile > 0) {
                const A before = look_back_narrow<O, narrow_direct>(
                    p.state, block.words(scanned, warp), scanned.row_tile, scanned.flag,
                    shared.total[last % narrow_ring][warp]);
                if (lane == 0) shared.before[warp] = before;
            }
        }
        __syncthreads();
        if (scanned.rows) {
            block.template scan_chunk<true>(last);
            __syncthreads();
            block.store(last);
            __syncthreads();
        }
        block.load(i + p.ahead);
    }
}

} // namespace gnd

#endif
