/*
 * random_begin_plan.h: the first states of XORWOW and MRG32k3a, GNDI_RANDOM_STATES of them, each a fixed large number
 * of steps behind the one before. Steps are linear, so state i is the base, taken further by a leap for each bit of i.
 * Device code includes this header, too.
 */
#ifndef GNDI_RANDOM_BEGIN_PLAN_H
#define GNDI_RANDOM_BEGIN_PLAN_H

#include "random/random_plan.h"

enum {
    GNDI_RANDOM_LEAPS = 16, /* 2^16 states */
    GNDI_XORWOW_WORDS = 5,  /* of a state, without its counter; of a polynomial of degree below 160 */
    GNDI_LEAP_NUMBERS = 18,
};

/* A number of steps. XORWOW: a polynomial over GF(2) of the matrix of one step, bit j the factor of the matrix^j.
   MRG32k3a: two matrices, by rows. */
typedef struct gndi_random_leap {
    uint32_t number[GNDI_LEAP_NUMBERS];
} gndi_random_leap;

typedef struct gndi_random_begin_plan gndi_random_begin_plan;
struct gndi_random_begin_plan {
    uint32_t *states; /* word w of state i at w * GNDI_RANDOM_STATES + i */
    uint32_t kind;    /* GNDI_XORWOW or GNDI_MRG32K3A */
    uint32_t base[GNDI_STATE_WORDS];
    gndi_random_leap leap[GNDI_RANDOM_LEAPS]; /* of 2^k states */
};

/* One step of XORWOW, without its counter. */
GNDI_RANDOM_FN void gndi_xorwow_step(uint32_t *v) {
    const uint32_t t = v[0] ^ (v[0] >> 2), last = v[4];
    v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = last;
    v[4] = (last ^ (last << 4)) ^ (t ^ (t << 1));
}
GNDI_RANDOM_FN void gndi_xorwow_leap(const gndi_random_leap *leap, uint32_t *v) {
    uint32_t sum[GNDI_XORWOW_WORDS] = {0};
    for (int word = 0; word < GNDI_XORWOW_WORDS; word++) {
        const uint32_t factors = leap->number[word];
        for (int bit = 0; bit < 32; bit++) {
            const uint32_t mask = 0 - (factors >> bit & 1);
            for (int i = 0; i < GNDI_XORWOW_WORDS; i++) sum[i] ^= v[i] & mask;
            gndi_xorwow_step(v);
        }
    }
    for (int i = 0; i < GNDI_XORWOW_WORDS; i++) v[i] = sum[i];
}

/* The modulus is a constant where it is used, so that no rest takes a division. */
GNDI_RANDOM_FN void gndi_mrg_leap_by(const uint32_t *matrix, uint32_t *v, uint64_t modulus) {
    uint32_t result[3];
    for (int i = 0; i < 3; i++) {
        uint64_t sum = 0;
        for (int j = 0; j < 3; j++) sum += (uint64_t)matrix[3 * i + j] * v[j] % modulus;
        result[i] = (uint32_t)(sum % modulus);
    }
    for (int i = 0; i < 3; i++) v[i] = result[i];
}
#define GNDI_MRG_FIRST UINT64_C(4294967087)
#define GNDI_MRG_SECOND UINT64_C(4294944443)
GNDI_RANDOM_FN void gndi_mrg_leap(const gndi_random_leap *leap, uint32_t *v) {
    gndi_mrg_leap_by(leap->number, v, GNDI_MRG_FIRST);
    gndi_mrg_leap_by(leap->number + 9, v + 3, GNDI_MRG_SECOND);
}
GNDI_RANDOM_FN void gndi_random_leap_of(uint32_t kind, const gndi_random_leap *leap, uint32_t *v) {
    if (kind == GNDI_XORWOW)
        gndi_xorwow_leap(leap, v);
    else
        gndi_mrg_leap(leap, v);
}

/* State `index`. */
GNDI_RANDOM_FN void gndi_random_first_state(const gndi_random_begin_plan *p, uint32_t index, uint32_t *v) {
    for (int i = 0; i < GNDI_STATE_WORDS; i++) v[i] = p->base[i];
    for (int k = 0; k < GNDI_RANDOM_LEAPS; k++)
        if (index >> k & 1) gndi_random_leap_of(p->kind, &p->leap[k], v);
}

#endif
