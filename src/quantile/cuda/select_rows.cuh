/*
 * select_rows.cuh: order statistics of many rows: a thread a row (up to 32 elements, sorted in
 * registers), a warp a row (up to 1024, bisection in registers), a block a row and quantile.
 */
#ifndef GNDI_SELECT_ROWS_CUH
#define GNDI_SELECT_ROWS_CUH

#include "quantile/cuda/select_sweep.cuh"

namespace gnd {

/* ---- a thread a row ------------------------------------------------------------------------- */

/* One step of Batcher's odd-even merge sort, and those after it. */
template <int P, int D, int N, class K> GNDI_FN void sort_steps(K (&key)[N]) {
#pragma unroll
    for (int i = 0; i + D < N; i++) {
        const int from = i - D % P;
        if (from >= 0 && from / D % 2 == 0 && i / (2 * P) == (i + D) / (2 * P)) {
            const K a = key[i], b = key[i + D];
            key[i] = a < b ? a : b;
            key[i + D] = a < b ? b : a;
        }
    }
    if constexpr (D > 1)
        sort_steps<P, D / 2>(key);
    else if constexpr (2 * P < N)
        sort_steps<2 * P, 2 * P>(key);
}

template <int N, class K> GNDI_FN K pick(const K (&key)[N], int at) {
    K found = key[0];
#pragma unroll
    for (int i = 1; i < N; i++) found = i == at ? key[i] : found;
    return found;
}

/* Brings the block's rows, which lie one after the other, into shared memory, so that the loads are
   whole lines; an odd pitch keeps the threads' reads apart. */
template <class U> GNDI_FN void stage_rows(const gndi_select_plan &p, int64_t first, U *tile) {
    enum { THREADS = GNDI_SELECT_TINY_THREADS };
    const int length = (int)p.length, pitch = length | 1;
    const int64_t left = p.rows - first;
    const int count = (int)(left < THREADS ? left : THREADS) * length;
    const U *x = reinterpret_cast<const U *>(p.data + first * p.row_step);
    const int rows = THREADS / length, columns = THREADS % length;
    int row = threadIdx.x / length, column = threadIdx.x % length;
#pragma unroll 8
    for (int i = threadIdx.x; i < count; i += THREADS) {
        tile[row * pitch + column] = x[i];
        row += rows, column += columns;
        if (column >= length) column -= length, row++;
    }
    __syncthreads();
}

template <int Bytes, int N> __global__ void __launch_bounds__(GNDI_SELECT_TINY_THREADS)
    select_tiny(const __grid_constant__ gndi_select_params params) {
    typedef key_t<Bytes> K;
    typedef storage_bits_t<Bytes> U;
    __shared__ U tile[GNDI_SELECT_TINY_THREADS * (N + 1)];
    const gndi_select_plan &p = params.plan;
    const int64_t first = (int64_t)blockIdx.x * GNDI_SELECT_TINY_THREADS;
    const int64_t row = first + threadIdx.x;
    const int length = (int)p.length;
    const bool staged = length > 1 && p.step == Bytes && p.row_step == length * Bytes;
    if (staged) stage_rows(p, first, tile);
    if (row >= p.rows) return;
    const key_rule<K> rule = key_rule_of<Bytes>(p.dtype);
    const char *x =
        staged ? reinterpret_cast<const char *>(tile + threadIdx.x * (length | 1)) : p.data + row * p.row_step;
    const int64_t step = staged ? Bytes : p.step;
    K key[N];
    int nan = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        key[i] = ~(K)0;
        if (i < length) key[i] = key_of(rule, (K) * reinterpret_cast<const U *>(x + i * step));
        if (i < length) nan += key[i] == rule.nan;
    }
    if (!rule_has_nan(rule)) nan = 0;
    sort_steps<1, 1>(key);
    const int n = p.skip_nan ? length - nan : nan ? 0 : length;
    for (int64_t i = 0; i < p.quantiles; i++) {
        const double q = quantile_or_fault(params, i, row == 0);
        const int64_t at = i * p.rows + row;
        if (n == 0) {
            store_nan(p, at);
            continue;
        }
        const select_position position = position_of(p.method, p.index_dtype, n, q);
        store_keys(p, rule, at, position, pick(key, (int)position.previous), pick(key, (int)position.next));
    }
}

/* ---- a warp a row --------------------------------------------------------------------------- */

template <int Bytes, int N> __global__ void __launch_bounds__(GNDI_SELECT_WARP_THREADS)
    select_warp(const __grid_constant__ gndi_select_params params) {
    typedef key_t<Bytes> K;
    typedef storage_bits_t<Bytes> U;
    const gndi_select_plan &p = params.plan;
    const int64_t row = (int64_t)blockIdx.x * (GNDI_SELECT_WARP_THREADS / 32) + threadIdx.x / 32;
    if (row >= p.rows) return; /* the whole warp */
    const unsigned lane = threadIdx.x % 32, length = (unsigned)p.length;
    const key_rule<K> rule = key_rule_of<Bytes>(p.dtype);
    const U *x = reinterpret_cast<const U *>(p.data + row * p.row_step);
    K key[N], low = ~(K)0, high = 0;
#pragma unroll
    for (unsigned i = 0; i < N; i++) key[i] = i * 32 + lane < length ? (K)x[i * 32 + lane] : (K)0;
    uint32_t nan = 0;
#pragma unroll
    for (unsigned i = 0; i < N; i++) {
        const bool there = i * 32 + lane < length;
        const K k = key_of(rule, key[i]);
        nan += there && k == rule.nan;
        low = there && k < low ? k : low;
        high = there && k > high ? k : high;
        key[i] = there ? k : ~(K)0;
    }
    low = warp_min(low), high = warp_max(high);
    nan = rule_has_nan(rule) ? warp_sum(nan) : 0;
    if (nan) high = largest_key(rule);
    const uint32_t n = p.skip_nan ? length - nan : nan ? 0 : length;
    for (int64_t i = 0; i < p.quantiles; i++) {
        const double q = quantile_or_fault(params, i, row == 0 && lane == 0);
        const int64_t at = i * p.rows + row;
        if (n == 0) {
            if (lane == 0) store_nan(p, at);
            continue;
        }
        const select_position position = position_of(p.method, p.index_dtype, n, q);
        const K a = warp_key_of_rank(key, (uint32_t)position.previous, low, high);
        K b = a;
        if (position.next != position.previous) b = warp_next_key(key, (uint32_t)position.previous, a);
        if (lane == 0) store_keys(p, rule, at, position, a, b);
    }
}

/* ---- a block an item ------------------------------------------------------------------------ */

/* The whole row by histograms: any input, but slowly. For the whole block. */
template <int Bytes>
GNDI_FN void select_whole(const gndi_select_params &params, const select_item &it, select_shared<key_t<Bytes>> &s) {
    typedef key_t<Bytes> K;
    const gndi_select_plan &p = params.plan;
    row_source<Bytes> source;
    source.x = reinterpret_cast<const storage_bits_t<Bytes> *>(p.data + it.row * p.row_step);
    source.rule = key_rule_of<Bytes>(p.dtype);
    const K last = largest_key(source.rule);
    __shared__ wide nan_shared;
    __syncthreads();
    if (threadIdx.x == 0) nan_shared = 0;
    __syncthreads();
    wide nan = 0;
    if (rule_has_nan(source.rule)) each_key(source, p.length, [&](K key) { nan += key > last; });
    if (nan) atomicAdd(&nan_shared, nan);
    __syncthreads();
    nan = nan_shared;
    const int64_t n = p.skip_nan ? p.length - (int64_t)nan : nan ? 0 : p.length;
    if (n == 0) {
        if (threadIdx.x == 0) store_nan(p, it.at);
        return;
    }
    const select_position position = position_of(p.method, p.index_dtype, n, it.q);
    K a, b;
    block_search(source, p.length, position.previous, position.next != position.previous, (K)0, last, s, a, b);
    if (threadIdx.x == 0) store_keys(p, source.rule, it.at, position, a, b);
}

/* The window that a warp finds: the first warp the lower bound, the second the upper one. False: the
   result is NaN. */
template <int Bytes, class K> GNDI_FN void sample_row(const gndi_select_plan &p, double q,
                                                      const storage_bits_t<Bytes> *x, const key_rule<K> &rule,
                                                      K *sample, K *bound, int *valid_shared) {
    enum { LOG_SIZE = 10, SIZE = 1 << LOG_SIZE };
    for (unsigned i = threadIdx.x; i < SIZE; i += blockDim.x)
        sample[i] = key_of(rule, (K)x[sample_position(i, LOG_SIZE, p.length)]);
    __syncthreads();
    if (threadIdx.x < 64) {
        const unsigned lane = threadIdx.x % 32;
        const K last = largest_key(rule);
        K key[SIZE / 32];
#pragma unroll
        for (unsigned i = 0; i < SIZE / 32; i++) key[i] = sample[i * 32 + lane];
        uint32_t valid = SIZE;
        if (rule_has_nan(rule)) valid = warp_count_below(key, rule.nan);
        const sample_window w = window_at(share_of(p, q, valid, SIZE), (int)valid, 5);
        K found = threadIdx.x < 32 ? (K)0 : last;
        const int rank = threadIdx.x < 32 ? w.from : w.to;
        if (rank >= 0 && rank < (int)valid) found = warp_key_of_rank(key, (uint32_t)rank, (K)0, last);
        if (lane == 0) bound[threadIdx.x / 32] = found;
        if (threadIdx.x == 0) *valid_shared = (int)valid;
    }
    __syncthreads();
}

template <int Bytes> __global__ void __launch_bounds__(512)
    select_block(const __grid_constant__ gndi_select_params params) {
    typedef key_t<Bytes> K;
    enum { SHARED_LIST = GNDI_SELECT_LIST * 4 / sizeof(K) };
    __shared__ select_shared<K> s;
    alignas(16) __shared__ K keys[SHARED_LIST];
    __shared__ K bound[2];
    __shared__ int valid;
    __shared__ sweep_counts counts;
    const gndi_select_plan &p = params.plan;
    const select_item it = item_of(params, params.first_item + blockIdx.x, threadIdx.x == 0);
    const key_rule<K> rule = key_rule_of<Bytes>(p.dtype);
    const storage_bits_t<Bytes> *x = reinterpret_cast<const storage_bits_t<Bytes> *>(p.data + it.row * p.row_step);
    sample_row<Bytes>(p, it.q, x, rule, keys, bound, &valid);
    if (!p.skip_nan && valid < 1024) {
        if (threadIdx.x == 0) store_nan(p, it.at);
        return;
    }
    K *list = params.capacity ? reinterpret_cast<K *>(params.lists) + blockIdx.x * params.capacity : keys;
    const int64_t capacity = params.capacity ? params.capacity : (int64_t)SHARED_LIST;
    const K low = bound[0], high = bound[1];
    clear_counts(counts);
    sweep_into<Bytes, false>(x, p.length, rule, low, high, 0, 1, counts, straight_into<K>{list, capacity});
    __syncthreads();
    const sweep_counts c = counts;
    const int64_t n = p.skip_nan ? p.length - (int64_t)c.nan : c.nan ? 0 : p.length;
    if (n == 0) {
        if (threadIdx.x == 0) store_nan(p, it.at);
        return;
    }
    const select_position position = position_of(p.method, p.index_dtype, n, it.q);
    const found_at fa = where_is(c, position.previous), fb = where_is(c, position.next);
    const bool whole = (int64_t)c.listed <= capacity;
    if (fa.part == MISSED || fb.part == MISSED || ((fa.part == INSIDE || fb.part == INSIDE) && !whole)) {
        select_whole<Bytes>(params, it, s);
        return;
    }
    const list_source<K> source = {list};
    const bool two = position.next != position.previous;
    K a = fa.part == AT_LOW ? low : high, b = fb.part == AT_LOW ? low : high, unused;
    if (fa.part == INSIDE) {
        const bool next = two && fb.part == INSIDE;
        block_search(source, c.listed, fa.rank, next, low, high, s, a, next ? b : unused);
    } else if (fb.part == INSIDE) {
        block_search(source, c.listed, fb.rank, false, low, high, s, b, unused);
    }
    if (!two) b = a;
    if (threadIdx.x == 0) store_keys(p, rule, it.at, position, a, b);
}

} // namespace gnd

#endif
