// detrend_held_kernels.cu: lines without their mean or straight line, read once. All blocks of a launch run at once. A
// team of them has a line: each holds a slice of it in shared memory, publishes the slice's sums, and goes on to the
// next line of the team. `lag` lines later the sums of the others are there: added up in a fixed order they are the
// trend, which is subtracted from the slice. Bulk copies bring the slices of the lines after that meanwhile.
//
// A published sum is its own flag: before, a slot has a NaN that is never published (UNSET).
#include "resample/cuda/detrend_params.h"
#include "kernels/cuda/bulk_copies.cuh"
#include "kernels/cuda/relay.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/scalar/scalar_cast.h"
#include <cooperative_groups.h>

namespace gnd {

constexpr int THREADS = GNDI_DETREND_THREADS, WARP = 32, WARPS = THREADS / WARP;
constexpr unsigned long long UNSET = ~0ull;

extern __shared__ __align__(128) char slices[];

// Sums of x and of t * x.
struct held_sums {
    double plain, weighted;
};

GNDI_FN bool is_set(double x) {
    return (unsigned long long)__double_as_longlong(x) != UNSET;
}
GNDI_FN void publish(double *slot, double x) {
    post_word((uint64_t *)slot, is_set(x) ? (uint64_t)__double_as_longlong(x) : 0x7ff8000000000000ull);
}
GNDI_FN double look_at(const double *slot) {
    return __longlong_as_double((long long)look_at_word((const uint64_t *)slot));
}

// The sum over neighbouring lanes, as many as `width` twice, in all of them.
GNDI_FN void add_up(held_sums &s, int width) {
    for (; width > 0; width /= 2) {
        s.plain += __shfl_xor_sync(0xffffffff, s.plain, width);
        s.weighted += __shfl_xor_sync(0xffffffff, s.weighted, width);
    }
}
// Of what the warps have left in shared memory.
GNDI_FN held_sums sum_of_warps(const held_sums *of_warp) {
    held_sums s = of_warp[threadIdx.x % WARPS];
    add_up(s, WARPS / 2);
    return s;
}

// A thread's vectors of a slice, BATCH of them at a time: zeros behind the n elements.
template <class T> struct batch {
    static constexpr int EACH = 16 / (int)sizeof(T), BATCH = 4, STEP = THREADS * EACH;
    T v[BATCH][EACH];

    GNDI_FN_MEMBER batch(const T *x, int i, int n) {
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
#pragma unroll
            for (int e = 0; e < EACH; e++) v[b][e] = 0;
            if (i + b * STEP < n) load_vector(x + i + b * STEP, v[b]);
        }
    }
};

// A thread's part of the sums of n elements; t is the first one's.
template <class T> GNDI_FN held_sums sums_of_slice(const T *x, int n, double t, bool linear) {
    typedef batch<T> vectors;
    constexpr int EACH = vectors::EACH, BATCH = vectors::BATCH;
    held_sums s{};
#pragma unroll 1
    for (int i = (int)threadIdx.x * EACH; i < n; i += BATCH * vectors::STEP) {
        const vectors x4(x, i, n);
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            const T *v = x4.v[b];
            double sum = (double)v[0] + (double)v[1], inner = (double)v[1];
            if constexpr (EACH == 4) {
                sum += (double)v[2] + (double)v[3];
                inner = fma(3.0, (double)v[3], fma(2.0, (double)v[2], inner));
            }
            s.plain += sum;
            if (linear) s.weighted += fma(t + (double)(i + b * vectors::STEP), sum, inner);
        }
    }
    return s;
}

// x less what the trend is at its first element, and less what it rises from there on. The first is two numbers of T.
template <class T> GNDI_FN void subtract_from_slice(const T *x, T *out, int n, double first, double slope) {
    typedef batch<T> vectors;
    constexpr int EACH = vectors::EACH, BATCH = vectors::BATCH;
    const T high = (T)first, low = (double)high == first ? (T)0 : (T)(first - (double)high), rise = (T)slope;
#pragma unroll 1
    for (int i = (int)threadIdx.x * EACH; i < n; i += BATCH * vectors::STEP) {
        vectors x4(x, i, n);
#pragma unroll
        for (int b = 0; b < BATCH; b++) {
            const int at = i + b * vectors::STEP;
#pragma unroll
            for (int e = 0; e < EACH; e++) x4.v[b][e] = (x4.v[b][e] - high) - fma(rise, (T)(at + e), low);
            if (at < n) store_vector(out + at, x4.v[b]);
        }
    }
}

// A block's slices of its team's lines.
template <class T> struct held_lines {
    const gndi_detrend_held_params &p;
    bulk_arrival *arrivals;
    int member, own; // of the team; elements of its slice
    int64_t team, lines, begin;

    __device__ __forceinline__ held_lines(const gndi_detrend_held_params &params, bulk_arrival *of_stages)
        : p(params), arrivals(of_stages), member((int)blockIdx.x % p.team), team((int)blockIdx.x / p.team) {
        lines = (p.grid.lines - team + p.teams - 1) / p.teams;
        begin = (int64_t)member * p.slice;
        const int64_t rest = p.n - begin;
        own = (int)(rest < 0 ? 0 : rest < p.slice ? rest : p.slice);
    }
    __device__ __forceinline__ int64_t line(int64_t k) const { return team + k * p.teams; }
    __device__ __forceinline__ T *slice(int stage) const {
        return reinterpret_cast<T *>(slices + (int64_t)stage * p.slice * (int)sizeof(T));
    }
    __device__ __forceinline__ void load(int64_t k, int stage) const {
        const T *x = reinterpret_cast<const T *>(p.x + gndi_line_of_x(&p.grid, line(k))) + begin;
        bulk_load(slice(stage), x, own * (int)sizeof(T), arrivals + stage);
    }
    // The slots of member `of` for the team's k-th line.
    __device__ __forceinline__ double *slots(int64_t k, int of) const { return p.sums + (line(k) * p.team + of) * 2; }
    __device__ __forceinline__ void finish(int64_t k, int stage, const held_sums &s) const {
        const double slope = p.squares > 0 ? s.weighted / p.squares : 0;
        const double first = fma(slope, (double)begin - 0.5 * (double)(p.n - 1), s.plain / (double)p.n);
        T *out = reinterpret_cast<T *>(p.out + gndi_line_of_out(&p.grid, line(k))) + begin;
        subtract_from_slice(slice(stage), out, own, first, slope);
    }
};

// Loads of the first lines begin, and all slots are made ready.
template <class T> GNDI_FN void begin(const held_lines<T> &h) {
    if (threadIdx.x == 0) {
#pragma unroll 1
        for (int stage = 0; stage < h.p.stages; stage++) bulk_init(h.arrivals + stage);
#pragma unroll 1
        for (int stage = 0; stage < h.p.stages && stage < h.lines; stage++) h.load(stage, stage);
    }
    const int64_t slots = h.p.grid.lines * h.p.team * 2;
#pragma unroll 1
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < slots; i += (int64_t)gridDim.x * THREADS)
        h.p.sums[i] = __longlong_as_double((long long)UNSET);
    cooperative_groups::this_grid().sync();
}

template <class T> __global__ void __launch_bounds__(THREADS)
    held_kernel(const __grid_constant__ gndi_detrend_held_params p) {
    if constexpr (!has_bulk_copies) return; // gndi_cuda_shared_together
    __shared__ bulk_arrival arrivals[GNDI_DETREND_STAGES];
    __shared__ held_sums of_warp[2][WARPS];
    const held_lines<T> h(p, arrivals);
    const int tid = (int)threadIdx.x, warp = tid / WARP, lane = tid % WARP;
    const double t = (double)h.begin - 0.5 * (double)(p.n - 1);
    begin(h);
    int stage = 0, parity = 0, last_stage = 0; // of the line that is summed, and of the one that is finished
    for (int64_t k = 0; k < h.lines + p.lag; k++) {
        const int64_t last = k - p.lag;
        const bool sums = k < h.lines, finishes = last >= 0, looks = finishes && tid < p.team;
        held_sums own{}, other{};
        const double *slot = looks ? h.slots(last, tid) : nullptr;
        if (looks) other = {look_at(slot), look_at(slot + 1)};
        if (sums) {
            bulk_wait(arrivals + stage, parity);
            own = sums_of_slice(h.slice(stage), h.own, t, p.squares > 0);
            add_up(own, WARP / 2);
            if (lane == 0) of_warp[0][warp] = own;
        }
        if (looks)
            while (!is_set(other.plain) || !is_set(other.weighted)) other = {look_at(slot), look_at(slot + 1)};
        __syncwarp();
        if (finishes) {
            if (warp * WARP < p.team) add_up(other, WARP / 2);
            if (lane == 0) of_warp[1][warp] = other;
        }
        __syncthreads();
        if (sums && warp == WARPS - 1) { // not the warp that begins loads
            own = sum_of_warps(of_warp[0]);
            if (lane < 2) publish(h.slots(k, h.member) + lane, lane ? own.weighted : own.plain);
        }
        if (finishes) h.finish(last, last_stage, sum_of_warps(of_warp[1]));
        __syncthreads();
        if (finishes && tid == 0 && last + p.stages < h.lines) {
            bulk_fence();
            h.load(last + p.stages, last_stage);
        }
        if (++stage == p.stages) stage = 0, parity ^= 1;
        if (finishes && ++last_stage == p.stages) last_stage = 0;
    }
}

} // namespace gnd

extern "C" const void *gndi_cuda_detrend_held_kernel(bool wide) {
    return wide ? (const void *)gnd::held_kernel<double> : (const void *)gnd::held_kernel<float>;
}
