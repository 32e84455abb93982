/*
 * select_sweep.cuh: a pass over a row (or a list of keys) with a window of two keys: how many keys
 * are below it, at its bounds and inside, and a list of those strictly inside. What equals a bound
 * is only counted, so that a value which most elements have fills no list.
 */
#ifndef GNDI_SELECT_SWEEP_CUH
#define GNDI_SELECT_SWEEP_CUH

#include "quantile/cuda/select_block.cuh"

namespace gnd {

struct sweep_counts {
    wide below_low, up_to_low, below_high, up_to_high, nan;
    wide listed; /* may exceed the list's room */
};

GNDI_FN void clear_counts(sweep_counts &c) {
    if (threadIdx.x == 0) {
        c.below_low = c.up_to_low = c.below_high = c.up_to_high = c.nan = c.listed = 0;
    }
    __syncthreads();
}

/* Where a rank is, from the counts. */
enum { MISSED, AT_LOW, INSIDE, AT_HIGH };
struct found_at {
    int part;
    int64_t rank; /* INSIDE: in the list */
};
GNDI_FN found_at where_is(const sweep_counts &c, int64_t rank) {
    found_at f;
    f.rank = rank - (int64_t)c.up_to_low;
    f.part = rank < (int64_t)c.below_low    ? MISSED
             : rank < (int64_t)c.up_to_low  ? AT_LOW
             : rank < (int64_t)c.below_high ? INSIDE
             : rank < (int64_t)c.up_to_high ? AT_HIGH
                                            : MISSED;
    return f;
}

/* Where the keys inside go: straight into the list, */
template <class K> struct straight_into {
    K *list;
    int64_t capacity;
    GNDI_FN_MEMBER void put(int64_t at, K key) const {
        if (at < capacity) list[at] = key;
    }
    GNDI_FN_MEMBER void after_batch(sweep_counts &) const {}
};
/* or into shared memory, from where a block moves them on when there are many: one atomic on the
   list's length for some thousand keys. */
template <class K, int Buffer, int Batch> struct staged_into {
    K *buffer, *list;
    wide *length;
    int64_t capacity;
    wide *start; /* shared */
    GNDI_FN_MEMBER void put(int64_t at, K key) const { buffer[at] = key; }
    GNDI_FN_MEMBER void flush(sweep_counts &c) const {
        const unsigned count = (unsigned)c.listed;
        if (threadIdx.x == 0) *start = atomicAdd(length, (wide)count);
        __syncthreads();
        const int64_t first = (int64_t)*start;
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
            if (first + i < capacity) list[first + i] = buffer[i];
        __syncthreads();
        if (threadIdx.x == 0) c.listed = 0;
        __syncthreads();
    }
    GNDI_FN_MEMBER void after_batch(sweep_counts &c) const {
        __syncthreads();
        const bool full = c.listed > Buffer - Batch;
        __syncthreads();
        if (full) flush(c);
    }
};

/* A thread's part of the counts. */
struct own_counts {
    uint32_t below_low, up_to_low, below_high, up_to_high, nan;
};

/* N keys a thread, of which those not `there` take no part; all threads of a warp together. */
template <int N, class K, class Into> GNDI_FN void sweep_batch(const K (&key)[N], const bool (&there)[N], K low, K high,
                                                               K last, own_counts &own, sweep_counts &c,
                                                               const Into &into) {
    const unsigned lane = threadIdx.x % 32;
    uint32_t inside = 0;
#pragma unroll
    for (int i = 0; i < N; i++) {
        own.below_low += there[i] && key[i] < low;
        own.up_to_low += there[i] && key[i] <= low;
        own.below_high += there[i] && key[i] < high;
        own.up_to_high += there[i] && key[i] <= high;
        own.nan += there[i] && key[i] > last;
        inside += there[i] && key[i] > low && key[i] < high;
    }
    const uint32_t up_to = warp_scan(inside, lane);
    const uint32_t total = __shfl_sync(FULL_WARP, up_to, 31);
    if (total == 0) return;
    wide start = 0;
    if (lane == 0) start = atomicAdd(&c.listed, (wide)total);
    start = __shfl_sync(FULL_WARP, start, 0);
    int64_t at = (int64_t)start + up_to - inside;
#pragma unroll
    for (int i = 0; i < N; i++)
        if (there[i] && key[i] > low && key[i] < high) into.put(at++, key[i]);
}

/* Vectors that a thread has in flight: a batch of a block of 512 is 4096 keys, or 2048 of 8 bytes. */
template <int Bytes> constexpr int vectors_in_flight = Bytes >= 4 ? 2 : 1;
template <int Bytes> constexpr int batch_keys = vectors_in_flight<Bytes> * 16 / Bytes;

/* Part `part` of `parts` of a pass over n elements (keys, if Listed), by a whole block; the counts
   are complete at the next __syncthreads(). */
template <int Bytes, bool Listed, class K, class Into>
GNDI_FN void sweep_into(const storage_bits_t<Bytes> *x, int64_t n, const key_rule<K> &rule, K low, K high,
                        unsigned part, unsigned parts, sweep_counts &c, const Into &into) {
    enum { V = 16 / Bytes, U = vectors_in_flight<Bytes> };
    const K last = Listed || !rule_has_nan(rule) ? ~(K)0 : largest_key(rule);
    own_counts own = {0, 0, 0, 0, 0};
    const int64_t misaligned = (int64_t)((16 - (uintptr_t)x % 16) % 16 / Bytes);
    const int64_t head = misaligned < n ? misaligned : n, vectors = (n - head) / V;
    const int64_t tail = head + vectors * V;
    if (part == 0) { /* what is left at both ends: fewer elements than threads */
        const int64_t rest = n - vectors * V, i = threadIdx.x;
        bool there[1] = {i < rest};
        K key[1] = {0};
        if (there[0]) {
            const K bits = (K)x[i < head ? i : tail + (i - head)];
            key[0] = Listed ? bits : key_of(rule, bits);
        }
        sweep_batch(key, there, low, high, last, own, c, into);
        into.after_batch(c);
    }
    const uint4 *v = reinterpret_cast<const uint4 *>(x + head);
    const int64_t batch = (int64_t)blockDim.x * U, step = batch * parts;
    for (int64_t first = batch * part; first < vectors; first += step) {
        uint4 load[U];
        K key[U * V];
        bool there[U * V];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t at = first + u * blockDim.x + threadIdx.x;
            load[u] = at < vectors ? v[at] : uint4{0, 0, 0, 0};
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            const bool valid = first + u * blockDim.x + threadIdx.x < vectors;
#pragma unroll
            for (int i = 0; i < V; i++) {
                const K bits = (K)element_of<Bytes>(load[u], i);
                key[u * V + i] = Listed ? bits : key_of(rule, bits);
                there[u * V + i] = valid;
            }
        }
        sweep_batch(key, there, low, high, last, own, c, into);
        into.after_batch(c);
    }
    const uint32_t below_low = warp_sum(own.below_low), up_to_low = warp_sum(own.up_to_low);
    const uint32_t below_high = warp_sum(own.below_high), up_to_high = warp_sum(own.up_to_high);
    const uint32_t nan = warp_sum(own.nan);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&c.below_low, (wide)below_low);
        atomicAdd(&c.up_to_low, (wide)up_to_low);
        atomicAdd(&c.below_high, (wide)below_high);
        atomicAdd(&c.up_to_high, (wide)up_to_high);
        if (nan) atomicAdd(&c.nan, (wide)nan);
    }
}

} // namespace gnd

#endif
