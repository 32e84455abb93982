// label_sums_kernels.cu: sums over labels. A warp has sums of its own in shared memory, and goes through elements in
// steps of 128, four a lane; the next step's are on their way. Each number has 8 slots, which lanes add to in turns. So
// those with equal groups need not look for each other. Where the memory is too little for that, it has one, and lanes
// with equal groups add in their order. While all of a step has one label, lanes add to registers. No order depends on
// time, so that the sums are the same on every run.
#include "labels/cuda/label_moments.cuh"

namespace gnd {
namespace labels {

enum { FEW = 4 };

/* ---- indices -------------------------------------------------------------------------------- */

static __device__ uint32_t divide(const gndi_cuda_divisor &d, uint32_t n) {
    return (uint32_t)(((uint64_t)__umulhi(n, d.magic) + n) >> d.shift);
}
static __device__ double narrow_index(const params_t &p, int axis, uint32_t i) {
    const uint32_t q = divide(p.inner[axis], i);
    return (double)(int32_t)(q - divide(p.extent[axis], q) * p.extent[axis].size);
}
static __device__ __noinline__ double wide_index(const params_t &p, int axis, int64_t i) {
    return (double)(i / p.plan.inner[axis] % p.plan.extent[axis]);
}

/* ---- the sums of a warp --------------------------------------------------------------------- */

/* The columns that lanes add to. Axes -1: none, and squares of distances from the groups' centres. */
template <bool Counts, int Axes> constexpr int COLUMNS = 1 + Counts + (Axes > 0 ? Axes : 0);

/* What four elements of a lane add to the columns of their groups. */
template <bool Counts, int Axes> static __device__ void
set_terms(numbers_of<COLUMNS<Counts, Axes>> t[LANE], const params_t &p, int64_t i, const double value[LANE]) {
#pragma unroll
    for (int k = 0; k < LANE; k++) {
        t[k].of[0] = value[k];
        if constexpr (Counts) t[k].of[1] = 1;
    }
#pragma unroll
    for (int axis = 0; axis < Axes; axis++) {
        double index[LANE];
        if (p.step[axis] >= 0) { /* i is a multiple of LANE */
            index[0] = narrow_index(p, axis, (uint32_t)i);
#pragma unroll
            for (int k = 1; k < LANE; k++) index[k] = index[0] + k * p.step[axis];
        } else {
#pragma unroll
            for (int k = 0; k < LANE; k++) index[k] = wide_index(p, axis, i + k);
        }
#pragma unroll
        for (int k = 0; k < LANE; k++) t[k].of[1 + Counts + axis] = value[k] * index[k];
    }
}

/* The sums of a warp as a lane sees them. Groups are numbered 0 to count, the last one of what is in none. */
template <int Columns> struct warp_sums {
    typedef numbers_of<Columns> sums_t;
    sums_t *slot;  /* the lane's of group 0, in shared memory: groups x slots */
    int log_slots; /* lanes that share a slot add in turns */
    int none;      /* the last group */
    int open;      /* the group that `own` is of */
    bool has_own;  /* the warp's lanes have something of their own */
    sums_t own;

    /* A group of a few, the sum of all lanes' terms of it. */
    __device__ void add_of(int its, int group, const sums_t &terms) {
        sums_t sum = group == its ? terms : sums_t();
#pragma unroll
        for (int c = 0; c < Columns; c++)
            for (int far = 16; far > 0; far /= 2) sum.of[c] += __shfl_xor_sync(ALL, sum.of[c], far);
        if ((threadIdx.x & 31) == 0) slot[its].add(sum);
        __syncwarp();
    }
    /* Groups one after the other, if they are few; else of lanes with equal groups one after the other adds. */
    template <int N> __device__ void add_matched(const int (&group)[N], const sums_t (&terms)[N]) {
        const unsigned lower = (1u << (threadIdx.x & 31)) - 1;
#pragma unroll
        for (int k = 0; k < N; k++) {
            const unsigned equal = __match_any_sync(ALL, group[k]);
            const int turn = group[k] == none ? -1 : __popc(equal & lower);
            unsigned firsts = __ballot_sync(ALL, turn == 0);
            if (__popc(firsts) <= FEW) {
                for (; firsts; firsts &= firsts - 1)
                    add_of(__shfl_sync(ALL, group[k], __ffs((int)firsts) - 1), group[k], terms[k]);
                continue;
            }
            for (int round = 0; __any_sync(ALL, turn >= round); round++) {
                if (turn == round) slot[group[k]].add(terms[k]);
                __syncwarp();
            }
        }
    }
    /* Adds to N different groups; what is of none may be there several times. */
    template <int N> __device__ void add(const int (&group)[N], const sums_t (&terms)[N]) {
        const int own_turn = (int)(threadIdx.x & 31) >> log_slots;
        if (log_slots == 0) {
            add_matched(group, terms);
            return;
        }
        sums_t *to[N];
#pragma unroll
        for (int k = 0; k < N; k++) to[k] = slot + (group[k] << log_slots);
#pragma unroll 1
        for (int turn = 0; turn < 32 >> log_slots; turn++) {
            if (turn == own_turn) {
                sums_t sum[N];
#pragma unroll
                for (int k = 0; k < N; k++) sum[k] = *to[k];
#pragma unroll
                for (int k = 0; k < N; k++) sum[k].add(terms[k]);
#pragma unroll
                for (int k = 0; k < N; k++) *to[k] = sum[k];
            }
            __syncwarp();
        }
    }
    __device__ void close() {
        if (!has_own) return;
        const int group[1] = {open};
        const sums_t terms[1] = {own};
        add(group, terms);
        own = sums_t(), has_own = false;
    }
    /* Four elements of each lane. */
    __device__ void add_four(int (&group)[LANE], sums_t (&t)[LANE]) {
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
        for (int k = 1; k < LANE; k++)
#pragma unroll
            for (int to = 0; to < k; to++)
                if (group[k] == group[to]) t[to].add(t[k]), group[k] = none;
        add(group, t);
    }
};

/* whole: all elements of the step are there. */
template <class X, class L, bool Counts, int Axes>
static __device__ void add_step(warp_sums<COLUMNS<Counts, Axes>> &s, const params_t &p, const groups &g, meaning labels,
                                const double *centres, const step_of<X, L> &step, int64_t i, int64_t end, bool whole) {
    int group[LANE];
    double value[LANE];
#pragma unroll
    for (int k = 0; k < LANE; k++) value[k] = (double)step.value[k];
    find_groups<L>(g, labels, step.label, group);
    if (!whole) {
#pragma unroll
        for (int k = 0; k < LANE; k++)
            if (i + k >= end) group[k] = s.none;
    }
    if constexpr (Axes < 0) {
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            value[k] -= centres[group[k]];
            value[k] *= value[k];
        }
    }
    numbers_of<COLUMNS<Counts, Axes>> t[LANE];
    set_terms<Counts, Axes>(t, p, i, value);
    s.add_four(group, t);
}

template <class X, class L, bool Counts, int Axes> __global__ void __launch_bounds__(GNDI_CUDA_LABEL_WARPS * 32)
    sums_kernel(const __grid_constant__ params_t p) {
    typedef numbers_of<COLUMNS<Counts, Axes>> sums_t;
    extern __shared__ __align__(16) unsigned char workspace[];
    sums_t *const shared = reinterpret_cast<sums_t *>(workspace);
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5), count = (int)p.plan.groups;
    const int slots = 1 << p.log_slots, held = (count + 1) << p.log_slots;
    double *const centres = reinterpret_cast<double *>(shared + p.warps * held);
    start_early();
    for (int k = (int)threadIdx.x; k < p.warps * held; k += (int)blockDim.x) shared[k] = sums_t();
    if (Axes < 0)
        for (int k = (int)threadIdx.x; k <= count; k += (int)blockDim.x) centres[k] = k < count ? p.plan.centres[k] : 0;
    const groups g = open_groups(p, reinterpret_cast<int32_t *>(centres + (Axes < 0 ? count + 1 : 0)));
    __syncthreads();

    const X *const x = static_cast<const X *>(p.plan.x);
    const L *const labels = static_cast<const L *>(p.plan.labels);
    const bool aligned = (reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(labels)) % 16 == 0;
    const int64_t steps = (p.plan.n + STEP - 1) / STEP, warps = p.plan.parts * p.warps;
    const int64_t each = (steps + warps - 1) / warps * STEP; /* elements of a warp */
    const int64_t begin = ((int64_t)blockIdx.x * p.warps + warp) * each;
    const int64_t end = begin + each < p.plan.n ? begin + each : p.plan.n;
    warp_sums<COLUMNS<Counts, Axes>> s = {
        shared + warp * held + (lane & (slots - 1)), p.log_slots, count, count, false, sums_t()};
    const meaning meaning = !labels ? ONE_GROUP : !p.plan.index ? ABOVE_0 : g.table ? IN_TABLE : IN_ORDER;
    const int64_t whole = !aligned || end < begin ? begin : begin + (end - begin) / STEP * STEP;
    step_of<X, L> next;
    int64_t i = begin + lane * LANE;
    next.load(x, labels, i, end, begin < whole);
    for (int64_t base = begin; base < end; base += STEP, i += STEP) {
        const step_of<X, L> step = next;
        next.load(x, labels, i + STEP, end, base + STEP < whole);
        add_step<X, L, Counts, Axes>(s, p, g, meaning, centres, step, i, end, base < whole);
    }
    s.close();
    __syncthreads();
    for (int k = (int)threadIdx.x; k < count; k += (int)blockDim.x) {
        const int from = g.table ? (int)group_of(g, g.index[k]) : k;
        sums_t sum = sums_t();
        for (int w = 0; w < p.warps; w++) {
            sums_t its = sums_t();
#pragma unroll 4
            for (int e = 0; e < slots; e++) /* not the same slot in all lanes, for the memory's banks */
                its.add(shared[w * held + (from << p.log_slots) + ((e + from / 2) & (slots - 1))]);
            sum.add(its);
        }
        double *to = p.plan.part + ((int64_t)blockIdx.x * count + k) * COLUMNS<Counts, Axes>;
#pragma unroll
        for (int c = 0; c < COLUMNS<Counts, Axes>; c++) to[c] = sum.of[c];
    }
}

/* 32 numbers a block: each warp adds every 32nd part, and the first one what the warps have. */
static __global__ void __launch_bounds__(1024) join_kernel(const __grid_constant__ params_t p) {
    __shared__ double sums[32][33];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5);
    const int64_t numbers = p.plan.groups * (1 + p.plan.counts + p.plan.axes), k = (int64_t)blockIdx.x * 32 + lane;
    double sum = 0;
    start_early();
    if (k < numbers)
#pragma unroll 8
        for (int64_t part = warp; part < p.plan.parts; part += 32) sum += p.plan.part[part * numbers + k];
    sums[warp][lane] = sum;
    __syncthreads();
    sum = sums[lane][warp]; /* a warp a number */
    for (int far = 16; far > 0; far /= 2) sum += __shfl_xor_sync(ALL, sum, far);
    const int64_t number = (int64_t)blockIdx.x * 32 + warp;
    if (lane == 0 && number < numbers) p.plan.out[number] = sum;
}

/* ---- tables --------------------------------------------------------------------------------- */

/* What registers hold. */
template <class X, class L> constexpr int STEPS_AHEAD = sizeof(X) + sizeof(L) == 8 ? 4 : 3;

template <class X, class L> static const void *sums_of_columns(const params_t &p) {
    if (p.plan.centres) return (const void *)sums_kernel<X, L, false, -1>;
    if (p.plan.counts) return (const void *)sums_kernel<X, L, true, 0>;
    switch (p.plan.axes) {
    case 0: return (const void *)sums_kernel<X, L, false, 0>;
    case 1: return (const void *)sums_kernel<X, L, false, 1>;
    case 2:
        if (!p.rows) return (const void *)sums_kernel<X, L, false, 2>;
        return (const void *)moments_kernel<X, L, STEPS_AHEAD<X, L>>;
    default: return (const void *)sums_kernel<X, L, false, 3>;
    }
}
} // namespace labels
} // namespace gnd

// The kernel of the sums of parts, or what joins the parts; by the dtypes of elements and labels.
#define SUMS(part, X, L)                                                                                               \
    extern "C" const void *gndi_cuda_label_sums_##part(const gndi_cuda_label_sums_params *p, bool joins) {             \
        using namespace gnd::labels;                                                                                   \
        return joins ? (const void *)join_kernel : sums_of_columns<X, L>(*p);                                          \
    }
#ifdef GNDI_PART_floats
SUMS(floats, float, int32_t)
#endif
#ifdef GNDI_PART_floats_wide
SUMS(floats_wide, float, int64_t)
#endif
#ifdef GNDI_PART_doubles
SUMS(doubles, double, int32_t)
#endif
#ifdef GNDI_PART_doubles_wide
SUMS(doubles_wide, double, int64_t)
#endif
