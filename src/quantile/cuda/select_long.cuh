/*
 * select_long.cuh: order statistics of few long rows, several blocks an item:
 *
 *     select_sample   one block: a sample of the row, and from it a window around the position
 *     select_sweep    many blocks: one pass over the row counts what is below the window and lists
 *                     what is inside, a few percent. The last block to finish finds the elements in
 *                     the list, or, if it is long, a window in it for the next sweep, over the list
 *     select_rest     one block: the whole row by histograms, should a window have missed
 *
 * Everything is decided on the device; a kernel that finds nothing left to do ends at once. Which
 * block finishes last, and the order of the list, have no influence on the result.
 */
#ifndef GNDI_SELECT_LONG_CUH
#define GNDI_SELECT_LONG_CUH

#include "quantile/cuda/select_rows.cuh"

namespace gnd {

enum { SEARCHING, DONE, FAILED };

/* What the blocks of an item leave for each other. */
struct select_state {
    sweep_counts counts;
    uint64_t low, high, a, b; /* keys */
    int64_t rank, next_rank;  /* of what is not found yet, in what is swept next */
    int64_t length;           /* of the list that is swept next */
    double weight;
    int64_t previous, next;
    uint32_t finished;
    int status;
    bool a_found, b_found;
};
static_assert(sizeof(select_state) <= GNDI_SELECT_STATE_BYTES, "state");

template <class K> struct long_shared {
    enum { BUFFER = 32768 / sizeof(K) };
    select_shared<K> select;
    alignas(16) K keys[BUFFER];
};
/* The sample is as large as the buffer. */
template <class K> constexpr int log_sample = sizeof(K) == 8 ? 12 : 13;

GNDI_FN select_state *state_of(const gndi_select_params &p, unsigned item) {
    return reinterpret_cast<select_state *>(p.states + (int64_t)item * GNDI_SELECT_STATE_BYTES);
}
template <class K> GNDI_FN K *list_of(const gndi_select_params &p, unsigned item, int which) {
    K *first = reinterpret_cast<K *>(p.lists) + (int64_t)item * (p.capacity + p.second_capacity);
    return which ? first + p.capacity : first;
}

/* ---- windows -------------------------------------------------------------------------------- */

/* One side of a window that is being closed in on: the keys from .. to, among which the rank is
   number `left` of `inside`. */
template <class K> struct bound_search {
    K from, to;
    wide left, inside;
};
template <class K> GNDI_FN void close_in(bound_search<K> &b, const list_source<K> &sample, int64_t size, bool filled,
                                         select_shared<K> &s) {
    const int shift = bin_shift<uint32_t>(b.from, b.to);
    if (!filled) fill_bins(sample, size, b.from, b.to, s);
    choose_bin<uint32_t>(s, b.left);
    b.left -= s.below, b.inside = s.inside;
    narrow(s, shift, b.from, b.to);
}

/* The sample's keys, which lie in low .. high or above, to the window around `share`: it need not
   begin and end at keys of the sample, if it is not wider by many. For the whole block. */
template <class K>
GNDI_FN void choose_window(select_state *state, long_shared<K> &s, int valid, double share, K low, K high) {
    enum { NEAR = 24 };
    const sample_window w = window_at(share, valid, 6);
    const list_source<K> sample = {s.keys};
    const int64_t size = (int64_t)1 << log_sample<K>;
    bound_search<K> lower = {low, high, (wide)w.from, (wide)size};
    bound_search<K> upper = {low, high, (wide)w.to, (wide)size};
    const bool has_lower = w.from >= 0 && low < high, has_upper = w.to < valid && low < high;
    if (has_lower || has_upper) fill_bins(sample, size, low, high, s.select);
    if (has_lower) close_in(lower, sample, size, true, s.select);
    if (has_upper) close_in(upper, sample, size, true, s.select);
    while (has_lower && lower.from < lower.to && lower.inside > NEAR) close_in(lower, sample, size, false, s.select);
    while (has_upper && upper.from < upper.to && upper.inside > NEAR) close_in(upper, sample, size, false, s.select);
    if (threadIdx.x == 0) {
        state->low = has_lower ? lower.from : low, state->high = has_upper ? upper.to : high;
        state->counts.below_low = state->counts.up_to_low = state->counts.nan = 0;
        state->counts.below_high = state->counts.up_to_high = state->counts.listed = 0;
        state->finished = 0;
    }
}

template <int Bytes> __global__ void __launch_bounds__(GNDI_SELECT_LONG_THREADS)
    select_sample(const __grid_constant__ gndi_select_params params) {
    typedef key_t<Bytes> K;
    __shared__ long_shared<K> s;
    const gndi_select_plan &p = params.plan;
    const select_item it = item_of(params, params.first_item + blockIdx.x, threadIdx.x == 0);
    select_state *state = state_of(params, blockIdx.x);
    const key_rule<K> rule = key_rule_of<Bytes>(p.dtype);
    const storage_bits_t<Bytes> *x = reinterpret_cast<const storage_bits_t<Bytes> *>(p.data + it.row * p.row_step);
    const int size = 1 << log_sample<K>;
    if (threadIdx.x == 0) s.select.number = 0;
    __syncthreads();
    uint32_t missing = 0;
#pragma unroll 8
    for (int i = threadIdx.x; i < size; i += GNDI_SELECT_LONG_THREADS) {
        const K key = key_of(rule, (K)x[sample_position(i, log_sample<K>, p.length)]);
        s.keys[i] = key;
        missing += rule_has_nan(rule) && key == rule.nan;
    }
    missing = warp_sum(missing);
    if (threadIdx.x % 32 == 0 && missing) atomicAdd(&s.select.number, (wide)missing);
    __syncthreads();
    const int valid = size - (int)s.select.number;
    const bool is_nan = valid < size && !p.skip_nan;
    if (threadIdx.x == 0) {
        state->status = is_nan ? DONE : SEARCHING;
        state->a_found = state->b_found = false;
        if (is_nan) store_nan(p, it.at);
    }
    if (is_nan) return;
    choose_window(state, s, valid, share_of(p, it.q, valid, size), (K)0, largest_key(rule));
}

/* ---- sweeps --------------------------------------------------------------------------------- */

/* What the counts of a finished sweep say; by one thread. */
template <class K> GNDI_FN void judge(const gndi_select_params &params, const select_item &it, select_state *state,
                                      const key_rule<K> &rule, bool first, int64_t capacity) {
    const gndi_select_plan &p = params.plan;
    const sweep_counts c = state->counts;
    if (first) {
        const int64_t n = p.skip_nan ? p.length - (int64_t)c.nan : c.nan ? 0 : p.length;
        if (n == 0) {
            store_nan(p, it.at);
            state->status = DONE;
            return;
        }
        const select_position position = position_of(p.method, p.index_dtype, n, it.q);
        state->rank = state->previous = position.previous;
        state->next_rank = state->next = position.next, state->weight = position.weight;
    }
    const found_at a = where_is(c, state->rank), b = where_is(c, state->next_rank);
    bool missed = false, inside = false;
    if (!state->a_found) {
        missed |= a.part == MISSED, inside |= a.part == INSIDE;
        state->a = a.part == AT_LOW ? state->low : state->high;
        state->a_found = a.part != INSIDE;
    }
    if (!state->b_found) {
        missed |= b.part == MISSED, inside |= b.part == INSIDE;
        state->b = b.part == AT_LOW ? state->low : state->high;
        state->b_found = b.part != INSIDE;
    }
    state->rank = a.rank, state->next_rank = b.rank, state->length = (int64_t)c.listed;
    if (missed || (inside && (int64_t)c.listed > capacity))
        state->status = FAILED;
    else if (!inside)
        state->status = DONE;
}

template <class K> GNDI_FN void finish(const gndi_select_params &params, const select_item &it, select_state *state,
                                       const key_rule<K> &rule) {
    select_position position;
    position.previous = state->previous, position.next = state->next, position.weight = state->weight;
    store_keys(params.plan, rule, it.at, position, (K)state->a, (K)state->b);
    state->status = DONE;
}

/* The elements among the keys of a list; for the whole block. */
template <class K> GNDI_FN void search_list(select_state *state, const K *list, long_shared<K> &s) {
    const list_source<K> source = {list};
    const int64_t n = state->length, rank = state->rank, next = state->next_rank;
    const K low = (K)state->low, high = (K)state->high;
    const bool wants_a = !state->a_found, wants_b = !state->b_found;
    K a = (K)state->a, b = (K)state->b, unused;
    if (wants_a && wants_b)
        block_search(source, n, rank, next != rank, low, high, s.select, a, b);
    else if (wants_a)
        block_search(source, n, rank, false, low, high, s.select, a, unused);
    else
        block_search(source, n, next, false, low, high, s.select, b, unused);
    if (wants_a && wants_b && next == rank) b = a;
    __syncthreads(); /* all have read the state */
    if (threadIdx.x == 0) state->a = a, state->b = b;
    __syncthreads();
}

/* What the last block of a sweep does with what all of them found. */
template <class K> GNDI_FN void conclude(const gndi_select_params &params, const select_item &it, select_state *state,
                                         const key_rule<K> &rule, const K *list, int64_t capacity, bool first,
                                         long_shared<K> &s) {
    __threadfence();
    if (threadIdx.x == 0) {
        judge(params, it, state, rule, first, capacity);
        if (state->status == DONE && (state->a_found && state->b_found)) finish(params, it, state, rule);
        __threadfence_block();
    }
    __syncthreads();
    if (state->status != SEARCHING) return;
    const int64_t n = state->length;
    if (params.last_level || n <= GNDI_SELECT_LAST_LIST) {
        search_list(state, list, s);
        if (threadIdx.x == 0) finish(params, it, state, rule);
        return;
    }
    const int size = 1 << log_sample<K>;
#pragma unroll 8
    for (int i = threadIdx.x; i < size; i += GNDI_SELECT_LONG_THREADS)
        s.keys[i] = list[sample_position(i, log_sample<K>, n)];
    const int64_t rank = state->a_found ? state->next_rank : state->rank;
    __syncthreads();
    const K low = (K)state->low, high = (K)state->high;
    choose_window(state, s, size, ((double)rank + 1) / (double)n, low, high);
}

template <int Bytes, bool Listed> __global__ void __launch_bounds__(GNDI_SELECT_LONG_THREADS)
    select_sweep(const __grid_constant__ gndi_select_params params) {
    typedef key_t<Bytes> K;
    enum { BATCH = GNDI_SELECT_LONG_THREADS * (Listed ? batch_keys<sizeof(K)> : batch_keys<Bytes>)};
    __shared__ long_shared<K> s;
    __shared__ sweep_counts counts;
    __shared__ wide start;
    __shared__ bool is_last;
    const gndi_select_plan &p = params.plan;
    const unsigned item = blockIdx.y;
    select_state *state = state_of(params, item);
    if (state->status != SEARCHING) return;
    const select_item it = item_of(params, params.first_item + item, false);
    const key_rule<K> rule = key_rule_of<Bytes>(p.dtype);
    const K low = (K)state->low, high = (K)state->high;
    K *list = list_of<K>(params, item, params.level % 2);
    const int64_t capacity = params.level % 2 ? params.second_capacity : params.capacity;
    clear_counts(counts);
    const staged_into<K, long_shared<K>::BUFFER, BATCH> into = {s.keys, list, &state->counts.listed, capacity, &start};
    if constexpr (Listed)
        sweep_into<sizeof(K), true>(list_of<K>(params, item, 1 - params.level % 2), state->length, rule, low, high,
                                    blockIdx.x, gridDim.x, counts, into);
    else
        sweep_into<Bytes, false>(reinterpret_cast<const storage_bits_t<Bytes> *>(p.data + it.row * p.row_step),
                                 p.length, rule, low, high, blockIdx.x, gridDim.x, counts, into);
    __syncthreads();
    if (counts.listed) into.flush(counts);
    if (threadIdx.x == 0) {
        atomicAdd(&state->counts.below_low, counts.below_low);
        atomicAdd(&state->counts.up_to_low, counts.up_to_low);
        atomicAdd(&state->counts.below_high, counts.below_high);
        atomicAdd(&state->counts.up_to_high, counts.up_to_high);
        if (counts.nan) atomicAdd(&state->counts.nan, counts.nan);
    }
    __threadfence(); /* the list and the counts before the ticket */
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&state->finished, 1u) == gridDim.x - 1;
    __syncthreads();
    if (is_last) conclude(params, it, state, rule, list, capacity, !Listed, s);
}

template <int Bytes> __global__ void __launch_bounds__(GNDI_SELECT_LONG_THREADS)
    select_rest(const __grid_constant__ gndi_select_params params) {
    __shared__ select_shared<key_t<Bytes>> s;
    if (state_of(params, blockIdx.x)->status == DONE) return;
    const select_item it = item_of(params, params.first_item + blockIdx.x, false);
    select_whole<Bytes>(params, it, s);
}

} // namespace gnd

#endif
