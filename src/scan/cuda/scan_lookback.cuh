/*
 * scan_lookback.cuh: how the tiles of FLAT compute their exclusive prefix.
 *
 * What comes before tile t, of group g = t / 32, is put together from these parts, in this order:
 *
 *     0                  entries of level 3
 *     1                  entries of level 2
 *     2                  entries of level 1, up to group g - Direct
 *     3 .. Direct + 2    the tiles of one of the groups g - Direct .. g - 1 each
 *     Direct + 3         the tiles of group g before t
 *
 * The last groups are looked at tile by tile, because their totals would be there later than the
 * tiles' own; entries of the higher levels are first used some groups after they can be had. A warp
 * combines a part in a tree, and then the parts.
 */
#ifndef GNDI_SCAN_LOOK_BACK_CUH
#define GNDI_SCAN_LOOK_BACK_CUH

#include "scan/cuda/scan_block.cuh"

namespace gnd {

/* Where a tile stands. */
struct scan_position {
    int32_t tile, start; /* the tile, and the one in which its first line begins */
    uint32_t flag;
};

struct scan_range {
    int level, first, end;
};
template <int Direct> constexpr int scan_part_count = Direct + 4;

/* The entries of one part. */
template <int Direct> GNDI_FN scan_range range_of_part(const scan_position &t, int part) {
    const int group = t.tile >> 5, old = group > Direct ? group - Direct : 0;
    const int second = old > 8 ? (old - 8) >> 5 : 0, third = second > 1 ? (second - 1) >> 5 : 0;
    scan_range r;
    if (part == 0)
        r = scan_range{3, 0, third};
    else if (part == 1)
        r = scan_range{2, third * 32, second};
    else if (part == 2)
        r = scan_range{1, second * 32, old};
    else if (part < Direct + 3)
        r = scan_range{0, (group - Direct + part - 3) * 32, (group - Direct + part - 2) * 32};
    else
        r = scan_range{0, group * 32, t.tile};
    const int start = t.start >> 5 * r.level;
    if (r.first < start) r.first = start;
    return r;
}

/* The combination of x over lanes `first` to `end` of a warp, in order; all lanes get it. */
template <class O> GNDI_FN typename O::value join_lanes(typename O::value x, int first, int end) {
    typedef typename O::value A;
    const int lane = threadIdx.x & 31, position = lane - first;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
        const A other = shuffle_down(x, d);
        if (position >= 0 && position % (2 * d) == 0 && lane + d < end) x = O::join(x, other);
    }
    return shuffle_from(x, first & 31);
}

/* The combination of a range of entries, by a warp. `entry`: the first 32 as they were read. */
template <class O> GNDI_FN typename O::value join_range(const scan_word *words, const scan_range &r, uint32_t flag,
                                                        scan_entry<typename O::value> entry) {
    typedef typename O::value A;
    const int lane = threadIdx.x & 31;
    A all = A();
    for (int from = r.first; from < r.end; from += 32) {
        const int count = r.end - from < 32 ? r.end - from : 32;
        A x = A();
        if (lane < count) {
            if (from > r.first) entry = read_entry<A>(words, from + lane);
            x = wait_for<A>(entry, words, from + lane, flag);
        }
        x = join_lanes<O>(x, 0, count);
        all = from == r.first ? x : O::join(all, x);
    }
    return all;
}

/*
 * For each of a block's columns: publishes total[column], and totals of groups that the tile is the
 * last of; puts what comes before the tile into before[column] if anything does. fresh: the totals
 * are those since a line's first element, and have nothing to do with what came before. All threads
 * take part, and have seen `total`; parts: a value for each part and column.
 */
template <class O, int Direct, int Warps, int Ahead>
GNDI_FN void lookback(const gndi_scan_state &state, const scan_position &t, bool fresh, int64_t first_column,
                      int columns, const typename O::value *total, typename O::value *before,
                      typename O::value *parts) {
    typedef typename O::value A;
    constexpr int P = scan_part_count<Direct>;
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const int64_t size = state.column * scan_words<A>;
    scan_word *words = state.words + first_column * size;
    for (int c = threadIdx.x; c < columns; c += Warps * 32) publish(words + c * size, t.tile, t.flag, total[c]);

    /* A warp reads ahead what its parts need. */
    for (int i = warp; i < columns * P; i += Warps * Ahead) {
        scan_entry<A> entry[Ahead] = {};
#pragma unroll
        for (int a = 0; a < Ahead; a++) {
            const int item = i + a * Warps, column = item / P;
            const scan_range r = range_of_part<Direct>(t, item % P);
            if (item < columns * P && r.first + lane < r.end)
                entry[a] = read_entry<A>(words + column * size + state.level[r.level] * scan_words<A>, r.first + lane);
        }
#pragma unroll
        for (int a = 0; a < Ahead; a++) {
            const int item = i + a * Warps, column = item / P;
            const scan_range r = range_of_part<Direct>(t, item % P);
            if (item < columns * P && r.first < r.end) {
                const A x =
                    join_range<O>(words + column * size + state.level[r.level] * scan_words<A>, r, t.flag, entry[a]);
                if (lane == 0) parts[item] = x;
            }
        }
    }
    __syncthreads();

    int first = 0, end = P;
    for (; first < P; first++) {
        const scan_range r = range_of_part<Direct>(t, first);
        if (r.first < r.end) break;
    }
    if ((t.tile & 31) == 0 || t.start == t.tile) end = P - 1;
    const int next = t.tile + 1;
    for (int c = warp; c < columns; c += Warps) {
        const A part = lane < P ? parts[c * P + lane] : A();
        if (first < end) {
            const A x = join_lanes<O>(part, first, end);
            if (lane == 0) before[c] = x;
        }
        /* Totals of 32, 32^2 and 32^3 tiles leave out parts that are before those. */
#pragma unroll
        for (int level = 1; level < GNDI_SCAN_LEVELS; level++) {
            if (next & ((1 << 5 * level) - 1)) break;
            const int from = level == 1 ? P - 1 : 4 - level, begin = from > first ? from : first;
            A all = total[c];
            if (!fresh && begin < end) all = O::join(join_lanes<O>(part, begin, end), all);
            if (lane == 0)
                publish(words + c * size + state.level[level] * scan_words<A>, t.tile >> 5 * level, t.flag, all);
        }
    }
    __syncthreads();
}

} // namespace gnd

#endif
