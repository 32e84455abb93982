/*
 * random_sobol.c: the direction numbers of Sobol sequences, from Joe and Kuo's polynomials and first
 * numbers, and their scrambling: each dimension's digits are multiplied by a random lower triangular
 * matrix over GF(2) with a diagonal of ones, and a random number is added to them (Matousek, On the
 * L2-discrepancy for anchored boxes, J. Complexity 14, 1998). All in 64 bits.
 */
#include "random/random.h"
#include "random/random_sobol_numbers.h"

enum {
    BITS = GNDI_SOBOL_BITS,
    SCRAMBLES = -3, /* an attempt of Philox whose words nothing else uses */
};
_Static_assert(sizeof sobol_polynomials / sizeof *sobol_polynomials == GNDI_SOBOL_MOST - 1,
               "a polynomial for each dimension but the first");

/* v[k - 1] = m_k / 2^k, as a fraction of 64 bits. */
static void directions(uint64_t *v, uint32_t polynomial, const uint16_t *initial) {
    const int degree = 31 - __builtin_clz(polynomial);
    for (int k = 0; k < degree && k < BITS; k++) v[k] = (uint64_t)initial[k] << (BITS - 1 - k);
    for (int k = degree; k < BITS; k++) {
        v[k] = v[k - degree] ^ (v[k - degree] >> degree);
        for (int i = 1; i < degree; i++)
            if (polynomial >> (degree - i) & 1) v[k] ^= v[k - i];
    }
}

static void scramble_dimension(uint64_t *v, uint64_t key, uint64_t dimension) {
    uint64_t row[BITS]; /* which digits, from the highest on, are summed to each digit of the result */
    for (int i = 0; i < BITS; i++) {
        const uint64_t number = gndi_philox_number(key, dimension * (BITS + 1) + (uint64_t)i, (uint32_t)SCRAMBLES, 0);
        const uint64_t own = UINT64_C(1) << (BITS - 1 - i);
        row[i] = (number & ~(own - 1)) | own;
    }
    for (int k = 0; k < BITS; k++) {
        uint64_t scrambled = 0;
        for (int i = 0; i < BITS; i++) scrambled = scrambled << 1 | (uint64_t)__builtin_parityll(row[i] & v[k]);
        v[k] = scrambled;
    }
    v[BITS] = gndi_philox_number(key, dimension * (BITS + 1) + BITS, (uint32_t)SCRAMBLES, 0);
}

void gndi_random_sobol_numbers(uint64_t *numbers, int64_t dimensions, bool scramble, uint64_t key) {
    const uint16_t *initial = sobol_initial;
    for (int64_t d = 0; d < dimensions; d++) {
        uint64_t *v = numbers + d * (BITS + 1);
        v[BITS] = 0;
        if (d == 0) {
            for (int k = 0; k < BITS; k++) v[k] = UINT64_C(1) << (BITS - 1 - k);
        } else {
            const uint32_t polynomial = sobol_polynomials[d - 1];
            directions(v, polynomial, initial);
            initial += 31 - __builtin_clz(polynomial);
        }
        if (scramble) scramble_dimension(v, key, (uint64_t)d);
    }
}
