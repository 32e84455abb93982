/*
 * numpy_streams.c: NumPy's bit generators and seed sequence.
 */
#include "random/numpy_streams.h"
#include <string.h>

static uint64_t rotated_left(uint64_t x, int by) {
    return x << (by & 63) | x >> (-by & 63);
}
static gndi_uint128 wide(uint64_t high, uint64_t low) {
    return (gndi_uint128)high << 64 | low;
}

/* ---- PCG64 ------------------------------------------------------------------------------------ */

#define CHEAP 0xda942042e4dd58b5u

static gndi_uint128 multiplier(gnd_numpy_kind kind) {
    return kind == GND_NUMPY_PCG64DXSM ? CHEAP : wide(2549297995355413924u, 4865540595714422341u);
}

static void pcg_step(gndi_numpy_stream *s) {
    s->pcg.state = s->pcg.state * multiplier(s->kind) + s->pcg.increment;
}

static uint64_t pcg_next(gndi_numpy_stream *s) {
    if (s->kind == GND_NUMPY_PCG64) { /* XSL-RR of the new state */
        pcg_step(s);
        const uint64_t high = (uint64_t)(s->pcg.state >> 64), low = (uint64_t)s->pcg.state;
        return rotated_left(high ^ low, 64 - (int)(high >> 58));
    }
    uint64_t high = (uint64_t)(s->pcg.state >> 64); /* DXSM of the old one */
    const uint64_t low = (uint64_t)s->pcg.state | 1;
    pcg_step(s);
    high ^= high >> 32, high *= CHEAP, high ^= high >> 48;
    return high * low;
}

/* Brown, Random number generation with arbitrary strides, 1994: `count` steps are one. */
static void pcg_skip(gndi_numpy_stream *s, uint64_t count) {
    gndi_uint128 factor = multiplier(s->kind), add = s->pcg.increment, all_factors = 1, all_added = 0;
    for (; count > 0; count >>= 1) {
        if (count & 1) all_factors *= factor, all_added = all_added * factor + add;
        add *= factor + 1, factor *= factor;
    }
    s->pcg.state = all_factors * s->pcg.state + all_added;
}

/* ---- Philox ----------------------------------------------------------------------------------- */

static void philox_add(gndi_numpy_stream *s, uint64_t blocks) {
    for (int i = 0; i < 4 && blocks > 0; i++) {
        s->philox.counter[i] += blocks;
        blocks = s->philox.counter[i] < blocks;
    }
}

static void philox_fill(gndi_numpy_stream *s) {
    uint64_t c[4], k0 = s->philox.key[0], k1 = s->philox.key[1];
    memcpy(c, s->philox.counter, sizeof c);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B97F4A7C15u, k1 += 0xBB67AE8584CAA73Bu) {
        const gndi_uint128 a = (gndi_uint128)c[0] * 0xD2E7470EE14C6C93u, b = (gndi_uint128)c[2] * 0xCA5A826395121157u;
        c[0] = (uint64_t)(b >> 64) ^ c[1] ^ k0, c[1] = (uint64_t)b;
        c[2] = (uint64_t)(a >> 64) ^ c[3] ^ k1, c[3] = (uint64_t)a;
    }
    memcpy(s->philox.buffer, c, sizeof c);
}

static uint64_t philox_next(gndi_numpy_stream *s) {
    if (s->philox.used == GNDI_PHILOX_BUFFER) {
        philox_add(s, 1);
        philox_fill(s);
        s->philox.used = 0;
    }
    return s->philox.buffer[s->philox.used++];
}

static void philox_skip(gndi_numpy_stream *s, uint64_t count) {
    const uint64_t left = (uint64_t)(GNDI_PHILOX_BUFFER - s->philox.used);
    if (count < left) {
        s->philox.used += (int)count;
        return;
    }
    count -= left;
    philox_add(s, count / GNDI_PHILOX_BUFFER);
    s->philox.used = GNDI_PHILOX_BUFFER;
    if (count % GNDI_PHILOX_BUFFER == 0) return;
    philox_next(s);
    s->philox.used = (int)(count % GNDI_PHILOX_BUFFER);
}

/* ---- the others ------------------------------------------------------------------------------- */

static uint64_t sfc_next(gndi_numpy_stream *s) {
    uint64_t *v = s->sfc;
    const uint64_t out = v[0] + v[1] + v[3]++;
    v[0] = v[1] ^ v[1] >> 11;
    v[1] = v[2] + (v[2] << 3);
    v[2] = rotated_left(v[2], 24) + out;
    return out;
}

static uint32_t twisted(uint32_t upper, uint32_t lower) {
    const uint32_t y = (upper & 0x80000000u) | (lower & 0x7fffffffu);
    return y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
}

uint32_t gndi_numpy_twister(gndi_numpy_stream *s) {
    uint32_t *key = s->mt.key;
    if (s->mt.used == GNDI_MT_WORDS) {
        for (int i = 0; i < GNDI_MT_WORDS; i++)
            key[i] = key[(i + GNDI_MT_MIDDLE) % GNDI_MT_WORDS] ^ twisted(key[i], key[(i + 1) % GNDI_MT_WORDS]);
        s->mt.used = 0;
    }
    uint32_t y = key[s->mt.used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

uint64_t gndi_numpy_next(gndi_numpy_stream *s) {
    switch (s->kind) {
    case GND_NUMPY_MT19937: {
        const uint64_t high = gndi_numpy_twister(s);
        return high << 32 | gndi_numpy_twister(s);
    }
    case GND_NUMPY_SFC64: return sfc_next(s);
    case GND_NUMPY_PHILOX: return philox_next(s);
    default: return pcg_next(s);
    }
}

void gndi_numpy_skip(gndi_numpy_stream *s, uint64_t count) {
    if (s->kind == GND_NUMPY_PHILOX)
        philox_skip(s, count);
    else
        pcg_skip(s, count);
}

/* Philox.advance counts blocks of four words, and begins with a new one. */
void gndi_numpy_advance(gndi_numpy_stream *s, uint64_t count) {
    s->has_half = false;
    if (s->kind != GND_NUMPY_PHILOX) {
        pcg_skip(s, count);
        return;
    }
    philox_add(s, count);
    s->philox.used = GNDI_PHILOX_BUFFER;
}

/* ---- seeds ------------------------------------------------------------------------------------ */

/* numpy.random.SeedSequence: O'Neill's seed_seq_fe128, over a pool of four words. */
enum { POOL = 4, ENTROPY = 8 };

static uint32_t hashed(uint32_t value, uint32_t *constant) {
    value ^= *constant;
    *constant *= 0x931e8875u;
    value *= *constant;
    return value ^ value >> 16;
}
static uint32_t mixed(uint32_t x, uint32_t y) {
    const uint32_t z = x * 0xca01f9ddu - y * 0x4973f715u;
    return z ^ z >> 16;
}

/* A number's words, the lowest first; how many. */
static int words_of(uint64_t number, uint32_t *words) {
    words[0] = (uint32_t)number, words[1] = (uint32_t)(number >> 32);
    return words[1] ? 2 : 1;
}

static void make_pool(uint64_t seed, int64_t child, uint32_t *pool) {
    uint32_t entropy[ENTROPY] = {0}, constant = 0x43b0d7e5u;
    int count = words_of(seed, entropy);
    if (child >= 0) count = POOL + words_of((uint64_t)child, entropy + POOL);
    for (int i = 0; i < POOL; i++) pool[i] = hashed(entropy[i], &constant);
    for (int from = 0; from < POOL; from++)
        for (int to = 0; to < POOL; to++)
            if (from != to) pool[to] = mixed(pool[to], hashed(pool[from], &constant));
    for (int from = POOL; from < count; from++)
        for (int to = 0; to < POOL; to++) pool[to] = mixed(pool[to], hashed(entropy[from], &constant));
}

static void make_words(const uint32_t *pool, uint32_t *words, int count) {
    uint32_t constant = 0x8b51f9ddu;
    for (int i = 0; i < count; i++) {
        uint32_t value = pool[i % POOL] ^ constant;
        constant *= 0x58f38dedu;
        value *= constant;
        words[i] = value ^ value >> 16;
    }
}

void gndi_numpy_seed(gndi_numpy_stream *s, gnd_numpy_kind kind, uint64_t seed, int64_t child) {
    uint32_t pool[POOL], words[GNDI_MT_WORDS];
    uint64_t longs[4];
    memset(s, 0, sizeof *s);
    s->kind = kind;
    make_pool(seed, child, pool);
    make_words(pool, words, GNDI_MT_WORDS);
    for (int i = 0; i < 4; i++) longs[i] = (uint64_t)words[2 * i + 1] << 32 | words[2 * i];
    switch (kind) {
    case GND_NUMPY_MT19937: /* the first word has its highest bit alone; the last one has been used */
        memcpy(s->mt.key, words, sizeof words);
        s->mt.key[0] = 0x80000000u, s->mt.used = GNDI_MT_WORDS - 1;
        break;
    case GND_NUMPY_SFC64:
        memcpy(s->sfc, longs, 3 * sizeof *longs);
        s->sfc[3] = 1;
        for (int i = 0; i < 12; i++) sfc_next(s);
        break;
    case GND_NUMPY_PHILOX:
        memcpy(s->philox.key, longs, 2 * sizeof *longs);
        s->philox.used = GNDI_PHILOX_BUFFER;
        break;
    default: /* by PCG64's steps, whichever its own are */
        s->kind = GND_NUMPY_PCG64;
        s->pcg.increment = wide(longs[2], longs[3]) << 1 | 1;
        pcg_step(s);
        s->pcg.state += wide(longs[0], longs[1]);
        pcg_step(s);
        s->kind = kind;
    }
}
