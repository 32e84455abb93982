/*
 * random_skip.c: what the initial states of XORWOW and MRG32k3a are made of: state i of stream s is (65536 s + i) *
 * 2^67 (XORWOW) or 2^76 (MRG32k3a) steps after the state that the key means. Steps are linear, over GF(2) and modulo
 * two primes; 2^k of them are a power of the matrix of one step. For XORWOW that is a polynomial of the matrix, of
 * degree below 160: x^(2^k) modulo its characteristic polynomial (Haramoto, Matsumoto, Nishimura, Panneton, L'Ecuyer:
 * Efficient jump ahead for F2-linear random number generators, INFORMS Journal on Computing 20, 2008).
 */
#include "random/random.h"

enum {
    POWERS = GNDI_RANDOM_LEAPS + 32, /* bits of states and of streams */
    STARTS = -2,                     /* an attempt of Philox whose words nothing else uses */
    XORWOW_LEAP = 67,
    MRG_LEAP = 76,
    WORDS = GNDI_XORWOW_WORDS,
};

static gndi_random_leap xorwow_leaps[POWERS], mrg_leaps[POWERS];
static gndi_once leaps_known;

/* ---- XORWOW --------------------------------------------------------------------------------- */

/* The characteristic polynomial of a step, without x^160. */
static const uint32_t characteristic[WORDS] = {0x00060001, 0x08610030, 0x00062121, 0x0f3c0035, 0x00000f0e};

/* x times the polynomial, plus `low`, modulo the characteristic one. */
static void times_x(uint32_t *p, uint32_t low) {
    const uint32_t mask = 0 - (p[WORDS - 1] >> 31);
    for (int i = WORDS - 1; i > 0; i--) p[i] = p[i] << 1 | p[i - 1] >> 31;
    p[0] = p[0] << 1 | low;
    for (int i = 0; i < WORDS; i++) p[i] ^= characteristic[i] & mask;
}
/* A square over GF(2) has a 0 between each two factors. */
static void square_polynomial(uint32_t *p) {
    uint32_t square[WORDS] = {0};
    for (int bit = 32 * WORDS - 1; bit >= 0; bit--) {
        times_x(square, 0);
        times_x(square, p[bit / 32] >> bit % 32 & 1);
    }
    memcpy(p, square, sizeof square);
}
static void find_xorwow_leaps(void) {
    uint32_t power[WORDS] = {2}; /* x: one step */
    for (int k = 0; k < XORWOW_LEAP + POWERS; k++) {
        if (k >= XORWOW_LEAP) memcpy(xorwow_leaps[k - XORWOW_LEAP].number, power, sizeof power);
        square_polynomial(power);
    }
}

/* ---- MRG32k3a ------------------------------------------------------------------------------- */

static void square_matrix(uint32_t *m, uint64_t modulus) {
    uint32_t square[9];
    for (int j = 0; j < 3; j++) {
        uint32_t column[3] = {m[j], m[3 + j], m[6 + j]};
        gndi_mrg_leap_by(m, column, modulus);
        for (int i = 0; i < 3; i++) square[3 * i + j] = column[i];
    }
    memcpy(m, square, sizeof square);
}
static void find_mrg_leaps(void) {
    gndi_random_leap power = {{0, 1, 0, 0, 0, 1, (uint32_t)(GNDI_MRG_FIRST - 810728), 1403580, 0, /* one step */
                               0, 1, 0, 0, 0, 1, (uint32_t)(GNDI_MRG_SECOND - 1370589), 0, 527612}};
    for (int k = 0; k < MRG_LEAP + POWERS; k++) {
        if (k >= MRG_LEAP) mrg_leaps[k - MRG_LEAP] = power;
        square_matrix(power.number, GNDI_MRG_FIRST);
        square_matrix(power.number + 9, GNDI_MRG_SECOND);
    }
}

static void find_leaps(void) {
    find_xorwow_leaps();
    find_mrg_leaps();
}

/* ---- states --------------------------------------------------------------------------------- */

void gndi_random_begin(const gndi_random_state *state, gndi_random_begin_plan *plan) {
    gndi_once_do(&leaps_known, find_leaps);
    const bool mrg = state->kind == GNDI_MRG32K3A;
    const gndi_random_leap *leaps = mrg ? mrg_leaps : xorwow_leaps;
    plan->kind = state->kind;
    for (int i = 0; i < GNDI_STATE_WORDS; i += 2) {
        const uint64_t number = gndi_philox_number(state->key, (uint64_t)i, (uint32_t)STARTS, 0);
        plan->base[i] = (uint32_t)(number >> 32), plan->base[i + 1] = (uint32_t)number;
    }
    plan->base[0] |= !mrg; /* no vector may be all zero */
    for (int i = 0; i < GNDI_STATE_WORDS && mrg; i++)
        plan->base[i] = (uint32_t)(plan->base[i] % ((i < 3 ? GNDI_MRG_FIRST : GNDI_MRG_SECOND) - 1) + 1);
    memcpy(plan->leap, leaps, sizeof plan->leap);
    for (int k = 0; k < 32; k++)
        if (state->stream >> k & 1) gndi_random_leap_of(plan->kind, &leaps[GNDI_RANDOM_LEAPS + k], plan->base);
}
