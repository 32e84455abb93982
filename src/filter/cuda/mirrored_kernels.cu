// mirrored_kernels.cu: mirrored filters in one launch.
//
// A block holds a tile of samples, and a halo on both sides, in shared memory. Each thread has a run of 32 samples of
// one line. It filters the halo before its run to get to the state there, then, when all have done so, its run in
// place; the same backward. What came before a halo is too small to be noticed, so that blocks need not wait for each
// other. Rows of the tile are samples, and a row's neighbours are lanes: along the last axis there is one lane, along
// others up to 32, so that both directions read neighbours. A gap after each 32 rows keeps the runs in different banks.
#include "filter/cuda/mirrored_params.h"
#include "filter/mirrored_ops.h"

namespace gnd {
namespace mirrored {

enum { THREADS = GNDI_MIRRORED_THREADS, RUN = GNDI_MIRRORED_RUN };

// A block's part of the signal, and this thread's part of the block's.
struct part {
    int64_t low, row, column; // first sample in the tile; first row in memory; of the lane
    int own, end, high;       // rows of the tile: first one that is stored, behind the last one, behind the halo
    int rows;                 // of the tile, with all of its lines
    int lane, begin, stop;    // the run
    int first, length;        // rows of the line's first sample, and behind its last one
    bool works;
};

__device__ __forceinline__ part find_part(const gndi_mirrored_params &p) {
    part t;
    const plan_t &plan = p.plan;
    const int thread = (int)threadIdx.x, run = thread / p.lanes % p.runs, line = thread / p.lanes / p.runs;
    const uint32_t groups = (uint32_t)p.groups, tiles = (uint32_t)p.tiles, block = blockIdx.x / groups;
    const int64_t group = blockIdx.x - block * groups;
    const int64_t tile = block % tiles, line0 = (int64_t)(block / tiles) * p.lines;
    const int64_t from = tile * p.span, to = from + p.span < plan.length ? from + p.span : plan.length;
    const int64_t behind = to + p.halo < plan.length ? to + p.halo : plan.length;
    const int lines = plan.lines - line0 < p.lines ? (int)(plan.lines - line0) : p.lines;
    t.low = from > p.halo ? from - p.halo : 0;
    t.row = line0 * plan.length + t.low;
    t.lane = thread % p.lanes;
    t.column = group * p.lanes + t.lane;
    t.own = (int)(from - t.low);
    t.rows = (int)(behind - t.low) + (lines - 1) * (int)plan.length;
    // A tile of several lines has no halo, and begins with sample 0.
    const int offset = lines > 1 ? line * (int)plan.length : 0;
    t.end = offset + (int)(to - t.low), t.high = offset + (int)(behind - t.low);
    t.begin = offset + t.own + run * RUN;
    t.stop = t.begin + RUN < t.end ? t.begin + RUN : t.end;
    t.first = offset - (t.low < (1 << 20) ? (int)t.low : 1 << 20); // far away is as good as where it is
    t.length = plan.length - t.low < (1 << 20) ? offset + (int)(plan.length - t.low) : 1 << 20;
    t.works = line < lines && t.column < plan.inner && t.begin < t.end;
    return t;
}

// A column of the tile.
template <class T> struct column {
    T *tile;
    int lanes, lane;
    __device__ __forceinline__ T &operator[](int row) const { return tile[(row + row / RUN) * lanes + lane]; }
};

// C: what is computed in. float serves poles that forget quickly, where errors do not add up.
template <class T, int order, class C> struct filtering {
    const plan_t &plan;
    const part &t;
    column<T> at;
    C before, earlier;        // the two last results
    double first[2], last[2]; // those that are sums

    __device__ __forceinline__ C next(C in) {
        C v = in + (C)plan.a2 * before;
        if (order == 2) v += (C)plan.a3 * earlier;
        return v;
    }
    __device__ __forceinline__ C forward(int i, T x) {
        const int k = i - t.first;
        const C v = k < order ? (C)(order == 1 || k == 0 ? first[0] : first[1]) : next((C)plan.gain * (C)x);
        earlier = before, before = v;
        return v;
    }
    __device__ __forceinline__ C backward(int i, T x) {
        const int k = t.length - 1 - i;
        C v = next((C)plan.gain_back * (C)x);
        if (k < order) v = (C)(order == 1 || k == 0 ? last[0] : last[1]);
        earlier = before, before = v;
        return v;
    }

    // Goes through rows, upward or downward, a few at a time: all are read before the first is written.
    template <bool up, bool writes> __device__ __forceinline__ void go(int from, int count) {
        constexpr int FEW = 8, by = up ? 1 : -1;
        for (int done = 0; done < count; done += FEW) {
            T x[FEW];
#pragma unroll
            for (int k = 0; k < FEW; k++)
                if (done + k < count) x[k] = at[from + by * (done + k)];
#pragma unroll
            for (int k = 0; k < FEW; k++) {
                if (done + k >= count) break;
                const int i = from + by * (done + k);
                const C v = up ? forward(i, x[k]) : backward(i, x[k]);
                if (writes) at[i] = (T)v;
            }
        }
    }

    // The sums, from samples, and the state before the run.
    __device__ __forceinline__ void prepare(int halo) {
        int from = t.begin - halo;
        if (from <= t.first) {
            from = t.first;
            first_of(
                plan, [&](int64_t k) { return (double)at[t.first + (int)k]; }, first);
        }
        if (order == 2 && t.stop + halo >= t.length)
            last_of(
                plan, [&](int64_t k) { return (double)at[t.length - 1 - (int)k]; }, last);
        before = earlier = 0;
        go<true, false>(from, t.begin - from);
    }
    // The last run of the tile goes on over the halo.
    __device__ __forceinline__ void run_forward() {
        go<true, true>(t.begin, (t.stop == t.end ? t.high : t.stop) - t.begin);
    }
    __device__ __forceinline__ void prepare_backward(int halo) {
        const int from = t.stop + halo < t.high ? t.stop + halo : t.high;
        if (order == 1 && t.stop + halo >= t.length) { // before its neighbour changes
            last[0] = plan.last * (double)at[t.length - 1];
            if (t.length - 1 > t.first) last[0] += plan.last_before * (double)at[t.length - 2];
        }
        before = earlier = 0;
        go<false, false>(from - 1, from - t.stop);
    }
    __device__ __forceinline__ void run_backward() {
        go<false, true>(t.stop - 1, t.stop - t.begin);
    }
};

template <class X, class T, int order, class C> __global__ void __launch_bounds__(THREADS)
    mirrored_kernel(const __grid_constant__ gndi_mirrored_params p) {
    extern __shared__ __align__(16) char shared[];
    const part t = find_part(p);
    const column<T> at = {reinterpret_cast<T *>(shared), p.lanes, t.lane};
    const int rows_at_once = THREADS / p.lanes, row = (int)threadIdx.x / p.lanes;
    const X *x = static_cast<const X *>(p.plan.x) + t.row * p.plan.inner + t.column;
    T *y = static_cast<T *>(p.plan.y) + t.row * p.plan.inner + t.column;
    const bool moves = t.column < p.plan.inner && row < rows_at_once;
    if (moves) {
#pragma unroll 8
        for (int i = row; i < t.rows; i += rows_at_once) at[i] = (T)x[i * p.plan.inner];
    }
    __syncthreads();
    filtering<T, order, C> f = {p.plan, t, at, 0, 0, {0, 0}, {0, 0}};
    if (t.works) f.prepare((int)p.plan.halo);
    __syncthreads();
    if (t.works) f.run_forward();
    __syncthreads();
    if (t.works) f.prepare_backward((int)p.plan.halo);
    __syncthreads();
    if (t.works) f.run_backward();
    __syncthreads();
    const int behind = p.lines > 1 ? t.rows : t.end;
    if (moves) {
#pragma unroll 8
        for (int i = t.own + row; i < behind; i += rows_at_once) y[i * p.plan.inner] = at[i];
    }
}

template <class X, class T> static const void *of_order(int order) {
    return order == 1 ? (const void *)mirrored_kernel<X, T, 1, double> : (const void *)mirrored_kernel<X, T, 2, double>;
}

} // namespace mirrored
} // namespace gnd

// brief: of first order, with a pole that forgets quickly.
extern "C" const void *gndi_cuda_mirrored_kernel(int from, int to, int order, bool brief) {
    using namespace gnd::mirrored;
    if (to == GND_FLOAT32)
        return brief ? (const void *)mirrored_kernel<float, float, 1, float> : of_order<float, float>(order);
    return from == GND_FLOAT32 ? of_order<float, double>(order) : of_order<double, double>(order);
}
