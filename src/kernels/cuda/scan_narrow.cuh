/*
 * scan_narrow.cuh: dense matrices of a few columns, scanned down their columns. A block takes whole
 * rows through shared memory, as the stream of bytes that they are; a thread scans some rows of one
 * column. They are so many that the threads of a warp find their elements in different banks.
 */
#ifndef GNDI_SCAN_NARROW_CUH
#define GNDI_SCAN_NARROW_CUH

#include "kernels/cuda/scan_look_back.cuh"

namespace gnd {

constexpr int scan_narrow_direct = 4;

/* `count` elements to shared memory; from there. Of `from`, 16-byte vectors are read if they are
   aligned, of shared memory there is room for whole vectors. */
template <class S> GNDI_FN void stage_elements(S *to, const S *from, int count, bool vectors) {
    constexpr int V = scan_vector<S>, T = GNDI_SCAN_NARROW_THREADS;
    if (vectors) {
        for (int i = threadIdx.x * V; i < count; i += T * V) {
            const int left = count - i;
            copy_ahead((uint4 *)(to + i), (const char *)(from + i),
                       left < V ? left * (int)sizeof(S) : 16);
        }
        finish_copies();
    } else {
#pragma unroll 8
        for (int i = threadIdx.x; i < count; i += T) to[i] = from[i];
    }
}
template <class S> GNDI_FN void store_elements(S *to, const S *from, int count, bool vectors) {
    constexpr int V = scan_vector<S>, T = GNDI_SCAN_NARROW_THREADS;
    const int whole = vectors ? count / V * V : 0;
    for (int i = threadIdx.x * V; i < whole; i += T * V) *(uint4 *)(to + i) = *(uint4 *)(from + i);
#pragma unroll 8
    for (int i = whole + threadIdx.x; i < count; i += T) to[i] = from[i];
}

/* Scans `count` elements `step` apart, going on from x if there is a `before`; stores the results
   if they are wanted. Several are read before the first is used. */
template <class O, bool Stores>
GNDI_FN typename O::value scan_rows(typename O::element *at, int count, int step, bool skip_nan,
                                    bool before, typename O::value x) {
    typedef typename O::element S;
    constexpr int batch = sizeof(S) <= 8 ? 8 : 4;
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

template <class O>
__global__ void __launch_bounds__(GNDI_SCAN_NARROW_THREADS, sizeof(typename O::value) > 8 ? 2 : 3)
    scan_narrow_kernel(const __grid_constant__ gndi_scan_narrow p) {
    typedef typename O::element S;
    typedef typename O::value A;
    constexpr int T = GNDI_SCAN_NARROW_THREADS, ahead = sizeof(A) > 8 ? 2 : 5;
    extern __shared__ uint4 scan_shared[];
    __shared__ A total[2][T], tile_before[GNDI_SCAN_WIDTH];
    __shared__ A parts[GNDI_SCAN_WIDTH * scan_part_count<scan_narrow_direct>];
    __shared__ scan_ticket shared_ticket;
    S *tile = (S *)scan_shared;
    if (threadIdx.x == 0) shared_ticket = take_ticket(p.state, p.row_tiles * p.outer);
    __syncthreads();
    const scan_ticket ticket = shared_ticket;
    int64_t row_tile = ticket.tile;
    const int64_t outer = take_digit(row_tile, p.outer);
    const int tile_rows = p.chunks * p.rows;
    const int64_t row = row_tile * tile_rows, left = p.length - row;
    const int rows = left < tile_rows ? (int)left : tile_rows;
    const int64_t at = (outer * p.length + row) * p.width;
    stage_elements(tile, (const S *)p.in + at, rows * p.width, p.vectors);
    __syncthreads();

    /* A thread's own rows of its column. */
    const int chunk = threadIdx.x / p.width, column = threadIdx.x % p.width;
    const int below = rows - chunk * p.rows, count = below < p.rows ? below : p.rows;
    const bool active = chunk < p.chunks && count > 0;
    S *mine = tile + chunk * p.rows * p.width + column;
    A x = A();
    if (active) x = scan_rows<O, false>(mine, count, p.width, p.skip_nan, false, x);

    /* All chunks of the column: x becomes the running total. */
    int side = 0;
    total[0][threadIdx.x] = x;
    __syncthreads();
    for (int d = 1; d < p.chunks; d *= 2) {
        if (active && chunk >= d) x = O::join(total[side][threadIdx.x - d * p.width], x);
        side ^= 1;
        total[side][threadIdx.x] = x;
        __syncthreads();
    }
    A before = A();
    bool any = active && chunk > 0;
    if (any) before = total[side][threadIdx.x - p.width];
    if (p.state.words) {
        const scan_position t = {(int32_t)row_tile, 0, ticket.flag};
        look_back<O, scan_narrow_direct, T / 32, ahead>(p.state, t, false, outer * p.width, p.width,
                                                        total[side] + (p.chunks - 1) * p.width,
                                                        tile_before, parts);
        if (active && row_tile > 0) {
            before = any ? O::join(tile_before[column], before) : tile_before[column];
            any = true;
        }
    }
    if (active) scan_rows<O, true>(mine, count, p.width, p.skip_nan, any, before);
    __syncthreads();
    store_elements((S *)p.out + at, tile, rows * p.width, p.vectors);
}

} // namespace gnd

#endif
