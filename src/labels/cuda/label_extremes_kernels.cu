// label_extremes_kernels.cu: extremes over labels: elements become unsigned numbers of the same order (extremes_ops.h),
// whose least and greatest do not depend on the order of atomics. A second sweep finds the first positions of these. A
// block has a table of its own in shared memory where the groups fit; a number is only handed to an atomic where it is
// better than what is there.
#include "labels/cuda/labels_params.h"
#include "labels/extremes_ops.h"

namespace gnd {
namespace labels {

typedef gndi_cuda_label_extremes_params params_t;
typedef unsigned long long word_t; /* uint64_t for atomics */

enum { THREADS = GNDI_CUDA_LABEL_EXTREMES_THREADS, EACH = GNDI_CUDA_LABEL_EXTREMES_EACH };

/* ---- groups --------------------------------------------------------------------------------- */

static __device__ groups open_groups(const extremes_t &p) {
    const int32_t *table = p.index && p.table[0] != 0 ? p.table + 1 : nullptr;
    return {p.index, p.groups, p.index ? p.index[0] : 1, table, p.bits};
}

/* Empties the tables; a thread for each of their entries. */
static __global__ void __launch_bounds__(THREADS) clear_kernel(const __grid_constant__ params_t p) {
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (p.plan.index && k < (int64_t)1 << p.plan.bits) p.plan.table[1 + k] = -1;
    if (p.plan.index && k == 0) p.plan.table[0] = 0;
    if (k >= p.plan.groups) return;
    p.plan.keys[4 * k] = p.plan.keys[4 * k + 2] = p.plan.keys[4 * k + 3] = UINT64_MAX;
    p.plan.keys[4 * k + 1] = 0;
}

/* Of equal labels the table has the first one's index. */
static __global__ void __launch_bounds__(THREADS) hash_kernel(const __grid_constant__ params_t p) {
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= p.plan.groups) return;
    const int64_t *index = p.plan.index;
    if ((uint64_t)index[k] != (uint64_t)index[0] + (uint64_t)k) p.plan.table[0] = 1;
    int32_t *table = p.plan.table + 1;
    const uint32_t mask = (1u << p.plan.bits) - 1;
    for (uint32_t h = hash_label(index[k], p.plan.bits);; h = (h + 1) & mask) {
        const int32_t before = atomicCAS(table + h, -1, (int32_t)k);
        if (before < 0) return;
        if (index[before] != index[k]) continue;
        atomicMin(table + h, (int32_t)k);
        return;
    }
}

/* ---- sweeps --------------------------------------------------------------------------------- */

static __device__ void offer_low(uint64_t *to, uint64_t key) {
    if (key < *const_cast<volatile uint64_t *>(to)) atomicMin(reinterpret_cast<word_t *>(to), (word_t)key);
}
static __device__ void offer_high(uint64_t *to, uint64_t key) {
    if (key > *const_cast<volatile uint64_t *>(to)) atomicMax(reinterpret_cast<word_t *>(to), (word_t)key);
}

/* Positions: where the keys are first; else the keys. Held: in the block's memory, two numbers a group. */
template <class X, class L, bool Positions, bool Held> __global__ void __launch_bounds__(THREADS)
    sweep_kernel(const __grid_constant__ params_t p) {
    extern __shared__ __align__(16) unsigned char memory[];
    uint64_t *held = reinterpret_cast<uint64_t *>(memory);
    const groups g = open_groups(p.plan);
    const int count = (int)p.plan.groups;
    if (Held) {
        for (int k = (int)threadIdx.x; k < 2 * count; k += THREADS) held[k] = Positions || k % 2 == 0 ? UINT64_MAX : 0;
        __syncthreads();
    }
    const int64_t begin = (int64_t)blockIdx.x * THREADS * EACH;
#pragma unroll 4
    for (int e = 0; e < EACH; e++) {
        const int64_t i = begin + (int64_t)e * THREADS + threadIdx.x;
        if (i >= p.plan.n) break;
        const int64_t group = !p.plan.labels ? 0 : group_of(g, label_at<L>(p.plan, i));
        const uint64_t key = key_at<X>(p.plan, i);
        if (group < 0) continue;
        uint64_t *of = p.plan.keys + 4 * group, *to = Held ? held + 2 * group : of + 2 * Positions;
        if (Positions) {
            if (key == of[0]) offer_low(to, (uint64_t)i);
            if (key == of[1]) offer_low(to + 1, (uint64_t)i);
        } else {
            offer_low(to, key);
            offer_high(to + 1, key);
        }
    }
    if (!Held) return;
    __syncthreads();
    for (int k = (int)threadIdx.x; k < 2 * count; k += THREADS) {
        uint64_t *to = p.plan.keys + 4 * (int64_t)(k / 2) + 2 * Positions + k % 2;
        if (Positions || k % 2 == 0)
            offer_low(to, held[k]);
        else
            offer_high(to, held[k]);
    }
}

template <class X> __global__ void __launch_bounds__(THREADS) write_kernel(const __grid_constant__ params_t p) {
    const int64_t k = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (k >= p.plan.groups) return;
    const groups g = open_groups(p.plan);
    const uint64_t *of = p.plan.keys + 4 * (g.table ? group_of(g, p.plan.index[k]) : k);
    const bool found = of[0] <= of[1];
    write_extremes<X>(p.plan, k, found, of[0], of[1]);
    if (!p.plan.at) return;
    p.plan.at[2 * k] = found ? (int64_t)of[2] : 0;
    p.plan.at[2 * k + 1] = found ? (int64_t)of[3] : 0;
}

/* ---- tables --------------------------------------------------------------------------------- */

template <class X, class L> static const void *sweep_of(bool positions, bool held) {
    if (positions)
        return held ? (const void *)sweep_kernel<X, L, true, true> : (const void *)sweep_kernel<X, L, true, false>;
    return held ? (const void *)sweep_kernel<X, L, false, true> : (const void *)sweep_kernel<X, L, false, false>;
}
template <class X> static const void *kernel_of(gndi_cuda_label_extremes_step step, const extremes_t *p, bool held) {
    const bool positions = step == GNDI_CUDA_LABEL_EXTREMES_POSITIONS;
    if (step == GNDI_CUDA_LABEL_EXTREMES_WRITE) return (const void *)write_kernel<X>;
    return p->label_dtype == GND_INT64 ? sweep_of<X, int64_t>(positions, held) : sweep_of<X, int32_t>(positions, held);
}

} // namespace labels
} // namespace gnd

extern "C" const void *gndi_cuda_label_extremes_kernel(gndi_cuda_label_extremes_step step,
                                                       const gndi_label_extremes_plan *p, bool held) {
    using namespace gnd::labels;
    if (step == GNDI_CUDA_LABEL_EXTREMES_CLEAR) return (const void *)clear_kernel;
    if (step == GNDI_CUDA_LABEL_EXTREMES_HASH) return (const void *)hash_kernel;
    if (!p->x) return kernel_of<void>(step, p, held);
    switch (p->x_dtype) {
    case GND_FLOAT32: return kernel_of<float>(step, p, held);
    case GND_FLOAT64: return kernel_of<double>(step, p, held);
    case GND_UINT64: return kernel_of<uint64_t>(step, p, held);
    default: return kernel_of<int64_t>(step, p, held);
    }
}
