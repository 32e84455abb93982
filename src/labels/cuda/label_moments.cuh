// label_moments.cuh: sums over labels, and of the elements times their indices along the last two axes, in rows of a
// multiple of 128 elements. A warp has sums of its own in shared memory, and goes through elements in steps of 128,
// four a lane; the next steps' are on their way. Each number has 8 slots, which lanes add to in four turns. While all
// of a step has one label, lanes add to registers. The index along the rows' axis is the same in each step, and its
// moments are made of the sums as they are between rows. No order depends on time, so that the sums are the same on
// every run.
#ifndef GNDI_LABEL_MOMENTS_CUH
#define GNDI_LABEL_MOMENTS_CUH

#include "labels/cuda/label_sums.cuh"

namespace gnd {
namespace labels {

/* A sum, and the moment along the last axis. */
typedef numbers_of<2> pair_t;

/* ---- the sums of a warp --------------------------------------------------------------------- */

/* As a lane sees them. Groups are numbered 0 to count, the last one of what is in none. */
template <int SLOTS> struct pair_sums {
    enum { TURNS = 32 / SLOTS };
    pair_t *slot; /* the lane's of group 0, in shared memory: groups x SLOTS */
    int turn;     /* when the lane adds */
    int open;     /* the group that `own` is of */
    bool has_own; /* the warp's lanes have something of their own */
    pair_t own;

    __device__ void close() {
        if (!has_own) return;
        pair_t *const to = slot + open * SLOTS;
#pragma unroll 1
        for (int now = 0; now < TURNS; now++) {
            if (now == turn) to->add(own);
            __syncwarp();
        }
        own = pair_t(), has_own = false;
    }
    /* Where groups are equal, the last one's terms are the sum of them: it is stored last. */
    __device__ void add(const int (&group)[LANE], const pair_t (&terms)[LANE]) {
        pair_t *to[LANE];
#pragma unroll
        for (int k = 0; k < LANE; k++) to[k] = slot + group[k] * SLOTS;
#pragma unroll
        for (int now = 0; now < TURNS; now++) {
            if (now == turn) {
                pair_t sum[LANE];
#pragma unroll
                for (int k = 0; k < LANE; k++) sum[k] = *to[k];
#pragma unroll
                for (int k = 0; k < LANE; k++) sum[k].add(terms[k]);
#pragma unroll
                for (int k = 0; k < LANE; k++) *to[k] = sum[k];
            }
            __syncwarp();
        }
    }
    /* Four elements of each lane. */
    __device__ void add_four(const int (&group)[LANE], pair_t (&t)[LANE]) {
        int others = 0;
#pragma unroll
        for (int k = 0; k < LANE; k++) others |= group[k] ^ open;
        if (!__any_sync(ALL, others)) {
            t[0].add(t[1]), t[2].add(t[3]), t[0].add(t[2]);
            own.add(t[0]), has_own = true;
            return;
        }
        close();
        open = __shfl_sync(ALL, group[LANE - 1], 31); /* what comes next most likely */
#pragma unroll
        for (int k = 1; k < LANE; k++) {
            pair_t before = pair_t(); /* of the same group */
#pragma unroll
            for (int e = 0; e < k; e++)
                if (group[e] == group[k]) before = t[e];
            t[k].add(before);
        }
        add(group, t);
    }
};

/* A group's sums in all slots. Lanes begin at different ones, for the memory's banks. */
template <int SLOTS> static __device__ pair_t sum_of_slots(const pair_t *slots, int begin) {
    pair_t sum = pair_t();
#pragma unroll
    for (int e = 0; e < SLOTS; e++) sum.add(slots[(e + begin) % SLOTS]);
    return sum;
}

/* ---- rows ----------------------------------------------------------------------------------- */

template <int SLOTS>
static __device__ __noinline__ void add_missing(double *missing, const pair_t *sums, int count, int more) {
    __syncwarp();
#pragma unroll 1
    for (int k = (int)(threadIdx.x & 31); k < count; k += 32) {
        double sum = 0;
#pragma unroll
        for (int e = 0; e < SLOTS; e++) sum += sums[k * SLOTS + (e + k) % SLOTS].of[0];
        missing[k] += more * sum;
    }
    __syncwarp();
}

/* The rows that a warp goes through, and its moments across them: where the index becomes d more, d times the sums
   until then are added to `missing`; the moments are the last index times the sums, without these. */
struct rows_of {
    double *missing; /* in shared memory, of each group */
    int steps;       /* of a row */
    int change;      /* the step from which on the row is another one */
    int first, index;

    __device__ void begin(const params_t &p, int step) {
        steps = (int)(p.plan.inner[0] / STEP), change = (step / steps + 1) * steps;
        first = index = (int)(step / steps % p.plan.extent[0]);
    }
    template <int SLOTS> __device__ void advance(const params_t &p, const pair_t *sums) {
        const int next = index + 1 == (int)p.plan.extent[0] ? 0 : index + 1;
        add_missing<SLOTS>(missing, sums, (int)p.plan.groups, next - index);
        index = next, change += steps;
    }
};

/* ---- the kernel ----------------------------------------------------------------------------- */

/* index: the first element's in its row. */
template <class X> static __device__ void set_terms(pair_t (&t)[LANE], const X (&value)[LANE], double index) {
#pragma unroll
    for (int k = 0; k < LANE; k++) t[k].of[0] = (double)value[k], t[k].of[1] = t[k].of[0] * (k ? index + k : index);
}

/* AHEAD: steps that are on their way. */
template <class X, class L, int AHEAD, int SLOTS>
static __device__ void add_steps(pair_sums<SLOTS> &s, rows_of &rows, const params_t &p, const groups &g,
                                 const pair_t *table, int begin, int end) {
    const int lane = (int)(threadIdx.x & 31);
    const int64_t at = (int64_t)begin * STEP + lane * LANE;
    const X *x = static_cast<const X *>(p.plan.x) + at;
    const L *labels = p.plan.labels ? static_cast<const L *>(p.plan.labels) + at : nullptr;
    const meaning meaning = !labels ? ONE_GROUP : !p.plan.index ? ABOVE_0 : g.table ? IN_TABLE : IN_ORDER;
    double index = (begin - (rows.change - rows.steps)) * STEP + lane * LANE;
    step_of<X, L> next[AHEAD];
#pragma unroll
    for (int k = 0; k < AHEAD; k++)
        if (begin + k < end) next[k].load(x, labels, k * STEP, 0, true);
#pragma unroll 1
    for (int step = begin; step < end; step += AHEAD) {
#pragma unroll
        for (int k = 0; k < AHEAD; k++) {
            if (step + k >= end) break;
            if (step + k == rows.change) {
                s.close();
                rows.advance<SLOTS>(p, table);
                index = lane * LANE;
            }
            int group[LANE];
            pair_t t[LANE];
            find_groups<L>(g, meaning, next[k].label, group);
            set_terms(t, next[k].value, index);
            if (step + k + AHEAD < end) next[k].load(x, labels, (k + AHEAD) * STEP, 0, true);
            s.add_four(group, t);
            index += STEP;
        }
        x += AHEAD * STEP, labels = labels ? labels + AHEAD * STEP : labels;
    }
    s.close();
}

template <class X, class L, int AHEAD> __global__ void __launch_bounds__(GNDI_CUDA_LABEL_WARPS * 32, 2)
    moments_kernel(const __grid_constant__ params_t p) {
    constexpr int SLOTS = 1 << GNDI_CUDA_LABEL_MOST_SLOTS;
    extern __shared__ __align__(16) unsigned char workspace[];
    __shared__ int indices[GNDI_CUDA_LABEL_WARPS][2];
    pair_t *const shared = reinterpret_cast<pair_t *>(workspace);
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5), count = (int)p.plan.groups;
    const int held = (count + 1) * SLOTS;
    double *const missing = reinterpret_cast<double *>(shared + p.warps * held);
    start_early();
    for (int k = (int)threadIdx.x; k < p.warps * held; k += (int)blockDim.x) shared[k] = pair_t();
    for (int k = (int)threadIdx.x; k < p.warps * count; k += (int)blockDim.x) missing[k] = 0;
    const groups g = open_groups(p, reinterpret_cast<int32_t *>(missing + p.warps * count));
    __syncthreads();

    const int steps = (int)(p.plan.n / STEP), warps = (int)p.plan.parts * p.warps, each = (steps + warps - 1) / warps;
    const int begin = ((int)blockIdx.x * p.warps + warp) * each, end = begin + each < steps ? begin + each : steps;
    pair_t *const table = shared + warp * held;
    pair_sums<SLOTS> s = {table + lane % SLOTS, lane / SLOTS, count, false, pair_t()};
    rows_of rows = {missing + warp * count, 0, 0, 0, 0};
    rows.begin(p, begin);
    add_steps<X, L, AHEAD, SLOTS>(s, rows, p, g, table, begin, end);
    if (lane == 0) indices[warp][0] = rows.first, indices[warp][1] = rows.index;
    __syncthreads();

    for (int k = (int)threadIdx.x; k < count; k += (int)blockDim.x) {
        const int from = g.table ? (int)group_of(g, g.index[k]) : k;
        pair_t sum = pair_t();
        double moment = 0;
        for (int w = 0; w < p.warps; w++) {
            const pair_t its = sum_of_slots<SLOTS>(shared + w * held + from * SLOTS, from);
            sum.add(its);
            moment += (indices[w][1] - indices[w][0]) * its.of[0] - missing[w * count + from];
            moment += indices[w][0] * its.of[0];
        }
        double *const to = p.plan.part + ((int64_t)blockIdx.x * count + k) * 3;
        to[0] = sum.of[0], to[1] = moment, to[2] = sum.of[1];
    }
}

} // namespace labels
} // namespace gnd

#endif
