/*
 * select_block.cuh: how the order statistics' kernels find the key of a rank: among keys in a warp's
 * registers by bisection, among keys anywhere by histograms of a block.
 */
#ifndef GNDI_SELECT_BLOCK_CUH
#define GNDI_SELECT_BLOCK_CUH

#include "quantile/cuda/select_params.h"
#include "quantile/select_ops.h"

namespace gnd {

enum : unsigned { FULL_WARP = 0xffffffffu };

#if defined(__CUDACC__)
#    define GNDI_FN_MEMBER __device__ __forceinline__
#else
#    define GNDI_FN_MEMBER inline
#endif

typedef unsigned long long wide; /* what 64-bit atomics take */

/* ---- a warp --------------------------------------------------------------------------------- */

template <class T> GNDI_FN T warp_sum(T x) {
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(FULL_WARP, x, d);
    return x;
}
GNDI_FN uint32_t warp_sum(uint32_t x) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(FULL_WARP, x);
#else
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(FULL_WARP, x, d);
    return x;
#endif
}
template <class K> GNDI_FN K warp_min(K x) {
    for (int d = 16; d; d /= 2) {
        const K y = __shfl_xor_sync(FULL_WARP, x, d);
        x = y < x ? y : x;
    }
    return x;
}
template <class K> GNDI_FN K warp_max(K x) {
    for (int d = 16; d; d /= 2) {
        const K y = __shfl_xor_sync(FULL_WARP, x, d);
        x = y > x ? y : x;
    }
    return x;
}
/* The sum over this lane and those before it. */
template <class T> GNDI_FN T warp_scan(T x, unsigned lane) {
    for (unsigned d = 1; d < 32; d *= 2) {
        const T y = __shfl_up_sync(FULL_WARP, x, d);
        if (lane >= d) x += y;
    }
    return x;
}

template <class K, int N> GNDI_FN uint32_t warp_count_below(const K (&key)[N], K limit) {
    uint32_t count = 0;
#pragma unroll
    for (int i = 0; i < N; i++) count += key[i] < limit;
    return warp_sum(count);
}
template <class K, int N> GNDI_FN K warp_smallest_from(const K (&key)[N], K limit) {
    K least = ~(K)0;
#pragma unroll
    for (int i = 0; i < N; i++) least = key[i] >= limit && key[i] < least ? key[i] : least;
    return warp_min(least);
}
template <class K, int N> GNDI_FN K warp_largest_below(const K (&key)[N], K limit) {
    K most = 0;
#pragma unroll
    for (int i = 0; i < N; i++) most = key[i] < limit && key[i] > most ? key[i] : most;
    return warp_max(most);
}
/* The key of a rank, which lies in low .. high, among a warp's; positions without a key hold ~0. */
template <class K, int N> GNDI_FN K warp_key_of_rank(const K (&key)[N], uint32_t rank, K low, K high) {
    while (low < high) {
        const K middle = low + ((high - low) >> 1) + 1;
        const uint32_t below = warp_count_below(key, middle);
        if (below == rank) return warp_smallest_from(key, middle);
        if (below == rank + 1) return warp_largest_below(key, middle);
        if (below < rank)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}
/* The key of the rank after `rank`, whose key is a. */
template <class K, int N> GNDI_FN K warp_next_key(const K (&key)[N], uint32_t rank, K a) {
    if (a == ~(K)0 || warp_count_below(key, (K)(a + 1)) > rank + 1) return a;
    return warp_smallest_from(key, (K)(a + 1));
}

/* ---- a block -------------------------------------------------------------------------------- */

enum { BIN_BYTES = 8192, FEW = 1024 };

/* What a block shares while it selects. The few keys that are left in the end take the position of the
   counts. */
template <class K> struct select_shared {
    union {
        uint32_t bin[BIN_BYTES / 4];
        wide wide_bin[BIN_BYTES / 8];
        K few[FEW];
    };
    wide warp_total[32], below, inside, number;
    uint32_t chosen, collected;
    K key, next_key;
    bool has_next;
    GNDI_FN_MEMBER uint32_t *bins(uint32_t) { return bin; }
    GNDI_FN_MEMBER wide *bins(wide) { return wide_bin; }
};

/* Keys that a block reads any number of times: elements of a row, or keys in a list, which begins at
   a multiple of 16 bytes. */
template <int Bytes> struct row_source {
    typedef key_t<Bytes> K;
    typedef wide count; /* what holds how many keys there may be */
    const storage_bits_t<Bytes> *x;
    key_rule<K> rule;
};
template <class Key> struct list_source {
    typedef Key K;
    typedef uint32_t count;
    const K *x;
};

/* Element i of a vector of elements of some bytes. */
template <int Bytes> GNDI_FN storage_bits_t<Bytes> element_of(const uint4 &v, int i) {
    if constexpr (Bytes == 8) {
        return i == 0 ? (uint64_t)v.y << 32 | v.x : (uint64_t)v.w << 32 | v.z;
    } else {
        const int word = i * Bytes / 4, shift = i * Bytes % 4 * 8;
        const uint32_t w = word == 0 ? v.x : word == 1 ? v.y : word == 2 ? v.z : v.w;
        return (storage_bits_t<Bytes>)(w >> shift);
    }
}

/* body(key) for n keys, each by one thread of the block. */
template <int Bytes, class Body> GNDI_FN void each_key(const row_source<Bytes> &source, int64_t n, const Body &body) {
#pragma unroll 4
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) body(key_of(source.rule, (key_t<Bytes>)source.x[i]));
}
template <class K, class Body> GNDI_FN void each_key(const list_source<K> &source, int64_t n, const Body &body) {
    enum { V = 16 / sizeof(K), U = 4 };
    const uint4 *v = reinterpret_cast<const uint4 *>(source.x);
    const int64_t vectors = n / V;
    for (int64_t first = threadIdx.x; first < vectors; first += U * blockDim.x) {
        uint4 load[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            const int64_t at = first + u * blockDim.x;
            load[u] = v[at < vectors ? at : first];
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (first + u * blockDim.x >= vectors) continue;
#pragma unroll
            for (int i = 0; i < V; i++) body((K)element_of<sizeof(K)>(load[u], i));
        }
    }
    const int64_t last = vectors * V + threadIdx.x;
    if (last < n) body(source.x[last]);
}

template <class K> GNDI_FN int bits_in(K x) {
    if constexpr (sizeof(K) == 8)
        return 64 - __clzll((long long)x);
    else
        return 32 - __clz((int)x);
}

/* How many of the lowest bits of keys in low .. high do not show in the number of a bin. */
template <class Count, class K> GNDI_FN int bin_shift(K low, K high) {
    const int bits = bits_in((K)(high - low)), shown = sizeof(Count) == 8 ? 10 : 11;
    return bits > shown ? bits - shown : 0;
}

/* Counts the keys within low .. high by their upper bits. */
template <class S, class K> GNDI_FN void fill_bins(const S &source, int64_t n, K low, K high, select_shared<K> &s) {
    typedef typename S::count Count;
    Count *bin = s.bins(Count());
    const int shift = bin_shift<Count>(low, high);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < BIN_BYTES / sizeof(Count); i += blockDim.x) bin[i] = 0;
    __syncthreads();
    each_key(source, n, [&](K key) {
        if (key >= low && key <= high) atomicAdd(&bin[(unsigned)((key - low) >> shift)], (Count)1);
    });
    __syncthreads();
}

/* Finds the bin that holds a rank: s.chosen, how many keys the bins before it have, s.below, and
   how many it has itself, s.inside. */
template <class Count, class K> GNDI_FN void choose_bin(select_shared<K> &s, wide rank) {
    const Count *bin = s.bins(Count());
    const unsigned t = threadIdx.x, lane = t % 32, warp = t / 32;
    const unsigned each = BIN_BYTES / sizeof(Count) / blockDim.x;
    wide own = 0;
    for (unsigned i = 0; i < each; i++) own += bin[t * each + i];
    wide before = warp_scan(own, lane);
    __syncthreads(); /* what was chosen last has been read */
    if (lane == 31) s.warp_total[warp] = before;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) before += s.warp_total[w];
    before -= own;
    if (rank >= before && rank - before < own) {
        unsigned i = t * each;
        for (; rank - before >= bin[i]; i++) before += bin[i];
        s.chosen = i, s.below = before, s.inside = bin[i];
    }
    __syncthreads();
}

/* From the window low .. high to that of the bin chosen last. */
template <class K> GNDI_FN void narrow(const select_shared<K> &s, int shift, K &low, K &high) {
    const K width = ((K)1 << shift) - 1;
    low += (K)s.chosen << shift;
    high = high - low > width ? low + width : high;
}

/* The keys within low .. high, of which there are at most FEW, into s.few. */
template <class S, class K> GNDI_FN void collect(const S &source, int64_t n, K low, K high, select_shared<K> &s) {
    __syncthreads(); /* the bins have been read */
    if (threadIdx.x == 0) s.collected = 0;
    __syncthreads();
    each_key(source, n, [&](K key) {
        if (key >= low && key <= high) s.few[atomicAdd(&s.collected, 1u)] = key;
    });
    __syncthreads();
}

/* The key of `rank` among few keys in shared memory to s.key, and if there is one more, its to
   s.next_key. */
template <class K> GNDI_FN void search_few(select_shared<K> &s, uint32_t n, uint32_t rank, K low, K high) {
    if (threadIdx.x < 32) {
        K key[FEW / 32];
#pragma unroll
        for (unsigned i = 0; i < FEW / 32; i++) {
            const unsigned at = i * 32 + threadIdx.x;
            key[i] = at < n ? s.few[at] : ~(K)0;
        }
        const K found = warp_key_of_rank(key, rank, low, high);
        const bool more = rank + 1 < n;
        const K next = more ? warp_next_key(key, rank, found) : found;
        if (threadIdx.x == 0) s.key = found, s.next_key = next, s.has_next = more;
    }
    __syncthreads();
}

/* The key of the rank after `rank`, whose key is a. */
template <class S, class K>
GNDI_FN K block_next_key(const S &source, int64_t n, int64_t rank, K a, select_shared<K> &s) {
    wide up_to = 0;
    K least = ~(K)0;
    __syncthreads();
    if (threadIdx.x == 0) s.number = 0;
    __syncthreads();
    each_key(source, n, [&](K key) {
        up_to += key <= a;
        least = key > a && key < least ? key : least;
    });
    up_to = warp_sum(up_to);
    least = warp_min(least);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(&s.number, up_to);
        s.few[threadIdx.x / 32] = least;
    }
    __syncthreads();
    for (unsigned w = 0; w < blockDim.x / 32; w++) least = s.few[w] < least ? s.few[w] : least;
    const bool same = (int64_t)s.number > rank + 1;
    __syncthreads();
    return same ? a : least;
}

/* The key of `rank` among n keys, all of which lie in low .. high or above, and, if `wants_next`, of
   the rank after it. For the whole block. */
template <class S, class K> GNDI_FN void block_search(const S &source, int64_t n, int64_t rank, bool wants_next, K low,
                                                      K high, select_shared<K> &s, K &a, K &b) {
    typedef typename S::count Count;
    wide left = (wide)rank;
    while (low < high) {
        const int shift = bin_shift<Count>(low, high);
        fill_bins(source, n, low, high, s);
        choose_bin<Count>(s, left);
        left -= s.below;
        narrow(s, shift, low, high);
        if (shift == 0 || s.inside > FEW) continue;
        const uint32_t inside = (uint32_t)s.inside;
        collect(source, n, low, high, s);
        search_few(s, inside, (uint32_t)left, low, high);
        a = s.key, b = s.next_key;
        if (wants_next && !s.has_next) b = block_next_key(source, n, rank, a, s);
        __syncthreads();
        return;
    }
    a = b = low;
    if (wants_next) b = block_next_key(source, n, rank, a, s);
}

/* ---- results -------------------------------------------------------------------------------- */

GNDI_FN double quantile_or_fault(const gndi_select_params &p, int64_t i, bool reports) {
    bool fault = false;
    const double q = quantile_at(p.plan, i, &fault);
    if (fault && reports) atomicCAS(p.fault, 0, GNDI_FAULT_QUANTILE);
    return q;
}

template <class K> GNDI_FN void store_keys(const gndi_select_plan &p, const key_rule<K> &rule, int64_t at,
                                           const select_position &position, K a, K b) {
    store_result(p, at, position, (uint64_t)bits_of_key(rule, a), (uint64_t)bits_of_key(rule, b));
}

/* An item's own numbers. */
struct select_item {
    int64_t row, at; /* out[at] */
    double q;
};
GNDI_FN select_item item_of(const gndi_select_params &p, int64_t item, bool reports) {
    select_item it;
    const int64_t quantile = item % p.plan.quantiles;
    it.row = item / p.plan.quantiles;
    it.at = quantile * p.plan.rows + it.row;
    it.q = quantile_or_fault(p, quantile, reports && it.row == 0);
    return it;
}

/* ---- samples -------------------------------------------------------------------------------- */

/* Where sample number i of 2^log_size is taken from n: one from each of equal parts, at a position that
   looks random. */
GNDI_FN int64_t sample_position(uint32_t i, int log_size, int64_t n) {
    uint32_t h = (i + 1) * 0x9e3779b1u;
    h = (h ^ h >> 15) * 0x85ebca6bu;
    h ^= h >> 13;
    const uint64_t fraction = (uint64_t)i << (64 - log_size) | (uint64_t)h << (32 - log_size);
    return (int64_t)__umul64hi(fraction, (uint64_t)n);
}

/* The ranks among `valid` sorted sample keys that enclose the position at `share`, almost surely. */
struct sample_window {
    int from, to; /* below 0, or `valid` and above: no bound on that side */
};
GNDI_FN sample_window window_at(double share, int valid, double deviations) {
    const double middle = share * valid;
    const double spread = deviations * m::sqrt(valid * share * (1 - share)) + 4;
    sample_window w;
    w.from = (int)m::floor(middle - spread), w.to = (int)m::ceil(middle + spread);
    return w;
}
/* The share of sorted elements that lie before a quantile, guessed from a sample. */
GNDI_FN double share_of(const gndi_select_plan &p, double q, int valid, int size) {
    const double estimate = (double)p.length * ((double)valid / size);
    const int64_t n = estimate < 1 ? 1 : (int64_t)estimate;
    const double share = ((double)position_of(p.method, p.index_dtype, n, q).previous + 1) / (double)n;
    return share > 1 ? 1 : share;
}

} // namespace gnd

#endif
