/*
 * random_engines.h: the generators' interface to the samplers: a source of 32-bit words for one
 * element. The same code is compiled for the CPU and for CUDA, so the words agree to the bit.
 *
 * A sampler is a class template over the type T of its result (float or double; discrete ones are
 * instantiated with double), in random_<family>.h. Its constructor takes the parameters and computes what
 * depends only on them; `draw` then makes elements:
 *
 *     template <class T> struct random_pareto {
 *         T power;
 *         GNDI_FN bool valid(T a) { return a > 0; }                 // false for NaN
 *         GNDI_METHOD explicit random_pareto(T a) : power(1 / a) {}
 *         template <class Source> GNDI_METHOD T draw(Source &source) const {
 *             return m::expm1(exponential<T>(source) * power);
 *         }
 *     };
 *
 * `source.next()` returns the next word of the element. There is no limit to them, and no other element uses
 * them, however many a sampler takes. A constructor has no source, and cannot take words.
 */
#ifndef GNDI_RANDOM_ENGINES_H
#define GNDI_RANDOM_ENGINES_H

#include "random/random_plan.h"
#include "kernels/scalar/scalar_math.h"

/* GNDI_METHOD: a constructor or a method of an object, inline everywhere. GNDI_METHOD_HEAVY: a long one. */
#if defined(__CUDACC__)
#    define GNDI_METHOD __device__ __forceinline__
#    define GNDI_METHOD_HEAVY __device__ __noinline__
#else
#    define GNDI_METHOD inline __attribute__((always_inline))
#    define GNDI_METHOD_HEAVY __attribute__((noinline))
#endif

namespace gnd {

/* A generator's state: as the host knows it, advanced by the cell if there is one. */
GNDI_FN gndi_random_state state_of(const gndi_random_engine &e) {
    gndi_random_state s = e.state;
    if (e.cell) {
        s.key = e.cell->key, s.stream = e.cell->stream;
        s.position += e.cell->position;
    }
    return s;
}

/* ---- Philox --------------------------------------------------------------------------------- */

/*
 * Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3, SC11): a
 * bijection of 128 bits, the counter, under a key of 64. Here the counter is the number of the block
 * of four words, the attempt and the stream.
 */
struct philox_block {
    uint32_t word[4];
};

GNDI_FN uint32_t high_product(uint32_t a, uint32_t b) {
    return (uint32_t)(((uint64_t)a * b) >> 32);
}

/* Both halves of a product: on the device one instruction, where nvcc would generate two. */
GNDI_FN void wide_product(uint32_t a, uint32_t b, uint32_t *low, uint32_t *high) {
#if GNDI_ON_DEVICE
    asm("{\n\t.reg .b64 product;\n\tmul.wide.u32 product, %2, %3;\n\tmov.b64 {%0, %1}, "
        "product;\n\t}"
        : "=r"(*low), "=r"(*high)
        : "r"(a), "r"(b));
#else
    const uint64_t product = (uint64_t)a * b;
    *low = (uint32_t)product, *high = (uint32_t)(product >> 32);
#endif
}

/* The keys of the ten rounds. */
struct philox_keys {
    uint32_t a[10], b[10];

    GNDI_METHOD explicit philox_keys(uint64_t key) {
        for (int round = 0; round < 10; round++) {
            a[round] = (uint32_t)key + (uint32_t)round * 0x9E3779B9u;
            b[round] = (uint32_t)(key >> 32) + (uint32_t)round * 0xBB67AE85u;
        }
    }
    /* Keeps them in registers: nvcc would compute them again for every block of words. */
    GNDI_METHOD void pin() {
#if GNDI_ON_DEVICE
#    pragma unroll
        for (int round = 0; round < 10; round++) asm volatile("" : "+r"(a[round]), "+r"(b[round]));
#endif
    }
};

GNDI_FN philox_block philox(const philox_keys &key, uint64_t block, uint32_t attempt, uint32_t stream) {
    uint32_t c0 = (uint32_t)block, c1 = (uint32_t)(block >> 32), c2 = attempt, c3 = stream;
#if GNDI_ON_DEVICE
#    pragma unroll
#endif
    for (int round = 0; round < 10; round++) {
        uint32_t low0, high0, low1, high1;
        wide_product(0xD2511F53u, c0, &low0, &high0);
        wide_product(0xCD9E8D57u, c2, &low1, &high1);
        c0 = high1 ^ c1 ^ key.a[round], c1 = low1;
        c2 = high0 ^ c3 ^ key.b[round], c3 = low0;
    }
    return philox_block{{c0, c1, c2, c3}};
}
GNDI_FN philox_block philox(uint64_t key, uint64_t block, uint32_t attempt, uint32_t stream) {
    return philox(philox_keys(key), block, attempt, stream);
}

/* The words of an element: `own` of them (1, 2 or 4) in a block, from an offset that is a multiple of
   `own`; then those at the same offset in the next attempts. */
struct philox_source {
    uint64_t key, block;
    uint32_t stream, attempt, offset, own;
    uint32_t left;    /* of this attempt */
    uint32_t word[4]; /* the next one first: the rest is shifted, so that they stay in registers */

    /* The element whose words start at `position`. */
    GNDI_METHOD philox_source(const gndi_random_state &s, uint64_t position, uint32_t words)
        : key(s.key), block(position >> 2), stream(s.stream), attempt(0), offset((uint32_t)position & 3), own(words),
          left(words) {
        load(philox(key, block, 0, stream));
    }
    /* The same, with its block already computed. */
    GNDI_METHOD philox_source(const gndi_random_state &s, uint64_t position, uint32_t words, const philox_block &first)
        : key(s.key), block(position >> 2), stream(s.stream), attempt(0), offset((uint32_t)position & 3), own(words),
          left(words) {
        load(first);
    }
    GNDI_METHOD void load(const philox_block &b) {
        const bool two = offset & 2, one = offset & 1;
        const uint32_t w0 = two ? b.word[2] : b.word[0], w1 = two ? b.word[3] : b.word[1];
        word[0] = one ? w1 : w0, word[1] = w1, word[2] = b.word[2], word[3] = b.word[3];
    }
    GNDI_METHOD uint32_t words() const { return own; } /* of an attempt */
    GNDI_METHOD uint32_t next() {
        if (left == 0) {
            load(philox(key, block, ++attempt, stream));
            left = own;
        }
        const uint32_t w = word[0];
        word[0] = word[1], word[1] = word[2], word[2] = word[3];
        left--;
        return w;
    }
};

/* ---- the others ----------------------------------------------------------------------------- */

/* One step of xorwow (Marsaglia, Xorshift RNGs, 2003): x, y, z, w, v and the counter d. */
GNDI_FN uint32_t xorwow_step(uint32_t *s) {
    const uint32_t t = s[0] ^ (s[0] >> 2);
    s[0] = s[1], s[1] = s[2], s[2] = s[3], s[3] = s[4];
    s[4] = (s[4] ^ (s[4] << 4)) ^ (t ^ (t << 1));
    s[5] += 362437u;
    return s[4] + s[5];
}

/* One step of MRG32k3a (L'Ecuyer, Good parameters and implementations for combined multiple recursive
   random number generators, 1999): a number below m1 = 2^32 - 209. */
GNDI_FN uint32_t mrg32k3a_step(uint32_t *s) {
    const uint64_t m1 = 4294967087u, m2 = 4294944443u;
    const uint64_t p = (1403580u * (uint64_t)s[1] + 810728u * (m1 - s[0])) % m1;
    const uint64_t q = (527612u * (uint64_t)s[5] + 1370589u * (m2 - s[3])) % m2;
    s[0] = s[1], s[1] = s[2], s[2] = (uint32_t)p;
    s[3] = s[4], s[4] = s[5], s[5] = (uint32_t)q;
    return (uint32_t)(p >= q ? p - q : p + m1 - q);
}

/* A coordinate of a Sobol sequence as 64 bits: its point's Gray code selects the direction numbers. */
GNDI_FN uint64_t sobol_value(const uint64_t *numbers, int64_t dimensions, uint64_t coordinate) {
    const uint64_t point = coordinate / (uint64_t)dimensions;
    const uint64_t *v = numbers + coordinate % (uint64_t)dimensions * (GNDI_SOBOL_BITS + 1);
    uint64_t value = v[GNDI_SOBOL_BITS];
    for (uint64_t gray = point ^ (point >> 1); gray; gray >>= 1, v++)
        if (gray & 1) value ^= *v;
    return value;
}

/*
 * The words of the other generators, in one source, so that each distribution has one kernel for all of
 * them. A state generates the words of its elements, one element after the other. A Sobol element's first two
 * words are its coordinate; further ones are pseudo-random, from Philox.
 */
struct other_source {
    uint32_t kind, own, used, stream;
    uint32_t s[GNDI_STATE_WORDS]; /* the state's words, or words of Philox, the next one first */
    uint64_t key, coordinate, value;

    GNDI_METHOD other_source() {}
    GNDI_METHOD other_source(const gndi_random_engine &e, uint32_t words)
        : kind(e.state.kind), own(words), used(0), stream(e.state.stream), key(e.state.key), coordinate(0), value(0) {
        for (int i = 0; i < GNDI_STATE_WORDS; i++) s[i] = 0;
    }
    GNDI_METHOD void load(const uint32_t *states, int64_t index) {
        for (int i = 0; i < GNDI_STATE_WORDS; i++) s[i] = states[i * GNDI_RANDOM_STATES + index];
    }
    GNDI_METHOD void store(uint32_t *states, int64_t index) const {
        for (int i = 0; i < GNDI_STATE_WORDS; i++) states[i * GNDI_RANDOM_STATES + index] = s[i];
    }
    /* Sobol: begins the element of this coordinate. */
    GNDI_METHOD void begin(const gndi_random_engine &e, uint64_t at) {
        coordinate = at, used = 0;
        value = sobol_value(e.sobol, e.dimensions, at);
    }
    GNDI_METHOD uint32_t words() const { return own; }
    GNDI_METHOD uint32_t next() {
        if (kind == GNDI_XORWOW) return xorwow_step(s);
        if (kind == GNDI_MRG32K3A) return mrg32k3a_step(s);
        if (used < 2) return (uint32_t)(used++ ? value : value >> 32);
        if (((used - 2) & 3) == 0) {
            const philox_block more = philox(key, coordinate, (used - 2) / 4, ~stream);
            for (int i = 0; i < 4; i++) s[i] = more.word[i];
        }
        const uint32_t w = s[0];
        s[0] = s[1], s[1] = s[2], s[2] = s[3];
        used++;
        return w;
    }
};

/* ---- words to numbers ----------------------------------------------------------------------- */

/* 64 bits, the first word the high ones. */
template <class Source> GNDI_FN uint64_t next64(Source &source) {
    const uint64_t high = source.next();
    return high << 32 | source.next();
}

/* Uniform over [0, 1): 24 bits of one word, 53 of two. */
template <class T, class Source> GNDI_FN T unit(Source &source) {
    if constexpr (is_same<T, float>) {
        return (float)(source.next() >> 8) * 0x1p-24f;
    } else {
        return (double)(next64(source) >> 11) * 0x1p-53;
    }
}

/* Uniform over (0, 1]: the domain of a logarithm. */
template <class T, class Source> GNDI_FN T unit_above_zero(Source &source) {
    if constexpr (is_same<T, float>) {
        return (float)((source.next() >> 8) + 1) * 0x1p-24f;
    } else {
        return (double)((next64(source) >> 11) + 1) * 0x1p-53;
    }
}

/* Uniform over (0, 1): the middles of 2^23 or 2^52 equal parts. */
template <class T, class Source> GNDI_FN T unit_inside(Source &source) {
    if constexpr (is_same<T, float>) {
        return ((float)(source.next() >> 9) + 0.5f) * 0x1p-23f;
    } else {
        return ((double)(next64(source) >> 12) + 0.5) * 0x1p-52;
    }
}

} // namespace gnd

#endif
