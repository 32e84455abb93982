/*
 * sort_radix.cuh: long rows in order by their keys' digits of 8 bits, the lowest first, in one sweep
 * a digit (Adinarayana and Merrill, "Onesweep", 2022; the ranking within a block is CUB's):
 *
 *     radix_count   how often each digit occurs in each place, in one pass over the rows
 *     radix_bins    where each digit's elements begin; which passes a row needs, and between which
 *                   buffers: a digit that all elements share needs none
 *     radix_pass    moves each element to its digit; tiles tell each other how many they have
 *
 * The first pass a row needs makes keys of elements, the last one elements of keys, in any strides.
 */
#ifndef GNDI_SORT_RADIX_CUH
#define GNDI_SORT_RADIX_CUH

#include "kernels/cuda/sort_keys.cuh"
#include <cub/block/block_radix_rank.cuh>

namespace gnd {

enum { DIGITS = GNDI_SORT_DIGITS };

template <class C>
GNDI_FN uint32_t digit_of(const gndi_sort_rule &rule, typename C::Key key, int pass) {
    return (uint32_t)(C::order(rule, key) >> (8 * pass)) & (DIGITS - 1);
}

/* ---- counting ------------------------------------------------------------------------------- */

/* A block takes a part of a row; the grid is parts * rows. */
template <class C> __global__ void __launch_bounds__(GNDI_SORT_COUNT_THREADS)
    radix_count(const __grid_constant__ gndi_sort_radix p) {
    typedef typename C::Key Key;
    enum {
        PASSES = sizeof(typename C::Key) == 1 ? 2 : sizeof(typename C::Key),
        EACH = GNDI_SORT_COUNT_EACH,
        TILE = GNDI_SORT_COUNT_THREADS * EACH
    };
    __shared__ uint32_t bins[PASSES * DIGITS];
    for (int i = threadIdx.x; i < PASSES * DIGITS; i += GNDI_SORT_COUNT_THREADS) bins[i] = 0;
    __syncthreads();
    const int64_t row = blockIdx.x / p.parts;
    const int part = blockIdx.x % p.parts;
    const char *in = p.plan.in.data + row_offset(p.plan, p.plan.in.stride, p.first_row + row);
    const int64_t n = p.plan.length, step = p.plan.in.step;
    for (int64_t tile = (int64_t)part * TILE; tile < n; tile += (int64_t)p.parts * TILE) {
        const int left = n - tile < TILE ? (int)(n - tile) : TILE;
        const char *base = in + tile * step;
        Key key[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const int i = u * GNDI_SORT_COUNT_THREADS + threadIdx.x;
            if (i < left) key[u] = load_at<Key>(base + i * step);
        }
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            if (u * GNDI_SORT_COUNT_THREADS + (int)threadIdx.x >= left) break;
            typename C::Order order = C::order(p.rule, C::encode(p.rule, key[u]));
            if constexpr (sizeof(Key) == 16) {
#pragma unroll 4
                for (int pass = 0; pass < PASSES; pass++, order >>= 8)
                    atomicAdd(&bins[pass * DIGITS + ((uint32_t)order & (DIGITS - 1))], 1u);
            } else {
#pragma unroll
                for (int pass = 0; pass < (int)sizeof(Key); pass++)
                    atomicAdd(&bins[pass * DIGITS + ((uint32_t)(order >> 8 * pass) & (DIGITS - 1))],
                              1u);
            }
        }
    }
    __syncthreads();
    unsigned long long *to = p.bins + row * p.passes * DIGITS;
    for (int i = threadIdx.x; i < p.passes * DIGITS; i += GNDI_SORT_COUNT_THREADS)
        if (bins[i]) atomicAdd(&to[i], (unsigned long long)bins[i]);
}

/* ---- a pass --------------------------------------------------------------------------------- */

/* Threads and elements a thread, as CUB has them for Hopper. */
template <int Bytes, bool Places> struct pass_shape;
template <bool Places> struct pass_shape<1, Places> {
    enum { THREADS = 512, EACH = Places ? 17 : 19, BLOCKS = 2 };
};
template <bool Places> struct pass_shape<2, Places> {
    enum { THREADS = 512, EACH = Places ? 17 : 19, BLOCKS = 2 };
};
template <bool Places> struct pass_shape<4, Places> {
    enum { THREADS = 384, EACH = Places ? 17 : 18, BLOCKS = Places ? 2 : 3 };
};
template <bool Places> struct pass_shape<8, Places> {
    enum { THREADS = 384, EACH = 15, BLOCKS = 2 };
};
template <bool Places> struct pass_shape<16, Places> {
    enum { THREADS = 256, EACH = 8, BLOCKS = 2 };
};

template <class C> struct pass_digit {
    const gndi_sort_rule &rule;
    int pass;
    __device__ __forceinline__ uint32_t Digit(typename C::Key key) const {
        return digit_of<C>(rule, key, pass);
    }
};

enum : uint32_t { LOOK_TILE = 1u << 30, LOOK_ALL = 2u << 30, LOOK_VALUE = LOOK_TILE - 1 };

GNDI_FN void tell(uint32_t *look, uint32_t value) {
    *(volatile uint32_t *)look = value;
}

/* What the tiles before this one of its row have of a thread's digit; tells the tiles behind it. */
GNDI_FN uint32_t look_back(uint32_t *looks, uint32_t tile, uint32_t digit, uint32_t own) {
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

template <class C, bool Places> struct pass_block {
    typedef typename C::Key Key;
    typedef pass_shape<sizeof(Key), Places> shape;
    enum {
        THREADS = shape::THREADS,
        EACH = shape::EACH,
        TILE = THREADS * EACH,
        WARP_ITEMS = 32 * EACH
    };
    typedef cub::BlockRadixRankMatchEarlyCounts<THREADS, 8, false, cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                                cub::WARP_MATCH_ANY, 1>
        Rank;
    static_assert(Rank::BINS_TRACKED_PER_THREAD == 1, "a digit a thread");
    struct storage {
        union {
            Key keys[TILE];
            uint32_t positions[Places ? TILE : 1];
            typename Rank::TempStorage rank;
        };
        int64_t offset[DIGITS]; /* from an element's rank in the tile to its place in the row */
        uint32_t number;
    };

    const gndi_sort_radix &p;
    storage &s;
    int64_t row, first; /* of the tile: in its row */
    uint32_t tile;
    int left; /* elements in the tile */
    int from, to;

    /* Where in the tile a thread's element u is: a warp has neighbours. */
    __device__ __forceinline__ int place(int u) const {
        return threadIdx.x / 32 * WARP_ITEMS + u * 32 + threadIdx.x % 32;
    }

    __device__ __forceinline__ const char *source(const decltype(gndi_sort_plan::in) &operand) {
        return operand.data + row_offset(p.plan, operand.stride, p.first_row + row) +
               first * operand.step;
    }

    __device__ __forceinline__ void load_from(const char *base, int64_t step, Key (&key)[EACH]) {
        if (left == TILE && step == (int64_t)sizeof(Key)) {
            const char *own = base + place(0) * sizeof(Key);
#pragma unroll
            for (int u = 0; u < EACH; u++) key[u] = load_at<Key>(own + u * 32 * sizeof(Key));
        } else {
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (place(u) < left) key[u] = load_at<Key>(base + place(u) * step);
        }
    }

    __device__ __forceinline__ void load_keys(Key (&key)[EACH]) {
        const gndi_sort_plan &plan = p.plan;
        if (from != GNDI_SORT_OPERAND) {
            const gndi_sort_scratch &scratch = p.scratch[from - GNDI_SORT_FIRST];
            load_from(scratch.keys + row * scratch.key_step + first * (int64_t)sizeof(Key),
                      sizeof(Key), key);
        } else if (Places && p.gathers) {
            const char *start = source(plan.start);
            const char *in = plan.in.data + row_offset(plan, plan.in.stride, p.first_row + row);
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (place(u) < left)
                    key[u] = load_at<Key>(
                        in + load_at<int64_t>(start + place(u) * plan.start.step) * plan.in.step);
        } else {
            load_from(source(plan.in), plan.in.step, key);
        }
        if (from == GNDI_SORT_OPERAND) {
#pragma unroll
            for (int u = 0; u < EACH; u++) key[u] = C::encode(p.rule, key[u]);
        }
        if (left < TILE) {
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (place(u) >= left) key[u] = C::highest(p.rule);
        }
    }

    /* The positions that go with the keys, to the places of shared memory where the keys were. */
    __device__ __forceinline__ void stage_positions(const int (&rank)[EACH]) {
        const gndi_sort_plan &plan = p.plan;
        if (from != GNDI_SORT_OPERAND) {
            const gndi_sort_scratch &scratch = p.scratch[from - GNDI_SORT_FIRST];
            const char *base = scratch.positions + row * scratch.position_step + first * 4;
            uint32_t position[EACH];
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (place(u) < left) position[u] = load_at<uint32_t>(base + place(u) * 4);
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (place(u) < left) s.positions[rank[u]] = position[u];
        } else if (plan.start.data) {
            const char *base = source(plan.start);
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (place(u) < left)
                    s.positions[rank[u]] =
                        (uint32_t)load_at<int64_t>(base + place(u) * plan.start.step);
        } else {
            __syncthreads();
#pragma unroll
            for (int u = 0; u < EACH; u++)
                if (place(u) < left) s.positions[rank[u]] = (uint32_t)(first + place(u));
        }
        __syncthreads();
    }

    /* body(i, where in the row) for the tile's elements in the order of their ranks. */
    template <class Body> __device__ __forceinline__ void each_ranked(const Body &body) {
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
        const gndi_sort_plan &plan = p.plan;
        const bool last = to == GNDI_SORT_OPERAND;
        const bool wanted = !last || plan.out.data;
        int64_t step = sizeof(Key);
        char *base;
        if (last) {
            base = plan.out.data + row_offset(plan, plan.out.stride, p.first_row + row),
            step = plan.out.step;
        } else {
            const gndi_sort_scratch &scratch = p.scratch[to - GNDI_SORT_FIRST];
            base = scratch.keys + row * scratch.key_step;
        }
        const int pass = p.pass;
        if (!last) {
            each_ranked([&](int u, int i) {
                const Key key = s.keys[i];
                const uint32_t d = digit_of<C>(p.rule, key, pass);
                if (Places) digit[u] = (uint8_t)d;
                reinterpret_cast<Key *>(base)[i + s.offset[d]] = key;
            });
        } else if (step == (int64_t)sizeof(Key) && sizeof(Key) < 16) {
            each_ranked([&](int u, int i) {
                const Key key = s.keys[i];
                const uint32_t d = digit_of<C>(p.rule, key, pass);
                if (Places) digit[u] = (uint8_t)d;
                if (wanted) reinterpret_cast<Key *>(base)[i + s.offset[d]] = C::decode(p.rule, key);
            });
        } else {
            each_ranked([&](int u, int i) {
                const Key key = s.keys[i];
                const uint32_t d = digit_of<C>(p.rule, key, pass);
                if (Places) digit[u] = (uint8_t)d;
                if (wanted) store_at(base + (i + s.offset[d]) * step, C::decode(p.rule, key));
            });
        }
    }

    __device__ __forceinline__ void store_positions(const uint8_t (&digit)[EACH]) {
        const gndi_sort_plan &plan = p.plan;
        if (to != GNDI_SORT_OPERAND) {
            const gndi_sort_scratch &scratch = p.scratch[to - GNDI_SORT_FIRST];
            uint32_t *base =
                reinterpret_cast<uint32_t *>(scratch.positions + row * scratch.position_step);
            each_ranked([&](int u, int i) { base[i + s.offset[digit[u]]] = s.positions[i]; });
        } else {
            char *base = plan.places.data + row_offset(plan, plan.places.stride, p.first_row + row);
            const int64_t step = plan.places.step;
            each_ranked([&](int u, int i) {
                store_at(base + (i + s.offset[digit[u]]) * step, (int64_t)s.positions[i]);
            });
        }
    }

    __device__ __forceinline__ void run() {
        Key key[EACH];
        int rank[EACH], before[1], own = 0;
        uint32_t *looks = p.looks + row * p.row_tiles * DIGITS;
        load_keys(key);
        Rank(s.rank).RankKeys(key, rank, pass_digit<C>{p.rule, p.pass}, before,
                              tell_counts<1>{looks + (int64_t)tile * DIGITS, own});
        __syncthreads();
#pragma unroll
        for (int u = 0; u < EACH; u++) s.keys[rank[u]] = key[u];
        if (threadIdx.x < DIGITS) {
            const uint32_t digit = threadIdx.x;
            const int64_t at = (row * p.passes + p.pass) * DIGITS + digit;
            const int64_t begin = (int64_t)p.bins[at];
            const int64_t here = begin + look_back(looks, tile, digit, (uint32_t)own);
            s.offset[digit] = here - before[0];
            if (p.more && tile == p.row_tiles - 1)
                p.bins_after[at] = (unsigned long long)(here + own);
        }
        __syncthreads();
        uint8_t digit[EACH];
        store_keys(digit);
        if constexpr (Places) {
            stage_positions(rank);
            store_positions(digit);
        }
    }
};

/* row_tiles blocks for each row. */
template <class C, bool Places> __global__ void
__launch_bounds__(pass_block<C, Places>::THREADS, pass_block<C, Places>::shape::BLOCKS)
    radix_pass(const __grid_constant__ gndi_sort_radix p) {
    typedef pass_block<C, Places> block;
    __shared__ typename block::storage s;
    uint32_t role = p.role[p.pass]; /* early, for a single row */
    if (threadIdx.x == 0) s.number = atomicAdd(p.counter, 1u);
    __syncthreads();
    const uint32_t number = s.number;
    for (int64_t i = (int64_t)number * block::THREADS + threadIdx.x; i < p.next_words;
         i += (int64_t)gridDim.x * block::THREADS)
        p.next_looks[i] = 0;
    const uint32_t row = p.plan.rows == 1 ? 0 : number / p.row_tiles;
    if (row) role = p.role[(int64_t)row * GNDI_SORT_MOST_PASSES + p.pass];
    if (role == GNDI_SORT_SKIPPED) return;
    const uint32_t tile = number - row * p.row_tiles;
    const int64_t at = (int64_t)tile * block::TILE;
    const int left = (int)(p.count - at < block::TILE ? p.count - at : (int64_t)block::TILE);
    block{p, s, row, p.first + at, tile, left, (int)(role & 3), (int)(role >> 2)}.run();
}

} // namespace gnd

#endif
