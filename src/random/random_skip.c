/*
 * random_skip.c: the initial states of XORWOW and MRG32k3a: state i of stream s is (65536 s + i) * 2^67
 * (XORWOW) or 2^76 (MRG32k3a) steps after the state that the key means. Steps are linear, over GF(2) and modulo
 * two primes, so that many steps are a power of a matrix; the powers 2^k that are needed are computed once in a
 * process.
 */
#include "random/random.h"

enum {
    STATES = GNDI_RANDOM_STATES,
    TOGETHER = 256, /* states that follow from one another */
    POWERS = 48,    /* 16 bits of states, 32 of streams */
    STARTS = -2,    /* an attempt of Philox whose words nothing else uses */
};

/* ---- xorwow: 160 bits; the counter d is the same after 2^67 steps ---------------------------- */

enum { WORDS = 5, BITS = 32 * WORDS, XORWOW_LEAP = 67 };

typedef uint32_t four_words __attribute__((vector_size(16)));
typedef union bits {
    uint32_t word[WORDS];
    struct {
        four_words first;
        uint32_t last;
    } parts;
} bits;
typedef struct bit_matrix {
    bits column[BITS]; /* the image of each bit */
} bit_matrix;

static bit_matrix leaps[POWERS];      /* 2^67, 2^68, ... steps */
static bits leap_table[BITS / 4][16]; /* 2^67 steps, of four bits at a time */
static gndi_once leaps_known;

static inline void add_bits(bits *sum, const bits *b) {
    sum->parts.first ^= b->parts.first, sum->parts.last ^= b->parts.last;
}

/* table[i][x]: the image of x << 4 i. */
static void make_table(const bit_matrix *m, bits table[BITS / 4][16]) {
    for (int four = 0; four < BITS / 4; four++)
        for (int value = 1; value < 16; value++) {
            table[four][value] = table[four][value & (value - 1)];
            add_bits(&table[four][value], &m->column[4 * four + __builtin_ctz((unsigned)value)]);
        }
}
static bits look_up(bits table[BITS / 4][16], const bits *v) {
    bits sum = {{0}};
    for (int i = 0; i < WORDS; i++)
        for (int four = 0; four < 8; four++) add_bits(&sum, &table[8 * i + four][v->word[i] >> 4 * four & 15]);
    return sum;
}
static bits apply(const bit_matrix *m, const bits *v) {
    bits sum = {{0}};
    for (int i = 0; i < WORDS; i++)
        for (uint32_t rest = v->word[i]; rest; rest &= rest - 1)
            add_bits(&sum, &m->column[32 * i + __builtin_ctz(rest)]);
    return sum;
}

static void find_leaps(void) {
    static bits table[BITS / 4][16];
    bit_matrix power;
    for (int b = 0; b < BITS; b++) { /* one step */
        bits v = {{0}};
        v.word[b / 32] = UINT32_C(1) << b % 32;
        const uint32_t t = v.word[0] ^ (v.word[0] >> 2), last = v.word[4];
        memmove(v.word, v.word + 1, 4 * sizeof *v.word);
        v.word[4] = (last ^ (last << 4)) ^ (t ^ (t << 1));
        power.column[b] = v;
    }
    for (int k = 0; k < XORWOW_LEAP + POWERS; k++) {
        if (k >= XORWOW_LEAP) leaps[k - XORWOW_LEAP] = power;
        make_table(&power, table);
        for (int b = 0; b < BITS; b++) power.column[b] = look_up(table, &power.column[b]);
    }
    make_table(&leaps[0], leap_table);
}

/* ---- MRG32k3a: two vectors of three numbers -------------------------------------------------- */

enum { MRG_LEAP = 76 };

typedef struct triple {
    uint64_t x[3];
} triple;
typedef struct number_matrix {
    uint64_t row[3][3];
} number_matrix;

#define MODULUS(part) ((part) ? UINT64_C(4294944443) : UINT64_C(4294967087))
static number_matrix mrg_leaps[2][POWERS];

/* Inlined where the modulus is known, so that no rest takes a division. */
static inline __attribute__((always_inline)) triple times_vector(const number_matrix *m, const triple *v,
                                                                 uint64_t mod) {
    triple r;
    for (int i = 0; i < 3; i++) {
        r.x[i] = 0;
        for (int j = 0; j < 3; j++) r.x[i] = (r.x[i] + m->row[i][j] * v->x[j] % mod) % mod;
    }
    return r;
}

static void find_mrg_leaps(void) {
    for (int part = 0; part < 2; part++) {
        const uint64_t mod = MODULUS(part);
        number_matrix power = {{{0, 1, 0}, {0, 0, 1}, {0, 0, 0}}};
        power.row[2][0] = mod - (part ? 1370589u : 810728u);
        power.row[2][part ? 2 : 1] = part ? 527612u : 1403580u;
        for (int k = 0; k < MRG_LEAP + POWERS; k++) {
            if (k >= MRG_LEAP) mrg_leaps[part][k - MRG_LEAP] = power;
            number_matrix square;
            for (int j = 0; j < 3; j++) {
                const triple column = {{power.row[0][j], power.row[1][j], power.row[2][j]}};
                const triple image = times_vector(&power, &column, mod);
                for (int i = 0; i < 3; i++) square.row[i][j] = image.x[i];
            }
            power = square;
        }
    }
}

static void find_all_leaps(void) {
    find_leaps();
    find_mrg_leaps();
}

/* ---- states --------------------------------------------------------------------------------- */

typedef struct beginning {
    uint32_t base[GNDI_STATE_WORDS];
    uint64_t first; /* states of the streams before */
    uint32_t *states;
} beginning;

static void store(const beginning *b, int64_t index, int word, uint32_t value) {
    b->states[(int64_t)word * STATES + index] = value;
}

/* Pieces of TOGETHER states: the first of each follows from the base, the others from their predecessors. */
static void begin_xorwow(void *context, int64_t begin, int64_t end) {
    const beginning *b = context;
    for (int64_t piece = begin; piece < end; piece++) {
        bits v;
        memcpy(v.word, b->base, sizeof v.word);
        const uint64_t first = b->first + (uint64_t)piece * TOGETHER;
        for (int k = 0; k < POWERS; k++)
            if (first >> k & 1) v = apply(&leaps[k], &v);
        for (int64_t index = piece * TOGETHER; index < (piece + 1) * TOGETHER; index++) {
            for (int i = 0; i < WORDS; i++) store(b, index, i, v.word[i]);
            store(b, index, WORDS, b->base[WORDS]);
            v = look_up(leap_table, &v);
        }
    }
}

static inline __attribute__((always_inline)) void begin_mrg_part(const beginning *b, int64_t piece, int part) {
    const uint32_t *base = b->base + 3 * part;
    triple v = {{base[0], base[1], base[2]}};
    const uint64_t first = b->first + (uint64_t)piece * TOGETHER;
    for (int k = 0; k < POWERS; k++)
        if (first >> k & 1) v = times_vector(&mrg_leaps[part][k], &v, MODULUS(part));
    for (int64_t index = piece * TOGETHER; index < (piece + 1) * TOGETHER; index++) {
        for (int i = 0; i < 3; i++) store(b, index, 3 * part + i, (uint32_t)v.x[i]);
        v = times_vector(&mrg_leaps[part][0], &v, MODULUS(part));
    }
}
static void begin_mrg(void *context, int64_t begin, int64_t end) {
    for (int64_t piece = begin; piece < end; piece++) {
        begin_mrg_part(context, piece, 0);
        begin_mrg_part(context, piece, 1);
    }
}

uint32_t *gndi_random_first_states(const char *fn, const gndi_random_state *state) {
    uint32_t *states = gndi_malloc(fn, (size_t)STATES * GNDI_STATE_WORDS * sizeof *states);
    if (!states) return NULL;
    gndi_once_do(&leaps_known, find_all_leaps);
    beginning b = {.first = (uint64_t)state->stream * STATES, .states = states};
    for (int i = 0; i < GNDI_STATE_WORDS; i += 2) {
        const uint64_t number = gndi_philox_number(state->key, (uint64_t)i, (uint32_t)STARTS, 0);
        b.base[i] = (uint32_t)(number >> 32), b.base[i + 1] = (uint32_t)number;
    }
    b.base[0] |= state->kind == GNDI_XORWOW; /* no vector may be all zero */
    if (state->kind == GNDI_MRG32K3A)
        for (int i = 0; i < GNDI_STATE_WORDS; i++) b.base[i] = (uint32_t)(b.base[i] % (MODULUS(i / 3) - 1) + 1);
    gndi_parallel_for(STATES / TOGETHER, 16, state->kind == GNDI_XORWOW ? begin_xorwow : begin_mrg, &b);
    return states;
}
