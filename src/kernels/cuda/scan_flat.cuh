/*
 * scan_flat.cuh: lines one after the other as one stream of elements, cut into tiles wherever that
 * falls: one line of 10^8, 10^4 of 10^4 and 10^7 of 10 alike. Results start afresh at each line's
 * first element, its head.
 *
 * A warp has up to `Depth` chunks of 32 vectors of 16 bytes, a vector a lane. They wait in shared
 * memory, where they cost no registers, so that many tiles are on their way at a time, while others
 * look back. Scanned are, in this order: a vector in its thread, the vectors' totals across a chunk,
 * the chunks, the warps' totals, the tiles'.
 */
#ifndef GNDI_SCAN_FLAT_CUH
#define GNDI_SCAN_FLAT_CUH

#include "kernels/cuda/scan_look_back.cuh"

namespace gnd {

constexpr int scan_flat_direct = 4;

/* Where a tile stands. */
struct scan_tile {
    int64_t line, first; /* its first element: the line it is in, and where in it */
    scan_position at;
    uint32_t head; /* its first head; a number past its end if there is none */
};

GNDI_FN scan_tile next_tile(const gndi_scan_flat &p, uint32_t room) {
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
    t.head = head < 2 * room ? (uint32_t)head : 2 * room;
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
    static constexpr bool exchanges = false;

    GNDI_MEMBER void stage(const gndi_scan_flat &p, const scan_tile &t, int at, int count,
                           uint4 *to) {
        const int left = count - at;
        const char *from = p.of.in + ((int64_t)t.at.tile * p.span + at) * (int64_t)sizeof(S);
        if (left > 0)
            copy_ahead(to, from, left < V ? left * (int)sizeof(S) : 16);
        else
            *to = uint4{0, 0, 0, 0};
    }
    GNDI_MEMBER void store(const gndi_scan_flat &p, const scan_tile &t, int at, int count,
                           const scan_pack<S> &x) {
        S *to = (S *)p.of.out + (int64_t)t.at.tile * p.span + at;
        if (at + V <= count)
            *(uint4 *)to = pack_vector<S>(x);
        else
#pragma unroll
            for (int v = 0; v < V; v++)
                if (at + v < count) to[v] = x.at[v];
    }
};

/* Lines anywhere, cast from From. Neighbouring lanes take neighbouring elements, and exchange them
   for vectors in shared memory, where a chunk's 32 vectors stand together. */
template <class O, class From> struct strided_lines {
    typedef typename O::element S;
    static constexpr int V = scan_vector<S>;
    static constexpr bool exchanges = true;

    /* Calls body(element in the chunk, byte offset in the input, in the output) for those of the
       chunk's elements that are the lane's. */
    template <class Body> GNDI_MEMBER void visit(const gndi_scan_flat &p, const scan_tile &t,
                                                 int at, int count, Body body) {
        const int lane = threadIdx.x & 31;
        int64_t current = -1;
        scan_place place = {0, 0};
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
                if (line != current) place = place_of_line(p.of, line), current = line;
                body(element, place.in + in_line * p.of.in_step,
                     place.out + in_line * p.of.out_step);
            }
        }
    }
    GNDI_MEMBER void stage(const gndi_scan_flat &p, const scan_tile &t, int at, int count,
                           uint4 *to) {
        S *chunk = (S *)(to - (threadIdx.x & 31));
        const int lane = threadIdx.x & 31, end = count - (at - lane * V);
#pragma unroll
        for (int v = 0; v < V; v++)
            if (v * 32 + lane >= end) chunk[v * 32 + lane] = S();
        visit(p, t, at, count, [&](int element, int64_t in, int64_t) {
            chunk[element] = cast<S>(*(const From *)(p.of.in + in));
        });
    }
    GNDI_MEMBER void store(const gndi_scan_flat &p, const scan_tile &t, int at, int count,
                           const uint4 *from) {
        const S *chunk = (const S *)(from - (threadIdx.x & 31));
        visit(p, t, at, count,
              [&](int element, int64_t, int64_t out) { *(S *)(p.of.out + out) = chunk[element]; });
    }
};

/* ---- the kernel ----------------------------------------------------------------------------- */

/* The vectors' totals across a chunk, each of those since the last head before it. */
template <class O>
GNDI_FN typename O::value join_chunk(typename O::value x, uint32_t heads, uint32_t below) {
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

template <class O, class Lines, int Depth, int Resident>
__global__ void __launch_bounds__(GNDI_SCAN_THREADS, Resident)
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
    uint4 *mine = staged + threadIdx.x;
    if constexpr (Lines::exchanges) {
#pragma unroll 1
        for (int k = 0; k < p.depth; k++) Lines::stage(p, t, at + k * chunk, count, mine + k * T);
    } else {
#pragma unroll
        for (int k = 0; k < Depth; k++)
            if (k < p.depth) Lines::stage(p, t, at + k * chunk, count, mine + k * T);
    }
    finish_copies();
    __syncwarp();

    /* `before[k]`: what comes before the thread's vector in the warp; `open` where that reaches back
       to the warp's start, so that what comes before the warp belongs to it as well. */
    A before[Depth], carry = A();
    bool warp_open = true;
    uint32_t open = 0;
#pragma unroll
    for (int k = 0; k < Depth; k++) {
        if (k >= p.depth) break;
        const scan_pack<S> x = unpack_vector<S>(mine[k * T]);
        uint32_t next = distance_to_head(p, t.head, (uint32_t)(at + k * chunk));
        const uint32_t heads = __ballot_sync(0xffffffffu, next < (uint32_t)V);
        A y = O::lift(x.at[0], p.of.skip_nan);
        if (next == 0) next = p.near;
#pragma unroll
        for (int v = 1; v < V; v++) {
            const A e = O::lift(x.at[v], p.of.skip_nan);
            if (next == (uint32_t)v)
                next += p.near, y = e;
            else
                y = O::join(y, e);
        }
        y = join_chunk<O>(y, heads, below);
        const A total = shuffle_from(y, 31);
        y = shuffle_up(y, 1);
        if ((heads & below) == 0) {
            if (k > 0) y = lane > 0 ? O::join(carry, y) : carry;
            if (warp_open) open |= 1u << k;
        }
        before[k] = y;
        carry = k > 0 && heads == 0 ? O::join(carry, total) : total;
        warp_open &= heads == 0;
    }
    if (lane == 0) warp_total[warp] = carry, warp_fresh[warp] = !warp_open;
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
        if (last && lane == 0)
            tile_total = warp_fresh[warp] ? warp_total[warp] : O::join(earlier, warp_total[warp]);
        __syncthreads();
        bool fresh = false;
        for (int w = 0; w < warps; w++) fresh |= warp_fresh[w];
        look_back<O, scan_flat_direct, warps, 1>(p.state, t.at, fresh, 0, 1, &tile_total,
                                                 &tile_before, parts);
        if (tile_open && t.at.start < t.at.tile)
            earlier = warp > 0 ? O::join(tile_before, earlier) : tile_before;
    }

#pragma unroll
    for (int k = 0; k < Depth; k++) {
        if (k >= p.depth) break;
        const scan_pack<S> x = unpack_vector<S>(mine[k * T]);
        A y = before[k];
        if (open >> k & 1) y = k == 0 && lane == 0 ? earlier : O::join(earlier, y);
        uint32_t next = distance_to_head(p, t.head, (uint32_t)(at + k * chunk));
        scan_pack<S> results;
#pragma unroll
        for (int v = 0; v < V; v++) {
            const A e = O::lift(x.at[v], p.of.skip_nan);
            if (next == (uint32_t)v)
                next += p.near, y = e;
            else
                y = O::join(y, e);
            results.at[v] = O::lower(y);
        }
        if constexpr (Lines::exchanges)
            mine[k * T] = pack_vector<S>(results);
        else
            Lines::store(p, t, at + k * chunk, count, results);
    }
    if constexpr (Lines::exchanges) {
        __syncwarp();
#pragma unroll 1
        for (int k = 0; k < p.depth; k++) Lines::store(p, t, at + k * chunk, count, mine + k * T);
    }
}

} // namespace gnd

#endif
