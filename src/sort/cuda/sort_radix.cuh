/*
 * sort_radix.cuh: long rows in order by their keys' digits of 8 bits, the lowest first, in one sweep
 * a digit (Adinarayana and Merrill, "Onesweep", 2022; the ranking within a block is CUB's):
 *
 *     radix_count   how often each digit occurs at each digit position, in one pass over the rows; and from that
 *                   where each digit's elements begin, which passes a row needs, and between which
 *                   buffers: a digit that all elements share needs none
 *     radix_pass    moves each element to its digit; tiles tell each other how many they have
 *
 * The first pass a row needs makes keys of elements, the last one elements of keys, in any strides.
 */
#ifndef GNDI_SORT_RADIX_CUH
#define GNDI_SORT_RADIX_CUH

#include "sort/cuda/sort_keys.cuh"
#include <cub/block/block_radix_rank.cuh>

namespace gnd {

enum { DIGITS = GNDI_SORT_DIGITS };

template <class C> GNDI_FN uint32_t digit_of(const gndi_sort_rule &rule, typename C::Key key, int pass) {
    return (uint32_t)(C::order(rule, key) >> (8 * pass)) & (DIGITS - 1);
}

/* ---- counting ------------------------------------------------------------------------------- */

/* What each of a row's passes reads and writes. The last one writes out, the one before it
   scratch[0], so that scratch[1] may be memory of the operands. */
GNDI_FN void assign_roles(const gndi_sort_radix &p, uint32_t trivial, uint8_t *role) {
    uint32_t needed = ((1u << p.passes) - 1) & ~trivial;
    if (!needed) needed = 1;
    if (p.in_place && (needed & (needed - 1)) == 0) needed |= needed == 1 ? 2 : 1;
    if (p.even && __popc(needed) % 2) needed |= ~needed & (needed + 1);
    const int count = __popc(needed);
    int from = GNDI_SORT_OPERAND;
    for (int pass = 0, i = 0; pass < p.passes; pass++) {
        if (!(needed >> pass & 1)) {
            role[pass] = GNDI_SORT_SKIPPED;
            continue;
        }
        int to = GNDI_SORT_OPERAND;
        if (i < count - 1) to = (count - i) % 2 ? GNDI_SORT_SECOND : GNDI_SORT_FIRST;
        role[pass] = (uint8_t)(from + 4 * to);
        from = to;
        i++;
    }
}

/* From how often digits occur to where they begin, by a block that takes several passes at once. */
template <int Threads> GNDI_FN void scan_digits(const gndi_sort_radix &p, unsigned long long *bins, uint8_t *role) {
    enum { AT_ONCE = Threads / DIGITS, WARPS = DIGITS / 32 };
    __shared__ unsigned long long total[AT_ONCE][WARPS];
    __shared__ uint32_t trivial;
    const unsigned digit = threadIdx.x % DIGITS, group = threadIdx.x / DIGITS, lane = digit % 32;
    if (threadIdx.x == 0) trivial = 0;
    for (int first = 0; first < p.passes; first += AT_ONCE) {
        const int pass = first + group;
        volatile unsigned long long *bin = bins + pass * DIGITS + digit;
        const unsigned long long own = pass < p.passes ? *bin : 0;
        unsigned long long up_to = own;
        for (unsigned d = 1; d < 32; d *= 2) {
            const unsigned long long before = __shfl_up_sync(~0u, up_to, d);
            if (lane >= d) up_to += before;
        }
        if (lane == 31) total[group][digit / 32] = up_to;
        __syncthreads();
        for (unsigned w = 0; w < digit / 32; w++) up_to += total[group][w];
        if (pass < p.passes) *bin = up_to - own;
        if ((int64_t)own == p.plan.length) atomicOr(&trivial, 1u << pass);
        __syncthreads();
    }
    if (threadIdx.x == 0) assign_roles(p, trivial, role);
}

/* Whether the first elements span so little that sorting is not worth while (sort_plan.h): each block finds
   out for itself, and the first one tells the host. */
template <class C> GNDI_FN bool declines(const gndi_sort_radix &p) {
    typedef typename C::Order Order;
    __shared__ bool few;
    if (threadIdx.x < 32) {
        const char *in = p.plan.in.data + threadIdx.x * p.plan.in.step;
        Order low = (Order) ~(Order)0, high = 0;
#pragma unroll
        for (int i = 0; i < GNDI_SORT_SAMPLE; i += 32, in += 32 * p.plan.in.step) {
            const Order order = C::order(p.rule, C::encode(p.rule, load_at<typename C::Key>(in)));
            low = order < low ? order : low, high = order > high ? order : high;
        }
        for (int d = 16; d > 0; d /= 2) {
            const Order other_low = __shfl_xor_sync(~0u, low, d);
            const Order other_high = __shfl_xor_sync(~0u, high, d);
            low = other_low < low ? other_low : low, high = other_high > high ? other_high : high;
        }
        if (threadIdx.x == 0) few = (uint64_t)(high - low) < p.plan.worthwhile;
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) *(volatile int64_t *)p.verdict = few;
    return few;
}

/* Where a block counts: once, or, with most of the shared memory of a multiprocessor, in replicas. Each has banks
   of its own, and lanes have replicas of their own, so that they do not wait for each other (4096^2 int32: 32 us
   for 40 (m)). */
template <class C, bool Wide> struct count_shape {
    enum {
        PASSES = sizeof(typename C::Key) == 1 ? 2 : sizeof(typename C::Key),
        THREADS = Wide ? GNDI_SORT_WIDE_THREADS : GNDI_SORT_COUNT_THREADS,
        REPLICAS = !Wide         ? 1
                   : PASSES <= 4 ? 32
                                 : 128 / PASSES,
        BANKS = 32 / REPLICAS,
        BYTES = PASSES * DIGITS * REPLICAS * 4,
    };
    /* Replica `r`'s count of a digit. */
    GNDI_FN int at(int pass, uint32_t digit, int r) {
        return pass * (DIGITS * REPLICAS) + digit / BANKS * 32 + r * BANKS + digit % BANKS;
    }
};

/* A block takes a part of a row; the grid is parts * rows. */
template <class C, bool Wide> __global__ void __launch_bounds__(count_shape<C, Wide>::THREADS)
    radix_count(const __grid_constant__ gndi_sort_radix p) {
    typedef typename C::Key Key;
    typedef count_shape<C, Wide> shape;
    enum { PASSES = shape::PASSES, THREADS = shape::THREADS, EACH = GNDI_SORT_COUNT_EACH, TILE = THREADS * EACH };
    extern __shared__ uint32_t counts[];
    __shared__ bool is_last;
    if constexpr (sizeof(Key) == 4 || sizeof(Key) == 8)
        if (p.verdict && declines<C>(p)) return;
    for (int i = threadIdx.x; i < shape::BYTES / 4; i += THREADS) counts[i] = 0;
    __syncthreads();
    const int replica = threadIdx.x % shape::REPLICAS;
    const int64_t row = blockIdx.x / p.parts;
    const int part = blockIdx.x % p.parts;
    const char *in = p.plan.in.data + row_offset(p.plan, p.plan.in.stride, p.first_row + row);
    const int64_t n = p.plan.length, step = p.plan.in.step;
    const auto count = [&](Key key) {
        const typename C::Order order = C::order(p.rule, C::encode(p.rule, key));
#pragma unroll(sizeof(Key) == 16 ? 4 : sizeof(Key))
        for (int pass = 0; pass < (int)sizeof(Key); pass++)
            atomicAdd(&counts[shape::at(pass, (uint32_t)(order >> 8 * pass) & (DIGITS - 1), replica)], 1u);
    };
    for (int64_t tile = (int64_t)part * TILE; tile < n; tile += (int64_t)p.parts * TILE) {
        const char *base = in + (tile + threadIdx.x) * step;
        const int left = (int)(n - tile < TILE ? n - tile : (int64_t)TILE) - (int)threadIdx.x;
        Key key[EACH];
        if (left > TILE - THREADS) {
#pragma unroll
            for (int u = 0; u < EACH; u++) key[u] = load_at<Key>(base + u * THREADS * step);
#pragma unroll
            for (int u = 0; u < EACH; u++) count(key[u]);
        } else {
            for (int u = 0; u * THREADS < left; u++) count(load_at<Key>(base + u * THREADS * step));
        }
    }
    __syncthreads();
    unsigned long long *bins = p.bins + row * p.passes * DIGITS;
    for (int i = threadIdx.x; i < p.passes * DIGITS; i += THREADS) {
        const int digit = i % DIGITS;
        uint32_t sum = 0;
        for (int r = 0; r < shape::REPLICAS; r++) /* in turn: neighbours read different banks */
            sum += counts[shape::at(i / DIGITS, digit, (r + digit / shape::BANKS) % shape::REPLICAS)];
        if (sum) atomicAdd(&bins[i], (unsigned long long)sum);
    }
    __threadfence(); /* the counts before the ticket */
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(&p.counted[row], 1u) == (uint32_t)p.parts - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    scan_digits<THREADS>(p, bins, p.role + row * GNDI_SORT_MOST_PASSES);
}

/* ---- a pass --------------------------------------------------------------------------------- */

/* Threads and elements a thread, as CUB has them for Hopper. */
template <int Bytes, bool Indices> struct pass_shape;
template <bool Indices> struct pass_shape<1, Indices> {
    enum { THREADS = 512, EACH = Indices ? 17 : 19, BLOCKS = 2 };
};
template <bool Indices> struct pass_shape<2, Indices> {
    enum { THREADS = 512, EACH = Indices ? 17 : 19, BLOCKS = 2 };
};
template <bool Indices> struct pass_shape<4, Indices> {
    enum { THREADS = 512, EACH = Indices ? 15 : 19, BLOCKS = 2 };
};
template <bool Indices> struct pass_shape<8, Indices> {
    enum { THREADS = 384, EACH = 15, BLOCKS = 2 };
};
template <bool Indices> struct pass_shape<16, Indices> {
    enum { THREADS = 256, EACH = 8, BLOCKS = 2 };
};

template <class C> struct pass_digit {
    const gndi_sort_rule &rule;
    int pass;
    __device__ __forceinline__ uint32_t Digit(typename C::Key key) const { return digit_of<C>(rule, key, pass); }
};

enum : uint32_t { LOOK_TILE = 1u << 30, LOOK_ALL = 2u << 30, LOOK_VALUE = LOOK_TILE - 1 };

GNDI_FN void tell(uint32_t *look, uint32_t value) {
    *(volatile uint32_t *)look = value;
}

/* What the tiles before this one of its row have of a thread's digit; tells the tiles behind it. */
GNDI_FN uint32_t lookback(uint32_t *looks, uint32_t tile, uint32_t digit, uint32_t own) {
    uint32_t sum = 0, wanting = ~0u;
    for (uint32_t j = tile; j-- > 0;) {
        const volatile uint32_t *look = looks + (int64_t)j * DIGITS + digit;
        uint32_t value;
        do {
            __threadfence_block(); /* the load stays in the loop */
            value = *look;
        } while (value == 0);
        sum += value & LOOK_VALUE;
        wanting = __ballot_sync(wanting, (value & LOOK_ALL) == 0);
        if (value & LOOK_ALL) break;
    }
    tell(looks + (int64_t)tile * DIGITS + digit, (sum + own) | LOOK_ALL);
    return sum;
}

/* Called by the ranking, once a tile's digits are counted: the sooner others know, the better. */
template <int Bins> struct tell_counts {
    uint32_t *looks; /* of this tile */
    int &own;
    static constexpr bool EMPTY = false;
    __device__ __forceinline__ void operator()(int (&bins)[Bins]) const {
        own = bins[0];
        if (threadIdx.x < DIGITS) tell(looks + threadIdx.x, (uint32_t)own | LOOK_TILE);
    }
};

/* What a block needs to know of its tile, found out by its first thread. */
struct pass_tile {
    uint32_t number, row, tile; /* of the launch, and the tile's own number in its row */
    int left;                   /* elements in it */
    int from, to;
    int64_t first;                /* where in the row it begins */
    int64_t step, to_step;        /* of keys */
    const char *keys, *positions; /* the tile's; positions: or start, if it is the first pass */
    const char *row_in;           /* for those that gather */
    char *to_keys, *to_positions; /* the row's */
};

GNDI_FN void find_tile(const gndi_sort_radix &p, pass_tile &t, uint32_t number, uint32_t role, int tile_items,
                       int key_bytes) {
    const gndi_sort_plan &plan = p.plan;
    const uint32_t local = plan.rows == 1 ? 0 : number / p.row_tiles;
    const int64_t row = p.first_row + local;
    if (local) role = p.role[(int64_t)local * GNDI_SORT_MOST_PASSES + p.pass];
    t.number = number, t.row = local, t.tile = number - local * p.row_tiles;
    t.from = t.to = GNDI_SORT_SKIPPED;
    if (role == GNDI_SORT_SKIPPED) return;
    const int64_t at = (int64_t)t.tile * tile_items;
    t.left = (int)(p.count - at < tile_items ? p.count - at : tile_items);
    t.first = p.first + at, t.from = role & 3, t.to = role >> 2;
    if (t.from == GNDI_SORT_OPERAND) {
        t.row_in = plan.in.data + row_offset(plan, plan.in.stride, row);
        t.step = plan.in.step, t.keys = t.row_in + t.first * t.step;
        t.positions = plan.start.data;
        if (t.positions) t.positions += row_offset(plan, plan.start.stride, row) + t.first * plan.start.step;
    } else {
        const gndi_sort_scratch &scratch = p.scratch[t.from - GNDI_SORT_FIRST];
        t.step = key_bytes, t.keys = scratch.keys + local * scratch.key_step + t.first * key_bytes;
        t.positions = scratch.positions + local * scratch.position_step + t.first * 4;
    }
    if (t.to == GNDI_SORT_OPERAND) {
        t.to_step = plan.out.step, t.to_keys = plan.out.data, t.to_positions = plan.indices.data;
        if (t.to_keys) t.to_keys += row_offset(plan, plan.out.stride, row);
        if (key_bytes <= 2 && p.narrow)
            t.to_positions = reinterpret_cast<char *>(p.narrow_indices + local * plan.length);
        else if (t.to_positions)
            t.to_positions += row_offset(plan, plan.indices.stride, row);
    } else {
        const gndi_sort_scratch &scratch = p.scratch[t.to - GNDI_SORT_FIRST];
        t.to_step = key_bytes, t.to_keys = scratch.keys + local * scratch.key_step;
        t.to_positions = scratch.positions + local * scratch.position_step;
    }
}

template <class C, bool Indices> struct pass_block {
    typedef typename C::Key Key;
    typedef pass_shape<sizeof(Key), Indices> shape;
    enum { THREADS = shape::THREADS, EACH = shape::EACH, TILE = THREADS * EACH, WARP_ITEMS = 32 * EACH };
    typedef cub::BlockRadixRankMatchEarlyCounts<THREADS, 8, false, cub::BLOCK_SCAN_RAKING_MEMOIZE, cub::WARP_MATCH_ANY,
                                                1>
        Rank;
    static_assert(Rank::BINS_TRACKED_PER_THREAD == 1, "a digit a thread");
    struct storage {
        union {
            Key keys[TILE];
            uint32_t positions[Indices ? TILE : 1];
            typename Rank::TempStorage rank;
        };
        int64_t offset[DIGITS]; /* from an element's rank in the tile to its index in the row */
        pass_tile tile;
    };

    const gndi_sort_radix &p;
    storage &s;
    const volatile pass_tile &t; /* one word at a time is read of it */

    /* Where in the tile a thread's element u is: a warp has neighbours. */
    __device__ __forceinline__ int index(int u) const {
        return threadIdx.x / 32 * WARP_ITEMS + u * 32 + threadIdx.x % 32;
    }

    __device__ __forceinline__ void load_keys(Key (&key)[EACH]) {
        const int left = t.left;
        const int64_t step = t.step;
        if (Indices && p.gathers && t.from == GNDI_SORT_OPERAND) {
            const char *start = t.positions, *in = t.row_in;
            for (int u = 0; u < EACH; u++)
                if (index(u) < left)
                    s.keys[index(u)] = load_at<Key>(in + load_at<int64_t>(start + index(u) * p.plan.start.step) * step);
#pragma unroll
            for (int u = 0; u < EACH; u++) key[u] = s.keys[index(u)];
            __syncthreads();
        } else if (left == TILE && step == (int64_t)sizeof(Key)) {
            const char *own = t.keys + index(0) * sizeof(Key);
#pragma unroll
            for (int u = 0; u < EACH; u++) key[u] = load_at<Key>(own + u * 32 * sizeof(Key));
        } else {
            const char *own = t.keys + index(0) * step;
#pragma unroll
            for (int u = 0; u < EACH; u++) {
                if (index(u) < left) key[u] = load_at<Key>(own);
                own += 32 * step;
            }
        }
        if (t.from == GNDI_SORT_OPERAND) {
#pragma unroll
            for (int u = 0; u < EACH; u++) key[u] = C::encode(p.rule, key[u]);
        }
        if (left < TILE) {
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (index(u) >= left) key[u] = C::highest(p.rule);
        }
    }

    /* The positions that go with the keys, to the indices of shared memory where the keys were. */
    __device__ __forceinline__ void stage_positions(const int (&rank)[EACH]) {
        const int left = t.left;
        const char *base = t.positions;
        if (t.from != GNDI_SORT_OPERAND) {
            uint32_t position[EACH];
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (index(u) < left) position[u] = load_at<uint32_t>(base + index(u) * 4);
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (index(u) < left) s.positions[rank[u]] = position[u];
        } else if (base) {
            const int64_t step = p.plan.start.step;
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (index(u) < left) s.positions[rank[u]] = (uint32_t)load_at<int64_t>(base + index(u) * step);
        } else {
            const uint32_t first = (uint32_t)t.first;
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (index(u) < left) s.positions[rank[u]] = first + index(u);
        }
        __syncthreads();
    }

    /* body(u, i) for the tile's elements in the order of their ranks i. */
    template <class Body> __device__ __forceinline__ void each_ranked(const Body &body) {
        const int left = t.left;
        if (left == TILE) {
#pragma unroll
            for (int u = 0; u < EACH; u++) body(u, u * THREADS + (int)threadIdx.x);
        } else {
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (u * THREADS + (int)threadIdx.x < left) body(u, u * THREADS + (int)threadIdx.x);
        }
    }

    __device__ __forceinline__ void store_keys(uint8_t (&digit)[EACH]) {
        const int pass = p.pass;
        const int64_t step = t.to_step;
        char *to = t.to_keys;
        const auto next = [&](int u, int i, Key &key) {
            key = s.keys[i];
            const uint32_t d = digit_of<C>(p.rule, key, pass);
            if (Indices) digit[u] = (uint8_t)d;
            return i + s.offset[d];
        };
        if (t.to != GNDI_SORT_OPERAND) {
            each_ranked([&](int u, int i) {
                Key key;
                const int64_t at = next(u, i, key);
                reinterpret_cast<Key *>(to)[at] = key;
            });
        } else if (!to) {
            each_ranked([&](int u, int i) {
                Key key;
                next(u, i, key);
            });
        } else if (step == (int64_t)sizeof(Key) && sizeof(Key) < 16) {
            each_ranked([&](int u, int i) {
                Key key;
                const int64_t at = next(u, i, key);
                reinterpret_cast<Key *>(to)[at] = C::decode(p.rule, key);
            });
        } else {
            each_ranked([&](int u, int i) {
                Key key;
                const int64_t at = next(u, i, key);
                store_at(to + at * step, C::decode(p.rule, key));
            });
        }
    }

    __device__ __forceinline__ void store_positions(const uint8_t (&digit)[EACH]) {
        char *to = t.to_positions;
        if (t.to != GNDI_SORT_OPERAND || (sizeof(Key) <= 2 && p.narrow)) {
            each_ranked(
                [&](int u, int i) { reinterpret_cast<uint32_t *>(to)[i + s.offset[digit[u]]] = s.positions[i]; });
        } else {
            const int64_t step = p.plan.indices.step;
            each_ranked([&](int u, int i) { store_at(to + (i + s.offset[digit[u]]) * step, (int64_t)s.positions[i]); });
        }
    }

    __device__ __forceinline__ void run() {
        Key key[EACH];
        int rank[EACH], before[1], own = 0;
        const uint32_t tile = t.tile;
        uint32_t *looks = p.looks + (int64_t)t.row * p.row_tiles * DIGITS;
        load_keys(key);
        Rank(s.rank).RankKeys(key, rank, pass_digit<C>{p.rule, p.pass}, before,
                              tell_counts<1>{looks + (int64_t)tile * DIGITS, own});
        __syncthreads();
#pragma unroll
        for (int u = 0; u < EACH; u++) s.keys[rank[u]] = key[u];
        if (threadIdx.x < DIGITS) {
            const uint32_t digit = threadIdx.x;
            const int64_t at = ((int64_t)t.row * p.passes + p.pass) * DIGITS + digit;
            const int64_t begin = (int64_t)p.bins[at];
            const int64_t here = begin + lookback(looks, tile, digit, (uint32_t)own);
            s.offset[digit] = here - before[0];
            if (p.more && tile == p.row_tiles - 1) p.bins_after[at] = (unsigned long long)(here + own);
        }
        __syncthreads();
        uint8_t digit[EACH];
        store_keys(digit);
        if constexpr (Indices) {
            stage_positions(rank);
            store_positions(digit);
        }
    }
};

/* row_tiles blocks for each row. */
template <class C, bool Indices>
__global__ void __launch_bounds__(pass_block<C, Indices>::THREADS, pass_block<C, Indices>::shape::BLOCKS)
    radix_pass(const __grid_constant__ gndi_sort_radix p) {
    typedef pass_block<C, Indices> block;
    __shared__ typename block::storage s;
    if (threadIdx.x == 0) {
        const uint32_t role = p.role[p.pass]; /* of a single row: read beside the number */
        find_tile(p, s.tile, atomicAdd(p.counter, 1u), role, block::TILE, sizeof(typename block::Key));
    }
    __syncthreads();
    for (int64_t i = (int64_t)s.tile.number * block::THREADS + threadIdx.x; i < p.next_words;
         i += (int64_t)gridDim.x * block::THREADS)
        p.next_looks[i] = 0;
    if (s.tile.from != GNDI_SORT_SKIPPED) block{p, s, s.tile}.run();
}

} // namespace gnd

#endif
