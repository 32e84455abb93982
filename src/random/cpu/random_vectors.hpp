/*
 * random_vectors.hpp: Philox and the commonest distributions in loops that g++ vectorizes. Included
 * by random_vectors.cpp.in, once an instruction set.
 */
#ifndef GNDI_CPU_RANDOM_VECTORS_HPP
#define GNDI_CPU_RANDOM_VECTORS_HPP

#include "random/cpu/random_loops.h"
#include "random/random_rows.h"

namespace gnd {

/* Blocks in parallel: a vector has one word of each. */
static void philox_words(uint64_t key, uint64_t block, uint32_t stream, uint32_t *words, int64_t count) {
    enum { LANES = GNDI_RANDOM_STEP / 4 };
    for (int64_t at = 0; at < count / 4; at += LANES, words += 4 * LANES) {
        uint32_t c0[LANES], c1[LANES], c2[LANES], c3[LANES];
        for (int i = 0; i < LANES; i++) {
            const uint64_t b = block + (uint64_t)at + (uint64_t)i;
            c0[i] = (uint32_t)b, c1[i] = (uint32_t)(b >> 32), c2[i] = 0, c3[i] = stream;
        }
        uint32_t k0 = (uint32_t)key, k1 = (uint32_t)(key >> 32);
        for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u)
            for (int i = 0; i < LANES; i++) {
                const uint64_t a = (uint64_t)c0[i] * 0xD2511F53u, b = (uint64_t)c2[i] * 0xCD9E8D57u;
                c0[i] = (uint32_t)(b >> 32) ^ c1[i] ^ k0, c1[i] = (uint32_t)b;
                c2[i] = (uint32_t)(a >> 32) ^ c3[i] ^ k1, c3[i] = (uint32_t)a;
            }
        for (int i = 0; i < LANES; i++)
            words[4 * i] = c0[i], words[4 * i + 1] = c1[i], words[4 * i + 2] = c2[i], words[4 * i + 3] = c3[i];
    }
}

/* The words of an element that needs no more than its own, which are consecutive. */
struct listed_source {
    const uint32_t *word;
    GNDI_METHOD uint32_t next() { return *word++; }
};

template <int Distribution, class T>
static void transform(const uint32_t *words, int64_t n, const gndi_random_value *values, void *out) {
    typedef random_maker<Distribution, T> maker;
    constexpr int own = is_same<T, float> ? maker::row::words32 : maker::row::words64;
    const auto sampler = maker::make(values);
    T *to = static_cast<T *>(out);
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        listed_source source = {words + i * own};
        to[i] = sampler.draw(source);
    }
}

template <class S> static bool integers(const uint32_t *words, int64_t n, uint64_t low, uint32_t range, void *out) {
    const uint32_t count = range + 1, few = count ? (0u - count) % count : 0;
    S *to = static_cast<S *>(out);
    uint32_t favours = 0;
    if (count == 0) {
        for (int64_t i = 0; i < n; i++) to[i] = (S)(low + words[i]);
        return true;
    }
#pragma GCC ivdep
    for (int64_t i = 0; i < n; i++) {
        const uint64_t product = (uint64_t)words[i] * count;
        favours |= (uint32_t)product < few;
        to[i] = (S)(low + (product >> 32));
    }
    return !favours;
}

template <int Distribution> static void fill_transform(gndi_cpu_random_vectors *table) {
    table->transform[Distribution][GNDI_RANDOM_FLOAT] = transform<Distribution, float>;
    table->transform[Distribution][GNDI_RANDOM_WIDE] = transform<Distribution, double>;
}

static void fill_random(gndi_cpu_random_vectors *table) {
    table->philox = philox_words;
    table->integers[0] = integers<uint8_t>, table->integers[1] = integers<uint16_t>;
    table->integers[2] = integers<uint32_t>, table->integers[3] = integers<uint64_t>;
    fill_transform<GNDI_RANDOM_random>(table);
    fill_transform<GNDI_RANDOM_uniform>(table);
    fill_transform<GNDI_RANDOM_standard_normal>(table);
    fill_transform<GNDI_RANDOM_normal>(table);
    fill_transform<GNDI_RANDOM_standard_exponential>(table);
    fill_transform<GNDI_RANDOM_exponential>(table);
}

} // namespace gnd

#endif
