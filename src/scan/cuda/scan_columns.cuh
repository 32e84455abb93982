/*
 * scan_columns.cuh: many lines side by side, a lane a line. A block takes 32 neighbouring lines and
 * some rows of each (short lines: more lines), wherever their strides lead.
 *
 * Where there are many lines, a tile waits for the one before it in its lines, which was begun long
 * ago, and passes on the running values (chained). Where there are few, totals are combined by
 * level, rows of them at a time.
 */
#ifndef GNDI_SCAN_COLUMNS_CUH
#define GNDI_SCAN_COLUMNS_CUH

#include "scan/cuda/scan_block.cuh"

namespace gnd {

/* A thread's position among those that look back together: for column `column` of all `columns`
   (the `position`-th of the block's `width`), as number `share` of `shares`. */
struct scan_watch {
    int64_t column, columns;
    int position, width, share, shares;
    bool active;
};

/* The combination of entries `from` to `to` of the thread's column. */
template <class O> GNDI_FN typename O::value join_column(const scan_word *words, int64_t from, int64_t to,
                                                         const scan_watch &w, uint32_t flag) {
    typedef typename O::value A;
    constexpr int batch = sizeof(A) > 8 ? 2 : 4;
    A all = A();
    for (int64_t i = from; i < to; i += batch) {
        scan_entry<A> entry[batch] = {};
#pragma unroll
        for (int b = 0; b < batch; b++)
            if (i + b < to) entry[b] = read_entry<A>(words, (i + b) * w.columns + w.column);
#pragma unroll
        for (int b = 0; b < batch; b++)
            if (i + b < to) {
                const A x = wait_for<A>(entry[b], words, (i + b) * w.columns + w.column, flag);
                all = i + b == from ? x : O::join(all, x);
            }
    }
    return all;
}

/* What comes before tile `index` of the column, not 0. All threads of the block take part; `total`
   is the tile's, needed from the last share only. `scratch`: an A a thread and level. */
template <class O> GNDI_FN typename O::value lookback_columns(const gndi_scan_state &state, int64_t index,
                                                              uint32_t flag, const scan_watch &w,
                                                              typename O::value total, typename O::value *scratch) {
    typedef typename O::value A;
    const bool speaks = w.active && w.share == w.shares - 1;
    if (state.chained) {
        const int64_t from = (index - 1) * w.columns + w.column;
        A before = A();
        if (w.active && index > 0) before = wait_for<A>(read_entry<A>(state.words, from), state.words, from, flag);
        if (speaks) publish(state.words, from + w.columns, flag, index > 0 ? O::join(before, total) : total);
        return before;
    }
    if (speaks) publish(state.words, index * w.columns + w.column, flag, total);
    for (int level = 0; level < state.levels; level++) {
        const int64_t to = index >> 5 * level, count = scan_before(state, level, to);
        const int64_t each = (count + w.shares - 1) / w.shares;
        const int64_t from = to - count + each * w.share;
        const int64_t end = from + each < to ? from + each : to;
        if (w.active && from < end)
            scratch[(level * w.shares + w.share) * w.width + w.position] =
                join_column<O>(state.words + state.level[level], from, end, w, flag);
    }
    __syncthreads();
    A before = A();
    bool any = false;
    for (int level = 0; level < state.levels; level++) {
        const int64_t to = index >> 5 * level, count = scan_before(state, level, to);
        const int64_t each = (count + w.shares - 1) / w.shares;
        if (w.active && count > 0) {
            A x = scratch[level * w.shares * w.width + w.position];
            for (int s = 1; s * each < count; s++)
                x = O::join(x, scratch[(level * w.shares + s) * w.width + w.position]);
            before = any ? O::join(x, before) : x;
            any = true;
            total = O::join(x, total);
        }
        const bool ends = (index + 1) % ((int64_t)32 << 5 * level) == 0;
        if (ends && level + 1 < state.levels && speaks)
            publish(state.words + state.level[level + 1], (to >> 5) * w.columns + w.column, flag, total);
    }
    return before;
}

template <class O, class From, int Rows, int Resident> __global__ void __launch_bounds__(GNDI_SCAN_THREADS, Resident)
    scan_columns_kernel(const __grid_constant__ gndi_scan_columns p) {
    typedef typename O::element S;
    typedef typename O::value A;
    constexpr int warps = GNDI_SCAN_THREADS / 32;
    __shared__ A total[GNDI_SCAN_THREADS], scratch[GNDI_SCAN_LEVELS * GNDI_SCAN_THREADS];
    __shared__ scan_ticket shared_ticket;
    if (threadIdx.x == 0) shared_ticket = take_ticket(p.state, (int64_t)p.row_tiles * p.groups);
    __syncthreads();
    const scan_ticket ticket = shared_ticket;
    int64_t row_tile = ticket.tile;
    const int64_t group = take_digit(row_tile, p.groups);
    const int lane = threadIdx.x & 31, warp = threadIdx.x / 32;
    const int strip = warp / p.share, share = warp % p.share;
    const int64_t line = (group * (warps / p.share) + strip) * 32 + lane;
    const int64_t row = (row_tile * p.share + share) * Rows;
    const bool active = line < p.of.lines;
    const int64_t left = active ? p.of.length - row : 0;
    const int count = left < Rows ? left < 0 ? 0 : (int)left : Rows;
    const scan_offsets start = offsets_of_line(p.of, active ? line : 0);

    const char *from = p.of.in + start.in + row * p.of.in_step;
    From element[Rows] = {};
#pragma unroll
    for (int i = 0; i < Rows; i++)
        if (i < count) element[i] = *(const From *)(from + i * p.of.in_step);
    A x[Rows];
#pragma unroll
    for (int i = 0; i < Rows; i++) {
        x[i] = O::lift(element[i], p.of.skip_nan);
        if (i > 0) x[i] = O::join(x[i - 1], x[i]);
    }

    A before = A();
    bool any = share > 0;
    if (p.share > 1) {
        total[threadIdx.x] = x[Rows - 1];
        __syncthreads();
        for (int s = 0; s < share; s++) {
            const A other = total[(strip * p.share + s) * 32 + lane];
            before = s ? O::join(before, other) : other;
        }
    }
    if (p.state.words) {
        const scan_watch w = {line, p.columns, strip * 32 + lane, warps / p.share * 32, share, p.share, active};
        const A all = share > 0 ? O::join(before, x[Rows - 1]) : x[Rows - 1];
        const A earlier = lookback_columns<O>(p.state, row_tile, ticket.flag, w, all, scratch);
        if (row_tile > 0) {
            before = any ? O::join(earlier, before) : earlier;
            any = true;
        }
    }
    char *to = p.of.out + start.out + row * p.of.out_step;
#pragma unroll
    for (int i = 0; i < Rows; i++)
        if (i < count) *(S *)(to + i * p.of.out_step) = O::lower(any ? O::join(before, x[i]) : x[i]);
}

} // namespace gnd

#endif
