/*
 * fft_columns_params.h: the parameter block of the kernels that transform columns (fft_columns.cuh).
 */
#ifndef GNDI_FFT_COLUMNS_PARAMS_H
#define GNDI_FFT_COLUMNS_PARAMS_H

#include <stdint.h>

enum {
    GNDI_COLUMNS_LEAST_BITS = 6, /* 64 to 4096 elements */
    GNDI_COLUMNS_MOST_BITS = 12,
    GNDI_COLUMNS_EACH = 16, /* elements of a thread */
    GNDI_COLUMNS_AXES = 4,
    GNDI_COLUMNS_LARGE_MB = 64, /* results that the L2 cache does not hold */
};

/* How many adjacent columns a block takes: 32 bytes of a row, and 128 where shared memory has space; and how many if
   lines are dense, enough for 256 threads. */
#define GNDI_COLUMNS_SIDE(bits) ((bits) >= 11 ? 4 : (bits) == 10 ? 8 : 16)
#define GNDI_ROWS_SIDE(bits) (4096 >> (bits))
/* Whether real and imaginary parts pass through shared memory one after the other: four columns of 4096 take 130 us
   instead of 134. */
#define GNDI_COLUMNS_HALVES(bits, side) ((bits) == 12 && (side) > 1)
/* Elements from one column to the next in shared memory: gaps after every 16 of them and between the columns avoid
   bank conflicts. */
#define GNDI_COLUMNS_STRIDE_OF(bits, side, halves)                                                                     \
    ((1 << (bits)) + (1 << (bits)) / 16 + (((halves) ? 32 : 16) + (side)-1) / (side))
#define GNDI_COLUMNS_STRIDE(bits, side) GNDI_COLUMNS_STRIDE_OF(bits, side, GNDI_COLUMNS_HALVES(bits, side))
#define GNDI_COLUMNS_SHARED(bits, side)                                                                                \
    ((side)*GNDI_COLUMNS_STRIDE(bits, side) * (GNDI_COLUMNS_HALVES(bits, side) ? 4 : 8))
#define GNDI_COLUMNS_THREADS(bits, side) ((side) * ((1 << (bits)) / GNDI_COLUMNS_EACH))

/* The kernels: columns are adjacent in the input and the output; lines are dense in the input, or in both; the first of
   two steps of a long line. */
enum {
    GNDI_COLUMNS_PLAIN,
    GNDI_COLUMNS_FROM_ROWS,
    GNDI_COLUMNS_ROWS,
    GNDI_COLUMNS_TWISTED,
    GNDI_COLUMNS_PAIRS, /* rows k and -k of a real matrix whose columns are done (gndi_pairs_params) */
    /* Of analytic signals (gndi_analytic_params): rows, 10 to 12 bits of them, and then columns. */
    GNDI_COLUMNS_ANALYTIC_ROWS,
    GNDI_COLUMNS_ANALYTIC,
    /* Of powers of spectra: columns, 10 or 11 bits of them (gndi_power_columns_params), and then rows of 2^12. */
    GNDI_COLUMNS_OF_POWERS,
    GNDI_COLUMNS_POWERS,
};

/* Columns of complex64. Steps are in bytes. */
typedef struct gndi_columns_params {
    const char *in;
    char *out;
    int64_t in_step, out_step; /* along a column */
    int64_t in_side, out_side; /* from one column to the next */
    int64_t columns;
    int64_t in_stride[GNDI_COLUMNS_AXES], out_stride[GNDI_COLUMNS_AXES];
    uint32_t n[GNDI_COLUMNS_AXES]; /* the other axes of the batch, the last one first */
    uint32_t axes;
    uint32_t tiles; /* blocks for the columns */
    uint32_t inverse;
    uint32_t once; /* the result is more than the L2 cache holds, and no further pass reads it */
    /* So many tiles further on is the one that begins when a block ends, which it brings to the L2 cache; 0: none. */
    uint32_t ahead;
    float factor;
    /* The first of two steps of a long line: element k of column i is multiplied by exp(-2 pi i k / 2^line). */
    uint32_t line;
    const float *window; /* _PLAIN: a factor for each element of a column; NULL: none */
} gndi_columns_params;

/*
 * The second pass over a real matrix of `rows` rows. The first pass treated two neighbouring elements as one complex
 * number and transformed the columns of these: Z. With A = Z[k][j] and B = conj(Z[-k][j]), the transformed columns
 * 2 j and 2 j + 1 have (A + B) / 2 and (A - B) / 2i in row k. The transform of that row is row k of the result;
 * its conjugate, reversed, is row -k, because the matrix is real. (Press et al., Numerical Recipes, 12.3: two real
 * functions in one transform.)
 */
typedef struct gndi_pairs_params {
    const char *in;
    char *out;
    int64_t in_row, out_row; /* from one row to the next; rows of `in` are dense */
    int64_t in_stride[GNDI_COLUMNS_AXES], out_stride[GNDI_COLUMNS_AXES];
    uint32_t n[GNDI_COLUMNS_AXES]; /* of matrices, the last axis first */
    uint32_t axes, rows;
    uint32_t tiles; /* blocks of a matrix */
    float factor;
} gndi_pairs_params;

/* Analytic signals of real lines of 2^(outer + inner + 1) elements, whose pairs are complex numbers, 2^outer rows of
   2^inner (fft_analytic.cuh). */
typedef struct gndi_analytic_params {
    const char *x;
    char *out, *work; /* work: the transformed columns of x, by GNDI_COLUMNS_TWISTED */
    uint32_t outer, inner;
    float factor;
} gndi_analytic_params;
#define GNDI_ANALYTIC_LEAST_BITS 10 /* of rows and of columns */
/* A block has two rows, which lie beside each other in shared memory. */
#define GNDI_ANALYTIC_SHARED(bits)                                                                                     \
    (GNDI_COLUMNS_SHARED(bits, 2) > 16 << (bits) ? GNDI_COLUMNS_SHARED(bits, 2) : 16 << (bits))

/* Powers of the spectrum of a real line of 2^(outer + bits + 1) elements, whose pairs are complex numbers, 2^outer rows
   of 2^bits (fft_powers.cuh). Their columns first, whose results are rows of `work`. */
typedef struct gndi_power_columns_params {
    const char *in;
    char *work;
    char *levels; /* of columns, taken off before the transform and stored; NULL: none */
} gndi_power_columns_params;
/* Then the rows. Blocks run in clusters. */
typedef struct gndi_powers_params {
    const char *work, *levels; /* transformed columns; what was taken off them, or NULL */
    float *out;
    uint32_t outer;
    float factor, end; /* of squares of twice the elements; besides, of the first and of the last element */
} gndi_powers_params;
#define GNDI_POWERS_CLUSTER 8
#define GNDI_POWERS_BITS 12       /* of rows */
#define GNDI_POWERS_LEAST_BITS 10 /* of columns: 10 and 11 */
#define GNDI_POWERS_MOST_BITS 11
#define GNDI_POWERS_THREADS 512
#define GNDI_POWERS_ROWS_SHARED (2 * 8 * GNDI_COLUMNS_STRIDE_OF(GNDI_POWERS_BITS, 2, false))

#endif
