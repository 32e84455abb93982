/*
 * sort_first.cuh: top k of rows for k up to 32, in one pass. A warp keeps the 32 best items so far, sorted, one per
 * lane, and compares each new item with the k-th. Better items go to a queue in shared memory; 32 of them are
 * sorted and merged at a time. This is WarpSelect of Johnson, Douze and Jegou, Billion-scale similarity search
 * with GPUs (2017), with one queue per warp.
 */
#ifndef GNDI_SORT_FIRST_CUH
#define GNDI_SORT_FIRST_CUH

#include "sort/cuda/sort_block.cuh"

namespace gnd {

template <class C> struct sort_first {
    typedef typename C::Key Key;
    typedef item_of_keys<C, true> items;
    typedef typename items::Item Item;
    enum {
        WARPS = GNDI_SORT_FIRST_THREADS / 32,
        IN_FLIGHT = sizeof(Key) <= 4 ? 16 : 64 / sizeof(Key), /* loads of a lane */
        GROUP = 4,
        LAST_LANE = 31,
    };

    const gndi_sort_first &p;
    Item *queue; /* 64 items of this warp */
    int lane, waiting;
    Item best, worst; /* this lane's; the last one that is wanted */

    /* Both halves are in order: the lower 32 of the 64 items, in order. */
    __device__ __forceinline__ void merge(Item other) {
        const Item opposite = from_lane(other, LAST_LANE);
        best = kept(best, opposite, false);
#pragma unroll
        for (int distance = 16; distance; distance >>= 1)
            best = kept(best, from_lane(best, distance), (lane & distance) != 0);
    }
    __device__ __forceinline__ Item sorted(Item x) const {
#pragma unroll
        for (int size = 2; size <= 32; size *= 2)
#pragma unroll
            for (int distance = size / 2; distance; distance /= 2) {
                const bool descends = (lane & size) != 0;
                x = kept(x, from_lane(x, distance), ((lane & distance) != 0) != descends);
            }
        return x;
    }
    /* Merges the first `count` items of the queue, at most 32. */
    __device__ __forceinline__ void take(int count) {
        __syncwarp();
        const Item x = lane < count ? queue[lane] : items::last();
        merge(sorted(x));
        worst = at_lane(best, (int)p.plan.keep - 1);
    }
    __device__ __forceinline__ void consider(const Item &item, bool there) {
        const bool better = there && comes_before(item, worst);
        const unsigned votes = __ballot_sync(~0u, better);
        if (!votes) return;
        if (better) queue[waiting + __popc(votes & ((1u << lane) - 1))] = item;
        waiting += __popc(votes);
        if (waiting < 32) return;
        take(32);
        waiting -= 32;
        if (lane < waiting) queue[lane] = queue[32 + lane];
        __syncwarp();
    }
    /* Elements begin .. end - 1 of a row, by warp `warp` of `warps`. */
    __device__ __forceinline__ void read(const char *row, int64_t begin, int64_t end, int warp, int warps) {
        const int64_t step = p.plan.in.step;
        for (int64_t at = begin + (int64_t)warp * (32 * IN_FLIGHT); at < end; at += (int64_t)warps * (32 * IN_FLIGHT)) {
            Key key[IN_FLIGHT];
#pragma unroll
            for (int u = 0; u < IN_FLIGHT; u++) {
                const int64_t i = at + u * 32 + lane;
                key[u] = Key();
                if (i < end) key[u] = load_at<Key>(row + i * step);
            }
            /* A few at a time: the code of a merge is long. */
#pragma unroll 1
            for (int first = 0; first < IN_FLIGHT; first += GROUP) {
#pragma unroll
                for (int u = 0; u < GROUP; u++) {
                    const int64_t i = at + (first + u) * 32 + lane;
                    consider(items::make(p.rule, C::encode(p.rule, key[u]), (uint32_t)i), i < end);
                }
#pragma unroll
                for (int u = 0; u < IN_FLIGHT - GROUP; u++) key[u] = key[u + GROUP];
            }
        }
        take(waiting);
    }
    /* The results of part `part` of row `number`. All values are read before the first is stored: the results may
       lie where the row does. */
    __device__ __forceinline__ void store(const char *row, int64_t number, int64_t part) const {
        const gndi_sort_plan &plan = p.plan;
        const bool wanted = lane < plan.keep;
        const int64_t to = part * plan.keep + lane, from = items::index(best);
        Key value = Key();
        if (wanted && plan.out.data) value = load_at<Key>(row + from * plan.in.step);
        __syncwarp();
        if (wanted && plan.out.data)
            store_at(plan.out.data + row_offset(plan, plan.out.stride, number) + to * plan.out.step, value);
        if (wanted && plan.indices.data)
            store_at(plan.indices.data + row_offset(plan, plan.indices.stride, number) + to * plan.indices.step, from);
    }

    static __device__ __forceinline__ uint32_t at_lane(uint32_t x, int source) {
        return __shfl_sync(~0u, x, source);
    }
    static __device__ __forceinline__ uint64_t at_lane(uint64_t x, int source) {
        return __shfl_sync(~0u, (unsigned long long)x, source);
    }
    template <class O>
    static __device__ __forceinline__ indexed_order<O> at_lane(const indexed_order<O> &x, int source) {
        O order = at_lane((uint64_t)x.order, source);
        if constexpr (sizeof(O) == 16) order |= (O)at_lane((uint64_t)(x.order >> 64), source) << 64;
        return indexed_order<O>{order, at_lane(x.index, source)};
    }
};

/* A warp a part of a row, or, of few parts, a block. */
template <class C> __global__ void __launch_bounds__(GNDI_SORT_FIRST_THREADS, sizeof(typename C::Key) <= 8 ? 4 : 2)
    first_of_rows(const __grid_constant__ gndi_sort_first p) {
    typedef sort_first<C> first;
    typedef typename first::Item Item;
    __shared__ Item queues[first::WARPS][64];
    const int warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int64_t item = p.shares ? (int64_t)blockIdx.x : (int64_t)blockIdx.x * first::WARPS + warp;
    if (item >= p.plan.rows * p.parts) return; /* the whole block, if it shares */
    const int64_t number = item / p.parts, part = item % p.parts;
    const char *row = p.plan.in.data + row_offset(p.plan, p.plan.in.stride, number);
    const int64_t begin = p.plan.length * part / p.parts;
    const int64_t end = p.plan.length * (part + 1) / p.parts;
    const Item last = first::items::last();
    first f = {p, queues[warp], lane, 0, last, last};
    f.read(row, begin, end, p.shares ? warp : 0, p.shares ? (int)first::WARPS : 1);
    if (p.shares) {
        __syncthreads();
        queues[warp][lane] = f.best;
        __syncthreads();
        if (warp > 0) return;
        for (int other = 1; other < first::WARPS; other++) f.merge(queues[other][lane]);
    }
    f.store(row, number, part);
}

} // namespace gnd

#endif
