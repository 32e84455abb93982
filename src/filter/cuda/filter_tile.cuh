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

namespace gnd {

enum { TILES_OF_GROUP = 32, GROUPS_TOGETHER = 31 };

// A line of a call, whose filter has n states: its first sample is number `position` of the signal.
struct call_line {
    const gndi_filter_params &p;
    int n;
    int64_t line, position, end, first, group; // tile and group of the first sample

    __device__ __forceinline__ call_line(const gndi_filter_params &given, int64_t of, int states)
        : p(given), n(states), line(of) {
        position = p.clock ? *p.clock : 0;
        end = position + p.at.length;
        first = position / TILE, group = first / TILES_OF_GROUP;
    }
    __device__ __forceinline__ double *tile_end(int64_t tile) const {
        return p.ends + (line * p.tiles + tile - first) * n;
    }
    __device__ __forceinline__ double *group_end(int64_t g) const {
        return p.group_ends + (line * p.groups + g - group) * n;
    }
    __device__ __forceinline__ double *start(int64_t g) const {
        return p.starts + (line * (p.groups + 1) + g - group) * n;
    }
    // Of a stream: the start of the current group, that of its first neighbour, tiles' ends, groups' ends.
    __device__ __forceinline__ double *kept(int i) const {
        return p.kept + (line * (2 + TILES_OF_GROUP + GROUPS_TOGETHER) + i) * n;
    }
};

template <class T, int sections, int N> struct filter_tile {
    static constexpr int run = GNDI_FILTER_RUN, warps = GNDI_FILTER_WARPS;
    static constexpr bool steps_shared = N <= 8; // the matrices of the scans are in shared memory
    typedef filter_samples<T> moves;
    typedef typename moves::few few;
    static constexpr int quad = moves::quad;

    // The tile that a block has taken: of which line, and where the line begins.
    struct job {
        int64_t line, tile; // tile < 0: none is left
        const char *x;
        char *y;
    };

    struct memory {
        alignas(16) T samples[moves::slots];
        alignas(16) double inputs[run * N];
        double steps[steps_shared ? (5 + warps) * N * N : 1];
        double totals[warps][N]; // what each warp adds
        double starts[warps][N]; // the state at the start of each warp's samples
        double vector[2][N];
        job taken;
    };

    // Whether an entry of a power of A is zero for all filters of this kind: no section sees a later one.
    GNDI_FN bool is_zero(int r, int c) { return sections > 0 && c / 2 > r / 2; }

    // ---- what was published -----------------------------------------------------------------

    GNDI_FN void await(const double *from, double (&v)[N]) {
        for (bool there = false; !there;) {
            uint64_t bits[N];
#pragma unroll
            for (int r = 0; r < N; r++) bits[r] = read_number(from + r);
            there = true;
#pragma unroll
            for (int r = 0; r < N; r++) {
                there = there && bits[r] != 0;
                v[r] = published(bits[r]);
            }
            if (!there) __nanosleep(20);
        }
    }
    GNDI_FN void load_kept(const double *from, double (&v)[N]) {
#pragma unroll
        for (int r = 0; r < N; r++) v[r] = from[r];
    }
    GNDI_FN void load_end(const call_line &at, int64_t tile, double (&v)[N]) {
        if (tile >= at.first)
            await(at.tile_end(tile), v);
        else
            load_kept(at.kept(2 + (int)(tile % TILES_OF_GROUP)), v);
    }
    GNDI_FN void load_group(const call_line &at, int64_t g, double (&v)[N]) {
        if (g >= at.group)
            await(at.group_end(g), v);
        else
            load_kept(at.kept(2 + TILES_OF_GROUP + (int)(g % GROUPS_TOGETHER)), v);
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
    GNDI_FN void load_start(const call_line &at, int64_t g, double (&v)[N]) {
        if (g > at.group) {
            await(at.start(g), v);
        } else if (at.p.kept) {
            load_kept(at.kept(g == at.group ? 0 : 1), v);
        } else {
            begin(at.p, at.line, at.p.before, v);
        }
    }

    // ---- sums of a warp ---------------------------------------------------------------------

    // The sum over lanes of matrix^power v; a lane with a negative power has no part in it. In all lanes.
    GNDI_FN void combine(const double *powers, int power, const double (&v)[N], double (&sum)[N]) {
#pragma unroll
        for (int r = 0; r < N; r++) {
            double s = 0;
            if (power >= 0) {
#pragma unroll
                for (int c = 0; c < N; c++)
                    if (!is_zero(r, c)) s = fma(powers[(r * N + c) * GNDI_FILTER_POWERS + power], v[c], s);
            }
#pragma unroll
            for (int width = 16; width > 0; width /= 2) s += __shfl_xor_sync(0xffffffffu, s, width);
            sum[r] = s;
        }
    }

    GNDI_FN void publish(const double (&v)[N], double *to, int lane) {
#pragma unroll
        for (int r = 0; r < N; r++)
            if (lane == 0) publish_number(to + r, v[r]);
    }

    // The end of the tile's group, and the start of the next one.
    GNDI_FN void end_group(const call_line &at, int64_t tile, const double (&own)[N], int lane) {
        const int64_t g = tile / TILES_OF_GROUP;
        const double *tiles = at.p.tables + GNDI_FILTER_TILES(N), *groups = at.p.tables + GNDI_FILTER_GROUPED(N);
        double v[N], sum[N];
        if (lane < 31) {
            load_end(at, g * TILES_OF_GROUP + lane, v);
        } else {
#pragma unroll
            for (int r = 0; r < N; r++) v[r] = own[r];
        }
        __syncwarp();
        combine(tiles, 31 - lane, v, sum);
        publish(sum, at.group_end(g), lane);
        const int64_t base = g - g % GROUPS_TOGETHER;
        const int before = (int)(g - base) + 1; // groups since there
        if (lane < before - 1) {
            load_group(at, base + lane, v);
        } else if (lane == before - 1) {
#pragma unroll
            for (int r = 0; r < N; r++) v[r] = sum[r];
        } else if (lane == before) {
            load_start(at, base, v);
        }
        __syncwarp();
        combine(groups, lane < before ? before - 1 - lane : lane == before ? before : -1, v, sum);
        publish(sum, at.start(g + 1), lane);
    }

    // The state at the start of the tile.
    GNDI_FN void start_of(const call_line &at, int64_t tile, int lane, double (&sum)[N]) {
        const int64_t g = tile / TILES_OF_GROUP;
        const int j = (int)(tile % TILES_OF_GROUP);
        double v[N];
        if (lane < j)
            load_end(at, g * TILES_OF_GROUP + lane, v);
        else if (lane == j)
            load_start(at, g, v);
        __syncwarp();
        combine(at.p.tables + GNDI_FILTER_TILES(N), lane < j ? j - 1 - lane : lane == j ? j : -1, v, sum);
    }

    // vector[to] = matrix vector[from] + more; lanes are rows.
    GNDI_FN void advance(memory &m, const double *matrix, int from, int to, const double *more, int lane) {
        __syncwarp();
        if (lane < N) {
            double s = more[lane];
#pragma unroll
            for (int c = 0; c < N; c++) s = fma(matrix[lane * N + c], m.vector[from][c], s);
            m.vector[to][lane] = s;
        }
        __syncwarp();
    }

    // The first warp: from the warps' totals to the state at the start of each. What does not need the start of the
    // tile is done before it is waited for.
    GNDI_FN void look_back(const call_line &at, memory &m, int64_t tile, bool full, int lane) {
        const double *matrices = steps_shared ? m.steps + 5 * N * N : at.p.tables + GNDI_FILTER_WARP(N);
        if (lane < N) m.starts[0][lane] = 0, m.starts[1][lane] = m.vector[0][lane] = m.totals[0][lane];
        for (int w = 1; w < warps; w++) {
            advance(m, matrices + N * N, (w - 1) & 1, w & 1, m.totals[w], lane);
            if (w + 1 < warps && lane < N) m.starts[w + 1][lane] = m.vector[w & 1][lane];
        }
        if (full) {
            double own[N];
#pragma unroll
            for (int r = 0; r < N; r++) own[r] = m.vector[(warps - 1) & 1][r];
            publish(own, at.tile_end(tile), lane);
            if (tile % TILES_OF_GROUP == TILES_OF_GROUP - 1) end_group(at, tile, own, lane);
        }
        double start[N];
        start_of(at, tile, lane, start);
#pragma unroll
        for (int r = 0; r < N; r++)
            if (lane == 0) m.starts[0][r] = start[r];
        for (int i = N + lane; i < warps * N; i += 32) {
            double s = m.starts[i / N][i % N];
#pragma unroll
            for (int c = 0; c < N; c++) s = fma(matrices[i * N + c], start[c], s);
            m.starts[i / N][i % N] = s;
        }
    }

    // ---- a tile -----------------------------------------------------------------------------

    // The next tile. One thread does it, since divisions are slow.
    GNDI_FN void take(const gndi_filter_params &p, job &taken) {
        const int64_t ticket = (int64_t)atomicAdd(p.ticket, 1u), line = ticket % p.at.lines;
        const call_line at(p, line, N);
        taken.line = line, taken.tile = at.first + ticket / p.at.lines;
        if (taken.tile * TILE >= at.end) taken.tile = -1;
        if (taken.tile >= 0) find_line<T>(p.at, line, taken.x, taken.y);
    }

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
        const double *steps = steps_shared ? m.steps : p.tables + GNDI_FILTER_STEPS(N);
#pragma unroll 1
        for (int l = 0; l < 5; l++, steps += N * N) {
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
        if (count == run) {
#pragma unroll 2
            for (int i = 0; i < run; i += quad) {
                few xs = *reinterpret_cast<few *>(own + i);
#pragma unroll
                for (int j = 0; j < quad; j++) xs.v[j] = (T)step((double)xs.v[j]);
                *reinterpret_cast<few *>(own + i) = xs;
            }
        } else {
#pragma unroll 1
            for (int j = 0; j < count; j++) own[j] = (T)step((double)own[j]);
        }
        if (!after) return;
#pragma unroll
        for (int r = 0; r < N; r++)
            if (r < p.states) after[r * p.at.parts] = step.z[r];
    }
};

// After a call of a stream: what the next one needs of a line. All threads of a block.
template <class T> GNDI_FN void keep_line(const gndi_filter_params &p, int64_t line) {
    const int n = p.kernel_states, thread = (int)threadIdx.x;
    const call_line at(p, line, n);
    const int64_t end = at.end, tile = end / TILE, g = tile / TILES_OF_GROUP, base = g - g % GROUPS_TOGETHER;
    if (thread < n && g > at.group) {
        if (base > at.group)
            at.kept(1)[thread] = published(read_number(at.start(base) + thread));
        else if (base == at.group)
            at.kept(1)[thread] = at.kept(0)[thread];
        at.kept(0)[thread] = published(read_number(at.start(g) + thread));
    }
#pragma unroll 1
    for (int i = thread; i < TILES_OF_GROUP * n; i += GNDI_FILTER_THREADS) {
        const int64_t t = g * TILES_OF_GROUP + i / n;
        if (t >= at.first && t < tile) at.kept(2 + i / n)[i % n] = published(read_number(at.tile_end(t) + i % n));
    }
#pragma unroll 1
    for (int i = thread; i < GROUPS_TOGETHER * n; i += GNDI_FILTER_THREADS) {
        const int64_t t = base + i / n;
        if (t >= at.group && t < g)
            at.kept(2 + TILES_OF_GROUP + i / n)[i % n] = published(read_number(at.group_end(t) + i % n));
    }
    const char *x;
    char *y;
    find_line<T>(p.at, at.line, x, y);
    T *to = reinterpret_cast<T *>(p.samples) + at.line * TILE;
#pragma unroll 1
    for (int64_t i = tile * TILE + thread; i < end; i += GNDI_FILTER_THREADS)
        if (i >= at.position) to[i - tile * TILE] = *reinterpret_cast<const T *>(x + (i - at.position) * p.at.x_step);
}

// A block for each line; the last one to be done moves the clock.
template <class T> __global__ void __launch_bounds__(GNDI_FILTER_THREADS)
    filter_keep_kernel(const __grid_constant__ gndi_filter_params p) {
    keep_line<T>(p, blockIdx.x);
    __syncthreads(); // all have read the clock
    if (threadIdx.x == 0 && atomicAdd(p.ticket + 1, 1u) == gridDim.x - 1) *p.clock += p.at.length;
}

// The same at the end of the last block of a short call, which then clears what was published. Inline: a call would
// cost the kernel registers on all its ways.
template <class T> GNDI_FN void finish_call(const gndi_filter_params &p) {
    __shared__ bool is_last;
    const int thread = (int)threadIdx.x;
    __syncthreads();
    if (thread == 0) {
        __threadfence();
        is_last = atomicAdd(p.ticket + 1, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) return;
    __threadfence();
#pragma unroll 1
    for (int64_t line = 0; line < p.at.lines; line++) keep_line<T>(p, line);
    __syncthreads();
    const int64_t numbers = p.at.lines * (p.tiles + 2 * p.groups + 1) * p.kernel_states;
#pragma unroll 1
    for (int64_t i = thread; i < numbers; i += GNDI_FILTER_THREADS) p.ends[i] = 0;
    if (thread == 0) p.ticket[0] = p.ticket[1] = 0, *p.clock += p.at.length;
}

template <class T, int sections, int N> __global__ void __launch_bounds__(GNDI_FILTER_THREADS)
    filter_kernel(const __grid_constant__ gndi_filter_params p) {
    typedef filter_tile<T, sections, N> F;
    __shared__ typename F::memory m;
    const int thread = (int)threadIdx.x, lane = thread & 31, warp = thread >> 5;
    if (thread == 0) F::take(p, m.taken);
    for (int i = thread; i < GNDI_FILTER_RUN * N; i += GNDI_FILTER_THREADS) m.inputs[i] = p.tables[i];
    if constexpr (F::steps_shared)
        for (int i = thread; i < (5 + F::warps) * N * N; i += GNDI_FILTER_THREADS)
            m.steps[i] = p.tables[GNDI_FILTER_STEPS(N) + i];
    __syncthreads();
    const int64_t line = m.taken.line, tile = m.taken.tile, from = tile * TILE;
    if (tile < 0) {
        if (p.keeps) finish_call<T>(p);
        return;
    }
    const call_line at(p, line, N);
    const filter_span span = {from, at.position, at.end};
    F::moves::load(span, m.samples, m.taken.x, p.at.x_step, reinterpret_cast<const T *>(p.samples) + line * TILE);
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
    if (warp == 0) F::look_back(at, m, tile, from + TILE <= at.end, lane);
    __syncthreads();
    const int64_t left = at.end - (from + thread * GNDI_FILTER_RUN);
    const int count = left < 0 ? 0 : left < GNDI_FILTER_RUN ? (int)left : GNDI_FILTER_RUN;
    double *after = nullptr;
    if (p.after && left > 0 && left <= GNDI_FILTER_RUN) after = p.after + state_of(p.at, line, p.state_line);
    F::filter(p, m, own, before, lane, warp, count, after);
    __syncthreads();
    F::moves::store(span, m.samples, m.taken.y, p.at.y_step);
    if (p.keeps) finish_call<T>(p);
}

// Before the first call of a stream that does not begin with zeros. A thread for each line.
template <class T, int N> __global__ void __launch_bounds__(GNDI_FILTER_THREADS)
    filter_begin_kernel(const __grid_constant__ gndi_filter_params p) {
    typedef filter_tile<T, 0, N> F;
    const int64_t line = (int64_t)blockIdx.x * GNDI_FILTER_THREADS + threadIdx.x;
    if (line >= p.at.lines) return;
    const call_line at(p, line, N);
    double v[N];
    F::begin(p, line, p.before, v);
#pragma unroll
    for (int r = 0; r < N; r++) at.kept(0)[r] = at.kept(1)[r] = v[r];
}

} // namespace gnd
