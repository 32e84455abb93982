/*
 * sort_split.cuh: long rows divided by the key of a rank: smaller ones first, then those equal to
 * it, then the rest, each in the order they had.
 *
 *     select_level   one sweep for a few bits of the key: how many have each value of these bits
 *                    among those whose upper bits are the key's. Once these are few they are
 *                    listed, and the last block to finish finds the key in the list
 *     split_rows     one sweep that moves elements; tiles tell each other how many they have
 */
#ifndef GNDI_SORT_SPLIT_CUH
#define GNDI_SORT_SPLIT_CUH

#include "sort/cuda/sort_keys.cuh"

namespace gnd {

enum { COUNTING, LISTING, CHOSEN }; /* a choice's stages */

template <class C> constexpr int order_bits = 8 * (int)sizeof(typename C::Key);

template <class O> GNDI_FN O chosen_order(const gndi_sort_choice &c) {
    if constexpr (sizeof(O) == 16)
        return (O)c.high << 64 | c.low;
    else
        return (O)c.low;
}

/* Which bits a level looks at. */
struct level_bits {
    int shift, bits;
};
template <class C> GNDI_FN level_bits bits_of_level(int level) {
    const int above = order_bits<C> - level * GNDI_SORT_SELECT_BITS;
    const int bits = above < GNDI_SORT_SELECT_BITS ? above : (int)GNDI_SORT_SELECT_BITS;
    return level_bits{above - bits, bits};
}

/* Of the bins of a level the one that holds the rank; by the whole block. Every thread gets the
   same choice, and it is complete if no bits are left. */
template <class O, class Bin>
GNDI_FN void choose_bits(gndi_sort_choice &c, const Bin *bins, level_bits at, gndi_sort_choice *shared) {
    enum { THREADS = GNDI_SORT_SELECT_THREADS, EACH = GNDI_SORT_SELECT_BINS / THREADS };
    __shared__ unsigned long long total[THREADS / 32];
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    unsigned long long own = 0;
    for (int i = 0; i < EACH; i++) own += bins[t * EACH + i];
    unsigned long long before = own;
    for (unsigned d = 1; d < 32; d *= 2) {
        const unsigned long long lower = __shfl_up_sync(~0u, before, d);
        if (lane >= d) before += lower;
    }
    if (lane == 31) total[warp] = before;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) before += total[w];
    before -= own;
    const unsigned long long rank = (unsigned long long)c.rank;
    if (rank >= before && rank - before < own) {
        int i = t * EACH;
        for (; rank - before >= bins[i]; i++) before += bins[i];
        const O order = chosen_order<O>(c) | (O)i << at.shift;
        gndi_sort_choice next = c;
        next.low = (uint64_t)order;
        if constexpr (sizeof(O) == 16) next.high = (uint64_t)(order >> 64);
        next.rank = (int64_t)(rank - before), next.less = c.less + (int64_t)before;
        next.inside = (int64_t)bins[i];
        *shared = next;
    }
    __syncthreads();
    c = *shared;
    __syncthreads();
}

/* The key among those in a list; by the whole block. */
template <class C> GNDI_FN void choose_listed(gndi_sort_choice &c, const typename C::Order *list, int level,
                                              uint32_t *bins, gndi_sort_choice *shared) {
    typedef typename C::Order O;
    const int n = (int)c.inside;
    for (level_bits at = {1, 0}; at.shift > 0; level++) {
        at = bits_of_level<C>(level);
        for (int i = threadIdx.x; i < GNDI_SORT_SELECT_BINS; i += GNDI_SORT_SELECT_THREADS) bins[i] = 0;
        __syncthreads();
        const O chosen = chosen_order<O>(c);
        for (int i = threadIdx.x; i < n; i += GNDI_SORT_SELECT_THREADS) {
            const O order = list[i], rest = (order ^ chosen) >> at.shift;
            if (rest >> (at.bits - 1) >> 1 == 0) atomicAdd(&bins[(uint32_t)rest], 1u);
        }
        __syncthreads();
        choose_bits<O>(c, bins, at, shared);
    }
}

/* A block takes a part of a row; the grid is parts * rows. */
template <class C> __global__ void __launch_bounds__(GNDI_SORT_SELECT_THREADS)
    select_level(const __grid_constant__ gndi_sort_split p) {
    typedef typename C::Key Key;
    typedef typename C::Order O;
    enum { THREADS = GNDI_SORT_SELECT_THREADS, EACH = 8, TILE = THREADS * EACH };
    __shared__ uint32_t bins[GNDI_SORT_SELECT_BINS];
    __shared__ gndi_sort_choice shared;
    __shared__ bool is_last;
    const int64_t row = blockIdx.x / p.parts;
    const int part = blockIdx.x % p.parts;
    gndi_sort_choice *choice = p.choices + row;
    if (threadIdx.x == 0) shared = *choice;
    for (int i = threadIdx.x; i < GNDI_SORT_SELECT_BINS; i += THREADS) bins[i] = 0;
    __syncthreads();
    gndi_sort_choice c = shared;
    if (p.level == 0) c.rank = p.rank;
    if (c.stage == CHOSEN) return;
    const level_bits at = bits_of_level<C>(p.level);
    const O chosen = chosen_order<O>(c);
    O *list = reinterpret_cast<O *>(p.lists) + row * p.list_capacity;
    const char *in = p.plan.in.data + row_offset(p.plan, p.plan.in.stride, p.first_row + row);
    const int64_t n = p.plan.length, step = p.plan.in.step;
    for (int64_t tile = (int64_t)part * TILE; tile < n; tile += (int64_t)p.parts * TILE) {
        const int left = n - tile < TILE ? (int)(n - tile) : TILE;
        const char *base = in + tile * step;
        Key key[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const int i = u * THREADS + threadIdx.x;
            if (i < left) key[u] = load_at<Key>(base + i * step);
        }
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            if (u * THREADS + (int)threadIdx.x >= left) break;
            const O order = C::order(p.rule, C::encode(p.rule, key[u]));
            const O rest = (order ^ chosen) >> at.shift;
            if (rest >> (at.bits - 1) >> 1 != 0) continue;
            if (c.stage == COUNTING)
                atomicAdd(&bins[(uint32_t)rest], 1u);
            else
                list[atomicAdd(&choice->listed, 1u)] = order;
        }
    }
    __syncthreads();
    unsigned long long *all = p.bins + row * GNDI_SORT_SELECT_BINS;
    for (int i = threadIdx.x; i < GNDI_SORT_SELECT_BINS; i += THREADS)
        if (bins[i]) atomicAdd(&all[i], (unsigned long long)bins[i]);
    __threadfence(); /* the bins and the list before the ticket */
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&choice->finished, 1u) == (uint32_t)(p.level + 1) * p.parts - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    if (c.stage == LISTING) {
        choose_listed<C>(c, list, p.level, bins, &shared);
        c.stage = CHOSEN;
    } else {
        choose_bits<O>(c, const_cast<const volatile unsigned long long *>(all), at, &shared);
        for (int i = threadIdx.x; i < GNDI_SORT_SELECT_BINS; i += THREADS) all[i] = 0;
        c.stage = at.shift == 0 ? CHOSEN : c.inside <= GNDI_SORT_SELECT_LIST ? LISTING : COUNTING;
    }
    if (threadIdx.x == 0) {
        c.finished = (uint32_t)(p.level + 1) * p.parts, c.listed = 0;
        *choice = c;
    }
}

/* ---- splitting ------------------------------------------------------------------------------ */

/* How many are smaller and how many are equal, in a word with what is known of them. */
enum : unsigned long long { SPLIT_TILE = 1ull << 62, SPLIT_ALL = 2ull << 62 };
GNDI_FN unsigned long long split_word(uint32_t less, uint32_t equal) {
    return (unsigned long long)less << 31 | equal;
}

/* What the tiles before this one have; by a warp. */
GNDI_FN unsigned long long split_lookback(unsigned long long *looks, int64_t tile, unsigned long long own) {
    const int lane = threadIdx.x % 32;
    unsigned long long sum = 0;
    if (lane == 0) *(volatile unsigned long long *)&looks[tile] = own | (tile ? SPLIT_TILE : SPLIT_ALL);
    if (tile == 0) return 0;
    for (int64_t j = tile - 1 - lane;; j -= 32) {
        unsigned long long word = SPLIT_ALL;
        if (j >= 0) {
            do {
                word = *(volatile unsigned long long *)&looks[j];
            } while (word == 0);
        }
        const unsigned done = __ballot_sync(~0u, (word & SPLIT_ALL) != 0);
        unsigned long long value = word & (SPLIT_TILE - 1);
        if (done && lane > __ffs((int)done) - 1) value = 0;
        for (int d = 16; d; d /= 2) value += __shfl_xor_sync(~0u, value, d);
        sum += value;
        if (done) break;
    }
    if (lane == 0) *(volatile unsigned long long *)&looks[tile] = (sum + own) | SPLIT_ALL;
    return sum;
}

/* row_tiles blocks for each row. Of a row's elements only those whose new index is below plan.keep
   are stored. */
template <class C> __global__ void __launch_bounds__(GNDI_SORT_SPLIT_THREADS)
    split_rows(const __grid_constant__ gndi_sort_split p) {
    typedef typename C::Key Key;
    typedef typename C::Order O;
    enum {
        THREADS = GNDI_SORT_SPLIT_THREADS,
        EACH = GNDI_SORT_SPLIT_EACH,
        WARPS = THREADS / 32,
        TILE = THREADS * EACH
    };
    __shared__ uint32_t number, warp_less[WARPS], warp_equal[WARPS];
    __shared__ unsigned long long before;
    if (threadIdx.x == 0) number = atomicAdd(p.counter, 1u);
    __syncthreads();
    const gndi_sort_plan &plan = p.plan;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t row = number / p.row_tiles, tile = number % p.row_tiles, first = tile * TILE;
    const int64_t less = p.choices[row].less, equal = p.choices[row].inside;
    const O pivot = chosen_order<O>(p.choices[row]);
    const int left = (int)(plan.length - first < TILE ? plan.length - first : (int64_t)TILE);
    const char *in = plan.in.data + row_offset(plan, plan.in.stride, p.first_row + row) + first * plan.in.step;
    const int own = warp * 32 * EACH + lane;
    Key key[EACH];
#pragma unroll
    for (int u = 0; u < EACH; u++)
        if (own + u * 32 < left) key[u] = load_at<Key>(in + (own + u * 32) * plan.in.step);
    uint32_t is_less = 0, is_equal = 0, less_here = 0, equal_here = 0;
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        if (own + u * 32 >= left) continue;
        const O order = C::order(p.rule, C::encode(p.rule, key[u]));
        is_less |= (uint32_t)(order < pivot) << u, is_equal |= (uint32_t)(order == pivot) << u;
    }
    less_here = __popc(is_less), equal_here = __popc(is_equal);
    for (int d = 16; d; d /= 2) {
        less_here += __shfl_xor_sync(~0u, less_here, d);
        equal_here += __shfl_xor_sync(~0u, equal_here, d);
    }
    if (lane == 0) warp_less[warp] = less_here, warp_equal[warp] = equal_here;
    __syncthreads();
    if (warp == 0) {
        uint32_t l = lane < WARPS ? warp_less[lane] : 0, e = lane < WARPS ? warp_equal[lane] : 0;
        for (int d = 16; d; d /= 2) {
            l += __shfl_xor_sync(~0u, l, d);
            e += __shfl_xor_sync(~0u, e, d);
        }
        const unsigned long long sum = split_lookback(p.looks + row * p.row_tiles, tile, split_word(l, e));
        if (lane == 0) before = sum;
    }
    __syncthreads();
    /* Where this warp's next ones go. */
    int64_t to_less = (int64_t)(before >> 31), to_equal = (int64_t)(before & ((1u << 31) - 1));
    for (int w = 0; w < warp; w++) to_less += warp_less[w], to_equal += warp_equal[w];
    int64_t to_more = less + equal + (first + warp * 32 * EACH - to_less - to_equal);
    to_equal += less;
    char *out = plan.out.data + row_offset(plan, plan.out.stride, p.first_row + row);
    char *indices = plan.indices.data + row_offset(plan, plan.indices.stride, p.first_row + row);
    const uint32_t below = (1u << lane) - 1;
#pragma unroll
    for (int u = 0; u < EACH; u++) {
        const bool there = own + u * 32 < left;
        const bool l = is_less >> u & 1, e = is_equal >> u & 1;
        const uint32_t ls = __ballot_sync(~0u, l), es = __ballot_sync(~0u, e);
        const uint32_t ms = __ballot_sync(~0u, there && !l && !e);
        const int64_t to = l   ? to_less + __popc(ls & below)
                           : e ? to_equal + __popc(es & below)
                               : to_more + __popc(ms & below);
        if (there && to < plan.keep) {
            if (plan.out.data) store_at(out + to * plan.out.step, key[u]);
            if (plan.indices.data) store_at(indices + to * plan.indices.step, first + own + u * 32);
        }
        to_less += __popc(ls), to_equal += __popc(es), to_more += __popc(ms);
    }
}

} // namespace gnd

#endif
