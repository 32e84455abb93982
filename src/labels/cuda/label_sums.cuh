// label_sums.cuh: what the kernels of sums over labels share: which group a label is of, elements as lanes load them,
// and the numbers that are added.
#ifndef GNDI_LABEL_SUMS_CUH
#define GNDI_LABEL_SUMS_CUH

#include "kernels/cuda/early_start.cuh"
#include "labels/cuda/labels_params.h"
#include "labels/labels_ops.h"

namespace gnd {
namespace labels {

typedef gndi_cuda_label_sums_params params_t;

enum { LANE = GNDI_CUDA_LABEL_LANE, STEP = 32 * LANE };
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
    /* In the labels' type no other label stands for one of the index. */
    follow &= p.plan.label_dtype == GND_INT64 || (g.first >= INT32_MIN && g.first <= INT32_MAX - (g.count - 1));
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

template <class L> struct unsigned_of { typedef uint32_t type; };
template <> struct unsigned_of<int64_t> { typedef uint64_t type; };

/* What the labels say: a group in the order of the index (open_groups), one that the table has, whether it is the only
   group, or nothing. */
enum meaning { IN_ORDER, IN_TABLE, ABOVE_0, ONE_GROUP };

template <class L> static __device__ __noinline__ int search_group(const groups &g, L label) {
    const int found = (int)group_of(g, (int64_t)label);
    return found < 0 ? (int)g.count : found;
}
template <class L>
static __device__ void find_groups(const groups &g, meaning labels, const L label[LANE], int group[LANE]) {
    typedef typename unsigned_of<L>::type index_t;
    const index_t first = (index_t)g.first, count = (index_t)g.count;
    if (labels == IN_ORDER) {
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            const index_t index = (index_t)label[k] - first;
            group[k] = (int)(index < count ? index : count);
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < LANE; k++)
        group[k] = labels == IN_TABLE ? search_group<L>(g, label[k]) : labels == ABOVE_0 && label[k] <= 0;
}

/* ---- elements ------------------------------------------------------------------------------- */

template <class T> static __device__ void load_four(const T *from, T to[LANE]) {
    union {
        uint4 bits[sizeof(T) * LANE / 16];
        T element[LANE];
    } pack;
#pragma unroll
    for (size_t k = 0; k < sizeof(T) * LANE / 16; k++) pack.bits[k] = reinterpret_cast<const uint4 *>(from)[k];
#pragma unroll
    for (int k = 0; k < LANE; k++) to[k] = pack.element[k];
}

/* Four elements of each lane. */
template <class X, class L> struct step_of {
    X value[LANE];
    L label[LANE];

    /* whole: all four are there, 16 bytes can be read at a time. */
    __device__ void load(const X *x, const L *labels, int64_t i, int64_t end, bool whole) {
        if (whole) {
            load_four(x + i, value);
            if (labels) load_four(labels + i, label);
            return;
        }
#pragma unroll
        for (int k = 0; k < LANE; k++) {
            value[k] = i + k < end ? x[i + k] : (X)0;
            label[k] = labels && i + k < end ? labels[i + k] : (L)0;
        }
    }
};

/* ---- numbers -------------------------------------------------------------------------------- */

template <int Columns> struct alignas(Columns % 2 ? 8 : 16) numbers_of {
    double of[Columns];

    __device__ void add(const numbers_of &other) {
#pragma unroll
        for (int c = 0; c < Columns; c++) of[c] += other.of[c];
    }
};

} // namespace labels
} // namespace gnd

#endif
