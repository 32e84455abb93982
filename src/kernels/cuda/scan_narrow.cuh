/*
 * scan_narrow.cuh: dense matrices of a few columns, scanned down their columns. A block takes whole
 * rows through shared memory, as the stream of bytes that they are; a thread scans some rows of one
 * column. They are so many that the threads of a warp find their elements in different banks.
 *
 * A block works on three tiles at a time: one is on its way, of one the totals are found and told to
 * the others, and one is finished, whose predecessors have told theirs by then. So nobody waits for
 * long. What comes before tile t is, in this order, all entries of level 3 and the entries of levels
 * 2, 1 and 0 since the last multiple of 32 of that level's.
 */
#ifndef GNDI_SCAN_NARROW_CUH
#define GNDI_SCAN_NARROW_CUH

#include "kernels/cuda/scan_look_back.cuh"

namespace gnd {

/* `count` elements on their way to shared memory; from there. Of `from`, 16-byte vectors are read if
   they are aligned, of shared memory there is room for whole vectors. */
template <class S> GNDI_FN void stage_elements(S *to, const S *from, int count, bool vectors) {
    constexpr int V = scan_vector<S>, T = GNDI_SCAN_NARROW_THREADS;
    if (vectors) {
#pragma unroll 4
        for (int i = threadIdx.x * V; i < count; i += T * V) {
            const int left = count - i;
            copy_ahead((uint4 *)(to + i), (const char *)(from + i),
                       left < V ? left * (int)sizeof(S) : 16);
        }
    } else {
#pragma unroll 8
        for (int i = threadIdx.x; i < count; i += T) to[i] = from[i];
    }
}
template <class S> GNDI_FN void store_elements(S *to, const S *from, int count, bool vectors) {
    constexpr int V = scan_vector<S>, T = GNDI_SCAN_NARROW_THREADS;
    const int whole = vectors ? count / V * V : 0;
#pragma unroll 4
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

/* ---- tiles ---------------------------------------------------------------------------------- */

/* A tile of a block: which rows it has (rows <= 0: there is none), and where it is in shared
   memory. */
template <class S> struct narrow_tile {
    int64_t index; /* in its matrix */
    int64_t outer; /* the matrix */
    int64_t at;    /* the first element */
    int rows;
    S *elements;
};

/* The numbers of the tiles that come to a block, in order. A number is asked for (begin) some time
   before it is needed (finish). Each block takes one number too many; the last one that is taken
   makes the counter ready for the stream's next launch. */
struct narrow_tickets {
    int64_t tiles, upcoming;
    uint32_t flag;
    scan_word taken;

    __device__ __forceinline__ void begin(const gndi_scan_narrow &p) {
        if (p.state.ticket && upcoming < tiles) taken = atomicAdd(p.state.ticket, (scan_word)1);
    }
    __device__ __forceinline__ void finish(const gndi_scan_narrow &p) {
        const int64_t all = tiles + gridDim.x;
        if (!p.state.ticket) {
            upcoming = upcoming < 0 ? (int64_t)blockIdx.x : upcoming + gridDim.x;
        } else if (upcoming < tiles) {
            upcoming = (uint32_t)taken, flag = (uint32_t)(taken >> 32) * 2 + 1;
            if (upcoming == all - 1)
                atomicAdd(p.state.ticket, ((scan_word)1 << 32) - (scan_word)all);
        }
    }
};

template <class S>
GNDI_FN narrow_tile<S> tile_of(const gndi_scan_narrow &p, int64_t number, S *elements) {
    narrow_tile<S> t = {number, 0, 0, 0, elements};
    if (number >= (int64_t)p.row_tiles * p.outer) return t;
    const int tile_rows = p.chunks * p.rows;
    t.outer = take_digit(t.index, p.outer);
    const int64_t row = t.index * tile_rows, left = p.length - row;
    t.rows = left < tile_rows ? (int)left : tile_rows;
    t.at = (t.outer * p.length + row) * p.width;
    return t;
}

/* ---- what comes before ---------------------------------------------------------------------- */

/* The words of a column. */
template <class A>
GNDI_FN scan_word *narrow_words(const gndi_scan_narrow &p, int64_t outer, int column) {
    return p.state.words + (outer * p.width + column) * p.state.column * scan_words<A>;
}

/* The entries of a level before tile t that no entry of a higher level stands for. */
GNDI_FN scan_range narrow_range(int64_t t, int level) {
    const int end = (int)(t >> 5 * level);
    return scan_range{level, level == GNDI_SCAN_LEVELS - 1 ? 0 : end & ~31, end};
}

/* If tile t is the last of 32, of 32^2, of 32^3: publishes the totals of those. A warp a column. */
template <class O> GNDI_FN void publish_groups(const gndi_scan_narrow &p, int64_t t, int64_t outer,
                                               uint32_t flag, const typename O::value *total) {
    typedef typename O::value A;
    const int lane = threadIdx.x & 31;
    if ((t + 1) & 31) return;
    for (int c = threadIdx.x / 32; c < p.width; c += GNDI_SCAN_NARROW_THREADS / 32) {
        scan_word *words = narrow_words<A>(p, outer, c);
        A all = total[c];
        for (int level = 0; level + 1 < GNDI_SCAN_LEVELS; level++) {
            if ((t + 1) & (((int64_t)32 << 5 * level) - 1)) break;
            const int64_t last = t >> 5 * level, first = p.state.level[level] + last - 31;
            if (lane < 31)
                all = wait_for<A>(read_entry<A>(words, first + lane), words, first + lane, flag);
            all = join_lanes<O>(all, 0, 32);
            if (lane == 0) publish(words, p.state.level[level + 1] + (last >> 5), flag, all);
        }
    }
}

/* What comes before tile t, which is not the first, to before[column]. A warp a column; it has the
   entries of several levels on their way before it waits for the first. */
template <class O> GNDI_FN void look_back_narrow(const gndi_scan_narrow &p, int64_t t,
                                                 int64_t outer, uint32_t flag,
                                                 typename O::value *before) {
    typedef typename O::value A;
    const int lane = threadIdx.x & 31;
    for (int c = threadIdx.x / 32; c < p.width; c += GNDI_SCAN_NARROW_THREADS / 32) {
        const scan_word *words = narrow_words<A>(p, outer, c);
        scan_entry<A> entry[GNDI_SCAN_LEVELS] = {};
#pragma unroll
        for (int level = 0; level < GNDI_SCAN_LEVELS; level++) {
            const scan_range r = narrow_range(t, level);
            if (r.first + lane < r.end)
                entry[level] = read_entry<A>(words, p.state.level[level] + r.first + lane);
        }
        A all = A();
        bool any = false;
#pragma unroll
        for (int level = GNDI_SCAN_LEVELS - 1; level >= 0; level--) {
            const scan_range r = narrow_range(t, level);
            if (r.first >= r.end) continue;
            const A part =
                join_range<O>(words + p.state.level[level] * scan_words<A>, r, flag, entry[level]);
            all = any ? O::join(all, part) : part;
            any = true;
        }
        if (lane == 0) before[c] = all;
    }
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* A thread's part of a tile. */
template <class S> struct narrow_part {
    S *first;
    int count; /* rows; <= 0: none */
};
template <class S>
GNDI_FN narrow_part<S> part_of(const gndi_scan_narrow &p, const narrow_tile<S> &t) {
    const int chunk = threadIdx.x / p.width, column = threadIdx.x - chunk * p.width;
    const int below = t.rows - chunk * p.rows;
    return {t.elements + chunk * p.rows * p.width + column,
            chunk < p.chunks ? below < p.rows ? below : p.rows : 0};
}

/* The tile's totals, to total[column] and to the others; gives back what comes before the thread's
   part in the tile, if it is not the first one of its column. `running`: two values a thread. */
template <class O> GNDI_FN typename O::value find_totals(const gndi_scan_narrow &p,
                                                         const narrow_tile<typename O::element> &t,
                                                         uint32_t flag, typename O::value *total,
                                                         typename O::value *running) {
    typedef typename O::value A;
    constexpr int T = GNDI_SCAN_NARROW_THREADS;
    const narrow_part<typename O::element> mine = part_of(p, t);
    const int place = threadIdx.x - p.width; /* of the part above */
    A x = A();
    if (mine.count > 0)
        x = scan_rows<O, false>(mine.first, mine.count, p.width, p.skip_nan, false, x);
    int side = 0;
    running[threadIdx.x] = x;
    __syncthreads();
    for (int d = 1; d < p.chunks; d *= 2) {
        const int other = (int)threadIdx.x - d * p.width;
        if (mine.count > 0 && other >= 0) x = O::join(running[side * T + other], x);
        side ^= 1;
        running[side * T + threadIdx.x] = x;
        __syncthreads();
    }
    if ((int)threadIdx.x < p.width) {
        const A all = running[side * T + (p.chunks - 1) * p.width + threadIdx.x];
        total[threadIdx.x] = all;
        if (p.state.words)
            publish(narrow_words<A>(p, t.outer, (int)threadIdx.x), t.index, flag, all);
    }
    return place >= 0 ? running[side * T + place] : A();
}

template <class O>
__global__ void __launch_bounds__(GNDI_SCAN_NARROW_THREADS, sizeof(typename O::value) > 8 ? 3 : 4)
    scan_narrow_kernel(const __grid_constant__ gndi_scan_narrow p) {
    typedef typename O::element S;
    typedef typename O::value A;
    constexpr int T = GNDI_SCAN_NARROW_THREADS;
    extern __shared__ uint4 scan_shared[];
    __shared__ A running[2 * T], total[2][GNDI_SCAN_WIDTH], tile_before[GNDI_SCAN_WIDTH];
    __shared__ int64_t shared_ticket[3];
    __shared__ uint32_t shared_flag;
    const int room = (p.chunks * p.rows * p.width + scan_vector<S> - 1) / scan_vector<S>;
    narrow_tickets tickets = {(int64_t)p.row_tiles * p.outer, -1, 0, 0};
    if (threadIdx.x == 0) {
        for (int i = 0; i < 3; i++) {
            tickets.begin(p), tickets.finish(p);
            shared_ticket[i] = tickets.upcoming;
        }
        shared_flag = tickets.flag;
    }
    __syncthreads();
    const uint32_t flag = shared_flag;
    narrow_tile<S> current = tile_of(p, shared_ticket[0], (S *)scan_shared);
    narrow_tile<S> next = tile_of(p, shared_ticket[1], (S *)(scan_shared + room));
    S *free = (S *)(scan_shared + 2 * room);
    int64_t upcoming = shared_ticket[2];
    stage_elements(current.elements, (const S *)p.in + current.at, current.rows * p.width,
                   p.vectors);
    finish_batch();
    stage_elements(next.elements, (const S *)p.in + next.at, next.rows * p.width, p.vectors);
    finish_batch();
    if (current.rows <= 0) return;
    await_batches<1>();
    __syncthreads();
    A before = find_totals<O>(p, current, flag, total[0], running);
    __syncthreads();

    for (int side = 0; current.rows > 0; side ^= 1) {
        const narrow_tile<S> coming = tile_of(p, upcoming, free);
        stage_elements(coming.elements, (const S *)p.in + coming.at, coming.rows * p.width,
                       p.vectors);
        finish_batch();
        if (threadIdx.x == 0) tickets.begin(p);
        if (p.state.words) publish_groups<O>(p, current.index, current.outer, flag, total[side]);
        A next_before = A();
        if (next.rows > 0) {
            await_batches<1>();
            __syncthreads();
            next_before = find_totals<O>(p, next, flag, total[side ^ 1], running);
        }
        const bool first = current.index == 0;
        if (!first) look_back_narrow<O>(p, current.index, current.outer, flag, tile_before);
        if (threadIdx.x == 0) tickets.finish(p), shared_ticket[0] = tickets.upcoming;
        __syncthreads();
        upcoming = shared_ticket[0];
        const narrow_part<S> mine = part_of(p, current);
        if (mine.count > 0) {
            const bool any = (int)threadIdx.x >= p.width;
            const int column = (int)threadIdx.x % p.width;
            if (!first) before = any ? O::join(tile_before[column], before) : tile_before[column];
            scan_rows<O, true>(mine.first, mine.count, p.width, p.skip_nan, any || !first, before);
        }
        __syncthreads();
        store_elements((S *)p.out + current.at, current.elements, current.rows * p.width,
                       p.vectors);
        free = current.elements;
        current = next, next = coming, before = next_before;
        __syncthreads();
    }
}

} // namespace gnd

#endif
