/*
 * sort_block.cuh: rows that fit a block, sorted in registers by a bitonic network (Batcher, 1968):
 * steps between a thread's own elements, between lanes of a warp by shuffles, and only the few long
 * ones through shared memory. Rows are rounded up to a power of two; a block takes several short
 * ones at once. What is compared are items: of values alone their keys (a network is not stable,
 * but what differs in nothing cannot be told apart), else the orders of keys and their indices.
 */
#ifndef GNDI_SORT_BLOCK_CUH
#define GNDI_SORT_BLOCK_CUH

#include "sort/cuda/sort_keys.cuh"

namespace gnd {

/* ---- items ---------------------------------------------------------------------------------- */

template <class O> struct indexed_order {
    O order;
    uint32_t index;
};

GNDI_FN bool comes_before(uint32_t a, uint32_t b) {
    return a < b;
}
GNDI_FN bool comes_before(uint64_t a, uint64_t b) {
    return a < b;
}
template <class O> GNDI_FN bool comes_before(const indexed_order<O> &a, const indexed_order<O> &b) {
    return a.order < b.order || (a.order == b.order && a.index < b.index);
}

/* Inverts all bits, and so the order, if `turn`. */
GNDI_FN uint32_t inverted(uint32_t x, bool turn) {
    return x ^ (turn ? ~0u : 0u);
}
GNDI_FN uint64_t inverted(uint64_t x, bool turn) {
    return x ^ (turn ? ~(uint64_t)0 : 0);
}
template <class O> GNDI_FN indexed_order<O> inverted(const indexed_order<O> &x, bool turn) {
    return indexed_order<O>{turn ? (O)~x.order : x.order, inverted(x.index, turn)};
}

GNDI_FN uint32_t from_lane(uint32_t x, unsigned mask) {
    return __shfl_xor_sync(~0u, x, mask);
}
GNDI_FN uint64_t from_lane(uint64_t x, unsigned mask) {
    return __shfl_xor_sync(~0u, (unsigned long long)x, mask);
}
GNDI_FN indexed_order<uint64_t> from_lane(const indexed_order<uint64_t> &x, unsigned mask) {
    return indexed_order<uint64_t>{from_lane(x.order, mask), from_lane(x.index, mask)};
}
GNDI_FN indexed_order<unsigned __int128> from_lane(const indexed_order<unsigned __int128> &x, unsigned mask) {
    const uint64_t high = from_lane((uint64_t)(x.order >> 64), mask);
    const uint64_t low = from_lane((uint64_t)x.order, mask);
    return indexed_order<unsigned __int128>{(unsigned __int128)high << 64 | low, from_lane(x.index, mask)};
}

/* What a kernel sorts: make(), and what becomes of it. */
template <class C, bool Indexed> struct item_of_keys;
template <class C> struct item_of_keys<C, false> {
    typedef typename C::Order Item; /* of real numbers: the key, flipped */
    GNDI_FN Item make(const gndi_sort_rule &r, typename C::Key key, uint32_t) {
        return (Item)(typename C::Key)(key ^ (typename C::Key)r.flip);
    }
    GNDI_FN typename C::Key key(const gndi_sort_rule &r, Item item) {
        return (typename C::Key)item ^ (typename C::Key)r.flip;
    }
    GNDI_FN Item last() { return ~(Item)0; }
};
template <class C, class O> struct indexed_item {
    typedef indexed_order<O> Item;
    GNDI_FN Item make(const gndi_sort_rule &r, typename C::Key key, uint32_t index) {
        return Item{C::order(r, key), index};
    }
    GNDI_FN uint32_t index(const Item &item) { return item.index; }
    /* An element's bits instead of its order. */
    GNDI_FN Item hold(typename C::Key bits, uint32_t index) {
        if constexpr (sizeof(O) == 16)
            return Item{(O)bits.re << 64 | bits.im, index};
        else
            return Item{bits, index};
    }
    GNDI_FN typename C::Key held(const Item &item) {
        if constexpr (sizeof(O) == 16)
            return two_words{(uint64_t)(item.order >> 64), (uint64_t)item.order};
        else
            return item.order;
    }
    GNDI_FN Item last() { return Item{(O) ~(O)0, ~0u}; }
};
template <class C> struct indexed_item<C, uint32_t> {
    typedef uint64_t Item;
    GNDI_FN Item make(const gndi_sort_rule &r, typename C::Key key, uint32_t index) {
        return (uint64_t)C::order(r, key) << 32 | index;
    }
    GNDI_FN uint32_t index(Item item) { return (uint32_t)item; }
    GNDI_FN Item hold(typename C::Key bits, uint32_t index) { return (uint64_t)bits << 32 | index; }
    GNDI_FN typename C::Key held(Item item) { return (typename C::Key)(item >> 32); }
    GNDI_FN Item last() { return ~(uint64_t)0; }
};
template <class C> struct item_of_keys<C, true> : indexed_item<C, typename C::Order> {};

/* ---- the network ---------------------------------------------------------------------------- */

template <class Item> GNDI_FN void put_in_order(Item &a, Item &b) {
    const bool swapped = comes_before(b, a);
    const Item low = swapped ? b : a, high = swapped ? a : b;
    a = low, b = high;
}

/* Runs of a thread's elements of 2, 4, ... up to 2^log_length in order. */
template <int LogEach, class Item> GNDI_FN void sort_own(Item (&x)[1 << LogEach], int log_length) {
#pragma unroll
    for (int k = 1; k <= LogEach; k++) {
        if (k > log_length) break;
#pragma unroll
        for (int i = 0; i < 1 << LogEach; i++)
            if (i < (i ^ ((1 << k) - 1))) put_in_order(x[i], x[i ^ ((1 << k) - 1)]);
#pragma unroll
        for (int j = k - 2; j >= 0; j--)
#pragma unroll
            for (int i = 0; i < 1 << LogEach; i++)
                if (!(i >> j & 1)) put_in_order(x[i], x[i ^ 1 << j]);
    }
}

/* The element of a pair that this side keeps. */
template <class Item> GNDI_FN Item kept(const Item &own, const Item &other, bool upper) {
    return comes_before(own, other) == upper ? other : own;
}
GNDI_FN uint32_t kept(uint32_t own, uint32_t other, bool upper) {
    const uint32_t low = own < other ? own : other, high = own < other ? other : own;
    return upper ? high : low;
}

/* Sorts the elements of each 2^log_length, of which thread t has number t << LogEach and those
   behind. Runs are made ascending and descending in turn: where descending, items are inverted
   for as long, so that all steps are the same. `shared`: an item for each of the block's. */
template <int LogThreads, int LogEach, class Item>
GNDI_FN void sort_items(Item (&x)[1 << LogEach], int log_length, Item *shared) {
    enum { THREADS = 1 << LogThreads, EACH = 1 << LogEach, LOG_WARP = 5 };
    const unsigned t = threadIdx.x;
    bool turn = log_length > LogEach && (t & 1);
#pragma unroll
    for (int u = 0; u < EACH; u++) x[u] = inverted(x[u], turn);
    sort_own<LogEach>(x, log_length);
#pragma unroll 1
    for (int k = LogEach + 1; k <= log_length; k++) {
        const bool next = k < log_length && (t >> (k - LogEach) & 1);
#pragma unroll
        for (int u = 0; u < EACH; u++) x[u] = inverted(x[u], turn != next);
        turn = next;
        int j = k - 1 - LogEach; /* the bit of the thread's number that pairs differ in */
#pragma unroll 1
        for (; j >= LOG_WARP; j--) {
            const unsigned other = t ^ 1u << j;
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++) shared[u * THREADS + t] = x[u];
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++) x[u] = kept(x[u], shared[u * THREADS + other], other < t);
        }
#pragma unroll 1
        for (; j >= 0; j--) {
#pragma unroll
            for (int u = 0; u < EACH; u++) x[u] = kept(x[u], from_lane(x[u], 1u << j), (t >> j & 1) != 0);
        }
#pragma unroll
        for (int step = LogEach - 1; step >= 0; step--)
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (!(u >> step & 1)) put_in_order(x[u], x[u ^ 1 << step]);
    }
}

/* ---- rows ----------------------------------------------------------------------------------- */

template <class C, bool Indexed, int LogThreads, int LogEach> struct sort_block {
    typedef typename C::Key Key;
    typedef item_of_keys<C, Indexed> items;
    typedef typename items::Item Item;
    enum {
        THREADS = 1 << LogThreads,
        EACH = 1 << LogEach,
        TILE = THREADS * EACH,
        LOG_TILE = LogThreads + LogEach,
        IN_FLIGHT = EACH < 8 ? EACH : 8,
        SHARED_BYTES = (TILE + THREADS) * sizeof(Item)
    };

    const gndi_sort_block &p;
    Item *shared;
    int64_t first; /* row */

    /* Shared memory's banks, as seen by threads that read EACH items in a row. */
    GNDI_FN int spread(int i) { return i + (i >> LogEach); }

    /* Number i of the tile: which row and element it is. Neighbouring i are neighbours of a row, or,
       across, of neighbouring rows. */
    struct spot {
        int row, element, index; /* index: in the tile */
        bool there;
    };
    __device__ __forceinline__ spot spot_of(int i, bool across, int64_t length) const {
        const int log_rows = LOG_TILE - p.log_length;
        spot at;
        at.row = across ? i & ((1 << log_rows) - 1) : i >> p.log_length;
        at.element = across ? i >> log_rows : i & ((1 << p.log_length) - 1);
        at.index = at.row << p.log_length | at.element;
        at.there = first + at.row < p.plan.rows && at.element < length;
        return at;
    }
    template <class Operand> __device__ __forceinline__ char *row_of(const Operand &operand, int row) const {
        return operand.data + row_offset(p.plan, operand.stride, first + row);
    }

    __device__ __forceinline__ void load() const {
        const gndi_sort_plan &plan = p.plan;
#pragma unroll IN_FLIGHT
        for (int u = 0; u < EACH; u++) {
            const spot at = spot_of(u * THREADS + threadIdx.x, p.in_across, plan.length);
            Item item = items::last();
            if (at.there) {
                int64_t element = at.element;
                if (Indexed && p.gathers)
                    element = load_at<int64_t>(row_of(plan.start, at.row) + element * plan.start.step);
                const Key key = load_at<Key>(row_of(plan.in, at.row) + element * plan.in.step);
                item = items::make(p.rule, C::encode(p.rule, key), (uint32_t)at.element);
            }
            shared[spread(at.index)] = item;
        }
        __syncthreads();
    }

    /* Sorted keys lie in shared memory: zeros of both signs are brought into the order they have in
       the row. For a whole warp. */
    __device__ __forceinline__ void order_zeros(int row) {
        const gndi_sort_plan &plan = p.plan;
        const Item a = items::make(p.rule, (Key)p.rule.negative_zero, 0);
        const Item b = items::make(p.rule, (Key)p.rule.zero, 0), low = a < b ? a : b;
        const int base = row << p.log_length, lane = threadIdx.x % 32;
        int from = 0, to = (int)plan.length;
        while (from < to) {
            const int middle = (from + to) / 2;
            if (shared[spread(base + middle)] < low)
                from = middle + 1;
            else
                to = middle;
        }
        const char *in = row_of(plan.in, row);
        int at = base + from;
        for (int i = 0; i < plan.length; i += 32) {
            Item item = items::last();
            if (i + lane < plan.length)
                item = items::make(p.rule, C::encode(p.rule, load_at<Key>(in + (i + lane) * plan.in.step)), 0);
            const bool is_zero = item == a || item == b;
            const unsigned zeros = __ballot_sync(~0u, is_zero);
            if (is_zero) shared[spread(at + __popc(zeros & ((1u << lane) - 1)))] = item;
            at += __popc(zeros);
        }
    }
    __device__ __forceinline__ void order_zeros(const Item (&x)[EACH]) {
        const Item a = items::make(p.rule, (Key)p.rule.negative_zero, 0);
        const Item b = items::make(p.rule, (Key)p.rule.zero, 0);
        bool negative = false, positive = false;
#pragma unroll
        for (int u = 0; u < EACH; u++) negative |= x[u] == a, positive |= x[u] == b;
        const int any = __syncthreads_or(negative), other = __syncthreads_or(positive);
        if (!any || !other) return;
        for (int row = threadIdx.x / 32; row < TILE >> p.log_length; row += THREADS / 32)
            if (first + row < p.plan.rows) order_zeros(row);
        __syncthreads();
    }

    __device__ __forceinline__ void store_values() const {
        const gndi_sort_plan &plan = p.plan;
#pragma unroll IN_FLIGHT
        for (int u = 0; u < EACH; u++) {
            const spot at = spot_of(u * THREADS + threadIdx.x, p.out_across, plan.keep);
            if (at.there)
                store_at(row_of(plan.out, at.row) + at.element * plan.out.step,
                         C::decode(p.rule, items::key(p.rule, shared[spread(at.index)])));
        }
    }

    /* Values are read where the indices say: all before the first is written, since the operands may
       be the same memory. */
    __device__ __forceinline__ void store_indices() const {
        const gndi_sort_plan &plan = p.plan;
#pragma unroll IN_FLIGHT
        for (int u = 0; u < EACH; u++) {
            const spot at = spot_of(u * THREADS + threadIdx.x, p.out_across, plan.keep);
            if (!at.there) continue;
            const int slot = spread(at.index);
            const uint32_t own = items::index(shared[slot]);
            uint32_t index = own;
            Key value = Key();
            if (plan.start.data) index = (uint32_t)load_at<int64_t>(row_of(plan.start, at.row) + own * plan.start.step);
            if (plan.out.data) value = load_at<Key>(row_of(plan.in, at.row) + (p.gathers ? index : own) * plan.in.step);
            shared[slot] = items::hold(value, index);
        }
        __syncthreads();
#pragma unroll IN_FLIGHT
        for (int u = 0; u < EACH; u++) {
            const spot at = spot_of(u * THREADS + threadIdx.x, p.out_across, plan.keep);
            if (!at.there) continue;
            const Item item = shared[spread(at.index)];
            if (plan.out.data) store_at(row_of(plan.out, at.row) + at.element * plan.out.step, items::held(item));
            if (plan.indices.data)
                store_at(row_of(plan.indices, at.row) + at.element * plan.indices.step, (int64_t)items::index(item));
        }
    }

    __device__ __forceinline__ void run() {
        Item x[EACH];
        load();
        const int own = spread(threadIdx.x << LogEach);
#pragma unroll
        for (int u = 0; u < EACH; u++) x[u] = shared[own + u];
        sort_items<LogThreads, LogEach>(x, p.log_length, shared);
        __syncthreads();
#pragma unroll
        for (int u = 0; u < EACH; u++) shared[own + u] = x[u];
        __syncthreads();
        if constexpr (Indexed) {
            store_indices();
        } else {
            if (p.rule.zero != p.rule.negative_zero) order_zeros(x);
            store_values();
        }
    }
};

/* A block for each 2^(LogThreads + LogEach - log_length) rows. */
template <class C, bool Indexed, int LogThreads, int LogEach> __global__ void __launch_bounds__(1 << LogThreads)
    block_sort(const __grid_constant__ gndi_sort_block p) {
    typedef sort_block<C, Indexed, LogThreads, LogEach> block;
    extern __shared__ uint4 block_sort_shared[];
    const int64_t first = (int64_t)blockIdx.x << (block::LOG_TILE - p.log_length);
    block{p, reinterpret_cast<typename block::Item *>(block_sort_shared), first}.run();
}

} // namespace gnd

#endif
