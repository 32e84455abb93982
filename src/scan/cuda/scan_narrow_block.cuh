/*
 * scan_narrow_block.cuh: what a block of NARROW does with a tile: takes it, has it moved between
 * global and shared memory, adds it up there, and scans it. scan_narrow.cuh says in which order.
 *
 * A thread that scans has a chunk: some rows of one column. A warp has `side` columns next to each
 * other, and 32 / side chunks of each, one after the other; a chunk's rows are odd in number, so that
 * a warp finds its elements in different banks. The warps that have the same columns are their parts.
 */
#ifndef GNDI_SCAN_NARROW_BLOCK_CUH
#define GNDI_SCAN_NARROW_BLOCK_CUH

#include "kernels/cuda/bulk_copies.cuh"
#include "scan/cuda/scan_block.cuh"

namespace gnd {

constexpr int narrow_lookback_threads = GNDI_SCAN_NARROW_LOOKBACK_WARPS * 32; /* threads that look back */
constexpr int narrow_ring = 16;                      /* tiles that a block remembers: more than are under way */
constexpr int narrow_slots = GNDI_SCAN_NARROW_SLOTS; /* of whose totals it has several: at least late + 2 */
constexpr int narrow_phases = 4;                     /* barriers that take turns: at least late + 1, and ahead + 1 */

/* Barriers; from narrow_added on they are for one tile each, and take turns: when it has been added up,
   when it is known what comes before it, and when it has been scanned. */
enum {
    narrow_all = 1,     /* of those who scan */
    narrow_parts,       /* a part of a tile has been added up */
    narrow_looked_back, /* of those who look back */
    narrow_added,
    narrow_known = narrow_added + narrow_phases,
    narrow_scanned = narrow_known + narrow_phases
};

struct narrow_tile {
    int64_t at, outer;      /* its first element; its matrix */
    int32_t row_tile, rows; /* no rows: there is no such tile */
    uint32_t flag;
    int32_t buffer, phase; /* where it is in shared memory; how many tiles were there before */
};

/* What a block's threads share, next to the tiles. */
template <class A> struct narrow_shared {
    narrow_tile tiles[narrow_ring];
    bulk_arrival arrived[GNDI_SCAN_NARROW_BUFFERS];
    A total[narrow_slots][GNDI_SCAN_WIDTH], before[narrow_slots][GNDI_SCAN_WIDTH];
    A sums[narrow_lookback_threads]; /* of those who look back */
};

/* A block, as a thread sees it. Its rounds are numbered, and its tiles by the round that adds them
   up. */
template <class O> struct narrow_block {
    typedef typename O::element S;
    typedef typename O::value A;
    const gndi_scan_narrow &p;
    narrow_shared<A> &shared;
    char *memory;            /* p.buffers tiles, and narrow_slots times the totals of parts */
    int threads;             /* that scan */
    int part, chunk, column; /* of the thread, if it scans */

    GNDI_METHOD narrow_block(const gndi_scan_narrow &params, narrow_shared<A> &share, void *bytes)
        : p(params), shared(share), memory((char *)bytes), threads(p.chunks * p.width) {
        const int warp = threadIdx.x / 32, lane = threadIdx.x & 31, sets = p.width / p.side;
        part = warp / sets;
        chunk = part * (32 / p.side) + lane / p.side;
        column = warp % sets * p.side + lane % p.side;
    }
    GNDI_METHOD S *elements(const narrow_tile &t) const { return (S *)(memory + t.buffer * p.tile_bytes); }
    /* The total of each column of a part, then what comes before it in the tile. */
    GNDI_METHOD A *parts(int i) const {
        return (A *)(memory + p.buffers * p.tile_bytes) + i % narrow_slots * (p.parts * p.width);
    }
    GNDI_METHOD A *before(int i) const { return shared.before[i % narrow_slots]; }
    GNDI_METHOD A *total(int i) const { return shared.total[i % narrow_slots]; }
    GNDI_METHOD const narrow_tile &tile(int i) const { return shared.tiles[(unsigned)i % narrow_ring]; }
    GNDI_METHOD bool there_is(int i) const { return i >= 0 && tile(i).rows > 0; }

    /* A column's entry of a tile, or, on level 1, of a group of them. */
    GNDI_METHOD int64_t entry(int level, const narrow_tile &t, int index, int c) const {
        const int of = level ? (p.row_tiles - 1) / GNDI_SCAN_NARROW_GROUP + 1 : p.row_tiles;
        return p.state.level[level] + (t.outer * of + index) * p.width + c;
    }

    /* Asks for a tile: its ticket, which takes a while to come; without tickets a block's tiles are a
       grid apart. A thread's work, as the next. */
    GNDI_METHOD bool takes() const { return (int)threadIdx.x == threads - 32; }
    GNDI_METHOD scan_word ask(scan_word asked) const {
        return p.state.ticket ? atomicAdd(p.state.ticket, (scan_word)1) : asked + gridDim.x;
    }
    /* Makes what was asked for tile i, if there are `more`: a block asks until it is one too many. */
    GNDI_METHOD void take(int i, scan_word asked, bool &more) const {
        const int64_t tiles = (int64_t)p.row_tiles * p.outer, most = tiles + gridDim.x;
        narrow_tile t = {0, 0, 0, 0, 0, i % p.buffers, i / p.buffers};
        if (more) {
            int64_t number = p.state.ticket ? (uint32_t)asked : (int64_t)asked;
            t.flag = (uint32_t)(asked >> 32) * 2 + 1;
            if (p.state.ticket && number == most - 1) atomicAdd(p.state.ticket, ((scan_word)1 << 32) - most);
            more = number < tiles;
            if (more) {
                t.outer = p.outer > 1 ? take_digit(number, p.outer) : 0;
                t.row_tile = (int32_t)number;
                const int64_t row = number * p.chunks * p.rows, left = p.length - row;
                t.rows = left < p.chunks * p.rows ? (int32_t)left : p.chunks * p.rows;
                t.at = (t.outer * p.length + row) * p.width;
            }
        }
        shared.tiles[i % narrow_ring] = t;
    }

    /* ---- between global and shared memory --------------------------------------------------- */

    /* In bulk: the first thread of a warp that does nothing else. Otherwise all that scan. */
    GNDI_METHOD bool in_bulk() const { return has_bulk_copies && p.vectors; }

    /* Starts to load tile i, into memory whose elements have been stored. */
    GNDI_METHOD void load(int i) const {
        constexpr int V = scan_vector<S>;
        const narrow_tile &t = tile(i);
        const int count = t.rows * p.width, whole = count / V * V;
        const S *from = (const S *)p.in + t.at;
        S *to = elements(t);
        if (in_bulk()) {
            if (count == 0) return;
            for (int e = whole; e < count; e++) to[e] = from[e];
            bulk_load(to, from, whole * (int)sizeof(S), &shared.arrived[t.buffer]);
        } else if (p.vectors) {
            for (int e = threadIdx.x * V; e < count; e += threads * V) {
                const int left = count - e;
                copy_ahead((uint4 *)(to + e), (const char *)(from + e), left < V ? left * (int)sizeof(S) : 16);
            }
            commit_copies();
        } else if (sizeof(S) >= 4) {
            const int words = count * ((int)sizeof(S) / 4);
            for (int w = threadIdx.x; w < words; w += threads)
                copy_word_ahead((uint32_t *)to + w, (const uint32_t *)from + w);
            commit_copies();
        } else {
#pragma unroll 8
            for (int e = threadIdx.x; e < count; e += threads) to[e] = from[e];
        }
    }
    /* Those who scan wait until tile i is there. */
    GNDI_METHOD void await(int i) const {
        if (in_bulk()) {
            const narrow_tile &t = tile(i);
            if (t.rows) bulk_wait(&shared.arrived[t.buffer], t.phase & 1);
        } else {
            wait_for_copies(p.ahead - 1);
            sync_some(narrow_all, threads);
        }
    }
    /* Stores tile i, which has been scanned. */
    GNDI_METHOD void store(int i) const {
        constexpr int V = scan_vector<S>;
        const narrow_tile &t = tile(i);
        const int count = t.rows * p.width, whole = p.vectors ? count / V * V : 0;
        S *to = (S *)p.out + t.at;
        const S *from = elements(t);
        if (in_bulk()) {
            bulk_store(to, from, whole * (int)sizeof(S));
            for (int e = whole; e < count; e++) to[e] = from[e];
            return;
        }
        for (int e = threadIdx.x * V; e < whole; e += threads * V) *(uint4 *)(to + e) = *(const uint4 *)(from + e);
#pragma unroll 8
        for (int e = whole + threadIdx.x; e < count; e += threads) to[e] = from[e];
    }
    /* Waits until the memory that the next tile is loaded into has been read: that of the tile just
       stored, or of the one before it if there is memory for one more. */
    GNDI_METHOD void free_memory() const {
        const bool spare = p.buffers > p.ahead + p.late;
        if (in_bulk())
            bulk_wait_read(spare);
        else if (!spare)
            sync_some(narrow_all, threads);
    }

    /* ---- a tile in shared memory ------------------------------------------------------------ */

    /* The elements of the thread's chunk: their number, and the first. */
    GNDI_METHOD int count_of(const narrow_tile &t) const {
        const int left = t.rows - chunk * p.rows;
        return left < p.rows ? left : p.rows;
    }
    GNDI_METHOD S *chunk_of(const narrow_tile &t) const {
        return elements(t) + chunk * p.rows * p.width + column;
    }

    /* Adds up the thread's chunk, and a warp's chunks; returns the total of those before the thread's.
       What follows the tile's last element is added up, too, to what nobody reads. */
    GNDI_METHOD A add_chunk(int i) const {
        const narrow_tile &t = tile(i);
        const int count = count_of(t), lane = threadIdx.x & 31;
        A x = A();
        if (count > 0) x = scan_rows<false>(chunk_of(t), count, false, x);
        for (int d = p.side; d < 32; d *= 2) {
            const A other = shuffle_up(x, d);
            if (lane >= d) x = O::join(other, x);
        }
        if (lane >= 32 - p.side) parts(i)[part * p.width + column] = x;
        return shuffle_up(x, p.side);
    }
    /* Adds up the parts of a column, and publishes its total. */
    GNDI_METHOD void add_parts(int i, int c) const {
        const narrow_tile &t = tile(i);
        A *const at = parts(i) + c;
        A x = at[0];
        for (int k = 1; k < p.parts; k++) {
            const A one = at[k * p.width];
            at[k * p.width] = x;
            x = O::join(x, one);
        }
        if (p.state.words) {
            publish(p.state.words, entry(0, t, t.row_tile, c), t.flag, x);
            total(i)[c] = x;
        }
    }
    /* `chunks`: the total of those before the thread's in its warp. */
    GNDI_METHOD void scan_chunk(int i, A chunks) const {
        const narrow_tile &t = tile(i);
        const int count = count_of(t);
        if (count <= 0) return;
        A x = A();
        bool any = false;
        const auto add = [&](A y) { x = any ? O::join(x, y) : y, any = true; };
        if (t.row_tile > 0) add(before(i)[column]);
        if (part > 0) add(parts(i)[part * p.width + column]);
        if ((int)(threadIdx.x & 31) >= p.side) add(chunks);
        scan_rows<true>(chunk_of(t), count, any, x);
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
};

} // namespace gnd

#endif
