// filter_tile.cuh: recursive filters of long lines in one launch, any number of lines.
//
// A block takes a tile of 4096 samples. Each thread sums up what its run of samples adds to the state; a scan over
// the warp and over the warps combines these, which gives what the tile adds (its end). The state at the start of the
// tile follows from the ends of the tiles before it; from that each thread knows the state at the start of its run,
// and filters it once.
//
// The state at the start of a tile is always the same sum of the same terms: of the start of its group of 32 tiles and
// of the ends of the tiles of the group before it. The start of a group is made in the same way of the ends of up to
// 31 groups. So the bits of a result do not depend on timing, nor on how a stream is cut; tiles wait only for
// tiles with lower tickets, and every chain of waits has a step for about a million samples.
#pragma once
#include "filter/cuda/filter_publish.cuh"
#include "filter/cuda/filter_samples.cuh"
#include "filter/cuda/filter_step.cuh"
#include "kernels/cuda/early_start.cuh"

namespace gnd {

enum { TILES_OF_GROUP = 32, GROUPS_TOGETHER = 31 };
enum { KEPT_START = 2 + TILES_OF_GROUP + GROUPS_TOGETHER, KEPT_TILE, KEPT };
static_assert((int)KEPT == (int)GNDI_FILTER_KEPT_VECTORS, "what a stream keeps");

// A line of a call, whose filter has n states: its first sample is number `position` of the signal.
struct call_line {
    int64_t line, position, end, first, group; // tile and group of the first sample

    __device__ __forceinline__ void find(const gndi_filter_params &p, int64_t of) {
        line = of;
        position = p.clock ? *p.clock : 0;
        end = position + p.at.length;
        first = position / TILE, group = first / TILES_OF_GROUP;
    }
    __device__ __forceinline__ double *tile_end(const gndi_filter_params &p, int n, int64_t tile) const {
        return p.ends + (line * p.tiles + tile - first) * n;
    }
    __device__ __forceinline__ double *group_end(const gndi_filter_params &p, int n, int64_t g) const {
        return p.group_ends + (line * p.groups + g - group) * n;
    }
    __device__ __forceinline__ double *kept_tile_end(const gndi_filter_params &p, int n, int64_t tile) const {
        return kept(p, n, 2 + (int)(tile % TILES_OF_GROUP));
    }
    __device__ __forceinline__ double *kept_group_end(const gndi_filter_params &p, int n, int64_t g) const {
        return kept(p, n, 2 + TILES_OF_GROUP + (int)(g % GROUPS_TOGETHER));
    }
    __device__ __forceinline__ double *start(const gndi_filter_params &p, int n, int64_t g) const {
        return p.starts + (line * (p.groups + 1) + g - group) * n;
    }
    // Of a stream: the start of the current group, that of its first neighbour, tiles' ends, groups' ends; the start of
    // a tile, and the number behind the tile's.
    __device__ __forceinline__ double *kept(const gndi_filter_params &p, int n, int i) const {
        return p.kept + (line * KEPT + i) * n;
    }
};

template <class T, int sections, int N> struct filter_tile {
    static constexpr int run = GNDI_FILTER_RUN, warps = GNDI_FILTER_WARPS, states = N;
    static constexpr bool steps_shared = N <= 8; // the matrices of the scans are in shared memory
    static constexpr int matrices = GNDI_FILTER_MATRICES;
    typedef filter_samples<T> moves;
    typedef typename moves::few few;
    static constexpr int quad = moves::quad;

    struct memory {
        alignas(16) T samples[moves::slots];
        alignas(16) double inputs[run * N];
        double steps[steps_shared ? matrices * N * N : 1];
        double totals[warps][N]; // what each warp adds
        double starts[warps][N]; // the state at the start of each warp's samples
        double own[N];           // the end of the tile
        double start[N];         // the state at its start
        double next[N];          // of a short call, the start of the next group
        bool known;              // of a short call: the start of the tile was kept
        call_line at;
        int64_t tile;  // the block's, the first of them
        const char *x; // where the line is
        char *y;
    };

    // Whether an entry of a power of A is zero for all filters of this kind: no section sees a later one.
    GNDI_FN bool is_zero(int r, int c) { return sections > 0 && c / 2 > r / 2; }

    // ---- what was published -----------------------------------------------------------------

    // Where a vector is, and whether it is published there, so that it may have to be waited for; NULL: nowhere.
    struct source {
        const double *from;
        bool waits;
    };
    GNDI_FN void fetch(source s, double (&v)[N]) {
        for (bool there = !s.from; !there;) {
            there = true;
#pragma unroll
            for (int r = 0; r < N; r += 2) {
                uint64_t bits[2];
                read_pair(s.from + r, bits);
                there = there && (!s.waits || (bits[0] != 0 && bits[1] != 0));
                v[r] = published(s.waits ? bits[0] : ~bits[0]);
                v[r + 1] = published(s.waits ? bits[1] : ~bits[1]);
            }
        }
    }
    GNDI_FN source end_of(const gndi_filter_params &p, const call_line &at, int64_t tile) {
        const bool waits = tile >= at.first;
        return {waits ? at.tile_end(p, N, tile) : at.kept_tile_end(p, N, tile), waits};
    }
    GNDI_FN source group_end_of(const gndi_filter_params &p, const call_line &at, int64_t g) {
        const bool waits = g >= at.group;
        return {waits ? at.group_end(p, N, g) : at.kept_group_end(p, N, g), waits};
    }
    // Of a call without a history nowhere for its first group, which begins with the state before.
    GNDI_FN source start_of(const gndi_filter_params &p, const call_line &at, int64_t g) {
        const bool waits = g > at.group;
        if (waits) return {at.start(p, N, g), true};
        return {p.kept ? at.kept(p, N, g == at.group ? 0 : 1) : nullptr, false};
    }
    // A state in memory (NULL: zeros) in the coordinates of the tables.
    GNDI_FN void begin(const gndi_filter_params &p, int64_t line, const double *state, double (&v)[N]) {
        const double *from = state + state_of(p.at, line, p.state_line), *forth = p.tables + GNDI_FILTER_FORTH(N);
        double z[N];
#pragma unroll
        for (int r = 0; r < N; r++) z[r] = state && r < p.states ? from[r * p.at.parts] : 0;
#pragma unroll
        for (int r = 0; r < N; r++) {
            v[r] = 0;
#pragma unroll
            for (int c = 0; c <= r; c++) v[r] = fma(forth[r * N + c], z[c], v[r]);
        }
    }
    // What lane 0 takes of `start`, and others of theirs; nowhere: zeros.
    GNDI_FN void fetch_terms(const gndi_filter_params &p, const call_line &at, source s, int lane, double (&v)[N]) {
#pragma unroll
        for (int r = 0; r < N; r++) v[r] = 0;
        if (lane == 0 && !s.from) begin(p, at.line, p.before, v);
        fetch(s, v);
        __syncwarp();
    }

    // ---- sums of a warp ---------------------------------------------------------------------

    // The matrices of a scan: powers 1, 2, 4, 8 and 16 of one.
    GNDI_FN const double *steps_of(const gndi_filter_params &p, const memory &m, int scan) {
        return (steps_shared ? m.steps : p.tables + GNDI_FILTER_STEPS(N)) + scan * 5 * N * N;
    }
    // Those of the warps' runs, from power 0 on.
    GNDI_FN const double *warp_matrices(const gndi_filter_params &p, const memory &m) {
        return steps_of(p, m, GNDI_FILTER_SCANS);
    }
    // What lanes add, of those up to each, in lanes up to `last`.
    GNDI_FN void scan_lanes(const double *steps, int lane, int last, double (&sum)[N]) {
#pragma unroll 1
        for (int l = 0; l < 5 && 1 << l <= last; l++, steps += N * N) {
            double up[N];
#pragma unroll
            for (int r = 0; r < N; r++) up[r] = __shfl_up_sync(0xffffffffu, sum[r], 1u << l);
            if (lane < 1 << l) continue;
#pragma unroll
            for (int r = 0; r < N; r++) {
#pragma unroll
                for (int c = 0; c < N; c++)
                    if (!is_zero(r, c)) sum[r] = fma(steps[r * N + c], up[c], sum[r]);
            }
        }
    }
    // To those who wait for it, or of a short call, whose block has all of its tiles, to where it is kept.
    GNDI_FN void publish(const gndi_filter_params &p, const double (&v)[N], double *to, double *kept) {
#pragma unroll
        for (int r = 0; r < N; r++)
            if (p.keeps)
                kept[r] = v[r];
            else
                publish_number(to + r, v[r]);
    }

    // The end of the tile's group, and the start of the next one: of the ends of tiles, and of the start of the groups
    // together and the ends of groups.
    GNDI_FN void end_group(const gndi_filter_params &p, const call_line &at, memory &m, int64_t tile, int lane) {
        const int64_t g = tile / TILES_OF_GROUP, base = g - g % GROUPS_TOGETHER;
        double v[N];
        fetch(lane < 31 ? end_of(p, at, g * TILES_OF_GROUP + lane) : source{nullptr, false}, v);
        __syncwarp();
#pragma unroll
        for (int r = 0; r < N; r++)
            if (lane == 31) v[r] = m.own[r];
        scan_lanes(steps_of(p, m, GNDI_FILTER_OF_TILES), lane, 31, v);
        if (lane == 31) publish(p, v, at.group_end(p, N, g), at.kept_group_end(p, N, g));
        const int last = (int)(g - base) + 1; // groups since there
#pragma unroll
        for (int r = 0; r < N; r++)
            if (lane == 31) m.own[r] = v[r];
        __syncwarp();
        const source none = {nullptr, false};
        fetch_terms(p, at,
                    lane == 0     ? start_of(p, at, base)
                    : lane < last ? group_end_of(p, at, base + lane - 1)
                                  : none,
                    lane, v);
#pragma unroll
        for (int r = 0; r < N; r++)
            if (lane == last) v[r] = m.own[r]; // the end of the group
        scan_lanes(steps_of(p, m, GNDI_FILTER_OF_GROUPS), lane, last, v);
        if (lane == last) publish(p, v, at.start(p, N, g + 1), m.next);
    }

    // The sum of what the runs of `count` warps add, of which `row` is the lane's.
    GNDI_FN double add_warps(const memory &m, const double *matrices, int count, int row) {
        double s = 0;
#pragma unroll 1
        for (int w = 0; w < count; w++) {
            const double *matrix = matrices + ((count - 1 - w) * N + row) * N;
#pragma unroll
            for (int c = 0; c < N; c++) s = fma(matrix[c], m.totals[w][c], s);
        }
        return s;
    }

    // The first warp: the state at the start of the tile, of that of its group and the ends of tiles.
    GNDI_FN void look_back(const gndi_filter_params &p, const call_line &at, memory &m, int64_t tile, int lane) {
        const int64_t g = tile / TILES_OF_GROUP;
        const int j = (int)(tile % TILES_OF_GROUP);
        const bool full = tile * TILE + TILE <= at.end;
        if (full && lane < N) {
            const double own = add_warps(m, warp_matrices(p, m), warps, lane);
            m.own[lane] = own;
            if (p.keeps)
                at.kept_tile_end(p, N, tile)[lane] = own;
            else
                publish_number(at.tile_end(p, N, tile) + lane, own);
        }
        __syncwarp();
        if (full && j == TILES_OF_GROUP - 1) end_group(p, at, m, tile, lane);
        if (p.keeps && m.known) return;
        const source none = {nullptr, false};
        double v[N];
        fetch_terms(p, at,
                    lane == 0   ? start_of(p, at, g)
                    : lane <= j ? end_of(p, at, g * TILES_OF_GROUP + lane - 1)
                                : none,
                    lane, v);
        scan_lanes(steps_of(p, m, GNDI_FILTER_OF_TILES), lane, j, v);
#pragma unroll
        for (int r = 0; r < N; r++)
            if (lane == j) m.start[r] = v[r];
    }

    // ---- a tile -----------------------------------------------------------------------------

    // What the run adds to the state, of the warp's runs up to this one.
    GNDI_FN void scan(const gndi_filter_params &p, const memory &m, const T *own, int lane, double (&sum)[N]) {
#pragma unroll
        for (int r = 0; r < N; r++) sum[r] = 0;
#pragma unroll 2
        for (int i = 0; i < run; i += quad) {
            const few xs = *reinterpret_cast<const few *>(own + i);
#pragma unroll
            for (int j = 0; j < quad; j++) {
                const double v = (double)xs.v[j];
#pragma unroll
                for (int r = 0; r < N; r++) sum[r] = fma(m.inputs[(i + j) * N + r], v, sum[r]);
            }
        }
        scan_lanes(steps_of(p, m, GNDI_FILTER_OF_RUNS), lane, 31, sum);
    }

    GNDI_FN void filter(const gndi_filter_params &p, memory &m, T *own, const double (&before)[N], int lane, int warp,
                        int count, double *after) {
        filter_step<sections, N> step;
        step.load(p.numbers);
        const double *powers = p.tables + GNDI_FILTER_LANE(N) + lane, *back = p.tables + GNDI_FILTER_BACK(N);
        double start[N];
#pragma unroll
        for (int r = 0; r < N; r++) {
            double s = before[r];
#pragma unroll
            for (int c = 0; c < N; c++)
                if (!is_zero(r, c)) s = fma(powers[(r * N + c) * 32], m.starts[warp][c], s);
            start[r] = s;
        }
#pragma unroll
        for (int r = 0; r < N; r++) {
            step.z[r] = 0;
#pragma unroll
            for (int c = 0; c <= r; c++) step.z[r] = fma(back[r * N + c], start[c], step.z[r]);
        }
        if (__all_sync(0xffffffffu, count == run)) {
#pragma unroll 2
            for (int i = 0; i < run; i += quad) {
                few xs = *reinterpret_cast<few *>(own + i);
#pragma unroll
                for (int j = 0; j < quad; j++) xs.v[j] = (T)step((double)xs.v[j]);
                *reinterpret_cast<few *>(own + i) = xs;
            }
        } else {
#pragma unroll 1
            for (int i = 0; i < count; i += quad) {
                if (i + quad <= count) { // the warp's other runs are whole
                    few xs = *reinterpret_cast<few *>(own + i);
#pragma unroll
                    for (int j = 0; j < quad; j++) xs.v[j] = (T)step((double)xs.v[j]);
                    *reinterpret_cast<few *>(own + i) = xs;
                } else {
#pragma unroll 1
                    for (int j = i; j < count; j++) own[j] = (T)step((double)own[j]);
                }
            }
        }
        if (!after) return;
#pragma unroll
        for (int r = 0; r < N; r++)
            if (r < p.states) after[r * p.at.parts] = step.z[r];
    }
};

// After a call of a stream: what the next one needs of a line. All threads of a block.
template <class T> GNDI_FN void keep_line(const gndi_filter_params &p, int64_t line) {
    enum { AHEAD = 8 }; // samples that a thread loads before it stores one
    const int n = p.kernel_states, thread = (int)threadIdx.x;
    call_line at;
    at.find(p, line);
    const int64_t end = at.end, tile = end / TILE, g = tile / TILES_OF_GROUP, base = g - g % GROUPS_TOGETHER;
    if (thread < n && g > at.group) {
        if (base > at.group)
            at.kept(p, n, 1)[thread] = published(read_number(at.start(p, n, base) + thread));
        else if (base == at.group)
            at.kept(p, n, 1)[thread] = at.kept(p, n, 0)[thread];
        at.kept(p, n, 0)[thread] = published(read_number(at.start(p, n, g) + thread));
    }
    if (thread == 0) at.kept(p, n, KEPT_TILE)[0] = 0; // the start of this one is not known
    const bool some = tile > at.first;                // tiles ended
#pragma unroll 1
    for (int i = thread; some && i < TILES_OF_GROUP * n; i += GNDI_FILTER_THREADS) {
        const int64_t t = g * TILES_OF_GROUP + i / n;
        if (t >= at.first && t < tile)
            at.kept(p, n, 2 + i / n)[i % n] = published(read_number(at.tile_end(p, n, t) + i % n));
    }
#pragma unroll 1
    for (int i = thread; some && i < GROUPS_TOGETHER * n; i += GNDI_FILTER_THREADS) {
        const int64_t t = base + i / n;
        if (t >= at.group && t < g)
            at.kept(p, n, 2 + TILES_OF_GROUP + i / n)[i % n] = published(read_number(at.group_end(p, n, t) + i % n));
    }
    const char *x;
    char *y;
    find_line<T>(p.at, at.line, x, y);
    const int64_t from = tile * TILE < at.position ? at.position : tile * TILE;
    const char *next = x + (from - at.position) * p.at.x_step;
    T *to = reinterpret_cast<T *>(p.samples) + at.line * TILE + (from - tile * TILE);
    const int count = (int)(end - from);
#pragma unroll 1
    for (int i = thread; i < count; i += AHEAD * GNDI_FILTER_THREADS) {
        T v[AHEAD];
#pragma unroll
        for (int k = 0, e = i; k < AHEAD; k++, e += GNDI_FILTER_THREADS)
            if (e < count) v[k] = *reinterpret_cast<const T *>(next + e * p.at.x_step);
#pragma unroll
        for (int k = 0, e = i; k < AHEAD; k++, e += GNDI_FILTER_THREADS)
            if (e < count) to[e] = v[k];
    }
}

// The last of the blocks, of which each has one line, moves the clock. All threads have read it.
GNDI_FN void move_clock(const gndi_filter_params &p) {
    __syncthreads();
    if (threadIdx.x != 0) return;
    if (gridDim.x > 1 && atomicAdd(p.ticket + 1, 1u) != gridDim.x - 1) return;
    p.ticket[1] = 0;
    *p.clock += p.at.length;
}

template <class T> __global__ void __launch_bounds__(GNDI_FILTER_THREADS)
    filter_keep_kernel(const __grid_constant__ gndi_filter_params p) {
    start_early();
    keep_line<T>(p, blockIdx.x);
    move_clock(p);
}

// Before the tiles: a kernel, behind which they begin early, as they do not behind a memset.
template <class T> __global__ void __launch_bounds__(GNDI_FILTER_THREADS)
    filter_clear_kernel(const __grid_constant__ gndi_filter_clear_params p) {
    const int64_t i = (int64_t)blockIdx.x * GNDI_FILTER_THREADS + threadIdx.x;
    start_early();
    if (i < p.pairs) reinterpret_cast<double2 *>(p.to)[i] = double2{0, 0};
}

// ---- short calls of a stream ------------------------------------------------------------------

// A block has all tiles of a line, one behind the other, so nothing is published: what a tile ends is kept at once. The
// start of the unfinished tile is kept, too, for the calls that go on in it.

// Tables that come late are in the L1 cache when they are read: they were copied to where samples will be.
template <class F> GNDI_FN void warm_up(const gndi_filter_params &p, typename F::memory &m) {
    enum { LINE = 16 }; // doubles of the cache
    typename F::few *unused = reinterpret_cast<typename F::few *>(m.samples) + threadIdx.x;
    for (int i = GNDI_FILTER_STEPS(F::states) + (int)threadIdx.x * LINE; i < GNDI_FILTER_TABLES(F::states);
         i += GNDI_FILTER_THREADS * LINE)
        copy_element(unused, p.tables + i);
}
template <class F> GNDI_FN double *kept_start(const gndi_filter_params &p, int vector) {
    return p.kept + ((int64_t)blockIdx.x * KEPT + vector) * F::states;
}

// Behind a tile; all threads are done with it.
template <class F> GNDI_FN void keep_tile(const gndi_filter_params &p, typename F::memory &m, int64_t tile) {
    constexpr int N = F::states;
    const int thread = (int)threadIdx.x;
    const bool full = (tile + 1) * TILE <= m.at.end;
    const int64_t g = (tile + 1) / TILES_OF_GROUP;
    if (full && (tile + 1) % TILES_OF_GROUP == 0 && thread < N) {
        m.at.kept(p, N, 0)[thread] = m.next[thread];
        if (g % GROUPS_TOGETHER == 0) m.at.kept(p, N, 1)[thread] = m.next[thread];
    }
    if (!full && thread < N) kept_start<F>(p, KEPT_START)[thread] = m.start[thread];
    if (thread != 0) return;
    if (!full) kept_start<F>(p, KEPT_TILE)[0] = (double)(tile + 1);
    m.known = false, m.at.first = tile + 1, m.at.group = g;
}

// A tile of a line. What of the tables is in shared memory is there after the first barrier.
template <class F, class T>
GNDI_FN void filter_one_tile(const gndi_filter_params &p, typename F::memory &m, int64_t tile) {
    constexpr int N = F::states;
    const int thread = (int)threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const int64_t from = tile * TILE;
    const filter_span span = {from, m.at.position, m.at.end};
    T *earlier = reinterpret_cast<T *>(p.samples) + m.at.line * TILE;
    if (p.keeps)
        F::moves::load_short(span, m.samples, m.x, p.at.x_step, earlier);
    else
        F::moves::load(span, m.samples, m.x, p.at.x_step, earlier);
    __syncthreads();
    T *own = m.samples + F::moves::slot_of(thread * GNDI_FILTER_RUN);
    double sum[N], before[N];
    F::scan(p, m, own, lane, sum);
#pragma unroll
    for (int r = 0; r < N; r++) {
        before[r] = __shfl_up_sync(0xffffffffu, sum[r], 1);
        if (lane == 0) before[r] = 0;
        if (lane == 31) m.totals[warp][r] = sum[r];
    }
    __syncthreads();
    double *const starts = m.starts[warp];
    if (warp == 0)
        F::look_back(p, m.at, m, tile, lane);
    else if (lane < N)
        starts[lane] = F::add_warps(m, F::warp_matrices(p, m), warp, lane);
    __syncthreads();
    if (lane < N) {
        const double *matrix = F::warp_matrices(p, m) + (warp * N + lane) * N;
        double s = warp ? starts[lane] : 0;
#pragma unroll
        for (int c = 0; c < N; c++) s = fma(matrix[c], m.start[c], s);
        starts[lane] = s;
    }
    __syncwarp();
    const int64_t left = m.at.end - (from + thread * GNDI_FILTER_RUN);
    const int count = left < 0 ? 0 : left < GNDI_FILTER_RUN ? (int)left : GNDI_FILTER_RUN;
    double *after = nullptr;
    if (p.after && left > 0 && left <= GNDI_FILTER_RUN) after = p.after + state_of(p.at, m.at.line, p.state_line);
    F::filter(p, m, own, before, lane, warp, count, after);
    __syncthreads();
    if (p.at.y_every > 1)
        F::moves::store_some(span, m.samples, m.y, p.at.y_step, p.at.y_first, p.at.y_every);
    else
        F::moves::store(span, m.samples, m.y, p.at.y_step);
}

template <class T, int sections, int N> __global__ void __launch_bounds__(GNDI_FILTER_THREADS, N <= 4    ? 9
                                                                                               : N <= 8  ? 7
                                                                                               : N <= 12 ? 5
                                                                                                         : 3)
    filter_kernel(const __grid_constant__ gndi_filter_params p) {
    typedef filter_tile<T, sections, N> F;
    __shared__ typename F::memory m;
    const int thread = (int)threadIdx.x;
    // The tables were there before the kernel before this one began.
    for (int i = thread; i < GNDI_FILTER_RUN * N; i += GNDI_FILTER_THREADS) m.inputs[i] = p.tables[i];
    if constexpr (F::steps_shared)
        for (int i = thread; i < F::matrices * N * N; i += GNDI_FILTER_THREADS)
            m.steps[i] = p.tables[GNDI_FILTER_STEPS(N) + i];
    if (p.keeps) warm_up<F>(p, m);
    start_early();
    if (p.keeps && thread < N) m.start[thread] = kept_start<F>(p, KEPT_START)[thread];
    if (thread == 0) { // divisions are slow
        const double known = p.keeps ? kept_start<F>(p, KEPT_TILE)[0] : 0;
        uint32_t line = blockIdx.x, number = 0; // number: of the line's tiles
        if (!p.keeps) {
            const uint32_t ticket = atomicAdd(p.ticket, 1u);
            number = ticket / (uint32_t)p.at.lines, line = ticket - number * (uint32_t)p.at.lines;
        }
        m.at.find(p, line);
        m.tile = m.at.first + number;
        m.known = known == (double)(m.tile + 1);
        find_line<T>(p.at, line, m.x, m.y);
    }
    wait_for_copies();
    __syncthreads();
#pragma unroll 1
    for (int64_t tile = m.tile; tile * TILE < m.at.end; tile++) {
        filter_one_tile<F, T>(p, m, tile);
        if (!p.keeps) return;
        __syncthreads();
        keep_tile<F>(p, m, tile);
    }
    if (p.keeps) move_clock(p);
}

// Before the first call of a stream that does not begin with zeros. A thread for each line.
template <class T, int N> __global__ void __launch_bounds__(GNDI_FILTER_THREADS)
    filter_begin_kernel(const __grid_constant__ gndi_filter_params p) {
    typedef filter_tile<T, 0, N> F;
    const int64_t line = (int64_t)blockIdx.x * GNDI_FILTER_THREADS + threadIdx.x;
    if (line >= p.at.lines) return;
    call_line at;
    at.find(p, line);
    double v[N];
    F::begin(p, line, p.before, v);
#pragma unroll
    for (int r = 0; r < N; r++) at.kept(p, N, 0)[r] = at.kept(p, N, 1)[r] = v[r];
}

} // namespace gnd
