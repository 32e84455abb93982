// mirrored_kernels.cu: mirrored filters in one launch.
//
// A block holds a tile of samples, and a halo on both sides, in shared memory. Each thread has a run of samples of one
// line. It goes over them as if nothing came before, to leave the state that it ends in, the last results; from the
// states of the runs before it has the one that it really begins in, and filters its run in place. The same backward.
// The tile's first run, and backward its last one, goes through the halo to get to its state. What came before a halo
// is too small to be noticed, so that blocks need not wait for each other. Rows of the tile are samples, and a row's
// neighbours are lanes: along the last axis there is one lane, along others up to 32, so that both directions read
// neighbours. A run is an odd number of rows, so that runs are in different banks.
#include "filter/cuda/mirrored_params.h"
#include "filter/mirrored_ops.h"

namespace gnd {
namespace mirrored {

enum { THREADS = GNDI_MIRRORED_THREADS, RUN = GNDI_MIRRORED_RUN, FEW = GNDI_MIRRORED_FEW };

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

// The last two results.
template <class C> struct state { C last, before; };

// C: what is computed in. float serves poles that forget quickly, where errors do not add up.
template <class T, int order, class C> struct filtering {
    const gndi_mirrored_params &p;
    const plan_t &plan;
    const part &t;
    T *column;                // of the tile
    C (*ends)[THREADS];       // states that runs end in, in shared memory
    double first[2], last[2]; // results that are sums, from the line's ends on
    state<C> now;

    __device__ __forceinline__ T &at(int row) const { return column[row * p.lanes]; }
    __device__ __forceinline__ void enter(C v) { now.before = now.last, now.last = v; }
    template <bool up> __device__ __forceinline__ C next(T x) const {
        C v = (order == 1 && up ? (C)x : (C)(up ? plan.gain : plan.gain_back) * (C)x) + (C)plan.a2 * now.last;
        if (order == 2) v += (C)plan.a3 * now.before;
        return v;
    }

    // Filters rows upward or downward, a few at a time: all are read before the first is written.
    template <bool up, bool writes> __device__ __forceinline__ void go(int from, int count) {
        T *row = column + from * p.lanes;
        const int step = up ? p.lanes : -p.lanes;
        for (; count >= FEW; count -= FEW, row += FEW * step) {
            T x[FEW];
#pragma unroll
            for (int k = 0; k < FEW; k++) x[k] = row[k * step];
#pragma unroll
            for (int k = 0; k < FEW; k++) {
                enter(next<up>(x[k]));
                if (writes) row[k * step] = (T)now.last;
            }
        }
        for (; count > 0; count--, row += step) {
            enter(next<up>(*row));
            if (writes) *row = (T)now.last;
        }
    }
    // Rows from `from` to one before `end`, and downward from `from` to `end`. Those near the line's ends are sums.
    template <bool writes> __device__ __forceinline__ void forward(int from, int end) {
        for (int k = from - t.first; k < order && from < end; k++, from++) {
            enter((C)(k == 0 ? first[0] : first[1]));
            if (writes) at(from) = (T)now.last;
        }
        go<true, writes>(from, end - from);
    }
    template <bool writes> __device__ __forceinline__ void backward(int from, int end) {
        for (int k = t.length - 1 - from; k < order && from >= end; k++, from--) {
            // The last result but one has its share of the last one, like others: of a run that begins without it, what
            // is missing is added later.
            enter(k == 0 ? (C)last[0] : (C)last[1] + (C)plan.a2 * (now.last - (C)last[0]));
            if (writes) at(from) = (T)now.last;
        }
        go<false, writes>(from, from - end + 1);
    }

    // Leaves the state that a run ends in, and gets the one behind the `count` runs before this one, of threads `step`
    // apart.
    __device__ __forceinline__ void leave() const {
        ends[0][threadIdx.x] = now.last;
        if (order == 2) ends[order - 1][threadIdx.x] = now.before;
    }
    __device__ __forceinline__ void arrive(int step, int count) {
        now = {0, 0};
        for (int j = count < p.terms ? count : p.terms; j > 0; j--) {
            const int other = (int)threadIdx.x + j * step;
            const state<C> from = now;
            now.last = ends[0][other] + (C)p.later[0] * from.last;
            if (order == 2) {
                now.last += (C)p.later[1] * from.before;
                now.before = ends[order - 1][other] + (C)p.later[2] * from.last + (C)p.later[3] * from.before;
            }
        }
    }

    // The whole of a thread's work; all threads of the block take part.
    __device__ __forceinline__ void run(int number, int halo) {
        const bool is_first = t.works && number == 0, is_last = t.works && t.stop == t.end;
        const bool near_end = t.works && t.stop + halo >= t.length;
        const int low = t.begin - halo > t.first ? t.begin - halo : t.first;
        if (is_first && low == t.first)
            first_of(
                plan, [&](int64_t k) { return (double)at(t.first + (int)k); }, first);
        if (order == 2 && near_end)
            last_of(
                plan, [&](int64_t k) { return (double)at(t.length - 1 - (int)k); }, last);
        if (is_first) forward<false>(low, t.begin);
        state<C> entered = now;
        if (t.works) forward<false>(t.begin, t.stop);
        leave();
        __syncthreads();
        now = entered;
        if (t.works && number > 0) arrive(-p.lanes, number);
        if (t.works) forward<true>(t.begin, t.stop);
        if (is_last) forward<true>(t.end, t.high);
        if (order == 1 && near_end)
            last[0] = plan.last * now.last + (t.length - 1 > t.first ? plan.last_before * now.before : 0);
        now = {0, 0};
        if (is_last) backward<false>(t.high - 1, t.end);
        entered = now;
        if (t.works) backward<false>(t.stop - 1, t.begin);
        __syncthreads();
        leave();
        __syncthreads();
        now = entered;
        if (t.works && !is_last) arrive(p.lanes, (t.end - t.stop + RUN - 1) / RUN);
        if (t.works) backward<true>(t.stop - 1, t.begin);
    }
};

template <class X, class T, int order, class C> __global__ void __launch_bounds__(THREADS)
    mirrored_kernel(const __grid_constant__ gndi_mirrored_params p) {
    extern __shared__ __align__(16) char shared[];
    __shared__ C ends[order][THREADS];
    const part t = find_part(p);
    T *column = reinterpret_cast<T *>(shared) + t.lane;
    const int rows_at_once = THREADS / p.lanes, row = (int)threadIdx.x / p.lanes;
    const X *x = static_cast<const X *>(p.plan.x) + t.row * p.plan.inner + t.column;
    T *y = static_cast<T *>(p.plan.y) + t.row * p.plan.inner + t.column;
    const bool moves = t.column < p.plan.inner && row < rows_at_once;
    if (moves) {
#pragma unroll 8
        for (int i = row; i < t.rows; i += rows_at_once) column[i * p.lanes] = (T)x[i * p.plan.inner];
    }
    __syncthreads();
    filtering<T, order, C> f = {p, p.plan, t, column, ends, {0, 0}, {0, 0}, {0, 0}};
    f.run(row % p.runs, (int)p.plan.halo);
    __syncthreads();
    const int behind = p.lines > 1 ? t.rows : t.end;
    if (moves) {
#pragma unroll 8
        for (int i = t.own + row; i < behind; i += rows_at_once) y[i * p.plan.inner] = column[i * p.lanes];
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
