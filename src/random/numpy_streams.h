/*
 * numpy_streams.h: NumPy's bit generators, by their sources' algorithms, and the seeds that its SeedSequence makes.
 *
 * PCG64, PCG64DXSM   O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random
 *                    number generation, 2014: a linear congruential generator of 128 bits, and two output functions
 * MT19937            Matsumoto and Nishimura, Mersenne twister, 1998
 * SFC64              Doty-Humphrey's small fast chaotic generator (PractRand)
 * Philox             Philox4x64-10; Salmon and others, Parallel random numbers: as easy as 1, 2, 3, SC11
 */
#ifndef GNDI_NUMPY_STREAMS_H
#define GNDI_NUMPY_STREAMS_H

#include <gnd/random.h>
#include <stdbool.h>
#include <stdint.h>

typedef unsigned __int128 gndi_uint128;

enum { GNDI_MT_WORDS = 624, GNDI_MT_MIDDLE = 397, GNDI_PHILOX_BUFFER = 4 };

typedef struct gndi_numpy_stream {
    gnd_numpy_kind kind;
    bool has_half; /* the upper half of a word is left, the next number of 32 bits */
    uint32_t half;
    union {
        struct {
            gndi_uint128 state, increment;
        } pcg;
        uint64_t sfc[4];
        struct {
            uint64_t counter[4], key[2], buffer[GNDI_PHILOX_BUFFER];
            int used;
        } philox;
        struct {
            uint32_t key[GNDI_MT_WORDS];
            int used;
        } mt;
    };
} gndi_numpy_stream;

/* The stream of numpy.random.Generator(KIND(seed)), or of child number `child` of its seed sequence; -1: none. */
void gndi_numpy_seed(gndi_numpy_stream *s, gnd_numpy_kind kind, uint64_t seed, int64_t child);

/* Whether a stream can skip words, as gndi_numpy_advance does: NumPy's advance, which forgets a half. */
static inline bool gndi_numpy_jumps(gnd_numpy_kind kind) {
    return kind == GND_NUMPY_PCG64 || kind == GND_NUMPY_PCG64DXSM || kind == GND_NUMPY_PHILOX;
}
void gndi_numpy_advance(gndi_numpy_stream *s, uint64_t count);
/* Skips `count` words of 64 bits, whatever has been used of a block. */
void gndi_numpy_skip(gndi_numpy_stream *s, uint64_t count);

/* The next number of MT19937. */
uint32_t gndi_numpy_twister(gndi_numpy_stream *s);
/* The next 64 and 32 bits. */
uint64_t gndi_numpy_next(gndi_numpy_stream *s);
static inline uint32_t gndi_numpy_next32(gndi_numpy_stream *s) {
    if (s->has_half) {
        s->has_half = false;
        return s->half;
    }
    if (s->kind == GND_NUMPY_MT19937) return gndi_numpy_twister(s);
    const uint64_t word = gndi_numpy_next(s);
    s->has_half = true, s->half = (uint32_t)(word >> 32);
    return (uint32_t)word;
}
/* In [0, 1), of 53 and 24 bits. */
static inline double gndi_numpy_double(gndi_numpy_stream *s) {
    if (s->kind == GND_NUMPY_MT19937) {
        const uint32_t high = gndi_numpy_next32(s) >> 5, low = gndi_numpy_next32(s) >> 6;
        return (high * 67108864.0 + low) / 9007199254740992.0;
    }
    return (double)(gndi_numpy_next(s) >> 11) * (1 / 9007199254740992.0);
}
static inline float gndi_numpy_float(gndi_numpy_stream *s) {
    return (float)(gndi_numpy_next32(s) >> 8) * (1 / 16777216.0f);
}

#endif
