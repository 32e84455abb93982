/*
 * random_begin_cpu.c: the first states of XORWOW and MRG32k3a on the CPU: pieces whose first state is taken further
 * from the base, and the others from the one before. XORWOW's leap from one to the next is a matrix of bits, applied by
 * a table of the images of four bits at a time.
 */
#include "random/random_begin_plan.h"
#include "runtime/hooks.h"

enum {
    WORDS = GNDI_XORWOW_WORDS,
    FOURS = 8 * WORDS,
    TOGETHER = 256, /* states of a piece */
};

typedef uint32_t four_words __attribute__((vector_size(16)));
typedef union bits {
    uint32_t word[WORDS];
    struct {
        four_words first;
        uint32_t last;
    } parts;
} bits;

typedef struct job {
    const gndi_random_begin_plan *plan;
    bits table[FOURS][16]; /* XORWOW: [i][x]: the image of x << 4 i */
} job;

static inline void add_bits(bits *sum, const bits *b) {
    sum->parts.first ^= b->parts.first, sum->parts.last ^= b->parts.last;
}

static void make_table(bits (*table)[16], const gndi_random_leap *leap) {
    for (int four = 0; four < FOURS; four++)
        for (int value = 1; value < 16; value++) {
            bits *to = &table[four][value];
            if (value & (value - 1)) {
                *to = table[four][value & (value - 1)];
                add_bits(to, &table[four][value & -value]);
            } else {
                to->word[four / 8] = (uint32_t)value << four % 8 * 4;
                gndi_xorwow_leap(leap, to->word);
            }
        }
}

static void next_xorwow(const bits (*table)[16], uint32_t *v) {
    bits sum = {{0}};
    for (int i = 0; i < WORDS; i++)
        for (int four = 0; four < 8; four++) add_bits(&sum, &table[8 * i + four][v[i] >> 4 * four & 15]);
    memcpy(v, sum.word, sizeof sum.word);
}

static void store(const gndi_random_begin_plan *p, int64_t index, const uint32_t *v) {
    for (int i = 0; i < GNDI_STATE_WORDS; i++) p->states[(int64_t)i * GNDI_RANDOM_STATES + index] = v[i];
}

static void begin_pieces(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    for (int64_t first = begin * TOGETHER; first < end * TOGETHER; first += TOGETHER) {
        uint32_t v[GNDI_STATE_WORDS];
        gndi_random_first_state(j->plan, (uint32_t)first, v);
        store(j->plan, first, v);
        for (int64_t index = first + 1; index < first + TOGETHER; index++) {
            if (j->plan->kind == GNDI_XORWOW)
                next_xorwow(j->table, v);
            else
                gndi_mrg_leap(&j->plan->leap[0], v);
            store(j->plan, index, v);
        }
    }
}

gnd_status gndi_cpu_random_begin(gnd_stream *s, const gndi_random_begin_plan *plan, const char *fn) {
    (void)s, (void)fn;
    job j = {.plan = plan};
    if (plan->kind == GNDI_XORWOW) make_table(j.table, &plan->leap[0]);
    gndi_parallel_for(GNDI_RANDOM_STATES / TOGETHER, 16, begin_pieces, &j);
    return GND_OK;
}
