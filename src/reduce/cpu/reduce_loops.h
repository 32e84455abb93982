/*
 * reduce_loops.h: the inner loops of the CPU's reductions as their driver (reduce_cpu.h) sees them;
 * compiled once for each instruction set, like the other loops of cpu_kernels.h.
 */
#ifndef GNDI_CPU_REDUCE_LOOPS_H
#define GNDI_CPU_REDUCE_LOOPS_H

#include <gnd/dtype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which folds: ANY, ALL and COUNT share one. */
enum { GNDI_CPU_SUM, GNDI_CPU_PRODUCT, GNDI_CPU_MINIMUM, GNDI_CPU_MAXIMUM, GNDI_CPU_COUNT, GNDI_CPU_FOLDS };

/* One fold over elements of one dtype. Accumulators are arrays of `size` bytes each. */
typedef struct gndi_cpu_reduction {
    /* acc[i] joins the n contiguous elements at x + i * step, for i < count. */
    void (*runs)(const char *x, int64_t step, int64_t n, int64_t count, void *acc);
    /* acc[j] joins column j of `rows` rows of n contiguous elements, `step` bytes apart. */
    void (*rows)(const char *x, int64_t step, int64_t rows, int64_t n, void *acc);
    void (*clear)(void *acc, int64_t n);                  /* to the identity */
    void (*join)(void *acc, const void *with, int64_t n); /* acc[j] joins with[j] */
    int size;
    char neutral[16]; /* an element that changes nothing, for masks */
} gndi_cpu_reduction;

/* Numbers, means and sums of squared deviations, of float32 or float64. `taken`: a byte an element,
   1 where it takes part; NULL: all do; what does not is 0 in x. */
enum { GNDI_CPU_VARIANCE_COLUMNS = 1024 };
typedef struct gndi_cpu_variance {
    /* n contiguous elements join one output. */
    void (*run)(const char *x, const uint8_t *taken, int64_t n, double *number, double *mean, double *m2);
    /* Rows of at most GNDI_CPU_VARIANCE_COLUMNS contiguous elements join an output each. */
    void (*rows)(const char *x, int64_t step, const uint8_t *taken, int64_t taken_step, int64_t rows, int64_t n,
                 double *number, double *mean, double *m2);
    /* `to` joins `from`, n times. */
    void (*merge)(const double *number, const double *mean, const double *m2, int64_t n, double *to_number,
                  double *to_mean, double *to_m2);
} gndi_cpu_variance;

/* The best elements of one dtype so far, `size` bytes each, and where they are (-1: none). */
typedef struct gndi_cpu_index_reduction {
    /* The n contiguous elements at x + i * step, for i < count; they have the indices index,
       index + index_step and so on. */
    void (*runs)(const char *x, int64_t step, int64_t n, int64_t count, int64_t index, int64_t index_step, char *best,
                 int64_t *best_index);
    /* Rows of n contiguous elements, `step` bytes apart, whose indices are index_step apart. */
    void (*rows)(const char *x, int64_t step, int64_t rows, int64_t n, int64_t index, int64_t index_step, char *best,
                 int64_t *best_index);
    /* Elements where mask is not 0, into the bests best_step apart. */
    void (*masked)(const char *x, const uint8_t *mask, int64_t n, int64_t index, int64_t index_step, int64_t best_step,
                   char *best, int64_t *best_index);
    void (*join)(const char *from, const int64_t *from_index, int64_t n, char *best, int64_t *best_index);
    int size;
} gndi_cpu_index_reduction;

/* Sums of mapped numbers, float32 or float64, products complex too: acc joins the n contiguous elements
   of x (and y). */
enum {
    GNDI_CPU_SQUARES,
    GNDI_CPU_PRODUCTS,
    GNDI_CPU_MAGNITUDES,
    GNDI_CPU_NUMBERS, /* NaN take no part */
    GNDI_CPU_EVENS,   /* x[0], x[2], x[4] ... */
    GNDI_CPU_COMPLEX_PRODUCTS,
    GNDI_CPU_CONJUGATE_PRODUCTS, /* of the conjugate of x */
    GNDI_CPU_MAPPED
};
typedef void (*gndi_cpu_mapped_run)(const char *x, const char *y, int64_t n, void *acc);

typedef struct gndi_cpu_reductions {
    gndi_cpu_reduction fold[GNDI_CPU_FOLDS][GND_DTYPE_COUNT];
    gndi_cpu_mapped_run mapped[GNDI_CPU_MAPPED][2];     /* of float32, of float64 */
    gndi_cpu_variance variance[2];                      /* float32, float64 */
    gndi_cpu_index_reduction index[2][GND_DTYPE_COUNT]; /* of the smallest, of the largest */
    /* Whether n bytes, a multiple of 512, are all zero, or (nowhere) none of them is. */
    bool (*bytes_are)(const char *x, int64_t n, bool nowhere);
    /* The largest or smallest of the n contiguous elements that are not NaN, float32 or float64, into *acc; -inf or
       inf if there is none. */
    void (*numbers_extreme[2][2])(const char *x, int64_t n, void *acc);
    /* acc[j], complex64 or complex128, is multiplied by column j of `rows` rows of n contiguous elements, `step` bytes
       apart, row by row; n >= 8. NaN count as 1 if they are skipped. */
    void (*ordered_products[2])(const char *x, int64_t step, int64_t rows, int64_t n, bool skip_nan, char *acc);
    /* to[i] = taken[i] ? x[i] : *neutral, for elements of 1, 2, 4, 8, 16 bytes. */
    void (*choose[5])(const char *x, const uint8_t *taken, const char *neutral, char *to, int64_t n);
} gndi_cpu_reductions;

/* The loops for this CPU, chosen at the first call. Thread-safe. */
const gndi_cpu_reductions *gndi_cpu_reductions_get(void);

#endif
