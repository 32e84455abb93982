/*
 * order_ranks.hpp: the element of a rank in windows that are too large for networks.
 *
 * lanes  Windows of one row. A row of outputs is cut into as many stretches as a vector has keys, and each lane slides
 *        along its own: a sorted window in vectors, in which one pass over it drops the oldest key and inserts the new
 *        one, with no branches.
 * ranks  Any window. The keys of some neighbouring windows are sorted once, which numbers them. A window is then a set
 *        of numbers, a bit each, and going on by one clears and sets a bit for each stretch of the window that is one
 *        element wide. The word with the element of the rank moves little from one window to the next.
 */
#include "convolve/cpu/order_loops.h"
#include "convolve/order_select.h"
#ifdef __AVX512F__
#    include <immintrin.h> /* pdep, which is quick on all processors with AVX-512 */
#endif

namespace gnd {

#if defined __AVX512BW__
enum { ORDER_REGISTER = 64 };
#elif defined __AVX2__
enum { ORDER_REGISTER = 32 };
#else
enum { ORDER_REGISTER = 16 };
#endif

/* ---- lanes ------------------------------------------------------------------------------------ */

template <class K> constexpr K lowest_key = (K)((uint64_t)1 << (8 * sizeof(K) - 1));
#define GNDI_MEMBER inline __attribute__((always_inline))

template <class K> struct order_lanes {
    static constexpr int64_t lanes = ORDER_REGISTER / (int)sizeof(K);
    typedef K V __attribute__((vector_size(ORDER_REGISTER), may_alias));

    /* A key more in n sorted ones. */
    GNDI_FN void insert(V *sorted, int64_t n, const V &key) {
        V fresh = key;
        for (int64_t e = 0; e < n; e++) order_pair(sorted[e], fresh);
        sorted[n] = fresh;
    }
    /* A pass over sorted keys that drops one of them and inserts another. Without the old one, the keys behind it move
       down; then each key is the middle one of its lower neighbour, itself and the new key. */
    struct exchange {
        const V &old, &fresh;
        V key, lower;
        GNDI_MEMBER exchange(const V &o, const V &f, const V &first)
            : old(o), fresh(f), key(first), lower(V{} + lowest_key<K>) {}
        GNDI_MEMBER void step(const V &next, V &to) {
            const V left = key < old ? key : next, low = left < fresh ? left : fresh;
            key = next;
            to = lower < low ? low : lower;
            lower = left;
        }
        GNDI_MEMBER void end(V &to) const { to = lower < fresh ? fresh : lower; }
    };
    GNDI_FN void exchange_one(V *sorted, int64_t n, const V *x) {
        exchange pass(x[0], x[n], sorted[0]);
        for (int64_t e = 1; e < n; e++) pass.step(sorted[e], sorted[e - 1]);
        pass.end(sorted[n - 1]);
    }
    /* Two exchanges in one pass; what is at `rank` between them, which is neither the first key nor the last. */
    GNDI_FN void exchange_two(V *sorted, int64_t n, const V *x, int64_t rank, V &between) {
        exchange pass(x[0], x[n], sorted[0]);
        V key;
        pass.step(sorted[1], key);
        exchange second(x[1], x[n + 1], key);
        int64_t e = 2;
        for (; e < rank + 2; e++) {
            pass.step(sorted[e], key);
            second.step(key, sorted[e - 2]);
        }
        between = key;
        for (; e < n; e++) {
            pass.step(sorted[e], key);
            second.step(key, sorted[e - 2]);
        }
        pass.end(key);
        second.step(key, sorted[n - 2]);
        second.end(sorted[n - 1]);
    }

    /* Lane l has outputs l * block and on. `work`: the row by lanes, which outputs replace, and the sorted window. */
    static void run(const gndi_cpu_order_run *r) {
        const int64_t block = gndi_order_lane(r->n, lanes), taps = r->taps, length = block + taps - 1;
        const K *row = (const K *)r->row[0];
        K *by_lanes = (K *)r->work, *out = (K *)r->out;
        V *x = (V *)r->work, *sorted = x + length;
        for (int64_t l = 0; l < lanes; l++)
            for (int64_t i = 0; i < length; i++) by_lanes[i * lanes + l] = row[l * block + i];
        for (int64_t e = 0; e < taps; e++) insert(sorted, e, x[e]);
        int64_t i = 0;
        for (; i + 2 < block; i += 2) {
            const V median = sorted[r->rank];
            V between;
            exchange_two(sorted, taps, x + i, r->rank, between);
            x[i] = median, x[i + 1] = between;
        }
        for (; i < block; i++) {
            const V median = sorted[r->rank];
            if (i + 1 < block) exchange_one(sorted, taps, x + i);
            x[i] = median;
        }
        for (int64_t l = 0; l < lanes; l++)
            for (i = 0; i < block; i++) out[l * block + i] = by_lanes[i * lanes + l];
    }
};

#undef GNDI_MEMBER

/* ---- ranks ------------------------------------------------------------------------------------ */

/* The position of bit k, counted from 0, among those that are set. Without pdep by sums in bytes: how many of 8 bytes
   have, with those below them, no more bits than k; and the same for the bits of the next byte, each in a byte of its
   own (Vigna, Broadword implementation of rank/select queries, 2008). */
GNDI_FN int order_bit(uint64_t word, int64_t k) {
#ifdef __AVX512F__
    return __builtin_ctzll(_pdep_u64((uint64_t)1 << k, word));
#else
    constexpr uint64_t ones = 0x0101010101010101u, tops = 0x80 * ones;
    uint64_t sums = word - ((word >> 1) & 0x55 * ones);
    sums = (sums & 0x33 * ones) + ((sums >> 2) & 0x33 * ones);
    sums = ((sums + (sums >> 4)) & 0x0f * ones) * ones;
    const int below = 8 * __builtin_popcountll((((uint64_t)k * ones | tops) - sums) & tops);
    const uint64_t rest = (uint64_t)k - (sums << 8 >> below & 0xff);
    const uint64_t bits = (word >> below & 0xff) * ones & 0x8040201008040201u;
    const uint64_t counts = ((bits + 0x7f * ones) >> 7 & ones) * ones;
    return below + __builtin_popcountll(((rest * ones | tops) - counts) & tops);
#endif
}

template <class K, class U> struct order_ranks {
    /* Keys, and items: half an item is a part of the key, the other half says which key. */
    const gndi_cpu_order_run *r;
    uint64_t *items, *spare, *bits;
    K *keys;
    uint32_t *rank, *counts;
    int64_t n, length, width; /* keys; of a row; from one row to the next */

    explicit order_ranks(const gndi_cpu_order_run *run) : r(run) {
        width = r->block + r->taps - 1;
        const int64_t most = r->rows * width;
        items = (uint64_t *)r->work, spare = items + most, bits = spare + most;
        keys = (K *)(bits + most / 64 + 1);
        rank = (uint32_t *)(keys + gndi_order_padded(most)), counts = rank + gndi_order_padded(most);
    }

    /* ---- sorting ------------------------------------------------------------------------------ */

    /* The lowest key and the highest. */
    void find_range(K &low, K &high) const {
        low = high = keys[0];
        for (int64_t row = 0; row < r->rows; row++) {
            const K *x = keys + row * width;
            for (int64_t i = 0; i < length; i++) low = x[i] < low ? x[i] : low, high = high < x[i] ? x[i] : high;
        }
    }
    /* Items in the keys' positions, each with its key less `low` from bit `shift` on. */
    void make_items(U low, int shift) {
        for (int64_t row = 0; row < r->rows; row++) {
            const K *x = keys + row * width;
            uint64_t *to = items + row * length;
            const uint32_t first = (uint32_t)(row * width);
            for (int64_t i = 0; i < length; i++)
                to[i] = (uint64_t)(uint32_t)((U)((U)x[i] - low) >> shift) << 32 | (uint32_t)(first + (uint32_t)i);
        }
    }
    /* The same in the items' order. */
    void renew_items(U low, int shift) {
        for (int64_t i = 0; i < n; i++) {
            const uint32_t which = (uint32_t)items[i];
            items[i] = (uint64_t)(uint32_t)((U)((U)keys[which] - low) >> shift) << 32 | which;
        }
    }
    /* Items in the order of the lowest bits of their keys, by counting. */
    void sort_digits(int key_bits, int digit) {
        const uint64_t mask = ((uint64_t)1 << digit) - 1;
        for (int shift = 32; shift < 32 + key_bits; shift += digit) {
            __builtin_memset(counts, 0, (mask + 1) * sizeof *counts);
            for (int64_t i = 0; i < n; i++) counts[items[i] >> shift & mask]++;
            uint32_t sum = 0;
            for (uint64_t d = 0; d <= mask; d++) {
                const uint32_t count = counts[d];
                counts[d] = sum, sum += count;
            }
            for (int64_t i = 0; i < n; i++) spare[counts[items[i] >> shift & mask]++] = items[i];
            uint64_t *sorted = spare;
            spare = items, items = sorted;
        }
    }
    /* Mends an order by the highest bits; false if that takes long. */
    bool mend() {
        int64_t moves = 4 * n;
        for (int64_t i = 1; i < n && moves >= 0; i++) {
            const uint64_t item = items[i];
            if (item >> 32 != items[i - 1] >> 32) continue;
            const K key = keys[(uint32_t)item];
            int64_t at = i;
            for (; at > 0 && key < keys[(uint32_t)items[at - 1]]; at--) items[at] = items[at - 1];
            items[at] = item, moves -= i - at;
        }
        return moves >= 0;
    }
    /* By the highest bits, in which most keys differ; if many do not, by all. */
    void sort() {
        K low, high;
        find_range(low, high);
        const U range = (U)((U)high - (U)low);
        const int all = range ? 64 - __builtin_clzll((uint64_t)range) : 0;
        const int digit = n < GNDI_ORDER_FEW ? 8 : GNDI_ORDER_DIGIT, most = n < GNDI_ORDER_FEW ? 24 : 32;
        const int first = all < most ? all : most;
        make_items((U)low, all - first);
        sort_digits(first, digit);
        if (first == all || mend()) return;
        for (int shift = 0; shift < all; shift += 32) {
            renew_items((U)low, shift);
            sort_digits(all - shift < 32 ? all - shift : 32, digit);
        }
    }

    /* ---- sliding ------------------------------------------------------------------------------ */

    void put(uint32_t at) { bits[at / 64] |= (uint64_t)1 << at % 64; }
    void drop(uint32_t at) { bits[at / 64] &= ~((uint64_t)1 << at % 64); }

    template <bool ONE> void slide(int64_t outputs, K *out) {
        const int64_t runs = ONE ? 1 : r->runs, *first = r->first, *behind = r->behind;
        int64_t word = 0, before = 0; /* keys of the window in the words before it */
        for (int64_t i = 0;;) {
            while (before > r->rank) before -= __builtin_popcountll(bits[--word]);
            for (int64_t count; before + (count = __builtin_popcountll(bits[word])) <= r->rank; word++) before += count;
            out[i] = keys[(uint32_t)items[word * 64 + order_bit(bits[word], r->rank - before)]];
            if (++i == outputs) return;
            for (int64_t k = 0; k < runs; k++) {
                const uint32_t old = rank[first[k] + i - 1], fresh = rank[behind[k] + i - 1];
                drop(old), put(fresh);
                before += (fresh / 64 < (uint64_t)word) - (old / 64 < (uint64_t)word);
            }
        }
    }

    /* Outputs begin .. begin + outputs - 1. */
    void block(int64_t begin, int64_t outputs) {
        length = outputs + r->taps - 1, n = r->rows * length;
        for (int64_t row = 0; row < r->rows; row++)
            __builtin_memcpy(keys + row * width, (const K *)r->row[row] + begin, (size_t)length * sizeof(K));
        sort();
        for (int64_t i = 0; i < n; i++) rank[(uint32_t)items[i]] = (uint32_t)i;
        __builtin_memset(bits, 0, (size_t)(n / 64 + 1) * sizeof *bits);
        for (int64_t k = 0; k < r->runs; k++)
            for (int64_t e = r->first[k]; e < r->behind[k]; e++) put(rank[e]);
        K *out = (K *)r->out + begin;
        if (r->runs == 1)
            slide<true>(outputs, out);
        else
            slide<false>(outputs, out);
    }

    static void run(const gndi_cpu_order_run *r) {
        order_ranks all(r);
        for (int64_t begin = 0; begin < r->n; begin += r->block)
            all.block(begin, r->n - begin < r->block ? r->n - begin : r->block);
    }
};

} // namespace gnd
