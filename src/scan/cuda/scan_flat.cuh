/*
 * scan_flat.cuh: lines one after the other as one stream of elements, cut into tiles wherever that
 * falls: one line of 10^8, 10^4 of 10^4 and 10^7 of 10 alike. Results start afresh at each line's
 * first element, its head.
 *
 * A warp has up to `Depth` chunks of 32 vectors of 16 bytes. They wait in shared memory, where they
 * cost no registers, so that many tiles are on their way at a time, while others look back. Memory is
 * read and written a vector a lane; scanned by a thread are neighbouring vectors, as many as there
 * are chunks (odd numbers lie in different banks). Scanned are, in this order: a thread's elements,
 * the threads' totals across a warp, the warps' totals, the tiles'.
 */
#ifndef GNDI_SCAN_FLAT_CUH
#define GNDI_SCAN_FLAT_CUH

#include "scan/cuda/scan_lookback.cuh"

namespace gnd {

constexpr int scan_flat_direct = 4;

/* Where a tile stands. */
struct scan_tile {
    int64_t line, first; /* its first element: the line it is in, and where in it */
    scan_position at;
    uint32_t head; /* its first head; a number past its end if there is none */
};

GNDI_FN scan_tile next_tile(const gndi_scan_flat &p, uint32_t capacity) {
    scan_tile t;
    const scan_ticket ticket = take_ticket(p.state, p.tiles);
    t.at = scan_position{(int32_t)ticket.tile, 0, ticket.flag};
    t.line = 0, t.first = ticket.tile * p.span;
    if (p.of.lines > 1) {
        t.line = t.first;
        t.first = take_digit(t.line, p.of.length);
        int64_t start = ticket.tile * p.span - t.first;
        take_digit(start, p.span);
        t.at.start = (int32_t)start;
    }
    const int64_t head = t.first ? p.of.length - t.first : 0;
    t.head = head < 2 * capacity ? (uint32_t)head : 2 * capacity;
    return t;
}

/* How far it is from element `at` of a tile to the next head. */
GNDI_FN uint32_t distance_to_head(const gndi_scan_flat &p, uint32_t head, uint32_t at) {
    if (at <= head) return head - at;
    const uint32_t past = at - head;
    const uint32_t digit = past - (uint32_t)((uint64_t)past * p.magic >> 32) * p.near;
    return digit ? p.near - digit : 0;
}

/* ---- vectors in memory ---------------------------------------------------------------------- */

/* Lines that are dense: vectors of 16 bytes. `at` is a vector's first element in the tile. */
template <class O> struct dense_lines {
    typedef typename O::element S;
    static constexpr int V = scan_vector<S>;

    GNDI_MEMBER void stage(const gndi_scan_flat &p, const scan_tile &t, int at, int count, uint4 *to) {
        const int left = count - at;
        const char *from = p.of.in + ((int64_t)t.at.tile * p.span + at) * (int64_t)sizeof(S);
        if (left > 0)
            copy_ahead(to, from, left < V ? left * (int)sizeof(S) : 16);
        else
            *to = uint4{0, 0, 0, 0};
    }
    GNDI_MEMBER void store(const gndi_scan_flat &p, const scan_tile &t, int at, int count, const uint4 *from) {
        S *to = (S *)p.of.out + (int64_t)t.at.tile * p.span + at;
        if (at + V <= count) {
            *(uint4 *)to = *from;
        } else {
            const scan_pack<S> x = unpack_vector<S>(*from);
#pragma unroll
            for (int v = 0; v < V; v++)
                if (at + v < count) to[v] = x.at[v];
        }
    }
};

/* Lines anywhere, cast from From. Neighbouring lanes take neighbouring elements, and exchange them
   for vectors in shared memory, where a chunk's 32 vectors stand together. */
template <class O, class From> struct strided_lines {
    typedef typename O::element S;
    static constexpr int V = scan_vector<S>;

    /* Calls body(element in the chunk, byte offset in the input, in the output) for those of the
       chunk's elements that are the lane's. */
    template <class Body>
    GNDI_MEMBER void visit(const gndi_scan_flat &p, const scan_tile &t, int at, int count, Body body) {
        const int lane = threadIdx.x & 31;
        int64_t current = -1;
        scan_offsets start = {0, 0};
#pragma unroll 4
        for (int v = 0; v < V; v++) {
            const int element = v * 32 + lane, i = at - lane * V + element;
            if (i < count) {
                int64_t line = t.line, in_line = t.first + i;
                if ((uint32_t)i >= t.head) {
                    const uint32_t past = (uint32_t)i - t.head;
                    const uint32_t lines = (uint32_t)((uint64_t)past * p.magic >> 32);
                    in_line = past - lines * p.near;
                    line += lines + (t.first != 0);
                }
                if (line != current) start = offsets_of_line(p.of, line), current = line;
                body(element, start.in + in_line * p.of.in_step, start.out + in_line * p.of.out_step);
            }
        }
    }
    GNDI_MEMBER void stage(const gndi_scan_flat &p, const scan_tile &t, int at, int count, uint4 *to) {
        S *chunk = (S *)(to - (threadIdx.x & 31));
        const int lane = threadIdx.x & 31, end = count - (at - lane * V);
#pragma unroll
        for (int v = 0; v < V; v++)
            if (v * 32 + lane >= end) chunk[v * 32 + lane] = S();
        visit(p, t, at, count,
              [&](int element, int64_t in, int64_t) { chunk[element] = cast<S>(*(const From *)(p.of.in + in)); });
    }
    GNDI_MEMBER void store(const gndi_scan_flat &p, const scan_tile &t, int at, int count, const uint4 *from) {
        const S *chunk = (const S *)(from - (threadIdx.x & 31));
        visit(p, t, at, count, [&](int element, int64_t, int64_t out) { *(S *)(p.of.out + out) = chunk[element]; });
    }
};

/* ---- a thread's elements -------------------------------------------------------------------- */

/* Vectors that a loop takes at a time: not many, where that makes much code. */
template <int Op> constexpr int scan_unrolled = scan_is_cheap<Op> ? 4 : 1;

/* The total of `depth` vectors, since the last head if there is any (Heads). `next`: how far it is to
   the next one. */
template <class O, bool Heads>
GNDI_FN typename O::value total_of_run(const gndi_scan_flat &p, const uint4 *mine, uint32_t next) {
    typedef typename O::element S;
    typedef typename O::value A;
    constexpr int V = scan_vector<S>;
    A y = A();
#pragma unroll(scan_unrolled <O::op>)
    for (int k = 0; k < p.depth; k++) {
        const scan_pack<S> x = unpack_vector<S>(mine[k]);
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A e = O::lift(x.at[v], p.of.skip_nan);
            const bool head = Heads && next == (uint32_t)v;
            if (head) next += p.near;
            y = head || (k == 0 && v == 0) ? e : O::join(y, e);
        }
        next -= V;
    }
    return y;
}

/* A vector of results, as they are kept in memory. */
template <class O, int V> GNDI_FN uint4 packed_results(const typename O::value (&y)[V]) {
    typedef typename O::element S;
#if GNDI_ON_DEVICE && __CUDA_ARCH__ >= 800
    if constexpr (is_same<S, float16>) { /* two at a time */
        uint32_t part[V / 2];
#    pragma unroll
        for (int i = 0; i < V / 2; i++)
            asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(part[i]) : "f"(y[2 * i + 1]), "f"(y[2 * i]));
        return uint4{part[0], part[1], part[2], part[3]};
    } else
#endif
    {
        scan_pack<S> results;
#pragma unroll
        for (int v = 0; v < V; v++) results.at[v] = O::lower(y[v]);
        return pack_vector<S>(results);
    }
}

/* Puts the results in the elements' positions. `before`: what comes before the first one. Sums of
   floating numbers are taken to what comes before by themselves, not one by one: that rounds less. */
template <class O, bool Heads>
GNDI_FN void results_of_run(const gndi_scan_flat &p, uint4 *mine, uint32_t next, typename O::value before) {
    typedef typename O::element S;
    typedef typename O::value A;
    constexpr int V = scan_vector<S>;
    constexpr bool apart = O::op == op_add && (is_float<S> || is_complex<S>);
    bool started = !apart, open = apart; /* y has elements; `before` belongs to it */
    A y = before;
#pragma unroll(scan_unrolled <O::op>)
    for (int k = 0; k < p.depth; k++) {
        const scan_pack<S> x = unpack_vector<S>(mine[k]);
        A results[V];
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A e = O::lift(x.at[v], p.of.skip_nan);
            const bool head = Heads && next == (uint32_t)v;
            if (head) next += p.near, open = false;
            y = head || !started ? e : O::join(y, e);
            started = true;
            results[v] = apart && open ? O::join(before, y) : y;
        }
        mine[k] = packed_results<O>(results);
        next -= V;
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* The threads' totals across a warp, each of those since the last head before it. */
template <class O> GNDI_FN typename O::value join_warp(typename O::value x, uint32_t heads, uint32_t below) {
    typedef typename O::value A;
    const int lane = threadIdx.x & 31;
    const uint32_t since = heads & (below << 1 | 1);
    const int first = since ? 31 - __clz((int)since) : 0;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const A other = shuffle_up(x, d);
        if (lane - d >= first) x = O::join(other, x);
    }
    return x;
}

template <class O, class Lines, int Depth, int Resident> __global__ void __launch_bounds__(GNDI_SCAN_THREADS, Resident)
    scan_flat_kernel(const __grid_constant__ gndi_scan_flat p) {
    typedef typename O::element S;
    typedef typename O::value A;
    constexpr int V = scan_vector<S>, T = GNDI_SCAN_THREADS, warps = T / 32, chunk = 32 * V;
    __shared__ uint4 staged[Depth * T];
    __shared__ scan_tile shared_tile;
    __shared__ A warp_total[warps], tile_total, tile_before;
    __shared__ A parts[scan_part_count<scan_flat_direct>];
    __shared__ bool warp_fresh[warps];
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const uint32_t below = (1u << lane) - 1;
    if (threadIdx.x == 0) shared_tile = next_tile(p, T * V * Depth);
    __syncthreads();
    const scan_tile &t = shared_tile;
    const int64_t left = p.size - (int64_t)t.at.tile * p.span;
    const int count = left < p.span ? (int)left : p.span;
    const int at = warp * chunk * p.depth + lane * V;
    uint4 *const chunks = staged + warp * 32 * p.depth, *const mine = chunks + lane * p.depth;
#pragma unroll 4
    for (int k = 0; k < p.depth; k++) Lines::stage(p, t, at + k * chunk, count, chunks + k * 32 + lane);
    finish_copies();
    __syncwarp();

    const int run = p.depth * V;
    const uint32_t head = distance_to_head(p, t.head, (uint32_t)((int)threadIdx.x * run));
    const uint32_t heads = __ballot_sync(0xffffffffu, head < (uint32_t)run);
    A y = heads ? total_of_run<O, true>(p, mine, head) : total_of_run<O, false>(p, mine, head);
    y = join_warp<O>(y, heads, below);
    if (lane == 31) warp_total[warp] = y, warp_fresh[warp] = heads != 0;
    y = shuffle_up(y, 1); /* what comes before the thread in the warp */
    __syncthreads();

    /* What comes before the warp, in the tile and before it. */
    A earlier = A();
    bool tile_open = true;
    for (int w = 0; w < warp; w++) {
        earlier = w == 0 || warp_fresh[w] ? warp_total[w] : O::join(earlier, warp_total[w]);
        tile_open &= !warp_fresh[w];
    }
    if (p.state.words) {
        const bool last = warp == warps - 1;
        if (last && lane == 0) tile_total = warp_fresh[warp] ? warp_total[warp] : O::join(earlier, warp_total[warp]);
        __syncthreads();
        bool fresh = false;
        for (int w = 0; w < warps; w++) fresh |= warp_fresh[w];
        lookback<O, scan_flat_direct, warps, 1>(p.state, t.at, fresh, 0, 1, &tile_total, &tile_before, parts);
        if (tile_open && t.at.start < t.at.tile) earlier = warp > 0 ? O::join(tile_before, earlier) : tile_before;
    }
    if ((heads & below) == 0) y = lane == 0 ? earlier : O::join(earlier, y);
    if (heads)
        results_of_run<O, true>(p, mine, head, y);
    else
        results_of_run<O, false>(p, mine, head, y);
    __syncwarp();
#pragma unroll 4
    for (int k = 0; k < p.depth; k++) Lines::store(p, t, at + k * chunk, count, chunks + k * 32 + lane);
}

} // namespace gnd

#endif
