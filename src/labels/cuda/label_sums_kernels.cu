// label_sums_kernels.cu: sums over labels. A warp has sums of its own in shared memory, and goes through elements in
// steps of 128, four a lane. While all of a step has one label, lanes add to registers. Else the labels of the step are
// taken one after the other, if they are few; or lanes add directly, those of equal labels in the order of the lanes.
// No order depends on time, so that the sums are the same on every run.
#include "labels/cuda/labels_params.h"
#include "labels/labels_ops.h"

namespace gnd {
namespace labels {

typedef gndi_cuda_label_sums_params params_t;

enum { LANE = 4, STEP = 32 * LANE, FEW = 6 };
constexpr unsigned ALL = 0xffffffffu;

/* ---- groups --------------------------------------------------------------------------------- */

/* The block's table; all threads. */
static __device__ groups open_groups(const params_t &p, int32_t *table) {
    groups g = {p.plan.index, p.plan.groups, 1, nullptr, 0};
    if (!p.plan.index) return g;
    g.first = p.plan.index[0];
    bool follow = true;
    for (int64_t k = threadIdx.x; k < g.count; k += blockDim.x)
        follow &= (uint64_t)g.index[k] == (uint64_t)g.first + (uint64_t)k;
    if (__syncthreads_and(follow)) return g;
    g.table = table, g.bits = p.table_bits;
    const uint32_t mask = (1u << g.bits) - 1;
    for (uint32_t h = threadIdx.x; h <= mask; h += blockDim.x) table[h] = -1;
    __syncthreads();
    for (int k = (int)threadIdx.x; k < (int)g.count; k += (int)blockDim.x)
        for (uint32_t h = hash_label(g.index[k], g.bits);; h = (h + 1) & mask) {
            const int before = atomicCAS(table + h, -1, k);
            if (before < 0) break;
            if (g.index[before] != g.index[k]) continue;
            atomicMin(table + h, k);
            break;
        }
    __syncthreads();
    return g;
}

/* ---- elements ------------------------------------------------------------------------------- */

static __device__ uint32_t divide(const gndi_cuda_divisor &d, uint32_t n) {
    return (uint32_t)(((uint64_t)__umulhi(n, d.magic) + n) >> d.shift);
}
static __device__ int64_t index_along(const params_t &p, int axis, int64_t i) {
    if (!p.narrow) return i / p.plan.inner[axis] % p.plan.extent[axis];
    const uint32_t q = divide(p.inner[axis], (uint32_t)i);
    return q - divide(p.extent[axis], q) * p.extent[axis].size;
}

template <class T> static __device__ void load_four(const T *from, bool aligned, int count, T to[LANE]) {
    if (aligned && count == LANE) {
        union {
            uint4 bits[sizeof(T) * LANE / 16];
            T element[LANE];
        } pack;
        for (size_t k = 0; k < sizeof(T) * LANE / 16; k++) pack.bits[k] = reinterpret_cast<const uint4 *>(from)[k];
        for (int k = 0; k < LANE; k++) to[k] = pack.element[k];
    } else {
        for (int k = 0; k < LANE; k++) to[k] = k < count ? from[k] : (T)0;
    }
}

/* What four elements of a lane add to the columns of their groups. */
template <bool Counts, int Axes> struct terms {
    static constexpr int COLUMNS = 1 + Counts + Axes;
    double of[LANE][COLUMNS];

    __device__ void set(const params_t &p, int64_t i, const double value[LANE]) {
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            of[k][0] = value[k];
            if constexpr (Counts) of[k][1] = 1;
        }
#pragma unroll
        for (int axis = 0; axis < Axes; axis++) {
            const int64_t inner = p.plan.inner[axis], extent = p.plan.extent[axis], first = index_along(p, axis, i);
            const bool same = inner % LANE == 0, next = inner == 1 && extent % LANE == 0; /* i is a multiple of LANE */
#pragma unroll
            for (int k = 0; k < LANE; k++) {
                const int64_t index = same ? first : next ? first + k : index_along(p, axis, i + k);
                of[k][1 + Counts + axis] = value[k] * (double)index;
            }
        }
    }
};

/* ---- the sums of a warp --------------------------------------------------------------------- */

template <bool Counts, int Axes> struct warp_sums {
    typedef terms<Counts, Axes> terms_t;
    static constexpr int COLUMNS = terms_t::COLUMNS;
    double *sums;        /* in shared memory: groups x columns */
    double own[COLUMNS]; /* the lane's, of the open group */
    int64_t label, open; /* the open group; -1: none */
    bool is_open;        /* it is `label`'s */

    __device__ void add_all(int64_t group, double add[COLUMNS]) {
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) {
            for (int far = 16; far > 0; far /= 2) add[c] += __shfl_xor_sync(ALL, add[c], far);
            if ((threadIdx.x & 31) == 0) sums[group * COLUMNS + c] += add[c];
        }
        __syncwarp();
    }
    __device__ void close() {
        if (is_open && open >= 0) add_all(open, own);
        for (int c = 0; c < COLUMNS; c++) own[c] = 0;
        is_open = false;
    }
    __device__ void add_uniform(const groups &g, int64_t next, const terms_t &t) {
        if (!is_open || next != label) {
            close();
            label = next, open = group_of(g, next), is_open = true;
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; c++) own[c] += (t.of[0][c] + t.of[1][c]) + (t.of[2][c] + t.of[3][c]);
    }
    /* The groups that the step has, from the first lane's on; -1: none. */
    __device__ void add_few(const int group[LANE], const terms_t &t) {
        unsigned left = 0;
#pragma unroll
        for (int k = 0; k < LANE; k++) left |= (unsigned)(group[k] >= 0) << k;
        while (const unsigned lanes = __ballot_sync(ALL, left != 0)) {
            int next = -1;
#pragma unroll
            for (int k = LANE - 1; k >= 0; k--)
                if (left >> k & 1) next = group[k];
            next = __shfl_sync(ALL, next, __ffs((int)lanes) - 1);
            double add[COLUMNS] = {0};
#pragma unroll
            for (int k = 0; k < LANE; k++) {
                if (!(left >> k & 1) || group[k] != next) continue;
                left &= ~(1u << k);
                for (int c = 0; c < COLUMNS; c++) add[c] += t.of[k][c];
            }
            add_all(next, add);
        }
    }
    __device__ void add_many(const int group[LANE], const terms_t &t) {
        const unsigned lower = (1u << (threadIdx.x & 31)) - 1;
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            const unsigned equal = __match_any_sync(ALL, group[k]);
            const int turn = group[k] < 0 ? -1 : __popc(equal & lower);
            for (int round = 0; __any_sync(ALL, turn >= round); round++) {
                if (turn == round)
                    for (int c = 0; c < COLUMNS; c++) sums[group[k] * COLUMNS + c] += t.of[k][c];
                __syncwarp();
            }
        }
    }
};

/* Axes -1: none, and squares of distances from the groups' centres. */
template <class X, class L, bool Counts, int Axes> __global__ void __launch_bounds__(GNDI_CUDA_LABEL_WARPS * 32)
    sums_kernel(const __grid_constant__ params_t p) {
    constexpr bool CENTRED = Axes < 0;
    typedef warp_sums<Counts, CENTRED ? 0 : Axes> sums_of;
    constexpr int COLUMNS = sums_of::COLUMNS;
    extern __shared__ double shared[];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5), numbers = (int)p.plan.groups * COLUMNS;
    const groups g = open_groups(p, reinterpret_cast<int32_t *>(shared + p.warps * numbers));
    for (int k = (int)threadIdx.x; k < p.warps * numbers; k += (int)blockDim.x) shared[k] = 0;
    __syncthreads();

    const X *x = static_cast<const X *>(p.plan.x);
    const L *labels = static_cast<const L *>(p.plan.labels);
    const bool x_aligned = reinterpret_cast<uintptr_t>(x) % 16 == 0;
    const bool labels_aligned = reinterpret_cast<uintptr_t>(labels) % 16 == 0;
    const int64_t steps = (p.plan.n + STEP - 1) / STEP, warps = p.plan.parts * p.warps;
    const int64_t each = (steps + warps - 1) / warps * STEP; /* elements of a warp */
    const int64_t begin = ((int64_t)blockIdx.x * p.warps + warp) * each;
    const int64_t end = begin + each < p.plan.n ? begin + each : p.plan.n;
    sums_of s = {shared + warp * numbers, {0}, 0, -1, false};
    for (int64_t base = begin; base < end; base += STEP) {
        const int64_t i = base + lane * LANE, left = end - i;
        const int count = left >= LANE ? LANE : left > 0 ? (int)left : 0;
        X value[LANE];
        L raw[LANE] = {0};
        load_four(x + i, x_aligned, count, value);
        if (labels) load_four(labels + i, labels_aligned, count, raw);
        int64_t label[LANE];
        double wide[LANE];
        bool same = true, edge;
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            label[k] = !labels ? 1 : p.plan.index ? (int64_t)raw[k] : (int64_t)(raw[k] > 0);
            wide[k] = (double)value[k];
            same &= label[k] == label[0];
        }
        if constexpr (CENTRED) {
#pragma unroll
            for (int k = 0; k < LANE; k++) {
                const int64_t its = k < count ? group_of(g, label[k]) : -1;
                wide[k] -= its < 0 ? 0 : p.plan.centres[its];
                wide[k] *= wide[k];
            }
        }
        typename sums_of::terms_t t;
        t.set(p, i, wide);
        const long long before = __shfl_up_sync(ALL, (long long)label[LANE - 1], 1);
        edge = lane > 0 && before != label[0];
        const int changes = __popc(__ballot_sync(ALL, !same)) + __popc(__ballot_sync(ALL, edge));
        if (changes == 0 && base + STEP <= end) {
            s.add_uniform(g, label[0], t);
            continue;
        }
        s.close();
        int group[LANE];
#pragma unroll
        for (int k = 0; k < LANE; k++)
            group[k] = k >= count ? -1 : k > 0 && label[k] == label[k - 1] ? group[k - 1] : (int)group_of(g, label[k]);
        if (changes <= FEW)
            s.add_few(group, t);
        else
            s.add_many(group, t);
    }
    s.close();
    __syncthreads();
    for (int k = (int)threadIdx.x; k < numbers; k += (int)blockDim.x) {
        const int row = k / COLUMNS, from = g.table ? (int)group_of(g, g.index[row]) * COLUMNS + k % COLUMNS : k;
        double sum = 0;
        for (int w = 0; w < p.warps; w++) sum += shared[w * numbers + from];
        p.plan.part[(int64_t)blockIdx.x * numbers + k] = sum;
    }
}

/* 32 numbers a block: each warp adds every eighth part, and the first one what the warps have. */
static __global__ void __launch_bounds__(256) join_kernel(const __grid_constant__ params_t p) {
    __shared__ double sums[8][32];
    const int lane = (int)(threadIdx.x & 31), warp = (int)(threadIdx.x >> 5);
    const int64_t numbers = p.plan.groups * (1 + p.plan.counts + p.plan.axes), k = (int64_t)blockIdx.x * 32 + lane;
    double sum = 0;
    if (k < numbers)
#pragma unroll 8
        for (int64_t part = warp; part < p.plan.parts; part += 8) sum += p.plan.part[part * numbers + k];
    sums[warp][lane] = sum;
    __syncthreads();
    if (warp > 0 || k >= numbers) return;
    for (int w = 1; w < 8; w++) sum += sums[w][lane];
    p.plan.out[k] = sum;
}

/* ---- tables --------------------------------------------------------------------------------- */

template <class X, class L> static const void *sums_of_columns(bool centred, bool counts, int axes) {
    if (centred) return (const void *)sums_kernel<X, L, false, -1>;
    if (counts) return (const void *)sums_kernel<X, L, true, 0>;
    switch (axes) {
    case 0: return (const void *)sums_kernel<X, L, false, 0>;
    case 1: return (const void *)sums_kernel<X, L, false, 1>;
    case 2: return (const void *)sums_kernel<X, L, false, 2>;
    default: return (const void *)sums_kernel<X, L, false, 3>;
    }
}
template <class X> static const void *sums_of_labels(const sums_t *p) {
    return p->label_dtype == GND_INT64 ? sums_of_columns<X, int64_t>(p->centres, p->counts, p->axes)
                                       : sums_of_columns<X, int32_t>(p->centres, p->counts, p->axes);
}

} // namespace labels
} // namespace gnd

extern "C" const void *gndi_cuda_label_sums_kernel(const gndi_label_sums_plan *p) {
    using namespace gnd::labels;
    return p->x_dtype == GND_FLOAT64 ? sums_of_labels<double>(p) : sums_of_labels<float>(p);
}
extern "C" const void *gndi_cuda_label_sums_join_kernel(void) {
    return (const void *)gnd::labels::join_kernel;
}
