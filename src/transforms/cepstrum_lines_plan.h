/*
 * cepstrum_lines_plan.h: real cepstra of long dense lines, on GPUs: the inverse transforms of log|X|; of lines of 10^6
 * numbers also those that are causal, and the signals of minimum phase that these belong to.
 */
#ifndef GNDI_CEPSTRUM_LINES_PLAN_H
#define GNDI_CEPSTRUM_LINES_PLAN_H

#include <stdint.h>

enum {
    GNDI_CEPSTRUM_LEAST = 1 << 16, /* elements of a line: libraries transform shorter ones in one launch */
    GNDI_CEPSTRUM_LEAST_SIDE = 1 << 7,
    GNDI_CEPSTRUM_MOST_SIDE = 1 << 11,
    GNDI_CEPSTRUM_TILE = 4, /* transforms of a block */
};

/* Complex elements from one transform to the next in shared memory, with a gap behind each 16: different by 4 modulo
   16, so that four of them beside each other lie in different banks. Bytes of a block: `tile` of them twice, and the
   roots of unity. */
#define GNDI_CEPSTRUM_PITCH(n) (((n) + (n) / 16 + 15) / 16 * 16 + 4)
#define GNDI_CEPSTRUM_SHARED(n, tile) ((2 * (tile)*GNDI_CEPSTRUM_PITCH(n) + (n)) * 8)

/* What is made of lines. */
typedef enum gndi_cepstrum_result {
    GNDI_CEPSTRUM_REAL,
    GNDI_CEPSTRUM_CAUSAL,       /* doubled up to the middle, and zeros behind it */
    GNDI_CEPSTRUM_EXPONENTIALS, /* the inverse transforms of exp(X) */
} gndi_cepstrum_result;

/* Dense lines of rows * columns float32. Both are products of 2, 3 and 5, and `columns` is even. */
struct gndi_cepstrum_lines_plan {
    const float *x; /* at a multiple of 8 bytes */
    float *out;
    int64_t lines;
    int rows, columns;
    gndi_cepstrum_result result; /* other ones than real cepstra: 1000 rows and columns */
};

/* Divides lines of n elements; 0 if they are not such. */
static inline int gndi_cepstrum_divide(int64_t n, int *rows, int *columns) {
    const int64_t most = (int64_t)GNDI_CEPSTRUM_MOST_SIDE * GNDI_CEPSTRUM_MOST_SIDE;
    int64_t rest = n;
    if (n < GNDI_CEPSTRUM_LEAST || n > most || n % 2) return 0;
    for (int p = 2; p <= 5; p++)
        while (rest % p == 0) rest /= p;
    if (rest != 1) return 0;
    *rows = 0;
    for (int side = GNDI_CEPSTRUM_LEAST_SIDE; (int64_t)side * side <= n; side++)
        if (n % side == 0 && n / side % 2 == 0 && n / side <= GNDI_CEPSTRUM_MOST_SIDE)
            *rows = side, *columns = (int)(n / side);
    return *rows > 0;
}

/* Whether there are kernels for all results. */
static inline int gndi_cepstrum_has_all(const struct gndi_cepstrum_lines_plan *p) {
    return p->rows == 1000 && p->columns == 1000;
}

#endif
