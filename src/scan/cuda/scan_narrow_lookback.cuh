/*
 * scan_narrow_lookback.cuh: how the tiles of NARROW learn what comes before them. Of each matrix 96 tiles
 * that follow each other are a group. A tile publishes its totals, one for each column; what comes
 * before it are the totals of its group before it, and what comes before its group, which the last
 * tile of the group before has published: a chain whose links take less time than a group's elements.
 *
 * All columns are added up side by side: a lane has some neighbouring tiles and one column. (With a
 * warp for each column and the tiles in its lanes, most of its instructions go into trees.)
 */
#ifndef GNDI_SCAN_NARROW_LOOK_CUH
#define GNDI_SCAN_NARROW_LOOK_CUH

#include "scan/cuda/scan_narrow_block.cuh"

namespace gnd {

/* Adds up the totals of tiles `from` to `end` of a column; reads several before it waits for one. */
template <class O>
GNDI_FN typename O::value add_totals(const narrow_block<O> &block, const narrow_tile &t, int from, int end, int c) {
    typedef typename O::value A;
    constexpr int batch = 12 / scan_words<A>;
    const gndi_scan_narrow &p = block.p;
    const int64_t first = block.entry(0, t, 0, c);
    A x = A();
    for (int at = from; at < end; at += batch) {
        scan_entry<A> e[batch];
#pragma unroll
        for (int k = 0; k < batch; k++)
            if (at + k < end) e[k] = read_entry<A>(p.state.words, first + (int64_t)(at + k) * p.width);
#pragma unroll
        for (int k = 0; k < batch; k++)
            if (at + k < end) {
                const A y = wait_for<A>(e[k], p.state.words, first + (int64_t)(at + k) * p.width, t.flag);
                x = at + k > from ? O::join(x, y) : y;
            }
    }
    return x;
}

/* Puts together what comes before tile i, by all warps that look back. */
template <class O> GNDI_FN void lookback_narrow(const narrow_block<O> &block, int i) {
    typedef typename O::value A;
    constexpr int size = GNDI_SCAN_NARROW_GROUP;
    const gndi_scan_narrow &p = block.p;
    const narrow_tile t = block.tile(i);
    const int group = t.row_tile / size, first = group * size, own = t.row_tile - first;
    const int looker = (int)threadIdx.x - block.threads, lane = looker & 31;
    const int column = lane % p.width, lanes = 32 / p.width; /* of a column, in a warp */
    const int position = looker / 32 * lanes + lane / p.width;
    const int each = (own + GNDI_SCAN_NARROW_LOOKBACK_WARPS * lanes - 1) / (GNDI_SCAN_NARROW_LOOKBACK_WARPS * lanes);
    const int from = first + position * each, end = min(from + each, t.row_tile);
    const bool joins = looker < p.width;
    A *const sums = block.shared.sums + column;

    const int64_t entry = block.entry(1, t, group, column);
    scan_entry<A> start = {};
    if (joins && group > 0) start = read_entry<A>(p.state.words, entry);
    if (lane < lanes * p.width && from < end) sums[position * p.width] = add_totals(block, t, from, end, column);
    __syncwarp();
    sync_some(narrow_looked_back, narrow_lookback_threads);
    if (!joins) return;

    A x = sums[0]; /* nothing, if the tile is the first of its group; several are read at once */
#pragma unroll 4
    for (int k = 1; k < GNDI_SCAN_NARROW_LOOKBACK_WARPS * lanes; k++) {
        const A y = sums[k * p.width];
        if (k * each < own) x = O::join(x, y);
    }
    if (group > 0) {
        const A y = wait_for<A>(start, p.state.words, entry, t.flag);
        x = own > 0 ? O::join(y, x) : y;
    }
    block.before(i)[column] = x;
    if (own == size - 1 && t.row_tile < p.row_tiles - 1)
        publish(p.state.words, entry + p.width, t.flag, O::join(x, block.total(i)[column]));
}

} // namespace gnd

#endif
