/*
 * convolve_loops.h: the loops of sliding sums in several dimensions as the driver (convolve_cpu.c) sees them.
 */
#ifndef GNDI_CPU_CONVOLVE_LOOPS_H
#define GNDI_CPU_CONVOLVE_LOOPS_H

#include <stdint.h>

enum { GNDI_CONVOLVE_BLOCK = 512 }; /* bytes of outputs that are computed together, at most */

/* What sums are computed in. */
enum {
    GNDI_CONVOLVE_UINT32,
    GNDI_CONVOLVE_UINT64,
    GNDI_CONVOLVE_FLOAT,
    GNDI_CONVOLVE_DOUBLE,
    GNDI_CONVOLVE_COMPLEX_FLOAT,
    GNDI_CONVOLVE_COMPLEX_DOUBLE,
    GNDI_CONVOLVE_TYPES
};

/* Outputs 0 .. n - 1 of one row: the sum over `rows` rows of elements, and over `taps` taps of each. Rows and out
   reach GNDI_CONVOLVE_BLOCK bytes beyond what is used. */
typedef struct gndi_cpu_convolve_run {
    const void *const *row; /* row[r] + i + j meets tap j of row r in output i */
    const void *tap;        /* rows * taps of them, dense */
    int64_t rows, taps, n;
    void *out;
} gndi_cpu_convolve_run;

typedef struct gndi_cpu_convolve_type {
    int bytes; /* of a sum */
    void (*run)(const gndi_cpu_convolve_run *run);
    /* n elements of a dtype, step bytes apart, as what sums are computed in; and back. */
    void (*load)(const char *from, int64_t step, int dtype, void *to, int64_t n);
    void (*store)(const void *from, char *to, int64_t step, int dtype, int64_t n);
    /* to[i] += a[i] * b[i]; a and b need not be aligned to more than their elements. */
    void (*multiply_add)(const void *a, const void *b, void *to, int64_t n);
    /* n times the border's constant: its parts, or modulo 2^64 where sums are whole numbers. */
    void (*fill)(const double *parts, uint64_t integer, void *to, int64_t n);
} gndi_cpu_convolve_type;

typedef struct gndi_cpu_convolve_loops {
    gndi_cpu_convolve_type of[GNDI_CONVOLVE_TYPES];
} gndi_cpu_convolve_loops;

#ifndef __cplusplus
/* The chosen table, and the type of sums of a dtype (convolve_cpu.c). */
const gndi_cpu_convolve_loops *gndi_cpu_convolve_loops_get(void);
int gndi_cpu_convolve_type_of(int dtype);
#endif

#endif
